// Streams that undo compression.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "files/input_stream.h"

namespace conflux {

/// Whether a file that begins like this is compressed.
bool is_gzip(std::string_view head);
bool is_zstd(std::string_view head);

/// The bytes that were compressed. Reading throws InvalidData, which calls the file `name`, for
/// damaged or truncated data.
std::unique_ptr<InputStream> undo_gzip(std::unique_ptr<InputStream> packed, std::string name);
std::unique_ptr<InputStream> undo_zstd(std::unique_ptr<InputStream> packed, std::string name);

}  // namespace conflux
