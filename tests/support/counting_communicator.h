// Counts the messages that one process of a fit receives, and their sizes.

#pragma once

#include "conflux/comm/communicator.h"

namespace conflux {

// Counts exchanges, and numbers that this process gets from others or, by sums, needs from them.
class CountingCommunicator final : public Communicator {
 public:
  explicit CountingCommunicator(Communicator& comm) : comm_(comm) {}

  Index exchanges = 0;
  Index received = 0;

  Index rank() const override { return comm_.rank(); }
  Index size() const override { return comm_.size(); }
  using Communicator::sum;
  void sum(std::span<double> values) override { comm_.sum(counted(values)); }
  void min(std::span<double> values) override { comm_.min(counted(values)); }
  void max(std::span<double> values) override { comm_.max(counted(values)); }
  void broadcast(std::span<double> values, Index root) override {
    comm_.broadcast(counted(values), root);
  }
  std::vector<double> gather(std::span<const double> values) override {
    std::vector<double> out = comm_.gather(values);
    counted(std::span(out).first(out.size() - values.size()));
    return out;
  }
  std::vector<std::vector<double>> exchange(std::span<const std::vector<double>> parts) override {
    std::vector<std::vector<double>> out = comm_.exchange(parts);
    ++exchanges;
    for (std::size_t r = 0; r < out.size(); ++r) {
      if (static_cast<Index>(r) != rank()) received += static_cast<Index>(out[r].size());
    }
    return out;
  }

 private:
  std::span<double> counted(std::span<double> values) {
    ++exchanges;
    received += static_cast<Index>(values.size());
    return values;
  }

  Communicator& comm_;
};

}  // namespace conflux
