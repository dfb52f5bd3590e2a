// HTTP/1.1 over a Unix socket or a loopback TCP port: requests with a deadline, and streams of lines.
//
// With http_server.cpp the only user of Boost.Beast. GET requests share connections that are kept alive and
// are asked again when a kept one turns out to be closed; whatever may change something gets a connection of
// its own and is sent once. Every request says "Host: localhost": kubectl proxy refuses other names.
// Threads: all on the worker's thread. Each callback comes there, never from inside the call that asked; done
// and on_end exactly once, unless cancelled. The destructor runs there or after Worker::stop(), and nothing
// is called back after it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/worker.hpp"
#include "engine/error.hpp"

namespace tessera {

struct HttpEndpoint {
  std::string socket;              // path of a Unix socket; empty: TCP
  std::string host = "127.0.0.1";  // an address, no name
  std::uint16_t port = 0;
};

struct HttpCall {
  std::string method = "GET";
  std::string target;  // "/api/v1/nodes?limit=500", already escaped
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration deadline{30000};        // for all of it; of a stream: until its first byte
  std::size_t limit = 256u << 20;  // bytes of the body; of a stream: of one line
};

struct HttpResponse {
  int status = 0;
  std::string body;  // of a stream or in parts: only when the status is not 200, its first 64 KiB
  std::optional<Duration> retry_after;  // Retry-After in seconds
  std::optional<TimePoint> date;        // Date: the server's clock, to the second
  Duration took{0};
};

class HttpClient {
 public:
  HttpClient(Worker& worker, HttpEndpoint endpoint);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using Done = std::function<void(Result<HttpResponse>)>;
  using Id = std::uint64_t;
  // An answer with any status is a response; an Error means that there was none, or not all of it.
  Id request(HttpCall request, Done done);

  // The same for an answer that is too long to be held at once: its body comes in parts as it arrives, when
  // the status is 200, and the response has none. The deadline is for all of it; the limit does not count.
  using Part = std::function<void(std::string_view)>;
  Id request_in_parts(HttpCall request, Part on_part, Done done);

  // Lines as they come, without their ends; a last half line is dropped. on_open: the server agreed (200).
  // on_end: how it ended; a response when the server closed it properly or refused. `idle`: so long without
  // a byte ends it as an error.
  using Line = std::function<void(std::string_view)>;
  Id stream(HttpCall request, Duration idle, std::function<void()> on_open, Line on_line, Done on_end);

  // Nothing more is called back for it. Unknown ids are passed by.
  void cancel(Id id);

  // Told of each request that is made from now on; what it returns (it may be empty) is told of the bytes of
  // the answer's body as they come, also where the answer is given up later. Both are called on the worker's
  // thread and outlive the client.
  using Came = std::function<void(std::size_t bytes)>;
  using Sent = std::function<Came(const HttpCall&)>;
  void count(Sent sent);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// A text as part of a target: all but letters, digits and -._~ escaped.
std::string url_escape(std::string_view text);

}  // namespace tessera
