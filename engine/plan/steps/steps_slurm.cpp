// Steps for a Slurm node: drained, emptied, cut on the node itself, written into Slurm's files, and made
// effective by a reconfigure or, before 23.11, by restarts that the site itself has named.
//
// Order after scontrol(1) and gres.conf(5) of 22.05 and 24.11, and what both do when it is broken: a
// reconfigure (since 23.11) or a restarted controller kills work on a node whose GRES then differs, so
// nothing but the target may differ; a node that registers with less than is configured becomes INVALID_REG.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/mig/product_of.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/slurm_builder.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/replaced.hpp"
#include "engine/slurmconf/generate.hpp"

namespace tessera::plan {
namespace {

const mig::Product* product_of(const NodeChange& change) {
  for (const BoardChange& board : change.boards)
    if (board.product) return board.product;
  for (const Gpu& gpu : change.node.gpus)
    if (change.catalogue)
      if (const mig::Product* product = mig::product_of(gpu, *change.catalogue)) return product;
  return nullptr;
}

// Slurm spreads a node's MPS shares and shards over its whole GPUs.
std::string why_unevenly_shared(const NodeChange& change) {
  Node after = slurm::node_after(change.node, change.boards);
  const Gpu* shared = nullptr;
  for (const Gpu& gpu : after.gpus)
    if (gpu.strategy == Strategy::mps || gpu.strategy == Strategy::shard) shared = &gpu;
  if (!shared) return "";
  for (const Gpu& gpu : after.gpus) {
    if (gpu.strategy == Strategy::mig) continue;
    bool same = gpu.strategy == shared->strategy &&
                (gpu.strategy == Strategy::mps || replicas_of(gpu) == replicas_of(*shared));
    if (!same)
      return fmt::format("all whole GPUs of a Slurm node are shared in one way: GPU {} is {}, GPU {} {}",
                         shared->index.value, word(shared->strategy), gpu.index.value, word(gpu.strategy));
  }
  return "";
}

// A node whose slurmd is down is changed like any other, if it is down for a reason that the change mends and
// commands reach it all the same.
std::string why_not_down(const NodeChange& change) {
  const std::string& node = change.node.name.text;
  const auto& flags = change.node.state;
  if (std::find(flags.begin(), flags.end(), "DOWN") == flags.end()) return "";
  if (!slurm::down_by_itself(change.node))
    return fmt::format(
        "{} is DOWN ({}): an admin or a health check has set that, for a reason that a layout does not fix. "
        "Once it is repaired: {}",
        node, change.node.reason.empty() ? "no reason given" : change.node.reason,
        opening_command(change.node.name, Scheduler::slurm));
  const slurmconf::Reach reach = change.can.slurm->reach;
  if (reach == slurmconf::Reach::ssh || reach == slurmconf::Reach::custom) return "";
  return fmt::format(
      "{} is DOWN ({}), and no command reaches it: srun needs its slurmd. --slurm-runner ssh or a command "
      "with {{node}} does not",
      node, change.node.reason);
}

}  // namespace

bool cuts(const BoardChange& board) { return board.mode_changes || board.instances_change(); }

std::string SlurmBuilder::joined(const std::vector<std::string>& words, const std::string& node) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + replaced(word, "{node}", node);
  return text;
}

SlurmBuilder::SlurmBuilder(const NodeChange& change, bool acts_there)
    : change_(change),
      site_(*change.can.slurm),
      node_(change.node.name.text),
      recut_(std::any_of(change.boards.begin(), change.boards.end(), cuts)),
      down_(change.node.health == Health::down),
      in_reservation_((recut_ || acts_there) && site_.reach == slurmconf::Reach::srun),
      after_(slurm::node_after(change.node, change.boards)),
      product_(product_of(change)),
      wanted_(slurm::gres_of_boards(after_, slurm::whole_type(site_, node_, product_), site_)) {}

