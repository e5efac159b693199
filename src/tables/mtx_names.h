// The names of genes and cells that stand beside a Matrix Market file.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "files/input_stream.h"

namespace conflux {

/// Lines of a stream, without their ends.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<InputStream> stream);
  /// False at the end. The line is valid until the next call.
  bool next(std::string_view& line);
  /// Number of the last line, from 1.
  Index number() const { return number_; }

 private:
  bool fill();

  std::unique_ptr<InputStream> stream_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool ended_ = false;
  Index number_ = 0;
};

struct MtxNames {
  std::optional<std::vector<std::string>> barcodes;
  /// Symbols if there are any, otherwise identifiers.
  std::optional<std::vector<std::string>> features;
  /// Type of each feature, such as Gene Expression; empty if the file has none.
  std::vector<std::string> types;
};

/// The names in barcodes.tsv and features.tsv or genes.tsv beside the file, with the same text
/// before them as the name of the matrix has, compressed or not.
MtxNames names_beside(const std::filesystem::path& matrix);

/// The files that names_beside() reads; none for other tables.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& table);

}  // namespace conflux
