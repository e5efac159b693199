#include "tables/fcs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "conflux/core/error.h"
#include "files/piece.h"
#include "tables/fcs_channels.h"
#include "tables/fcs_layout.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

// Longer texts are taken for damaged headers.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 28;

std::string text_at(const RandomAccess& file, const FcsSegment& place, std::string_view what,
                    const std::string& name) {
  if (!place.told() || place.end >= file.size() || place.size() > kMostText) {
    throw InvalidData(
        fmt::format("{}: the header places {} at bytes {} to {}, but the file has {} bytes; {}",
                    name, what, place.begin, place.end, file.size(), kFcsAgain));
  }
  std::string out(place.size(), '\0');
  file.read_at(place.begin, out.data(), out.size());
  return out;
}

FcsText read_text(const RandomAccess& file, const FcsHeader& header, const std::string& name) {
  FcsText out;
  out.add_segment(text_at(file, header.text, "the text segment", name));
  const FcsSegment more = {whole_keyword(out, "$BEGINSTEXT", 0, name),
                           whole_keyword(out, "$ENDSTEXT", 0, name)};
  // Some programs name the first text segment again.
  if (more.told() && more.begin != header.text.begin) {
    out.add_segment(text_at(file, more, "the second text segment", name));
  }
  return out;
}

char data_type(const FcsText& text, const std::string& name) {
  const auto letter = [&](const char* keyword, char missing) {
    const std::string* value = text.find(keyword);
    const std::string word = value == nullptr ? "" : upper_case(without_blanks(*value));
    return word.size() == 1 ? word.front() : word.empty() ? missing : '?';
  };
  const char mode = letter("$MODE", 'L');
  if (mode != 'L') {
    throw InvalidData(fmt::format(
        "{}: $MODE is {}, a histogram; export the file as a list of events (mode L).", name, mode));
  }
  const char type = letter("$DATATYPE", '?');
  if (type == 'I' || type == 'F' || type == 'D') return type;
  throw InvalidData(fmt::format(
      "{}: $DATATYPE is {}; I, F and D can be read: export the file as FCS 3.1 with floating-point "
      "values.",
      name, type == '?' ? "missing or unknown" : std::string(1, type)));
}

/// places[k] is the position of byte k of a stored value among its bytes from the lowest on.
using ByteOrder = std::vector<std::size_t>;

ByteOrder byte_order(const FcsText& text, const std::string& name) {
  const std::string* value = text.find("$BYTEORD");
  ByteOrder out;
  for (const char c : value == nullptr ? std::string("1,2,3,4") : *value) {
    if (c >= '1' && c <= '8') out.push_back(static_cast<std::size_t>(c - '1'));
  }
  ByteOrder sorted = out;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] != k) sorted.clear();
  }
  if (!sorted.empty()) return out;
  throw InvalidData(fmt::format("{}: $BYTEORD is \"{}\", not an order like 1,2,3,4; {}", name,
                                value == nullptr ? "" : shown(*value), kFcsAgain));
}

// The byte order of values of another width than the announced one.
ByteOrder order_for(const ByteOrder& order, std::size_t bytes, const std::string& name) {
  if (order.size() == bytes) return order;
  ByteOrder out(bytes);
  const bool little = std::is_sorted(order.begin(), order.end());
  const bool big = std::is_sorted(order.rbegin(), order.rend());
  if (!little && !big && bytes > 1) {
    throw InvalidData(fmt::format("{}: $BYTEORD names {} bytes, but values have {}; {}", name,
                                  order.size(), bytes, kFcsAgain));
  }
  for (std::size_t k = 0; k < bytes; ++k) out[k] = little ? k : bytes - 1 - k;
  return out;
}

// One stored value; `bytes` at most 8.
std::uint64_t gather_bytes(const char* from, const ByteOrder& order) {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    out |= static_cast<std::uint64_t>(static_cast<unsigned char>(from[k])) << (8 * order[k]);
  }
  return out;
}

double number_of(std::uint64_t bits, char type, std::uint64_t mask) {
  if (type == 'F') return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == 'D') return std::bit_cast<double>(bits);
  return static_cast<double>(bits & mask);
}

class FcsReader : public TableReader {
 public:
  FcsReader(const ByteSource& source, const TableOptions& options)
      : name_(source.name()), file_(source.random_access()), stored_(options.stored_values) {
    const FcsHeader header = read_fcs_header(*file_, name_);
    FcsText text = read_text(*file_, header, name_);
    type_ = data_type(text, name_);
    channels_ = fcs_channels(text, type_, name_);
    for (std::string& name : column_names(channels_, options.short_names, name_)) {
      schema_.push_back({std::move(name), ColumnType::kNumeric});
    }
    const ByteOrder order = byte_order(text, name_);
    for (const FcsChannel& channel : channels_) {
      orders_.push_back(order_for(order, channel.bytes, name_));
      row_bytes_ += channel.bytes;
    }
    refuse_mixed_types(text);
    place_ = find_events(header, text, row_bytes_, file_->size(), name_);
    refuse_cut_checksum();
    if (!options.uncompensated && !stored_) {
      compensation_ = compensation_of(text, channels_, name_);
    }
    take_notes(text);
    extras_ = std::make_shared<const FileExtras>(
        FileExtras{"fcs", keywords_of_values(std::move(text)), clocks()});
  }

  const TableSchema& schema() override { return schema_; }
  std::vector<std::string> notes() override { return notes_; }

