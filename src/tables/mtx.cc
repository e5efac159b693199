#include "tables/mtx.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conflux/core/error.h"
#include "tables/mtx_names.h"
#include "tables/number_text.h"

namespace conflux {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMtxAgain = "write the file again, say with scipy.io.mmwrite.";
constexpr std::string_view kBarcode = "barcode";
constexpr std::string_view kExpression = "Gene Expression";
// More rows than this are taken for a damaged header.
constexpr Index kMostRows = Index{1} << 40;

struct Entry {
  Index row = 0;
  Index col = 0;
  double value = 1;
};

/// The entries of a file one after the other, as rows and columns of the matrix.
class EntryReader {
 public:
  explicit EntryReader(const ByteSource& source) : name_(source.name()), lines_(source.stream()) {
    read_banner();
    read_sizes();
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// As announced; next() checks it.
  Index count() const { return count_; }

  bool next(Entry& entry) {
    std::string_view line;
    do {
      if (!lines_.next(line)) {
        if (read_ == count_) return false;
        fail(fmt::format("the file ends after {} of {} entries", read_, count_));
      }
      line = without_blanks(line);
    } while (line.empty() || line.starts_with('%'));
    if (read_ == count_)
      fail(fmt::format("there are more than the {} entries of the head", count_));
    ++read_;
    const char* at = line.data();
    const char* const end = at + line.size();
    entry.row = position(at, end, rows_) - 1;
    entry.col = position(at, end, cols_) - 1;
    entry.value = 1;
    if (!pattern_) entry.value = value_of({at, static_cast<std::size_t>(end - at)});
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InvalidData(fmt::format("{}, line {}: {}; {}", name_, lines_.number(), what, kMtxAgain));
  }

 private:
  void read_banner() {
    std::string_view line;
    if (!lines_.next(line) || !line.starts_with("%%MatrixMarket")) {
      throw InvalidData(fmt::format(
          "{} is no Matrix Market file, which begins with %%MatrixMarket; name its format.",
          name_));
    }
    std::string banner(line);
    for (char& c : banner) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto says = [&](std::string_view word) { return banner.find(word) != banner.npos; };
    if (!says(" coordinate") || !says(" general") || says(" complex")) {
      fail(
          fmt::format("the matrix is \"{}\", but only \"coordinate real|integer|pattern general\" "
                      "is read",
                      shown(line)));
    }
    pattern_ = says(" pattern");
  }

  void read_sizes() {
    std::string_view line;
    do {
      if (!lines_.next(line)) fail("there is no line with the sizes of the matrix");
      line = without_blanks(line);
    } while (line.empty() || line.starts_with('%'));
    const char* at = line.data();
    const char* const end = at + line.size();
    rows_ = position(at, end, kMostRows);
    cols_ = position(at, end, kMostRows);
    count_ = at == end || rows_ < 1 ? -1 : position(at, end, kMostRows, 0);
    if (count_ < 0) fail("the sizes of the matrix are no three numbers");
  }

  Index position(const char*& at, const char* end, Index most, Index least = 1) const {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    Index out = -1;
    const auto [stop, error] = std::from_chars(at, end, out);
    if (error != std::errc() || out < least || out > most ||
        (stop != end && *stop != ' ' && *stop != '\t')) {
      fail(fmt::format("\"{}\" is no whole number from {} to {}",
                       shown({at, static_cast<std::size_t>(end - at)}), least, most));
    }
    at = stop;
    return out;
  }

  double value_of(std::string_view text) const {
    double value = 0;
    if (!parse_number(text, value) || !std::isfinite(value)) {
      fail(fmt::format("the value is \"{}\", which is no finite number", shown(text)));
    }
    return value;
  }

  std::string name_;
  LineReader lines_;
  bool pattern_ = false;
  Index rows_ = 0;
  Index cols_ = 0;
  Index count_ = 0;
  Index read_ = 0;
};

/// Which side the cells are on, and what columns are called.
struct MtxLayout {
  bool cells_are_columns = false;
  Index cells = 0;
  /// Column of the table by feature of the file; -1 for one that is left out.
  std::vector<Index> columns;
  std::vector<std::string> features;
  std::vector<std::string> barcodes;
  std::vector<std::string> notes;
};

bool suits(const std::optional<std::vector<std::string>>& names, Index count) {
  return !names || static_cast<Index>(names->size()) == count;
}

bool cells_on_columns(const MtxNames& names, Index rows, Index cols, const std::string& name) {
  if (!names.barcodes && !names.features) return false;
  if (suits(names.features, rows) && suits(names.barcodes, cols)) return true;
  if (suits(names.features, cols) && suits(names.barcodes, rows)) return false;
  throw InvalidData(fmt::format(
      "{} is a matrix of {} x {}, but beside it are {} features and {} barcodes; put the files of "
      "one sample into one folder.",
      name, rows, cols, names.features ? fmt::format("{}", names.features->size()) : "no",
      names.barcodes ? fmt::format("{}", names.barcodes->size()) : "no"));
}

void take_features(MtxLayout& layout, const MtxNames& names, Index count, const std::string& name) {
  if (count > kMostColumns) {
    throw InvalidData(
        fmt::format("{} has {} features, more than {}; {}", name, count, kMostColumns, kMtxAgain));
  }
  // Antibodies and other types have other distributions; they are features only if named.
  const bool mixed = std::count(names.types.begin(), names.types.end(), kExpression) > 0 &&
                     std::any_of(names.types.begin(), names.types.end(),
                                 [](const std::string& type) { return type != kExpression; });
  DifferentNames different;
  different.take(std::string(kBarcode), "");
  Index left_out = 0;
  for (Index j = 0; j < count; ++j) {
    if (mixed && names.types[j] != kExpression) {
      layout.columns.push_back(-1);
      ++left_out;
      continue;
    }
    layout.columns.push_back(static_cast<Index>(layout.features.size()));
    layout.features.push_back(
        different.take(names.features ? (*names.features)[j] : unnamed_column(j), "X:"));
  }
  if (left_out > 0) {
    layout.notes.push_back(
        fmt::format("{}: {} features that are no {} are left out", name, left_out, kExpression));
  }
}

MtxLayout layout_of(const ByteSource& source, Index rows, Index cols) {
  const MtxNames names = source.path().empty() ? MtxNames{} : names_beside(source.path());
  MtxLayout out;
  out.cells_are_columns = cells_on_columns(names, rows, cols, source.name());
  out.cells = out.cells_are_columns ? cols : rows;
  take_features(out, names, out.cells_are_columns ? rows : cols, source.name());
  if (names.barcodes) out.barcodes = *names.barcodes;
  if (!names.barcodes && !names.features) {
    out.notes.push_back(fmt::format(
        "{}: no barcodes.tsv and features.tsv beside it; the rows of the matrix are the rows",
        source.name()));
  } else if (rows == cols) {
    out.notes.push_back(fmt::format(
        "{}: the matrix is square; its columns are taken for the cells, as 10x Genomics writes it",
        source.name()));
  }
  return out;
}

class MtxReader final : public SparseReader {
 public:
  explicit MtxReader(const ByteSource& source) : name_(source.name()) {
    ByteSource again = source;
    again.hold();
    EntryReader first(again);
    layout_ = layout_of(again, first.rows(), first.cols());
    refuse_empty_rows(first.count());
    if (!layout_.barcodes.empty()) others_ = {{std::string(kBarcode), ColumnType::kText}};
    if (comes_by_cell(first)) {
      stream_ = std::make_unique<EntryReader>(again);
      advance();
    } else {
      sort_in_memory(again);
    }
  }

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& features() const override { return layout_.features; }
  const TableSchema& others() const override { return others_; }
  std::vector<std::string> notes() const override { return layout_.notes; }

