#include "comm/agreement.h"

#include <fmt/format.h>

#include "conflux/core/error.h"

namespace conflux {

// A communicator carries doubles: a length before each text, and a number for each character.
std::vector<std::vector<std::string>> gather_texts(const std::vector<std::string>& mine,
                                                   Communicator& comm) {
  std::vector<double> packed = {static_cast<double>(mine.size())};
  for (const std::string& text : mine) {
    packed.push_back(static_cast<double>(text.size()));
    for (const char c : text) packed.push_back(static_cast<double>(static_cast<unsigned char>(c)));
  }
  const std::vector<double> all = comm.gather(packed);
  std::vector<std::vector<std::string>> out(static_cast<std::size_t>(comm.size()));
  auto at = all.begin();
  for (auto& texts : out) {
    texts.resize(static_cast<std::size_t>(*at++));
    for (std::string& text : texts) {
      text.resize(static_cast<std::size_t>(*at++));
      for (char& c : text) c = static_cast<char>(static_cast<unsigned char>(*at++));
    }
  }
  return out;
}

void do_together(Communicator& comm, const std::function<void()>& task) {
  std::vector<std::string> wrong;
  try {
    task();
  } catch (const Error& error) {
    if (comm.size() == 1) throw;
    wrong = {error.what()};
  }
  const auto all = gather_texts(wrong, comm);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) {
      throw InvalidData(fmt::format("process {}: {}", rank, all[rank].front()));
    }
  }
}

void in_turn(Communicator& comm, std::span<double> numbers, const std::function<void()>& go_on) {
  for (Index rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) go_on();
    comm.broadcast(numbers, rank);
  }
}

}  // namespace conflux
