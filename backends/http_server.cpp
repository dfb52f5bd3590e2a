#include "backends/http_server.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <set>

namespace tessera {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Socket = asio::generic::stream_protocol::socket;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Code = boost::system::error_code;

constexpr std::uint32_t kHeaderLimit = 64U << 10U;
constexpr std::size_t kPipelined = 64U << 10U;  // what a client may send ahead while a stream runs

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpServer::Core : std::enable_shared_from_this<HttpServer::Core> {
  Core(asio::io_context& io, HttpListen wanted, Handler answer)
      : context(io), where(std::move(wanted)), handler(std::move(answer)) {}

  template <class Acceptor>
  void accept(Acceptor& acceptor);
  void close();

  asio::io_context& context;
  HttpListen where;
  Handler handler;
  std::optional<Tcp::acceptor> tcp;
  std::optional<Local::acceptor> local;
  std::set<HttpReply::Session*> sessions;
  bool closed = false;
};

// One connection. It lives as long as something is read or written, or a handler holds a reply.
struct HttpReply::Session : std::enable_shared_from_this<HttpReply::Session> {
  Session(std::shared_ptr<HttpServer::Core> of, Socket taken)
      : core(std::move(of)), socket(std::move(taken)) {
    core->sessions.insert(this);
  }
  ~Session() { core->sessions.erase(this); }

  void read() {
    reading = true;
    parser.emplace();
    parser->body_limit(core->where.body_limit);
    parser->header_limit(kHeaderLimit);
    http::async_read(socket, buffer, *parser,
                     [self = shared_from_this()](Code error, std::size_t) { self->on_read(error); });
  }

  void on_read(Code error) {
    reading = false;
    if (error == http::error::body_limit || error == http::error::header_limit ||
        error == http::error::buffer_overflow)
      return refuse(413);
    if (error && error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
      return refuse(400);
    if (error) return close();
    auto message = parser->release();
    keep_alive = message.keep_alive();
    HttpRequest request{std::string(view(message.method_string())),
                        std::string(view(message.target())),
                        {},
                        std::move(message.body())};
    for (const auto& field : message)
      request.headers.emplace_back(view(field.name_string()), view(field.value()));
    state = State::asked;
    // The handler may answer later, or never: then the connection is only watched for its end.
    watch_for_end();
    core->handler(std::move(request), HttpReply(shared_from_this()));
  }

  // Without a read the server would not notice that the client has gone.
  void watch_for_end() {
    if (watching || buffer.size() >= kPipelined) return;
    watching = true;
    socket.async_wait(Socket::wait_read, [self = shared_from_this()](Code error) {
      self->watching = false;
      if (self->state == State::idle || self->state == State::gone) return self->next();
      if (error) return self->close();
      Code why;
      std::size_t got = self->socket.read_some(self->buffer.prepare(4096), why);
      self->buffer.commit(got);
      if (why && why != asio::error::would_block && why != asio::error::try_again) return self->close();
      self->watch_for_end();
    });
  }

  // The answer is out: the next request, unless the wait for the client's end is still to come back.
  void next() {
    if (state != State::idle || reading || !sending.empty()) return;
    if (!keep_alive) return close();
    if (watching) {
      Code ignored;
      socket.cancel(ignored);
      return;
    }
    read();
  }

  void refuse(int status) {
    state = State::asked;
    keep_alive = false;
    HttpAnswer answer{
        status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::string(http_reason(status)) + "\n"};
    send(answer);
  }

  std::string head(const HttpAnswer& answer, const std::string& length) const {
    std::string text = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, http_reason(answer.status));
    for (const auto& [name, value] : answer.headers) text += fmt::format("{}: {}\r\n", name, value);
    text += length;
    if (!keep_alive) text += "Connection: close\r\n";
    return text + "\r\n";
  }

  void send(const HttpAnswer& answer) {
    if (state != State::asked) return;
    state = State::idle;
    push(head(answer, fmt::format("Content-Length: {}\r\n", answer.body.size())) + answer.body);
  }
  void begin(const HttpAnswer& answer) {
    if (state != State::asked) return;
    state = State::streaming;
    push(head(answer, "Transfer-Encoding: chunked\r\n"));
    write(answer.body);
  }
  bool write(std::string_view chunk) {
    if (state != State::streaming) return false;
    if (!chunk.empty()) push(fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk));
    if (unsent <= core->where.unread_limit) return true;
    close();
    return false;
  }
  void end() {
    if (state != State::streaming) return;
    state = State::idle;
    gone_call = nullptr;
    push("0\r\n\r\n");
  }
  void drop() {
    if (state == State::gone) return;
    keep_alive = false;
    state = State::idle;
    if (auto call = std::exchange(gone_call, nullptr)) call();
    if (sending.empty()) close();
  }

