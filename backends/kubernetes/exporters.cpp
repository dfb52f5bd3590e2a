#include "backends/kubernetes/exporters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "backends/figures/apart.hpp"
#include "backends/figures/faults.hpp"
#include "backends/kubernetes/explain.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 8;
constexpr std::size_t kQuickly = 16;  // of a round; then
constexpr Duration kEach{250};        // ... one in so long
constexpr Duration kAnswer{10000};
constexpr std::size_t kNamedNodes = 3;          // in a remark
constexpr std::size_t kMostMetrics = 8u << 20;  // bytes; eight GPUs of seven instances tell half a megabyte

// By node; by namespace, where it is forbidden. What an exporter told stands until it is asked again.
using Trouble = std::map<std::string, Error>;

// Since when each of them has it, by the end of the round that found it.
using Since = std::map<std::string, TimePoint>;

void follow(Since& since, const Trouble& trouble, TimePoint now) {
  std::erase_if(since, [&](const auto& one) { return !trouble.contains(one.first); });
  for (const auto& [name, error] : trouble) since.try_emplace(name, now);
}

// Of the one that has had it for longest; nullopt: none has.
std::optional<TimePoint> first_of(const Since& since) {
  std::optional<TimePoint> first;
  for (const auto& [name, at] : since) first = std::min(first.value_or(at), at);
  return first;
}

std::set<std::string> names(const Trouble& trouble) {
  std::set<std::string> all;
  for (const auto& [name, error] : trouble) all.insert(name);
  return all;
}

}  // namespace

std::string Exporter::target() const {
  return fmt::format("/api/v1/namespaces/{}/pods/{}{}:{}/proxy/metrics", url_escape(name_space),
                     https ? "https:" : "", url_escape(pod), port);
}

struct Exporters::State : std::enable_shared_from_this<State> {
  State(Worker& w, HttpClient& c, ExporterCalls f) : worker(w), client(c), calls(std::move(f)) {}

  Worker& worker;
  HttpClient& client;
  ExporterCalls calls;
  Parser parser;
  std::uint64_t timer = 0;
  bool under_way = false, complete = false, rests = true;

  struct Known {
    bool https = false;  // how it answered last
    Steady::time_point tried{};
  };
  std::map<std::string, Known> known;  // by the exporter's id
  std::set<std::string> viewed;        // nodes
  Trouble forbidden, silent, unreadable;
  Since forbidden_since, silent_since, unreadable_since;
  figures::Faults faults;
  figures::Apart apart;

  // Of the round that is under way.
  std::vector<Exporter> all_there;
  std::vector<Exporter> waiting;  // the next one last
  struct Question {
    Exporter exporter;
    std::string refused;  // what it said when it was asked the other way; empty: it was not
  };
  std::map<HttpClient::Id, Question> asked;
  std::size_t begun = 0, answered = 0;
  Steady::time_point since{};
  Duration latency{0};

  void begin(bool all);
  bool is_due(const Exporter& exporter, bool all) const;
  void forget(const std::vector<Exporter>& there);
  void look_at_viewed();
  void ask_viewed_again();
  void ask_more();
  void ask(Question question);
  void heard(Question question, Result<HttpResponse> result);
  void keep(const Exporter& exporter, const HttpResponse& response);
  void fail(const Exporter& exporter, Trouble& trouble, const std::string& key, Error why);
  void end();
  void stop();
  Duration round() const;
  std::vector<Remark> remarks() const;
};

void Exporters::State::stop() {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  for (const auto& [id, question] : asked) client.cancel(id);
  asked.clear();
  waiting.clear();
  under_way = false;
  rests = true;
}

void Exporters::State::begin(bool all) {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  apart.awake(Steady::now(), kAnswer);
  all_there = calls.where();
  forget(all_there);
  waiting.clear();
  for (Exporter exporter : all_there) {
    if (!is_due(exporter, all)) continue;
    if (auto before = known.find(exporter.id()); before != known.end()) exporter.https = before->second.https;
    forbidden.erase(exporter.name_space);
    waiting.push_back(std::move(exporter));
  }
  std::reverse(waiting.begin(), waiting.end());
  begun = answered = 0;
  since = Steady::now();
  latency = Duration(0);
  under_way = true;
  rests = false;
  ask_more();
}

// A round that would come a little too early for one asks it, too, instead of leaving it for the next.
bool Exporters::State::is_due(const Exporter& exporter, bool all) const {
  auto before = known.find(exporter.id());
  if (all || before == known.end() || viewed.contains(exporter.node)) return true;
  return Steady::now() - before->second.tried + calls.every() / 2 >= calls.others();
}

