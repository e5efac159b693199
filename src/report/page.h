// The parts of the page, one question each.

#pragma once

#include <string>
#include <vector>

#include "conflux/report/report.h"
#include "report/charts.h"

namespace conflux {

/// Plain text with arrows that do not break.
std::string sentence_text(std::string sentence);
/// A heading, sentences, and what is shown under them. Sentences are plain text.
std::string page_section(int number, const std::string& question,
                         const std::vector<std::string>& sentences, const std::string& shown);
/// A picture with a line under it, which is plain text.
std::string figure(const std::string& picture, const std::string& note);
/// Side by side where there is room.
std::string side_by_side(const std::vector<std::string>& figures);
/// A paragraph that stands for a picture: why there is none, and what to do.
std::string empty_state(const std::string& sentence);
/// A table; the first row is its head. Cells are plain text.
std::string page_table(const std::vector<std::vector<std::string>>& rows, const std::string& name);

std::string difference_section(const Report& report);
std::string features_section(const Report& report);
std::string success_section(const Report& report, const GroupStyles& styles);
std::string moves_section(const Report& report, const GroupStyles& styles);
std::string fusing_section(const Report& report);
std::string reach_section(const Report& report);
std::string stop_section(const Report& report);
std::string elsewhere_section(const Report& report);

/// Rows of question 3 on a plane, and lines over them of question 4 if there are two features.
std::string rows_picture(const Report& report, const GroupStyles& styles);
std::string grids_picture(const Report& report, const GroupStyles& styles);

/// The style sheet of the page.
std::string_view page_style();

}  // namespace conflux
