// Every fuzzer reads its bytes whole and in blocks. Errors are fine; crashes, leaks and differences
// between the two are not.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "conflux/core/error.h"
#include "tables/table_format.h"

namespace conflux {

inline bool same_cells(const Column& a, const Column& b) {
  if (a.text != b.text || a.numbers.size() != b.numbers.size()) return false;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const bool both_missing = a.numbers[i] != a.numbers[i] && b.numbers[i] != b.numbers[i];
    if (a.numbers[i] != b.numbers[i] && !both_missing) return false;
  }
  return true;
}

inline void read_all(const TableFormat& format, const ByteSource& source,
                     const TableOptions& options) {
  constexpr Index kRows = 3;
  try {
    const Table whole = format.open(source, options)->read_rest();
    const auto reader = format.open(source, options);
    Table blocks;
    reader->read(blocks, kRows);
    for (Table block; reader->read(block, kRows);) blocks.append(block);
    if (whole.schema() != blocks.schema()) std::abort();
    for (Index j = 0; j < whole.num_columns(); ++j) {
      if (!same_cells(whole.columns[j], blocks.columns[j])) std::abort();
    }
  } catch (const Error&) {
  }
}

inline void read_all(const TableFormat& format, const std::string& bytes,
                     const TableOptions& options) {
  read_all(format, ByteSource::memory(bytes), options);
}

}  // namespace conflux
