#include "tests/support/http_script.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace tessera::test {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string hex(std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%zx", number);
  return text;
}

std::string head_of(const HttpScript::Answer& answer) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " x\r\nContent-Type: application/json\r\n";
  for (const std::string& header : answer.headers) head += header + "\r\n";
  head += answer.stream ? "Transfer-Encoding: chunked\r\n"
                        : "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  return head + "\r\n";
}

}  // namespace

struct HttpScript::State {
  struct Stream {
    int fd = -1;
    std::string target;
  };
  Handler handler;
  std::string folder, socket;
  mutable std::mutex mutex;
  std::vector<Asked> asked;
  std::list<Stream> streams;
  std::vector<std::string> begun;  // targets of all streams so far
  std::vector<int> open;           // descriptors of connections
  std::size_t accepted = 0;
  int listener = -1;
  std::thread accepting;
  std::vector<std::thread> threads;

  void accept_all() {
    for (;;) {
      int fd = ::accept(listener, nullptr, nullptr);
      if (fd < 0) return;
      std::lock_guard lock(mutex);
      ++accepted;
      open.push_back(fd);
      threads.emplace_back([this, fd] {
        serve(fd);
        std::lock_guard inner(mutex);
        std::erase(open, fd);
        ::close(fd);
      });
    }
  }

  static std::optional<Asked> read_request(int fd, std::string& buffer) {
    auto more = [&] {
      char bytes[4096];
      ssize_t got = ::recv(fd, bytes, sizeof bytes, 0);
      if (got > 0) buffer.append(bytes, static_cast<std::size_t>(got));
      return got > 0;
    };
    std::size_t end;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return std::nullopt;
    Asked asked;
    std::size_t line = buffer.find("\r\n");
    std::size_t blank = buffer.find(' '), second = buffer.find(' ', blank + 1);
    asked.method = buffer.substr(0, blank);
    asked.target = buffer.substr(blank + 1, second - blank - 1);
    for (std::size_t at = line + 2; at < end;) {
      std::size_t stop = buffer.find("\r\n", at), colon = buffer.find(':', at);
      asked.headers[lower(buffer.substr(at, colon - at))] = buffer.substr(colon + 2, stop - colon - 2);
      at = stop + 2;
    }
    std::size_t length = 0;
    if (auto it = asked.headers.find("content-length"); it != asked.headers.end())
      length = std::stoul(it->second);
    while (buffer.size() < end + 4 + length)
      if (!more()) return std::nullopt;
    asked.body = buffer.substr(end + 4, length);
    buffer.erase(0, end + 4 + length);
    return asked;
  }

  void serve(int fd) {
    std::string buffer;
    while (auto request = read_request(fd, buffer)) {
      Answer answer;
      {
        std::lock_guard lock(mutex);
        asked.push_back(*request);
      }
      answer = handler(*request);
      if (!answer.raw.empty()) {
        send_all(fd, answer.raw);
        return;
      }
      if (answer.silent) {
        char byte;
        while (::recv(fd, &byte, 1, 0) > 0) {
        }
        return;
      }
      if (!send_all(fd, head_of(answer) + (answer.stream ? "" : answer.body))) return;
      if (answer.stream && !hold(fd, request->target, answer.body)) return;
    }
  }

  // Until the peer hangs up or the stream is cut; true: it was ended properly.
  bool hold(int fd, const std::string& target, const std::string& first) {
    std::list<Stream>::iterator stream;
    {
      std::lock_guard lock(mutex);
      if (!first.empty()) send_all(fd, hex(first.size()) + "\r\n" + first + "\r\n");
      stream = streams.insert(streams.end(), {fd, target});
      begun.push_back(target);
    }
    char byte;
    while (::recv(fd, &byte, 1, 0) > 0) {
    }
    std::lock_guard lock(mutex);
    streams.erase(stream);
    return false;
  }

  void listen() {
    listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
    ::unlink(socket.c_str());
    ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener, 64);
    accepting = std::thread([this] { accept_all(); });
  }

  void close_all() {
    ::shutdown(listener, SHUT_RDWR);
    ::close(listener);
    accepting.join();
    std::vector<std::thread> ending;
    {
      std::lock_guard lock(mutex);
      for (int fd : open) ::shutdown(fd, SHUT_RDWR);
      ending.swap(threads);
    }
    for (std::thread& thread : ending) thread.join();
  }
};

HttpScript::HttpScript(Handler handler) : state_(std::make_shared<State>()) {
  state_->handler = std::move(handler);
  char name[] = "/tmp/tsr-http-XXXXXX";
  state_->folder = ::mkdtemp(name);
  state_->socket = state_->folder + "/api";
  state_->listen();
}

HttpScript::~HttpScript() {
  if (state_->accepting.joinable()) state_->close_all();
  ::unlink(state_->socket.c_str());
  ::rmdir(state_->folder.c_str());
}

const std::string& HttpScript::socket() const { return state_->socket; }

std::vector<HttpScript::Asked> HttpScript::asked() const {
  std::lock_guard lock(state_->mutex);
  return state_->asked;
}

std::size_t HttpScript::connections() const {
  std::lock_guard lock(state_->mutex);
  return state_->accepted;
}

void HttpScript::feed(std::string_view target, std::string_view bytes) {
  std::lock_guard lock(state_->mutex);
  for (const State::Stream& stream : state_->streams)
    if (stream.target.starts_with(target))
      send_all(stream.fd, hex(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n");
}

std::size_t HttpScript::streams(std::string_view target) const {
  std::lock_guard lock(state_->mutex);
  return static_cast<std::size_t>(
      std::count_if(state_->streams.begin(), state_->streams.end(),
                    [&](const State::Stream& stream) { return stream.target.starts_with(target); }));
}

std::size_t HttpScript::streams_begun(std::string_view target) const {
  std::lock_guard lock(state_->mutex);
  return static_cast<std::size_t>(
      std::count_if(state_->begun.begin(), state_->begun.end(),
                    [&](const std::string& one) { return one.starts_with(target); }));
}

void HttpScript::close_streams(std::string_view target, bool properly) {
  std::lock_guard lock(state_->mutex);
  for (const State::Stream& stream : state_->streams) {
    if (!stream.target.starts_with(target)) continue;
    if (properly) send_all(stream.fd, "0\r\n\r\n");
    ::shutdown(stream.fd, SHUT_RDWR);
  }
}

void HttpScript::stop() { state_->close_all(); }
void HttpScript::start() { state_->listen(); }

}  // namespace tessera::test
