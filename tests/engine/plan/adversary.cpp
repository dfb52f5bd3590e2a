#include "tests/engine/plan/adversary.hpp"

#include <algorithm>
#include <array>

#include "engine/model/reduce.hpp"
#include "engine/plan/effect/creation.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"

namespace tessera::test {

using plan::InstanceAt;
using plan::RunMark;

std::string_view word(Fault fault) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(Fault::count)> kWords = {
      "none",
      "create stops half way",
      "create always stops",
      "in use by another client",
      "mode change pends",
      "node vanishes",
      "node blinks",
      "success without device",
      "never a device",
      "job lands",
      "clock goes back",
      "clock leaps",
      "drained by other",
      "opened by other",
      "reboot",
      "connection drops",
      "cluster unreadable",
      "mark taken"};
  return kWords[static_cast<std::size_t>(fault)];
}

Adversary::Adversary(const mig::Catalogue& catalogue, Node start, std::vector<Workload> work)
    : node(std::move(start)), workloads(std::move(work)), catalogue_(catalogue) {
  link();
}

Gpu* Adversary::board(GpuIndex index) {
  for (Gpu& gpu : node.gpus)
    if (gpu.index == index) return &gpu;
  return nullptr;
}

void Adversary::link() {
  Workloads all;
  node.workloads.clear();
  for (const Workload& one : workloads) {
    all.upsert(one);
    node.workloads.push_back(one.id);
  }
  link_holders(node, all);
}

Cluster Adversary::cluster() const {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  cluster.scheduler = scheduler;
  Node told = node;
  told.health = closed_ ? Health::drained : Health::ok;
  if (closed_) told.state = {"IDLE", "DRAIN"};
  told.reason = closed_ ? closed_reason_ : "";
  if (!noted_reboot_.empty()) told.state.push_back(noted_reboot_);
  cluster.nodes.upsert(told);
  for (const Workload& one : workloads) cluster.workloads.upsert(one);
  return cluster;
}

void Adversary::let_all_work_end() {
  workloads.clear();
  for (Gpu& gpu : node.gpus)
    for (Slice& slice : gpu.slices) slice.told_held.reset();
  link();
}

void Adversary::mend() {
  mended_ = true;
  away_ = 0;
  if (mark_ && mark_->run == "other") mark_.reset();
}

void Adversary::reboot() {
  workloads.clear();
  for (Gpu& gpu : node.gpus) {
    if (gpu.strategy != Strategy::mig) continue;
    gpu.slices.clear();
    gpu.mig_mode = MigMode::disabled;  // later than Ampere: the mode does not survive
    gpu.strategy = Strategy::whole;
    gpu.slices = {whole(next_device_++)};
  }
  node.booted = now;
  away_ = 3;
  link();
}

// Once no job is there; the node comes back some looks later.
void Adversary::reboot_by_slurm() {
  if (noted_reboot_ == "REBOOT_ISSUED" && away_ <= 0) {
    noted_reboot_.clear();
    node.booted = now;
    if (reopens_) closed_ = false;
  }
  if (noted_reboot_ != "REBOOT_REQUESTED" || !workloads.empty()) return;
  noted_reboot_ = "REBOOT_ISSUED";
  ++ordered_reboots;
  closed_reason_ += " : reboot issued";
  reboot();
}

bool Adversary::held(const Slice& slice, const std::string& deed) {
  if (!plan::in_use(slice)) return false;
  if (slice.device && seen_held_.count(*slice.device) != 0) harm.push_back(deed);
  return true;
}

