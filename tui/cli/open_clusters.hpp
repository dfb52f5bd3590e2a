// The clusters that a command asks: opened, waited for, and kept up to date while the command lasts.
// Threads: the calling thread owns the model; backends run on their own.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/cli/run.hpp"
#include "tui/terminal/signals.hpp"

namespace tessera::cli {

// Those of the cluster that --cluster names, which a cluster may have several of; all where it is empty. They
// are moved to the front. Errors: there is no such cluster.
Result<std::span<const BackendPtr>> chosen(std::vector<BackendPtr>& backends, const std::string& cluster);

class OpenClusters {
 public:
  // All of these outlive it.
  OpenClusters(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams)
      : options_(options), catalogue_(catalogue), joins_(joins), streams_(streams) {}

  // Opens what is here. Returns the exit code when that fails, which has been said then.
  std::optional<int> open();
  // Begins to ask: only `cluster` where it is not empty. As open().
  std::optional<int> start(const std::string& cluster);
  // False: a signal or the reader's leaving came before the answer or the end of the time.
  bool wait_until_loaded();
  // The same for something else that the cluster is to tell, for --timeout from now, or until that time.
  bool wait_until(const std::function<bool()>& told);
  bool wait_until(const std::function<bool()>& told, TimePoint deadline);

  // From now on signals end sleep() instead of the process.
  void catch_signals() { signals_.emplace(); }
  std::optional<int> ended_by() const { return ended_by_; }  // the signal that asked us to end
  // Takes it as dealt with, so that one may sleep on; the next signal counts again.
  void go_on() { ended_by_.reset(); }
  // A reader of standard output that leaves ends sleep(), too.
  void watch_reader() { reader_ = true; }

  // Everything that waits goes into the model, news of runs to on_news. Whether the model changed.
  bool take_events();
  std::function<void(const Event&)> on_news;
  // Sleeps until an event, a signal, the reader's leaving, input on `also_fd`, or the time (negative: for as
  // long as it takes). False: it is time to leave.
  bool sleep(Duration at_most, int also_fd = -1);

  // Says what fails and what an answer left out, once for as long as the words stay the same.
  void tell_failures(const Cluster& cluster);
  // The same, and whether the cluster told what a source `is_needed` for.
  bool tell_troubles(const Cluster& cluster, const std::function<bool(Source)>& is_needed);

  const Model& model() const { return model_; }
  std::span<const BackendPtr> backends() const { return backends_; }
  Backend* backend(const ClusterName& name) const;  // nullptr: there is none
  plan::Runs* runs() const { return runs_.get(); }  // after a failed open(): the journals alone, or nullptr
  TimePoint wall() const { return joins_.wall(); }

 private:
  Status choose(const std::string& cluster);
  bool all_loaded() const;
  int refuse(const Error& error, int code);

  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Joins& joins_;
  const Streams& streams_;
  TimePoint began_{};  // to be opened
  Model model_;
  std::vector<BackendPtr> backends_;
  std::unique_ptr<plan::Runs> runs_;  // goes before the backends
  std::vector<Backend*> asked_;
  std::map<std::pair<ClusterName, Source>, std::string> complained_;
  std::optional<tui::Signals> signals_;
  std::optional<int> ended_by_;
  bool reader_ = false;
};

}  // namespace tessera::cli
