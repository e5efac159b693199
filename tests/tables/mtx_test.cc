#include "tables/mtx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "conflux/core/error.h"
#include "tests/tables/files.h"

namespace conflux {
namespace mtx_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kHead = "%%MatrixMarket matrix coordinate real general\n% a comment\n";

/// Three cells of four genes, as 10x Genomics writes them: genes are rows.
void write_sample(const TemporaryFolder& folder, const std::string& before = "") {
  folder.with(before + "matrix.mtx",
              std::string(kHead) + "4 3 5\n1 1 2\n3 1 0.5\n2 2 1e1\n4 3 -1\n1 3 7\n");
  folder.with(before + "barcodes.tsv", "AAA-1\nCCC-1\nGGG-1\n");
  folder.with(before + "features.tsv",
              "ENSG1\tCD4\tGene Expression\nENSG2\tCD8A\tGene Expression\n"
              "ENSG3\tCD4\tGene Expression\nENSG4\tMS4A1\tGene Expression\n");
}

TEST(Mtx, AFolderIsATableOfCellsWithBarcodesAndSymbols) {
  const TemporaryFolder folder;
  write_sample(folder);
  for (const auto& path : {folder.path(), folder / "matrix.mtx"}) {
    const Table table = read_table(path);
    // A second gene of the same name is still another one.
    EXPECT_THAT(table.names(), ElementsAre("CD4", "CD8A", "X:CD4", "MS4A1", "barcode"));
    EXPECT_THAT(table["CD4"].numbers, ElementsAre(2, 0, 7));
    EXPECT_THAT(table["CD8A"].numbers, ElementsAre(0, 10, 0));
    EXPECT_THAT(table["X:CD4"].numbers, ElementsAre(0.5, 0, 0));
    EXPECT_THAT(table["barcode"].text, ElementsAre("AAA-1", "CCC-1", "GGG-1"));
  }
}

TEST(Mtx, NamesBesideItMayBeginAlike) {
  const TemporaryFolder folder;
  write_sample(folder, "GSM1_");
  EXPECT_EQ(read_table(folder / "GSM1_matrix.mtx").num_rows(), 3);
}

TEST(Mtx, CellsMayBeRowsOrColumns) {
  const TemporaryFolder genes_first, cells_first;
  write_sample(genes_first);
  write_sample(cells_first);
  cells_first.with("matrix.mtx",
                   std::string(kHead) + "3 4 5\n1 1 2\n1 3 0.5\n2 2 1e1\n3 4 -1\n3 1 7\n");
  EXPECT_TRUE(same_table(read_table(genes_first.path()), read_table(cells_first.path())));
}

TEST(Mtx, OtherFeaturesThanExpressionAreLeftOutAndNoted) {
  const TemporaryFolder folder;
  write_sample(folder);
  folder.with("features.tsv",
              "1\tCD4\tGene Expression\n2\tCD8A\tAntibody Capture\n"
              "3\tNKG7\tGene Expression\n4\tMS4A1\tGene Expression\n");
  const auto reader = open_table(folder.path());
  EXPECT_THAT(reader->notes(), ElementsAre(HasSubstr("1 features that are no Gene Expression")));
  EXPECT_THAT(reader->read_rest().names(), ElementsAre("CD4", "NKG7", "MS4A1", "barcode"));
}

// Entries in any order, some twice, must give the table that a plain sum gives.
TEST(Mtx, TheOrderOfEntriesDoesNotMatterAndRepeatedOnesAdd) {
  constexpr Index kCells = 50, kGenes = 20;
  std::mt19937 random(1);
  std::vector<std::string> lines;
  std::vector<double> sums(kCells * kGenes);
  for (int k = 0; k < 400; ++k) {
    const auto cell = static_cast<Index>(random() % kCells);
    const auto gene = static_cast<Index>(random() % kGenes);
    lines.push_back(std::to_string(cell + 1) + " " + std::to_string(gene + 1) + " " +
                    std::to_string(k % 7) + "\n");
    sums[cell * kGenes + gene] += k % 7;
  }
  const TemporaryFolder folder;
  for (const bool by_cell : {false, true}) {
    if (by_cell) {
      std::stable_sort(lines.begin(), lines.end(),
                       [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
    }
    std::string text = std::string(kHead) + "50 20 400\n";
    for (const std::string& line : lines) text += line;
    const Table table = read_table(folder.with("m.mtx", text));
    for (Index i = 0; i < kCells; ++i) {
      for (Index j = 0; j < kGenes; ++j) {
        EXPECT_EQ(table.columns[j].numbers[i], sums[i * kGenes + j]) << i << " " << j;
      }
    }
  }
}

TEST(Mtx, EveryRefusalNamesThePlaceAndTheRemedy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "begins with %%MatrixMarket"},
      {"x,y\n1,2\n", "begins with %%MatrixMarket"},
      {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", "only \"coordinate"},
      {"%%MatrixMarket matrix coordinate real symmetric\n", "only \"coordinate"},
      {kHead, "no line with the sizes"},
      {std::string(kHead) + "2 2\n", "no three numbers"},
      {std::string(kHead) + "2 x 1\n1 1 1\n", "\"x 1\" is no whole number"},
      {std::string(kHead) + "2 2 1\n3 1 1\n", "no whole number from 1 to 2"},
      {std::string(kHead) + "2 2 1\n0 1 1\n", "no whole number from 1 to 2"},
      {std::string(kHead) + "2 2 1\n1 1 nan\n", "no finite number"},
      {std::string(kHead) + "2 2 1\n1 1\n", "no finite number"},
      {std::string(kHead) + "2 2 2\n1 1 1\n", "ends after 1 of 2 entries"},
      {std::string(kHead) + "2 2 1\n1 1 1\n2 2 1\n", "more than the 1 entries"},
      {std::string(kHead) + "1000000000 2 1\n1 1 1\n", "leaves most rows empty"},
      {std::string(kHead) + "2 1000000000 1\n1 1 1\n", "more than 1048576"},
  };
  for (const auto& [bytes, message] : cases) {
    const TemporaryFolder folder;
    const auto path = folder.with("m.mtx", bytes);
    EXPECT_THAT([&] { read_table(path); }, ThrowsMessage<InvalidData>(HasSubstr(message)));
  }
}

TEST(Mtx, FoldersAndNamesThatDoNotFitAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { read_table(folder.path()); },
              ThrowsMessage<InvalidOption>(HasSubstr("is a folder; name a file in it")));
  write_sample(folder);
  folder.with("barcodes.tsv", "AAA-1\n");
  EXPECT_THAT([&] { read_table(folder.path()); },
              ThrowsMessage<InvalidData>(HasSubstr("4 features and 1 barcodes")));
  EXPECT_THAT([&] { create_table(folder / "out.mtx"); },
              ThrowsMessage<InvalidOption>(HasSubstr("read, not written")));
}

}  // namespace mtx_test
}  // namespace conflux
