#include "backends/http_client.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <unordered_map>

#include "engine/number.hpp"
#include "engine/time.hpp"

namespace tessera {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;
using Protocol = asio::generic::stream_protocol;
using TimedSocket = beast::basic_stream<Protocol, asio::io_context::executor_type>;

constexpr std::size_t kMostKept = 8;  // connections that wait for the next request
constexpr std::size_t kChunk = 64u << 10;
constexpr std::size_t kErrorBody = 64u << 10;

struct Connection {
  explicit Connection(asio::io_context& io) : socket(io.get_executor()) {}
  TimedSocket socket;
  beast::flat_buffer buffer;  // may hold bytes behind what was read
};

// A kept connection that the server has closed can be read from: the end of it.
bool is_stale(Connection& connection) {
  char byte = 0;
  int fd = connection.socket.socket().native_handle();
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

}  // namespace

// One request from its connection to its answer. Keeps itself alive through its handlers.
struct HttpExchange : std::enable_shared_from_this<HttpExchange> {
  HttpClient::Id id = 0;
  HttpCall wanted;
  bool streams = false;
  Duration idle{0};
  std::function<void()> on_open;
  HttpClient::Line on_line;
  HttpClient::Part on_part;
  HttpClient::Done done;
  HttpClient::Came came;
  std::function<void(HttpExchange&, bool reuse)> leave;        // hands the connection back
  std::function<std::shared_ptr<Connection>()> connection_of;  // a fresh one

  std::shared_ptr<Connection> connection;
  bool kept = false;  // the connection was used before
  bool got_head = false;
  http::request<http::string_body> request;
  std::optional<http::response_parser<http::buffer_body>> parser;
  std::array<char, kChunk> chunk{};
  HttpResponse response;
  std::string half;  // a line that has begun
  Steady::time_point started = Steady::now();

  void begin(const Protocol::endpoint& endpoint);
  void connect();
  void write();
  void read_head();
  void read_body();
  bool take(std::string_view bytes);  // false: more than the limit allows
  bool take_lines(std::string_view bytes);
  void set_deadline() { connection->socket.expires_at(started + wanted.deadline); }
  void fail(const error_code& error);
  void finish(Result<HttpResponse> result, bool reuse);
  void drop() {
    done = nullptr;
    on_open = nullptr;
    on_line = nullptr;
    on_part = nullptr;
    came = nullptr;
    if (connection) connection->socket.close();
  }
  Protocol::endpoint endpoint;
};

void HttpExchange::begin(const Protocol::endpoint& to) {
  endpoint = to;
  request.method_string(wanted.method);
  request.target(wanted.target);
  request.version(11);
  request.set(http::field::host, "localhost");
  request.set(http::field::user_agent, "tessera");
  request.set(http::field::accept, "application/json");
  for (const auto& [name, value] : wanted.headers) request.set(name, value);
  request.body() = wanted.body;
  if (!wanted.body.empty() || wanted.method == "POST" || wanted.method == "PATCH") request.prepare_payload();
  kept ? write() : connect();
}

void HttpExchange::connect() {
  set_deadline();
  connection->socket.async_connect(endpoint, [self = shared_from_this()](const error_code& error) {
    error ? self->fail(error) : self->write();
  });
}

void HttpExchange::write() {
  set_deadline();
  http::async_write(connection->socket, request,
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      error ? self->fail(error) : self->read_head();
                    });
}

void HttpExchange::read_head() {
  parser.emplace();
  parser->body_limit(boost::none);  // counted by take()
  parser->header_limit(64u << 10);
  if (wanted.method == "HEAD") parser->skip(true);
  http::async_read_header(
      connection->socket, connection->buffer, *parser,
      [self = shared_from_this()](const error_code& error, std::size_t) {
        if (error) return self->fail(error);
        self->got_head = true;
        auto& head = self->parser->get();
        self->response.status = static_cast<int>(head.result_int());
        auto wait = head.find(http::field::retry_after);
        if (wait != head.end())
          if (auto seconds = whole_number({wait->value().data(), wait->value().size()}, 86400))
            self->response.retry_after = std::chrono::seconds(*seconds);
        auto date = head.find(http::field::date);
        if (date != head.end())
          self->response.date = parse_http_date({date->value().data(), date->value().size()});
        auto opened = self->on_open;  // it may cancel us
        if (opened && self->response.status == 200) opened();
        if (self->done) self->read_body();
      });
}

