// Several ranks in one process: each is a thread.
//
// Ranks meet at barriers and read each other's values in order of rank, so results do not depend on
// which thread comes first. A rank that leaves early, throws, or calls something else than the
// others makes all of them throw, where real processes would hang.

#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "conflux/comm/communicator.h"

namespace conflux {

class ThreadCommunicator final : public Communicator {
 public:
  /// Where the ranks meet.
  struct Room {
    explicit Room(Index size) : barrier(size), calls(static_cast<std::size_t>(size)) {}

    struct Call {
      std::string_view name;
      std::vector<double> values;
    };
    std::barrier<> barrier;
    std::vector<Call> calls;
    std::atomic<bool> someone_left = false;
  };

  struct Abandoned : std::logic_error {
    using std::logic_error::logic_error;
  };

  ThreadCommunicator(Room& room, Index rank) : room_(room), rank_(rank) {}

  Index rank() const override { return rank_; }
  Index size() const override { return static_cast<Index>(room_.calls.size()); }
  using Communicator::sum;

  void sum(std::span<double> values) override {
    fold("sum", values, [](double a, double b) { return a + b; });
  }
  void min(std::span<double> values) override {
    fold("min", values, [](double a, double b) { return std::min(a, b); });
  }
  void max(std::span<double> values) override {
    fold("max", values, [](double a, double b) { return std::max(a, b); });
  }
  void broadcast(std::span<double> values, Index root) override {
    exchange("broadcast", values, [&](const std::vector<Room::Call>& calls) {
      check_lengths(values.size());
      std::ranges::copy(calls[static_cast<std::size_t>(root)].values, values.begin());
    });
  }
  std::vector<double> gather(std::span<const double> values) override {
    std::vector<double> out;
    exchange("gather", values, [&](const std::vector<Room::Call>& calls) {
      for (const auto& call : calls) {
        out.insert(out.end(), call.values.begin(), call.values.end());
      }
    });
    return out;
  }

 private:
  // Everyone lays down values, everyone reads, nobody goes on before all have read.
  template <class Read>
  void exchange(std::string_view name, std::span<const double> values, Read read) {
    room_.calls[static_cast<std::size_t>(rank_)] = {name, {values.begin(), values.end()}};
    room_.barrier.arrive_and_wait();
    if (room_.someone_left) throw Abandoned("another rank has left");
    for (const auto& call : room_.calls) {
      if (call.name != name) throw Abandoned("ranks make different calls");
    }
    read(room_.calls);
    room_.barrier.arrive_and_wait();
  }

  template <class Combine>
  void fold(std::string_view name, std::span<double> values, Combine combine) {
    exchange(name, values, [&](const std::vector<Room::Call>& calls) {
      check_lengths(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = calls.front().values[i];
        for (std::size_t r = 1; r < calls.size(); ++r) {
          values[i] = combine(values[i], calls[r].values[i]);
        }
      }
    });
  }

  void check_lengths(std::size_t length) const {
    for (const auto& call : room_.calls) {
      if (call.values.size() != length) throw Abandoned("ranks give different numbers of values");
    }
  }

  Room& room_;
  Index rank_;
};

/// Runs `task` as every rank and returns when all are done. Throws what the first rank threw that
/// was not merely left alone by another.
inline void run_ranks(Index size, const std::function<void(Communicator&)>& task) {
  ThreadCommunicator::Room room(size);
  std::vector<std::exception_ptr> own(static_cast<std::size_t>(size));
  std::vector<std::exception_ptr> abandoned(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadCommunicator comm(room, rank);
      try {
        task(comm);
      } catch (const ThreadCommunicator::Abandoned&) {
        abandoned[static_cast<std::size_t>(rank)] = std::current_exception();
      } catch (...) {
        own[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      room.someone_left = true;
      room.barrier.arrive_and_drop();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto* errors : {&own, &abandoned}) {
    for (const std::exception_ptr& error : *errors) {
      if (error) std::rethrow_exception(error);
    }
  }
}

}  // namespace conflux
