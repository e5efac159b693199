// Unfinished fits on disk.
//
//   const std::string data = checkpoint_digest(groups, data_digest(groups));
//   control.on_progress = [&](const Fit& so_far) { save_checkpoint(path, so_far, data); };
//   ...
//   const Fit earlier = load_checkpoint(path, data);
//   control.resume = &earlier;
//
// A checkpoint is a marked model file with the digest of its data. fit_flow() itself refuses to
// resume with other options.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conflux/core/group_set.h"
#include "conflux/training/fit.h"

namespace conflux {

/// A digest of rows and names, whatever the weights of the rows. Reads all rows once. `change_row`,
/// if set, changes a copy of each row before it counts.
std::string data_digest(const GroupSet& groups,
                        const std::function<void(double* row)>& change_row = {});
/// The digest of the rows with their weights, without which no fit goes on.
std::string checkpoint_digest(const GroupSet& groups, const std::string& rows);

/// As save_model(). `metadata` is anything else that is needed to go on.
void save_checkpoint(const std::string& path, const Fit& so_far, const std::string& digest,
                     const std::map<std::string, std::string>& metadata = {});

/// As load_model(). Throws InvalidData when the checkpoint was made from other data.
Fit load_checkpoint(const std::string& path, const std::string& digest);

/// The same in memory: the bytes of the file, for a fit that goes on elsewhere.
std::vector<std::byte> checkpoint_bytes(const Fit& so_far, const std::string& digest);
Fit parse_checkpoint(std::span<const std::byte> bytes, const std::string& digest);

/// The metadata that save_checkpoint() was given. Throws InvalidData for a finished model.
std::map<std::string, std::string> checkpoint_metadata(const std::string& path);

}  // namespace conflux