  Index read(SparseBlock& rows, Table& table, Index first_other, Index max_rows) override {
    const Index count = std::min(max_rows, layout_.cells - done_);
    for (Index i = 0; i < count; ++i, ++done_) {
      stream_ ? stream_row(rows) : kept_row(rows);
      rows.end_row();
      if (others_.empty()) continue;
      table.columns[static_cast<std::size_t>(first_other)].text.push_back(layout_.barcodes[done_]);
    }
    return std::max<Index>(count, 0);
  }

 private:
  Index cell_of(const Entry& entry) const {
    return layout_.cells_are_columns ? entry.col : entry.row;
  }
  Index column_of(const Entry& entry) const {
    return layout_.columns[layout_.cells_are_columns ? entry.row : entry.col];
  }

  // Rows that nothing names are believed only as far as there is something in them.
  void refuse_empty_rows(Index count) const {
    if (!layout_.barcodes.empty() || layout_.cells <= 100 + 100 * count) return;
    throw InvalidData(fmt::format(
        "{}: the header announces {} entries for {} rows, which leaves most rows empty; {}", name_,
        count, layout_.cells, kMtxAgain));
  }

  // A file that goes gene by gene comes back to an earlier cell within its first genes.
  bool comes_by_cell(EntryReader& entries) const {
    Entry entry;
    Index last = 0;
    for (Index k = 0; k < 4 * layout_.cells + 1000 && entries.next(entry); ++k) {
      if (cell_of(entry) < last) return false;
      last = cell_of(entry);
    }
    return true;
  }

