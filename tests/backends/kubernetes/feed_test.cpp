// One resource followed: what a server answers instead of a list or a watch, and when it is asked again.
#include "backends/kubernetes/feed.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "backends/kubernetes/explain.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/support/patience.hpp"

namespace tessera::kubernetes::feed_story {
namespace {

using namespace std::chrono_literals;
using test::HttpScript;

// Feeds of one server, and what they said.
class Feeds {
 public:
  explicit Feeds(HttpScript::Handler handler)
      : script_(std::move(handler)), client_(worker_, {script_.socket(), "", 0}) {}
  ~Feeds() {
    worker_.stop();
    feeds_.clear();
  }
  void follow(const std::string& path, std::size_t most = 500'000) {
    worker_.post([this, path, most] {
      FeedSpec spec{path, "", "", path.substr(1), nullptr, most};
      feeds_.push_back(std::make_unique<Feed>(worker_, client_, std::move(spec), calls(path)));
      feeds_.back()->go();
    });
  }
  // Until what was asked and told is as the test waits for.
  bool until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    auto end = std::chrono::steady_clock::now() + test::kPatience;
    while (!done())
      if (std::chrono::steady_clock::now() > end)
        return false;
      else
        changed_.wait_for(lock, 20ms);
    return true;
  }
  std::size_t asked(const std::string& part) const {
    auto all = script_.asked();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const auto& one) { return one.target.find(part) != std::string::npos; }));
  }
  HttpScript& script() { return script_; }
  // By path; read inside until().
  std::map<std::string, std::string> failure, note;
  std::map<std::string, int> lists;

 private:
  FeedCalls calls(const std::string& path) {
    FeedCalls calls;
    calls.begin = [] {};
    calls.page = [this](std::string_view text, bool) -> Result<FeedPage> {
      auto page = parser_.list<NodeObject>(text);
      if (!page) return page.error();
      FeedPage head;
      head.version = page->version;
      head.next = page->next;
      head.objects = page->items.size();
      return head;
    };
    calls.listed = [this, path](Duration) { tell([&] { ++lists[path]; }); };
    calls.line = [this](std::string_view text) -> Result<FeedLine> {
      auto line = parser_.line<NodeObject>(text);
      if (!line) return line.error();
      FeedLine head;
      head.change = line->change;
      head.version = line->version;
      head.status = line->status;
      return head;
    };
    calls.report = [this, path](std::optional<Error> error, Duration, const std::string& text) {
      tell([&] {
        failure[path] = error ? to_line(*error) : "";
        if (!text.empty()) note[path] = text;
      });
    };
    calls.proxy_words = [] { return std::string(); };
    return calls;
  }
  void tell(const std::function<void()>& what) {
    std::lock_guard lock(mutex_);
    what();
    changed_.notify_all();
  }
  HttpScript script_;
  Worker worker_;
  HttpClient client_;
  Parser parser_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

bool is_watch(const HttpScript::Asked& asked) { return asked.target.find("watch=1") != std::string::npos; }
HttpScript::Answer open_watch() {
  HttpScript::Answer answer;
  answer.stream = true;
  return answer;
}

// The watch's own answer, not a line in it.
TEST(KubernetesFeed, AVersionThatAWatchRefusesAsGoneIsNeverAskedForAgain) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    if (!is_watch(asked)) return HttpScript::Answer{200, list_json({}, "100"), {}};
    if (asked.target.find("resourceVersion=100") != std::string::npos)
      return HttpScript::Answer{410, R"({"kind":"Status","code":410})", {}};
    return open_watch();
  });
  feeds.follow("/nodes");
  ASSERT_TRUE(feeds.until([&] { return feeds.lists["/nodes"] >= 3; }));
  // A version is watched once for each list that gave it.
  EXPECT_LE(feeds.asked("watch=1"), feeds.asked("limit="));
}

TEST(KubernetesFeed, AServerWhoseWatchesAlwaysExpireIsNotListedWithoutAPause) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    if (asked.target.starts_with("/busy")) return HttpScript::Answer{500, "in trouble", {}};
    if (!is_watch(asked)) return HttpScript::Answer{200, list_json({}, "100"), {}};
    return HttpScript::Answer{410, R"({"kind":"Status","code":410})", {}};
  });
  feeds.follow("/nodes");
  feeds.follow("/busy");  // asked at 0, 1, 3 s: the clock of this test
  ASSERT_TRUE(feeds.until([&] { return feeds.asked("/busy") >= 3; }));
  EXPECT_LE(feeds.asked("limit=500") - feeds.asked("/busy"), 5u);
}

