#include "engine/fleet/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/fleet/reader.hpp"
#include "engine/fleet/taking.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"
#include "engine/text_bounds.hpp"

namespace tessera::fleet {

std::string yaml_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  };
  if (!text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), plain) &&
      lower(text) != "null")
    return std::string(text);
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

namespace {

using plan::Wish;

Wish wish_of(const Gpu& gpu) {
  const plan::BoardState state = plan::state_of(gpu);
  Wish wish;
  wish.strategy = state.mig ? Strategy::mig : state.strategy;
  wish.replicas = state.replicas;
  wish.vgpu = state.vgpu;
  if (wish.strategy != Strategy::mig) return wish;
  for (const plan::InstanceAt& one : state.instances) wish.instances.push_back({one.profile, std::nullopt});
  std::sort(wish.instances.begin(), wish.instances.end(),
            [](const auto& a, const auto& b) { return a.profile.text > b.profile.text; });
  return wish;
}

// GPUs with equal wishes share a row: "0-3" → wish.
std::vector<std::pair<std::vector<int>, Wish>> rows_of(const std::vector<plan::BoardWish>& boards) {
  std::vector<std::pair<std::vector<int>, Wish>> rows;
  for (const plan::BoardWish& board : boards) {
    auto same =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.second == board.wish; });
    if (same == rows.end()) same = rows.insert(rows.end(), {{}, board.wish});
    same->first.push_back(board.gpu->value);
  }
  return rows;
}

std::string numbers_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string wish_lines(const Wish& wish) {
  const std::string replicas = wish.replicas > 1 ? fmt::format("  replicas: {}\n", wish.replicas) : "";
  if (wish.strategy == Strategy::vgpu)
    return fmt::format("  strategy: vgpu\n  vgpu: {}\n", yaml_word(wish.vgpu.text));
  if (wish.strategy == Strategy::whole || wish.strategy == Strategy::mig) {
    Wish layout = wish;
    layout.replicas = 1;
    return fmt::format("  layout: {}\n", plan::file_text(layout)) + replicas;
  }
  return fmt::format("  strategy: {}\n", word(wish.strategy)) + replicas;
}

std::string rule_lines(const std::vector<plan::BoardWish>& boards) {
  const auto rows = rows_of(boards);
  if (rows.size() == 1) return wish_lines(rows.front().second);
  std::string text = "  gpus:\n";
  for (const auto& [gpus, wish] : rows)
    text += fmt::format("    {}: {}\n", numbers_text(gpus), plan::file_text(wish));
  return text;
}

struct Group {
  std::string product;  // of its first GPU, for the name
  std::string rule;     // as lines of the file
  std::vector<std::string> nodes;
};

class FleetWriter {
 public:
  void add(const Standstill& one) {
    std::vector<Group> groups;
    for (const Node& node : one.cluster->nodes.all()) {
      if (!has_gpus(node)) continue;
      if (std::string why = why_not(node); !why.empty()) {
        leave_out(*one.cluster, node.name.text, why);
        continue;
      }
      std::vector<plan::BoardWish> boards;
      for (const Gpu& gpu : node.gpus) boards.push_back({gpu.index, wish_of(gpu)});
      const Gpu& first = node.gpus.front();
      put(groups, {first.product ? first.product->text : "", rule_lines(boards), {node.name.text}});
    }
    prune(one, groups);
    for (const Group& group : groups) {
      written_.nodes += group.nodes.size();
      pools_ += pool_text(*one.cluster, group, ++counted_[group.product]);
    }
  }

  Result<Written> take() {
    if (written_.nodes == 0)
      return Error{"cannot write the fleet file", "of no node it is known how its GPUs are cut or shared",
                   "tessera nodes lists them; tessera doctor names what fails"};
    written_.text =
        "# What the GPUs of this site are to be: written by tessera fleet init from what stood then.\n"
        "# tessera fleet check holds the clusters against it; docs/fleet.md explains the keys.\n"
        "pools:\n" +
        pools_;
    if (!left_.empty())
      written_.text +=
          "# Nodes that no pool rules, since what stands there is not known or cannot be kept:\n" + left_;
    return std::move(written_);
  }