  bool read(Table& block, Index max_rows) override {
    start_block(block, schema_, name_, done_, max_rows);
    block.extras = extras_;
    const Index count = std::min(max_rows, place_.rows - done_);
    const auto piece_rows = static_cast<Index>(std::max<std::size_t>(1, kPiece / row_bytes_));
    for (Index first = 0; first < count; first += piece_rows) {
      read_piece(block, std::min(piece_rows, count - first));
    }
    if (compensation_) compensate(block);
    return count > 0;
  }

 private:
  void refuse_mixed_types(const FcsText& text) const {
    for (Index k = 1; k <= static_cast<Index>(channels_.size()); ++k) {
      const std::string* type = text.find(channel_keyword(k, "DATATYPE"));
      if (type == nullptr || upper_case(without_blanks(*type)) == std::string(1, type_)) continue;
      throw InvalidData(fmt::format(
          "{}: channel {} has a type of its own ($P{}DATATYPE, FCS 3.2); export the file as FCS "
          "3.1.",
          name_, k, k));
    }
  }

  // Eight characters follow the data of most files; fewer are what remains of a truncated file.
  void refuse_cut_checksum() const {
    const std::uint64_t end = place_.begin + row_bytes_ * static_cast<std::uint64_t>(place_.rows);
    const std::uint64_t rest = place_.rows > 0 && end < file_->size() ? file_->size() - end : 0;
    if (rest == 0 || rest >= 8) return;
    std::string bytes(rest, '\0');
    file_->read_at(end, bytes.data(), bytes.size());
    if (bytes.find_first_not_of('0') != bytes.npos) return;
    throw InvalidData(fmt::format("{}: the file ends within its checksum; {}", name_, kFcsAgain));
  }

  void take_notes(const FcsText& text) {
    if (!place_.note.empty()) notes_.push_back(place_.note);
    if (compensation_) {
      notes_.push_back(fmt::format("{}: compensated by its {} ({} channels)", name_,
                                   compensation_->keyword, compensation_->channels.size()));
    }
    if (whole_keyword(text, "$NEXTDATA", 0, name_) != 0) {
      notes_.push_back(fmt::format("{}: only the first of its data sets is read", name_));
    }
  }

  // Compensation is undone here, so it is renamed: later readers must not undo it again.
  FileKeywords keywords_of_values(FcsText text) const {
    if (compensation_) text.rename(compensation_->keyword, "CONFLUX UNDONE SPILLOVER");
    for (Index k = 1; k <= static_cast<Index>(channels_.size()) && !stored_; ++k) {
      const FcsChannel& channel = channels_[static_cast<std::size_t>(k - 1)];
      text.set(channel_keyword(k, "E"), "0,0");
      if (channel.gain != 1) text.set(channel_keyword(k, "G"), "1");
      if (channel.step != 1) text.set("$TIMESTEP", "1");
    }
    return text.all();
  }

  // The time of an event is no property of the cell.
  FileKeywords clocks() const {
    FileKeywords out;
    for (std::size_t k = 0; k < channels_.size(); ++k) {
      if (!channels_[k].clock()) continue;
      out.emplace_back(schema_[k].name, "because it is the time of the measurement");
    }
    return out;
  }

  void read_piece(Table& block, Index rows) {
    piece_.resize(row_bytes_ * static_cast<std::size_t>(rows));
    file_->read_at(place_.begin + row_bytes_ * static_cast<std::uint64_t>(done_), piece_.data(),
                   piece_.size());
    std::size_t offset = 0;
    for (std::size_t k = 0; k < channels_.size(); ++k) {
      const FcsChannel& channel = channels_[k];
      std::vector<double>& numbers = block.columns[k].numbers;
      const char* at = piece_.data() + offset;
      for (Index i = 0; i < rows; ++i, at += row_bytes_) {
        const double value = number_of(gather_bytes(at, orders_[k]), type_, channel.mask);
        numbers.push_back(stored_ ? value : channel.measured(value));
      }
      offset += channel.bytes;
    }
    done_ += rows;
  }

  void compensate(Table& block) const {
    const auto n = static_cast<Index>(compensation_->channels.size());
    Matrix rows(block.num_rows(), n);
    for (Index k = 0; k < n; ++k) {
      const auto& numbers = block.columns[compensation_->channels[k]].numbers;
      for (Index i = 0; i < rows.rows(); ++i) rows(i, k) = numbers[i];
    }
    // Row by row, so that blocks of any size have the same bits.
    Vector row(n);
    for (Index i = 0; i < rows.rows(); ++i) {
      row.setZero();
      for (Index k = 0; k < n; ++k) row += rows(i, k) * compensation_->undo.row(k).transpose();
      for (Index k = 0; k < n; ++k) {
        block.columns[compensation_->channels[k]].numbers[i] = row(k);
      }
    }
  }

  std::string name_;
  std::shared_ptr<const RandomAccess> file_;
  bool stored_;
  char type_ = 'F';
  std::vector<FcsChannel> channels_;
  std::vector<ByteOrder> orders_;
  std::size_t row_bytes_ = 0;
  FcsEvents place_;
  std::optional<Compensation> compensation_;
  std::shared_ptr<const FileExtras> extras_;
  TableSchema schema_;
  std::vector<std::string> notes_;
  Index done_ = 0;
  std::vector<char> piece_;
};

}  // namespace

const TableFormat kFcsFormat = {
    "fcs", [](std::string_view name) { return name.ends_with(".fcs"); },
    [](const ByteSource& source, const TableOptions& options) -> std::unique_ptr<TableReader> {
      return std::make_unique<FcsReader>(source, options);
    },
    [](std::unique_ptr<OutputStream> out, std::string_view, const TableOptions& options)
        -> std::unique_ptr<TableWriter> { return write_fcs(std::move(out), options); }};

}  // namespace conflux