  void push(std::string_view bytes) {
    unsent += bytes.size();
    pending += bytes;
    if (sending.empty()) send_pending();
  }
  // What has piled up goes out at once: a watch under load is a few large writes, not thousands of small
  // ones.
  void send_pending() {
    sending.swap(pending);
    asio::async_write(socket, asio::buffer(sending), [self = shared_from_this()](Code error, std::size_t) {
      if (self->state == State::gone) return;
      if (error) return self->close();
      self->unsent -= self->sending.size();
      self->sending.clear();
      if (!self->pending.empty()) return self->send_pending();
      self->next();
    });
  }

  void close() {
    if (state == State::gone) return;
    state = State::gone;
    Code ignored;
    socket.shutdown(Socket::shutdown_both, ignored);
    socket.close(ignored);
    if (auto call = std::exchange(gone_call, nullptr)) call();
  }

  enum class State : std::uint8_t { idle, asked, streaming, gone };
  std::shared_ptr<HttpServer::Core> core;
  Socket socket;
  boost::beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
  State state = State::idle;
  bool keep_alive = true;
  bool watching = false;
  bool reading = false;
  std::string sending, pending;  // on its way; behind it
  std::size_t unsent = 0;
  std::function<void()> gone_call;
};

template <class Acceptor>
void HttpServer::Core::accept(Acceptor& acceptor) {
  acceptor.async_accept(
      [self = shared_from_this(), &acceptor](Code error, typename Acceptor::protocol_type::socket one) {
        if (self->closed || error == asio::error::operation_aborted) return;
        if (!error) {
          Code ignored;
          one.non_blocking(true, ignored);
          std::make_shared<HttpReply::Session>(self, Socket(std::move(one)))->read();
        }
        self->accept(acceptor);
      });
}

void HttpServer::Core::close() {
  closed = true;
  Code ignored;
  if (tcp) tcp->close(ignored);
  if (local) {
    local->close(ignored);
    ::unlink(where.socket_path.c_str());
  }
  std::vector<std::shared_ptr<HttpReply::Session>> open;
  for (HttpReply::Session* session : sessions)
    if (auto one = session->weak_from_this().lock()) open.push_back(std::move(one));
  for (const auto& session : open) session->close();
  handler = nullptr;
}

namespace {

Error cannot_listen(const std::string& where, const Code& error) {
  return {"cannot listen on " + where, error.message(), "is another server there? choose another address"};
}

// A socket file that was left behind is in the way of bind(); one that a process listens on is not ours to
// remove.
void remove_stale(asio::io_context& context, const std::string& path) {
  struct stat there = {};
  if (::lstat(path.c_str(), &there) != 0 || !S_ISSOCK(there.st_mode)) return;
  Local::socket probe(context);
  Code error;
  probe.connect(Local::endpoint(path), error);
  if (error == asio::error::connection_refused) ::unlink(path.c_str());
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Worker& worker, const HttpListen& where,
                                                       Handler handler) {
  auto& context = *static_cast<asio::io_context*>(worker.context());
  auto core = std::make_shared<Core>(context, where, std::move(handler));
  Code error;
  if (!where.socket_path.empty()) {
    if (where.socket_path.size() > 100)
      return Error{"cannot listen on " + where.socket_path, "the path of a Unix socket has at most 100 bytes",
                   ""};
    remove_stale(context, where.socket_path);
    Local::acceptor& acceptor = core->local.emplace(context);
    acceptor.open(Local(), error);
    // Its file gets the mode that the socket has: a umask would hold for the other threads, too.
    if (!error && ::fchmod(acceptor.native_handle(), 0600) != 0)
      error.assign(errno, boost::system::system_category());
    if (!error) acceptor.bind(Local::endpoint(where.socket_path), error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      core->local.reset();  // its file is another process's
      return cannot_listen(where.socket_path, error);
    }
    worker.post([core] {
      if (core->local && !core->closed) core->accept(*core->local);
    });
  } else {
    Tcp::acceptor& acceptor = core->tcp.emplace(context);
    acceptor.open(Tcp::v4(), error);
    if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind({asio::ip::address_v4::loopback(), where.port}, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return cannot_listen(fmt::format("127.0.0.1:{}", where.port), error);
    worker.post([core] {
      if (core->tcp && !core->closed) core->accept(*core->tcp);
    });
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::~HttpServer() { core_->close(); }

std::uint16_t HttpServer::port() const {
  Code ignored;
  return core_->tcp ? core_->tcp->local_endpoint(ignored).port() : 0;
}

void HttpReply::send(HttpAnswer answer) { session_->send(answer); }
void HttpReply::begin(HttpAnswer head) { session_->begin(head); }
bool HttpReply::write(std::string_view chunk) { return session_->write(chunk); }
void HttpReply::end() { session_->end(); }
void HttpReply::drop() { session_->drop(); }
void HttpReply::on_gone(std::function<void()> call) {
  if (session_->state == Session::State::gone) return call();
  session_->gone_call = std::move(call);
}

std::string_view HttpRequest::header(std::string_view name) const {
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto& [key, value] : headers)
    if (std::equal(key.begin(), key.end(), name.begin(), name.end(), same)) return value;
  return {};
}

std::string_view http_reason(int status) {
  std::string_view text = view(http::obsolete_reason(static_cast<http::status>(status)));
  return text;
}

}  // namespace tessera
