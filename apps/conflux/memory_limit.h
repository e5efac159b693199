// How much memory a fit needs and may have.

#pragma once

#include <string>

#include "conflux/core/index.h"

namespace conflux::app {

/// Bytes that a fit of rows x features needs: the rows and the copy that layers move; in single
/// precision layers move the rows themselves.
double memory_of_fit(Index rows, Index features, bool single);
/// Throws InvalidData that says how much is needed and what to do, unless `limit` is 0.
void check_memory(double needed, double limit);
/// "1.5 GB"
std::string bytes_text(double bytes);
/// Reads "4G", "500M", "1e9"; throws InvalidOption. Empty: what the machine has.
double bytes_from_text(const std::string& text);

}  // namespace conflux::app
