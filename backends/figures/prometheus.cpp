#include "backends/figures/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/text.hpp"

namespace tessera::figures {
namespace {

constexpr Duration kLongestPause{300'000};
constexpr Duration kFinestStep{15'000};  // a usual interval of scrapes
constexpr int kPoints = 240;             // of a chart's past
constexpr Duration kSumsAgain{300'000};
constexpr std::size_t kMostOfAll = 200'000;  // values of all nodes: some 5 MB of text
constexpr std::size_t kMostSums = 60, kFewestSums = 12;
constexpr std::string_view kAsking = "cannot ask Prometheus";

struct Known {
  int status;
  std::string_view what, hint;
};
constexpr Known kKnown[] = {
    {401, "it requires a login",
     "no login is passed on: let the site's command add one, or name a server that requires none"},
    {403, "access is denied", "allow this user to query it"},
    {404, "there is no such page", "name the server's root: its API is at /api/v1"},
    {429, "it receives too many requests", "the question is repeated later"},
    {502, "a proxy in front of it got no answer", "is Prometheus running?"},
    {503, "it is not ready", "it may be starting, or the service has no pod that is ready"},
    {504, "a proxy in front of it timed out", "it may be busy: the question is repeated later"},
};

// Between two values of each of so many GPUs and instances; nullopt: they are too many.
std::optional<Duration> step_of_all(Duration time, std::size_t parts) {
  const std::size_t points = std::min(kMostSums, kMostOfAll / std::max<std::size_t>(1, parts));
  if (points < kFewestSums) return std::nullopt;
  return std::max(kFinestStep, time / static_cast<Duration::rep>(points));
}

// What a server says with its status, without markup: one line of it.
std::string words_of(std::string_view body) {
  constexpr std::size_t kShown = 120;
  if (body.empty() || body.front() == '<') return {};
  return clean(body.substr(0, body.find('\n')), kShown);
}

}  // namespace

Error explain_prometheus(JsonDocument& document, const HttpResponse& response) {
  std::string said = prometheus_complaint(document, response.body);
  if (said.empty()) said = words_of(response.body);
  std::string reason = fmt::format("HTTP {}", response.status);
  std::string hint = response.status >= 500 ? "look at its log" : "look at the same query in its web page";
  for (const Known& known : kKnown) {
    if (known.status != response.status) continue;
    reason += fmt::format(": {}", known.what);
    hint = known.hint;
  }
  if (!said.empty()) reason += fmt::format(" ({})", said);
  return {std::string(kAsking), std::move(reason), std::move(hint)};
}

struct Prometheus::State : std::enable_shared_from_this<State> {
  State(Worker& w, PrometheusCalls c) : worker(w), calls(std::move(c)) {}

  Worker& worker;
  PrometheusCalls calls;
  JsonDocument document;
  std::uint64_t timer = 0;
  std::uint64_t turn = 0;  // an answer to an older one comes too late
  bool under_way = false, complete = false;
  int failures = 0;  // in a row
  struct Past {
    NodeName node;
    TimePoint since{};
    Kept kept;
  };
  struct PastSums {
    TimePoint since{};
    const mig::Catalogue* catalogue = nullptr;
    SumsKept kept;
  };
  std::vector<Past> wanted;                  // of the past, until the round ends
  std::vector<PastSums> wanted_sums;         // the same
  std::size_t parts = 0;                     // GPUs and instances that the last round told of
  std::optional<TimePoint> sums_asked;       // when all nodes' past was asked for last
  std::map<std::string, SeriesNode> series;  // by node, how the last round told of it

  void begin();
  void heard(TimePoint asked_at, Result<HttpResponse> result);
  Result<FiguresNow> read(const Result<HttpResponse>& result, TimePoint asked_at);
  void pause(std::optional<Duration> at_least);
  void end_round(std::optional<Duration> at_least);
  void look_back(Past past);
  void look_back(PastSums past);
  void rest();
};

void Prometheus::State::rest() {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  ++turn;
  under_way = false;
  for (Past& past : std::exchange(wanted, {})) past.kept({});
  for (PastSums& past : std::exchange(wanted_sums, {})) past.kept({});
}

void Prometheus::State::begin() {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  under_way = true;
  const TimePoint asked_at = calls.clock();
  calls.ask(path_of_figures_now(),
            [weak = weak_from_this(), mine = ++turn, asked_at](Result<HttpResponse> result) {
              auto self = weak.lock();
              if (self && self->turn == mine) self->heard(asked_at, std::move(result));
            });
}

Result<FiguresNow> Prometheus::State::read(const Result<HttpResponse>& result, TimePoint asked_at) {
  if (!result) return result.error();
  if (result->status != 200) return explain_prometheus(document, *result);
  auto now = figures_now(document, result->body, calls.node_of, asked_at);
  if (!now || !now->nodes.empty()) return now;
  if (now->strange > 0)
    return Error{"Prometheus reports no node of this cluster",
                 fmt::format("{} series are of nodes that are not in the list", now->strange),
                 "a label of the series must have the node's name: Hostname, node or instance"};
  return Error{"Prometheus reports no GPU",
               now->problem.empty() ? "it has no series of DCGM's counters" : now->problem,
               "it must scrape the DCGM exporters"};
}

void Prometheus::State::heard(TimePoint asked_at, Result<HttpResponse> result) {
  auto now = read(result, asked_at);
  const Duration latency = result ? result->took : Duration(0);
  const bool told = now.ok();
  failures = told ? 0 : failures + 1;
  if (told) {
    series.clear(), parts = 0;
    for (const NodeReadings& one : now->nodes) {
      series.emplace(one.node.node, one.node);
      parts += one.readings.parts.size();
    }
  }
  complete = true;
  end_round(result ? result->retry_after : std::nullopt);
  if (told)
    calls.told(std::move(*now), latency);
  else
    calls.failed(now.error(), latency);
}

void Prometheus::State::end_round(std::optional<Duration> at_least) {
  under_way = false;
  for (Past& past : std::exchange(wanted, {})) look_back(std::move(past));
  for (PastSums& past : std::exchange(wanted_sums, {})) look_back(std::move(past));
  pause(at_least);
}

void Prometheus::State::pause(std::optional<Duration> at_least) {
  Duration next = calls.every();
  for (int i = 1; i < failures && next < kLongestPause; ++i) next *= 2;
  if (failures > 1) next = std::max(calls.every(), std::min(next, kLongestPause));
  timer = worker.after(std::max(next, at_least.value_or(Duration(0))), [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    self->begin();
  });
}

void Prometheus::State::look_back(Past past) {
  const auto found = series.find(past.node.text);
  if (found == series.end()) return past.kept({});
  const TimePoint now = calls.clock();
  const Duration step = std::max(kFinestStep, (now - past.since) / kPoints);
  calls.ask(path_of_figures_before(found->second, past.since, now, step),
            [weak = weak_from_this(), kept = std::move(past.kept)](const Result<HttpResponse>& result) {
              auto self = weak.lock();
              if (!self) return;
              if (!result || result->status != 200) return kept({});
              auto rounds = figures_before(self->document, result->body);
              kept(rounds ? std::move(*rounds) : std::vector<DcgmReadings>());
            });
}

void Prometheus::State::look_back(PastSums past) {
  const TimePoint now = calls.clock();
  const bool lately = sums_asked && now >= *sums_asked && now - *sums_asked < kSumsAgain;
  const std::optional<Duration> step = step_of_all(now - past.since, parts);
  if (lately || parts == 0 || !step) return past.kept({});
  sums_asked = now;
  calls.ask(path_of_held_before(past.since, now, *step),
            [weak = weak_from_this(), past = std::move(past)](const Result<HttpResponse>& result) {
              auto self = weak.lock();
              if (!self) return;
              if (!result || result->status != 200) return past.kept({});
              auto sums = sums_before(self->document, result->body, self->calls.node_of, past.catalogue);
              past.kept(sums ? std::move(*sums) : history::SumsBefore());
            });
}

Prometheus::Prometheus(Worker& worker, PrometheusCalls calls)
    : state_(std::make_shared<State>(worker, std::move(calls))) {}
Prometheus::~Prometheus() { state_->rest(); }

void Prometheus::go() {
  if (!state_->under_way) state_->begin();
}
void Prometheus::rest() { state_->rest(); }
bool Prometheus::has_rounds() const { return state_->complete; }

void Prometheus::look_back(const NodeName& node, TimePoint since, Kept kept) {
  if (state_->under_way || !state_->complete)
    state_->wanted.push_back({node, since, std::move(kept)});
  else
    state_->look_back(State::Past{node, since, std::move(kept)});
}

void Prometheus::look_back_at_sums(TimePoint since, const mig::Catalogue* catalogue, SumsKept kept) {
  if (state_->under_way || !state_->complete)
    state_->wanted_sums.push_back({since, catalogue, std::move(kept)});
  else
    state_->look_back(State::PastSums{since, catalogue, std::move(kept)});
}

}  // namespace tessera::figures