void HttpExchange::read_body() {
  if (parser->is_done()) return finish(std::move(response), parser->get().keep_alive());
  auto& body = parser->get().body();
  body.data = chunk.data();
  body.size = chunk.size();
  bool lines = streams && response.status == 200;
  lines ? connection->socket.expires_after(idle) : set_deadline();
  http::async_read_some(connection->socket, connection->buffer, *parser,
                        [self = shared_from_this()](const error_code& error, std::size_t) {
                          if (!self->done) return;
                          std::size_t got = self->chunk.size() - self->parser->get().body().size;
                          if (!self->take({self->chunk.data(), got}))
                            return self->finish(
                                Error{"the answer is too long",
                                      "more than " + std::to_string(self->wanted.limit) + " bytes", ""},
                                false);
                          if (!self->done) return;  // cancelled by what it was told
                          if (error && error != http::error::need_buffer) return self->fail(error);
                          self->read_body();
                        });
}

bool HttpExchange::take(std::string_view bytes) {
  if (came) came(bytes.size());
  if (streams && response.status == 200) return take_lines(bytes);
  if (on_part && response.status == 200) {
    auto call = on_part;  // it may cancel us
    if (!bytes.empty()) call(bytes);
    return true;
  }
  if (streams || on_part) {
    response.body.append(bytes.substr(0, kErrorBody - std::min(kErrorBody, response.body.size())));
    return true;
  }
  if (bytes.size() > wanted.limit - response.body.size()) return false;
  response.body.append(bytes);
  return true;
}

bool HttpExchange::take_lines(std::string_view bytes) {
  auto self = shared_from_this();  // a line may cancel us
  while (!bytes.empty() && on_line) {
    std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      half.append(bytes);
      return half.size() <= wanted.limit;
    }
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (!half.empty()) {
      half.append(line);
      line = half;
    }
    if (line.size() > wanted.limit) return false;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto call = on_line;
    if (!line.empty()) call(line);
    half.clear();
  }
  return true;
}

// Something answered, and not in HTTP.
bool is_no_http(const error_code& error) {
  const error_code one = http::error::bad_version;
  return error.category() == one.category() && error != http::error::end_of_stream &&
         error != http::error::partial_message && error != http::error::body_limit;
}

void HttpExchange::fail(const error_code& error) {
  if (!done) return;
  // The server closed a connection that it had kept: it never saw the request.
  if (kept && !got_head && error != beast::error::timeout) {
    kept = false;
    connection = connection_of();
    parser.reset();
    return connect();
  }
  if (is_no_http(error))
    return finish(Error{"the answer is not HTTP", error.message(),
                        "something else than an API server or kubectl proxy answers there"},
                  false);
  bool late = error == beast::error::timeout;
  std::string waited = std::to_string((got_head && streams ? idle : wanted.deadline).count() / 1000);
  finish(Error{late       ? "no answer"
               : got_head ? "the answer broke off"
                          : "cannot connect",
               late ? "nothing came for " + waited + " s" : error.message(), ""},
         false);
}

void HttpExchange::finish(Result<HttpResponse> result, bool reuse) {
  auto self = shared_from_this();
  auto call = std::exchange(done, nullptr);
  on_open = nullptr;
  on_line = nullptr;
  on_part = nullptr;
  if (result) result->took = std::chrono::duration_cast<Duration>(Steady::now() - started);
  if (!reuse) connection->socket.close();
  if (leave) leave(*this, reuse);
  if (call) call(std::move(result));
}

struct HttpClient::State {
  asio::io_context& io;
  Protocol::endpoint endpoint;
  std::optional<Error> trouble;  // with the endpoint itself
  Id last = 0;
  std::unordered_map<Id, std::shared_ptr<HttpExchange>> running;
  std::vector<std::shared_ptr<Connection>> kept;
  Sent sent;

