#include "backends/kubernetes/feed.hpp"

#include <algorithm>
#include <utility>

#include "backends/kubernetes/explain.hpp"
#include "backends/kubernetes/objects/list_pieces.hpp"

namespace tessera::kubernetes {
namespace {

constexpr int kPage = 500;
constexpr Duration kListDeadline{60000};
// Bookmarks come about once a minute; twice missed, the connection is taken for dead.
constexpr Duration kSilence{150000};
constexpr int kWatchSeconds = 290;        // then the server ends it by itself
constexpr std::size_t kLine = 16u << 20;  // of a watch, and one object of a list
constexpr Duration kFirstWait{1000}, kLongestWait{30000};
constexpr Duration kRefused{60000};     // until a resource that we may not read is tried again
constexpr Duration kNotServed{300000};  // until one that is not there is
constexpr Duration kEndless{3600000};   // until a list that did not end is
// Of one list. No cluster has that much: what is kept of it has to fit into memory.
constexpr std::size_t kListBytes = std::size_t{16} << 30;
constexpr int kListPages = 20'000;

}  // namespace

struct Feed::State : std::enable_shared_from_this<State> {
  State(Worker& w, HttpClient& c, FeedSpec s, FeedCalls f)
      : worker(w), client(c), spec(std::move(s)), calls(std::move(f)) {}

  Worker& worker;
  HttpClient& client;
  FeedSpec spec;
  FeedCalls calls;
  Parser parser;
  std::string version;       // where the watch goes on; empty: a list is needed
  std::string list_version;  // of the list that is under way
  ListPieces pieces;         // of its page
  std::size_t skipped = 0;   // by it: objects that could not be read
  std::size_t objects = 0;   // of it so far
  std::size_t bytes = 0;
  int pages = 0;
  std::string token;  // by which its page was asked for
  FeedPage page;      // what its last piece told
  std::string note;
  HttpClient::Id running = 0;
  std::uint64_t timer = 0;
  Duration wait = kFirstWait;
  Duration relist{0};  // before the next fresh list for which a watch is the reason
  Duration listing{0};
  int failures = 0;  // in a row, before the first list
  int restarts = 0;  // of a list whose pages expired under it
  bool listed = false, answered = false, live = false;

  bool at_older = false;

  std::string target(const std::string& more) const {
    return (at_older ? spec.older : spec.path) + "?" + (spec.query.empty() ? "" : spec.query + "&") + more;
  }
  void stop();
  void go_on() { version.empty() ? list("") : watch(); }
  void list(const std::string& next);
  void hear_part(std::string_view bytes);
  Status take_piece(std::string_view text, bool last);
  void listed_page(Result<HttpResponse> result);
  void complete();
  void watch();
  void hear(std::string_view line);
  void afresh();
  void endless(std::string why);
  Status check_next(const std::string& next);
  void watch_ended(Result<HttpResponse> result);
  void refused(const std::string& verb, const HttpResponse& response);
  void failed(Error error);
  void later(Duration delay);
};

void Feed::State::stop() {
  if (running != 0) client.cancel(std::exchange(running, 0));
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
}

void Feed::State::later(Duration delay) {
  if (timer != 0) worker.cancel(timer);
  timer = worker.after(delay, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    self->go_on();
  });
}

void Feed::State::list(const std::string& next) {
  if (next.empty()) {
    calls.begin();
    listing = Duration(0);
    note.clear();
    skipped = objects = bytes = 0;
    pages = 0;
  }
  token = next;
  pieces = ListPieces();
  HttpCall request;
  // Pages that expire faster than they are read: all at once, then.
  std::string limit = restarts < 2 ? "limit=" + std::to_string(kPage) : "resourceVersion=0";
  request.target = target(limit + (next.empty() ? "" : "&continue=" + url_escape(next)));
  request.deadline = kListDeadline;
  auto weak = weak_from_this();
  running = client.request_in_parts(
      std::move(request),
      [weak](std::string_view part) {
        if (auto self = weak.lock()) self->hear_part(part);
      },
      [weak](Result<HttpResponse> result) {
        if (auto self = weak.lock()) self->listed_page(std::move(result));
      });
}

void Feed::State::hear_part(std::string_view part) {
  bytes += part.size();
  if (bytes > kListBytes) return endless(std::to_string(bytes >> 30) + " GiB came");
  pieces.add(part);
  Status taken = Done{};
  for (std::string_view piece = pieces.piece(); taken && !piece.empty(); piece = pieces.piece())
    taken = take_piece(piece, false);
  if (taken && pieces.waiting() > kLine)
    taken = Error{"the answer is too long", "one object of it has more than 16 MiB", ""};
  if (objects > spec.most) return endless("more than " + std::to_string(spec.most) + " objects came");
  if (taken) return;
  stop();
  failed(taken.error());
}

// A list that could not be kept: it is not asked for again by itself for long.
void Feed::State::endless(std::string why) {
  stop();
  live = false;
  answered = true;
  calls.report(Error{"cannot list " + spec.what, "the list does not end: " + std::move(why),
                     "the API server, or a proxy before it, is out of order; what was shown before is old"},
               Duration(0), "");
  later(kEndless);
}

// A token that comes twice leads round in a circle.
Status Feed::State::check_next(const std::string& next) {
  if (objects > spec.most) return Error{"", "more than " + std::to_string(spec.most) + " objects came", ""};
  if (++pages > kListPages) return Error{"", "more than " + std::to_string(kListPages) + " pages came", ""};
  if (!next.empty() && next == token) return Error{"", "a page names itself as the next", ""};
  return Done{};
}

