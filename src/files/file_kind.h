// The type of a file, by its first bytes: a result overwrites files of its own type only.

#pragma once

#include <filesystem>
#include <optional>

namespace conflux {

enum class FileKind {
  kModel,  // and checkpoints
  kTable,  // or anything that is none of the others
  kPage,   // HTML
  kJson
};

/// "a model file", "a table", ...
const char* words_of(FileKind kind);

/// Unset unless `path` is a plain file with at least one byte that can be read.
std::optional<FileKind> kind_of_file(const std::filesystem::path& path);

/// Throws InvalidOption when a file of another kind stands at `path`; `remedy` ends the sentence.
void refuse_other_kind(const std::filesystem::path& path, FileKind kind,
                       const char* remedy = "delete it first");

}  // namespace conflux
