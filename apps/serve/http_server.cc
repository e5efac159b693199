#include "serve/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conflux/core/error.h"
#include "files/json.h"

namespace conflux::app {

namespace {

constexpr unsigned kMostConnections = 400;
// A client that stops in the middle of a request is dropped after this time.
constexpr unsigned kSecondsOfSilence = 10;
constexpr std::size_t kBytesOfHead = 32 * 1024;

// The page may load its own parts and talk to its own server, and nothing else.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
     "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

/// A request whose body is being received.
struct Arriving {
  Request request = {};
  int descriptor = -1;
  std::uint64_t length = 0;
  std::uint64_t arrived = 0;
  bool too_full = false;

  Arriving() = default;
  Arriving(const Arriving&) = delete;
  Arriving& operator=(const Arriving&) = delete;
  ~Arriving() {
    if (descriptor >= 0) ::close(descriptor);
    // Moved away by now, unless something went wrong.
    if (!request.file.empty()) ::unlink(request.file.c_str());
  }

  void take(const char* data, std::size_t size) {
    arrived += size;
    if (arrived > length) return;
    if (request.file.empty()) {
      request.body.append(data, size);
      return;
    }
    while (size > 0 && !too_full) {
      const ssize_t written = ::write(descriptor, data, size);
      too_full = written <= 0;
      if (too_full) break;
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }
};

MHD_Result add_header(void* list, MHD_ValueKind, const char* name, const char* value) {
  static_cast<RequestHead*>(list)->headers.emplace_back(name == nullptr ? "" : name,
                                                        value == nullptr ? "" : value);
  return MHD_YES;
}

MHD_Response* response_of(const Answer& answer) {
  if (!answer.file.empty()) {
    const int descriptor = ::open(answer.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat found = {};
    if (descriptor >= 0 && ::fstat(descriptor, &found) == 0) {
      return MHD_create_response_from_fd64(static_cast<std::uint64_t>(found.st_size), descriptor);
    }
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  // The library copies the bytes and never writes to them.
  return MHD_create_response_from_buffer(answer.body.size(), const_cast<char*>(answer.body.data()),
                                         MHD_RESPMEM_MUST_COPY);
}

MHD_Result send(MHD_Connection* connection, const Answer& answer) {
  MHD_Response* response = response_of(answer);
  if (response == nullptr) return MHD_NO;
  for (const auto& [name, value] : kHeaders) MHD_add_response_header(response, name, value);
  MHD_add_response_header(response, "Content-Type", answer.type.c_str());
  const MHD_Result out =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return out;
}

}  // namespace

Answer error_answer(int status, const std::string& sentence) {
  return {.status = status, .body = Json{{"error", sentence}}.dump()};
}

struct HttpServer::Parts {
  ServerOptions options;
  std::function<Answer(const Request&)> answer;
  AdmissionRules rules = {};
  MHD_Daemon* daemon = nullptr;
  std::uint64_t uploads = 0;

  // Called once with the head, then with parts of the body, then once more with nothing.
  MHD_Result serve(MHD_Connection* connection, const char* url, const char* method,
                   const char* data, std::size_t* size, void** state) {
    auto* arriving = static_cast<Arriving*>(*state);
    if (arriving == nullptr) return begin(connection, url, method, state);
    if (*size > 0) {
      arriving->take(data, *size);
      *size = 0;
      return MHD_YES;
    }
    return finish(connection, *arriving);
  }

  MHD_Result begin(MHD_Connection* connection, const char* url, const char* method, void** state) {
    auto arriving = std::make_unique<Arriving>();
    Request& request = arriving->request;
    request.head.method = method;
    request.head.path = url;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, &add_header, &request.head);
    if (const auto refusal = refuse(request.head, rules)) {
      return send(connection, error_answer(refusal->status, refusal->sentence));
    }
    arriving->length = announced_length(request.head).value_or(0);
    if (request.head.is_upload()) {
      request.file = fmt::format("{}/upload{}", options.folder, uploads++);
      arriving->descriptor =
          ::open(request.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (arriving->descriptor < 0) {
        return send(connection, error_answer(507, "the folder for uploads cannot be written."));
      }
    }
    *state = arriving.release();
    return MHD_YES;
  }

  MHD_Result finish(MHD_Connection* connection, const Arriving& arrived) {
    if (arrived.arrived != arrived.length) {
      return send(connection, error_answer(400, "the body has another length than announced."));
    }
    if (arrived.too_full) {
      return send(connection,
                  error_answer(507, fmt::format("{} is full; TMPDIR can name a folder on a larger "
                                                "disk.",
                                                options.folder)));
    }
    try {
      return send(connection, answer(arrived.request));
    } catch (const std::exception& error) {
      return send(connection, error_answer(400, error.what()));
    }
  }
};

namespace {

extern "C" void forget_request(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
  delete static_cast<Arriving*>(*state);
  *state = nullptr;
}

// On this machine only; the port is known before anybody can ask.
int listening_socket(int& port) {
  const int out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (out < 0 || ::bind(out, generic, size) != 0 || ::listen(out, kMostConnections) != 0 ||
      ::getsockname(out, generic, &size) != 0) {
    const std::string reason = std::strerror(errno);
    if (out >= 0) ::close(out);
    throw Error("no port of 127.0.0.1 can be listened on: " + reason + ".");
  }
  port = ntohs(address.sin_port);
  return out;
}

// Errors of strangers' requests are not logged.
extern "C" void say_nothing(void*, const char*, va_list) {}

}  // namespace

HttpServer::HttpServer(ServerOptions options, std::function<Answer(const Request&)> answer)
    : parts_(std::make_unique<Parts>(
          Parts{.options = std::move(options), .answer = std::move(answer)})) {
  const auto access = [](void* parts, MHD_Connection* connection, const char* url,
                         const char* method, const char*, const char* data, std::size_t* size,
                         void** state) {
    return static_cast<Parts*>(parts)->serve(connection, url, method, data, size, state);
  };
  parts_->rules = {.port = 0,
                   .token = parts_->options.token,
                   .most_bytes_of_upload = parts_->options.most_bytes_of_upload,
                   .open_paths = parts_->options.open_paths};
  const bool listen = parts_->options.listen;
  const int listener = listen ? listening_socket(parts_->rules.port) : -1;
  const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC |
                         (listen ? 0u : unsigned{MHD_USE_NO_LISTEN_SOCKET});
  const MHD_OptionItem with_listener[] = {{MHD_OPTION_LISTEN_SOCKET, listener, nullptr},
                                          {MHD_OPTION_END, 0, nullptr}};
  // The library closes the listener when it stops, and when it cannot start.
  parts_->daemon = MHD_start_daemon(
      flags, 0, nullptr, nullptr, access, parts_.get(), MHD_OPTION_EXTERNAL_LOGGER, &say_nothing,
      nullptr, MHD_OPTION_ARRAY, listen ? with_listener : with_listener + 1,
      MHD_OPTION_CONNECTION_LIMIT, kMostConnections, MHD_OPTION_CONNECTION_TIMEOUT,
      kSecondsOfSilence, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kBytesOfHead,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, &forget_request, nullptr,
      MHD_OPTION_END);
  if (parts_->daemon == nullptr) throw Error("the web server cannot start its thread.");
}

HttpServer::~HttpServer() { MHD_stop_daemon(parts_->daemon); }

int HttpServer::port() const { return parts_->rules.port; }

void HttpServer::adopt(int socket) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  MHD_add_connection(parts_->daemon, socket, reinterpret_cast<sockaddr*>(&address),
                     sizeof(address));
}

}  // namespace conflux::app
