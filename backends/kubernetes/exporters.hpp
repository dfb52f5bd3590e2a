// Asks the DCGM exporters of all GPU nodes what they measure, through the API server's way to pods
// (pods/proxy), again and again: nodes that are on screen in each round, the others every two minutes.
//
// Eight at a time, and after the first sixteen of a round four a second: each answer is half a megabyte that
// the API server hands through. Where it is forbidden for a namespace, the rest of that namespace is left
// alone until the next round. One that does not answer by HTTP is asked by HTTPS, and the other way round;
// what it answered by is remembered. Nothing here is a failure of the cluster: what stays untold is said
// once, by trouble(). Threads: the worker's thread. The destructor cancels whatever is under way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/http_client.hpp"
#include "backends/worker.hpp"
#include "engine/model/event.hpp"

namespace tessera::kubernetes {

using figures::DcgmReadings;

struct Exporter {
  std::string node;
  std::string name_space, pod;
  int port = 9400;
  bool https = false;  // as its port's name says

  std::string id() const { return name_space + "/" + pod; }
  // "/api/v1/namespaces/…/pods/POD:9400/proxy/metrics", with https …/pods/https:POD:9400/…
  std::string target() const;
};

struct ExporterCalls {
  std::function<std::vector<Exporter>()> where;  // those that there are, asked before each round
  std::function<void(const Exporter&, DcgmReadings)> told;
  // After each round: how many of those asked answered, how long an answer took, and what to remark of all
  // exporters, of those asked before, too (empty: all is well).
  std::function<void(std::size_t answered, Duration latency, std::vector<Remark>)> round;
  std::function<Duration()> every;   // between two rounds, which ask the nodes on screen
  std::function<Duration()> others;  // between two questions to every other node
  std::function<TimePoint()> clock;  // the wall clock
};

class Exporters {
 public:
  Exporters(Worker& worker, HttpClient& client, ExporterCalls calls);
  ~Exporters();
  Exporters(const Exporters&) = delete;
  Exporters& operator=(const Exporters&) = delete;

  void go();  // a round of all now, unless one is under way
  void set_viewed(const std::vector<NodeName>& nodes);
  void rest();              // until go()
  bool has_rounds() const;  // one was complete
  // The longest that a node that is on no screen may wait until it is asked again.
  Duration round() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::kubernetes