// What is known of exporters that are gone.
void Exporters::State::forget(const std::vector<Exporter>& there) {
  std::set<std::string> ids, nodes, spaces;
  for (const Exporter& exporter : there) {
    ids.insert(exporter.id());
    nodes.insert(exporter.node);
    spaces.insert(exporter.name_space);
  }
  std::erase_if(known, [&](const auto& one) { return !ids.contains(one.first); });
  apart.forget([&](const std::string& id) { return !ids.contains(id); });
  std::erase_if(silent, [&](const auto& one) { return !nodes.contains(one.first); });
  std::erase_if(unreadable, [&](const auto& one) { return !nodes.contains(one.first); });
  faults.forget([&](const std::string& node) { return !nodes.contains(node); });
  std::erase_if(forbidden, [&](const auto& one) { return !spaces.contains(one.first); });
}

// Going to and fro between pages asks no more often than staying on one.
void Exporters::State::look_at_viewed() {
  if (rests) return;
  if (under_way) {
    std::stable_partition(waiting.begin(), waiting.end(),
                          [this](const Exporter& one) { return !viewed.contains(one.node); });
    return;
  }
  const std::vector<Exporter> there = calls.where();
  const bool due = std::any_of(there.begin(), there.end(), [this](const Exporter& one) {
    auto before = known.find(one.id());
    return viewed.contains(one.node) &&
           (before == known.end() || Steady::now() - before->second.tried >= calls.every());
  });
  if (due) begin(false);
}

// A round of thousands takes many minutes: nodes on screen do not wait for its end.
void Exporters::State::ask_viewed_again() {
  if (viewed.empty() || waiting.empty()) return;
  for (const Exporter& one : all_there) {
    if (!viewed.contains(one.node)) continue;
    auto before = known.find(one.id());
    if (before == known.end() || Steady::now() - before->second.tried < calls.every()) continue;
    const auto is_it = [&](const Exporter& other) { return other.id() == one.id(); };
    if (std::any_of(waiting.begin(), waiting.end(), is_it)) continue;
    if (std::any_of(asked.begin(), asked.end(),
                    [&](const auto& each) { return is_it(each.second.exporter); }))
      continue;
    waiting.push_back(one);
    waiting.back().https = before->second.https;
  }
}

void Exporters::State::ask_more() {
  apart.awake(Steady::now(), kAnswer);
  auto may_begin = kQuickly + static_cast<std::size_t>((Steady::now() - since) / kEach);
  ask_viewed_again();
  while (asked.size() < kAtOnce && !waiting.empty() && begun < may_begin) {
    Exporter next = std::move(waiting.back());
    waiting.pop_back();
    known[next.id()].tried = Steady::now();
    silent.erase(next.node), unreadable.erase(next.node);
    if (forbidden.contains(next.name_space)) {
      apart.failed(next.id());
      continue;
    }
    ++begun;
    ask({std::move(next), ""});
  }
  if (asked.empty() && waiting.empty()) return end();
  if (waiting.empty() || asked.size() == kAtOnce || timer != 0) return;
  timer = worker.after(kEach, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    self->ask_more();
  });
}

void Exporters::State::ask(Question question) {
  HttpCall request;
  request.target = question.exporter.target();
  request.headers = {{"Accept", "text/plain;version=0.0.4"}};
  request.deadline = kAnswer;
  request.limit = kMostMetrics;
  auto id = std::make_shared<HttpClient::Id>(0);
  *id = client.request(std::move(request), [weak = weak_from_this(), id](Result<HttpResponse> result) {
    auto self = weak.lock();
    if (!self) return;
    auto place = self->asked.find(*id);
    if (place == self->asked.end()) return;
    Question answered_now = std::move(place->second);
    self->asked.erase(place);
    self->heard(std::move(answered_now), std::move(result));
    self->ask_more();
  });
  asked.emplace(*id, std::move(question));
}

