#include "dataset/row_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "conflux/core/error.h"
#include "conflux/tables/table_groups.h"
#include "core/rng.h"
#include "core/stop.h"
#include "dataset/group_names.h"
#include "dataset/labels.h"
#include "dataset/messages.h"
#include "dataset/model_table.h"
#include "dataset/table_rows.h"
#include "metrics/thinning.h"

namespace conflux {

namespace {

constexpr Index kRowsPerSampledBlock = Index{1} << 15;
constexpr std::uint64_t kSampledRows = 9;

std::string group_of_file(const std::string& path, const DatasetOptions& options) {
  return renamed(stem_of(path), options.rename);
}

struct GroupSample {
  std::vector<double> values;
  std::vector<double> numbers;
  std::vector<Index> labels;
  Index seen = 0;
  /// Rows with this number or a larger one are not kept.
  double limit = std::numeric_limits<double>::infinity();

  Index kept() const { return static_cast<Index>(numbers.size()); }

  void keep(Index most, Index dim) {
    if (kept() <= most) return;
    std::vector<double> sorted = numbers;
    std::nth_element(sorted.begin(), sorted.begin() + most, sorted.end());
    limit = sorted[static_cast<std::size_t>(most)];
    std::size_t to = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= limit) continue;
      std::copy_n(values.begin() + static_cast<Index>(i) * dim, dim,
                  values.begin() + static_cast<Index>(to) * dim);
      labels[to] = labels[i];
      numbers[to++] = numbers[i];
    }
    numbers.resize(to);
    labels.resize(to);
    values.resize(to * static_cast<std::size_t>(dim));
  }
};

class Sampler {
 public:
  Sampler(const Model& model, const DatasetOptions& options, Index most, std::uint64_t seed)
      : model_(model), options_(options), most_(most), seed_(seed), workers_(options.threads) {}

  void read(const std::string& path, const MessageCallback& on_message) {
    ModelColumnChoice choice{
        .group = options_.group, .features = options_.columns.features, .rename = options_.rename};
    if (options_.group.empty()) choice.from = group_of_file(path, options_);
    const ModelReader reader(path, model_, reading_options(options_, ""), choice, {});
    for (const std::string& note : reader.notes()) inform(on_message, note);
    Index rows = 0;
    for (Table block; reader.read(block, kRowsPerSampledBlock);) {
      throw_if_stopped();
      // Rows of a second file are numbered after those of the first.
      block.first_row += before_;
      add(block, reader.groups_of(block), reader.columns().features);
      rows += block.num_rows();
      show_progress(on_message, fmt::format("{} rows", before_ + rows));
    }
    before_ += rows;
    reader.warn_about_new_categories(on_message);
  }

  SampledGroups finish() {
    if (before_ == 0) throw InvalidData(options_.paths.front() + ": there are no rows; add some.");
    if (cut_) keep_most();
    SampledGroups out;
    std::vector<std::vector<Index>> codes;
    for (std::size_t m = 0; m < samples_.size(); ++m) {
      GroupSample& sample = samples_[m];
      Matrix rows = Eigen::Map<const Matrix>(sample.values.data(), sample.kept(), dim());
      sample.values = {};
      if (!model_.columns.empty()) model_.columns.fill_missing(Rows(rows), in_flow_[m]);
      out.groups.add(model_.flow.group_names()[in_flow_[m]], std::move(rows));
      out.sizes.push_back(sample.seen);
      codes.push_back(std::move(sample.labels));
    }
    out.groups.set_feature_names(names_);
    out.groups.set_covariates(model_.columns.num_covariates());
    set_labels(out.groups, std::move(codes));
    return out;
  }

 private:
  Index dim() const { return model_.flow.dim(); }

