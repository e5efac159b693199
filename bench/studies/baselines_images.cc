// The paper's baselines DD and SINF on images of two classes, as its tables have them.
//
//   baselines_images FOLDER [dd|sinf|all] [LAYERS] [SEED]
//
// FOLDER holds IDX files as tools/get_data.sh writes them. Images of classes 0 and 1 are
// dequantised, 5000 of them, drawn at random, are for the test, and classes are cut to the size of
// the smaller one. SINF is judged every 5 layers up to LAYERS (5 unless told); the published number
// is the best of them on these same test rows.

#include <conflux/conflux.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "conflux/core/rng.h"

namespace {

using namespace conflux;

constexpr Index kTestRows = 5000;
constexpr Index kBlock = 500;

struct Sample {
  std::vector<double> pixels;
  Index group;
};

// Images of the two classes from every pair of files.
std::vector<Sample> read_images(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().find("images") != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.rbegin(), files.rend());  // train before t10k
  std::vector<Sample> out;
  for (const auto& images : files) {
    std::string name = images.filename().string();
    name.replace(name.find("images-idx3"), 11, "labels-idx1");
    const Table labels = read_table(folder / name);
    const std::vector<double>& classes = labels.columns.front().numbers;
    auto reader = open_table(images);
    std::size_t at = 0;
    for (Table block; reader->read(block, 4096);) {
      for (Index i = 0; i < block.num_rows(); ++i, ++at) {
        if (classes[at] > 1) continue;
        Sample sample{{}, static_cast<Index>(classes[at])};
        for (const Column& column : block.columns) sample.pixels.push_back(column.numbers[i]);
        out.push_back(std::move(sample));
      }
    }
  }
  return out;
}

GroupSet groups_of(const std::vector<Sample>& samples, Index begin, Index end) {
  std::vector<std::vector<Index>> rows(2);
  for (Index i = begin; i < end; ++i) rows[samples[i].group].push_back(i);
  const std::size_t count = std::min(rows[0].size(), rows[1].size());
  const auto dim = static_cast<Index>(samples.front().pixels.size());
  GroupSet groups;
  for (const Index m : {0, 1}) {
    Matrix values(static_cast<Index>(count), dim);
    for (Index i = 0; i < values.rows(); ++i) {
      values.row(i) = Eigen::Map<const Eigen::RowVectorXd>(samples[rows[m][i]].pixels.data(), dim);
    }
    groups.add(std::to_string(m), std::move(values));
  }
  return groups;
}

struct Data {
  GroupSet train, test;
};

Data make_data(const std::filesystem::path& folder, std::uint64_t seed) {
  std::vector<Sample> samples = read_images(folder);
  Stream stream(seed, Purpose::kToyData);
  for (Sample& sample : samples) {
    for (double& pixel : sample.pixels) pixel = (pixel + stream.uniform()) / 256;
  }
  const auto count = static_cast<Index>(samples.size());
  std::vector<Sample> mixed;
  for (const Index i : stream.permutation(count)) mixed.push_back(std::move(samples[i]));
  return {groups_of(mixed, kTestRows, count), groups_of(mixed, 0, kTestRows)};
}

void print_figures(const std::string& name, const Flow& flow, const GroupSet& test, double seconds,
                   double round_trip_limit) {
  const Workers workers;
  double wd[2], exact[2], tc = 0, round_trip = 0;
  for (const Index from : {0, 1}) {
    const Index to = 1 - from;
    const ConstRows rows = test[from].rows;
    const Matrix translated = flow.translate(from, to, rows, workers);
    wd[from] = paper_wd(test[to].rows, translated, {.block = kBlock}, workers).value;
    exact[from] = exact_w2_squared(test[to].rows, translated, {}, workers);
    tc += 0.5 * transport_cost(rows, flow.forward(from, rows, workers), workers);
    const Matrix back = flow.translate(to, from, translated, workers);
    round_trip = std::max(round_trip, (back - Matrix(rows.eigen())).cwiseAbs().maxCoeff());
  }
  const std::string tc_text = name.starts_with("sinf") ? "–" : fmt::format("{:.3f}", tc);
  fmt::print("| {} | {:.3f} | {:.3f} / {:.3f} | {} | {:.3f} | {:.1e}{} | {:.1f} |\n", name,
             0.5 * (wd[0] + wd[1]), wd[0], wd[1], tc_text, 0.5 * (exact[0] + exact[1]), round_trip,
             round_trip < round_trip_limit ? "" : " (!)", seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: baselines_images FOLDER [dd|sinf|all] [LAYERS] [SEED]\n");
    return 2;
  }
  const std::string what = argc > 2 ? argv[2] : "all";
  const Index layers = argc > 3 ? std::atoi(argv[3]) : 5;
  const Data data = make_data(argv[1], argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0);
  fmt::print("train {} rows per class, test {}\n\n", data.train[0].rows.rows(),
             data.test[0].rows.rows());
  fmt::print(
      "| method | paper_wd | 0 to 1 / 1 to 0 | TC | exact W2² | round trip, pixels | fit s |\n"
      "|---|---|---|---|---|---|---|\n");
  if (what != "sinf") {
    FitOptions options = paper_options(Method::kDd, 2);
    options.dd_stack = DdStack::kPca;
    options.layers = 11;
    const Fit fit = fit_flow(data.train, options);
    print_figures("dd", fit.flow, data.test, fit.record.seconds, 1e-6);
  }
  if (what != "dd") {
    for (const Index to : {1, 0}) {
      FitOptions options = paper_options(Method::kSinf, 2);
      options.target = data.train[to].name;
      options.layers = layers;
      options.directions = 56;
      SelfCommunicator comm;
      FitControl control;
      control.on_progress = [&](const Fit& fit) {
        const std::size_t done = fit.record.layers.size();
        if (done % 5 != 0) return;
        print_figures(fmt::format("sinf {}=>{}, {} layers", 1 - to, to, done), fit.flow, data.test,
                      fit.record.seconds, 1e-6);
      };
      fit_flow(data.train, options, comm, {}, control);
    }
  }
}
