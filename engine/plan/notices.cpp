#include "engine/plan/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/insight/available.hpp"
#include "engine/model/health_words.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/plan/effect/gpu_clients.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/fleet.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/rules.hpp"
#include "engine/sharing/work_rules.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::plan {
namespace {

constexpr std::string_view kPlacement = "placement";

class Notices {
 public:
  Notices(const NodeChange& change, const SiteRules& rules) : change_(change), rules_(rules) {}

  std::vector<Notice> run() {
    for (const BoardChange& board : change_.boards) about_board(board);
    about_dragged();
    about_units();
    about_cpus();
    about_what_stays();
    about_taints();
    about_patience();
    about_clients();
    about_reboot();
    return std::move(notices_);
  }

 private:
  void say(Severity severity, std::string rule, std::string text) {
    notices_.push_back({severity, std::move(rule), change_.node.name, std::move(text)});
  }

  void about_board(const BoardChange& board) {
    add_remarks(notices_, change_.node.name, board);
    if (!board.in_the_way.empty()) say(Severity::warning, "in-the-way", in_the_way(board));
    if (!board.product || !board.after.mig) return;
    mig::Layout layout;
    for (const InstanceAt& one : board.after.instances)
      if (auto profile = board.product->index_of(one.profile.text))
        layout.push_back({*profile, one.at.start});
    std::sort(layout.begin(), layout.end());
    if (std::string waste = waste_text(*board.product, layout); !waste.empty())
      say(Severity::info, "wasted-compute", fmt::format("GPU {} {}", board.gpu.value, waste));
  }

  // One notice for all of them: six that are the same would hide the others.
  void about_dragged() {
    std::vector<GpuIndex> gpus;
    for (const BoardChange& board : change_.boards)
      if (board.dragged) gpus.push_back(board.gpu);
    if (gpus.size() == 1)
      say(Severity::warning, "dragged",
          fmt::format("GPU {} is reset too: its instances are destroyed and created again",
                      gpus.front().value));
    if (gpus.size() > 1)
      say(Severity::warning, "dragged",
          fmt::format("GPU {} are reset too: their instances are destroyed and created again",
                      gpu_numbers(gpus)));
  }

  // "GPU 1: 1g.10gb@0+1g.10gb@1 held by 88120 (alice), 2g.20gb@2 held by 88121 (bob) are in the way; ..."
  std::string in_the_way(const BoardChange& board) const {
    std::string text;
    for (std::size_t i = 0; i < board.in_the_way.size(); ++i) {
      const InTheWay& way = board.in_the_way[i];
      const bool same_holder = i > 0 && board.in_the_way[i - 1].holders == way.holders;
      if (i > 0) text += same_holder ? "+" : ", ";
      text += to_text(way.instance);
      bool last = i + 1 == board.in_the_way.size();
      if (last || board.in_the_way[i + 1].holders != way.holders) text += " held by " + holder_text(way);
    }
    text = fmt::format("GPU {}: {} {} in the way", board.gpu.value, text,
                       board.in_the_way.size() == 1 ? "is" : "are");
    for (std::size_t i = 0; i < board.reachable.size(); ++i)
      text += (i > 0 ? " or " : "; without touching what is held, you can have ") + board.reachable[i];
    return text;
  }
  // The person matters more than the number: it is who will be asked.
  std::string holder_text(const InTheWay& way) const {
    if (way.holders.empty()) return "a client that the scheduler does not know";
    for (const Disturbed& one : change_.blast_radius)
      if (one.id == way.holders[0] && !one.user.empty()) return fmt::format("{} ({})", one.id.text, one.user);
    return way.holders[0].text;
  }

