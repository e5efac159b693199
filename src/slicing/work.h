// Counts of the work of a search.

#pragma once

namespace conflux {

struct Work {
  /// Wall-clock seconds of products with rows, and of sorting with what is done to sorted values.
  double product_seconds = 0;
  double sort_seconds = 0;
  /// The products alone: multiplications and additions, and bytes of rows read or written.
  double flops = 0;
  double bytes = 0;

  Work& operator+=(const Work& other) {
    product_seconds += other.product_seconds;
    sort_seconds += other.sort_seconds;
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }

  /// Adds a product of rows x dim numbers of `size` bytes with dim x k, and the seconds it took.
  /// `touches` is how often a row is read or written.
  void add_product(double rows, double dim, double k, double size, double touches, double seconds) {
    product_seconds += seconds;
    flops += 2 * rows * dim * k;
    bytes += touches * rows * dim * size;
  }
};

}  // namespace conflux
