#include "engine/query/cells.hpp"

#include <algorithm>

namespace tessera::query {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (const std::string& part : parts) {
    if (!all.empty()) all += separator;
    all += part;
  }
  return all;
}

namespace {

// Those who hold the slice, each once; an unknown workload counts as one.
std::vector<std::string> users_of(const Cluster& cluster, const Slice& slice) {
  std::vector<std::string> users;
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    std::string user = workload && !workload->user.empty() ? workload->user : holder.workload.text;
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(std::move(user));
  }
  return users;
}

}  // namespace

std::string holder_users(const Cluster& cluster, const Slice& slice) {
  std::vector<std::string> users = users_of(cluster, slice);
  if (users.empty()) return slice.holding == Holding::held ? "?" : "";
  std::string text = users.front();
  if (!slice.exact) text += "?";
  if (users.size() > 1) text += " +" + std::to_string(users.size() - 1);
  return text;
}

std::string holder_users(const Cluster& cluster, const Gpu& gpu) {
  std::vector<std::string> users;
  std::vector<bool> sure;
  bool unnamed = false;
  for (const Slice& slice : gpu.slices) {
    std::vector<std::string> here = users_of(cluster, slice);
    unnamed = unnamed || (here.empty() && slice.holding == Holding::held);
    for (std::string& user : here) {
      auto known = std::find(users.begin(), users.end(), user);
      auto at = static_cast<std::size_t>(known - users.begin());
      if (known == users.end()) {
        users.push_back(std::move(user));
        sure.push_back(false);
      }
      sure[at] = sure[at] || slice.exact;
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i)
    if (!sure[i]) users[i] += "?";
  if (unnamed) users.emplace_back("?");
  return join(users, ", ");
}

std::optional<double> mean_use(const Node& node) {
  double sum = 0;
  int known = 0;
  for (const Gpu& gpu : node.gpus)
    if (gpu.telemetry.use) {
      sum += static_cast<double>(gpu.telemetry.use->value);
      ++known;
    }
  if (known == 0) return std::nullopt;
  return sum / known;
}

}  // namespace tessera::query
