#include "conflux/storage/checkpoint.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "core/disk_scratch.h"
#include "files/digest.h"
#include "storage/model_tensors.h"

namespace conflux {

namespace {

void add(Digest& digest, Index number) { digest.add(std::as_bytes(std::span(&number, 1))); }

void add(Digest& digest, const std::string& text) {
  add(digest, static_cast<Index>(text.size()));
  digest.add(std::as_bytes(std::span(text)));
}

// `place` names where it comes from.
StoredModel unfinished(StoredModel stored, const std::string& place) {
  if (stored.data_digest) return stored;
  throw InvalidData(place + "this is a finished model; resume from a checkpoint.");
}

StoredModel unfinished(const std::string& path) {
  return unfinished(load_stored_model(path), path + ": ");
}

Fit of_data(StoredModel stored, const std::string& digest, const std::string& place) {
  if (*stored.data_digest != digest) {
    throw InvalidData(fmt::format(
        "{}the checkpoint was made from other data ({}, not {}); give it the same data, or start "
        "anew.",
        place, *stored.data_digest, digest));
  }
  return {std::move(stored.model.flow), std::move(stored.model.record)};
}

TensorWriter written(const Fit& so_far, const std::string& digest,
                     const std::map<std::string, std::string>& metadata) {
  return write_model({.flow = so_far.flow, .record = so_far.record, .metadata = metadata}, digest);
}

}  // namespace

std::string data_digest(const GroupSet& groups, const std::function<void(double*)>& change_row) {
  Digest digest;
  std::vector<double> changed(static_cast<std::size_t>(groups.dim()));
  std::vector<double> buffer;
  add(digest, groups.num_groups());
  add(digest, groups.dim());
  for (const std::string& name : groups.feature_names()) add(digest, name);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Group& group = groups[m];
    add(digest, group.name);
    add(digest, group.rows.rows());
    for (Index i = 0; i < group.rows.rows(); ++i) {
      if (i % kRowsPerLook == 0) DiskScratch::look();
      const std::span row(group.rows.row(i, buffer), changed.size());
      if (change_row) {
        std::copy(row.begin(), row.end(), changed.begin());
        change_row(changed.data());
      }
      digest.add(std::as_bytes(change_row ? std::span<const double>(changed) : row));
    }
    add(digest, 0);  // where weights stood once
    digest.add(std::as_bytes(group.labels));
  }
  return "xxh3-128:" + digest.hex();
}

std::string checkpoint_digest(const GroupSet& groups, const std::string& rows) {
  Digest digest;
  bool weighted = false;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    weighted |= !groups[m].masses.empty();
    digest.add(std::as_bytes(groups[m].masses));
  }
  return weighted ? rows + "-weights:" + digest.hex() : rows;
}

void save_checkpoint(const std::string& path, const Fit& so_far, const std::string& digest,
                     const std::map<std::string, std::string>& metadata) {
  written(so_far, digest, metadata).save(path);
}

std::vector<std::byte> checkpoint_bytes(const Fit& so_far, const std::string& digest) {
  return written(so_far, digest, {}).bytes();
}

std::map<std::string, std::string> checkpoint_metadata(const std::string& path) {
  return unfinished(path).model.metadata;
}

Fit load_checkpoint(const std::string& path, const std::string& digest) {
  return of_data(unfinished(path), digest, path + ": ");
}

Fit parse_checkpoint(std::span<const std::byte> bytes, const std::string& digest) {
  return of_data(unfinished(read_model(Bytes(bytes.begin(), bytes.end())), ""), digest, "");
}

}  // namespace conflux