  Id begin(const std::shared_ptr<State>& self, std::shared_ptr<HttpExchange> exchange);
};

HttpClient::Id HttpClient::State::begin(const std::shared_ptr<State>& self,
                                        std::shared_ptr<HttpExchange> exchange) {
  Id id = exchange->id = ++last;
  running.emplace(id, exchange);
  if (sent) exchange->came = sent(exchange->wanted);
  exchange->leave = [weak = std::weak_ptr(self)](HttpExchange& ended, bool reuse) {
    auto state = weak.lock();
    if (!state) return;
    if (reuse && state->kept.size() < kMostKept) {
      ended.connection->socket.expires_never();
      state->kept.push_back(ended.connection);
    }
    state->running.erase(ended.id);
  };
  exchange->connection_of = [&io = io] { return std::make_shared<Connection>(io); };
  bool shares = exchange->wanted.method == "GET" && !exchange->streams;
  while (shares && !kept.empty() && !exchange->kept) {
    auto candidate = kept.back();
    kept.pop_back();
    if (is_stale(*candidate)) continue;
    exchange->connection = candidate;
    exchange->kept = true;
  }
  if (!exchange->kept) exchange->connection = exchange->connection_of();
  asio::post(io, [weak = std::weak_ptr(self), exchange] {
    auto state = weak.lock();
    if (!state || !exchange->done) return;
    if (state->trouble) return exchange->finish(*state->trouble, false);
    exchange->begin(state->endpoint);
  });
  return id;
}

HttpClient::HttpClient(Worker& worker, HttpEndpoint endpoint)
    : state_(std::make_shared<State>(
          State{*static_cast<asio::io_context*>(worker.context()), {}, {}, 0, {}, {}, {}})) {
  try {
    if (!endpoint.socket.empty()) {
      state_->endpoint = asio::local::stream_protocol::endpoint(endpoint.socket);
    } else {
      state_->endpoint = asio::ip::tcp::endpoint(asio::ip::make_address(endpoint.host), endpoint.port);
    }
  } catch (const std::exception& error) {
    state_->trouble =
        Error{"cannot connect to " + (endpoint.socket.empty() ? endpoint.host : endpoint.socket),
              error.what(), "a Unix socket's path has at most 107 bytes"};
  }
}

HttpClient::~HttpClient() {
  for (auto& [id, exchange] : state_->running) exchange->drop();
}

HttpClient::Id HttpClient::request(HttpCall request, Done done) {
  auto exchange = std::make_shared<HttpExchange>();
  exchange->wanted = std::move(request);
  exchange->done = std::move(done);
  return state_->begin(state_, std::move(exchange));
}

HttpClient::Id HttpClient::request_in_parts(HttpCall request, Part on_part, Done done) {
  auto exchange = std::make_shared<HttpExchange>();
  exchange->wanted = std::move(request);
  exchange->on_part = std::move(on_part);
  exchange->done = std::move(done);
  return state_->begin(state_, std::move(exchange));
}

HttpClient::Id HttpClient::stream(HttpCall request, Duration idle, std::function<void()> on_open,
                                  Line on_line, Done on_end) {
  auto exchange = std::make_shared<HttpExchange>();
  exchange->wanted = std::move(request);
  exchange->streams = true;
  exchange->idle = idle;
  exchange->on_open = std::move(on_open);
  exchange->on_line = std::move(on_line);
  exchange->done = std::move(on_end);
  return state_->begin(state_, std::move(exchange));
}

void HttpClient::cancel(Id id) {
  auto found = state_->running.find(id);
  if (found == state_->running.end()) return;
  auto exchange = found->second;
  state_->running.erase(found);
  exchange->drop();
}

void HttpClient::count(Sent sent) { state_->sent = std::move(sent); }

std::string url_escape(std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (byte < 0x80 && std::isalnum(byte) != 0) || kPlain.find(c) != std::string_view::npos;
    if (plain) {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kDigits[byte >> 4];
      escaped += kDigits[byte & 15];
    }
  }
  return escaped;
}

}  // namespace tessera
