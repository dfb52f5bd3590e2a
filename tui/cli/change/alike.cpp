#include "tui/cli/change/alike.hpp"

#include <algorithm>
#include <map>

#include "engine/plan/words/as_run.hpp"

namespace tessera::cli {
namespace {

// No text of a plan that is shown has this character.
constexpr char kItself = '\x1f';

// A name of digits alone ("1") stands in numbers, too: without it "1g.10gb" and "2g.20gb" on nodes 1 and 2
// would read as one. Such nodes are each told by themselves.
bool is_number(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string without_name(const std::string& text, const std::string& name) {
  if (is_number(name)) return name + "\n" + text;
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos;
       at = text.find(name, from)) {
    out.append(text, from, at - from) += kItself;
    from = at + name.size();
  }
  return out.append(text, from);
}

std::string told_by(const plan::Plan& plan, const plan::NodePlan& node, const std::string& shown) {
  std::string text = shown;
  for (const plan::Step& step : plan::steps_as_run(plan, node)) {
    text += "\n" + step.title + "\n" + std::to_string(step.deadline.count()) + (step.disturbs ? "!" : "");
    for (const std::string& command : step.commands) text += "\n" + command;
  }
  text += "\n" + std::to_string(node.blast_radius.size());
  return without_name(text, node.node.text);
}

}  // namespace

std::vector<AlikeNodes> alike(const plan::Plan& plan,
                              const std::function<std::string(const plan::NodePlan&)>& shown) {
  std::vector<AlikeNodes> groups;
  std::map<std::string, std::size_t> places;
  for (const plan::NodePlan& node : plan.nodes) {
    const auto [place, fresh] = places.try_emplace(told_by(plan, node, shown(node)), groups.size());
    if (fresh) groups.push_back({&node, {}});
    groups[place->second].names.push_back(node.node.text);
  }
  return groups;
}

}  // namespace tessera::cli
