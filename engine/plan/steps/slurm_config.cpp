#include "engine/plan/steps/slurm_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/slurmconf/counts.hpp"
#include "engine/slurmconf/generate.hpp"
#include "engine/text.hpp"

namespace tessera::plan::slurm {
namespace {

constexpr int kMostDevices = 1024;
constexpr std::int64_t kMostCounted = 1'000'000'000;  // more is not believed

struct Entry {
  std::string name, type;
  std::int64_t count = 1;
};

// "gpu:h100:8(S:0-1),mps:200": entries that are none are left out.
std::vector<Entry> entries_of(std::string_view gres) {
  std::vector<Entry> entries;
  int depth = 0;
  std::string plain;
  for (char c : gres) {  // what stands in brackets is about sockets and devices
    if (c == '(') ++depth;
    if (depth == 0) plain += c;
    if (c == ')' && depth > 0) --depth;
  }
  std::string_view rest = plain;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    Entry entry;
    entry.name = lower(clean(one.substr(0, one.find(':')), 64));
    std::size_t colon = one.find(':');
    if (colon != std::string_view::npos) {
      std::string_view tail = one.substr(colon + 1);
      std::size_t last = tail.rfind(':');
      std::string_view number = last == std::string_view::npos ? tail : tail.substr(last + 1);
      std::int64_t count = 0;
      auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), count);
      bool counted = code == std::errc() && end == number.data() + number.size();
      if (counted) entry.count = count < 0 || count > kMostCounted ? 0 : count;
      if (!counted)
        entry.type = clean(tail, 200);
      else if (last != std::string_view::npos)
        entry.type = clean(tail.substr(0, last), 200);
    }
    if (!entry.name.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

bool is_instance(const std::string& type) { return mig::profile_of_slurm_type(type).has_value(); }

// The type of whole GPUs in a node's GRES; nullopt: it has none.
std::optional<std::string> whole_type_in(std::string_view gres) {
  for (const Entry& one : entries_of(gres))
    if (one.name == "gpu" && !is_instance(one.type)) return one.type;
  return std::nullopt;
}

std::int64_t total_of(std::string_view gres, std::string_view name) {
  std::int64_t total = 0;
  for (const Entry& one : entries_of(gres))
    if (one.name == name) total += one.count;
  return total;
}

slurmconf::CutNode cut_node(const Node& node, const std::string& type, int units) {
  slurmconf::CutNode cut{node.name.text, {}};
  for (const Gpu& gpu : node.gpus) {
    slurmconf::CutBoard& board = cut.boards.emplace_back();
    board.gpu = gpu.index;
    board.units = units;
    board.mig = gpu.strategy == Strategy::mig;
    if (!board.mig) board.type = type;
    if (board.mig)
      for (const InstanceAt& one : instances_of(gpu))
        board.instances.push_back({one.profile, one.at, one.id});
  }
  return cut;
}

// Shares are laid on the GPUs that are shared; without any such, on all whole ones.
void share_out(slurmconf::CutNode& cut, const Node& node, Strategy strategy, int slurmconf::CutBoard::*shares,
               std::int64_t total) {
  std::vector<slurmconf::CutBoard*> takers;
  for (std::size_t i = 0; i < cut.boards.size(); ++i)
    if (node.gpus[i].strategy == strategy) takers.push_back(&cut.boards[i]);
  if (takers.empty())
    for (slurmconf::CutBoard& board : cut.boards)
      if (!board.mig) takers.push_back(&board);
  for (slurmconf::CutBoard* board : takers)
    board->*shares = static_cast<int>(total / static_cast<std::int64_t>(takers.size()));
}

// By type; nullopt: slurmd finds them itself, or no line of the node's own is about them.
std::optional<std::map<std::string, std::multiset<std::string>>> devices_of(
    const std::vector<std::string>& lines) {
  std::map<std::string, std::multiset<std::string>> devices;
  for (const std::string& line : lines) {
    const slurmconf::Document read = slurmconf::parse({"gres.conf", line});
    for (const slurmconf::Line& one : read.lines) {
      const slurmconf::Pair *detect = one.find("AutoDetect"), *type = one.find("Type");
      if (detect && lower(detect->value) != "off") return std::nullopt;
      for (const char* key : {"File", "MultipleFiles"})
        if (const slurmconf::Pair* list = one.find(key))
          if (auto files = expand_hosts(list->value, kMostDevices))
            devices[type ? type->value : ""].insert(files->begin(), files->end());
    }
  }
  if (devices.empty()) return std::nullopt;
  return devices;
}

}  // namespace

Capabilities capabilities_by(slurmconf::MigTool tool) {
  Capabilities can = slurm_capabilities();
  if (tool != slurmconf::MigTool::mig_parted) return can;
  can.clears = Unit::gpu;
  can.chooses_placement = false;
  return can;
}

bool down_by_itself(const Node& node) {
  if (std::find(node.state.begin(), node.state.end(), "DOWN") == node.state.end()) return false;
  return node.reason == "Node unexpectedly rebooted" || node.reason == "Not responding" ||
         parse_mark(node.reason).has_value();
}

Node node_after(const Node& node, const std::vector<BoardChange>& changes) {
  Node after = node;
  for (const BoardChange& change : changes)
    for (Gpu& gpu : after.gpus) {
      if (gpu.index != change.gpu) continue;
      gpu.strategy = change.after.strategy;
      gpu.replicas = change.after.replicas;
      gpu.slices.clear();
      for (const InstanceAt& one : change.after.instances) {
        Slice& slice = gpu.slices.emplace_back();
        slice.kind = SliceKind::gpu_instance;
        slice.profile = one.profile;
        slice.placement = one.at;
        bool stays = std::any_of(change.kept.begin(), change.kept.end(),
                                 [&](const InstanceAt& kept) { return kept.same(one); });
        if (stays) slice.instance_id = one.id;
      }
    }
  return after;
}

std::string plain_gres(std::string_view gres) {
  std::map<std::string, std::int64_t> counts;
  for (const Entry& one : entries_of(gres)) {
    if (one.name == "gpu")
      counts[one.type.empty() ? one.name : one.name + ":" + one.type] += one.count;
    else if (one.name == "mps" || one.name == "shard")
      counts[one.name] += one.count;
  }
  return gres_text(counts);
}

std::string whole_type(const slurmconf::SlurmSetup& site, const std::string& node,
                       const mig::Product* product) {
  std::map<std::string, std::string> all = slurmconf::effective(site.files);
  if (auto own = all.find(node); own != all.end())
    if (auto type = whole_type_in(own->second)) return *type;
  if (!product) return "";
  for (const auto& [name, gres] : all)
    if (auto type = whole_type_in(gres))
      if (std::find(product->slurm_types.begin(), product->slurm_types.end(), *type) !=
          product->slurm_types.end())
        return *type;
  return product->slurm_types.empty() ? "" : product->slurm_types.front();
}

std::string gres_of_boards(const Node& node, const std::string& whole_type,
                           const slurmconf::SlurmSetup& site) {
  slurmconf::CutNode cut = cut_node(node, whole_type, 0);
  for (std::size_t i = 0; i < cut.boards.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    if (gpu.strategy == Strategy::mps) cut.boards[i].mps = gpu.replicas.value_or(sharing::kMpsPercent);
    if (gpu.strategy == Strategy::shard) cut.boards[i].shards = gpu.replicas.value_or(1);
  }
  return plain_gres(slurmconf::gres_text(cut, site));
}

Result<slurmconf::Wanted> wanted_config(const Node& node, const std::string& gres,
                                        const mig::Product* product, const slurmconf::SlurmSetup& site) {
  if (node.gpus.size() > kMostDevices)
    return Error{"cannot write Slurm's files", "more GPUs than one node can have", ""};
  slurmconf::CutNode cut = cut_node(node, whole_type_in(gres).value_or(""), product ? product->units : 0);
  share_out(cut, node, Strategy::mps, &slurmconf::CutBoard::mps, total_of(gres, "mps"));
  share_out(cut, node, Strategy::shard, &slurmconf::CutBoard::shards, total_of(gres, "shard"));
  slurmconf::take_over(cut, site.files, site);
  auto wanted = slurmconf::generate(cut, site);
  if (!wanted) return wanted.error();
  if (std::string made = plain_gres(wanted->gres); made != gres)
    return Error{"cannot write Slurm's files",
                 fmt::format("the GPUs of {} come to {}, not to {}", node.name.text, made, gres),
                 "look at the node again: its GPUs are not as they were planned"};
  return wanted;
}

std::string unlike(const Node& node, const std::string& gres, const mig::Product* product,
                   const slurmconf::SlurmSetup& site) {
  std::map<std::string, std::string> all = slurmconf::effective(site.files);
  auto own = all.find(node.name.text);
  if (own == all.end()) return "";  // a dynamic node: no file is about it
  std::string says = plain_gres(own->second);
  slurmconf::GresCounts is = slurmconf::counts_of(says), wanted_counts = slurmconf::counts_of(gres);
  for (auto* counts : {&is, &wanted_counts})
    for (const char* shares : {"mps", "shard"})
      if (counts->contains(shares)) (*counts)[shares] = 1;
  if (!slurmconf::alike(is, wanted_counts))
    return fmt::format("slurm.conf says {}", says.empty() ? "no GRES" : says);
  const bool cut = std::any_of(node.gpus.begin(), node.gpus.end(),
                               [](const Gpu& gpu) { return gpu.strategy == Strategy::mig; });
  if (!cut || site.autodetect) return "";
  auto wanted = wanted_config(node, gres, product, site);
  auto written = devices_of(slurmconf::gres_lines_of(site.files, node.name.text));
  if (!wanted || !written || devices_of(wanted->lines) == written) return "";
  return "gres.conf names other devices";
}

std::string config_word(const Node& node, const mig::Product* product, const slurmconf::SlurmSetup& site) {
  std::map<std::string, std::string> all = slurmconf::effective(site.files);
  auto own = all.find(node.name.text);
  if (own == all.end()) return "slurm.conf does not name this node";
  std::string gres = plain_gres(own->second);
  auto wanted = wanted_config(node, gres, product, site);
  if (!wanted) return fmt::format("{}; {}", gres, wanted.error().reason);
  auto as_wanted = slurmconf::set_node(site.files, *wanted);
  bool same = as_wanted && slurmconf::gres_lines_of(*as_wanted, node.name.text) ==
                               slurmconf::gres_lines_of(site.files, node.name.text);
  return same ? gres : gres + "; gres.conf names other devices";
}

}  // namespace tessera::plan::slurm
