// Aligns the ten classes of handwritten digits, judges the result on rows that the fit has not
// seen, draws one digit as every other, and writes the aligned table.
//
//   align_digits digits.csv aligned.csv

#include <conflux/conflux.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

using namespace conflux;

/// Every fourth row of each group, or the other three quarters.
GroupSet part_of(const GroupSet& groups, bool every_fourth) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const ConstRows rows = groups[m].rows.doubles();
    Matrix part(rows.rows(), rows.cols());
    Index count = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      if ((i % 4 == 3) == every_fourth) part.row(count++) = rows.eigen().row(i);
    }
    out.add(groups[m].name, Matrix(part.topRows(count)));
  }
  out.set_feature_names(groups.feature_names());
  return out;
}

GroupSet moved(const GroupSet& groups, const Flow& flow, const Workers& workers) {
  GroupSet out;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    out.add(groups[m].name, flow.forward(m, groups[m].rows, workers));
  }
  out.set_feature_names(groups.feature_names());
  return out;
}

double mean_w2(const GroupSet& groups, const Workers& workers) {
  return pairwise(groups.num_groups(),
                  [&](Index a, Index b) {
                    return exact_w2_squared(groups[a].rows.doubles(), groups[b].rows.doubles(), {},
                                            workers);
                  })
      .mean;
}

/// Prints 8 x 8 images next to each other, dark to bright.
void draw(const std::vector<Matrix>& images) {
  const std::string shades = " .:-=+*#%@";
  for (Index y = 0; y < 8; ++y) {
    for (const Matrix& image : images) {
      for (Index x = 0; x < 8; ++x) {
        const double level = std::clamp(image(0, 8 * y + x) / 16.0, 0.0, 1.0);
        const char shade = shades[static_cast<std::size_t>(std::lround(level * 9))];
        std::printf("%c%c", shade, shade);
      }
      std::printf("  ");
    }
    std::printf("\n");
  }
}

void run(const std::filesystem::path& in, const std::filesystem::path& out) {
  const Workers workers;
  const GroupSet digits = read_csv(in);
  const GroupSet seen = part_of(digits, false);
  const GroupSet unseen = part_of(digits, true);
  const Fit fit = fit_flow(seen, {});
  const GroupSet latent = moved(unseen, fit.flow, workers);
  std::printf("%td groups, %td rows to fit, %td held out, %td features; %td layers in %.1f s\n\n",
              digits.num_groups(), seen.num_samples(), unseen.num_samples(), digits.dim(),
              fit.flow.num_layers(), fit.record.seconds);

  double worst = 0;
  for (Index m = 0; m < digits.num_groups(); ++m) {
    const Matrix back = fit.flow.inverse(m, latent[m].rows, workers);
    worst = std::max(worst, round_trip_error(unseen[m].rows.doubles(), back).largest);
  }
  // The distance between samples of the same group: no alignment can do better.
  double floor = 0;
  for (Index m = 0; m < digits.num_groups(); ++m) {
    const Matrix other =
        fit.flow.forward(m, seen[m].rows.middle_rows(0, unseen[m].rows.rows()), workers);
    floor += exact_w2_squared(latent[m].rows.doubles(), other, {}, workers) / 10;
  }
  std::printf("on held-out rows                    before     after\n");
  std::printf("squared W2 between groups, mean   %8.1f  %8.1f\n", mean_w2(unseen, workers),
              mean_w2(latent, workers));
  std::printf("  (within a group, for comparison: %.1f)\n", floor);
  std::printf("transport cost                    %8.1f  %8.1f\n", 0.0,
              transport_cost(unseen, latent, workers));
  std::printf("relative round-trip error         %8.1f  %8.0e\n\n", 0.0, worst);

  const Index source = digits.index_of("3");
  const ConstRows one = unseen[source].rows.middle_rows(0, 1).doubles();
  std::printf("a held-out 3, and the same hand writing 0, 1, 2, 4 ... 9\n");
  std::vector<Matrix> images{one.eigen()};
  for (Index m = 0; m < digits.num_groups(); ++m) {
    if (m != source) images.push_back(fit.flow.translate(source, m, one, workers));
  }
  draw({images.begin(), images.begin() + 5});
  draw({images.begin() + 5, images.end()});

  if (out.has_parent_path()) std::filesystem::create_directories(out.parent_path());
  write_csv(out, moved(digits, fit.flow, workers));
  std::printf("aligned table of all rows: %s\n", out.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: align_digits digits.csv aligned.csv\n");
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "align_digits: %s\n", error.what());
    return 3;
  }
}
