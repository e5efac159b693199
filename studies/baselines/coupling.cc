#include "baselines/coupling.h"

#include <cmath>

namespace conflux::networks {

namespace {

std::vector<Index> features_where(const std::vector<bool>& moved, bool wanted) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < moved.size(); ++j) {
    if (moved[j] == wanted) out.push_back(static_cast<Index>(j));
  }
  return out;
}

// The slope of a bounded log-scale by the output of the network that it came from is this times its
// root.
template <class T>
T room_of(T log_scale) {
  const T part = log_scale / static_cast<T>(kMostLogScale);
  return std::max(T{1} - part * part, T{0});
}

}  // namespace

// Outputs of the network: the log-scales of the moved features before they are bounded, then their
// shifts.
template <class T>
Coupling<T>::Coupling(const std::vector<bool>& moved, Index hidden)
    : kept_(features_where(moved, false)),
      moved_(features_where(moved, true)),
      net_({num_kept(), hidden, hidden, 2 * num_moved()}) {}

template <class T>
const T* Coupling<T>::look(const T* parameters, MatrixView<T> rows, Trace& trace) const {
  trace.kept.resize(static_cast<std::size_t>(rows.rows() * num_kept()));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index k = 0; k < num_kept(); ++k) trace.kept[i * num_kept() + k] = rows(i, kept_[k]);
  }
  const T* out = net_.forward(parameters, trace.kept.data(), num_kept(), rows.rows(), trace.net);
  const Index stride = net_.output_stride();
  const Index count = num_moved();
  trace.log_scales.resize(static_cast<std::size_t>(rows.rows() * count));
  const T most = static_cast<T>(kMostLogScale);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index k = 0; k < count; ++k) trace.log_scales[i * count + k] = out[i * stride + k] / most;
  }
  bend<T>(trace.log_scales);
  for (T& each : trace.log_scales) each *= most;
  return out + count;
}

template <class T>
void Coupling<T>::forward(const T* parameters, MatrixView<T> rows, T* log_det, Trace& trace) const {
  const T* shifts = look(parameters, rows, trace);
  trace.from.resize(trace.log_scales.size());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index at = i * num_moved();
    for (Index k = 0; k < num_moved(); ++k) {
      T& value = rows(i, moved_[k]);
      trace.from[at + k] = value;
      value = value * std::exp(trace.log_scales[at + k]) + shifts[i * net_.output_stride() + k];
      if (log_det != nullptr) log_det[i] += trace.log_scales[at + k];
    }
  }
}

template <class T>
void Coupling<T>::inverse(const T* parameters, MatrixView<T> rows, T* log_det, Trace& trace) const {
  const T* shifts = look(parameters, rows, trace);
  trace.from.resize(trace.log_scales.size());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index at = i * num_moved();
    for (Index k = 0; k < num_moved(); ++k) {
      T& value = rows(i, moved_[k]);
      value = (value - shifts[i * net_.output_stride() + k]) * std::exp(-trace.log_scales[at + k]);
      trace.from[at + k] = value;
      if (log_det != nullptr) log_det[i] -= trace.log_scales[at + k];
    }
  }
}

template <class T>
void Coupling<T>::backward(const T* parameters, Trace& trace, MatrixView<T> slopes,
                           const T* by_log_det, T* gradient) const {
  const Index stride = net_.output_stride();
  const Index count = num_moved();
  trace.by_outputs.assign(static_cast<std::size_t>(slopes.rows() * stride), T{0});
  for (Index i = 0; i < slopes.rows(); ++i) {
    for (Index k = 0; k < count; ++k) {
      T& slope = slopes(i, moved_[k]);
      const T log_scale = trace.log_scales[i * count + k];
      const T scaled_slope = slope * std::exp(log_scale);
      const T room = room_of(log_scale);
      trace.by_outputs[i * stride + k] =
          (scaled_slope * trace.from[i * count + k] + by_log_det[i]) * room * std::sqrt(room);
      trace.by_outputs[i * stride + count + k] = slope;
      slope = scaled_slope;
    }
  }
  backward_of_net(parameters, trace, slopes, gradient);
}

template <class T>
void Coupling<T>::backward_of_inverse(const T* parameters, Trace& trace, MatrixView<T> slopes,
                                      T* gradient) const {
  const Index stride = net_.output_stride();
  const Index count = num_moved();
  trace.by_outputs.assign(static_cast<std::size_t>(slopes.rows() * stride), T{0});
  for (Index i = 0; i < slopes.rows(); ++i) {
    for (Index k = 0; k < count; ++k) {
      T& slope = slopes(i, moved_[k]);
      const T log_scale = trace.log_scales[i * count + k];
      const T room = room_of(log_scale);
      trace.by_outputs[i * stride + k] =
          -slope * trace.from[i * count + k] * room * std::sqrt(room);
      slope *= std::exp(-log_scale);
      trace.by_outputs[i * stride + count + k] = -slope;
    }
  }
  backward_of_net(parameters, trace, slopes, gradient);
}

template <class T>
void Coupling<T>::backward_of_net(const T* parameters, Trace& trace, MatrixView<T> slopes,
                                  T* gradient) const {
  const T* by_kept = net_.backward(parameters, trace.kept.data(), num_kept(), slopes.rows(),
                                   trace.by_outputs, trace.net, gradient);
  for (Index i = 0; i < slopes.rows(); ++i) {
    for (Index k = 0; k < num_kept(); ++k) {
      slopes(i, kept_[k]) += by_kept[i * net_.input_stride() + k];
    }
  }
}

template class Coupling<float>;
template class Coupling<double>;

}  // namespace conflux::networks
