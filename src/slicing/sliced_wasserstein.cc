#include "slicing/sliced_wasserstein.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/stopwatch.h"
#include "kernels/product.h"
#include "kernels/sort.h"
#include "univariate/wasserstein.h"

namespace conflux {

namespace {

// Sizes of tasks. They fix the order of sums, so they must not depend on the number of threads.
constexpr Index kProjectRows = 96;
constexpr Index kTrialColumns = 512;
constexpr Index kGradientFeatures = 48;
constexpr Index kGradientRows = 16384;
// Projections carried from step to step gather rounding; they are made anew this often.
constexpr Index kStepsPerProjection = 50;

// A task of every group: groups have their own number of tasks.
struct Task {
  Index group;
  Index begin;
  Index end;
};

template <class Scalar>
std::vector<Task> cut(const std::vector<MatrixOf<Scalar>>& rows, Index block) {
  std::vector<Task> tasks;
  for (Index m = 0; m < static_cast<Index>(rows.size()); ++m) {
    for (Index begin = 0; begin < rows[m].rows(); begin += block) {
      tasks.push_back({m, begin, std::min(rows[m].rows(), begin + block)});
    }
  }
  return tasks;
}

// Scratch of one thread, kept from task to task.
template <class Scalar>
struct Scratch {
  std::vector<Scalar> numbers;
  std::vector<std::uint32_t> rows;
  std::vector<double> levels;
  kernels::SortBuffer sort;
};

template <class Scalar>
Scratch<Scalar>& scratch() {
  thread_local Scratch<Scalar> instance;
  return instance;
}

}  // namespace

namespace {

template <class Scalar>
void add_pass(const SearchSample<Scalar>& sample, Index k, const Stopwatch& watch, Work& work) {
  work.add_product(static_cast<double>(sample.num_samples()), static_cast<double>(sample.dim()),
                   static_cast<double>(k), sizeof(Scalar), 1, watch.seconds());
}

}  // namespace

template <class Scalar>
std::vector<MatrixOf<Scalar>> project_rows(const SearchSample<Scalar>& sample,
                                           const Matrix& columns, Work& work,
                                           const Workers& workers) {
  const Stopwatch watch;
  const Index dim = sample.dim();
  const Index width = kernels::padded_width<Scalar>(columns.cols());
  const std::vector<Scalar> w = kernels::padded<Scalar>(columns);
  std::vector<MatrixOf<Scalar>> out;
  for (const auto& rows : sample.rows) out.emplace_back(rows.rows(), columns.cols());
  const std::vector<Task> tasks = cut(sample.rows, kProjectRows);
  workers.for_each(static_cast<Index>(tasks.size()), [&](Index t) {
    const Task task = tasks[t];
    const Index count = task.end - task.begin;
    std::vector<Scalar>& buffer = scratch<Scalar>().numbers;
    buffer.resize(static_cast<std::size_t>(count * width));
    kernels::project(sample.rows[task.group].data() + task.begin * dim, dim, count, dim, w.data(),
                     width, buffer.data());
    for (Index i = 0; i < count; ++i) {
      std::copy_n(buffer.data() + i * width, columns.cols(),
                  out[task.group].row(task.begin + i).data());
    }
  });
  add_pass(sample, columns.cols(), watch, work);
  return out;
}

template <class Scalar>
SlicedSpread<Scalar>::SlicedSpread(const SearchSample<Scalar>& sample,
                                   std::vector<double> group_weights, Index directions,
                                   const Workers& workers)
    : sample_(sample),
      group_weights_(std::move(group_weights)),
      directions_(directions),
      workers_(workers) {
  const Index width = kernels::padded_width<Scalar>(directions);
  for (const auto& rows : sample.rows) {
    for (Projections* each : {&here_, &direction_, &trial_, &sorted_}) {
      each->emplace_back(directions, rows.rows());
    }
    residuals_.emplace_back(static_cast<std::size_t>(rows.rows() * width), Scalar{0});
  }
}

template <class Scalar>
void SlicedSpread<Scalar>::project(const Matrix& columns, Projections& out) {
  const Stopwatch watch;
  const Index dim = sample_.dim();
  const Index width = kernels::padded_width<Scalar>(directions_);
  const std::vector<Scalar> w = kernels::padded<Scalar>(columns);
  const std::vector<Task> tasks = cut(sample_.rows, kProjectRows);
  workers_.for_each(static_cast<Index>(tasks.size()), [&](Index t) {
    const Task task = tasks[t];
    const Index count = task.end - task.begin;
    std::vector<Scalar>& buffer = scratch<Scalar>().numbers;
    buffer.resize(static_cast<std::size_t>(count * width));
    const MatrixOf<Scalar>& x = sample_.rows[task.group];
    kernels::project(x.data() + task.begin * dim, dim, count, dim, w.data(), width, buffer.data());
    for (Index k = 0; k < directions_; ++k) {
      Scalar* line = out[task.group].data() + k * x.rows() + task.begin;
      for (Index i = 0; i < count; ++i) line[i] = buffer[i * width + k];
    }
  });
  ++passes_;
  add_pass(sample_, directions_, watch, work_);
}

// Direction by direction: sort the projections of every group, compare them with their barycenter.
template <class Scalar>
std::vector<double> SlicedSpread<Scalar>::spreads(const Projections& projections,
                                                  bool with_residuals) {
  const Stopwatch watch;
  const Index groups = sample_.num_groups();
  const Index width = kernels::padded_width<Scalar>(directions_);
  const bool weighted = std::any_of(sample_.masses.begin(), sample_.masses.end(),
                                    [](const auto& masses) { return !masses.empty(); });
  const bool need_rows = with_residuals || weighted;
  std::vector<double> out(static_cast<std::size_t>(directions_));
  workers_.for_each(directions_, [&](Index k) {
    Scratch<Scalar>& mine = scratch<Scalar>();
    const auto total = static_cast<std::size_t>(sample_.num_samples());
    mine.rows.resize(total);
    mine.levels.resize(weighted ? total : 0);
    mine.numbers.resize(with_residuals ? total : 0);
    std::vector<SortedSample<Scalar>> samples;
    std::vector<Scalar*> residuals;
    std::size_t offset = 0;
    for (Index m = 0; m < groups; ++m) {
      const Index count = projections[m].cols();
      Scalar* values = sorted_[m].data() + k * count;
      std::copy_n(projections[m].data() + k * count, count, values);
      std::uint32_t* rows = mine.rows.data() + offset;
      if (need_rows) {
        kernels::sort_rows(values, count, rows, mine.sort);
      } else {
        kernels::sort_values(values, count);
      }
      SortedSample<Scalar> sample{{values, static_cast<std::size_t>(count)}, {}};
      const std::vector<double>& masses = sample_.masses[m];
      if (!masses.empty()) {
        double* levels = mine.levels.data() + offset;
        double sum = 0;
        for (Index i = 0; i < count; ++i) levels[i] = sum += masses[rows[i]];
        for (Index i = 0; i < count; ++i) levels[i] /= sum;
        sample.levels = {levels, static_cast<std::size_t>(count)};
      }
      samples.push_back(sample);
      if (with_residuals) residuals.push_back(mine.numbers.data() + offset);
      offset += static_cast<std::size_t>(count);
    }
    out[k] = barycenter_spread<Scalar>(samples, group_weights_, residuals);
    offset = 0;
    for (Index m = 0; with_residuals && m < groups; ++m) {
      const Index count = projections[m].cols();
      for (Index i = 0; i < count; ++i) {
        residuals_[m][mine.rows[offset + i] * width + k] = residuals[m][i];
      }
      offset += static_cast<std::size_t>(count);
    }
  });
  work_.sort_seconds += watch.seconds();
  return out;
}

template <class Scalar>
double SlicedSpread<Scalar>::value_of(const Projections& projections, bool with_residuals) {
  const std::vector<double> each = spreads(projections, with_residuals);
  return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(directions_);
}

template <class Scalar>
std::vector<double> SlicedSpread<Scalar>::per_direction() {
  return spreads(here_, false);
}

template <class Scalar>
double SlicedSpread<Scalar>::start(const Frame& frame) {
  project(frame.columns(), here_);
  steps_since_projection_ = 0;
  residuals_are_here_ = true;
  return value_of(here_, true);
}

template <class Scalar>
Matrix SlicedSpread<Scalar>::gradient() {
  ++passes_;
  return gradient_over(sample_);
}

// Features are cut into strips, rows into long blocks; the blocks of a strip are added in order.
template <class Scalar>
Matrix SlicedSpread<Scalar>::gradient_over(const SearchSample<Scalar>& sample) {
  if (!residuals_are_here_) spreads(here_, true);
  residuals_are_here_ = true;
  const Stopwatch watch;
  const Index dim = sample.dim();
  const Index width = kernels::padded_width<Scalar>(directions_);
  const std::vector<Task> blocks = cut(sample.rows, kGradientRows);
  const Index strips = (dim + kGradientFeatures - 1) / kGradientFeatures;
  const auto num_blocks = static_cast<Index>(blocks.size());
  std::vector<std::vector<Scalar>> parts(
      blocks.size(), std::vector<Scalar>(static_cast<std::size_t>(dim * width), Scalar{0}));
  workers_.for_each(num_blocks * strips, [&](Index t) {
    const Task block = blocks[t / strips];
    const Index begin = t % strips * kGradientFeatures;
    const Index end = std::min(dim, begin + kGradientFeatures);
    kernels::accumulate(
        sample.rows[block.group].data() + block.begin * dim, dim, block.end - block.begin, begin,
        end, residuals_[block.group].data() + block.begin * width, width, parts[t / strips].data());
  });
  add_pass(sample, directions_, watch, work_);
  Matrix g = Matrix::Zero(dim, directions_);
  for (const std::vector<Scalar>& part : parts) {
    for (Index j = 0; j < dim; ++j) {
      for (Index k = 0; k < directions_; ++k) g(j, k) += part[j * width + k];
    }
  }
  return g * (2 / static_cast<double>(directions_));
}

template <class Scalar>
void SlicedSpread<Scalar>::set_direction(const Matrix& basis) {
  project(basis, direction_);
  trial_number_ = 0;
}

template <class Scalar>
double SlicedSpread<Scalar>::trial(const SpanStep& step) {
  const MatrixOf<Scalar> a = step.a.transpose().cast<Scalar>();
  const MatrixOf<Scalar> b = step.b.transpose().cast<Scalar>();
  const Index k = directions_;
  std::vector<Task> tasks;
  for (Index m = 0; m < sample_.num_groups(); ++m) {
    const Index count = here_[m].cols();
    for (Index begin = 0; begin < count; begin += kTrialColumns) {
      tasks.push_back({m, begin, std::min(count, begin + kTrialColumns)});
    }
  }
  workers_.for_each(static_cast<Index>(tasks.size()), [&](Index t) {
    const Task task = tasks[t];
    const Index count = task.end - task.begin;
    const Index stride = here_[task.group].cols();
    Scalar* out = trial_[task.group].data() + task.begin;
    for (Index line = 0; line < k; ++line) std::fill_n(out + line * stride, count, Scalar{0});
    kernels::expand(out, stride, k, count, a.data(), k, k, here_[task.group].data() + task.begin,
                    stride);
    kernels::expand(out, stride, k, count, b.data(), k, k,
                    direction_[task.group].data() + task.begin, stride);
  });
  trial_has_residuals_ = trial_number_++ >= last_accepted_;
  if (trial_has_residuals_) residuals_are_here_ = false;
  return value_of(trial_, trial_has_residuals_);
}

template <class Scalar>
void SlicedSpread<Scalar>::accept(const Frame& frame) {
  std::swap(here_, trial_);
  residuals_are_here_ = trial_has_residuals_;
  last_accepted_ = trial_number_ - 1;
  if (++steps_since_projection_ == kStepsPerProjection) {
    project(frame.columns(), here_);
    steps_since_projection_ = 0;
    residuals_are_here_ = false;
  }
}

template std::vector<MatrixOf<float>> project_rows(const SearchSample<float>&, const Matrix&, Work&,
                                                   const Workers&);
template std::vector<MatrixOf<double>> project_rows(const SearchSample<double>&, const Matrix&,
                                                    Work&, const Workers&);
template class SlicedSpread<float>;
template class SlicedSpread<double>;

}  // namespace conflux
