// Texts that processes tell each other, and errors that end all of them.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conflux/comm/communicator.h"

namespace conflux {

/// The texts of every process, in order of rank.
std::vector<std::vector<std::string>> gather_texts(const std::vector<std::string>& mine,
                                                   Communicator& comm);

/// Runs `task`, which must not exchange anything. If it throws InvalidData or another Error on some
/// process, all processes throw InvalidData with the name and the message of the first of these.
void do_together(Communicator& comm, const std::function<void()>& task);

/// Lets one process after the other, in the order of ranks, go on with the numbers that those
/// before it have left; all have the last ones in the end. So sums over rows that lie in that order
/// have the bits of one process, which would add them up in turn as well.
void in_turn(Communicator& comm, std::span<double> numbers, const std::function<void()>& go_on);

}  // namespace conflux
