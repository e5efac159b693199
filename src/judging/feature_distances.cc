#include "judging/feature_distances.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"

namespace conflux {

namespace {

// Random assignments are named by their purpose, too.
constexpr std::uint64_t kPermutationsOfFeatures = 17;

using ValuesOfGroups = std::vector<std::vector<double>>;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<Index>(values.size()) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double mad_of(std::vector<double> values) {
  const double median = median_of(values);
  for (double& value : values) value = std::abs(value - median);
  return median_of(std::move(values));
}

// The area between two distribution functions of sorted values.
double emd_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, level = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double up_to = std::min(static_cast<double>(i + 1) / static_cast<double>(a.size()),
                                  static_cast<double>(j + 1) / static_cast<double>(b.size()));
    sum += (up_to - level) * std::abs(a[i] - b[j]);
    level = up_to;
    if (static_cast<double>(i + 1) / static_cast<double>(a.size()) <= level) ++i;
    if (static_cast<double>(j + 1) / static_cast<double>(b.size()) <= level) ++j;
  }
  return sum;
}

double mean_emd(ValuesOfGroups samples) {
  for (auto& values : samples) std::sort(values.begin(), values.end());
  double sum = 0;
  Index pairs = 0;
  for (std::size_t a = 0; a < samples.size(); ++a) {
    for (std::size_t b = a + 1; b < samples.size(); ++b, ++pairs) {
      sum += emd_of(samples[a], samples[b]);
    }
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

double mean_mad(const ValuesOfGroups& samples) {
  double sum = 0;
  for (const auto& values : samples) sum += mad_of(values);
  return sum / static_cast<double>(samples.size());
}

// The same values, assigned to groups of the same sizes.
ValuesOfGroups permuted_values(const ValuesOfGroups& samples, const std::vector<Index>& order) {
  std::vector<double> all;
  for (const auto& values : samples) all.insert(all.end(), values.begin(), values.end());
  ValuesOfGroups out;
  std::size_t next = 0;
  for (const auto& values : samples) {
    auto& to = out.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) to.push_back(all[order[next++]]);
  }
  return out;
}

ValuesOfGroups column_of(const std::vector<Matrix>& groups, Index j, const Columns& columns) {
  ValuesOfGroups out;
  for (const Matrix& rows : groups) {
    auto& values = out.emplace_back();
    for (Index i = 0; i < rows.rows(); ++i) {
      double value = rows(i, j);
      if (!columns.empty()) {
        const Feature& feature = columns.features[static_cast<std::size_t>(j)];
        value = feature.curved(feature.point(value));
      }
      values.push_back(value);
    }
  }
  return out;
}

}  // namespace

std::vector<FeatureDistance> feature_distances(const Model& model, const GroupSet& groups,
                                               std::uint64_t seed, int threads) {
  const Workers workers(threads);
  std::vector<Matrix> before, after;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix& rows = before.emplace_back(groups[m].rows.rows(), groups.dim());
    for (Index i = 0; i < rows.rows(); ++i) groups[m].rows.copy_row(i, rows.row(i).data());
    const Index group = model.flow.group_index(groups[m].name);
    const std::vector<Index> labels =
        model.flow.label_codes(groups.label_names(), groups[m].labels);
    after.push_back(model.flow.moved(SampleRows(rows),
                                     Route::to_shared({&group, 1}).of_labels(labels), workers));
  }
  Stream stream(seed, Purpose::kDiagnosis, kPermutationsOfFeatures);
  const std::vector<Index> order = stream.permutation(groups.num_samples());
  std::vector<FeatureDistance> out(static_cast<std::size_t>(groups.dim()));
  workers.for_each(groups.dim(), [&](Index j) {
    FeatureDistance& feature = out[static_cast<std::size_t>(j)];
    if (!groups.feature_names().empty()) feature.name = groups.feature_names()[j];
    const ValuesOfGroups was = column_of(before, j, model.columns);
    const ValuesOfGroups is = column_of(after, j, model.columns);
    feature.emd_before = mean_emd(was);
    feature.emd_after = mean_emd(is);
    feature.emd_by_chance = mean_emd(permuted_values(is, order));
    feature.mad_before = mean_mad(was);
    feature.mad_after = mean_mad(is);
  });
  return out;
}

}  // namespace conflux
