// An HTTP/1.1 server on a Unix socket or a loopback port: keep-alive, bodies with a limit, chunked streams.
//
// For servers that tessera itself plays (the simulated Kubernetes), not for strangers: it listens on this
// machine only. A client that does not read its stream is dropped when too much has piled up. Header without
// Asio and Beast. Threads: the handler and every method of HttpReply run on the worker's thread. The server
// goes on the worker's thread, or after worker.stop(); in any case before its worker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/worker.hpp"
#include "engine/error.hpp"

namespace tessera {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/nodes?limit=500", as it came
  HttpHeaders headers;
  std::string body;

  // The first of that name, whatever its case; empty: there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  HttpHeaders headers;  // without Content-Length, Transfer-Encoding and Connection
  std::string body;
};

// The answer to one request; copies share it. Exactly one of send(), begin() ... end() and drop().
class HttpReply {
 public:
  void send(HttpAnswer answer);
  // A stream: the head, and the body as its first chunk when it is not empty.
  void begin(HttpAnswer head);
  // false: the client is gone, or was dropped because it does not read.
  bool write(std::string_view chunk);
  void end();
  // Closes the connection once what was written before is sent: no end of the stream, no more answers.
  void drop();
  // Called once when the client goes before the end; at once when it is gone already.
  void on_gone(std::function<void()> call);

  struct Session;
  explicit HttpReply(std::shared_ptr<Session> session) : session_(std::move(session)) {}

 private:
  std::shared_ptr<Session> session_;
};

struct HttpListen {
  std::string socket_path;                // Unix socket, made with mode 0600; empty: a port
  std::uint16_t port = 0;                 // of 127.0.0.1; 0: any that is free
  std::size_t body_limit = 4U << 20U;     // bytes of a request's body; more is answered with 413
  std::size_t unread_limit = 32U << 20U;  // bytes that may wait for a slow reader
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest, HttpReply)>;

  // Errors: the address is in use, the path too long or not writable. A socket file without a listener is
  // replaced.
  static Result<std::unique_ptr<HttpServer>> listen(Worker& worker, const HttpListen& where, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;  // 0: a Unix socket

  struct Core;

 private:
  explicit HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;
};

// "Not Found"
std::string_view http_reason(int status);

}  // namespace tessera
