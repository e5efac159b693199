#include "metrics/boosted_trees.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <limits>
#include <string>

#include "conflux/core/error.h"
#include "core/stop.h"

namespace conflux {

namespace {

// The settings that scikit-learn's HistGradientBoosting and LightGBM have proved on many tables.
constexpr const char* kLeaves = "31";
constexpr const char* kLearningRate = "0.1";
// A leaf of about 20 rows while nothing is known of them (each then has curvature 1/4), less where
// there are few rows in all.
constexpr double kLeastCurvature = 5;
constexpr double kLeastShare = 0.02;
// More rows than these per bin say little about where to cut, and bins cost time in each node.
constexpr Index kRowsPerBin = 8;
constexpr Index kFewestBins = 32;
constexpr Index kMostBins = 256;
// Bins of all features together, which every node looks at: where there are many features, each
// needs to be cut less finely.
constexpr Index kMostBinsInAll = 3200;

Index bins_for(const SingleMatrix& rows) {
  const Index wanted = std::clamp(rows.rows() / kRowsPerBin, kFewestBins, kMostBins);
  return std::max(kFewestBins, std::min(wanted, kMostBinsInAll / rows.cols()));
}

void require(int result) {
  if (result != 0) throw Error(fmt::format("XGBoost: {}", XGBGetLastError()));
}

class Table {
 public:
  explicit Table(const SingleMatrix& rows) {
    require(XGDMatrixCreateFromMat(rows.data(), static_cast<bst_ulong>(rows.rows()),
                                   static_cast<bst_ulong>(rows.cols()),
                                   std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Table() { XGDMatrixFree(handle_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void set(const char* field, const std::vector<float>& values) {
    require(XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size()));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct BoostedTrees::Handles {
  BoosterHandle booster = nullptr;
  ~Handles() {
    if (booster != nullptr) XGBoosterFree(booster);
  }
};

BoostedTrees::BoostedTrees(const SingleMatrix& rows, const std::vector<char>& is_member,
                           const BoostingSettings& settings)
    : handles_(std::make_unique<Handles>()) {
  const auto count = static_cast<double>(is_member.size());
  const auto members = static_cast<double>(std::count(is_member.begin(), is_member.end(), char{1}));
  std::vector<float> labels, weights;
  for (const char member : is_member) {
    labels.push_back(member ? 1.0F : 0.0F);
    weights.push_back(static_cast<float>(count / 2 / (member ? members : count - members)));
  }
  Table table(rows);
  table.set("label", labels);
  table.set("weight", weights);
  const DMatrixHandle known[] = {table.handle()};
  require(XGBoosterCreate(known, 1, &handles_->booster));
  const auto set = [&](const char* name, const std::string& value) {
    require(XGBoosterSetParam(handles_->booster, name, value.c_str()));
  };
  set("verbosity", "0");
  set("nthread", "1");
  set("objective", "binary:logistic");
  set("tree_method", "hist");
  set("grow_policy", "lossguide");
  set("max_depth", "0");
  set("max_leaves", kLeaves);
  set("eta", kLearningRate);
  set("max_bin", std::to_string(bins_for(rows)));
  set("min_child_weight", fmt::format("{}", std::min(kLeastCurvature, kLeastShare * count)));
  set("seed", std::to_string(settings.seed));
  for (int tree = 0; tree < settings.trees; ++tree) {
    throw_if_stopped();
    require(XGBoosterUpdateOneIter(handles_->booster, tree, table.handle()));
  }
}

BoostedTrees::~BoostedTrees() = default;

std::vector<double> BoostedTrees::scores(const SingleMatrix& rows, Index trees) const {
  const Table table(rows);
  // Sums of leaves: probabilities would round to 1 and tie where the trees are sure.
  const std::string sums_of_leaves = fmt::format(
      R"({{"type": 1, "training": false, "iteration_begin": 0, "iteration_end": {},
          "strict_shape": false}})",
      trees);
  const bst_ulong* shape = nullptr;
  bst_ulong dim = 0;
  const float* values = nullptr;
  require(XGBoosterPredictFromDMatrix(handles_->booster, table.handle(), sums_of_leaves.c_str(),
                                      &shape, &dim, &values));
  return {values, values + rows.rows()};
}

}  // namespace conflux
