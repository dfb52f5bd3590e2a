#include "backends/record/archive.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <utility>

#include "backends/mailbox.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/replay.hpp"
#include "backends/record/tape.hpp"
#include "backends/worker.hpp"
#include "engine/record/until.hpp"
#include "engine/text.hpp"
#include "engine/usage/limits_of_recording.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

Error nothing_of(const ClusterName& cluster, const std::string& folder) {
  return {"cannot go back", "nothing is recorded of " + clean(cluster.text) + " in " + clean(folder, 4096),
          "tessera record --folder " + clean(folder, 4096) + " records it from now on"};
}

// The folder of that cluster below the recorder's; else whatever lies there under the cluster's name. Null:
// nothing is recorded of it. Errors: what is there cannot be read.
Result<std::unique_ptr<Recording>> find_recording(const std::string& folder, const ClusterName& cluster) {
  const std::string own = folder + "/" + folder_name(cluster);
  std::error_code ignored;
  auto all = open_recordings(fs::is_directory(own, ignored) ? own : folder);
  if (!all) return all.error();
  for (auto& one : *all)
    if (one->cluster() == cluster) return std::move(one);
  return std::unique_ptr<Recording>();
}

Result<std::unique_ptr<Recording>> recording_of(const std::string& folder, const ClusterName& cluster) {
  auto found = find_recording(folder, cluster);
  if (found && !*found) return nothing_of(cluster, folder);
  return found;
}

// One reading through. Threads: `percent` and `stopped` from those that read and the owner's; the promise is
// kept once, by the worker's.
struct Reading {
  std::atomic<bool> stopped = false;
  std::atomic<int> percent = 0;
  std::promise<Archive::AddingUp> over;
  std::future<Archive::AddingUp> told = over.get_future();
};

// Several threads tell how far they are, and what is told never falls. Whether it rose.
bool raise(std::atomic<int>& percent, int now) {
  int before = percent;
  while (before < now)
    if (percent.compare_exchange_weak(before, now)) return true;
  return false;
}

// Clusters of which nothing is recorded are passed over while there are others. One of which something is
// that cannot be read is a failure: sums without it would pass for all.
Archive::AddingUp read_through(const std::string& folder, const std::vector<ClusterName>& clusters,
                               std::optional<TimePoint> end, const usage::Span& span,
                               const mig::Catalogue& catalogue, const usage::KeepOn& keep_on) {
  Archive::AddingUp result;
  if (Status told = usage::can_be_told_by_recording(span.limits); !told) {
    result.failure = told.error();
    return result;
  }
  std::vector<std::unique_ptr<Recording>> recordings;
  for (const ClusterName& cluster : clusters) {
    auto one = find_recording(folder, cluster);
    if (!one) {
      result.failure = one.error();
      return result;
    }
    if (*one) recordings.push_back(end ? until(std::move(*one), *end) : std::move(*one));
  }
  if (recordings.empty()) {
    result.failure = nothing_of(clusters.empty() ? ClusterName() : clusters.front(), folder);
    return result;
  }
  auto sums = usage::reckon(recordings, span, catalogue, keep_on);
  if (sums)
    result.sums = std::make_shared<const usage::Reckoning>(std::move(*sums));
  else
    result.failure = sums.error();
  return result;
}

Archive::AddingUp read_elsewhere(const Elsewhere& elsewhere, usage::PastSource source, Duration since,
                                 const usage::KeepOn& keep_on) {
  Archive::AddingUp result;
  auto sums = source == usage::PastSource::prometheus ? elsewhere.prometheus(since, keep_on)
                                                      : elsewhere.accounting(since, keep_on);
  if (sums)
    result.sums = std::make_shared<const usage::Reckoning>(std::move(*sums));
  else
    result.failure = sums.error();
  return result;
}

class Folder final : public Archive {
 public:
  Folder(std::string folder, std::function<TimePoint()> wall, usage::Span limits, Elsewhere elsewhere)
      : folder_(std::move(folder)),
        wall_(std::move(wall)),
        limits_(std::move(limits)),
        elsewhere_(std::move(elsewhere)) {}
  ~Folder() override { give_up(); }

