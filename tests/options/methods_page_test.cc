// docs/methods.md is what the table of methods says, word by word.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "options/methods.h"
#include "tests/support/golden.h"

namespace conflux {
namespace methods_page_test {

constexpr const char* kWrite = "CONFLUX_WRITE_METHODS_PAGE";

std::string yes(bool holds) { return holds ? "yes" : "–"; }

std::string row_of(const MethodInfo& method) {
  std::string out = "| `" + std::string(method.name) + "` | " + std::string(method.help) + " |";
  for (const std::string& cell : {yes(!method.one_layer()), yes(!method.to_last_group),
                                  yes(method.to_uniform), std::string(method.cost)}) {
    out += " " + cell + " |";
  }
  return out + "\n";
}

std::string page() {
  std::string out = R"(# Methods, compared

Made from the records of the methods (`src/options/methods.h`); a test compares this page with them, and writes it again when
`)" + std::string(kWrite) +
                    R"(=1` is set.

| method | what it does | iterative | shared space | densities | cost of a fit |
|---|---|---|---|---|---|
)";
  for (const MethodInfo& method : kMethods) out += row_of(method);
  out += R"(
- **iterative**: layers are added one after the other, each fitted to what the ones before have left.
- **shared space**: all groups meet in a space of its own. The others move onto one of the groups (`–`).
- **densities**: a group's law is known, and so is how likely a row is.
- Every method takes any number of groups and has an exact inverse: a row that goes there and back is the row again, up to rounding. Fitted models take
  new rows and new groups (`conflux add-group`). The same data, options and seed give the same bits on any number of threads.
- Cost: n rows of d features, L layers, K directions, J steps of a search.

The paper's comparison also has networks: RealNVP, LRMF, AlignFlow and CycleGAN. They are no methods of the library; `conflux reproduce` trains them for rows
of its tables ([math.md](math.md), section 9).
)";
  return out;
}

TEST(MethodsPage, SaysWhatTheTableOfMethodsSays) {
  const std::filesystem::path path = golden_folder() / ".." / ".." / "docs" / "methods.md";
  const char* write = std::getenv(kWrite);
  if (write != nullptr && *write == '1') std::ofstream(path) << page();
  std::ifstream file(path);
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(kept == page())
      << "docs/methods.md differs from src/options/methods.h; run this test "
         "with "
      << kWrite << "=1 and look at what has changed.";
}

}  // namespace methods_page_test
}  // namespace conflux
