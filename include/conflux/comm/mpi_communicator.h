// A Communicator of MPI processes.
//
//   MPI_Init(&argc, &argv);
//   MpiCommunicator comm(MPI_COMM_WORLD);
//   const Fit fit = fit_flow(my_rows, options, comm, {});   // the same on every process
//
// For programs that are compiled with MPI's headers; without these there is nothing here. An MPI
// error ends the program, unless the caller has chosen otherwise for his communicator. Sums are
// added in the order of ranks, so that all processes, and every run, have the same bits.

#pragma once

#if __has_include(<mpi.h>)

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "conflux/comm/communicator.h"

namespace conflux {

class MpiCommunicator final : public Communicator {
 public:
  /// Borrows it; it must live as long as this.
  explicit MpiCommunicator(MPI_Comm processes) : processes_(processes) {}

  Index rank() const override {
    int out = 0;
    MPI_Comm_rank(processes_, &out);
    return out;
  }
  Index size() const override {
    int out = 0;
    MPI_Comm_size(processes_, &out);
    return out;
  }

  using Communicator::sum;
  void sum(std::span<double> values) override {
    const std::vector<double> all = gather(values);
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) values[i % values.size()] += all[i];
  }
  void min(std::span<double> values) override { reduce(values, MPI_MIN); }
  void max(std::span<double> values) override { reduce(values, MPI_MAX); }

  void broadcast(std::span<double> values, Index root) override {
    for_each_piece(values.size(), [&](std::size_t begin, int count) {
      MPI_Bcast(values.data() + begin, count, MPI_DOUBLE, static_cast<int>(root), processes_);
    });
  }

  std::vector<double> gather(std::span<const double> values) override {
    const auto mine = static_cast<long long>(values.size());
    std::vector<long long> sizes(static_cast<std::size_t>(size()));
    MPI_Allgather(&mine, 1, MPI_LONG_LONG, sizes.data(), 1, MPI_LONG_LONG, processes_);
    std::vector<double> out(
        static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0LL)));
    std::size_t at = 0;
    // One after the other: pieces of any length, where MPI counts by int.
    for (std::size_t root = 0; root < sizes.size(); ++root) {
      const std::span<double> part(out.data() + at, static_cast<std::size_t>(sizes[root]));
      if (static_cast<Index>(root) == rank()) std::copy(values.begin(), values.end(), part.begin());
      broadcast(part, static_cast<Index>(root));
      at += part.size();
    }
    return out;
  }

  std::vector<std::vector<double>> exchange(std::span<const std::vector<double>> parts) override {
    const auto count = static_cast<std::size_t>(size());
    std::vector<long long> lengths(count), coming(count);
    for (std::size_t r = 0; r < count; ++r) lengths[r] = static_cast<long long>(parts[r].size());
    MPI_Alltoall(lengths.data(), 1, MPI_LONG_LONG, coming.data(), 1, MPI_LONG_LONG, processes_);
    std::vector<std::vector<double>> out(count);
    std::vector<MPI_Request> requests;
    for (std::size_t r = 0; r < count; ++r) {
      out[r].resize(static_cast<std::size_t>(coming[r]));
      const int other = static_cast<int>(r);
      for_each_piece(out[r].size(), [&](std::size_t begin, int length) {
        MPI_Irecv(out[r].data() + begin, length, MPI_DOUBLE, other, 0, processes_,
                  &requests.emplace_back());
      });
      for_each_piece(parts[r].size(), [&](std::size_t begin, int length) {
        MPI_Isend(parts[r].data() + begin, length, MPI_DOUBLE, other, 0, processes_,
                  &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return out;
  }

 private:
  static constexpr std::size_t kMostAtATime = std::size_t{1} << 26;

  template <class F>
  static void for_each_piece(std::size_t length, F f) {
    for (std::size_t begin = 0; begin < length; begin += kMostAtATime) {
      f(begin, static_cast<int>(std::min(kMostAtATime, length - begin)));
    }
  }

  void reduce(std::span<double> values, MPI_Op operation) {
    for_each_piece(values.size(), [&](std::size_t begin, int count) {
      MPI_Allreduce(MPI_IN_PLACE, values.data() + begin, count, MPI_DOUBLE, operation, processes_);
    });
  }

  MPI_Comm processes_;
};

}  // namespace conflux

#endif
