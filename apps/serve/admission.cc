#include "serve/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace conflux::app {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<Refusal> refuse_body(const RequestHead& head, const AdmissionRules& rules) {
  if (head.count("Transfer-Encoding") > 0) {
    return Refusal{411, "send the length of the body; bodies in chunks are not taken."};
  }
  if (head.count("Content-Encoding") > 0) {
    return Refusal{415, "send the body as it is; compressed tables are known by their names."};
  }
  if (head.method == "GET") {
    const bool empty = head.count("Content-Length") == 0 || announced_length(head) == 0u;
    return empty ? std::nullopt : std::optional(Refusal{400, "GET has no body."});
  }
  const std::optional<std::uint64_t> length = announced_length(head);
  if (!length) return Refusal{411, "send the length of the body, once, as a number."};
  const std::uint64_t most = head.is_upload() ? rules.most_bytes_of_upload : kMostBytesOfWords;
  if (*length <= most) return std::nullopt;
  return Refusal{
      413, fmt::format("the body has {} bytes, and at most {} are taken{}.", *length, most,
                       head.is_upload()
                           ? "; start conflux serve with the table as its argument, which then is "
                             "not copied, or with a larger --max-upload"
                           : "")};
}

}  // namespace

std::optional<std::string> RequestHead::header(std::string_view name) const {
  if (count(name) != 1) return std::nullopt;
  return std::find_if(headers.begin(), headers.end(),
                      [&](const auto& each) { return same_name(each.first, name); })
      ->second;
}

std::size_t RequestHead::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(),
                    [&](const auto& each) { return same_name(each.first, name); }));
}

std::optional<std::uint64_t> announced_length(const RequestHead& head) {
  const std::optional<std::string> text = head.header("Content-Length");
  if (!text) return std::nullopt;
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
  const bool whole = error == std::errc() && end == text->data() + text->size();
  return whole ? std::optional(out) : std::nullopt;
}

bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (one[i] ^ other[i]));
  }
  return difference == 0;
}

std::optional<Refusal> refuse(const RequestHead& head, const AdmissionRules& rules) {
  if (head.method != "GET" && head.method != "POST") {
    return Refusal{405, "only GET and POST are answered."};
  }
  const std::optional<std::string> host = head.header("Host");
  if (host != fmt::format("127.0.0.1:{}", rules.port) &&
      host != fmt::format("localhost:{}", rules.port)) {
    return Refusal{403, "open the page under the address that conflux serve has printed."};
  }
  if (head.method == "POST" && head.header("Origin") != "http://" + *host) {
    return Refusal{403, "only the page of conflux serve itself may ask for this."};
  }
  const bool open = head.method == "GET" &&
                    std::find(rules.open_paths.begin(), rules.open_paths.end(), head.path) !=
                        rules.open_paths.end();
  const std::string token = head.header(kTokenHeader).value_or("");
  if (!open && (rules.token.empty() || !same_secret(token, rules.token))) {
    return Refusal{
        403,
        "Use the whole address that conflux serve has printed, the part after the # included."};
  }
  return refuse_body(head, rules);
}

}  // namespace conflux::app
