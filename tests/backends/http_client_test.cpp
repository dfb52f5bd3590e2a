#include "backends/http_client.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "engine/time.hpp"
#include "tests/support/http_script.hpp"
#include "tests/support/patience.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;
using test::HttpScript;

class HttpClientTest : public testing::Test {
 protected:
  ~HttpClientTest() override { worker_.stop(); }

  void connect(const std::string& socket) {
    std::promise<void> made;
    worker_.post([&] {
      client_.emplace(worker_, HttpEndpoint{socket, "", 0});
      made.set_value();
    });
    made.get_future().wait();
  }
  Result<HttpResponse> ask(HttpCall request) {
    auto promise = std::make_shared<std::promise<Result<HttpResponse>>>();
    auto future = promise->get_future();
    worker_.post([this, promise, request = std::move(request)] {
      client_->request(request,
                       [promise](Result<HttpResponse> result) { promise->set_value(std::move(result)); });
    });
    if (future.wait_for(test::kPatience) != std::future_status::ready)
      return Error{"never called back", "", ""};
    return future.get();
  }
  static HttpCall get(std::string target) {
    HttpCall request;
    request.target = std::move(target);
    return request;
  }

  // The body's parts put together, and what came at the end. `most`: after so many bytes it is cancelled.
  struct InParts {
    std::size_t parts = 0;
    std::string body;
    std::optional<Result<HttpResponse>> end;
  };
  InParts ask_in_parts(HttpCall request, std::size_t most = std::string::npos) {
    struct Told {
      InParts all;
      std::promise<void> over;
    };
    auto told = std::make_shared<Told>();
    auto over = told->over.get_future();
    worker_.post([this, told, most, request = std::move(request)] {
      id_ = client_->request_in_parts(
          request,
          [this, told, most](std::string_view part) {
            ++told->all.parts;
            told->all.body += part;
            if (told->all.body.size() < most) return;
            client_->cancel(id_);
            worker_.post([told] { told->over.set_value(); });  // behind whatever was still on its way
          },
          [told](Result<HttpResponse> end) {
            told->all.end = std::move(end);
            told->over.set_value();
          });
    });
    EXPECT_EQ(over.wait_for(test::kPatience), std::future_status::ready);
    return told->all;
  }

  // What a stream said, as it says it.
  struct Heard {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> lines;
    bool open = false;
    std::optional<Result<HttpResponse>> end;

    template <class Is>
    bool until(Is is) {
      std::unique_lock lock(mutex);
      return changed.wait_for(lock, test::kPatience, is);
    }
    template <class Change>
    void change(Change how) {
      std::lock_guard lock(mutex);
      how();
      changed.notify_all();
    }
  };
  void listen(HttpCall request, Duration idle, const std::shared_ptr<Heard>& heard) {
    worker_.post([this, request, idle, heard] {
      id_ = client_->stream(
          request, idle, [heard] { heard->change([&] { heard->open = true; }); },
          [heard](std::string_view line) { heard->change([&] { heard->lines.emplace_back(line); }); },
          [heard](Result<HttpResponse> end) { heard->change([&] { heard->end = std::move(end); }); });
    });
  }

  Worker worker_;
  std::optional<HttpClient> client_;
  HttpClient::Id id_ = 0;
};

TEST(HttpDate, IsWrittenAndReadInOneForm) {
  TimePoint time = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;
  EXPECT_EQ(http_date(time + 400ms), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), time);
  for (const char* bad :
       {"", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:3x GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Mai 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT"})
    EXPECT_FALSE(parse_http_date(bad)) << bad;
}

TEST_F(HttpClientTest, ConnectionsAreKeptAndNameTheirHost) {
  HttpScript server([](const HttpScript::Asked& asked) { return HttpScript::Answer{200, asked.target, {}}; });
  connect(server.socket());
  for (const char* target : {"/a", "/b", "/c"}) {
    auto answer = ask(get(target));
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, target);
  }
  EXPECT_EQ(server.connections(), 1u);
  EXPECT_EQ(server.asked().at(0).headers.at("host"), "localhost");
}

