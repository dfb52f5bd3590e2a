// The HTTP server over a real Unix socket, spoken to byte by byte.
#include "backends/http_server.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>

#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

class Client {
 public:
  explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, path.c_str(), sizeof where.sun_path - 1);
    connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  }
  ~Client() { ::close(fd_); }
  void say(std::string_view text) {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Reads until `text` has come, or the end; then everything so far.
  std::string until(std::string_view text) {
    char buffer[4096];
    while (got.find(text) == std::string::npos && !ended) {
      pollfd one{fd_, POLLIN, 0};
      if (::poll(&one, 1, 20'000) <= 0) break;
      ssize_t size = ::recv(fd_, buffer, sizeof buffer, 0);
      if (size <= 0) {
        ended = true;
      } else {
        got.append(buffer, static_cast<std::size_t>(size));
      }
    }
    return got;
  }
  bool ends() { return until("\1never"), ended; }
  std::string got;
  bool connected = false, ended = false;

 private:
  int fd_;
};

struct Served {
  test::Scratch folder;
  Worker worker;
  std::unique_ptr<HttpServer> server;
  std::string path = folder.path() + "/s";

  explicit Served(HttpServer::Handler handler, HttpListen where = {}) {
    where.socket_path = path;
    auto listening = HttpServer::listen(worker, where, std::move(handler));
    EXPECT_TRUE(listening.ok()) << (listening ? "" : to_line(listening.error()));
    if (listening) server = std::move(*listening);
  }
  ~Served() {
    worker.stop();
    server.reset();
  }
};

TEST(HttpServer, AnswersOneRequestAfterTheOtherOnOneConnection) {
  Served served([](HttpRequest request, HttpReply reply) {
    reply.send({200,
                {{"Content-Type", "text/plain"}},
                request.method + " " + request.target + " " + request.body + "|" +
                    std::string(request.header("x-What"))});
  });
  Client client(served.path);
  client.say("GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-WHAT: y\r\n\r\n");
  EXPECT_NE(client.until("|y").find("HTTP/1.1 200 OK"), std::string::npos);
  client.say(
      "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /e HTTP/1.1\r\nHost: x\r\nConnection: "
      "close\r\n\r\n");
  EXPECT_NE(client.until("GET /e").find("POST /d abc|"), std::string::npos);
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, RefusesWhatIsTooLargeOrNoHttp) {
  HttpListen where;
  where.body_limit = 10;
  Served served([](HttpRequest, HttpReply reply) { reply.send({}); }, where);
  Client large(served.path);
  large.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n01234567890");
  EXPECT_NE(large.until("413").find("413 Payload Too Large"), std::string::npos);
  EXPECT_TRUE(large.ends());
  Client broken(served.path);
  broken.say("NONSENSE\r\n\r\n");
  EXPECT_NE(broken.until("400").find("HTTP/1.1 400"), std::string::npos);
  Client fine(served.path);
  fine.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(fine.until("200").find("200 OK"), std::string::npos) << "the server goes on";
}

TEST(HttpServer, StreamsEndsAndBreaksOff) {
  Served served([](HttpRequest request, HttpReply reply) {
    reply.begin({200, {}, "one\n"});
    EXPECT_TRUE(reply.write("two\n"));
    if (request.target == "/drop") return reply.drop();
    reply.end();
    EXPECT_FALSE(reply.write("late"));
  });
  Client client(served.path);
  client.say("GET /end HTTP/1.1\r\nHost: x\r\n\r\n");
  std::string got = client.until("0\r\n\r\n");
  EXPECT_NE(got.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(got.find("4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n"), std::string::npos);
  client.got.clear();
  client.say("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.ends());
  EXPECT_NE(client.got.find("two"), std::string::npos);
  EXPECT_EQ(client.got.find("0\r\n\r\n"), std::string::npos) << "no end of the stream";
}

TEST(HttpServer, NoticesAClientThatGoesAndOneThatDoesNotRead) {
  std::promise<void> gone, slow;
  HttpListen where;
  where.unread_limit = 1 << 20;
  Served served(
      [&](HttpRequest request, HttpReply reply) {
        reply.begin({200, {}, "hello"});
        if (request.target == "/gone") return reply.on_gone([&] { gone.set_value(); });
        std::string much(64 << 10, 'x');
        for (int i = 0; i < 1000 && reply.write(much); ++i) {
        }
        if (!reply.write("more")) slow.set_value();
      },
      where);
  {
    Client client(served.path);
    client.say("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
    client.until("hello");
  }
  EXPECT_EQ(gone.get_future().wait_for(test::kPatience), std::future_status::ready);
  Client lazy(served.path);
  lazy.say("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(slow.get_future().wait_for(test::kPatience), std::future_status::ready);
}

TEST(HttpServer, TakesAPlaceThatIsFreeAndNoOther) {
  Served served([](HttpRequest, HttpReply reply) { reply.send({}); });
  HttpListen same;
  same.socket_path = served.path;
  EXPECT_FALSE(HttpServer::listen(served.worker, same, [](HttpRequest, HttpReply) {}).ok());
  EXPECT_TRUE(Client(served.path).connected) << "the first one still listens";
  HttpListen port;
  auto tcp = HttpServer::listen(served.worker, port, [](HttpRequest, HttpReply) {});
  ASSERT_TRUE(tcp.ok());
  EXPECT_GT((*tcp)->port(), 0);
  port.port = (*tcp)->port();
  EXPECT_FALSE(HttpServer::listen(served.worker, port, [](HttpRequest, HttpReply) {}).ok());
  same.socket_path = served.folder.path() + "/" + std::string(200, 'x');
  EXPECT_FALSE(HttpServer::listen(served.worker, same, [](HttpRequest, HttpReply) {}).ok());
  served.worker.stop();  // before the second server goes
}

}  // namespace
}  // namespace tessera
