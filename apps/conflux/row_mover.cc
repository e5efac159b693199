#include "row_mover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/training/log_density.h"
#include "conflux/training/table_mover.h"

namespace conflux::app {

RowMover::RowMover(const Model& model, Way way, const std::string& to, int threads)
    : model_(model), way_(way), workers_(threads) {
  if (!to.empty()) to_ = {model.flow.group_index(to)};
}

std::vector<double> RowMover::densities(const Matrix& rows, std::span<const Index> groups) const {
  return log_density(model_, groups, rows, workers_);
}

std::vector<double> RowMover::densities_of_values(const Table& block,
                                                  std::span<const Index> groups) const {
  const Matrix rows = model_.columns.coordinates(block, workers_);
  std::vector<double> out = densities(rows, groups);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      out[static_cast<std::size_t>(i)] +=
          std::log(model_.columns.features[static_cast<std::size_t>(j)].slope(rows(i, j)));
    }
  }
  return out;
}

void RowMover::move_values(Table& block, std::span<const Index> groups) const {
  const TableMover mover(model_, workers_);
  std::vector<Index> to(groups.begin(), groups.end());
  if (!to_.empty()) std::fill(to.begin(), to.end(), to_.front());
  switch (way_) {
    case Way::kTransform:
      mover.transform(block, groups);
      break;
    case Way::kInverse:
      mover.inverse(block, groups, to);
      break;
    case Way::kTranslate:
      mover.translate(block, groups, to);
      break;
    case Way::kLeave:
      break;
  }
  inexact_rows_ += mover.inexact_rows();
}

void RowMover::move(const Matrix& rows, std::span<const Index> groups,
                    const std::vector<std::string>& features, Table& block) const {
  std::vector<double*> columns;
  for (const std::string& name : features) {
    columns.push_back(block.columns[block.find(name)].numbers.data());
  }
  try {
    model_.flow.move(
        {.rows = rows.rows(),
         .cols = rows.cols(),
         .read = [&](Index i, double* out) { std::copy_n(rows.row(i).data(), rows.cols(), out); },
         .write =
             [&](Index i, const double* moved) {
               for (double* column : columns) column[i] = *moved++;
             }},
        route(groups), nullptr, workers_);
  } catch (const NotFinite& error) {
    throw InvalidData(fmt::format("{}: column \"{}\" is {}; drop the row or correct it.",
                                  block.place(error.row()), features[error.col()], error.value()));
  }
}

Route RowMover::route(std::span<const Index> groups) const {
  switch (way_) {
    case Way::kTransform:
      return Route::to_shared(groups);
    case Way::kInverse:
      return Route::from_shared(to_.empty() ? groups : to_);
    case Way::kTranslate:
      return Route::between(groups, to_);
    case Way::kLeave:
      break;
  }
  return {};
}

}  // namespace conflux::app