std::vector<Step> SlurmBuilder::run() {
  preflight();
  if (in_reservation_) {
    mark();
  } else {
    close();
    mark();
  }
  evict();
  await_empty();
  if (recut_) recut();
  if (in_reservation_) {
    start_clients();  // a drained node takes no step, theirs included
    close();
  }
  const bool clients_wait = recut_ && !in_reservation_;
  if (site_.writer == slurmconf::Writer::site) {
    await_patch();
    if (clients_wait) start_clients();
  } else {
    await_forgotten();
    write_config();
    if (clients_wait) start_clients();
    make_effective();
  }
  registered();
  for (Step& step : release(proof())) steps_.push_back(std::move(step));
  name_steps(change_.node.name, Dialect::slurm, steps_, change_.blast_radius.size());
  return std::exchange(steps_, {});
}

std::vector<Step> SlurmBuilder::release_of(const NodeName& node, const Conditions& proof) {
  std::vector<Step> steps = release_steps(node, Dialect::slurm, Scheduler::slurm, proof);
  steps[0].undo = "drain the node";
  // A node that is resumed gets no work until it has answered slurmctld's ping, about a second later (22.05).
  steps[0].after.push_back(Answering{});
  return steps;
}

Step& SlurmBuilder::add(Action action, const mig::Product* product) {
  Step step;
  step.commands = commands_for(action, change_.node.name, Dialect::slurm, Scheduler::slurm, product);
  step.action = std::move(action);
  step.look_every = std::chrono::milliseconds(500);
  step.deadline = std::chrono::seconds(60);
  return steps_.emplace_back(std::move(step));
}

Step& SlurmBuilder::look(Conditions after, Duration patience) {
  Step& step = add(LookOnly{});
  step.after = std::move(after);
  step.deadline = patience;
  return step;
}

std::string SlurmBuilder::there(const std::string& command) const {
  switch (site_.reach) {
    case slurmconf::Reach::none: return command;
    case slurmconf::Reach::ssh: return fmt::format("ssh {} {}", node_, command);
    case slurmconf::Reach::srun:
      return fmt::format("srun --reservation=RESERVATION -w {} -N1 -n1 --mem=0 --overlap {}", node_, command);
    case slurmconf::Reach::custom: return joined(site_.runner, node_) + " " + command;
  }
  return command;
}

void SlurmBuilder::run_there(Step& step) const {
  for (std::string& command : step.commands) command = there(command);
}

Conditions SlurmBuilder::guarded() const {
  Conditions conditions{Answering{}, MarkIsOurs{}};
  if (closed_) conditions.push_back(NodeClosed{});
  return conditions;
}

Conditions SlurmBuilder::guarded_and_empty() const {
  Conditions conditions = guarded();
  if (change_.scope) conditions.push_back(ScopeEmpty{*change_.scope});
  return conditions;
}

void SlurmBuilder::preflight() {
  Conditions after{word_is(slurm::key::kController, ""), word_is(slurm::key::kAdmin, "")};
  if (site_.writer != slurmconf::Writer::site) after.push_back(word_is(slurm::key::kWritable, ""));
  if (recut_) after.push_back(word_is(slurm::key::kReachable, ""));
  if (recut_ && !site_.boot_unit.empty()) after.push_back(word_is(slurm::key::kBootUnitUsable, ""));
  if (in_reservation_) after.push_back(word_is(slurm::key::kOpen, ""));
  Step& ready = look(std::move(after), std::chrono::seconds(1));
  ready.before = {Answering{}};
  if (!change_.intent.options.break_lock) ready.before.push_back(NoForeignMark{});
  elsewhere(std::chrono::seconds(1));
}

void SlurmBuilder::elsewhere(Duration patience) { look({word_is(slurm::key::kElsewhere, "")}, patience); }

void SlurmBuilder::close() {
  const std::string& words = change_.intent.words;
  Step& step = add(CloseNode{words.empty() ? "GPU layout change" : words});
  step.before = {Answering{}};
  if (in_reservation_)
    step.before.push_back(MarkIsOurs{});
  else if (!change_.intent.options.break_lock)
    step.before.push_back(NoForeignMark{});
  step.after = {NodeClosed{}};
  step.deadline = std::chrono::seconds(30);
  step.retry = kFewRetry;
  step.undo = "open the node, if the drain is still ours";
  closed_ = true;
}

