#include "tables/foreign_formats.h"

#include <fmt/format.h>

#include <array>

#include "conflux/core/error.h"

namespace conflux {

namespace {

struct ForeignFormat {
  std::string_view ending;
  std::string_view remedy;
};
constexpr std::string_view kWithPandas =
    "read it with pandas and give the data frame to the Python package, or save it as .csv";
constexpr std::array<ForeignFormat, 10> kForeign = {{
    {".parquet",
     "read it with pandas and give the data frame to the Python package, or save it as "
     ".csv (pandas.read_parquet(\"in.parquet\").to_csv(\"out.csv\", index=False))"},
    {".feather", kWithPandas},
    {".arrow", kWithPandas},
    {".xlsx", "save the sheet as .csv"},
    {".jpg", "make a .ppm of it: djpeg in.jpg > out.ppm"},
    {".jpeg", "make a .ppm of it: djpeg in.jpeg > out.ppm"},
    {".rds", "write it as .csv in R: write.csv(x, \"out.csv\", row.names = FALSE)"},
    {".rdata", "write it as .csv in R: write.csv(x, \"out.csv\", row.names = FALSE)"},
    {".h5",
     "name its format if it is an AnnData file (--format h5ad), or save its arrays as .npz "
     "with h5py and numpy"},
    {".loom",
     "write it as .h5ad in Python: anndata.read_loom(\"in.loom\").write_h5ad(\"out.h5ad\")"},
}};

}  // namespace

void refuse_foreign_format(const std::string& path, std::string_view name) {
  for (const ForeignFormat& foreign : kForeign) {
    if (!name.ends_with(foreign.ending)) continue;
    throw InvalidOption(fmt::format("{}: conflux does not read or write {} files; {}.", path,
                                    foreign.ending, foreign.remedy));
  }
}

}  // namespace conflux
