// The facts of a report, each question by itself.

#pragma once

#include "conflux/report/report.h"
#include "report/report_rows.h"
#include "report/row_paths.h"

namespace conflux {

/// Where do groups differ: `features`, `worst_features` and `densities`.
void find_features(Report& report, const Model& model, const ReportRows& rows,
                   const Workers& workers);
/// `pairs_before` and `pairs_after`, for a few groups.
void find_pairs(Report& report, const ReportRows& rows, const Workers& workers);
/// How far rows moved: `move_levels` and `move_quantiles`.
void find_moves(Report& report, const ReportRows& rows);
/// Rows of a paths on a plane, at the start, at some places of the way, and at its end.
RowView view_rows(const RowPaths& paths, const Flow& flow);
/// `grids`, if there are two features and few groups.
void warp_grids(Report& report, const Flow& flow, const ReportRows& rows, const Workers& workers);
/// Unset unless all names are those of pixels: p00, pixel12, pixel_3_4, ...
std::optional<PixelGrid> find_pixels(const std::vector<std::string>& names);
/// Neighborhoods of labels, by the evaluation; of rows without labels, those that the model stores
/// of the rows that scored the fit; otherwise of clusters that are found. Unset when there are too
/// few rows.
std::optional<Neighborhoods> find_neighborhoods(const Report& report, const Model& model,
                                                const GroupSet& groups, const ReportRows& rows,
                                                const Workers& workers);
/// Unset when no map of the flow has knots.
std::optional<Reach> find_reach(const Model& model, const ReportRows& rows, const Workers& workers);
/// Some rows of the view as every group: `pixels`, and what begins with elsewhere.
void show_rows_elsewhere(Report& report, const Model& model, const RowPaths& paths);

/// `verdict`, `sentences`, `headlines` and `advice`, from everything else.
void conclude(Report& report, const Model& model, const ReportOptions& options);

/// " among rows of one label" or of one cluster, if that is how the summary of the fit has
/// predicted.
const char* among_whom(const Report& report);

/// A value of a feature as people read it, in the units of the data.
std::string value_text(const Model& model, Index feature, double coordinate, int digits,
                       Index group = -1);
/// The same as a number; categories are numbered.
double value_of(const Model& model, Index feature, double coordinate, Index group = -1);

}  // namespace conflux
