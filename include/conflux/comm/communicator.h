// Sums and exchanges among the processes of a fit.
//
// Rows are spread over processes; everything that a fit needs from all rows reduces to small arrays
// that pass through here. Every process must make the same calls in the same order, and every call
// gives all processes the same bits. SelfCommunicator is the case of one process.

#pragma once

#include <span>
#include <vector>

#include "conflux/core/index.h"

namespace conflux {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual Index rank() const = 0;
  virtual Index size() const = 0;

  /// Replace each entry by its sum, smallest or largest value over the processes.
  virtual void sum(std::span<double> values) = 0;
  virtual void min(std::span<double> values) = 0;
  virtual void max(std::span<double> values) = 0;

  /// Gives every process the values of process `root`.
  virtual void broadcast(std::span<double> values, Index root) = 0;

  /// The values of all processes, in order of rank; lengths may differ.
  virtual std::vector<double> gather(std::span<const double> values) = 0;

  /// Gives process r the values `parts[r]`; the answer is what each process had for this one, in
  /// order of rank. A transport that can send to one process alone does better than this, which
  /// gives everything to all.
  virtual std::vector<std::vector<double>> exchange(std::span<const std::vector<double>> parts) {
    std::vector<double> packed;
    for (const auto& part : parts) packed.push_back(static_cast<double>(part.size()));
    for (const auto& part : parts) packed.insert(packed.end(), part.begin(), part.end());
    const std::vector<double> all = gather(packed);
    std::vector<std::vector<double>> out;
    for (const double* at = all.data(); static_cast<Index>(out.size()) < size();) {
      const double* lengths = at;
      at += size();
      for (Index r = 0; r < size(); ++r) {
        const auto length = static_cast<Index>(lengths[r]);
        if (r == rank()) out.emplace_back(at, at + length);
        at += length;
      }
    }
    return out;
  }

  double sum(double value) {
    sum(std::span(&value, 1));
    return value;
  }
};

/// One process that holds every row.
class SelfCommunicator final : public Communicator {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  using Communicator::sum;
  void sum(std::span<double>) override {}
  void min(std::span<double>) override {}
  void max(std::span<double>) override {}
  void broadcast(std::span<double>, Index) override {}
  std::vector<double> gather(std::span<const double> values) override {
    return {values.begin(), values.end()};
  }
};

}  // namespace conflux
