#include "engine/plan/intent.hpp"

#include <fmt/format.h>

#include <span>

#include "engine/ascii.hpp"
#include "engine/number.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kMaxText = 1000;
constexpr int kMaxCount = 64;

Error bad_part(std::string_view part, std::string why) {
  return {"cannot read the layout", fmt::format("'{}': {}", clean(part, 60), why),
          "write it as 3g.40gb@4,2g.20gb,2x1g.10gb, or none for the whole GPU"};
}

// "2x1g.10gb@4": how many, which, where.
Status read_part(std::string_view part, Wish& wish) {
  std::string_view rest = part;
  int count = 1;
  if (auto x = rest.find_first_of("x*"); x != std::string_view::npos && x > 0) {
    if (auto number = whole_number(trimmed(rest.substr(0, x)), kMaxCount)) {
      if (*number == 0) return bad_part(part, "none of them");
      count = *number;
      rest = trimmed(rest.substr(x + 1));
    }
  }
  std::optional<int> start;
  if (auto at = rest.find('@'); at != std::string_view::npos) {
    start = whole_number(trimmed(rest.substr(at + 1)), kMaxCount);
    if (!start) return bad_part(part, "after @ comes the memory slice where it starts, a number");
    if (count != 1) return bad_part(part, "several instances cannot have the same start");
    rest = trimmed(rest.substr(0, at));
  }
  auto profile = mig::canonical_profile(rest);
  if (!profile) return bad_part(part, "not the name of a MIG profile");
  for (int i = 0; i < count; ++i) wish.instances.push_back({*profile, start});
  if (wish.instances.size() > kMaxCount) return bad_part(part, "too many instances");
  return Done{};
}

std::string clients(std::string_view name, int replicas) {
  return fmt::format("{}, {} client{}", name, replicas, replicas == 1 ? "" : "s");
}

}  // namespace

std::string instances_text(const Wish& wish, std::string_view between, std::string_view times) {
  std::string text;
  for (std::size_t i = 0; i < wish.instances.size();) {
    const WishedInstance& one = wish.instances[i];
    std::size_t same = 1;
    if (!one.start)
      while (i + same < wish.instances.size() && wish.instances[i + same] == one) ++same;
    if (!text.empty()) text += between;
    if (same > 1) text += fmt::format("{}{}", same, times);
    text += one.profile.text;
    if (one.start) text += fmt::format("@{}", *one.start);
    i += same;
  }
  return text;
}

Wish wish_of(const mig::Product& product, const mig::Layout& layout) {
  Wish wish;
  wish.strategy = Strategy::mig;
  for (const mig::Placed& one : layout)
    wish.instances.push_back({product.profiles[static_cast<std::size_t>(one.profile)].name, one.start});
  return wish;
}

Wish wish_of(const mig::Product& product, std::span<const int> profiles) {
  Wish wish;
  wish.strategy = Strategy::mig;
  for (int profile : profiles)
    wish.instances.push_back({product.profiles[static_cast<std::size_t>(profile)].name, std::nullopt});
  return wish;
}

Result<Wish> parse_layout_wish(std::string_view text) {
  if (text.size() > kMaxText) return bad_part(text.substr(0, 40), "longer than 1,000 bytes");
  std::string word = lower(trimmed(text));
  Wish wish;
  if (word == "none" || word == "whole") return wish;
  wish.strategy = Strategy::mig;
  if (word == "empty") return wish;
  for (std::string_view rest = text; !rest.empty();) {
    auto comma = rest.find(',');
    std::string_view part = trimmed(rest.substr(0, comma));
    if (part.empty()) return bad_part(text, "an instance is missing between commas");
    if (Status read = read_part(part, wish); !read) return read.error();
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (comma != std::string_view::npos && trimmed(rest).empty()) return bad_part(text, "ends with a comma");
  }
  if (wish.instances.empty()) return bad_part(text, "says nothing");
  return wish;
}