 private:
  static std::string why_not(const Node& node) {
    const std::string& name = node.name.text;
    if (clean(name, 253) != name || name.empty() || name.find_first_of(",[] \"'#") != std::string::npos)
      return "its name cannot stand in a list";
    if (node.health == Health::down) return "it is down";
    if (node.health == Health::unknown) return "its state is not known";
    if (sharing::amd::is_amd(node)) return std::string(sharing::amd::kNotPlanned);
    if (node.host_pod) return "its slurmd runs in a pod: a pool of its Kubernetes node rules its GPUs";
    if (node.gpus.empty() && node.pool.empty()) return "no GPU of it is reported";
    if (plan::boards_untold(node)) return "its slices are reported, but not on which GPUs they are";
    return "";
  }

  void leave_out(const Cluster& cluster, const std::string& node, const std::string& why) {
    ++written_.left_out;
    left_ += clean(fmt::format("#   {} {}: {}", cluster.name.text, node, why), kWholeText) + "\n";
  }

  static void put(std::vector<Group>& groups, Group one) {
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.product == one.product && group.rule == one.rule;
    });
    if (same == groups.end())
      groups.push_back(std::move(one));
    else
      same->nodes.push_back(std::move(one.nodes.front()));
  }

  static std::string pool_text(const Cluster& cluster, const Group& group, int number) {
    const std::string of = group.product.empty() ? "gpus" : lower(group.product);
    return fmt::format("- name: {}\n  cluster: {}\n  nodes: {}\n{}",
                       yaml_word(fmt::format("{}-{}", of, number)), yaml_word(cluster.name.text),
                       yaml_word(fold_for_reading(group.nodes)), group.rule);
  }

  // What a plan would not find as wanted, or could not read, is no rule. One survey looks at all groups: each
  // walks the whole cluster.
  void prune(const Standstill& one, std::vector<Group>& groups) {
    Fleet all;
    std::vector<NodeName> names;
    std::map<std::string, std::string> why;  // by node; empty: it is as wanted
    for (const Group& group : groups) {
      auto fleet = read_fleet("pools:\n" + pool_text(*one.cluster, group, 1), "init", *one.place.catalogue);
      for (const std::string& name : group.nodes) {
        why[name] = fleet ? "a change is under way" : to_line(fleet.error());
        if (fleet) names.emplace_back(name);
      }
      if (fleet) all.pools.push_back(std::move(fleet->pools.front()));
    }
    // Without names a survey is one of every node.
    if (!names.empty()) tell_why(one, all, names, why);
    std::vector<Group> kept;
    for (Group& group : groups) {
      Group good{group.product, group.rule, {}};
      for (const std::string& name : group.nodes)
        if (why[name].empty())
          good.nodes.push_back(name);
        else
          leave_out(*one.cluster, name, why[name]);
      if (!good.nodes.empty()) kept.push_back(std::move(good));
    }
    groups = std::move(kept);
  }

  static void tell_why(const Standstill& one, const Fleet& all, const std::vector<NodeName>& names,
                       std::map<std::string, std::string>& why) {
    auto found = survey(all, *one.cluster, one.place, names);
    if (!found) {
      for (const NodeName& name : names) why[name.text] = to_line(found.error());
      return;
    }
    for (const NodeSurvey& node : found->nodes)
      if (node.standing == Standing::as_wanted)
        why[node.node->name.text].clear();
      else if (!node.why.empty())
        why[node.node->name.text] = node.why;
  }

  Written written_;
  std::string pools_, left_;
  std::map<std::string, int> counted_;  // pools, by product
};

}  // namespace

Result<Written> write_fleet(std::span<const Standstill> clusters) {
  FleetWriter writer;
  for (const Standstill& one : clusters) writer.add(one);
  return writer.take();
}

}  // namespace tessera::fleet
