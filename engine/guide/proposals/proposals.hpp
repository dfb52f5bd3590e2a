// What a strategy would look like on these GPUs: layouts or shares, ranked by the work that runs and waits.
//
// Held instances stay where they are whenever a layout has room for them; whoever stands in the way is named.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/guide/facts.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

// One GPU under a proposal.
struct BoardProposal {
  NodeName node;                      // empty: hypothetical
  std::optional<GpuIndex> gpu;        // nullopt: hypothetical, or a pool whose GPUs are not told
  std::optional<mig::Layout> layout;  // MIG only
  std::string wish;                   // the same for --layout, without places: "3g.40gb,2g.20gb"
  int kept = 0;                       // held instances that stay
  std::vector<WorkloadId> ends;       // work that must end first
  friend bool operator==(const BoardProposal&, const BoardProposal&) = default;
};

struct Proposal {
  Strategy strategy = Strategy::mig;
  std::string title;   // "1 × 3g.40gb + 1 × 2g.20gb + 2 × 1g.10gb", "4 clients for each GPU"
  std::string layout;  // for --layout: "3g.40gb,2g.20gb,1g.10gb,1g.10gb"; empty for shares or a mix
  std::optional<std::string> preset;  // the platform's name for it
  std::optional<int> replicas;        // clients, or vGPUs of one GPU
  ProfileName vgpu;                   // vGPU only: "A10-12Q"; empty: the types of this GPU are not known
  std::optional<Mib> memory_share;    // of each client
  std::optional<Mib> memory;          // of one GPU, where each client asks for its own part
  std::vector<BoardProposal> boards;
  std::map<std::string, std::int64_t> advertised;  // by all these GPUs, in the scheduler's words
  std::vector<WorkloadId> fit;                     // waiting work that would start
  std::vector<WorkloadId> wait;                    // waiting work that still would not
  std::vector<WorkloadId> ends;                    // of all GPUs, each once
  std::vector<WorkloadId> rehoused;  // of those, the ones whose measured memory fits one of the new parts
  int stranded_memory = 0;           // slices, over all GPUs
  int stranded_compute = 0;
  int sizes = 0;                                     // of instances, that differ
  std::optional<plan::Switches> switches;            // of the device plugin, where it hands out shares
  std::optional<sharing::MigStrategy> mig_strategy;  // of their device plugin, where it is told
  bool ends_sharing = false;    // the GPUs are handed out in shares now, and would be no more
  std::string unshared_config;  // the site's key of a device plugin's configuration without sharing; empty:
                                // none known
  std::vector<std::string> notes;
  std::string refused;  // the rule that a plan of it breaks, and why; empty: none
};

// A layout without its places, the largest first: "1 × 3g.40gb + 2 × 2g.20gb". profiles: places in the
// product's list.
std::string title_of(const mig::Product& product, std::vector<int> profiles);

inline constexpr std::size_t kProposals = 8;

// Best first, at most kProposals; the row that cuts each GPU in its own way is among them where it is the
// best. Empty where nothing can be said: no MIG, or places not published. one_profile: only those whose
// instances are all of one size.
std::vector<Proposal> propose_layouts(const Scope& scope, sharing::Platform platform,
                                      bool one_profile = false);
// mps or time_slicing (shards on Slurm): 2, 4, 8, 16 and the most that is allowed.
std::vector<Proposal> propose_shares(const Scope& scope, Strategy strategy, sharing::Platform platform);
// The types of virtual GPU that this one can be divided into, all of them; where they are not known, a row
// that says so.
std::vector<Proposal> propose_vgpu(const Scope& scope, sharing::Platform platform);
// The one of the above that fits the strategy.
std::vector<Proposal> propose(const Scope& scope, Strategy strategy, sharing::Platform platform);

}  // namespace tessera::guide
