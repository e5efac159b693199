// The paper's table of planar sets with two groups, ours beside the published figures.
//
//   paper_2d FOLDER [RUNS]    FOLDER holds {moons,circles,pattern}_{train,test}.csv

#include <conflux/conflux.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace conflux;

/// As printed in the paper, mean and standard deviation; NB is the same in every run.
struct Published {
  const char* data;
  Method method;
  double wd, wd_deviation, tc, tc_deviation;
};
constexpr Published kPublished[] = {
    {"moons", Method::kNb, 0.0788, 0, 0.4013, 0},
    {"moons", Method::kRandNb, 0.0047, 0.0011, 0.4903, 0.0205},
    {"moons", Method::kInb, 0.0025, 0.0005, 0.4832, 0.0282},
    {"pattern", Method::kNb, 0.3173, 0, 0.9537, 0},
    {"pattern", Method::kRandNb, 0.0620, 0.0188, 1.0234, 0.0583},
    {"pattern", Method::kInb, 0.0458, 0.0260, 1.0207, 0.0270},
    {"circles", Method::kNb, 0.0042, 0, 0.0602, 0},
    {"circles", Method::kRandNb, 0.0043, 0.0015, 0.0830, 0.0065},
    {"circles", Method::kInb, 0.0033, 0.0005, 0.0834, 0.0090},
};

struct Mean {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double value() const { return sum / count; }
  double deviation() const { return std::sqrt(std::max(0.0, squares / count - value() * value())); }
};

struct Figures {
  Mean paper_wd, exact, tc, seconds;
};

void add_run(const GroupSet& train, const GroupSet& test, const FitOptions& options,
             Figures& figures) {
  const Workers workers;
  const Fit fit = fit_flow(train, options);
  Mean wd, exact, tc;
  for (const Index from : {0, 1}) {
    const Index to = 1 - from;
    const Matrix translated = fit.flow.translate(from, to, test[from].rows, workers);
    wd.add(paper_wd(test[to].rows, translated, {}, workers).value);
    exact.add(exact_w2_squared(test[to].rows, translated, {}, workers));
    const Matrix latent = fit.flow.forward(from, test[from].rows, workers);
    tc.add(transport_cost(test[from].rows, latent, workers));
  }
  figures.paper_wd.add(wd.value());
  figures.exact.add(exact.value());
  figures.tc.add(tc.value());
  figures.seconds.add(fit.record.seconds);
}

void print_row(const std::string& data, const std::string& method, const std::string& published_wd,
               const std::string& published_tc, const Figures& ours) {
  fmt::print("| {} | {} | {} | {:.4f} ± {:.4f} | {} | {:.4f} ± {:.4f} | {:.4f} | {:.0f} |\n", data,
             method, published_wd, ours.paper_wd.value(), ours.paper_wd.deviation(), published_tc,
             ours.tc.value(), ours.tc.deviation(), ours.exact.value(), 1000 * ours.seconds.value());
}

std::string with_deviation(double value, double deviation) {
  return deviation == 0 ? fmt::format("{:.4f}", value)
                        : fmt::format("{:.4f} ± {:.4f}", value, deviation);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: paper_2d FOLDER [RUNS]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  fmt::print(
      "| data | method | paper_wd published | ours | TC published | ours | exact W2² ours | fit ms "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const std::string data : {"moons", "pattern", "circles"}) {
    const GroupSet train = read_csv(folder / (data + "_train.csv"));
    const GroupSet test = read_csv(folder / (data + "_test.csv"));
    for (const Method method :
         {Method::kNb, Method::kRandNb, Method::kInb, Method::kNbRandNb, Method::kNbInb}) {
      Figures figures;
      for (int run = 0; run < (method == Method::kNb ? 1 : runs); ++run) {
        FitOptions options = paper_options(method, 2);
        options.seed = static_cast<std::uint64_t>(run);
        add_run(train, test, options, figures);
      }
      std::string wd = "–", tc = "–";
      for (const Published& row : kPublished) {
        if (row.data != data || row.method != method) continue;
        wd = with_deviation(row.wd, row.wd_deviation);
        tc = with_deviation(row.tc, row.tc_deviation);
      }
      print_row(data, std::string(name_of(method)), wd, tc, figures);
    }
    Figures defaults;
    for (int run = 0; run < runs; ++run) {
      FitOptions options;
      options.seed = static_cast<std::uint64_t>(run);
      add_run(train, test, options, defaults);
    }
    print_row(data, "inb, our defaults", "–", "–", defaults);
  }
}
