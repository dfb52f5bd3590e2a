// One resource of the API, followed: listed by pages, then watched, then asked again for as long as we live.
//
//   list ──last page──▶ watch ──ends──▶ watch again from the last version seen
//    ▲                    │
//    └── 410 Gone, or ────┘        a failure: wait (1 s, 2 s, … 30 s, or what Retry-After says), then go on
//        a line that cannot be read: what it told of is not known, so all is asked for again, at once the
//        first time, then after 1 s, 2 s, … 30 s until a watch has lasted
// A resource that is small and changes seldom is listed again and again instead of being watched. A list that
// is begun again takes nothing away before it is complete.
// Threads: the worker's thread. The destructor cancels whatever is under way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/http_client.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/worker.hpp"

namespace tessera::kubernetes {

struct FeedSpec {
  std::string path;                 // "/api/v1/nodes"
  std::string older;                // where an older server has it (404 at path); empty: nowhere
  std::string query;                // "fieldSelector=...", escaped; may be empty
  std::string what;                 // "nodes": for words
  std::function<Duration()> every;  // between two lists; empty: it is watched
  std::size_t most = 500'000;       // objects of a list; one that has more is given up
};

// What a page or a line meant to whoever keeps the objects.
struct FeedPage {
  std::string version, next;
  std::optional<std::int64_t> remaining;
  std::size_t objects = 0;  // in it, those that were skipped included
  std::size_t skipped = 0;
  std::string problem;  // of the first that was skipped
};
struct FeedLine {
  Change change = Change::unknown;
  std::string version;
  std::string problem;  // why its object cannot be used
  ApiStatus status;
};

struct FeedCalls {
  std::function<void()> begin;  // a list begins
  // Some of its items as a list of their own; the last part of a page reports where it stands.
  std::function<Result<FeedPage>(std::string_view text, bool last)> page;
  std::function<void(Duration took)> listed;  // it is complete
  // Errors: what the line told of is not known now.
  std::function<Result<FeedLine>(std::string_view line)> line;
  // How it is doing: a failure, or nullopt with what could not be read.
  std::function<void(std::optional<Error>, Duration latency, std::string note)> report;
  std::function<std::string()> proxy_words;  // kubectl's last complaint
};

class Feed {
 public:
  Feed(Worker& worker, HttpClient& client, FeedSpec spec, FeedCalls calls);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  void go();              // begins, or goes on at once instead of waiting
  void rest();            // no answer can come now: drops what is under way until go()
  bool answered() const;  // the list was complete once, or refused: nothing better will come soon
  bool is_live() const;   // a watch is open, or the last list succeeded

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::kubernetes
