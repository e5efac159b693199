#include "files/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace conflux {

struct Digest::State {
  XXH3_state_t* xxh = XXH3_createState();
};

Digest::Digest() : state_(std::make_unique<State>()) {
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}

Digest::~Digest() { XXH3_freeState(state_->xxh); }

void Digest::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace conflux
