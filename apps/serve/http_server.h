// A web server for one person on this machine. Only http_server.cc includes libmicrohttpd, which
// reads heads and bodies; what is answered at all is decided by admission.h before a body is read.
//
// One thread answers all requests, one after the other. Bodies of uploads go to files as they
// arrive; a file whose upload is incomplete is removed.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/admission.h"

namespace conflux::app {

struct Request {
  RequestHead head = {};
  /// The body; of an upload, the file that it is in, which the answer may move or leave to be
  /// removed.
  std::string body = {};
  std::string file = {};
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  /// A file that is sent in place of `body`.
  std::string file = {};
};

/// {"error": sentence}
Answer error_answer(int status, const std::string& sentence);

struct ServerOptions {
  std::string token = {};
  std::uint64_t most_bytes_of_upload = 0;
  std::vector<std::string> open_paths = {};
  /// Where bodies of uploads are kept.
  std::string folder = {};
  /// Without, connections come by adopt() only.
  bool listen = true;
};

class HttpServer {
 public:
  /// Listens on 127.0.0.1, on a port that is free. Throws Error when that is impossible.
  HttpServer(ServerOptions options, std::function<Answer(const Request&)> answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Answers requests that come through a socket that somebody else has opened.
  void adopt(int socket);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace conflux::app
