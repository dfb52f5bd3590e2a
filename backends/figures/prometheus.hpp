// Asks a Prometheus server what its exporters measured: all nodes at once, again and again, and the past of
// one node when a page shows it, or of all together when the overview does.
//
// The way to the server is the caller's: through an API server's proxy, or by a command of the site's; no
// credential passes through here. Rounds go one after another; looks back are asked beside them. What fails
// is asked again later and later, up to five minutes, and never before a Retry-After. Threads: the worker's
// thread; nothing is called back after the destructor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/figures/prometheus_queries.hpp"
#include "backends/http_client.hpp"
#include "backends/worker.hpp"

namespace tessera::figures {

inline constexpr std::size_t kMostPrometheus = 64u << 20;  // bytes of one answer
inline constexpr Duration kPrometheusAnswer{15000};        // for one answer

using PrometheusAnswered = std::function<void(Result<HttpResponse>)>;
// Asks for a path below the server's root and answers exactly once; an answer with any status is a response.
using AskPrometheus = std::function<void(const std::string& path, PrometheusAnswered answered)>;

using Kept = std::function<void(std::vector<DcgmReadings>)>;
using SumsKept = std::function<void(history::SumsBefore)>;

struct PrometheusCalls {
  AskPrometheus ask;
  NodeOfSeries node_of;
  std::function<void(FiguresNow, Duration latency)> told;
  std::function<void(Error, Duration latency)> failed;
  std::function<Duration()> every;   // between two rounds
  std::function<TimePoint()> clock;  // the wall clock
};

class Prometheus {
 public:
  Prometheus(Worker& worker, PrometheusCalls calls);
  ~Prometheus();
  Prometheus(const Prometheus&) = delete;
  Prometheus& operator=(const Prometheus&) = delete;

  void go();                // a round now, unless one is under way
  void rest();              // until go()
  bool has_rounds() const;  // one was answered or failed
  // What was measured of a node since then, oldest first; nothing where no round has told of it, and where
  // the question fails: that the server fails is told by rounds. Answers exactly once, or never after the
  // destructor.
  void look_back(const NodeName& node, TimePoint since, Kept kept);
  // The same of all nodes together, by one question whose answer is bounded: a larger cluster has values
  // farther apart, and one that is too large none. Every five minutes at most; nothing in between.
  void look_back_at_sums(TimePoint since, const mig::Catalogue* catalogue, SumsKept kept);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Why an answer with another status than 200 is none, and what to do.
Error explain_prometheus(JsonDocument& document, const HttpResponse& response);

}  // namespace tessera::figures