void Adversary::strike() {
  if (struck || moment_ < 0) return;
  struck = true;
  switch (fault_) {
    case Fault::in_use_by_another:
      for (Gpu& gpu : node.gpus)
        for (Slice& slice : gpu.slices)
          if (slice.holding == Holding::free && !slice.told_held) {
            slice.told_held = true;
            link();
            return;
          }
      return;
    case Fault::node_blinks: away_ = 4; return;
    case Fault::job_lands: {
      for (const Gpu& gpu : node.gpus)
        for (const Slice& slice : gpu.slices)
          if (slice.holding == Holding::free && slice.device) {
            workloads.push_back(running("landed", "mallory", {holds(node.name.text, {{*slice.device, 1}})}));
            link();
            return;
          }
      return;
    }
    case Fault::clock_goes_back: now -= std::chrono::hours(5); return;
    case Fault::clock_leaps: now += std::chrono::hours(50); return;
    case Fault::drained_by_other:
      closed_ = true, closed_reason_ = "fan failure", closed_by_ = "ops";
      was_drained_by_other = true;
      return;
    case Fault::opened_by_other: closed_ = false; return;
    case Fault::reboot: reboot(); return;
    case Fault::mark_taken: mark_ = RunMark{"other", "eve", "login2", now}; return;
    default: return;
  }
}

Result<plan::NodeFacts> Adversary::observe(const std::string& run) {
  if (looks++ == moment_ && fault_ == Fault::cluster_unreadable) {
    struck = true;
    away_ = 5;
  }
  if (failing(Fault::cluster_unreadable) && away_ > 0) {
    --away_;
    return Error{"cannot read the cluster", "connection refused", ""};
  }
  link();
  reboot_by_slurm();
  seen_held_.clear();
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (plan::in_use(slice) && slice.device) seen_held_.insert(*slice.device);
  plan::NodeFacts facts = facts_now();
  if (away_ > 0) --away_;
  seen_closed_by_other_ = closed_ && !(facts.closed_as && facts.closed_as->run == run);
  return facts;
}

plan::NodeFacts Adversary::facts_now() const {
  plan::NodeFacts facts;
  facts.at = now;
  facts.node = node;
  if (!noted_reboot_.empty()) facts.node.state = {"IDLE", "DRAIN", noted_reboot_};
  facts.workloads = workloads;
  facts.known = !failing(Fault::node_vanishes);
  facts.answering = facts.known && away_ <= 0;
  facts.closed = closed_;
  facts.closed_reason = closed_reason_;
  facts.closed_by = closed_by_;
  if (closed_) facts.closed_as = plan::parse_mark(closed_reason_);
  plan::tell_closed(facts);
  facts.mark = mark_;
  facts.advertised = plan::offered(node, catalogue_, {}, nullptr).by(scheduler);
  if (mark_ && reset_.starts_with(mark_->run + " "))
    facts.words[std::string(plan::resets::kDone)] = reset_.substr(mark_->run.size() + 1);
  if (mark_ && sound_.starts_with(mark_->run + " "))
    facts.words[std::string(plan::resets::kSound)] = sound_.substr(mark_->run.size() + 1);
  const bool again = mark_ && mark_->run == plugin_by_;
  facts.words[std::string(plan::restarts::kPluginAgain)] = again ? "" : "the pod is the one from before";
  facts.words[std::string(plan::restarts::kPluginOffers)] = plan::offers_by_plugin(facts);
  return facts;
}

// One action, done for real.
struct Adversary::Hand {
  Adversary& world;
  const RunMark& mark;