// A watch that ends at 404 was tried again after five minutes, from a version that its kind no longer had.
TEST(KubernetesFeed, AKindThatIsServedNoLongerIsListedAgain) {
  std::atomic<bool> gone = false;
  Feeds feeds([&](const HttpScript::Asked& asked) {
    if (gone) return HttpScript::Answer{404, "404 page not found", {}};
    return is_watch(asked) ? open_watch() : HttpScript::Answer{200, list_json({}, "100"), {}};
  });
  feeds.follow("/nodes");
  ASSERT_TRUE(feeds.until([&] { return feeds.script().streams("/nodes") == 1; }));
  gone = true;
  feeds.script().close_streams("/nodes");
  ASSERT_TRUE(feeds.until([&] { return !feeds.failure["/nodes"].empty(); }));
  EXPECT_EQ(feeds.asked("limit=500"), 2u) << "its list is refused, and only that tells that there is none";
}

TEST(KubernetesFeed, ARefusalIsNotAskedAgainWithinSeconds) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    if (asked.target.starts_with("/busy")) return HttpScript::Answer{500, "in trouble", {}};
    return HttpScript::Answer{403, R"({"kind":"Status","message":"forbidden","code":403})", {}};
  });
  feeds.follow("/nodes");
  feeds.follow("/busy");
  ASSERT_TRUE(feeds.until([&] { return feeds.asked("/busy") >= 3; }));
  EXPECT_EQ(feeds.asked("/nodes"), 1u);
}

// A server that is busy says when it wants to be asked again.
TEST(KubernetesFeed, AServerThatNamesATimeIsNotAskedBefore) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    if (asked.target.starts_with("/busy")) return HttpScript::Answer{500, "in trouble", {}};
    return HttpScript::Answer{
        429, R"({"kind":"Status","message":"too many requests","code":429})", {"Retry-After: 60"}};
  });
  feeds.follow("/nodes");
  feeds.follow("/busy");
  ASSERT_TRUE(feeds.until([&] { return feeds.asked("/busy") >= 3; }));
  EXPECT_EQ(feeds.asked("/nodes"), 1u);
}

