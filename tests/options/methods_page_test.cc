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
  for (const std::string& cell :
       {yes(method.critics), yes(!method.one_layer()), std::string("yes"),
        yes(!method.to_last_group), std::string("yes"), std::string("yes"),
        yes(method.takes_new_groups()), yes(method.each_alone()), std::string(method.cost)}) {
    out += " " + cell + " |";
  }
  return out + "\n";
}

std::string page() {
  std::string out = R"(# Methods, compared

Made from the records of the methods (`src/options/methods.h`); a test compares this page with them, and writes it again when
`)" + std::string(kWrite) +
                    R"(=1` is set.

| method | what it does | adversarial | iterative | more than two groups | shared space | exact inverse | new rows | new groups | densities | cost of a fit |
|---|---|---|---|---|---|---|---|---|---|---|
)";
  for (const MethodInfo& method : kMethods) out += row_of(method);
  out +=
      R"(| CycleGAN | two networks translate, each judged by a critic; no method of conflux | yes | – | – | – | – | yes | – | – | not measured |

- **adversarial**: critics are trained against the maps; their losses do not say how good translations are.
- **iterative**: layers are added one after the other, each fitted to what the ones before have left.
- **more than two groups**: all methods here take any number of groups. The papers of AlignFlow, LRMF and SINF have two.
- **shared space**: all groups meet in a space of its own. The others move onto one of the groups (`–`).
- **exact inverse**: a row that goes there and back is the row again, up to rounding; tests state it for every kind of layer.
- **new rows, new groups**: what a fitted model can take without being fitted again (`conflux add-group`).
- **densities**: a group's law is known, and so is how likely a row is.
- Every method gives the same bits for the same data, options and seed, on any number of threads.
- Cost: n rows of d features, L layers, K directions, J steps of a search, P parameters of a network, E passes over the rows.

CycleGAN stands here because it does in the paper's table. Its two generators are no inverses of each other, so that there is no space
that groups share, no way back, and nothing that a model of conflux could hold: `conflux reproduce` trains it for a row of a table, and forgets it.
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
