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

std::string holder_users(const Cluster& cluster, const Slice& slice) {
  std::vector<std::string> users;
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    std::string user = workload && !workload->user.empty() ? workload->user : holder.workload.text;
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(std::move(user));
  }
  if (users.empty()) return slice.holding == Holding::held ? "?" : "";
  std::string text = users.front();
  if (!slice.exact) text += "?";
  if (users.size() > 1) text += " +" + std::to_string(users.size() - 1);
  return text;
}

}  // namespace tessera::query