  void about_units() {
    const Scheduler scheduler = change_.scheduler;
    const Counts &before = change_.before.by(scheduler), &after = change_.after.by(scheduler);
    if (scheduler == Scheduler::slurm)
      return about_unit("gres/gpu", gpu_units(before, scheduler), gpu_units(after, scheduler),
                        "limits, QOS and billing in gres/gpu", "each slice as one, whatever its size");
    // A quota is on one name, and shares may have another than GPUs.
    std::set<std::string> names;
    for (const Counts* counts : {&before, &after})
      for (const auto& [name, count] : *counts)
        if (gpu_units({{name, 1}}, scheduler) > 0 && !sharing::by_claims(change_.node)) names.insert(name);
    const auto count_of = [](const Counts& counts, const std::string& name) {
      const auto found = counts.find(name);
      return found == counts.end() ? std::int64_t{0} : found->second;
    };
    for (const std::string& name : names)
      about_unit(name, count_of(before, name), count_of(after, name), "quotas on " + name,
                 "what remains under that name as one each, whatever its size");
  }
  void about_unit(const std::string& unit, std::int64_t before, std::int64_t after, const std::string& limits,
                  const char* what) {
    if (before == after) return;
    bool counts = !rules_.quotas.empty() || rules_.billed_by_gpu;
    std::string text = fmt::format("{} goes from {} to {}: {} count {}", unit, before, after, limits, what);
    for (const auto& [owner, limit] : rules_.quotas) text += fmt::format("; {} may hold {}", owner, limit);
    say(counts ? Severity::warning : Severity::info, "quota-units", std::move(text));
  }

  void about_cpus() {
    if (!rules_.default_cpus_per_gpu || !change_.node.cpus || change_.scheduler != Scheduler::slurm) return;
    std::int64_t units = gpu_units(change_.after.slurm, Scheduler::slurm);
    std::int64_t wanted = units * *rules_.default_cpus_per_gpu;
    if (wanted <= *change_.node.cpus) return;
    say(Severity::warning, "default-cpus",
        fmt::format(
            "DefCpuPerGPU {} × {} slices asks for {} cores and the node has {}: not all slices can be "
            "used at once",
            *rules_.default_cpus_per_gpu, units, wanted, *change_.node.cpus));
  }

  // That of its GPUs is usual, and tolerated by whoever asks for one.
  void about_taints() {
    std::string keeps;
    for (const std::string& taint : change_.node.taints)
      if (!taint.starts_with("nvidia.com/gpu") && !taint.ends_with(":PreferNoSchedule"))
        keeps += (keeps.empty() ? "" : ", ") + taint;
    if (!keeps.empty())
      say(Severity::info, "taints",
          fmt::format("{} is tainted {}: of the work that waits only what tolerates that can start there",
                      change_.node.name.text, keeps));
  }

  void about_what_stays() {
    for (const Disturbed& one : change_.blast_radius) {
      if (!one.stays) continue;
      if (one.unasked.empty())
        say(Severity::warning, "stays",
            fmt::format(
                "{} of {} holds a GPU and would be started there again at once: it is not evicted, the "
                "run waits until its controller keeps it off the node (a nodeSelector does that)",
                one.id.text, one.user));
      else
        say(Severity::warning, "stays",
            fmt::format("{} of {} reaches the GPUs without asking ({}) and would be started there again at "
                        "once: it is left alone. A GPU that it has open cannot be changed",
                        one.id.text, one.user, one.unasked));
    }
  }

  static std::string not_sent_away(const Disturbed& one) {
    if (one.kind == WorkloadKind::pod)
      return fmt::format("{} of {} would not start again: it is not evicted, the run waits for it",
                         one.id.text, one.user);
    return fmt::format("{} of {} would not start again: it is not requeued, the run waits for it",
                       one.id.text, one.user);
  }
  void about_patience() {
    if (change_.intent.options.way == Way::cancel) return;
    for (const Disturbed& one : change_.blast_radius) {
      if (one.stays) continue;
      if (one.hit == Hit::unknown)
        say(Severity::warning, "unknown-client",
            fmt::format("{} is used by a client that no scheduler knows: the run waits for it",
                        one.slices[0]));
      else if (change_.intent.options.way == Way::requeue && one.restartable == false)
        say(Severity::warning, "no-restart", not_sent_away(one));
    }
  }