TEST(KubernetesFeed, ALineThatCannotBeReadIsMadeGoodByAFreshList) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    return is_watch(asked) ? open_watch() : HttpScript::Answer{200, list_json({}, "100"), {}};
  });
  feeds.follow("/nodes");
  ASSERT_TRUE(feeds.until([&] { return feeds.script().streams("/nodes") == 1; }));
  feeds.script().feed("/nodes", "{\"type\":\n");
  ASSERT_TRUE(feeds.until([&] { return feeds.lists["/nodes"] == 2; }));
  EXPECT_NE(feeds.note["/nodes"].find("could not be read"), std::string::npos);
  // Again and again: slower each time, so that it is no storm.
  ASSERT_TRUE(feeds.until([&] { return feeds.script().streams_begun("/nodes") == 2; }));
  auto begun = std::chrono::steady_clock::now();
  feeds.script().feed("/nodes", "{\"type\":\n");
  ASSERT_TRUE(feeds.until([&] { return feeds.lists["/nodes"] == 3; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 900ms);
}

TEST(KubernetesFeed, ABookmarkMovesTheVersionFromWhichAWatchGoesOn) {
  Feeds feeds([](const HttpScript::Asked& asked) {
    return is_watch(asked) ? open_watch() : HttpScript::Answer{200, list_json({}, "100"), {}};
  });
  feeds.follow("/nodes");
  ASSERT_TRUE(feeds.until([&] { return feeds.script().streams("/nodes") == 1; }));
  feeds.script().feed("/nodes",
                      event_json("BOOKMARK", R"({"kind":"Node","metadata":{"resourceVersion":"555"}})"));
  feeds.script().close_streams("/nodes");
  ASSERT_TRUE(feeds.until([&] { return feeds.asked("resourceVersion=555") == 1; }));
  EXPECT_EQ(feeds.lists["/nodes"], 1);
}

TEST(KubernetesFeed, AListWithoutEndIsGivenUpWithAnError) {
  std::atomic<int> page = 0;
  Feeds feeds([&](const HttpScript::Asked& asked) {
    if (asked.target.starts_with("/busy")) return HttpScript::Answer{500, "in trouble", {}};
    return HttpScript::Answer{
        200, list_json({gpu_node("a" + std::to_string(page))}, "1", "token" + std::to_string(page++)), {}};
  });
  feeds.follow("/nodes", 10);
  ASSERT_TRUE(feeds.until([&] { return !feeds.failure["/nodes"].empty(); }));
  EXPECT_NE(feeds.failure["/nodes"].find("does not end: more than 10 objects came"), std::string::npos)
      << feeds.failure["/nodes"];
  std::size_t before = feeds.asked("/nodes");
  EXPECT_EQ(before, 11u);
  feeds.follow("/busy");
  ASSERT_TRUE(feeds.until([&] { return feeds.asked("/busy") >= 3; }));
  EXPECT_EQ(feeds.asked("/nodes"), before) << "it is not begun again at once";
}

TEST(KubernetesFeed, APageThatNamesItselfAsTheNextIsGivenUp) {
  Feeds feeds([](const HttpScript::Asked&) {
    return HttpScript::Answer{200, list_json({gpu_node("a")}, "1", "same"), {}};
  });
  feeds.follow("/nodes");
  ASSERT_TRUE(feeds.until([&] { return !feeds.failure["/nodes"].empty(); }));
  EXPECT_NE(feeds.failure["/nodes"].find("names itself as the next"), std::string::npos);
  EXPECT_EQ(feeds.asked("/nodes"), 2u);
}

// ── what kubectl and its login program say ────────────────────────────────────────────────────────────

TEST(KubernetesProxyTest, AnInstallHintIsToldWithoutWhatKubectlAddsToIt) {
  EXPECT_EQ(last_complaint(
                "E1121 02:46:10.123456 12 proxy_server.go:147] Error while proxying request: getting "
                "credentials: exec: executable foo not found\n\nIt looks like you are trying to use a "
                "client-go credential plugin that is not installed.\n\nTo learn more about this feature, "
                "consult the documentation available at:\n      https://kubernetes.io/docs/reference/"
                "access-authn-authz/authentication/#client-go-credential-plugins\n\napt install foo\n"),
            "getting credentials: exec: executable foo not found (it reports: apt install foo)");
  EXPECT_EQ(last_complaint("To sign in, open https://login.example and enter the code ABC\n"),
            "To sign in, open https://login.example and enter the code ABC");
  Error silence = explain_silence("list nodes", {"no answer", "nothing came for 60 s", ""},
                                  "To sign in, open https://login.example and enter the code ABC");
  EXPECT_NE(silence.reason.find("enter the code ABC"), std::string::npos);
}

// ── what a full mailbox drops ─────────────────────────────────────────────────────────────────────────

TEST(KubernetesBackendTest, AChangeThatAFullMailboxDroppedIsToldByTheNextList) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  Mailbox small(1);
  Model model;
  KubernetesOptions options = at(api.script().socket());
  options.catalogue = &test::catalogue();
  options.clock = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
  KubernetesBackend backend(std::move(options));
  backend.start(small);
  auto until = [&](const std::function<bool(const Cluster&)>& done) {
    return test::reduce_until(small, model, backend.name(), done, test::kPatience, 50ms);
  };
  ASSERT_TRUE(until(loaded));
  ASSERT_TRUE(until([&](const Cluster&) { return api.script().streams("/api/v1/nodes") == 1; }));
  // Nothing reads while these come: there is room for one.
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += event_json("ADDED", gpu_node("n" + std::to_string(i), std::to_string(200 + i)));
  api.script().feed("/api/v1/nodes", lines);
  pollfd never{-1, 0, 0};
  for (int i = 0; i < 1000 && small.dropped() == 0; ++i) ::poll(&never, 1, 20);
  ASSERT_GT(small.dropped(), 0u);
  EXPECT_TRUE(until([](const Cluster& c) { return c.nodes.size() == 21; }));
}

}  // namespace
}  // namespace tessera::kubernetes::feed_story
