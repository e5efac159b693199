#include "baselines/dense_net.h"

#include <algorithm>
#include <cmath>

#include "conflux/core/matrix.h"
#include "kernels/product.h"

namespace conflux::networks {

namespace {

template <class T>
using Numbers = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using ConstNumbers = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

// Slopes before a bend from those after it: 1 / (1 + x^2)^(3/2) is (1 - y^2)^(3/2) for y = bend(x).
template <class T>
void multiply_by_slopes_of_bend(const std::vector<T>& bent, std::vector<T>& slopes) {
  const ConstNumbers<T> y(bent.data(), static_cast<Index>(bent.size()));
  Numbers<T> out(slopes.data(), y.size());
  const auto rest = (1 - y.square()).max(T{0});
  out *= rest * rest.sqrt();
}

// The transposed weights (in x out), padded.
template <class T>
void transpose(const T* weights, Index in, Index out, Index stride, std::vector<T>& transposed) {
  const Index width = kernels::padded_width<T>(in);
  transposed.assign(static_cast<std::size_t>(out * width), T{0});
  for (Index i = 0; i < in; ++i) {
    for (Index o = 0; o < out; ++o) transposed[o * width + i] = weights[i * stride + o];
  }
}

}  // namespace

template <class T>
void bend(std::span<T> values) {
  Numbers<T> x(values.data(), static_cast<Index>(values.size()));
  x /= (1 + x.square()).sqrt();
}

template <class T>
DenseNet<T>::DenseNet(std::vector<Index> widths) : widths_(std::move(widths)) {}

template <class T>
Index DenseNet<T>::stride(Index layer) const {
  return kernels::padded_width<T>(widths_[static_cast<std::size_t>(layer)]);
}

template <class T>
Index DenseNet<T>::output_stride() const {
  return stride(num_parts());
}

template <class T>
Index DenseNet<T>::input_stride() const {
  return stride(0);
}

template <class T>
Index DenseNet<T>::begin(Index part) const {
  Index out = 0;
  for (Index p = 0; p < part; ++p) out += (widths_[p] + 1) * stride(p + 1);
  return out;
}

template <class T>
Index DenseNet<T>::num_places() const {
  return begin(num_parts());
}

template <class T>
Index DenseNet<T>::num_parameters() const {
  Index out = 0;
  for (Index p = 0; p < num_parts(); ++p) out += (widths_[p] + 1) * widths_[p + 1];
  return out;
}

template <class T>
std::vector<T> DenseNet<T>::padded(std::span<const double> parameters) const {
  std::vector<T> out(static_cast<std::size_t>(num_places()), T{0});
  auto next = parameters.begin();
  for (Index p = 0; p < num_parts(); ++p) {
    for (Index i = 0; i <= widths_[p]; ++i) {
      T* row = out.data() + begin(p) + i * stride(p + 1);
      for (Index o = 0; o < widths_[p + 1]; ++o) row[o] = static_cast<T>(*next++);
    }
  }
  return out;
}

template <class T>
std::vector<double> DenseNet<T>::plain(std::span<const T> parameters) const {
  std::vector<double> out;
  for (Index p = 0; p < num_parts(); ++p) {
    for (Index i = 0; i <= widths_[p]; ++i) {
      const T* row = parameters.data() + begin(p) + i * stride(p + 1);
      out.insert(out.end(), row, row + widths_[p + 1]);
    }
  }
  return out;
}

template <class T>
void DenseNet<T>::draw(Stream& stream, std::span<T> parameters) const {
  std::fill(parameters.begin(), parameters.end(), T{0});
  for (Index p = 0; p + 1 < num_parts(); ++p) {
    const double size = 1 / std::sqrt(static_cast<double>(widths_[p]));
    for (Index i = 0; i < widths_[p]; ++i) {
      T* row = parameters.data() + begin(p) + i * stride(p + 1);
      for (Index o = 0; o < widths_[p + 1]; ++o) row[o] = static_cast<T>(size * stream.normal());
    }
  }
}

template <class T>
const T* DenseNet<T>::forward(const T* parameters, const T* x, Index x_stride, Index rows,
                              Trace& trace) const {
  trace.values.resize(static_cast<std::size_t>(num_parts()));
  for (Index p = 0; p < num_parts(); ++p) {
    const Index width = stride(p + 1);
    const T* weights = parameters + begin(p);
    const T* bias = weights + widths_[p] * width;
    std::vector<T>& out = trace.values[static_cast<std::size_t>(p)];
    out.resize(static_cast<std::size_t>(rows * width));
    kernels::project(x, x_stride, rows, widths_[p], weights, width, out.data());
    for (Index i = 0; i < rows; ++i) {
      Numbers<T>(out.data() + i * width, width) += ConstNumbers<T>(bias, width);
    }
    if (p + 1 < num_parts()) bend<T>(out);
    x = out.data();
    x_stride = width;
  }
  return x;
}

template <class T>
const T* DenseNet<T>::backward(const T* parameters, const T* x, Index x_stride, Index rows,
                               std::span<const T> by_outputs, Trace& trace, T* gradient) const {
  trace.slopes.assign(by_outputs.begin(), by_outputs.end());
  for (Index p = num_parts() - 1; p >= 0; --p) {
    const Index width = stride(p + 1);
    if (p + 1 < num_parts()) {
      multiply_by_slopes_of_bend(trace.values[static_cast<std::size_t>(p)], trace.slopes);
    }
    const T* inputs = p == 0 ? x : trace.values[static_cast<std::size_t>(p - 1)].data();
    const Index inputs_stride = p == 0 ? x_stride : stride(p);
    T* by_weights = gradient + begin(p);
    kernels::accumulate(inputs, inputs_stride, rows, 0, widths_[p], trace.slopes.data(), width,
                        by_weights);
    Numbers<T> by_bias(by_weights + widths_[p] * width, width);
    for (Index i = 0; i < rows; ++i)
      by_bias += ConstNumbers<T>(trace.slopes.data() + i * width, width);
    transpose(parameters + begin(p), widths_[p], widths_[p + 1], width, trace.transposed);
    trace.earlier_slopes.resize(static_cast<std::size_t>(rows * stride(p)));
    kernels::project(trace.slopes.data(), width, rows, widths_[p + 1], trace.transposed.data(),
                     stride(p), trace.earlier_slopes.data());
    trace.slopes.swap(trace.earlier_slopes);
  }
  return trace.slopes.data();
}

template void bend<float>(std::span<float>);
template void bend<double>(std::span<double>);
template class DenseNet<float>;
template class DenseNet<double>;

}  // namespace conflux::networks