  // Before the driver says it, in the middle of the run.
  void about_clients() {
    std::vector<GpuIndex> cut;
    for (const BoardChange& board : change_.boards)
      if (board.mode_changes || board.instances_change() || board.dragged) cut.push_back(board.gpu);
    add_clients(notices_, change_.node, cut, change_.can.slurm.get());
  }

  void about_reboot() {
    bool cut = std::any_of(change_.boards.begin(), change_.boards.end(),
                           [](const BoardChange& board) { return !board.created.empty(); });
    if (!cut || change_.can.survives_reboot) return;
    if (const slurmconf::SlurmSetup* site = change_.can.slurm.get(); site && !site->boot_file.empty())
      return;  // the plan writes it for the next boot
    say(Severity::info, "reboot",
        "GPU instances are gone after a reboot unless the site makes them again at boot (docs/apply.md)");
  }

  const NodeChange& change_;
  const SiteRules& rules_;
  std::vector<Notice> notices_;
};

std::string names(const mig::Product& product, std::vector<int> profiles) {
  std::sort(profiles.begin(), profiles.end(), [&](int a, int b) {
    return product.profiles[static_cast<std::size_t>(a)].compute_slices >
           product.profiles[static_cast<std::size_t>(b)].compute_slices;
  });
  std::string text;
  for (int one : profiles)
    text += (text.empty() ? "" : "+") + product.profiles[static_cast<std::size_t>(one)].name.text;
  return text;
}

}  // namespace

void add_clients(std::vector<Notice>& notices, const Node& node, const std::vector<GpuIndex>& gpus,
                 const slurmconf::SlurmSetup* site) {
  for (const GpuClient& one : gpu_clients(node, gpus, site)) {
    // A monitor is on nearly every node, and most changes go past it.
    const bool calm = one.bounce == Bounce::stopped || !one.computes;
    notices.push_back(
        {calm ? Severity::info : Severity::warning, "gpu-clients", node.name, to_text(one, site)});
  }
}

bool only_starts_differ(const Plan& plan) {
  return !plan.changes_anything() && std::any_of(plan.notices.begin(), plan.notices.end(),
                                                 [](const auto& one) { return one.rule == kPlacement; });
}

void add_remarks(std::vector<Notice>& notices, const NodeName& node, const BoardChange& board) {
  for (const std::string& remark : board.remarks)
    notices.push_back({Severity::warning, std::string(kPlacement), node,
                       fmt::format("GPU {}: {}", board.gpu.value, remark)});
}

std::vector<Notice> notices_for(const NodeChange& change, const SiteRules& rules) {
  return Notices(change, rules).run();
}

namespace {

constexpr std::string_view kClosed = "node-closed", kClosedByAnother = "closed-by-another",
                           kNotCurrent = "not-current";

std::string reason_of(const Node& node, TimePoint now) {
  std::string text = node.reason.empty() ? "no reason given" : node.reason;
  if (!node.reason_by.empty()) text += " [" + node.reason_by + "]";
  if (node.reason_at) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - *node.reason_at).count();
    text += ", " + query::duration_text(age) + " ago";
  }
  return text;
}

// Drained or cordoned, by a person or another run: the executor asks before it goes on, and does not open it.
// By the flags: a node that is down or registered as invalid may be drained, too, and one that is to be
// switched off is not.
bool is_closed_by_another(const Node& node) {
  const bool by_health = node.health == Health::drained || node.health == Health::draining;
  return node.state.empty() ? by_health : closed_by_flags(node);
}

