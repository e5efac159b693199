// Whole requests through the server of conflux serve. Nothing but the open page may be answered
// without the secret, the right name and, for POST, the right origin.

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "serve/http_server.h"

namespace {

using namespace conflux::app;

const std::string kToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

void must(bool holds) {
  if (!holds) std::abort();
}

Answer answer(const Request& request) {
  const RequestHead& head = request.head;
  must(head.header("Host") == "127.0.0.1:0" || head.header("Host") == "localhost:0");
  must(head.count("Transfer-Encoding") == 0);
  if (head.method == "GET" && head.path == "/") return {.body = "page"};
  must(head.header(kTokenHeader) == kToken);
  must(head.method == "GET" || head.header("Origin") == "http://" + *head.header("Host"));
  must(request.body.size() <= kMostBytesOfWords);
  if (!request.file.empty()) must(std::filesystem::file_size(request.file) <= 1000);
  return {.body = "secret"};
}

HttpServer& server() {
  static const std::string folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "fuzz-http-XXXXXX";
    must(::mkdtemp(name.data()) != nullptr);
    return name;
  }();
  static HttpServer made({.token = kToken,
                          .most_bytes_of_upload = 1000,
                          .open_paths = {"/"},
                          .folder = folder,
                          .listen = false},
                         answer);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int ends[2];
  must(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  // Half a head is answered by nothing, and waiting for that is no use.
  const timeval patience{.tv_sec = 0, .tv_usec = 20000};
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  server().adopt(ends[1]);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t more = ::send(ends[0], data + sent, size - sent, MSG_NOSIGNAL);
    if (more <= 0) break;
    sent += static_cast<std::size_t>(more);
  }
  std::string came;
  char buffer[4096];
  for (ssize_t more = 0; (more = ::recv(ends[0], buffer, sizeof(buffer), 0)) > 0;) {
    came.append(buffer, static_cast<std::size_t>(more));
  }
  ::close(ends[0]);
  const std::string sent(reinterpret_cast<const char*>(data), size);
  if (came.find("secret") != std::string::npos) must(sent.find(kToken) != std::string::npos);
  return 0;
}
