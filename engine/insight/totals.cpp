#include "engine/insight/totals.hpp"

#include <algorithm>

namespace tessera::insight {
namespace {

std::string free_label(const Slice& slice) {
  // A share is not a slice: MPS counts in percent, so the two must not stand side by side under one word.
  return slice_label(slice) + (slice.capacity > 1 ? " shares" : "");
}

void add(Totals& totals, const Slice& slice, bool open) {
  int shares = free_shares(slice);
  if (open && shares > 0) totals.free_by_profile[free_label(slice)] += shares;
}

// How many are held may be known where it is not known which.
void add_counts(Totals& totals, const SliceCounts& counts, bool open) {
  totals.slices += counts.all;
  totals.held += counts.held;
  (open ? totals.free : totals.closed_free) += counts.free;
  totals.unknown += counts.all - counts.held - counts.free;
}

// Those free ones among slices of one kind of which it is not known which is free.
void add_open(Totals& totals, const Node& node) {
  const Slice* example = nullptr;
  int known = 0, shares_known = 0;
  bool alike = true;
  auto look = [&](const Slice& slice) {
    known += slice.holding == Holding::free;
    shares_known += slice.capacity > 1 ? free_shares(slice) : 0;
    if (slice.holding != Holding::unknown) return;
    alike = alike && (!example || free_label(*example) == free_label(slice));
    example = &slice;
  };
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
  if (!example || !alike) return;
  const SliceCounts& counts = node.counts;
  const int free = example->capacity == 1 ? counts.free - known
                   : counts.shares_held   ? counts.shares - *counts.shares_held - shares_known
                                          : 0;
  if (free > 0) totals.free_by_profile[free_label(*example)] += free;
}

}  // namespace

bool takes_work(const Node& node) { return node.health == Health::ok; }

std::string slice_label(const Slice& slice) {
  if (!slice.profile.empty()) return slice.profile.text;
  return std::string(word(slice.kind));
}

int free_shares(const Slice& slice) {
  if (slice.holding == Holding::unknown) return 0;
  int held = 0;
  for (const Holder& holder : slice.holders) held += holder.share;
  if (slice.holders.empty() && slice.holding == Holding::held) return 0;
  return std::max(0, slice.capacity - held);
}

Totals totals(const Cluster& cluster) {
  Totals totals;
  for (const Node& node : cluster.nodes.all()) {
    ++totals.nodes;
    bool open = takes_work(node);
    if (!open) ++totals.nodes_closed;
    add_counts(totals, node.counts, open);
    if (open) add_open(totals, node);
    for (const Gpu& gpu : node.gpus) {
      ++totals.gpus;
      ++totals.gpus_by_strategy[gpu.strategy];
      for (const Slice& slice : gpu.slices) add(totals, slice, open);
    }
    for (const Slice& slice : node.pool) {
      ++totals.gpus_by_strategy[Strategy::mig];
      add(totals, slice, open);
    }
  }
  for (const Workload& workload : cluster.workloads.all()) {
    if (workload.state == WorkloadState::pending) {
      ++totals.pending;
      for (const Request& request : workload.requests) ++totals.waiting_by_request[request.resource];
    } else {
      ++totals.running;
    }
  }
  return totals;
}

}  // namespace tessera::insight
