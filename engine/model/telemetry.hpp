// Figures of GPUs and slices: who measured, which of them, and when. They are told apart from what a node is,
// by an event of their own (Measured), so that a list of nodes wipes none of them and several sources can
// measure the same thing.
//
// Of each GPU and each slice the figures of one source are shown: of those that are fresh the one with the
// highest rank, else the newest, with its age. What that source does not tell stays unknown: figures of two
// sources are never mixed in one row. docs/map.md says what a new source needs.
// Threads: plain values and pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/inventory.hpp"
#include "engine/model/values.hpp"

namespace tessera {

// Of one slice. It is found by its instance id where that is told, else by its device number; one that has
// neither is the only slice of its GPU.
struct SliceFigures {
  ProfileName profile;
  std::optional<int> instance_id;
  std::optional<int> device;
  std::optional<Percent> use;
  std::optional<Mib> memory_used;
  std::optional<Percent> tensor;
  std::optional<Percent> memory_busy;
  std::string uuid;  // "MIG-..."; empty: not told
  friend bool operator==(const SliceFigures&, const SliceFigures&) = default;
};

// Of one GPU. It is found by its UUID where both sides tell one, else by its index.
struct GpuFigures {
  GpuIndex gpu;
  std::string uuid;
  Telemetry figures;  // without an origin
  // Every process that has it open; nullopt: this source does not tell.
  std::optional<std::vector<GpuProcess>> processes;
  std::vector<SliceFigures> slices;
  // What those that share it, or an instance of it, use by themselves; empty: this source does not tell.
  std::vector<OwnUse> own = {};
  friend bool operator==(const GpuFigures&, const GpuFigures&) = default;
};

// All that one source measured of one node at one time; takes the place of what it told before. No GPUs: it
// measures this node no longer.
struct Measured {
  NodeName node;
  Source source = Source::none;
  TimePoint at{};
  std::vector<GpuFigures> gpus;
};

// Of one cluster, as told last.
using FiguresOfNode = std::map<Source, Measured>;
struct NodeFigures {
  NodeName node;
  FiguresOfNode by_source;
};
using Figures = Inventory<NodeName, NodeFigures, &NodeFigures::node>;

// Figures older than this are not fresh: another source that still tells goes before, and they are shown as
// old.
inline constexpr Duration kFiguresFresh{120'000};

// The greater goes before: what watches the GPU itself all the time, before what asks now and then.
int rank_of(Source source);

// Takes the figures off a node that was read together with them, and who has its GPUs open: one Measured a
// source, as old as those processes where it tells some.
std::vector<Measured> take_figures(Node& node);
// Shows on the node what is to be shown at that time. True: a figure is another one than before; that only
// its time moved on does not count.
bool show_figures(Node& node, const FiguresOfNode& told, TimePoint now);

}  // namespace tessera
