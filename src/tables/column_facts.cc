#include "tables/column_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>

#include "conflux/core/error.h"
#include "conflux/core/parallel.h"
#include "tables/number_text.h"
#include "tables/table_format.h"

namespace conflux {

namespace {

// Tables with very many columns remember fewer values of each: this many in all, about 64 MB.
constexpr Index kMostRemembered = Index{1} << 21;
constexpr Index kFewestDistinct = 64;
// A column of mixed cells counts as numeric from this share of numbers on. Columns of codes in
// which some codes look like numbers ("3", "3a", "B") stay below it.
constexpr double kNumericShare = 0.9;

Index distinct_limit(std::size_t columns) {
  const Index share = kMostRemembered / std::max<Index>(1, static_cast<Index>(columns));
  return std::clamp(share, kFewestDistinct, kMostDistinct);
}

std::size_t hash_of(std::uint64_t bits, int width) {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the value.
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>((bits * kFactor) >> (64 - width));
}

// Counts cells by their number in an open hash table, which is several times faster than the
// standard maps: every cell of a table passes through it.
class NumberCounts {
 public:
  explicit NumberCounts(Index limit) : limit_(limit) {}

  // `value` is finite and not -0, which would count as another number than 0.
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (more_ && !maybe_known(bits)) return;
    std::size_t at = find(bits);
    if (slots_[at].count == 0) {
      if (size_ == limit_) {
        if (!more_) remember_known();
        more_ = true;
        return;
      }
      if (2 * (size_ + 1) > static_cast<Index>(slots_.size())) {
        grow();
        at = find(bits);
      }
      slots_[at].bits = bits;
      ++size_;
    }
    ++slots_[at].count;
  }

  bool more() const { return more_; }

  std::vector<std::pair<double, Index>> sorted() const {
    std::vector<std::pair<double, Index>> out;
    for (const Slot& slot : slots_) {
      if (slot.count > 0) out.emplace_back(std::bit_cast<double>(slot.bits), slot.count);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  struct Slot {
    std::uint64_t bits = 0;
    Index count = 0;
  };

  // The slot of a value, or the empty one where it belongs. The table is never full.
  std::size_t find(std::uint64_t bits) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_of(bits, static_cast<int>(std::bit_width(mask)));
    while (slots_[at].count != 0 && slots_[at].bits != bits) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.count > 0) slots_[find(slot.bits)] = slot;
    }
  }

  // Most cells of a column with many values are none of those that are told apart. One bit for
  // each hash says so without a look into the table, which is too large for the nearest cache.
  void remember_known() {
    known_.resize((std::size_t{1} << kFilterWidth) / 64);
    for (const Slot& slot : slots_) {
      const std::size_t hash = hash_of(slot.bits, kFilterWidth);
      if (slot.count > 0) known_[hash / 64] |= std::uint64_t{1} << (hash % 64);
    }
  }

  bool maybe_known(std::uint64_t bits) const {
    const std::size_t hash = hash_of(bits, kFilterWidth);
    return (known_[hash / 64] >> (hash % 64) & 1) != 0;
  }

  // 16 bits for each of kMostDistinct values: 8 KB.
  static constexpr int kFilterWidth = 16;

  Index limit_;
  Index size_ = 0;
  bool more_ = false;
  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::vector<std::uint64_t> known_;
};

enum class CellKind { kMissing, kNumber, kText };

// A cell of a text column, looked at once for all cells with the same spelling.
struct Spelling {
  CellKind kind = CellKind::kText;
  double value = 0;
  Index count = 0;
};

Spelling read_spelling(std::string_view cell) {
  Spelling out;
  if (is_missing(cell)) {
    out.kind = CellKind::kMissing;
  } else if (parse_number(cell, out.value)) {
    out.kind = CellKind::kNumber;
  }
  return out;
}

class SpellingCounts {
 public:
  explicit SpellingCounts(Index limit) : limit_(limit) {}

  // Counts the cell and tells what it is.
  Spelling add(const std::string& cell) {
    Entry*& recent = recent_[short_hash(cell)];
    if (recent == nullptr || recent->first != cell) {
      Entry* found = remember(cell);
      if (found == nullptr) return read_spelling(cell);
      recent = found;
    }
    ++recent->second.count;
    return recent->second;
  }

  bool more() const { return more_; }