// What is wrong, and what the run does about it.
std::string why_closed(const Node& node, Scheduler scheduler, TimePoint now) {
  const bool slurm = scheduler == Scheduler::slurm;
  const std::string_view closed = health_word(node.health, scheduler);
  const std::string reason = reason_of(node, now);
  switch (node.health) {
    case Health::drained:
    case Health::draining:
      if (const auto mark = parse_mark(node.reason))
        return fmt::format("{} by run {}: {}. This run asks before it goes on, and leaves the node closed",
                           closed, mark->run, reason);
      return fmt::format("{} by another: {}. The run asks before it goes on, and leaves the node closed",
                         closed, reason);
    case Health::down:
      return fmt::format("down: {}. The run waits at its first step until the node answers", reason);
    case Health::invalid: return fmt::format("invalid: {}", reason);
    case Health::unknown: return "of unknown state: its scheduler has not reported it";
    case Health::ok: break;
  }
  std::string why = node.reason.empty() ? insight::reserved_words(node) : reason;
  if (why.empty())
    why = slurm ? "its partitions or a maintenance keep jobs away" : "its state keeps pods away";
  return "closed to new workloads: " + why;
}

}  // namespace

std::vector<Notice> closed_notices(const Cluster& cluster, const Node& node, TimePoint now) {
  std::vector<Notice> notices;
  auto say = [&](std::string_view rule, std::string text) {
    notices.push_back({Severity::danger, std::string(rule), node.name, std::move(text)});
  };
  if (!insight::nodes_are_current(cluster))
    say(kNotCurrent, "the list of nodes is not current: this is the last that was reported");
  else if (insight::sight_of(cluster, node).access != insight::Access::open)
    say(is_closed_by_another(node) ? kClosedByAnother : kClosed, why_closed(node, cluster.scheduler, now));
  if (!insight::work_is_current(cluster))
    say(kNotCurrent, "the list of workloads is not current: more may run there than are named here");
  return notices;
}

bool is_about_age(const Notice& notice) { return notice.rule == kNotCurrent; }
bool is_about_closing(const Notice& notice) {
  return notice.rule == kClosed || notice.rule == kClosedByAnother || notice.rule == kAnothersClosing ||
         is_about_age(notice);
}
bool is_left_closed(const Notice& notice) {
  return notice.rule == kClosedByAnother || notice.rule == kStaysClosed;
}

namespace {

constexpr std::size_t kPodsNamed = 5;

// Pods of these nodes that break a rule only once the plan is applied: they are sent away or stay, and do not
// start again.
void tell_pods(const Cluster& cluster, Plan& plan, sharing::Platform platform, const Fleet& fleet) {
  std::size_t more = 0, named = 0;
  for (std::size_t i = 0; i < fleet.after.size(); ++i) {
    const bool planned = std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const NodePlan& one) {
      return one.node.text == fleet.after[i].name;
    });
    const Node* node = planned ? cluster.nodes.find(NodeName(fleet.after[i].name)) : nullptr;
    if (node == nullptr || fleet.before[i].sharing == fleet.after[i].sharing) continue;
    const auto before = sharing::check_pods(cluster, platform, *node, fleet.before[i]);
    for (const sharing::WorkFinding& one : sharing::check_pods(cluster, platform, *node, fleet.after[i])) {
      const bool already = std::any_of(before.begin(), before.end(), [&](const sharing::WorkFinding& was) {
        return was.workload == one.workload && was.rule == one.rule;
      });
      if (already) continue;
      if (named++ >= kPodsNamed) {
        ++more;
        continue;
      }
      plan.notices.push_back({Severity::warning, one.rule, node->name, one.text + ", once this is applied"});
    }
  }
  if (more > 0)
    plan.notices.push_back(
        {Severity::warning,
         "more-pods",
         {},
         fmt::format("{} more pods on these nodes ask for what the platform refuses then", more)});
}