  Status operator()(const plan::SetMark& act) const {
    if (world.mark_ && world.mark_->run != mark.run && !act.break_lock)
      return Error{"cannot mark", "marked by " + world.mark_->run, ""};
    world.mark_ = mark;
    return Done{};
  }
  Status operator()(const plan::ClearMark&) const {
    if (world.mark_ && world.mark_->run == mark.run) world.mark_.reset();
    return Done{};
  }
  Status operator()(const plan::CloseNode& act) const {
    if (world.closed_) return Done{};
    world.closed_ = true;
    world.closed_by_ = mark.who;
    world.closed_reason_ = plan::to_text(mark) + ": " + act.words;
    return Done{};
  }
  Status operator()(const plan::OpenNode&) const {
    auto as = plan::parse_mark(world.closed_reason_);
    if (world.closed_ && !(as && as->run == mark.run)) {
      if (world.seen_closed_by_other_) world.harm.push_back("opens what someone else closed");
      return Done{};  // the port's promise: the mark is checked again by whoever opens
    }
    world.closed_ = false;
    return Done{};
  }
  Status operator()(const plan::Evict& act) const {
    world.evicted.push_back(act.workload);
    std::erase_if(world.workloads, [&](const Workload& one) { return one.id == act.workload; });
    world.link();
    return Done{};
  }
  Status operator()(const plan::DestroyInstances& act) const {
    Gpu* gpu = world.board(act.gpu);
    for (const InstanceAt& one : act.instances) {
      auto it = std::find_if(gpu->slices.begin(), gpu->slices.end(), [&](const Slice& slice) {
        return slice.profile == one.profile && slice.placement == one.at;
      });
      if (it == gpu->slices.end()) return Error{"cannot destroy", "No GPU instances found.", ""};
      if (world.held(*it, "destroys held " + plan::slice_text(act.gpu, *it)))
        return Error{"cannot destroy", "In use by another client", ""};
      gpu->slices.erase(it);
    }
    return Done{};
  }
  Status operator()(const plan::CreateInstances& act) const {
    Gpu* gpu = world.board(act.gpu);
    const mig::Product* product = world.catalogue_.by_key(gpu->product->text);
    if (gpu->mig_mode != MigMode::enabled) return Error{"cannot create", "No MIG-enabled devices found.", ""};
    bool half = (world.failing(Fault::create_stops_half_way) && !std::exchange(world.once_, true)) ||
                world.failing(Fault::create_always_stops);
    std::size_t limit = half ? act.instances.size() / 2 : act.instances.size();
    for (std::size_t i = 0; i < act.instances.size(); ++i) {
      int profile = *product->index_of(act.instances[i].profile.text);
      auto layout = mig::observed_layout(*product, *gpu);
      std::optional<int> start = act.instances[i].at.start;
      if (!act.chosen) start = plan::driver_start(*product, *layout, profile);
      if (i >= limit || !start || !mig::fits(*product, *layout, {profile, *start}))
        return Error{"cannot create", "Insufficient Resources", ""};
      int size = product->profiles[static_cast<std::size_t>(profile)].memory_slices;
      Slice made = instance(act.instances[i].profile.text, *start, size, world.next_device_++);
      gpu->slices.push_back(made);
      std::sort(gpu->slices.begin(), gpu->slices.end(),
                [](const Slice& a, const Slice& b) { return a.placement < b.placement; });
    }
    return Done{};
  }
  Status operator()(const plan::SetMode& act) const {
    for (GpuIndex index : act.gpus) {
      Gpu* gpu = world.board(index);
      for (const Slice& slice : gpu->slices)
        if (world.held(slice, "switches MIG on a held board"))
          return Error{"cannot switch MIG", "In use by another client", ""};
      if (world.failing(Fault::mode_change_pends)) {
        gpu->mig_mode = act.mig ? MigMode::enable_pending : MigMode::disable_pending;
        continue;
      }
      gpu->mig_mode = act.mig ? MigMode::enabled : MigMode::disabled;
      gpu->strategy = act.mig ? Strategy::mig : Strategy::whole;
      gpu->replicas = 1;
      gpu->slices.clear();
      if (!act.mig) gpu->slices = {whole(world.next_device_++)};
    }
    return Done{};
  }
  Status operator()(const plan::ResetGpus& act) const {
    for (GpuIndex index : act.gpus) {
      Gpu* gpu = world.board(index);
      for (const Slice& slice : gpu->slices)
        if (world.held(slice, "resets a held board"))
          return Error{"cannot reset", "In use by another client", ""};
      if (gpu->strategy == Strategy::mig) gpu->slices.clear();
    }
    ++world.resets;
    world.unsound_ = world.resets_in_vain > 0 && world.resets_in_vain-- > 0;
    world.reset_ = mark.run + " " + plan::gpu_numbers(act.gpus), world.sound_.clear();
    return Done{};
  }
  Status operator()(const plan::Configure& act) const {
    for (GpuIndex index : act.gpus) {
      Gpu* gpu = world.board(index);
      for (const Slice& slice : gpu->slices)
        if (world.held(slice, "shares a held board anew")) return Error{"cannot share", "In use", ""};
      gpu->strategy = act.strategy;
      gpu->replicas = act.replicas;
      if (act.strategy == Strategy::mig) continue;
      SliceKind kind = act.strategy == Strategy::mps            ? SliceKind::mps
                       : act.strategy == Strategy::time_slicing ? SliceKind::time_slice
                       : act.strategy == Strategy::shard        ? SliceKind::shard
                                                                : SliceKind::whole_gpu;
      gpu->slices = {shared(kind, act.strategy == Strategy::whole ? 1 : act.replicas, world.next_device_++)};
    }
    return Done{};
  }
  Status reboot_or_not(const plan::Special& act) const {
    const auto done = plan::is_done(act, world.facts_now(), mark.run);
    if (!done) return done.error();
    if (*done) return Done{};
    if (act.verb == plan::reboots::kCancel) {
      const auto kept = plan::parse_closing(world.closed_reason_);
      if (!kept || kept->by.run != mark.run) world.harm.push_back("opens what someone else closed");
      world.noted_reboot_.clear();
      world.closed_ = false;
      return Done{};
    }
    if (world.closed_ && !world.workloads.empty())
      world.harm.push_back("has Slurm open what someone else closed");
    world.noted_reboot_ = "REBOOT_REQUESTED";
    world.reopens_ = !world.closed_;
    if (world.closed_) return Done{};
    world.closed_ = true;
    world.closed_reason_ = plan::to_text(plan::Closing{plan::argument_of(act, "words"), mark});
    world.closed_by_ = mark.who;
    return Done{};
  }
  Status reset_look(const std::string& gpus) const {
    if (world.reset_ != mark.run + " " + gpus) return Error{"cannot give back", "not reset", ""};
    if (world.unsound_) {
      world.reset_.clear();
      return Error{"cannot give back", plan::why_unsound(GpuIndex{0}, {.remap_pending = true}), ""};
    }
    world.sound_ = world.reset_;
    return Done{};
  }
  Status operator()(const plan::LookOnly&) const { return Done{}; }
  Status operator()(const plan::Special& act) const {
    if (plan::is_restart(act)) {
      if (!world.mark_ || world.mark_->run != mark.run)
        return Error{"cannot restart", "the mark is gone", ""};
      ++world.plugin_restarts;
      world.plugin_by_ = mark.run;
      return Done{};
    }
    if (plan::is_reboot(act)) return reboot_or_not(act);
    if (plan::is_reset_look(act)) return reset_look(plan::argument_of(act, "gpus"));
    if (!plan::is_node_act(act)) return Error{"cannot do that", "not known here", ""};
    const auto left = plan::reason_after(act, world.node.name, mark, world.closed_reason());
    if (!left) return left.error();
    if (!*left) return Done{};
    world.closed_ = !(*left)->empty();
    world.closed_reason_ = **left, world.closed_by_ = mark.who;
    return Done{};
  }
};

Status Adversary::perform(const plan::Action& action, const RunMark& mark) {
  if (performs++ == moment_) strike();
  link();
  if (failing(Fault::node_vanishes) || away_ > 0) return Error{"cannot act", "no route to host", ""};
  if (failing(Fault::never_a_device)) return Done{};
  if (failing(Fault::success_without_device) && !std::exchange(once_, true)) return Done{};
  changed_by_run = changed_by_run || std::holds_alternative<plan::DestroyInstances>(action) ||
                   std::holds_alternative<plan::CreateInstances>(action) ||
                   std::holds_alternative<plan::SetMode>(action) ||
                   std::holds_alternative<plan::ResetGpus>(action) ||
                   std::holds_alternative<plan::Configure>(action);
  Status done = std::visit(Hand{*this, mark}, action);
  link();
  if (failing(Fault::connection_drops) && !std::exchange(once_, true))
    return Error{"cannot act", "connection lost", ""};
  return done;
}

}  // namespace tessera::test
