// Asks about the waiting job or pod whose page is shown what the lists of its cluster do not hold, and which
// processes have the GPU open whose page is shown.
//
// One question at a time counts: a page that stays asks again after a minute, and what the backend was told
// moments ago it does not ask twice. Threads: the UI thread; answers come in from the backend's.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/port.hpp"
#include "tui/state.hpp"

namespace tessera::tui {

class Looks {
 public:
  // now: a steady clock.
  void follow(std::span<const BackendPtr> backends, const Model& model, const Screen& shown, Duration now);
  // What has been answered since.
  std::vector<WorkDetails> take();

 private:
  void ask(std::span<const BackendPtr> backends, const ClusterName& cluster, const WorkloadId& work,
           Duration now);
  void ask_processes(std::span<const BackendPtr> backends, const ClusterName& cluster, const NodeName& node,
                     Duration now);
  // Outlives the console where a backend answers late.
  struct Box {
    std::mutex mutex;
    std::vector<WorkDetails> told;
  };
  std::shared_ptr<Box> box_ = std::make_shared<Box>();
  std::optional<std::pair<ClusterName, WorkloadId>> asked_;
  Duration at_{};
  std::optional<std::pair<ClusterName, NodeName>> of_processes_;
  Duration processes_at_{};
};

}  // namespace tessera::tui
