#include "tui/screens/layout/layout_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/sharing/shares.hpp"

namespace tessera::tui {
namespace {

// Why a GPU cannot be cut at all; empty: it can.
std::string why_uncut(const mig::Product* product) {
  if (!product) return "this GPU is not in the catalogue: it can be whole, or shared by MPS or time-slicing";
  if (!product->mig_capable) return product->key.text + " cannot be cut: it has no MIG";
  if (!product->placements_known)
    return "where instances may start on " + product->key.text + " is not published";
  return {};
}

const mig::Profile& profile_of(const mig::Product& product, mig::Placed placed) {
  return product.profiles[static_cast<std::size_t>(placed.profile)];
}

// An edit by hand of the instances; what was shared in another way before is cut from now on.
Want cut(const LayoutState& edit, mig::Layout layout) {
  Want want;
  want.strategy = Strategy::mig;
  want.layout = std::move(layout);
  if (edit.want.strategy == Strategy::mig) want.replicas = edit.want.replicas;
  return want;
}

mig::Layout layout_of(const Want& want) {
  return want.strategy == Strategy::mig ? want.layout : mig::Layout{};
}

}  // namespace

std::vector<BoardAt> LayoutState::targets() const {
  if (!each.empty()) return boards;
  if (!all) return {board()};
  std::vector<BoardAt> found;
  for (const BoardAt& one : boards)
    if (one.product == board().product) found.push_back(one);
  return found;
}

Want want_of(const Gpu& gpu, const mig::Product* product) {
  plan::BoardState state = plan::state_of(gpu);
  Want want;
  want.strategy = state.strategy == Strategy::unknown ? Strategy::whole : state.strategy;
  want.replicas = state.replicas;
  want.vgpu = state.vgpu;
  if (state.mig) want.strategy = Strategy::mig;
  if (product && state.mig) want.layout = mig::observed_layout(*product, gpu).value_or(mig::Layout{});
  return want;
}

plan::Wish wish_of(const Want& want, const mig::Product* product, bool with_places) {
  plan::Wish wish;
  if (want.strategy == Strategy::mig && product) {
    wish = plan::wish_of(*product, want.layout);
    if (!with_places)
      for (plan::WishedInstance& one : wish.instances) one.start.reset();
  }
  wish.strategy = want.strategy;
  wish.replicas = want.replicas;
  wish.vgpu = want.vgpu;
  return wish;
}

Result<Want> want_of(const plan::Wish& wish, const Gpu& gpu, const mig::Product* product) {
  Want want;
  want.strategy = wish.strategy;
  want.replicas = wish.replicas;
  want.vgpu = wish.vgpu;
  if (wish.strategy != Strategy::mig) return want;
  if (std::string why = why_uncut(product); !why.empty())
    return Error{"this GPU cannot take that layout", why, "choose another way of sharing (p)"};
  mig::Layout now = layout_of(want_of(gpu, product));
  std::vector<bool> held;
  for (const mig::Placed& one : now) {
    const mig::Profile& profile = profile_of(*product, one);
    const Slice* slice = plan::find_instance(gpu, {profile.name, {one.start, profile.memory_slices}, {}});
    held.push_back(!slice || plan::in_use(*slice));
  }
  Result<mig::Layout> layout = plan::target_layout(*product, wish, now, held);
  if (!layout) return layout.error();
  want.layout = std::move(*layout);
  return want;
}

Result<plan::Intent> intent_of(const LayoutState& edit, const Cluster& cluster, const mig::Product* product) {
  std::vector<BoardAt> targets = edit.targets();
  plan::Intent intent;
  intent.cluster = cluster.name;
  intent.decision = edit.decision;
  intent.switches = {edit.shown().rename_shared, edit.shown().refuse_several};
  intent.words = edit.shown().words.empty() ? text_of(edit.shown(), product) : edit.shown().words;
  std::map<NodeName, std::vector<GpuIndex>> boards;
  for (const BoardAt& one : targets) {
    auto [place, fresh] = boards.try_emplace(one.node);
    if (fresh) intent.nodes.push_back(one.node);
    place->second.push_back(one.gpu);
  }
  if (edit.shown().offers_nothing) {
    const bool whole = std::all_of(boards.begin(), boards.end(), [&](const auto& one) {
      const Node* node = cluster.nodes.find(one.first);
      return node && node->gpus.size() == one.second.size();
    });
    if (!whole || !edit.each.empty())
      return Error{"one GPU alone cannot be without its device plugin", "it serves all GPUs of a node",
                   "choose all of them with a"};
    intent.orders = plan::nothing_offered();
  }
  if (!edit.each.empty()) {
    for (std::size_t i = 0; i < edit.boards.size(); ++i)
      intent.boards.push_back({edit.boards[i].gpu,
                               wish_of(i == edit.viewed ? edit.shown() : edit.each[i], product, false),
                               edit.boards[i].node});
    return intent;
  }
  plan::Wish wish = wish_of(edit.shown(), product, targets.size() == 1);
  bool whole_nodes = true, alike = true;
  const std::vector<GpuIndex>& first = boards.begin()->second;
  for (const auto& [name, gpus] : boards) {
    const Node* node = cluster.nodes.find(name);
    whole_nodes = whole_nodes && node && node->gpus.size() == gpus.size();
    alike = alike && gpus == first;
  }
  if (!alike && !whole_nodes)
    return Error{"one plan cannot name these GPUs", "they are not the same ones on every node",
                 "mark whole nodes, or the same GPUs of each"};
  if (boards.size() > 1 && whole_nodes) {
    intent.boards.push_back({std::nullopt, wish});
  } else {
    for (GpuIndex gpu : first) intent.boards.push_back({gpu, wish});
  }
  return intent;
}

void look_at_board(LayoutState& edit, std::size_t next) {
  if (!edit.each.empty()) {
    edit.each[edit.viewed] = std::move(edit.want);
    edit.want = edit.each[next];
    edit.past.clear();
    edit.next.clear();
  }
  edit.viewed = next;
}

std::string flip_switch(LayoutState& edit, std::optional<bool> Want::*which, bool now) {
  const Want& is = edit.want;
  const bool shares = is.strategy == Strategy::mps || is.strategy == Strategy::time_slicing ||
                      (is.strategy == Strategy::mig && is.replicas > 1);
  if (!shares) return "this is about shares: choose MPS or time-slicing first, or time-slices of instances";
  Want want = is;
  want.*which = want.*which ? std::nullopt : std::optional(!now);
  take(edit, std::move(want));
  return {};
}

int count_of(const mig::Layout& layout, int profile) {
  return static_cast<int>(
      std::count_if(layout.begin(), layout.end(), [&](mig::Placed one) { return one.profile == profile; }));
}

std::string text_of(const Want& want, const mig::Product* product) {
  return plan::to_text(wish_of(want, product, true));
}

void take(LayoutState& edit, Want want) {
  if (edit.touched && want.same_as(edit.want) && want.words == edit.want.words) return;
  edit.past.push_back(edit.want);
  if (edit.past.size() > LayoutState::kPast) edit.past.erase(edit.past.begin());
  edit.next.clear();
  edit.want = std::move(want);
  edit.touched = true;
}

void start_over(LayoutState& edit, Want now) {
  edit.want = std::move(now);
  edit.past.clear();
  edit.next.clear();
  edit.each.clear();
  edit.touched = false;
}

std::string add_instance(LayoutState& edit, const mig::Product* product, int profile) {
  if (std::string why = why_uncut(product); !why.empty()) return why;
  if (profile < 0 || static_cast<std::size_t>(profile) >= product->profiles.size())
    return "there is no profile to add";
  mig::Layout layout = layout_of(edit.want);
  auto start = mig::open_start_near(*product, layout, profile, edit.unit);
  if (!start) {
    auto obstacle = mig::obstacle(*product, layout, profile, edit.unit);
    return product->profiles[static_cast<std::size_t>(profile)].name.text + ": " +
           (obstacle ? mig::to_text(*product, profile, *obstacle) : "it does not fit");
  }
  layout.push_back({profile, *start});
  std::sort(layout.begin(), layout.end());
  take(edit, cut(edit, std::move(layout)));
  edit.unit = *start;
  return {};
}

std::string remove_instance(LayoutState& edit, const mig::Product* product) {
  if (std::string why = why_uncut(product); !why.empty()) return why;
  mig::Layout layout = layout_of(edit.want);
  auto index = mig::instance_at(*product, layout, edit.unit);
  if (!index) return fmt::format("nothing is cut at slice {}", edit.unit);
  layout.erase(layout.begin() + static_cast<std::ptrdiff_t>(*index));
  take(edit, cut(edit, std::move(layout)));
  return {};
}

std::string slide_instance(LayoutState& edit, const mig::Product* product, int direction) {
  if (std::string why = why_uncut(product); !why.empty()) return why;
  if (edit.targets().size() > 1)
    return "with several GPUs the placements are found for each: choose one with a";
  mig::Layout layout = layout_of(edit.want);
  auto index = mig::instance_at(*product, layout, edit.unit);
  if (!index) return fmt::format("nothing is cut at slice {}", edit.unit);
  mig::Placed moving = layout[*index];
  auto moved = mig::slide(*product, layout, *index, direction);
  if (!moved)
    return fmt::format("{} has no free start further {}", profile_of(*product, moving).name.text,
                       direction < 0 ? "left" : "right");
  for (const mig::Placed& one : *moved)
    if (std::find(layout.begin(), layout.end(), one) == layout.end()) edit.unit = one.start;
  take(edit, cut(edit, std::move(*moved)));
  return {};
}

std::string clear_board(LayoutState& edit, const mig::Product* product) {
  if (std::string why = why_uncut(product); !why.empty()) return why;
  if (edit.want.strategy == Strategy::mig && edit.want.layout.empty()) return "nothing is cut any more";
  take(edit, cut(edit, {}));
  return {};
}

std::string set_replicas(LayoutState& edit, int replicas) {
  if (!sharing::in_shares(edit.want.strategy)) return "choose MPS, time-slicing or shards first, with p";
  if (replicas < 2 || replicas > 1024) return "give 2 to 1,024";
  Want want = edit.want;
  want.replicas = replicas;
  want.words.clear();
  take(edit, std::move(want));
  return {};
}

std::string change_replicas(LayoutState& edit, int by) {
  if (sharing::in_shares(edit.want.strategy) && edit.want.replicas + by < 2) return "sharing begins with 2";
  return set_replicas(edit, edit.want.replicas + by);
}

std::string undo_edit(LayoutState& edit) {
  if (edit.past.empty()) return "nothing to undo";
  edit.next.push_back(std::move(edit.want));
  edit.want = std::move(edit.past.back());
  edit.past.pop_back();
  edit.touched = !edit.past.empty();
  return {};
}

std::string redo_edit(LayoutState& edit) {
  if (edit.next.empty()) return "there is nothing to do again";
  edit.past.push_back(std::move(edit.want));
  edit.want = std::move(edit.next.back());
  edit.next.pop_back();
  edit.touched = true;
  return {};
}

}  // namespace tessera::tui