  void add(Table& block, const std::vector<Index>& groups,
           const std::vector<std::string>& features) {
    const std::vector<Index> labels = labels_of(block);
    names_ = model_.columns.empty() ? features : model_.columns.coordinate_names();
    const Matrix rows = coordinates(block, features);
    for (Index i = 0; i < rows.rows(); ++i) {
      GroupSample& sample = sample_of(groups[i]);
      ++sample.seen;
      Stream stream(seed_, Purpose::kDiagnosis, static_cast<std::uint64_t>(block.first_row + i),
                    kSampledRows);
      const double number = stream.uniform();
      if (number >= sample.limit) continue;
      sample.values.insert(sample.values.end(), rows.row(i).begin(), rows.row(i).end());
      sample.numbers.push_back(number);
      sample.labels.push_back(labels.empty() ? -1 : labels[i]);
      ++kept_;
    }
    if (2 * kept_ > 3 * most_) keep_most();
  }

  Matrix coordinates(Table& block, const std::vector<std::string>& features) const {
    if (model_.columns.empty()) return features_of(block, features);
    const std::vector<std::string> known = model_.columns.feature_names();
    std::vector<Index> places;
    places.reserve(features.size());
    for (const std::string& name : features) places.push_back(block.find(name));
    for (std::size_t j = 0; j < known.size(); ++j) block.columns[places[j]].name = known[j];
    return model_.columns.coordinates(block, workers_);
  }

  std::vector<Index> labels_of(const Table& block) {
    std::vector<Index> out;
    const bool absent = may_lack_label(options_, "") && !has_columns(block, options_.label);
    if (options_.label.empty() || absent) return out;
    for (const std::string& label : labels_of_rows(block, options_.label)) {
      const auto [found, is_new] = label_codes_.try_emplace(label, label_codes_.size());
      out.push_back(label.empty() ? -1 : static_cast<Index>(found->second));
    }
    return out;
  }

  GroupSample& sample_of(Index group) {
    const auto [found, is_new] = place_of_.try_emplace(group, samples_.size());
    if (is_new) {
      samples_.emplace_back();
      in_flow_.push_back(group);
    }
    return samples_[found->second];
  }

  void keep_most() {
    std::vector<Index> sizes;
    for (const GroupSample& sample : samples_) sizes.push_back(sample.kept());
    const Index per_group = rows_per_group(sizes, most_);
    kept_ = 0;
    for (GroupSample& sample : samples_) {
      sample.keep(per_group, dim());
      kept_ += sample.kept();
    }
    cut_ = true;
  }

  // Labels are numbered in the order of their names.
  void set_labels(GroupSet& groups, std::vector<std::vector<Index>> codes) const {
    if (options_.label.empty()) return;
    std::vector<std::string> names;
    std::vector<Index> place(label_codes_.size(), -1);
    for (const auto& [name, code] : label_codes_) {
      if (name.empty()) continue;
      place[code] = static_cast<Index>(names.size());
      names.push_back(name);
    }
    for (auto& of_group : codes) {
      for (Index& code : of_group) code = code < 0 ? -1 : place[code];
    }
    groups.set_labels(names, std::move(codes));
  }

  const Model& model_;
  const DatasetOptions& options_;
  Index most_;
  std::uint64_t seed_;
  Workers workers_;
  std::vector<GroupSample> samples_;
  std::vector<Index> in_flow_;
  std::map<Index, std::size_t> place_of_;
  std::map<std::string, std::size_t> label_codes_;
  std::vector<std::string> names_;
  Index before_ = 0;
  Index kept_ = 0;
  bool cut_ = false;
};

}  // namespace

bool can_be_sampled(const Model& model, const DatasetOptions& options) {
  const std::vector<std::string>& groups = model.flow.group_names();
  const auto is_group = [&](const std::string& path) {
    return std::find(groups.begin(), groups.end(), group_of_file(path, options)) != groups.end();
  };
  const bool known =
      !options.group.empty() || std::all_of(options.paths.begin(), options.paths.end(), is_group);
  return known && options.meta.empty() && options.where.empty() &&
         std::find(options.paths.begin(), options.paths.end(), "-") == options.paths.end();
}

SampledGroups sample_groups(const Model& model, const DatasetOptions& options, Index most,
                            std::uint64_t seed, const MessageCallback& on_message) {
  Sampler sampler(model, options, most, seed);
  for (const std::string& path : options.paths) sampler.read(path, on_message);
  return sampler.finish();
}

}  // namespace conflux
