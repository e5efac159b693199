// Name that a page gives to an uploaded file: for people to read, and never a path.

#pragma once

#include <string>
#include <string_view>

namespace conflux::app {

/// The name behind its percent signs, without folders. Bytes that are no UTF-8 or control something
/// are replaced, and a name that is empty or too long is cut to something that can be shown.
std::string uploaded_name(std::string_view encoded);

/// Endings that identify the format: up to two of small letters and digits, ".csv.gz"; may be
/// empty.
std::string ending_of(std::string_view name);

}  // namespace conflux::app
