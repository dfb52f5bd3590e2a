// Who runs the cluster: the operator by hand, a cloud's managed service, or Slurm in one of its shapes.
//
// Facts about each are data (engine/sharing/data/platforms.yaml, embedded); what can be checked is in
// rules.hpp. Threads: pure functions of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/model.hpp"

namespace tessera::sharing {

enum class Platform : std::uint8_t {
  gpu_operator,  // Kubernetes with the GPU operator, looked after by the site itself
  fpt,           // a managed Kubernetes service with presets and five rules
  ack,
  gke,
  aks,
  eks,
  hyperpod_eks,
  hyperpod_slurm,
  parallel_cluster,
  slurm,  // Slurm, looked after by the site itself
};
inline constexpr int kPlatforms = 10;

std::string_view word(Platform platform);   // "operator" "fpt" "ack" … as on the command line
std::string_view title(Platform platform);  // "GPU operator", "FPT managed Kubernetes" …
std::optional<Platform> parse_platform(std::string_view text);
Scheduler scheduler_of(Platform platform);

// Told by labels that only this platform sets (Node::features as "key=value"), else by the scheduler alone.
// The evidence is what was seen, for "who says so".
struct Recognised {
  Platform platform = Platform::slurm;
  std::string evidence;  // empty: only the scheduler is known
};
Recognised recognise(const Cluster& cluster);

// What the site says, for clusters of that platform's scheduler (a site may have both); recognised for
// others.
Recognised platform_of(const Cluster& cluster, std::optional<Platform> told_by_site);

// What to know about a platform, for the guide; each with an id to refer to.
struct Remark {
  std::string id;
  std::string text;
  std::vector<Strategy> about;  // strategies that it concerns; empty: all
};
struct PlatformFacts {
  Platform platform = Platform::slurm;
  std::vector<std::string> labels;     // labels or settings by which it is driven
  std::vector<std::string> resources;  // what pods or jobs ask for
  std::vector<Remark> remarks;
};
Result<std::vector<PlatformFacts>> parse_platforms(std::string_view text, std::string_view file);
Result<std::vector<PlatformFacts>> built_in_platforms();

// Value of "key=value" among a node's features; nullopt when the key is not there.
std::optional<std::string_view> label(const Node& node, std::string_view key);

}  // namespace tessera::sharing
