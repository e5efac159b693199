// Where an FCS file has its text and its events.

#pragma once

#include <cstdint>
#include <string>

#include "files/input_stream.h"
#include "tables/fcs_text.h"

namespace conflux {

/// The version, four blanks, and six positions of eight characters.
constexpr std::size_t kFcsHeaderSize = 58;

/// What to do about a damaged file.
constexpr std::string_view kFcsAgain = "copy or export the file again.";

/// First and last byte of a segment; both 0 if it is absent.
struct FcsSegment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool told() const { return begin > 0 && end >= begin; }
  std::uint64_t size() const { return end - begin + 1; }
  bool operator==(const FcsSegment&) const = default;
};

struct FcsHeader {
  std::string version;
  FcsSegment text;
  FcsSegment data;
};

/// Throws InvalidData that calls the file `name`.
FcsHeader read_fcs_header(const RandomAccess& file, const std::string& name);

struct FcsEvents {
  std::uint64_t begin = 0;
  Index rows = 0;
  /// Not empty: header and text differ, a sentence for users.
  std::string note;
};

/// The header and the text both give the place of the events, and may be wrong: the one that fits
/// the number of events is used. Throws InvalidData if neither does.
FcsEvents find_events(const FcsHeader& header, const FcsText& text, std::uint64_t row_bytes,
                      std::uint64_t file_size, const std::string& name);

}  // namespace conflux
