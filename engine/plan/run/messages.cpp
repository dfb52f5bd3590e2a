// What the people who are hit are told: one text for each owner.
#include <fmt/format.h>

#include <map>

#include "engine/plan/run/run.hpp"

namespace tessera::plan {
namespace {

std::string hours(Duration running) {
  const auto total = std::chrono::duration_cast<std::chrono::minutes>(running).count();
  if (total < 60) return fmt::format("{} min", total);
  if (total < 48 * 60) return fmt::format("{} h {:02} min", total / 60, total % 60);
  return fmt::format("{} d {} h", total / 1440, total / 60 % 24);
}

std::string fate(const Disturbed& one, Way way) {
  if (one.stays) return one.unasked.empty() ? "we wait until it is kept off the node" : "it is left alone";
  if (way == Way::wait) return "nothing is stopped: we wait until it ends";
  if (way == Way::cancel) return "it will be ended";
  if (one.restartable == false) return "it cannot restart, so we wait until it ends";
  return one.restartable ? "it will be stopped and started again"
                         : "it will be stopped; whether it restarts is not known";
}

std::string line(const Disturbed& one, const NodeName& node, Way way) {
  std::string text = fmt::format("  {} {}", one.kind == WorkloadKind::pod ? "pod" : "job", one.id.text);
  if (!one.name.empty()) text += fmt::format(" ({})", one.name);
  text += " on " + node.text;
  if (one.running) text += ", running for " + hours(*one.running);
  if (one.nodes > 1) text += fmt::format(", {} GPUs on {} nodes in all", one.gpus, one.nodes);
  return text + ": " + fate(one, way) + "\n";
}

}  // namespace

std::vector<Message> messages(const Plan& plan) {
  Way way = plan.intent.options.way;
  std::map<std::string, std::string> lines;
  for (const NodePlan& node : plan.nodes)
    for (const Disturbed& one : node.blast_radius)
      if (!one.id.empty() && !one.user.empty()) lines[one.user] += line(one, node.node, way);
  std::vector<Message> all;
  for (auto& [user, text] : lines) {
    std::string words = plan.intent.words.empty() ? "a new GPU layout" : plan.intent.words;
    all.push_back(
        {user, fmt::format("Hello {},\n\nGPUs of {} will be re-cut ({}). This concerns your work:\n\n{}\n"
                           "Please tell the administrators if this is a bad moment.\n",
                           user, plan.intent.cluster.text, words, text)});
  }
  return all;
}

}  // namespace tessera::plan
