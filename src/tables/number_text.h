// Numbers as text, the same in every locale.

#pragma once

#include <string>
#include <string_view>

namespace conflux {

/// Reads the longest plain decimal number (1, -1.5, +2, 1e-3, .5) at the beginning of a text and
/// returns where it ends; nullptr when there is none or it is too large for a double.
const char* read_decimal(const char* begin, const char* end, double& value);

/// Whether a whole cell is a number: a decimal, inf or infinity, blanks around it allowed.
bool parse_number(std::string_view cell, double& value);

/// The same for numbers with a comma before their decimals; a point would separate thousands, so a
/// cell that has one is no number.
bool parse_comma_number(std::string_view cell, double& value);

/// The fewest digits that read back to the same bits.
void append_number(std::string& text, double value);

std::string_view without_blanks(std::string_view cell);

}  // namespace conflux