Status Feed::State::take_piece(std::string_view text, bool last) {
  auto taken = calls.page(text, last);
  if (!taken) return taken.error();
  if (taken->skipped > 0 && skipped == 0) note = taken->problem;
  skipped += taken->skipped;
  objects += taken->objects;
  page = std::move(*taken);
  return Done{};
}

void Feed::State::listed_page(Result<HttpResponse> result) {
  running = 0;
  if (!result) return failed(explain_silence("list " + spec.what, result.error(), calls.proxy_words()));
  listing += result->took;
  if (result->status == 410 && restarts < 5) {
    ++restarts;
    return list("");
  }
  if (result->status == 404 && !spec.older.empty() && !std::exchange(at_older, true)) return list("");
  if (result->status != 200) return refused("list", *result);
  Status taken = take_piece(pieces.last(), true);
  pieces = ListPieces();
  if (!taken) return failed(taken.error());
  list_version = page.version;
  if (Status ends = check_next(page.next); !ends) return endless(ends.error().reason);
  if (!page.next.empty()) return list(page.next);
  complete();
}

void Feed::State::complete() {
  restarts = 0;
  wait = kFirstWait;
  failures = 0;
  listed = answered = live = true;
  calls.listed(listing);
  if (skipped > 0) note = std::to_string(skipped) + " of the " + spec.what + " could not be read: " + note;
  calls.report(std::nullopt, listing, note);
  if (spec.every) return later(spec.every());
  version = list_version;
  watch();
}

void Feed::State::watch() {
  HttpCall request;
  request.target = target("watch=1&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(kWatchSeconds) +
                          "&resourceVersion=" + url_escape(version));
  request.deadline = kSilence;
  request.limit = kLine;
  auto weak = weak_from_this();
  running = client.stream(
      std::move(request), kSilence,
      [weak] {
        auto self = weak.lock();
        if (!self) return;
        self->wait = kFirstWait;
        if (!std::exchange(self->live, true)) self->calls.report(std::nullopt, self->listing, self->note);
      },
      [weak](std::string_view line) {
        if (auto self = weak.lock()) self->hear(line);
      },
      [weak](Result<HttpResponse> ended) {
        if (auto self = weak.lock()) self->watch_ended(std::move(ended));
      });
}

void Feed::State::hear(std::string_view text) {
  auto line = calls.line(text);
  if (!line) {
    calls.report(std::nullopt, listing,
                 "a line of the watch could not be read, so all is read again: " + line.error().reason);
    return afresh();
  }
  if (line->change != Change::error) {
    if (!line->version.empty()) version = line->version;
    if (line->problem.empty()) return;
    note = "a change of the " + spec.what + " could not be read: " + line->problem;
    return calls.report(std::nullopt, listing, note);
  }
  if (line->status.code == 410) return afresh();
  stop();
  failed({"cannot watch " + spec.what,
          line->status.message.empty() ? "the watch broke off" : line->status.message,
          "tessera asks again by itself"});
}

// No watch can go on from where this one stood.
void Feed::State::afresh() {
  stop();
  version.clear();
  Duration delay = relist;
  relist = std::clamp(relist * 2, kFirstWait, kLongestWait);
  delay > Duration(0) ? later(delay) : list("");
}

void Feed::State::watch_ended(Result<HttpResponse> result) {
  running = 0;
  if (!result) return failed(explain_silence("watch " + spec.what, result.error(), calls.proxy_words()));
  if (result->status == 410) return afresh();
  // Its kind went, and perhaps into another version: what it holds now only a list tells.
  if (result->status == 404) {
    at_older = false;
    return afresh();
  }
  if (result->status != 200) return refused("watch", *result);
  relist = Duration(0);
  later(kFirstWait);  // the server's own time was up
}

void Feed::State::refused(const std::string& verb, const HttpResponse& response) {
  Error error = explain_response(verb + " " + spec.what, response, parser, calls.proxy_words());
  Duration delay = wait;
  wait = std::min(wait * 2, kLongestWait);
  auto status = parser.status(response.body);
  if (response.retry_after) delay = std::max(delay, *response.retry_after);
  if (status && status->retry_after) delay = std::max(delay, Duration(*status->retry_after * 1000));
  if (response.status == 401 || response.status == 403) delay = kRefused;
  if (response.status == 404) {
    delay = kNotServed;
    at_older = false;
  }
  // A server that is busy or in trouble may answer the second time.
  bool for_good = response.status < 500 && response.status != 429;
  if (for_good || ++failures > 1) answered = true;
  live = false;
  calls.report(std::move(error), Duration(0), "");
  later(delay);
}

void Feed::State::failed(Error error) {
  live = false;
  if (++failures > 1) answered = true;
  calls.report(std::move(error), Duration(0), "");
  later(wait);
  wait = std::min(wait * 2, kLongestWait);
}

Feed::Feed(Worker& worker, HttpClient& client, FeedSpec spec, FeedCalls calls)
    : state_(std::make_shared<State>(worker, client, std::move(spec), std::move(calls))) {}
Feed::~Feed() { state_->stop(); }

void Feed::go() {
  if (state_->running != 0) return;
  state_->stop();
  state_->go_on();
}

void Feed::rest() {
  state_->stop();
  state_->live = false;
}

bool Feed::answered() const { return state_->answered; }
bool Feed::is_live() const { return state_->live; }

}  // namespace tessera::kubernetes