  Result<std::vector<BackendPtr>> open(const std::vector<ClusterName>& clusters, TimePoint at) override {
    std::error_code ignored;
    if (!fs::exists(folder_, ignored))
      return Error{
          "cannot go back", "there is no folder " + clean(folder_, 4096),
          "tessera record --folder writes one; --recording, or `recording` in config.yaml, names it"};
    const bool plain = !fs::is_directory(folder_, ignored) || has_files(folder_);
    const bool any = plain || std::any_of(clusters.begin(), clusters.end(), [&](const ClusterName& one) {
                       return fs::is_directory(folder_ + "/" + folder_name(one), ignored);
                     });
    if (!any) return nothing_of(clusters.empty() ? ClusterName() : clusters.front(), folder_);
    std::vector<BackendPtr> backends;
    const auto together = clusters.size() > 1 ? std::make_shared<Together>(false) : nullptr;
    for (const ClusterName& cluster : clusters) {
      auto one = std::make_unique<ReplayBackend>(
          cluster, [folder = folder_, cluster] { return recording_of(folder, cluster); }, at, 0, wall_);
      if (together) one->stand_with(together);
      backends.push_back(std::move(one));
    }
    return backends;
  }
  EventSink& sink() override { return mailbox_; }
  EventSource& events() override { return mailbox_; }

  std::vector<usage::PastSource> sources() const override {
    std::vector<usage::PastSource> all;
    if (!folder_.empty()) all.push_back(usage::PastSource::recording);
    if (elsewhere_.prometheus) all.push_back(usage::PastSource::prometheus);
    if (elsewhere_.accounting) all.push_back(usage::PastSource::accounting);
    return all;
  }

  void add_up(const std::vector<ClusterName>& clusters, Duration since, std::optional<TimePoint> end,
              const mig::Catalogue& catalogue, usage::PastSource source) override {
    give_up();
    if (!worker_) worker_.emplace();
    reading_ = std::make_shared<Reading>();
    usage::Span span = limits_;
    span.since = since;
    worker_->post([this, clusters, end, span, &catalogue, source, reading = reading_] {
      const usage::KeepOn keep_on = [this, reading](double part) {
        if (raise(reading->percent, static_cast<int>(part * 100))) wake();
        return !reading->stopped;
      };
      reading->over.set_value(source == usage::PastSource::recording
                                  ? read_through(folder_, clusters, end, span, catalogue, keep_on)
                                  : read_elsewhere(elsewhere_, source, span.since, keep_on));
      wake();
    });
  }
  void give_up() override {
    if (reading_) reading_->stopped = true;
    reading_.reset();
  }
  std::optional<AddingUp> added_up() override {
    if (!reading_) return std::nullopt;
    AddingUp now;
    now.part = reading_->percent / 100.0;
    if (reading_->told.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return now;
    now = reading_->told.get();
    now.part = 1;
    reading_.reset();
    return now;
  }

 private:
  void wake() { mailbox_.post({ClusterName(), 0, wall_(), PaceReport{}}); }
  // The folder of one cluster was named.
  static bool has_files(const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().filename().string().ends_with(kFileEnd)) return true;
    return false;
  }

  std::string folder_;
  std::function<TimePoint()> wall_;
  usage::Span limits_;
  Elsewhere elsewhere_;
  Mailbox mailbox_;
  std::shared_ptr<Reading> reading_;
  std::optional<Worker> worker_;  // the first to go: it uses all of the above
};

}  // namespace

std::unique_ptr<Archive> open_archive(std::string folder, std::function<TimePoint()> wall, usage::Span limits,
                                      Elsewhere elsewhere) {
  return std::make_unique<Folder>(std::move(folder), std::move(wall), std::move(limits),
                                  std::move(elsewhere));
}

}  // namespace tessera::record
