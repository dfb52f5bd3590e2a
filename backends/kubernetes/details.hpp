// What is asked of the API server for one pod that waits, while a user looks at it: the pod itself, its
// events, its volume claims and DRA claims, what Kueue, Volcano or KAI say of it, and last the pods that its
// rules are about; of work that has no pods yet Kueue's Workload and the events of that. One request after
// another, a handful in all and up to a dozen lists of pods, and nothing for what the pod does not name.
// Threads: the worker's thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/objects/pod_terms.hpp"
#include "backends/kubernetes/objects/pods_beside.hpp"
#include "engine/model/details.hpp"

namespace tessera::kubernetes {

class PodDetails {
 public:
  using Told = std::function<void(Details)>;
  // Of the nodes that are listed, for a pod "namespace/name".
  struct Nodes {
    // What it says against them.
    std::function<std::vector<Related>(const std::string& id, const PodTerms& terms,
                                       const PodsBeside& beside)>
        against;
    // Those that it might use, whatever runs there.
    std::function<std::vector<std::string>(const std::string& id, const PodTerms& terms)> open_to;
  };
  // All outlive it.
  PodDetails(Worker& worker, HttpClient& client, std::function<TimePoint()> clock, Nodes nodes)
      : worker_(worker), client_(client), clock_(std::move(clock)), nodes_(std::move(nodes)) {}

  // "namespace/pod"; of_kueue: "namespace/workload", of work that Kueue has not admitted. What was told
  // moments ago is told again; while one look is under way the last one that was asked for waits; those
  // before it are never told of.
  void look(const std::string& id, bool of_kueue, Told told);

 private:
  struct Looking;
  void begin(const std::string& id, bool of_kueue, Told told);
  void end(const std::shared_ptr<Looking>& looking);

  Worker& worker_;
  HttpClient& client_;
  std::function<TimePoint()> clock_;
  Nodes nodes_;
  bool busy_ = false;
  std::string waiting_;  // and whom to tell
  bool waiting_of_kueue_ = false;
  Told waiting_told_;
  Details last_;
  std::optional<std::chrono::steady_clock::time_point> last_at_;
};

}  // namespace tessera::kubernetes
