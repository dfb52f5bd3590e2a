#include "engine/model/slinky.hpp"

#include <algorithm>
#include <initializer_list>

#include "engine/json.hpp"
#include "engine/model/dns_name.hpp"

namespace tessera::slinky {
namespace {

constexpr std::size_t kLongestComment = 4096;
constexpr std::string_view kRuns = "runs slurmd of ";

bool has_any(const std::vector<std::string>& states, std::initializer_list<std::string_view> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view one) {
    return std::find(states.begin(), states.end(), one) != states.end();
  });
}

}  // namespace

std::optional<HostPod> read_comment(std::string_view comment) {
  if (!comment.starts_with('{') || comment.size() > kLongestComment) return std::nullopt;
  const Result<Json> told = parse_json(comment, "Comment");
  if (!told) return std::nullopt;
  const Json *name_space = told->find("namespace"), *name = told->find("podName");
  if (!name_space || !name || !is_dns_name(name_space->text, 63) || !is_dns_name(name->text, 253))
    return std::nullopt;
  return HostPod{name_space->text, name->text};
}

std::string pod_comment(std::string_view slurm_node, const std::vector<std::string>& states,
                        std::string_view reason) {
  std::string text(kRuns);
  text += slurm_node;
  if (states.empty()) return text;
  std::string flags;
  for (const std::string& state : states) flags += (flags.empty() ? "" : "+") + state;
  text += ": " + flags;
  if (!reason.empty()) text += " (" + std::string(reason) + ")";
  return text;
}

std::optional<std::string> slurm_node_of(const Workload& pod) {
  if (pod.kind != WorkloadKind::pod || !pod.comment.starts_with(kRuns)) return std::nullopt;
  const std::string rest = pod.comment.substr(kRuns.size());
  return rest.substr(0, rest.find_first_of(":; "));
}

// A node that is DOWN has lost its jobs; one that does not answer may still run them.
bool is_empty(const std::vector<std::string>& states) {
  if (has_any(states, {"ALLOCATED", "MIXED", "COMPLETING"})) return false;
  return has_any(states, {"DOWN"}) || (has_any(states, {"DRAIN"}) && !has_any(states, {"UNDRAIN"}));
}

std::string why_not_up(const std::vector<std::string>& states) {
  for (const std::string& state : states)
    if (has_any({state}, {"DOWN", "ERROR", "UNKNOWN", "FUTURE", "INVALID", "INVALID_REG", "NOT_RESPONDING"}))
      return state;
  return "";
}

}  // namespace tessera::slinky