  std::vector<std::pair<std::string, Index>> sorted() const {
    std::vector<std::pair<std::string, Index>> out;
    for (const auto& [text, spelling] : counts_) {
      if (spelling.kind != CellKind::kMissing) out.emplace_back(text, spelling.count);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  using Entry = std::pair<const std::string, Spelling>;

  // Ends and length tell most codes of a column apart.
  static std::size_t short_hash(const std::string& cell) {
    if (cell.empty()) return 0;
    const auto byte = [](char c) {
      return static_cast<std::size_t>(static_cast<unsigned char>(c));
    };
    return (byte(cell.front()) * 31 + byte(cell.back()) + cell.size() * 7) % kRecent;
  }

  Entry* remember(const std::string& cell) {
    if (cell.size() <= kLongestDistinct) {
      const auto found = counts_.find(cell);
      if (found != counts_.end()) return &*found;
      if (static_cast<Index>(counts_.size()) < limit_) {
        return &*counts_.emplace(cell, read_spelling(cell)).first;
      }
    }
    more_ = more_ || !is_missing(cell);
    return nullptr;
  }

  static constexpr std::size_t kRecent = 256;

  Index limit_;
  bool more_ = false;
  std::unordered_map<std::string, Spelling> counts_;
  std::vector<Entry*> recent_ = std::vector<Entry*>(kRecent);
};

std::string spelled(double value) {
  if (std::isnan(value)) return {};
  std::string text;
  append_number(text, value);
  return text;
}

// From 2^53 on every double is a whole number.
bool is_whole(double value) {
  return std::abs(value) >= 0x1p53 ||
         value == static_cast<double>(static_cast<std::int64_t>(value));
}

class ColumnCollector {
 public:
  ColumnCollector(std::string name, Index limit) : values_(limit), spellings_(limit) {
    facts_.name = std::move(name);
  }

  void add(const Table& block, const Column& column) {
    if (column.numeric()) {
      add_numbers(block, column.numbers);
    } else {
      add_texts(block, column.text);
    }
  }

  ColumnFacts facts() const {
    ColumnFacts out = facts_;
    const bool any = out.numbers > out.infinite;
    out.least = any ? least_ : std::numeric_limits<double>::quiet_NaN();
    out.greatest = any ? greatest_ : std::numeric_limits<double>::quiet_NaN();
    out.whole = any && whole_;
    out.values = values_.sorted();
    out.more_values = values_.more();
    out.spellings = spellings_.sorted();
    out.more_spellings = spellings_.more();
    return out;
  }

 private:
  void add_numbers(const Table& block, const std::vector<double>& numbers) {
    const Index before = facts_.missing;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double value = numbers[i];
      if (std::abs(value) <= std::numeric_limits<double>::max()) {
        count_finite(value);
      } else {
        add_not_finite(block, static_cast<Index>(i), value);
      }
    }
    facts_.numbers += static_cast<Index>(numbers.size()) - (facts_.missing - before);
    if (facts_.first_number) return;
    const auto first = std::find_if(numbers.begin(), numbers.end(),
                                    [](double value) { return !std::isnan(value); });
    if (first == numbers.end()) return;
    note(facts_.first_number, block, first - numbers.begin(), spelled(*first));
  }

  void add_texts(const Table& block, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Spelling cell = spellings_.add(cells[i]);
      const auto row = static_cast<Index>(i);
      switch (cell.kind) {
        case CellKind::kMissing:
          ++facts_.missing;
          if (!facts_.first_missing) note(facts_.first_missing, block, row, cells[i]);
          break;
        case CellKind::kText:
          ++facts_.texts;
          if (!facts_.first_text) note(facts_.first_text, block, row, cells[i]);
          break;
        case CellKind::kNumber:
          ++facts_.numbers;
          if (!facts_.first_number) note(facts_.first_number, block, row, cells[i]);
          if (std::isinf(cell.value)) {
            add_not_finite(block, row, cell.value);
          } else {
            count_finite(cell.value);
          }
          break;
      }
    }
  }

  void add_not_finite(const Table& block, Index row, double value) {
    const bool missing = std::isnan(value);
    ++(missing ? facts_.missing : facts_.infinite);
    std::optional<CellPlace>& first = missing ? facts_.first_missing : facts_.first_infinite;
    if (!first) note(first, block, row, spelled(value));
  }

  void count_finite(double value) {
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
    if (whole_) whole_ = is_whole(value);
    // Adding 0 turns -0 into 0.
    values_.add(value + 0.0);
  }

  static void note(std::optional<CellPlace>& to, const Table& block, Index row, std::string value) {
    to = CellPlace{block.source_of(row), block.place(row), std::move(value)};
  }

  ColumnFacts facts_;
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
  bool whole_ = true;
  NumberCounts values_;
  SpellingCounts spellings_;
};

}  // namespace

struct FactsCollector::State {
  explicit State(int threads) : workers(threads) {}

  Workers workers;
  std::vector<ColumnCollector> columns;
  std::vector<std::string> names;
};

FactsCollector::FactsCollector(int threads) : state_(std::make_unique<State>(threads)) {}
FactsCollector::~FactsCollector() = default;
FactsCollector::FactsCollector(FactsCollector&&) noexcept = default;
FactsCollector& FactsCollector::operator=(FactsCollector&&) noexcept = default;

void FactsCollector::add(const Table& block) {
  if (state_->columns.empty()) {
    state_->names = block.names();
    const Index limit = distinct_limit(block.columns.size());
    for (const std::string& name : state_->names) state_->columns.emplace_back(name, limit);
  }
  require_names(state_->names, block);
  state_->workers.for_each(block.num_columns(), [&](Index j) {
    state_->columns[static_cast<std::size_t>(j)].add(block, block.columns[j]);
  });
}

std::vector<ColumnFacts> FactsCollector::facts() const {
  std::vector<ColumnFacts> out;
  out.reserve(state_->columns.size());
  for (const ColumnCollector& column : state_->columns) out.push_back(column.facts());
  return out;
}

bool has_stray_text(const ColumnFacts& column) {
  const auto present = static_cast<double>(column.numbers + column.texts);
  return column.texts > 0 && static_cast<double>(column.numbers) >= kNumericShare * present;
}

std::string stray_text_message(const ColumnFacts& column) {
  const CellPlace& text = column.first_text.value();
  std::string message =
      fmt::format("{}, column \"{}\": \"{}\" is not a number, but {} of {} cells are", text.place,
                  column.name, shown(text.value), column.numbers, column.numbers + column.texts);
  if (column.first_number && column.first_number->source != text.source) {
    message += fmt::format(" (the first in {}: \"{}\")", column.first_number->place,
                           column.first_number->value);
  }
  return message +
         "; correct the cell, leave it empty if the value is missing, or do not use the "
         "column as numbers.";
}

}  // namespace conflux
