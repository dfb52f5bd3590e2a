#include "engine/guide/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::guide {

namespace {

constexpr int kUsualReplicas = 4;
constexpr std::string_view kWindow = "7d";
constexpr std::string_view kShared = ".shared";
constexpr std::string_view kAnyNode = "NODE";

// What may stand in YAML and on a command line without quotes.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '/' || c == ':' || c == '+';
  });
}

bool is_kubernetes(sharing::Platform platform) {
  return sharing::scheduler_of(platform) == Scheduler::kubernetes;
}

bool by_shares(Strategy strategy) { return strategy == Strategy::mps || strategy == Strategy::time_slicing; }

std::vector<std::string> resources(Strategy strategy, sharing::Platform platform, const Proposal* proposal) {
  std::vector<std::string> names;
  if (proposal != nullptr) {
    for (const auto& [name, count] : proposal->advertised) {
      // On Slurm a share is asked for, not the GPU that it is a share of.
      const bool board = name.starts_with("gpu") && by_shares(strategy) && !is_kubernetes(platform);
      if (count > 0 && !board) names.push_back(name);
    }
  }
  if (!names.empty()) return names;
  if (strategy == Strategy::vgpu && is_kubernetes(platform)) return {};  // the type makes the name
  if (platform == sharing::Platform::ack && strategy == Strategy::mps) return {"aliyun.com/gpu-mem"};
  if (is_kubernetes(platform)) return {"nvidia.com/gpu"};
  if (strategy == Strategy::mps) return {"mps"};
  if (strategy == Strategy::time_slicing) return {"shard"};
  return {"gpu"};
}

std::string without_suffix(std::string name) {
  if (name.ends_with(kShared)) name.resize(name.size() - kShared.size());
  return name;
}

// The one profile of a layout that has no other: "1g.10gb" of "1g.10gb,1g.10gb".
std::string one_profile(const Proposal& proposal) {
  const std::string first = proposal.layout.substr(0, proposal.layout.find(','));
  std::string_view rest = proposal.layout;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) != first) return {};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return first;
}

// The GPUs of one node, and how many nodes there are.
struct OneNode {
  std::string name;
  std::vector<int> gpus;  // indices; one of 0 where they are not reported
  std::int64_t nodes = 1;
};

OneNode one_node(const Proposal* proposal) {
  OneNode one{std::string(kAnyNode), {}, 1};
  std::set<NodeName> names;
  if (proposal != nullptr) {
    for (const BoardProposal& board : proposal->boards) names.insert(board.node);
    for (const BoardProposal& board : proposal->boards)
      if (board.node == proposal->boards.front().node && board.gpu) one.gpus.push_back(board.gpu->value);
    if (!proposal->boards.empty() && is_name(proposal->boards.front().node.text))
      one.name = proposal->boards.front().node.text;
  }
  one.nodes = std::max<std::int64_t>(1, static_cast<std::int64_t>(names.size()));
  if (one.gpus.empty()) one.gpus.push_back(0);
  return one;
}

// For whoever runs the hypervisor: which type, how many of it, on which GPUs.
void add_vgpu(HandoutFacts& facts, const Proposal* proposal) {
  if (proposal == nullptr || !is_name(proposal->vgpu.text)) return;
  facts["vgpu"] = proposal->vgpu.text;
  facts["replicas"] = std::to_string(proposal->replicas.value_or(1));
  std::string where;
  for (const BoardProposal& board : proposal->boards)
    if (is_name(board.node.text) && board.gpu)
      where += fmt::format("{}{} GPU {}", where.empty() ? "" : ", ", board.node.text, board.gpu->value);
  if (!where.empty()) facts["where"] = std::move(where);
}

// Pods ask for as many GiB as they need on ACK: a quarter of a GPU shows how. A GPU whose memory is not known
// has 4 GiB shown, of which it cannot be said how large a part of it they are. parts: GiB of a GPU; 0: not
// known.
void add_memory_share(HandoutFacts& facts, int parts) {
  const int gib = parts < 4 ? 4 : parts / 4;
  facts["share_gib"] = std::to_string(gib);
  facts.erase("fraction"), facts.erase("share_mib");
  if (parts < 4) return;
  facts["fraction"] = fmt::format("{:.4g}", static_cast<double>(gib) / parts);
  facts["all_gib"] = std::to_string(parts);
  facts["share_mib"] = std::to_string(std::int64_t{gib} * 1024);
}