void SlurmBuilder::mark() {
  Step& step = add(SetMark{change_.intent.options.break_lock});
  if (in_reservation_)
    step.commands = {
        fmt::format("scontrol create reservation ReservationName=RESERVATION Nodes={} StartTime=now "
                    "Duration=UNLIMITED Flags=MAINT,IGNORE_JOBS Users=root",
                    node_)};
  step.before = {Answering{}};
  if (!change_.intent.options.break_lock) step.before.push_back(NoForeignMark{});
  step.after = {MarkIsOurs{}};
  step.deadline = std::chrono::seconds(30);
  step.retry = kFewRetry;
  step.undo = "remove tessera's mark";
}

void SlurmBuilder::evict() {
  Way way = change_.intent.options.way;
  for (const Disturbed* away : sent_away(change_)) {
    const Disturbed& one = *away;
    Step& step = add(Evict{one.id, way});
    step.before = guarded();
    step.after = {WorkloadAway{one.id}};
    step.deadline = std::chrono::minutes(5);
    step.retry = kFewRetry;
    step.disturbs = true;
    if (way == Way::requeue) step.undo = "it restarts by itself when there is room";
  }
}

void SlurmBuilder::await_empty() {
  std::size_t known = change_.blast_radius.size();
  Step& step = add(LookOnly{});
  step.before = guarded();
  if (change_.scope) step.after = {ScopeEmpty{*change_.scope}};
  step.deadline = change_.intent.options.wait.value_or(Duration{0});
  step.look_every = known != 0 ? std::chrono::seconds(5) : std::chrono::milliseconds(500);
  step.not_before = change_.intent.options.at;
}

std::vector<Step> SlurmBuilder::release(const Conditions& proof) const {
  return release_of(change_.node.name, proof);
}

namespace {

// What of it is no matter of the files; empty: nothing.
std::string what_is_missing(const NodeChange& change, const slurmconf::SlurmSetup& site) {
  const std::string& node = change.node.name.text;
  const bool reaches_hosts = site.reach == slurmconf::Reach::ssh || site.reach == slurmconf::Reach::custom;
  if (site.writer == slurmconf::Writer::host && !reaches_hosts)
    return fmt::format(
        "Slurm's files are on {}, and no way there is set: --slurm-runner ssh or a command with {{node}} "
        "(srun reaches compute nodes only), or run tessera there",
        site.config_host);
  const bool recut = std::any_of(change.boards.begin(), change.boards.end(), cuts);
  if (std::string down = why_not_down(change); !down.empty()) return down;
  if (recut && slurmconf::loses_cores(node, site.files, site))
    return fmt::format(
        "gres.conf gives the GPUs of {} different Cores=, and slurm-devices does not say on which GPU an "
        "instance "
        "lies, so they would be lost: use {{gpu}} and {{gi}} in it instead of {{index}}",
        node);
  if (recut && site.reach == slurmconf::Reach::none)
    return fmt::format(
        "GPUs are cut by {} on {}, and no way there is set: --slurm-runner ssh, srun, or a command with "
        "{{node}}",
        site.mig_tool == slurmconf::MigTool::mig_parted ? "nvidia-mig-parted" : "nvidia-smi", node);
  return why_unevenly_shared(change);
}

// site: null: not read. untold: what Slurm has still to be told, where no GPU changes.
std::vector<Notice> notices_of(const NodeChange& change, const slurmconf::SlurmSetup* site,
                               const std::string& untold) {
  std::vector<Notice> notices;
  const NodeName& node = change.node.name;
  const auto say = [&](Severity severity, const char* rule, std::string text) {
    notices.push_back({severity, rule, node, std::move(text)});
  };
  const auto is_among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), node.text) != names.end();
  };
  if (slurm::down_by_itself(change.node))
    say(Severity::info, "down",
        fmt::format("it is DOWN ({}): no work is running there. The run drains it, starts its slurmd and "
                    "gives it back, so that it takes work again",
                    change.node.reason));
  const bool mps = std::any_of(change.boards.begin(), change.boards.end(), [](const BoardChange& board) {
    return board.after.strategy == Strategy::mps && board.before.strategy != Strategy::mps;
  });
  if (mps)
    say(Severity::info, "mps-daemon",
        "Slurm hands out shares and starts no MPS daemon: tessera config mps-prolog prints what a "
        "site's Prolog needs, mps-task-prolog and mps-epilog the rest");
  if (site && !site->boot_unit.empty() && std::any_of(change.boards.begin(), change.boards.end(), cuts) &&
      is_among(site->without_systemd))
    say(Severity::warning, "boot-unit",
        fmt::format("there is no systemctl, so {} cannot be enabled: see to it in the node's "
                    "own way that its next boot applies {} before slurmd",
                    site->boot_unit, site->boot_file));
  if (site && is_among(site->in_pods))
    say(Severity::warning, "nvsentinel",
        "its slurmd runs in a pod (Slinky). Where NVSentinel watches this cluster, its slurm-drain-monitor "
        "takes "
        "the drain for a failure, evicts and may reboot the node in the middle of the run: label the "
        "Kubernetes "
        "node first, nvsentinel.dgxc.nvidia.com/managed=false, and remove the label afterwards");
  if (!untold.empty())
    say(Severity::info, "untold",
        fmt::format("its GPUs have the requested layout already, and {}: no GPU is touched. Slurm ends jobs "
                    "whose node's GRES changes under them, so the node is emptied all the same",
                    untold));
  return notices;
}

}  // namespace

