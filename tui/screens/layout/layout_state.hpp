// The layout editor's state: which GPUs, what is wanted of them, and the steps back. A value that knows
// neither keys nor screens; every edit leaves a legal layout.
//
// What is wanted is kept for one GPU. For several GPUs it is the profiles that count: the planner finds
// the places on each, so that what is held stays, and the editor shows those of the GPU in view.
// Threads: owned by the UI thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/edit.hpp"
#include "engine/plan/plan.hpp"
#include "engine/whatif/whatif.hpp"

namespace tessera::plan {
struct Outlook;
}

namespace tessera::tui {

// What one GPU is to become.
struct Want {
  Strategy strategy = Strategy::whole;
  mig::Layout layout;  // mig
  int replicas = 1;
  ProfileName vgpu;
  std::string words;            // "all-balanced"; empty: by hand
  std::string note;             // what to know about the preset; may be empty
  bool offers_nothing = false;  // the node as a whole is to go without a device plugin
  // The device plugin's switches for shares; nullopt: as the node has them.
  std::optional<bool> rename_shared = std::nullopt, refuse_several = std::nullopt;
  bool same_as(const Want& other) const {
    return strategy == other.strategy && layout == other.layout && replicas == other.replicas &&
           vgpu == other.vgpu && offers_nothing == other.offers_nothing &&
           rename_shared == other.rename_shared && refuse_several == other.refuse_several;
  }
};

struct BoardAt {
  NodeName node;
  GpuIndex gpu;
  ProductKey product;  // empty: not in the catalogue
  friend bool operator==(const BoardAt&, const BoardAt&) = default;
};

// An entry of the list of presets.
struct PresetChoice {
  std::string name;  // "all-balanced"
  std::string text;  // "2 × 1g.10gb, 1 × 2g.20gb, 1 × 3g.40gb"
  std::string from;  // "GPU operator"
  Want want;
  std::string why_not;  // empty: it can be taken
};

// The plan for what is wanted, as last worked out, and what it was worked out from.
struct LayoutPreview {
  const void* hours_of = nullptr;  // the answer of the planner's thread that `plan` tells; never followed
  std::string key;                 // of the edit; empty: nothing was worked out yet
  std::uint64_t revision = 0;
  TimePoint at{};
  std::optional<plan::Plan> plan;
  std::optional<Error> error;  // why there is no plan
  std::shared_ptr<const plan::Outlook> outlook;
  std::uint64_t outlook_revision = 0;
  TimePoint outlook_at{};
};

enum class LayoutList : std::uint8_t { profiles, presets };

struct LayoutState {
  std::vector<BoardAt> boards;  // that can be looked at here
  std::size_t viewed = 0;
  bool all = false;  // the edit is for every GPU of the viewed one's product

  // What is wanted of each GPU by itself, in the order of `GPUs`; that of the one in view is `want`.
  // Empty: `want` is for all that the edit is about.
  std::vector<Want> each;

  std::optional<plan::Decision> decision;  // of the guide, where it led here

  Want want;
  bool touched = false;          // false: what is wanted is what stands
  std::optional<Want> tried;     // the preset under the cursor, as if it were taken
  std::vector<Want> past, next;  // for undo and redo
  static constexpr std::size_t kPast = 200;

  int unit = 0;  // memory slice under the cursor
  LayoutList list = LayoutList::profiles;
  int profile = 0;  // row of the list of profiles
  int preset = 0;   // row of the list of presets
  std::vector<PresetChoice> presets;
  int scrolled = 0;                 // lines of the preview scrolled away
  bool leaving = false;             // Esc was pressed once with edits that would be lost
  int hours = whatif::kUsualHours;  // that the preview plays
  LayoutPreview preview;

  const BoardAt& board() const { return boards[viewed]; }
  const Want& shown() const { return tried ? *tried : want; }
  bool differs() const { return touched || tried; }
  // The GPUs that the edit is about.
  std::vector<BoardAt> targets() const;
};

// What stands on a GPU, as a wish.
Want want_of(const Gpu& gpu, const mig::Product* product);
plan::Wish wish_of(const Want& want, const mig::Product* product, bool with_places);
// The wish with a place for everything: what stands stays where it can. Errors say what cannot be.
Result<Want> want_of(const plan::Wish& wish, const Gpu& gpu, const mig::Product* product);

// Goes to another GPU; where each has its own layout, what is wanted is that GPU's.
void look_at_board(LayoutState& edit, std::size_t next);

// What the planner is asked for. Errors: GPUs of several nodes that no single list of GPUs names.
Result<plan::Intent> intent_of(const LayoutState& edit, const Cluster& cluster, const mig::Product* product);

// Edits. Each returns why it cannot be done; empty: it was.
std::string add_instance(LayoutState& edit, const mig::Product* product, int profile);
std::string remove_instance(LayoutState& edit, const mig::Product* product);
std::string slide_instance(LayoutState& edit, const mig::Product* product, int direction);
std::string clear_board(LayoutState& edit, const mig::Product* product);
// Turns one of the device plugin's switches over, or back to how the node has it (`now`).
std::string flip_switch(LayoutState& edit, std::optional<bool> Want::*which, bool now);
std::string change_replicas(LayoutState& edit, int by);
std::string set_replicas(LayoutState& edit, int replicas);
std::string undo_edit(LayoutState& edit);
std::string redo_edit(LayoutState& edit);
// Takes over what is wanted, as one step.
void take(LayoutState& edit, Want want);
// Nothing edited any more; `now` is what stands.
void start_over(LayoutState& edit, Want now);

// Instances of a profile.
int count_of(const mig::Layout& layout, int profile);
// "3g.40gb@4, 2g.20gb@2", "MPS, 8 clients", "whole GPU".
std::string text_of(const Want& want, const mig::Product* product);

}  // namespace tessera::tui
