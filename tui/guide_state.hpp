// What the guide's screen is about and how far its walks are. A value that points at nothing in the model:
// GPUs are kept by name and looked up again whenever the model has moved.
// Threads: owned by the UI thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/guide/guide.hpp"
#include "engine/guide/texts.hpp"

namespace tessera::tui {

// What fills the page below or beside the chart.
enum class GuidePanel : std::uint8_t { walk, compare, schedulers, terms, layouts };

// GPUs of one kind, with a walk of their own.
struct GuideGroup {
  std::string key;   // what the walk is found again by: the name without its counts
  std::string name;  // "H100-80GB-SXM5: 12 GPUs on 3 nodes"
  std::vector<NodeName> nodes;
  std::vector<GpuIndex> gpus;  // of those nodes; empty: all of them
  ProductKey product;          // empty: not in the catalogue
  guide::Walk walk;
  guide::GuideResult result;
};

struct GuideState {
  std::shared_ptr<const guide::Texts> texts;  // set when the screen is opened
  std::vector<guide::Mark> asked;             // empty: a product that nobody need have
  ProductKey product;
  sharing::Platform platform = sharing::Platform::slurm;
  std::string platform_from;  // "label …"; empty: only the scheduler tells

  std::vector<GuideGroup> groups;
  std::size_t at = 0;
  GuidePanel panel = GuidePanel::walk;
  std::optional<bool> why;  // why the question matters is unfolded; nullopt: where there is room
  std::size_t chosen = 0;   // the proposal that the advice is about

  bool worked_out = false;
  std::uint64_t revision = 0;  // of the model, when it was
  TimePoint worked_at{};

  GuideGroup* group() { return at < groups.size() ? &groups[at] : nullptr; }
  const GuideGroup* group() const { return at < groups.size() ? &groups[at] : nullptr; }
};

}  // namespace tessera::tui
