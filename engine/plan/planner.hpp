// plan: from what an admin wants to the steps that get there with the least disturbance.
//
// Pure: the cluster as last told, an intent, and what the backend can do; nothing is read or asked.
// Threads: pure functions; cheap enough to be called on every keystroke of an editor (preview).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/plan.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::plan {

// What the site adds to what a cluster tells.
struct SiteRules {
  std::optional<sharing::Platform> platform;  // nullopt: recognised from the cluster
  std::optional<sharing::MigStrategy>
      strategy;  // of the device plugin; nullopt: the one that fits the layout
  // The device plugin's switches for shares; nullopt: as the node has them.
  std::optional<bool> rename_shared, refuse_several;
  bool offers_nothing = false;                 // the node is to go without a device plugin
  std::map<std::string, std::int64_t> quotas;  // GPUs that accounts or namespaces may hold; for notices
  std::optional<int> default_cpus_per_gpu;     // Slurm DefCpuPerGPU
  bool billed_by_gpu = false;                  // TRESBillingWeights or a charge counts gres/gpu
};

// What planning needs to know of the cluster beyond the nodes that it is about. An editor that plans on every
// keystroke looks out once for each revision of the model; the pointers live as long as that.
struct Outlook {
  sharing::Platform platform = sharing::Platform::slurm;
  std::vector<const Workload*> pending;
  Queue queue;     // those of them that start with more room
  Counts offered;  // by all nodes together, in the scheduler's words; empty when nothing is pending
};
Outlook look_out(const Cluster& cluster, const mig::Catalogue& catalogue, const SiteRules& rules);

// Errors: the list of jobs or pods is not whole (work_untold), unknown node or GPU, a wish that the GPU
// or the backend cannot fulfil. Held slices in the way are no error but a notice, with the nearest layouts
// that leave them alone. outlook: nullptr to have it worked out here.
Result<Plan> make_plan(const Cluster& cluster, const mig::Catalogue& catalogue, const Intent& intent,
                       const Means& capabilities, const SiteRules& rules, TimePoint now,
                       const Outlook* outlook = nullptr);

// A wish as it counts on that GPU: where the scheduler decides among how many a GPU is shared, with that
// number.
Wish as_handed_out(Scheduler scheduler, const Node& node, const Gpu& gpu, Wish wish);

// The options for a way back: what the way there was allowed to do to others (end their work, break their
// lock) was granted for that alone, and its time is past.
ChangeOptions way_back(ChangeOptions options);

// Gives a node back as it stands, for a run that has changed nothing of its layout: what others made of it
// meanwhile is theirs.
Plan plan_release(const Node& node, const NodePlan& planned, Intent intent, Scheduler scheduler,
                  const Means& can, TimePoint now);
// All of its GPUs, whatever is on them.
Scope everything_on(const Node& node, const Means& can);

// The way back to what the plan found, from what stands now: through the same preview.
// `words` names the run that is undone.
Intent undo_intent(const Plan& plan, const NodePlan& node, std::string words);

}  // namespace tessera::plan