// What one client is to keep to.
std::optional<Mib> share_of(const Proposal* proposal, int replicas) {
  if (proposal == nullptr) return std::nullopt;
  return proposal->memory_share ? proposal->memory_share : sharing::memory_share(proposal->memory, replicas);
}

void add_shares(HandoutFacts& facts, Strategy strategy, sharing::Platform platform,
                const Proposal* proposal) {
  std::optional<int> told = proposal != nullptr ? proposal->replicas : std::nullopt;
  if (strategy == Strategy::vgpu) return add_vgpu(facts, proposal);
  if (!told && !by_shares(strategy)) return;
  const int replicas = std::max(1, told.value_or(kUsualReplicas));
  const bool mps = strategy == Strategy::mps;
  facts["replicas"] = std::to_string(replicas);
  facts["fraction"] = fmt::format("{:.4g}", 1.0 / replicas);
  facts["percent"] = std::to_string(std::max(1, sharing::kMpsPercent / replicas));
  facts["half"] = std::to_string(std::max(1, sharing::kMpsPercent / replicas / 2));
  if (const auto share = share_of(proposal, replicas)) {
    facts["share_mib"] = std::to_string(share->value);
    facts["half_mib"] = std::to_string(share->value / 2);
  }
  if (platform == sharing::Platform::ack) {
    add_memory_share(facts, proposal != nullptr ? replicas : 0);
  }
  if (replicas < 2) return;
  facts["shared"] = "";
  facts["config"] = fmt::format("{}{}", mps ? "mps" : "ts", replicas);
  facts["method"] = mps ? "mps" : "timeSlicing";
  facts["gke_sharing"] = mps ? "mps" : "time-sharing";
  // As the node has them, or as they are wished for; else the names stay and several are refused.
  const bool told_switches = proposal != nullptr && proposal->switches.has_value();
  facts["refuse"] = !told_switches || proposal->switches->refuse_several ? "true" : "false";
  facts["rename"] = told_switches && proposal->switches->rename ? "true" : "false";
  std::string entries;
  for (const std::string& name : resources(strategy, platform, proposal)) {
    if (!is_name(name)) continue;
    if (name.ends_with(kShared)) facts["rename"] = "true";
    entries += fmt::format("{}- name: {}\n  replicas: {}", entries.empty() ? "" : "\n", without_suffix(name),
                           replicas);
  }
  if (!entries.empty()) facts["resources"] = std::move(entries);
}

// What slurm.conf and gres.conf say of one node, where all nodes of the proposal are alike.
void add_slurm_files(HandoutFacts& facts, Strategy strategy, const Proposal* proposal, const OneNode& node) {
  std::map<std::string, std::int64_t> counts;
  if (proposal != nullptr) counts = proposal->advertised;
  if (counts.empty() && by_shares(strategy))
    counts = {{"gpu", 1},
              strategy == Strategy::mps ? std::pair("mps", sharing::kMpsPercent)
                                        : std::pair("shard", kUsualReplicas)};
  std::vector<std::string> gres, records;
  std::set<std::string> families;
  const std::string record = fmt::format("NodeName={} Name=", node.name);
  for (const auto& [name, count] : counts) {
    if (!is_name(name) || count % node.nodes != 0) return;
    gres.push_back(fmt::format("{}:{}", name, count / node.nodes));
    const std::string family = name.substr(0, name.find(':'));
    families.insert(family);
    const auto each = count / node.nodes / static_cast<std::int64_t>(node.gpus.size());
    const std::string type = name == family ? "" : " Type=" + name.substr(family.size() + 1);
    for (int gpu : node.gpus) {
      const std::string shares = family == "gpu" ? "" : fmt::format(" Count={}", each);
      records.push_back(fmt::format("{}{}{}{} File=/dev/nvidia{}", record, family, type, shares, gpu));
    }
  }
  if (gres.empty()) return;
  facts["gres"] = fmt::format("{}", fmt::join(gres, ","));
  facts["families"] = fmt::format("{}", fmt::join(families, ","));
  facts["gres_lines"] = fmt::format("{}", fmt::join(records, "\n"));
}

