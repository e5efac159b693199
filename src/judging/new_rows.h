// How new rows lie to the rows of a fit: maps only go on in straight lines where no row was fitted.
//
// Cost: one comparison per number.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "conflux/training/fit_record.h"

namespace conflux {

/// Fills in FitSummary::reach_low and reach_high from coordinates of fitted rows.
void note_reach(FitSummary& summary, const Matrix& fitted);

/// Rows that lie further beyond the fitted ones than half of their range, in some feature.
class FarRows {
 public:
  /// So many rows tell.
  static constexpr Index kEnough = 10'000;

  void add(const FitSummary& summary, const Matrix& coordinates);

  Index rows() const { return rows_; }
  Index far() const { return far_; }
  /// A warning with a remedy if more than a tenth of the rows are far; empty otherwise.
  std::string warning(const std::vector<std::string>& features) const;

 private:
  Index rows_ = 0;
  Index far_ = 0;
  std::vector<Index> far_in_;  // by feature
};

/// Warnings about a group that was added: `rows` are its coordinates, `moved` their images.
/// Sentences with remedies, none if nothing is suspicious.
std::vector<std::string> doubts_about_new_group(const std::string& name, const Matrix& rows,
                                                const Matrix& moved,
                                                const std::vector<std::string>& features,
                                                bool gated);

}  // namespace conflux