std::optional<Strategy> parse_sharing(std::string_view text) {
  if (text == "none" || text == "whole") return Strategy::whole;
  for (Strategy each : {Strategy::mps, Strategy::time_slicing, Strategy::shard, Strategy::vgpu})
    if (word(each) == text) return each;
  return std::nullopt;
}

std::string to_text(const Wish& wish) {
  switch (wish.strategy) {
    case Strategy::mig: {
      std::string text = wish.instances.empty() ? "MIG on, no instances" : instances_text(wish, " + ", " × ");
      return wish.replicas > 1 ? fmt::format("{}, {} time-slices each", text, wish.replicas) : text;
    }
    case Strategy::mps: return wish.replicas > 1 ? clients("MPS", wish.replicas) : "MPS";
    case Strategy::time_slicing: return clients("time-slicing", wish.replicas);
    case Strategy::shard: return fmt::format("{} shards", wish.replicas);
    case Strategy::vgpu: return "vGPU " + wish.vgpu.text;
    case Strategy::whole:
    case Strategy::unknown: return "whole GPU";
  }
  return "whole GPU";
}

Orders nothing_offered() { return {{std::string(operators::kPluginDeploy), "false"}}; }

bool offers_nothing(const Orders& orders) {
  auto found = orders.find(std::string(operators::kPluginDeploy));
  return found != orders.end() && found->second == "false";
}

std::vector<std::string> to_lines(const Decision& decision) {
  std::vector<std::string> lines{fmt::format("chosen by the guide: {}", word(decision.strategy))};
  for (const DecisionStep& step : decision.path) {
    lines.push_back(clean(fmt::format("{}: {} (source: {})", step.question, step.answer, step.source), 500));
  }
  for (const std::string& one : decision.tradeoffs) lines.push_back("accepted: " + clean(one, 500));
  return lines;
}

Intent intent_of(const Intent& intent, const NodeName& node) {
  Intent own{intent.cluster,  {node}, {}, intent.words, intent.decision, intent.options, intent.orders,
             intent.switches, {},     {}};
  for (const BoardWish& one : intent.boards)
    if (!one.node || *one.node == node) own.boards.push_back({one.gpu, one.wish});
  if (auto orders = intent.node_orders.find(node.text); orders != intent.node_orders.end())
    own.orders = orders->second;
  if (auto own_switches = intent.node_switches.find(node.text); own_switches != intent.node_switches.end()) {
    const auto& [rename, refuse] = own_switches->second;
    if (rename) own.switches.rename_shared = rename;
    if (refuse) own.switches.refuse_several = refuse;
  }
  return own;
}

Intent joined(const std::vector<Intent>& intents) {
  if (intents.size() == 1) return intents.front();
  Intent all = intents.front();
  all.nodes.clear(), all.boards.clear(), all.orders.clear(), all.node_orders.clear();
  all.switches = {}, all.node_switches.clear();
  for (const Intent& intent : intents)
    for (const NodeName& node : intent.nodes) {
      Intent own = intent_of(intent, node);
      all.nodes.push_back(node);
      for (BoardWish& one : own.boards) all.boards.push_back({one.gpu, std::move(one.wish), node});
      if (!own.orders.empty()) all.node_orders[node.text] = std::move(own.orders);
      if (own.switches.any()) all.node_switches[node.text] = own.switches;
    }
  return all;
}

const Wish* wish_for(const Intent& intent, GpuIndex gpu) {
  const Wish* found = nullptr;
  for (const BoardWish& board : intent.boards)
    if (!board.gpu || *board.gpu == gpu) found = &board.wish;
  return found;
}

std::string_view word(Way way) {
  switch (way) {
    case Way::wait: return "wait";
    case Way::requeue: return "requeue";
    case Way::cancel: return "cancel";
  }
  return "wait";
}

std::optional<Way> parse_way(std::string_view text) {
  for (Way way : {Way::wait, Way::requeue, Way::cancel})
    if (word(way) == text) return way;
  if (text == "evict") return Way::requeue;
  return std::nullopt;
}

}  // namespace tessera::plan
