#include "engine/operators/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/number.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/mig_parted.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::operators {
namespace {

constexpr int kMostBoards = 64;

int count_of(const Node& node) {
  std::string_view text = sharing::label(node, "nvidia.com/gpu.count").value_or("");
  return whole_number(text, kMostBoards).value_or(0);
}

// What the configuration in force wants of each GPU; empty: that cannot be told.
NodeTarget applied(const Node& node, const OperatorSetup& site, const NodeBoards& boards) {
  std::string state(sharing::label(node, kMigState).value_or(""));
  std::string name(sharing::label(node, kMigConfig).value_or(""));
  if (state != "success" || name.empty()) return {};
  // A file that could not be read may stand before the one that was.
  if (!site.readings.knows(SitePart::mig_config) || !site.readings.knows(SitePart::generated)) return {};
  const MigFile* file = site.mig_config_map.empty() ? site.own_config(node.name.text) : nullptr;
  if (!file) file = site.mig_config.get();
  const MigConfig* config = file && file->document ? file->document->find(name) : nullptr;
  if (!config) return {};
  auto target = evaluate(*config, boards);
  return target ? *target : NodeTarget{};
}

Strategy strategy_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::time_slice: return Strategy::time_slicing;
    case SliceKind::mps: return Strategy::mps;
    default: return Strategy::whole;
  }
}

// Takes the first slice that fits out of the pool.
template <class Fits>
std::optional<Slice> take(std::vector<Slice>& pool, Fits fits) {
  auto found = std::find_if(pool.begin(), pool.end(), fits);
  if (found == pool.end()) return std::nullopt;
  Slice slice = std::move(*found);
  pool.erase(found);
  return slice;
}

using Offered = std::map<std::string, int>;  // by profile; "": whole GPUs

std::string list_text(const Offered& offered) {
  std::string text;
  for (const auto& [profile, count] : offered) {
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", count);
    text += profile.empty() ? count == 1 ? "whole GPU" : "whole GPUs" : "of " + profile;
  }
  return text.empty() ? "nothing" : text;
}

Offered wanted_of(const NodeTarget& target, const mig::Product& product) {
  Offered wanted;
  for (const auto& board : target) {
    if (!board) return {};
    if (!board->mig) ++wanted[""];
    for (int profile : board->profiles)
      ++wanted[product.profiles[static_cast<std::size_t>(profile)].name.text];
  }
  return wanted;
}

Offered offered_by(const Node& node) {
  Offered there;
  auto note = [&](const Slice& slice) {
    ++there[slice.kind == SliceKind::gpu_instance ? slice.profile.text : ""];
  };
  std::for_each(node.pool.begin(), node.pool.end(), note);
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), note);
  return there;
}

// Under the strategy single feature discovery counts instances: then any number of GPUs may be there.
bool counts_instances(const Node& node) {
  return sharing::label(node, "nvidia.com/gpu.product").value_or("").find("-MIG-") != std::string_view::npos;
}

// What the configuration in force would have the node offer, for each number of GPUs that it may have.
std::vector<Offered> may_be_wanted(const Node& node, const OperatorSetup& site, const mig::Product& product) {
  std::vector<Offered> all;
  const int told = count_of(node);
  const int least = counts_instances(node) ? 1 : told, most = counts_instances(node) ? kMostBoards : told;
  for (int count = std::max(1, least); count <= most; ++count) {
    NodeTarget target = applied(node, site, NodeBoards(static_cast<std::size_t>(count), &product));
    if (Offered wanted = wanted_of(target, product); !wanted.empty()) all.push_back(std::move(wanted));
  }
  return all;
}

}  // namespace

std::optional<std::string> not_made(const Node& node, const OperatorSetup& site,
                                    const mig::Catalogue& catalogue) {
  const mig::Product* product = catalogue.by_gfd_label(node.model);
  if (!product) return std::nullopt;
  const std::vector<Offered> wanted = may_be_wanted(node, site, *product);
  const Offered there = offered_by(node);
  if (wanted.empty() || std::find(wanted.begin(), wanted.end(), there) != wanted.end()) return std::nullopt;
  return list_text(there) + ", not " + list_text(wanted.front());
}

bool is_made(const Node& node, const OperatorSetup& site, const mig::Catalogue& catalogue) {
  const mig::Product* product = catalogue.by_gfd_label(node.model);
  if (!product) return false;
  const std::vector<Offered> wanted = may_be_wanted(node, site, *product);
  return std::find(wanted.begin(), wanted.end(), offered_by(node)) != wanted.end();
}

bool give_boards(Node& node, const OperatorSetup& site, const mig::Catalogue& catalogue) {
  if (!node.gpus.empty() || node.pool.empty()) return false;
  const mig::Product* product = catalogue.by_gfd_label(node.model);
  int count = count_of(node);
  if (!product || count < 1) return false;
  NodeTarget target = applied(node, site, NodeBoards(static_cast<std::size_t>(count), product));
  if (target.empty()) return false;
  std::vector<Slice> pool = node.pool;
  std::vector<Gpu> boards;
  for (int i = 0; i < count; ++i) {
    const auto& wanted = target[static_cast<std::size_t>(i)];
    if (!wanted) return false;
    Gpu gpu;
    gpu.index = GpuIndex{i};
    gpu.model = node.model;
    gpu.product = product->key;
    gpu.origin = {Source::inferred, node.origin.at};
    gpu.mig_mode = wanted->mig ? MigMode::enabled : MigMode::disabled;
    gpu.strategy = wanted->mig ? Strategy::mig : Strategy::whole;
    for (int profile : wanted->profiles) {
      const ProfileName& name = product->profiles[static_cast<std::size_t>(profile)].name;
      auto slice = take(
          pool, [&](const Slice& one) { return one.kind == SliceKind::gpu_instance && one.profile == name; });
      if (!slice) return false;
      gpu.slices.push_back(std::move(*slice));
    }
    if (!wanted->mig) {
      auto slice = take(pool, [](const Slice& one) { return one.kind != SliceKind::gpu_instance; });
      if (!slice) return false;
      gpu.strategy = strategy_of(slice->kind);
      gpu.slices.push_back(std::move(*slice));
    }
    if (!gpu.slices.empty() && gpu.slices.front().capacity > 1) gpu.replicas = gpu.slices.front().capacity;
    boards.push_back(std::move(gpu));
  }
  if (!pool.empty()) return false;
  node.gpus = std::move(boards);
  node.pool.clear();
  return true;
}

}  // namespace tessera::operators