// Versions below which a platform shares nothing; what is not reported breaks nothing.
void tell_versions(const Cluster& cluster, const Fleet& fleet, std::vector<Notice>& broken) {
  const bool shares = std::any_of(fleet.after.begin(), fleet.after.end(), [](const sharing::NodeShape& one) {
    return one.by_pool && one.sharing.method == Strategy::mps;
  });
  if (!shares) return;
  for (sharing::Violation& one : sharing::ack_rules({}, sharing::ack_facts(cluster)))
    broken.push_back({Severity::danger, std::move(one.rule), {}, std::move(one.message)});
}

}  // namespace

namespace {

std::vector<FleetChange> changes_in(const Cluster& cluster, const Plan& plan,
                                    const std::vector<std::vector<BoardChange>>& changes) {
  std::vector<FleetChange> all;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (const Node* node = cluster.nodes.find(plan.nodes[i].node))
      all.push_back({node, changes[i], plan.nodes[i].ordered_before, plan.nodes[i].ordered_after});
  return all;
}

// What a plan finds broken and does not mend: not its doing, and to be known.
std::string standing_text(const sharing::Violations& standing) {
  constexpr std::size_t kNamed = 3;
  std::string all;
  for (std::size_t i = 0; i < standing.size() && i < kNamed; ++i)
    all += (i > 0 ? "; " : "") + fmt::format("{}: {}", standing[i].rule, standing[i].message);
  if (standing.size() > kNamed) all += fmt::format("; and {} more", standing.size() - kNamed);
  return "broken already, and left so: " + all;
}

}  // namespace

std::vector<Notice> violations_of(const Cluster& cluster, const mig::Catalogue& catalogue, Plan& plan,
                                  const std::vector<std::vector<BoardChange>>& changes,
                                  const SiteRules& rules, sharing::Platform platform) {
  const Fleet fleet =
      fleet_of(cluster, catalogue, changes_in(cluster, plan, changes), plan.setup, rules, platform);
  sharing::Judged judged = sharing::broken_by_change(platform, fleet.before, fleet.after);
  std::vector<Notice> broken;
  for (sharing::Violation& one : judged.broken)
    broken.push_back({Severity::danger, std::move(one.rule), {}, std::move(one.message)});
  tell_versions(cluster, fleet, broken);
  tell_pods(cluster, plan, platform, fleet);
  if (!judged.standing.empty())
    plan.notices.push_back({Severity::info, "rules-broken-before", {}, standing_text(judged.standing)});
  const bool none = platform == sharing::Platform::fpt && plan.intent.words == "none";
  if (none && fleet.none_stays_with_operator)
    plan.notices.push_back({Severity::warning,
                            "none-with-operator",
                            {},
                            "Here an operator or a device plugin answers: after this plan the worker stands "
                            "as none with operator. "
                            "As none the platform offers 0 GPUs until the admin deploys one."});
  return broken;
}

std::string waste_text(const mig::Product& product, const mig::Layout& layout) {
  if (layout.empty() || !product.placements_known) return "";
  int stranded = mig::room(product, layout).stranded_compute_slices;
  if (stranded <= 0) return "";
  std::string text = fmt::format("strands {} compute slice{}", stranded, stranded == 1 ? "" : "s");
  std::vector<int> profiles;
  for (const mig::Placed& one : layout) profiles.push_back(one.profile);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    int width = product.profiles[static_cast<std::size_t>(profiles[i])].compute_slices;
    for (int wider : mig::base_profiles(product, false)) {
      if (product.profiles[static_cast<std::size_t>(wider)].compute_slices <= width) continue;
      std::vector<int> other = profiles;
      other[i] = wider;
      auto placed = mig::place(product, other);
      if (placed && mig::room(product, *placed).stranded_compute_slices == 0)
        return text + fmt::format("; {} strands none", names(product, other));
    }
  }
  return text;
}

