#include "backends/kubernetes/exporters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

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

struct Trouble {
  std::set<std::string> nodes;  // or namespaces, where it is forbidden
  Error first;
};

void note(Trouble& trouble, const std::string& name, Error error) {
  if (trouble.nodes.empty()) trouble.first = std::move(error);
  trouble.nodes.insert(name);
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
  bool under_way = false, complete = false;

  std::map<std::string, bool> by_https;  // how each answered last

  // Of the round that is under way.
  std::vector<Exporter> waiting;  // the next one last
  struct Question {
    Exporter exporter;
    std::string refused;  // what it said when it was asked the other way; empty: it was not
  };
  std::map<HttpClient::Id, Question> asked;
  std::size_t begun = 0, answered = 0;
  Steady::time_point since{};
  Duration latency{0}, took{0};
  Trouble forbidden, silent, unreadable;

  void begin();
  void ask_more();
  void ask(Question question);
  void heard(Question question, Result<HttpResponse> result);
  void keep(const Exporter& exporter, const HttpResponse& response);
  void end();
  void stop();
  std::vector<Remark> remarks() const;
};

void Exporters::State::stop() {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  for (const auto& [id, question] : asked) client.cancel(id);
  asked.clear();
  waiting.clear();
  under_way = false;
}

void Exporters::State::begin() {
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  waiting = calls.where();
  std::reverse(waiting.begin(), waiting.end());
  std::map<std::string, bool> still;
  for (Exporter& exporter : waiting)
    if (auto other = by_https.find(exporter.id()); other != by_https.end()) {
      exporter.https = other->second;
      still.insert(*other);
    }
  by_https = std::move(still);
  begun = answered = 0;
  since = Steady::now();
  latency = Duration(0);
  forbidden = silent = unreadable = {};
  under_way = true;
  ask_more();
}

void Exporters::State::ask_more() {
  auto may_begin = kQuickly + static_cast<std::size_t>((Steady::now() - since) / kEach);
  while (asked.size() < kAtOnce && !waiting.empty() && begun < may_begin) {
    Exporter next = std::move(waiting.back());
    waiting.pop_back();
    if (forbidden.nodes.contains(next.name_space)) continue;
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
  calls.called();
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
  if (!result) return note(silent, exporter.node, explain_silence(doing, result.error(), ""));
  if (result->status == 200) return keep(exporter, *result);
  Error why = explain_response(doing, *result, parser, "");
  // The API server's own refusal; an exporter that wants a login of its own says so in other words.
  bool ours = parser.status(result->body).has_value();
  if (ours && (result->status == 401 || result->status == 403))
    return note(forbidden, exporter.name_space, std::move(why));
  if (question.refused.empty()) {
    question.refused = why.reason;
    exporter.https = !exporter.https;
    return ask(std::move(question));
  }
  why.reason = fmt::format("by {}: {}; by {}: {}", exporter.https ? "HTTP" : "HTTPS", question.refused,
                           exporter.https ? "HTTPS" : "HTTP", why.reason);
  note(silent, exporter.node, std::move(why));
}

void Exporters::State::keep(const Exporter& exporter, const HttpResponse& response) {
  by_https[exporter.id()] = exporter.https;
  auto readings = figures::read_dcgm(response.body);
  if (!readings) return note(unreadable, exporter.node, readings.error());
  latency += response.took;
  ++answered;
  readings->from = exporter.id();
  readings->at = calls.clock();
  calls.told(exporter, std::move(*readings));
}

void Exporters::State::end() {
  under_way = false;
  complete = true;
  took = std::chrono::floor<Duration>(Steady::now() - since);
  if (timer != 0) worker.cancel(timer);
  timer = worker.after(calls.every(), [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    self->begin();
  });
  calls.round(answered, answered > 0 ? latency / static_cast<std::int64_t>(answered) : Duration(0),
              remarks());
}

std::vector<Remark> Exporters::State::remarks() const {
  std::vector<Remark> all_of_them;
  auto add = [&](std::string text, std::string hint) {
    all_of_them.push_back({Remark::Grade::info, "DCGM exporter", false, std::move(text), std::move(hint)});
  };
  if (!forbidden.nodes.empty())
    add(fmt::format(
            "use and memory of GPUs are unknown, and so is the slice that a pod holds: not allowed to get "
            "pods/proxy in namespace {}",
            some_of(forbidden.nodes, kNamedNodes)),
        forbidden.first.hint);
  if (!silent.nodes.empty())
    add(fmt::format("does not answer on {}: {}", some_of(silent.nodes, kNamedNodes), silent.first.reason),
        "the API server must reach the exporter's port: a network policy may stand in between");
  if (!unreadable.nodes.empty())
    add(fmt::format("what it reports on {} cannot be read: {}", some_of(unreadable.nodes, kNamedNodes),
                    to_line({unreadable.first.what, unreadable.first.reason, ""})),
        unreadable.first.hint);
  return all_of_them;
}

Exporters::Exporters(Worker& worker, HttpClient& client, ExporterCalls calls)
    : state_(std::make_shared<State>(worker, client, std::move(calls))) {}
Exporters::~Exporters() { state_->stop(); }

void Exporters::go() {
  if (!state_->under_way) state_->begin();
}
void Exporters::rest() { state_->stop(); }
bool Exporters::has_rounds() const { return state_->complete; }
Duration Exporters::round_took() const { return state_->took; }

}  // namespace tessera::kubernetes
