// The paper's table of planar sets with two groups: its baselines DD and SINF and our tree layers,
// beside the published figures.
//
//   baselines_2d FOLDER [RUNS]    FOLDER holds {moons,circles,pattern}_{train,test}.csv

#include <conflux/conflux.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace conflux;

// As printed in the paper. SINF has no shared space and so no transport cost; its figures are the
// means of both translations by one model.
struct Published {
  const char* data;
  const char* row;
  double wd, wd_deviation;
  std::optional<double> tc = std::nullopt;
};
constexpr Published kPublished[] = {
    {"moons", "dd", 0.0085, 0, 1.2564},       {"moons", "sinf 0=>1", 0.0024, 0.0002},
    {"moons", "sinf 1=>0", 0.0026, 0.0003},   {"pattern", "dd", 0.0469, 0, 3.7005},
    {"pattern", "sinf 0=>1", 0.0340, 0.0083}, {"pattern", "sinf 1=>0", 0.0637, 0.0105},
    {"circles", "dd", 0.0029, 0, 1.2580},     {"circles", "sinf 0=>1", 0.0028, 0.0002},
    {"circles", "sinf 1=>0", 0.0029, 0.0002},
};

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  double value() const { return sum_ / count_; }
  std::string text() const {
    const double deviation = std::sqrt(std::max(0.0, squares_ / count_ - value() * value()));
    return fmt::format("{:.4f} ± {:.4f}", value(), deviation);
  }

 private:
  double sum_ = 0, squares_ = 0;
  int count_ = 0;
};

struct Figures {
  Mean paper_wd, exact, tc, round_trip, seconds;
};

void add_run(const GroupSet& train, const GroupSet& test, const FitOptions& options,
             Figures& figures) {
  const Workers workers;
  const Fit fit = fit_flow(train, options);
  Mean wd, exact, tc;
  double round_trip = 0;
  for (const Index from : {0, 1}) {
    const Index to = 1 - from;
    const ConstRows rows = test[from].rows;
    const Matrix translated = fit.flow.translate(from, to, rows, workers);
    wd.add(paper_wd(test[to].rows, translated, {}, workers).value);
    exact.add(exact_w2_squared(test[to].rows, translated, {}, workers));
    tc.add(transport_cost(rows, fit.flow.forward(from, rows, workers), workers));
    const Matrix back = fit.flow.translate(to, from, translated, workers);
    round_trip = std::max(round_trip, (back - Matrix(rows.eigen())).cwiseAbs().maxCoeff());
  }
  figures.paper_wd.add(wd.value());
  figures.exact.add(exact.value());
  figures.tc.add(tc.value());
  figures.round_trip.add(round_trip);
  figures.seconds.add(fit.record.seconds);
}

void print_row(const std::string& data, const std::string& row, const Figures& ours) {
  std::string wd = "–", tc = "–";
  for (const Published& each : kPublished) {
    if (each.data != data || each.row != row) continue;
    wd = each.wd_deviation > 0 ? fmt::format("{:.4f} ± {:.4f}", each.wd, each.wd_deviation)
                               : fmt::format("{:.4f}", each.wd);
    if (each.tc) tc = fmt::format("{:.4f}", *each.tc);
  }
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.4f} | {:.0e} | {:.0f} |\n", data, row, wd,
             ours.paper_wd.text(), tc, row.starts_with("sinf") ? "–" : ours.tc.text(),
             ours.exact.value(), ours.round_trip.value(), 1000 * ours.seconds.value());
}

struct Row {
  std::string name;
  FitOptions options;
};

std::vector<Row> rows_of_table(const GroupSet& groups) {
  std::vector<Row> rows{{"dd", paper_options(Method::kDd, 2)}};
  for (const Index to : {1, 0}) {
    FitOptions options = paper_options(Method::kSinf, 2);
    options.target = groups[to].name;
    rows.push_back({fmt::format("sinf {}=>{}", 1 - to, to), options});
  }
  // Ours: what the library chooses, with the number of layers left to held-out rows.
  FitOptions pca;
  pca.method = Method::kDd;
  rows.push_back({"dd, pca", pca});
  for (const Method method : {Method::kSinf, Method::kTree, Method::kTreeInb}) {
    FitOptions options;
    options.method = method;
    rows.push_back({fmt::format("{}, our defaults", name_of(method)), options});
  }
  FitOptions one;
  one.method = Method::kTree;
  one.layers = 1;
  one.validation_fraction = 0;
  rows.push_back({"tree, one layer", one});
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: baselines_2d FOLDER [RUNS]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  fmt::print(
      "| data | method | paper_wd published | ours | TC published | ours | exact W2² ours | round "
      "trip | fit ms |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string data : {"moons", "pattern", "circles"}) {
    const GroupSet train = read_csv(folder / (data + "_train.csv"));
    const GroupSet test = read_csv(folder / (data + "_test.csv"));
    for (Row& row : rows_of_table(train)) {
      Figures figures;
      for (int run = 0; run < runs; ++run) {
        row.options.seed = static_cast<std::uint64_t>(run);
        add_run(train, test, row.options, figures);
      }
      print_row(data, row.name, figures);
    }
  }
}
