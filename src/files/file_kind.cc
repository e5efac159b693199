#include "files/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// A model file begins with the length of its header, a brace and the name of the format.
bool begins_as_model(std::string_view head, std::uintmax_t size) {
  std::uint64_t length = 0;
  if (head.size() <= sizeof length || head[sizeof length] != '{') return false;
  std::memcpy(&length, head.data(), sizeof length);
  return length <= size;
}

bool begins_with_word(std::string_view head, std::string_view word) {
  return head.size() >= word.size() &&
         std::equal(word.begin(), word.end(), head.begin(),
                    [](unsigned char a, unsigned char b) { return a == std::tolower(b); });
}

}  // namespace

const char* words_of(FileKind kind) {
  switch (kind) {
    case FileKind::kModel:
      return "a model file";
    case FileKind::kTable:
      return "a table";
    case FileKind::kPage:
      return "an HTML page";
    case FileKind::kJson:
      return "a JSON file";
  }
  return "";
}

std::optional<FileKind> kind_of_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 256> bytes{};
  file.read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(file.gcount()));
  if (head.empty()) return std::nullopt;
  if (begins_as_model(head, std::filesystem::file_size(path, failed))) return FileKind::kModel;
  const std::size_t first = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  const std::string_view text = head.substr(first);
  if (begins_with_word(text, "<!doctype html") || begins_with_word(text, "<html")) {
    return FileKind::kPage;
  }
  return text.starts_with('{') || text.starts_with('[') ? FileKind::kJson : FileKind::kTable;
}

void refuse_other_kind(const std::filesystem::path& path, FileKind kind, const char* remedy) {
  const std::optional<FileKind> found = kind_of_file(path);
  if (!found || *found == kind) return;
  // A file that is no model may be something else than a table.
  const std::string is =
      *found == FileKind::kTable
          ? fmt::format("no {}",
                        std::string_view(words_of(kind)).substr(kind == FileKind::kPage ? 3 : 2))
          : words_of(*found);
  throw InvalidOption(
      fmt::format("{} is {}, and would be replaced by {}; name another file, or {}.", path.string(),
                  is, words_of(kind), remedy));
}

}  // namespace conflux
