#include "tables/fcs_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "conflux/core/error.h"
#include "tables/fcs_channels.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

std::uint64_t position_in(std::string_view header, std::size_t field, const std::string& name) {
  const std::string_view digits = without_blanks(header.substr(10 + 8 * field, 8));
  if (digits.empty()) return 0;
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw InvalidData(fmt::format("{}: position {} of the FCS header is \"{}\", not a number; {}",
                                  name, field + 1, digits, kFcsAgain));
  }
  return out;
}

/// Finds the events: the header and the text both tell where they are, and may be wrong.
class DataFinder {
 public:
  DataFinder(const FcsHeader& header, const FcsText& text, std::uint64_t row_bytes,
             std::uint64_t file_size, const std::string& name)
      : name_(name), file_size_(file_size), row_bytes_(row_bytes) {
    in_header_ = header.data;
    in_text_ = {whole_keyword(text, "$BEGINDATA", 0, name),
                whole_keyword(text, "$ENDDATA", 0, name)};
    if (!in_text_.told()) in_text_ = in_header_;
    if (!in_header_.told()) in_header_ = in_text_;
    const std::string* total = text.find("$TOT");
    if (total != nullptr && !without_blanks(*total).empty()) {
      events_ = whole_keyword(text, "$TOT", std::nullopt, name);
    }
  }

  FcsEvents find() const {
    if (events_ == 0) return {};
    if (!events_) return without_total();
    const bool fits = *events_ <= file_size_ / row_bytes_;
    // Some programs tell the byte behind the last one.
    for (const std::uint64_t beyond : {0, 1}) {
      for (const FcsSegment& place : {in_text_, in_header_}) {
        if (!fits || place.size() != *events_ * row_bytes_ + beyond || !inside(place)) continue;
        return {place.begin, static_cast<Index>(*events_), difference(place)};
      }
    }
    // Data that are followed by something else.
    if (fits && in_text_.begin == in_header_.begin && inside(in_text_) &&
        std::max(in_text_.size(), in_header_.size()) > *events_ * row_bytes_) {
      return {in_text_.begin, static_cast<Index>(*events_), difference(in_text_)};
    }
    throw InvalidData(fmt::format(
        "{}: $TOT announces {} events of {} bytes, but the data are at bytes {} to {}{} of a file "
        "of {} bytes; {}",
        name_, *events_, row_bytes_, in_text_.begin, in_text_.end,
        in_text_ == in_header_
            ? ""
            : fmt::format(" (text) or {} to {} (header)", in_header_.begin, in_header_.end),
        file_size_, kFcsAgain));
  }

 private:
  bool inside(const FcsSegment& place) const {
    const std::uint64_t needed = events_.value_or(0) * row_bytes_;
    return place.told() && place.begin >= kFcsHeaderSize && place.begin <= file_size_ &&
           needed <= file_size_ - place.begin;
  }

  FcsEvents without_total() const {
    const FcsSegment& place = in_text_;
    if (!place.told()) return {};
    if (!inside(place) || place.end > file_size_ || place.size() % row_bytes_ > 1) {
      throw InvalidData(
          fmt::format("{}: the data are at bytes {} to {} of a file of {} bytes, which does not "
                      "divide into events of {} bytes; {}",
                      name_, place.begin, place.end, file_size_, row_bytes_, kFcsAgain));
    }
    return {place.begin, static_cast<Index>(place.size() / row_bytes_), difference(place)};
  }

  std::string difference(const FcsSegment& believed) const {
    if (in_text_ == in_header_) return "";
    return fmt::format(
        "{}: the header tells of data in bytes {} to {}, the text in {} to {}; read from byte {} "
        "on, where the {} events fit",
        name_, in_header_.begin, in_header_.end, in_text_.begin, in_text_.end, believed.begin,
        events_ ? fmt::format("{}", *events_) : "");
  }

  const std::string& name_;
  std::uint64_t file_size_;
  std::uint64_t row_bytes_;
  FcsSegment in_header_;
  FcsSegment in_text_;
  std::optional<std::uint64_t> events_;
};

}  // namespace

FcsHeader read_fcs_header(const RandomAccess& file, const std::string& name) {
  std::string bytes(std::min<std::uint64_t>(file.size(), kFcsHeaderSize), '\0');
  file.read_at(0, bytes.data(), bytes.size());
  if (bytes.size() < kFcsHeaderSize || !bytes.starts_with("FCS")) {
    throw InvalidData(fmt::format(
        "{} is not an FCS file, which begins with FCS and a version; name its format.", name));
  }
  FcsHeader out;
  out.version = bytes.substr(3, 3);
  const std::vector<std::string> known = {"2.0", "3.0", "3.1", "3.2"};
  if (std::find(known.begin(), known.end(), out.version) == known.end()) {
    throw InvalidData(fmt::format(
        "{}: this is FCS {}; versions 2.0 to 3.1 can be read: export the file as FCS 3.1.", name,
        shown(out.version)));
  }
  out.text = {position_in(bytes, 0, name), position_in(bytes, 1, name)};
  out.data = {position_in(bytes, 2, name), position_in(bytes, 3, name)};
  return out;
}

FcsEvents find_events(const FcsHeader& header, const FcsText& text, std::uint64_t row_bytes,
                      std::uint64_t file_size, const std::string& name) {
  return DataFinder(header, text, row_bytes, file_size, name).find();
}

}  // namespace conflux
