#include "row_mover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conflux/core/error.h"
#include "conflux/model/model.h"
#include "conflux/model/table_mover.h"

namespace conflux::app {

RowMover::RowMover(const Model& model, std::optional<Direction> direction, const std::string& to,
                   int threads)
    : model_(model), direction_(direction), workers_(threads) {
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
  if (direction_) mover.move(*direction_, block, groups, to);
  for (const Index i : mover.inexact_rows()) inexact_rows_.push_back(block.place(i));
}

void RowMover::move(const Matrix& rows, std::span<const Index> groups,
                    const std::vector<std::string>& features, Table& block) const {
  const std::vector<Index> labels = labels_of_table(model_, block);
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
        route_of(*direction_, groups, to_.empty() ? groups : to_).of_labels(labels), nullptr,
        workers_);
  } catch (const NotFinite& error) {
    throw InvalidData(fmt::format("{}: column \"{}\" is {}; drop the row or correct it.",
                                  block.place(error.row()), features[error.col()], error.value()));
  }
}

}  // namespace conflux::app