namespace {

// What the change does to everyone who asks for one resource.
struct Supply {
  std::int64_t change = 0, all = 0;
};

Supply supply_for(const Plan& plan, const Outlook& outlook, const std::string& resource) {
  Supply supply;
  const Counts& after = plan.offered_after.by(plan.scheduler);
  for (const auto& [offered, count] : plan.offered_before.by(plan.scheduler)) {
    auto now = after.find(offered);
    const std::int64_t more = (now == after.end() ? 0 : now->second) - count;
    if (more != 0 && answers(resource, offered, plan.scheduler)) supply.change += more;
  }
  if (supply.change == 0) return supply;
  for (const auto& [offered, count] : outlook.offered)
    if (answers(resource, offered, plan.scheduler)) supply.all += count;
  return supply;
}

PendingEffect effect_on(const Workload& workload, const std::string& resource) {
  return {workload.id, workload.name, workload.user, resource, {}};
}

void never_again(Plan& plan, const Outlook& outlook) {
  std::map<std::string, Supply> known;  // thousands wait, but for few kinds of things
  for (const Workload* workload : outlook.pending) {
    for (const Request& request : workload->requests) {
      auto [it, fresh] = known.try_emplace(request.resource);
      if (fresh) it->second = supply_for(plan, outlook, request.resource);
      const Supply& supply = it->second;
      if (supply.all < request.count || supply.all + supply.change >= request.count) continue;
      if (++plan.never_again_count <= kPendingListed)
        plan.never_again.push_back(effect_on(*workload, request.resource));
      break;
    }
  }
}

// Work that holds something that goes. What only has to leave for a while is followed by its like.
int ended_on(const Node& node, const NodePlan& planned) {
  return static_cast<int>(
      std::count_if(node.workloads.begin(), node.workloads.end(), [&](const WorkloadId& id) {
        return std::any_of(planned.blast_radius.begin(), planned.blast_radius.end(),
                           [&](const Disturbed& one) { return one.hit == Hit::holds && one.id == id; });
      }));
}

void will_run(Plan& plan, const Cluster& cluster, const Queue& queue, const std::vector<Shares>& shares) {
  std::vector<Room> rooms;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodePlan& node = plan.nodes[i];
    const Node* now = cluster.nodes.find(node.node);
    if (now == nullptr) continue;
    rooms.push_back(gained(cluster, *now, node.offered_before.by(plan.scheduler),
                           node.offered_after.by(plan.scheduler), shares[i]));
    rooms.back().ended = ended_on(*now, node);
  }
  const std::vector<Start> all = starts(cluster, queue, std::move(rooms));
  plan.will_run_count = static_cast<int>(all.size());
  for (const Start& one : all) {
    if (plan.will_run.size() >= kPendingListed) break;
    plan.will_run.push_back(effect_on(*one.workload, one.workload->requests.front().resource));
    if (one.shares > 1)
      plan.will_run.back().remark =
          fmt::format("asks for {} {}, which are shares here: it gets no more than one share's worth",
                      one.shares, one.resource);
  }
}

// The scheduler would send them to the node, and its plugin would refuse them there.
void about_refused(Plan& plan, const Queue& queue, const std::vector<Shares>& shares) {
  constexpr std::size_t kToldOf = 5;
  std::size_t told = 0;
  std::set<WorkloadId> seen;
  for (const Shares& here : shares)
    for (const Start& one : refused(queue, here)) {
      if (!seen.insert(one.workload->id).second || ++told > kToldOf) continue;
      plan.notices.push_back(
          {Severity::warning,
           "several-shares",
           {},
           fmt::format("{} asks for {} {}, which are shares here: the device plugin refuses its pod "
                       "(failRequestsGreaterThanOne)",
                       one.workload->id.text, one.shares, one.resource)});
    }
}

}  // namespace

void pending_effects(Plan& plan, const Cluster& cluster, const Outlook& outlook,
                     const std::vector<Shares>& shares) {
  never_again(plan, outlook);
  will_run(plan, cluster, outlook.queue, shares);
  about_refused(plan, outlook.queue, shares);
}

}  // namespace tessera::plan
