#include <pybind11/stl.h>

#include "bindings.h"
#include "conflux/core/error.h"
#include "conflux/metrics/distances.h"
#include "conflux/metrics/integration.h"
#include "conflux/metrics/moves.h"
#include "metrics/paper_wd.h"
#include "samples.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

// Runs a metric of two clouds without the GIL.
template <class Metric>
auto measure(const py::array& x, const py::array& y, int threads, Metric metric) {
  const Cloud a(x, "x");
  const Cloud b(y, "y");
  const py::gil_scoped_release unlocked;
  const Workers workers(threads);
  return metric(a.rows(), b.rows(), workers);
}

std::span<const double> span_of(const std::optional<Numbers>& numbers) {
  if (!numbers) return {};
  return python::span_of(*numbers);
}

double w2_exact(const py::array& x, const py::array& y, const std::optional<Numbers>& x_weights,
                const std::optional<Numbers>& y_weights, std::optional<Index> block, int threads) {
  if (x_weights.has_value() != y_weights.has_value()) {
    throw InvalidOption("only one cloud has weights; give weights of both, or of none.");
  }
  return measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
    if (!x_weights) return exact_w2_squared(a, b, {.block = block}, workers);
    return exact_w2_squared(a, span_of(x_weights), b, span_of(y_weights), workers);
  });
}

double paper(const py::array& x, const py::array& y, const PaperWdOptions& options, int threads) {
  return measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
    return paper_wd(a, b, options, workers).value;
  });
}

py::dict sinkhorn(const py::array& x, const py::array& y, const SinkhornOptions& options,
                  int threads) {
  const auto found = measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
    return sinkhorn_divergence(a, b, options, workers);
  });
  py::dict out;
  out["value"] = found.value;
  out["epsilon"] = found.epsilon;
  out["iterations"] = found.iterations;
  out["converged"] = found.converged;
  return out;
}

py::tuple max_sliced(const py::array& x, const py::array& y, const MaxSlicedOptions& options,
                     int threads) {
  const auto found = measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
    return max_sliced_w2_squared(a, b, options, workers);
  });
  py::array_t<double> direction(found.direction.size());
  std::copy_n(found.direction.data(), found.direction.size(), direction.mutable_data());
  return py::make_tuple(found.value, direction);
}

py::array_t<double> lisi_of(const py::array& x, const GroupNumbers& kinds, Index perplexity,
                            int threads) {
  const Cloud cloud(x, "X");
  const std::vector<Index> kind_of(kinds.data(), kinds.data() + kinds.size());
  std::vector<double> found;
  {
    const py::gil_scoped_release unlocked;
    found = lisi(cloud.rows(), kind_of, {.perplexity = perplexity}, Workers(threads));
  }
  py::array_t<double> out(static_cast<Index>(found.size()));
  std::copy(found.begin(), found.end(), out.mutable_data());
  return out;
}

py::dict integration_of(const py::array& x, const GroupNumbers& batches, const GroupNumbers& labels,
                        const std::optional<py::array>& before, int threads) {
  const Cloud cloud(x, "X");
  std::optional<Cloud> cloud_before;
  if (before) cloud_before.emplace(*before, "before");
  const std::vector<Index> batch_of(batches.data(), batches.data() + batches.size());
  const std::vector<Index> label_of(labels.data(), labels.data() + labels.size());
  IntegrationScores found;
  {
    const py::gil_scoped_release unlocked;
    std::optional<ConstRows> rows_before;
    if (cloud_before) rows_before = cloud_before->rows();
    found = integration_scores(cloud.rows(), batch_of, label_of, rows_before, Workers(threads));
  }
  py::dict out;
  for (const auto& [name, score] : integration_score_names()) {
    out[py::str(name)] = found.*score;
  }
  py::array_t<Index> clusters(static_cast<Index>(found.clusters.size()));
  std::copy(found.clusters.begin(), found.clusters.end(), clusters.mutable_data());
  out["clusters"] = clusters;
  out["resolution"] = found.resolution;
  return out;
}