TEST_F(HttpClientTest, WhatMayChangeSomethingGetsAConnectionOfItsOwn) {
  HttpScript server([](const HttpScript::Asked& asked) { return HttpScript::Answer{200, asked.body, {}}; });
  connect(server.socket());
  ASSERT_TRUE(ask(get("/a")));
  HttpCall patch;
  patch.method = "PATCH";
  patch.target = "/b";
  patch.body = "{}";
  patch.headers = {{"Content-Type", "application/merge-patch+json"}};
  auto answer = ask(patch);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "{}");
  EXPECT_EQ(server.connections(), 2u);
  EXPECT_EQ(server.asked().at(1).headers.at("content-type"), "application/merge-patch+json");
}

TEST_F(HttpClientTest, AKeptConnectionThatTheServerClosedIsNoFailure) {
  HttpScript server([](const HttpScript::Asked&) { return HttpScript::Answer{200, "x", {}}; });
  connect(server.socket());
  ASSERT_TRUE(ask(get("/a")));
  server.stop();
  server.start();
  auto again = ask(get("/b"));
  ASSERT_TRUE(again) << to_line(again.error());
  EXPECT_EQ(again->body, "x");
}

TEST_F(HttpClientTest, ARefusalIsAResponseWithItsBodyAndWait) {
  HttpScript server([](const HttpScript::Asked&) {
    return HttpScript::Answer{429, "busy", {"Retry-After: 7"}};
  });
  connect(server.socket());
  auto answer = ask(get("/"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->body, "busy");
  EXPECT_EQ(answer->retry_after, Duration(7s));
}

TEST_F(HttpClientTest, AMissingServerIsAnError) {
  connect("/tmp/tessera-no-such-socket");
  auto answer = ask(get("/"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot connect");
  connect(std::string(200, 'x'));
  EXPECT_FALSE(ask(get("/")));
}

TEST_F(HttpClientTest, SilenceEndsAtTheDeadline) {
  HttpScript server([](const HttpScript::Asked&) {
    HttpScript::Answer answer;
    answer.silent = true;
    return answer;
  });
  connect(server.socket());
  HttpCall request = get("/");
  request.deadline = Duration(100);
  auto answer = ask(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "no answer");
}

// "cannot connect: bad version (the API server or kubectl proxy hangs)"
TEST_F(HttpClientTest, WhatIsNotHttpIsSaidToBeSo) {
  HttpScript server([](const HttpScript::Asked&) {
    HttpScript::Answer answer;
    answer.raw = "SSH-2.0-OpenSSH_9.2p1\r\n\r\n";
    return answer;
  });
  connect(server.socket());
  auto answer = ask(get("/"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the answer is not HTTP");
  EXPECT_NE(answer.error().hint.find("answers there"), std::string::npos);
}

TEST_F(HttpClientTest, AnAnswerThatBreaksOffIsAnErrorNotHalfABody) {
  HttpScript server([](const HttpScript::Asked&) {
    HttpScript::Answer answer;
    answer.raw = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    return answer;
  });
  connect(server.socket());
  auto answer = ask(get("/"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the answer broke off");
}

TEST_F(HttpClientTest, TooLongAnAnswerIsRefused) {
  HttpScript server([](const HttpScript::Asked&) {
    return HttpScript::Answer{200, std::string(4096, 'x'), {}};
  });
  connect(server.socket());
  HttpCall request = get("/");
  request.limit = 1000;
  auto answer = ask(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the answer is too long");
}

// What the callback holds must outlive its own cancelling.
TEST_F(HttpClientTest, AStreamMayBeCancelledByItsOwnOpening) {
  HttpScript server([](const HttpScript::Asked&) {
    HttpScript::Answer answer;
    answer.stream = true;
    return answer;
  });
  connect(server.socket());
  std::promise<bool> alive;
  std::weak_ptr<int> seen;
  worker_.post([&] {
    auto held = std::make_shared<int>(1);
    seen = held;
    auto id = std::make_shared<HttpClient::Id>(0);
    *id = client_->stream(
        get("/watch"), 10s,
        [held, id, client = &*client_, told = &alive, weak = &seen] {
          auto* answer = told;
          auto* still = weak;
          client->cancel(*id);
          answer->set_value(!still->expired());
        },
        [](std::string_view) {}, [](Result<HttpResponse>) {});
  });
  auto future = alive.get_future();
  ASSERT_EQ(future.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_TRUE(future.get());
}

HttpScript::Answer stream_of(const std::string& first) {
  HttpScript::Answer answer;
  answer.stream = true;
  answer.body = first;
  return answer;
}

TEST_F(HttpClientTest, ALongAnswerComesInPartsAndIsNotKept) {
  std::string body;
  for (int i = 0; body.size() < 1'000'000; ++i) body += std::to_string(i);
  HttpScript server([&](const HttpScript::Asked& asked) -> HttpScript::Answer {
    if (asked.target == "/no") return {403, "not you", {}};
    return {200, body, {}};
  });
  connect(server.socket());
  HttpCall request = get("/long");
  request.limit = 1000;  // of what is held
  auto told = ask_in_parts(request);
  ASSERT_TRUE(told.end && *told.end);
  EXPECT_GT(told.parts, 10u);
  EXPECT_TRUE(told.body == body);
  EXPECT_EQ((*told.end)->body, "");
  auto refused = ask_in_parts(get("/no"));
  ASSERT_TRUE(refused.end && *refused.end);
  EXPECT_EQ(refused.parts, 0u);
  EXPECT_EQ((*refused.end)->status, 403);
  EXPECT_EQ((*refused.end)->body, "not you");
  auto cancelled = ask_in_parts(get("/long"), 100'000);
  EXPECT_FALSE(cancelled.end);
  EXPECT_LT(cancelled.body.size(), 200'000u);
}

TEST_F(HttpClientTest, LinesComeWholeHoweverTheyAreCut) {
  HttpScript server([](const HttpScript::Asked&) { return stream_of("one\ntw"); });
  connect(server.socket());
  auto heard = std::make_shared<Heard>();
  listen(get("/watch"), Duration(60s), heard);
  ASSERT_TRUE(heard->until([&] { return heard->lines.size() == 1; }));
  EXPECT_TRUE(heard->open);
  server.feed("/watch", "o\r\n\nthr");
  server.feed("/watch", "ee\nhalf a li");
  ASSERT_TRUE(heard->until([&] { return heard->lines.size() == 3; }));
  server.close_streams("/watch");
  ASSERT_TRUE(heard->until([&] { return heard->end.has_value(); }));
  ASSERT_TRUE(heard->end->ok()) << to_line(heard->end->error());
  EXPECT_EQ(heard->lines, (std::vector<std::string>{"one", "two", "three"}));  // the half line is dropped
}

TEST_F(HttpClientTest, AStreamThatIsCutEndsAsAnError) {
  HttpScript server([](const HttpScript::Asked&) { return stream_of("one\n"); });
  connect(server.socket());
  auto heard = std::make_shared<Heard>();
  listen(get("/watch"), Duration(60s), heard);
  ASSERT_TRUE(heard->until([&] { return heard->lines.size() == 1; }));
  server.close_streams("/watch", false);
  ASSERT_TRUE(heard->until([&] { return heard->end.has_value(); }));
  EXPECT_FALSE(heard->end->ok());
}

TEST_F(HttpClientTest, AnIdleStreamIsTakenForDead) {
  HttpScript server([](const HttpScript::Asked&) { return stream_of("one\n"); });
  connect(server.socket());
  auto heard = std::make_shared<Heard>();
  listen(get("/watch"), Duration(100ms), heard);
  ASSERT_TRUE(heard->until([&] { return heard->end.has_value(); }));
  EXPECT_FALSE(heard->end->ok());
  EXPECT_EQ(heard->end->error().what, "no answer");
}

TEST_F(HttpClientTest, ARefusedStreamTellsWhy) {
  HttpScript server([](const HttpScript::Asked&) { return HttpScript::Answer{410, "gone\n", {}}; });
  connect(server.socket());
  auto heard = std::make_shared<Heard>();
  listen(get("/watch"), Duration(60s), heard);
  ASSERT_TRUE(heard->until([&] { return heard->end.has_value(); }));
  ASSERT_TRUE(heard->end->ok());
  EXPECT_EQ(heard->end->value().status, 410);
  EXPECT_EQ(heard->end->value().body, "gone\n");
  EXPECT_TRUE(heard->lines.empty());
  EXPECT_FALSE(heard->open);
}

TEST_F(HttpClientTest, NothingIsHeardAfterACancel) {
  HttpScript server([](const HttpScript::Asked& asked) {
    return asked.target == "/watch" ? stream_of("one\n") : HttpScript::Answer{200, "x", {}};
  });
  connect(server.socket());
  auto heard = std::make_shared<Heard>();
  listen(get("/watch"), Duration(60s), heard);
  ASSERT_TRUE(heard->until([&] { return heard->lines.size() == 1; }));
  std::promise<void> cancelled;
  worker_.post([&] {
    client_->cancel(id_);
    cancelled.set_value();
  });
  cancelled.get_future().wait();
  server.feed("/watch", "two\n");
  ASSERT_TRUE(ask(get("/other")));  // a round trip later
  EXPECT_EQ(heard->lines.size(), 1u);
  EXPECT_FALSE(heard->end);
}

TEST(UrlEscape, EscapesAllThatIsNotPlain) {
  EXPECT_EQ(url_escape("a-b._~Z9"), "a-b._~Z9");
  EXPECT_EQ(url_escape("a=b,c/ü"), "a%3Db%2Cc%2F%C3%BC");
}

TEST_F(HttpClientTest, EachRequestIsCountedOnceAndTheBytesOfItsBodyAsTheyCome) {
  HttpScript server([](const HttpScript::Asked& asked) {
    HttpScript::Answer answer;
    if (asked.target == "/list") answer.body = std::string(300'000, 'x');
    if (asked.target == "/refused") answer = {403, "no", {}};
    if (asked.target == "/watch") answer.stream = true;
    return answer;
  });
  connect(server.socket());
  struct Seen {
    std::mutex lock;
    std::vector<std::string> sent;
    std::map<std::string, std::size_t> bytes;
  };
  auto seen = std::make_shared<Seen>();
  const auto bytes_of = [&](const std::string& target) {
    std::lock_guard hold(seen->lock);
    return seen->bytes[target];
  };
  worker_.post([&] {
    client_->count([seen](const HttpCall& call) -> HttpClient::Came {
      std::lock_guard hold(seen->lock);
      seen->sent.push_back(call.target);
      if (call.target == "/uncounted") return nullptr;
      return [seen, target = call.target](std::size_t bytes) {
        std::lock_guard again(seen->lock);
        seen->bytes[target] += bytes;
      };
    });
  });
  EXPECT_TRUE(ask(get("/list")));
  EXPECT_EQ(ask_in_parts(get("/list")).body.size(), 300'000u);
  EXPECT_EQ(bytes_of("/list"), 600'000u);
  EXPECT_TRUE(ask(get("/refused")));
  EXPECT_EQ(bytes_of("/refused"), 2u) << "a refusal is an answer, too";
  EXPECT_TRUE(ask(get("/uncounted")));
  std::promise<void> second;
  worker_.post([&] {
    client_->stream(
        get("/watch"), 20s, nullptr,
        [&](std::string_view line) {
          if (line == "two") second.set_value();
        },
        [](const Result<HttpResponse>&) {});
  });
  while (server.streams("/watch") == 0) std::this_thread::yield();
  server.feed("/watch", "one\ntwo\nhalf");
  second.get_future().wait();
  EXPECT_EQ(bytes_of("/watch"), 12u) << "with line ends, and with what is no line yet";
  std::lock_guard hold(seen->lock);
  EXPECT_EQ(seen->sent, (std::vector<std::string>{"/list", "/list", "/refused", "/uncounted", "/watch"}));
}

}  // namespace
}  // namespace tessera
