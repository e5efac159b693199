// Which requests are answered at all, decided by their heads alone.
//
// The server listens on this machine only, but every page that a browser shows can send requests
// there, under any name that points here, and so can every other user of the machine. So a request
// must call the server by the name it has, one that changes something must come from our own page,
// and everything but the page itself needs a secret that only the printed address holds.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conflux::app {

inline constexpr std::string_view kTokenHeader = "X-Conflux-Token";
inline constexpr std::string_view kUploadPath = "/api/table";
/// Requests that are no upload are a few words.
inline constexpr std::uint64_t kMostBytesOfWords = 64 * 1024;

struct RequestHead {
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers = {};

  /// The value of a header that is there exactly once; names are compared without case.
  std::optional<std::string> header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool is_upload() const { return method == "POST" && path == kUploadPath; }
};

struct AdmissionRules {
  int port = 0;
  std::string token = {};
  std::uint64_t most_bytes_of_upload = 0;
  /// Paths that are served without the token, because they hold no data.
  std::vector<std::string> open_paths = {};
};

struct Refusal {
  int status = 0;
  std::string sentence = {};
};

/// Unset: the request may be answered.
std::optional<Refusal> refuse(const RequestHead& head, const AdmissionRules& rules);

/// The length of the body that a head announces; unset unless it is one plain number.
std::optional<std::uint64_t> announced_length(const RequestHead& head);

/// Takes the same time wherever two texts of one length differ.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace conflux::app