void bind_transport_distances(py::module_& module) {
  module.def("w2_exact", &w2_exact, py::arg("x"), py::arg("y"), py::arg("x_weights"),
             py::arg("y_weights"), py::arg("block"), py::arg("threads"));
  module.def(
      "paper_wd",
      [](const py::array& x, const py::array& y, std::optional<Index> block, bool single,
         double epsilon, int max_iterations, double threshold, int threads) {
        return paper(x, y,
                     {.block = block,
                      .scalar = single ? PaperWdScalar::kFloat : PaperWdScalar::kDouble,
                      .epsilon = epsilon,
                      .max_iterations = max_iterations,
                      .threshold = threshold},
                     threads);
      },
      py::arg("x"), py::arg("y"), py::arg("block"), py::arg("single"), py::arg("epsilon"),
      py::arg("max_iterations"), py::arg("threshold"), py::arg("threads"));
  module.def(
      "sinkhorn_divergence",
      [](const py::array& x, const py::array& y, double relative_epsilon,
         std::optional<double> epsilon, double tolerance, int max_iterations, int threads) {
        return sinkhorn(x, y,
                        {.relative_epsilon = relative_epsilon,
                         .epsilon = epsilon,
                         .tolerance = tolerance,
                         .max_iterations = max_iterations},
                        threads);
      },
      py::arg("x"), py::arg("y"), py::arg("relative_epsilon"), py::arg("epsilon"),
      py::arg("tolerance"), py::arg("max_iterations"), py::arg("threads"));
}

void bind_other_distances(py::module_& module) {
  module.def(
      "sliced_w2",
      [](const py::array& x, const py::array& y, Index directions, std::uint64_t seed,
         int threads) {
        return measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
          return sliced_w2_squared(a, b, {.directions = directions, .seed = seed}, workers);
        });
      },
      py::arg("x"), py::arg("y"), py::arg("directions"), py::arg("seed"), py::arg("threads"));
  module.def(
      "max_sliced_w2",
      [](const py::array& x, const py::array& y, Index starts, int max_steps,
         double min_relative_gain, std::uint64_t seed, int threads) {
        return max_sliced(x, y,
                          {.starts = starts,
                           .max_steps = max_steps,
                           .min_relative_gain = min_relative_gain,
                           .seed = seed},
                          threads);
      },
      py::arg("x"), py::arg("y"), py::arg("starts"), py::arg("max_steps"),
      py::arg("min_relative_gain"), py::arg("seed"), py::arg("threads"));
  module.def(
      "energy_distance",
      [](const py::array& x, const py::array& y, int threads) {
        return measure(x, y, threads, [](ConstRows a, ConstRows b, const Workers& workers) {
          return energy_distance(a, b, workers);
        });
      },
      py::arg("x"), py::arg("y"), py::arg("threads"));
  const auto bind_moments = [&](const char* name, double (*distance)(ConstRows, ConstRows)) {
    module.def(
        name,
        [distance](const py::array& x, const py::array& y) {
          return measure(x, y, 1, [distance](ConstRows a, ConstRows b, const Workers&) {
            return distance(a, b);
          });
        },
        py::arg("x"), py::arg("y"));
  };
  bind_moments("frechet_distance", frechet_distance);
  bind_moments("kernel_distance", kernel_distance);
}

void bind_neighborhoods(py::module_& module) {
  module.def("lisi", &lisi_of, py::arg("x"), py::arg("kinds"), py::arg("perplexity"),
             py::arg("threads"));
  module.def("integration_scores", &integration_of, py::arg("x"), py::arg("batches"),
             py::arg("labels"), py::arg("before"), py::arg("threads"));
  module.def(
      "neighbors_kept",
      [](const py::array& x, const py::array& y, Index count, int threads) {
        return measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
          return neighbors_kept(a, b, workers, count);
        });
      },
      py::arg("before"), py::arg("after"), py::arg("count"), py::arg("threads"));
}

void bind_moves(py::module_& module) {
  module.def(
      "transport_cost",
      [](const py::array& x, const py::array& y, const std::optional<Numbers>& weights,
         int threads) {
        return measure(x, y, threads, [&](ConstRows a, ConstRows b, const Workers& workers) {
          return transport_cost(a, b, workers, span_of(weights));
        });
      },
      py::arg("x"), py::arg("y"), py::arg("weights"), py::arg("threads"));
  module.def(
      "round_trip_error",
      [](const py::array& x, const py::array& y) {
        const auto found = measure(x, y, 1, [](ConstRows a, ConstRows b, const Workers&) {
          return round_trip_error(a, b);
        });
        return py::make_tuple(found.largest, found.root_mean_square, found.worst_row);
      },
      py::arg("original"), py::arg("returned"));
}

}  // namespace

void bind_metrics(py::module_& module) {
  bind_transport_distances(module);
  bind_other_distances(module);
  bind_neighborhoods(module);
  bind_moves(module);
}

}  // namespace conflux::python