void Exporters::State::heard(Question question, Result<HttpResponse> result) {
  Exporter& exporter = question.exporter;
  std::string doing = "get pods/proxy in namespace " + exporter.name_space;
  if (!result) {
    return fail(exporter, silent, exporter.node, explain_silence(doing, result.error(), ""));
  }
  if (result->status == 200) return keep(exporter, *result);
  Error why = explain_response(doing, *result, parser, "");
  // The API server's own refusal; an exporter that wants a login of its own says so in other words.
  bool ours = parser.status(result->body).has_value();
  if (ours && (result->status == 401 || result->status == 403)) {
    return fail(exporter, forbidden, exporter.name_space, std::move(why));
  }
  if (question.refused.empty()) {
    question.refused = why.reason;
    exporter.https = !exporter.https;
    return ask(std::move(question));
  }
  why.reason = fmt::format("by {}: {}; by {}: {}", exporter.https ? "HTTP" : "HTTPS", question.refused,
                           exporter.https ? "HTTPS" : "HTTP", why.reason);
  fail(exporter, silent, exporter.node, std::move(why));
}

void Exporters::State::fail(const Exporter& exporter, Trouble& trouble, const std::string& key, Error why) {
  apart.failed(exporter.id());
  trouble.emplace(key, std::move(why));
}

void Exporters::State::keep(const Exporter& exporter, const HttpResponse& response) {
  known[exporter.id()].https = exporter.https;
  auto readings = figures::read_dcgm(response.body);
  if (!readings) {
    return fail(exporter, unreadable, exporter.node, readings.error());
  }
  latency += response.took;
  ++answered;
  apart.answered(exporter.id(), Steady::now());
  faults.keep(exporter.node, *readings);
  readings->from = exporter.id();
  readings->at = calls.clock();
  calls.told(exporter, std::move(*readings));
}

void Exporters::State::end() {
  under_way = false;
  complete = true;
  apart.awake(Steady::now(), calls.every());
  const TimePoint now = calls.clock();
  follow(forbidden_since, forbidden, now);
  follow(silent_since, silent, now);
  follow(unreadable_since, unreadable, now);
  if (timer != 0) worker.cancel(timer);
  timer = worker.after(calls.every(), [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    self->begin(false);
  });
  calls.round(answered, answered > 0 ? latency / static_cast<std::int64_t>(answered) : Duration(0),
              remarks());
}

// By how long those that answer really wait, and before they have answered twice by how many there are.
Duration Exporters::State::round() const {
  const Duration paced = kEach * static_cast<Duration::rep>(all_there.size());
  return std::max({calls.others(), calls.every() + std::min(paced, figures::kSlowestRound),
                   std::min(apart.longest(Steady::now()), calls.every() + figures::kSlowestRound)});
}

std::vector<Remark> Exporters::State::remarks() const {
  std::vector<Remark> all_of_them;
  auto add = [&](std::string text, std::string hint, const Since& begun_at) {
    all_of_them.push_back({Remark::Grade::info, "DCGM exporter", false, std::move(text), std::move(hint)});
    // The text names who has it now, so that it would seem new with each that joins them.
    all_of_them.back().seen = first_of(begun_at);
  };
  if (!forbidden.empty())
    add(fmt::format(
            "use and memory of GPUs are unknown, and so is the slice that a pod holds: not allowed to get "
            "pods/proxy in namespace {}",
            some_of(names(forbidden), kNamedNodes)),
        forbidden.begin()->second.hint, forbidden_since);
  if (!silent.empty())
    add(fmt::format("does not answer on {}: {}", some_of(names(silent), kNamedNodes),
                    silent.begin()->second.reason),
        "the API server must reach the exporter's port: a network policy may stand in between", silent_since);
  if (!unreadable.empty()) {
    const Error& first = unreadable.begin()->second;
    add(fmt::format("what it reports on {} cannot be read: {}", some_of(names(unreadable), kNamedNodes),
                    to_line({first.what, first.reason, ""})),
        first.hint, unreadable_since);
  }
  for (Remark& fault : faults.remarks()) all_of_them.push_back(std::move(fault));
  return all_of_them;
}

Exporters::Exporters(Worker& worker, HttpClient& client, ExporterCalls calls)
    : state_(std::make_shared<State>(worker, client, std::move(calls))) {}
Exporters::~Exporters() { state_->stop(); }

void Exporters::go() {
  if (!state_->under_way) state_->begin(true);
}

void Exporters::set_viewed(const std::vector<NodeName>& nodes) {
  std::set<std::string> now;
  for (const NodeName& node : nodes) now.insert(node.text);
  const bool more = !std::includes(state_->viewed.begin(), state_->viewed.end(), now.begin(), now.end());
  state_->viewed = std::move(now);
  if (more) state_->look_at_viewed();
}
void Exporters::rest() { state_->stop(); }
bool Exporters::has_rounds() const { return state_->complete; }
Duration Exporters::round() const { return state_->round(); }

}  // namespace tessera::kubernetes
