#include "backends/record/archive.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "backends/mailbox.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/replay.hpp"
#include "backends/record/tape.hpp"
#include "engine/text.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

Error nothing_of(const ClusterName& cluster, const std::string& folder) {
  return {"cannot go back", "nothing is recorded of " + clean(cluster.text) + " in " + clean(folder, 4096),
          "tessera record --folder " + clean(folder, 4096) + " records it from now on"};
}

// The folder of that cluster below the recorder's; else whatever lies there under the cluster's name.
Result<std::unique_ptr<Recording>> recording_of(const std::string& folder, const ClusterName& cluster) {
  const std::string own = folder + "/" + folder_name(cluster);
  std::error_code ignored;
  auto all = open_recordings(fs::is_directory(own, ignored) ? own : folder);
  if (!all) return all.error();
  for (auto& one : *all)
    if (one->cluster() == cluster) return std::move(one);
  return nothing_of(cluster, folder);
}

class Folder final : public Archive {
 public:
  Folder(std::string folder, std::function<TimePoint()> wall)
      : folder_(std::move(folder)), wall_(std::move(wall)) {}

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
    for (const ClusterName& cluster : clusters)
      backends.push_back(std::make_unique<ReplayBackend>(
          cluster, [folder = folder_, cluster] { return recording_of(folder, cluster); }, at, 0, wall_));
    return backends;
  }
  EventSink& sink() override { return mailbox_; }
  EventSource& events() override { return mailbox_; }

 private:
  // The folder of one cluster was named.
  static bool has_files(const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().filename().string().ends_with(kFileEnd)) return true;
    return false;
  }

  std::string folder_;
  std::function<TimePoint()> wall_;
  Mailbox mailbox_;
};

}  // namespace

std::unique_ptr<Archive> open_archive(std::string folder, std::function<TimePoint()> wall) {
  return std::make_unique<Folder>(std::move(folder), std::move(wall));
}

}  // namespace tessera::record