Result<Work> SlurmSteps::work(const NodeChange& change) const {
  Work work;
  const slurmconf::SlurmSetup* site = change.can.slurm.get();
  if (change.node.host_pod) {
    if (change.boards.empty()) return work;
    work.missing = planned_on_its_machine(*change.node.host_pod);
    return work;
  }
  if (!site) {
    if (change.boards.empty()) return work;
    work.missing =
        "Slurm's configuration files have not been read: run tessera where slurm.conf lies, or name it "
        "with --slurm-conf";
    work.notices = notices_of(change, site, "");
    return work;
  }
  SlurmBuilder builder(change);
  const std::string untold = change.boards.empty() ? builder.untold() : "";
  if (change.boards.empty() && untold.empty()) return work;
  work.notices = notices_of(change, site, untold);
  work.missing = what_is_missing(change, *site);
  if (work.missing.empty()) work.missing = builder.why_not_written();
  if (!work.missing.empty()) return work;
  work.steps = builder.run();
  if (change.intent.orders.contains(std::string(slurm::kBootUnitOrder)))
    builder.take_back_boot_unit(work.steps);
  return work;
}

Status SlurmSteps::tidy_up(std::vector<Step>& steps, const NodeChange& change, const Unfinished& left) const {
  if (!change.can.slurm) return Done{};
  SlurmBuilder builder(change);
  const bool only_released = std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<OpenNode>(step.action) || std::holds_alternative<ClearMark>(step.action);
  });
  if (only_released && !builder.settled(left)) steps = builder.run();
  builder.tidy_node(steps, left);
  return Done{};
}

Orders SlurmSteps::orders_back(const std::set<std::string>& begun) const {
  if (!begun.contains(std::string(slurm::verb::kBootUnit))) return {};
  return {{std::string(slurm::kBootUnitOrder), "disabled"}};
}

std::vector<std::string> SlurmSteps::to_do(const Step& step, const NodeName& node, const Means& can) const {
  if (!can.slurm) return {};
  return SlurmBuilder::restarts_for(step, node.text, *can.slurm);
}

std::vector<Step> SlurmSteps::release(const NodeName& node, Scheduler /*scheduler*/) const {
  return SlurmBuilder::release_of(node, {});
}

}  // namespace tessera::plan
