#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conflux/core/error.h"
#include "tables/binary_array.h"
#include "tables/fcs.h"
#include "tables/fcs_channels.h"
#include "tables/fcs_layout.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

// Positions in the header have eight digits.
constexpr std::uint64_t kMostInHeader = 99999999;
// Usual range of floating-point channels, for programs that expect one.
constexpr const char* kUsualRange = "262144";
// Checksum: none.
constexpr std::string_view kTail = "00000000";

// Numbers that are known last have room for the largest of them.
std::string padded(std::uint64_t number) { return fmt::format("{:020}", number); }

// $P12N as channel 12 and N; 0 for other keywords.
std::pair<Index, std::string> parse_channel_keyword(const std::string& keyword) {
  const std::string upper = upper_case(keyword);
  if (!upper.starts_with("$P")) return {0, ""};
  std::size_t end = 2;
  while (end < upper.size() && end < 9 && upper[end] >= '0' && upper[end] <= '9') ++end;
  if (end == 2 || end == upper.size()) return {0, ""};
  return {std::stol(upper.substr(2, end - 2)), upper.substr(end)};
}

/// The channels in keywords, by the names that columns have.
std::map<std::string, Index> known_channels(const FcsText& text) {
  std::uint64_t count = 0;
  try {
    count = whole_keyword(text, "$PAR", 0, "");
  } catch (const InvalidData&) {
    return {};
  }
  count = std::min<std::uint64_t>(count, text.all().size());
  std::map<std::string, Index> out;
  for (const char* what : {"S", "N"}) {
    for (Index k = 1; k <= static_cast<Index>(count); ++k) {
      const std::string* name = text.find(channel_keyword(k, what));
      if (name != nullptr) out.try_emplace(std::string(without_blanks(*name)), k);
    }
  }
  return out;
}

/// The keywords of a file for other columns: those of columns that are gone are left out, those of
/// the others get their new numbers.
FcsText renumbered(const FcsText& from, const TableSchema& schema) {
  const std::map<std::string, Index> known = known_channels(from);
  std::map<Index, Index> places;
  for (std::size_t j = 0; j < schema.size(); ++j) {
    const auto found = known.find(schema[j].name);
    if (found != known.end()) places.try_emplace(found->second, static_cast<Index>(j + 1));
  }
  FcsText out;
  for (const auto& [keyword, value] : from.all()) {
    const auto [channel, what] = parse_channel_keyword(keyword);
    if (channel == 0) {
      out.set(keyword, value);
    } else if (const auto place = places.find(channel); place != places.end()) {
      out.set(channel_keyword(place->second, what), value);
    }
  }
  return out;
}

void describe_channel(FcsText& text, Index k, const std::string& column, bool single) {
  text.set(channel_keyword(k, "B"), single ? "32" : "64");
  text.erase(channel_keyword(k, "DATATYPE"));
  if (text.find(channel_keyword(k, "E")) == nullptr) text.set(channel_keyword(k, "E"), "0,0");
  if (text.find(channel_keyword(k, "R")) == nullptr) text.set(channel_keyword(k, "R"), kUsualRange);
  if (text.find(channel_keyword(k, "N")) != nullptr) return;
  // Short names must not have commas, because lists of them do.
  const bool plain = column.find(',') == column.npos && !without_blanks(column).empty();
  text.set(channel_keyword(k, "N"), plain ? column : fmt::format("P{}", k));
  if (!plain && !column.empty()) text.set(channel_keyword(k, "S"), column);
}

FcsText text_for(const Table& block, bool single) {
  const TableSchema schema = block.schema();
  const bool kept = block.extras && block.extras->format == "fcs";
  FcsText out = renumbered(kept ? FcsText(block.extras->keywords) : FcsText(), schema);
  for (const char* keyword : {"$BEGINANALYSIS", "$ENDANALYSIS", "$BEGINSTEXT", "$ENDSTEXT"}) {
    out.set(keyword, "0");
  }
  out.set("$NEXTDATA", "0");
  out.set("$MODE", "L");
  out.set("$BYTEORD", "1,2,3,4");
  out.set("$DATATYPE", single ? "F" : "D");
  out.set("$PAR", fmt::format("{}", schema.size()));
  for (std::size_t j = 0; j < schema.size(); ++j) {
    describe_channel(out, static_cast<Index>(j + 1), schema[j].name, single);
  }
  return out;
}

class FcsWriter : public TableWriter {
 public:
  FcsWriter(std::unique_ptr<OutputStream> out, bool single)
      : stream_(std::move(out)), single_(single) {}

  void write(const Table& block) override {
    if (schema_.empty()) begin(block);
    require_schema(schema_, block);
    write_rows(block.columns, single_, [&](std::string_view bytes) { out_->write(bytes); });
    rows_ += static_cast<std::uint64_t>(block.num_rows());
  }

  void close() override {
    if (!out_) require_numeric({}, "FCS");
    out_->write(kTail);
    out_->close(head());
  }

 private:
  void begin(const Table& block) {
    schema_ = block.schema();
    require_numeric(schema_, "FCS");
    text_ = text_for(block, single_);
    const std::size_t size = head().size();
    if (size > kMostInHeader) {
      throw InvalidData("the keywords are longer than an FCS file can tell; write another format.");
    }
    out_ = std::make_unique<HeadedOutput>(std::move(stream_), size);
  }

  // As long with any number of rows.
  std::string head() {
    const std::uint64_t row_bytes = schema_.size() * (single_ ? 4 : 8);
    const auto set_places = [&](std::uint64_t begin) {
      text_.set("$BEGINDATA", padded(begin));
      text_.set("$ENDDATA", padded(begin + rows_ * row_bytes - (rows_ > 0 ? 1 : 0)));
      text_.set("$TOT", padded(rows_));
    };
    set_places(0);
    const std::uint64_t begin = kFcsHeaderSize + text_.segment().size();
    set_places(begin);
    const std::uint64_t end = begin + rows_ * row_bytes - (rows_ > 0 ? 1 : 0);
    const bool short_enough = end <= kMostInHeader;
    return fmt::format("FCS3.1    {:8}{:8}{:8}{:8}{:8}{:8}", kFcsHeaderSize, begin - 1,
                       short_enough ? begin : 0, short_enough ? end : 0, 0, 0) +
           text_.segment();
  }

  std::unique_ptr<OutputStream> stream_;
  bool single_;
  std::unique_ptr<HeadedOutput> out_;
  FcsText text_;
  TableSchema schema_;
  std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWriter> write_fcs(std::unique_ptr<OutputStream> out,
                                       const TableOptions& options) {
  return std::make_unique<FcsWriter>(std::move(out), options.single_precision);
}

}  // namespace conflux
