// Fully connected networks: values times weights plus a bias, bent between the parts.
//
// A network knows its shape only. Its parameters are one array that others own, so that a step of
// training is a loop over it: for each part the weights, one padded row per input
// (kernels/product.h), and the bias as one more row. Padding stays zero, because nothing depends on
// it.
//
// Values of a row do not depend on the rows around it, to the bit. Cost: rows x parameters, and
// twice as much for the slopes.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"
#include "core/rng.h"

namespace conflux::networks {

/// x / sqrt(1 + x^2): as smooth as tanh, and made of operations that are rounded alike everywhere.
template <class T>
void bend(std::span<T> values);

template <class T>
class DenseNet {
 public:
  /// Numbers of inputs, of hidden values (any number of times), and of outputs.
  explicit DenseNet(std::vector<Index> widths);

  Index inputs() const { return widths_.front(); }
  Index outputs() const { return widths_.back(); }
  /// Between two rows of outputs, and between two rows of slopes by inputs.
  Index output_stride() const;
  Index input_stride() const;

  /// Length of the array of parameters, and how many of them are no padding.
  Index num_places() const;
  Index num_parameters() const;
  /// Parameters without padding to those with it, and back.
  std::vector<T> padded(std::span<const double> parameters) const;
  std::vector<double> plain(std::span<const T> parameters) const;

  /// Weights at random, those of the last part zero: at first, all outputs are zero.
  void draw(Stream& stream, std::span<T> parameters) const;

  /// Values that forward() leaves to backward().
  struct Trace {
    std::vector<std::vector<T>> values;  // after each part
    std::vector<T> slopes, earlier_slopes, transposed;
  };

  /// The outputs for rows of inputs; they stay valid until the trace is used again.
  const T* forward(const T* parameters, const T* x, Index x_stride, Index rows, Trace& trace) const;
  /// After forward() of the same rows: adds to `gradient` the slopes by the parameters of what has
  /// the slopes `by_outputs`, and returns the slopes by the inputs.
  const T* backward(const T* parameters, const T* x, Index x_stride, Index rows,
                    std::span<const T> by_outputs, Trace& trace, T* gradient) const;

 private:
  Index num_parts() const { return static_cast<Index>(widths_.size()) - 1; }
  Index stride(Index layer) const;
  /// Where the parameters of a part begin.
  Index begin(Index part) const;

  std::vector<Index> widths_;
};

}  // namespace conflux::networks