// By which labels pods find the nodes of such a pool of GKE.
std::string gke_selector(const HandoutFacts& facts) {
  constexpr std::string_view kGke = "cloud.google.com/gke-";
  std::string lines;
  if (const auto size = facts.find("plain_profile"); size != facts.end())
    lines += fmt::format("{}gpu-partition-size: {}\n", kGke, size->second);
  if (facts.contains("shared"))
    lines += fmt::format("{0}gpu-sharing-strategy: {1}\n{0}max-shared-clients-per-gpu: \"{2}\"\n", kGke,
                         facts.at("gke_sharing"), facts.at("replicas"));
  if (!lines.empty()) lines.pop_back();
  return lines;
}

// What the platform's device plugin and its neighbours are told beside the layout.
void add_plugin(HandoutFacts& facts, sharing::Platform platform, const Proposal* proposal) {
  if (proposal != nullptr && proposal->mig_strategy)
    if (const auto strategy = sharing::word(*proposal->mig_strategy); is_name(strategy))
      facts["mig_strategy"] = std::string(strategy);
  if (proposal != nullptr && proposal->ends_sharing) {
    facts["unshare"] = "";
    if (is_name(proposal->unshared_config)) facts["unshared_config"] = proposal->unshared_config;
  }
  if (platform != sharing::Platform::gke) return;
  if (std::string lines = gke_selector(facts); !lines.empty()) facts["gke_selector"] = std::move(lines);
}

}  // namespace

HandoutFacts facts_of(Strategy strategy, sharing::Platform platform, const Proposal* proposal,
                      const AdviceAbout& about) {
  HandoutFacts facts;
  const OneNode node = one_node(proposal);
  facts["window"] = kWindow;
  facts["node"] = node.name;
  facts["gpus"] = std::to_string(node.gpus.size());
  if (about.product.starts_with("GeForce")) facts["geforce"] = "";
  add_shares(facts, strategy, platform, proposal);
  if (proposal != nullptr && proposal->preset && is_name(*proposal->preset))
    facts["preset"] = *proposal->preset;
  if (proposal != nullptr && strategy == Strategy::mig) {
    if (const std::string profile = one_profile(*proposal); is_name(profile)) {
      facts["plain_profile"] = sharing::kubernetes_spelling(ProfileName(profile));
      facts["aks_profile"] = "MIG" + profile.substr(0, profile.find('.'));
    }
  }
  if (is_kubernetes(platform)) add_plugin(facts, platform, proposal);
  if (!is_kubernetes(platform) && !about.part) add_slurm_files(facts, strategy, proposal, node);
  return facts;
}

std::vector<Advice> advice(const Handouts& handouts, Strategy strategy, sharing::Platform platform,
                           const Proposal* proposal, const AdviceAbout& about) {
  std::vector<Advice> all;
  // Nodes of ACK's that the GPU operator manages are shared as everywhere.
  const bool operators_own = platform == sharing::Platform::ack && proposal != nullptr &&
                             !proposal->advertised.empty() &&
                             !proposal->advertised.contains("aliyun.com/gpu-mem");
  if (operators_own) platform = sharing::Platform::gpu_operator;
  HandoutFacts facts = facts_of(strategy, platform, proposal, about);
  const auto add = [&](const Handout& one) {
    const auto title = filled(one.title, facts), text = filled(one.text, facts);
    if (title && text) all.push_back({one.id, *title, *text});
  };
  const std::vector<std::string> asked = resources(strategy, platform, proposal);
  for (const Handout& one : handouts.all()) {
    if (!one.goes_with(strategy, platform, facts)) continue;
    if (!one.names("resource")) {
      add(one);
      continue;
    }
    for (const std::string& name : asked) {
      if (!is_name(name)) continue;
      facts["resource"] = name;
      facts["count"] = strategy == Strategy::mps ? facts.at("percent") : "1";
      add(one);
    }
    facts.erase("resource"), facts.erase("count");
  }
  return all;
}

}  // namespace tessera::guide