  void advance() {
    const Index last = has_next_ ? cell_of(next_) : 0;
    has_next_ = stream_->next(next_);
    if (!has_next_ || cell_of(next_) >= last) return;
    stream_->fail(
        fmt::format("cell {} comes after cell {}, but the entries before came cell by cell",
                    cell_of(next_) + 1, last + 1));
  }

  void stream_row(SparseBlock& rows) {
    for (; has_next_ && cell_of(next_) == done_; advance()) {
      if (column_of(next_) >= 0) rows.add(column_of(next_), next_.value);
    }
  }

  void sort_in_memory(const ByteSource& source) {
    std::vector<Entry> entries;
    EntryReader all(source);
    for (Entry entry; all.next(entry);) entries.push_back(entry);
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const Entry& a, const Entry& b) { return cell_of(a) < cell_of(b); });
    std::size_t k = 0;
    for (Index cell = 0; k < entries.size(); ++cell) {
      for (; k < entries.size() && cell_of(entries[k]) == cell; ++k) {
        if (column_of(entries[k]) >= 0) kept_.add(column_of(entries[k]), entries[k].value);
      }
      kept_.end_row();
    }
    layout_.notes.push_back(fmt::format(
        "{}: its entries do not come cell by cell, so all of them are kept in memory", name_));
  }

  void kept_row(SparseBlock& rows) const {
    if (done_ >= kept_.rows()) return;
    for (Index k = kept_.starts[done_]; k < kept_.starts[done_ + 1]; ++k) {
      rows.add(kept_.columns[k], kept_.values[k]);
    }
  }

  std::string name_;
  MtxLayout layout_;
  TableSchema others_;
  std::unique_ptr<EntryReader> stream_;
  Entry next_;
  bool has_next_ = false;
  SparseBlock kept_;
  Index done_ = 0;
};

std::vector<fs::path> matrices_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".mtx") || name.ends_with(".mtx.gz") || name.ends_with(".mtx.zst")) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::filesystem::path matrix_in_folder(const std::filesystem::path& folder) {
  std::vector<fs::path> found = matrices_in(folder);
  if (found.empty()) {
    std::vector<fs::path> below;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.is_directory(ignored)) below.push_back(entry.path());
    }
    if (below.size() == 1) found = matrices_in(below.front());
  }
  for (const fs::path& path : found) {
    if (path.filename().string().starts_with("matrix.mtx")) return path;
  }
  if (found.size() == 1) return found.front();
  const std::string holds = found.empty() ? "" : fmt::format(" with {} .mtx files", found.size());
  throw InvalidOption(
      fmt::format("{} is a folder{}; name a file in it, or a folder with one matrix.mtx.",
                  folder.string(), holds));
}

const TableFormat kMtxFormat = {
    "mtx", [](std::string_view name) { return name.ends_with(".mtx"); },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<TableReader> {
      return dense_table(std::make_unique<MtxReader>(source));
    },
    [](std::unique_ptr<OutputStream>, std::string_view,
       const TableOptions&) -> std::unique_ptr<TableWriter> {
      throw InvalidOption(
          ".mtx files are read, not written, because moved rows have no zeros to leave out; write "
          ".csv, .npy or .npz.");
    },
    [](const ByteSource& source, const TableOptions&) -> std::unique_ptr<SparseReader> {
      return std::make_unique<MtxReader>(source);
    }};

}  // namespace conflux
