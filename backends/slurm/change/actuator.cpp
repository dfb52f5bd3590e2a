#include "backends/slurm/change/actuator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>

#include "backends/owed.hpp"
#include "backends/slurm/change/boards.hpp"
#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/look.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/change/shared_value.hpp"
#include "backends/slurm/change/start_action.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/slurmconf/check.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::slurm {
namespace {

constexpr int kLooksAtOnce = 8;
constexpr auto kCensusFor = std::chrono::minutes(1);  // while drivers are asked for their GPUs
constexpr auto kAskAgain = std::chrono::minutes(5);   // a node whose driver could not be asked
constexpr auto kCloseAll = std::chrono::seconds(3);   // what does not end then ends by itself
constexpr const char* kWhom = "Slurm";

RunnerOptions runner_options(const SlurmOptions& options, const SlurmClient& site) {
  RunnerOptions wanted;
  wanted.reach = options.said.reach;
  wanted.custom = options.said.runner;
  wanted.slurm_conf = site.conf;
  wanted.slurm_bin = site.bin;
  return wanted;
}

NodeName config_host(const SlurmOptions& options) {
  return NodeName(options.said.writer == slurmconf::Writer::host ? options.said.config_host : "");
}

bool boards_are_told(const Node& node) {
  return node.pool.empty() && std::all_of(node.gpus.begin(), node.gpus.end(),
                                          [](const Gpu& gpu) { return gpu.product.has_value(); });
}

// Each caller that asks once would ask the same ones.
void take_turn(std::vector<const Node*>& nodes, std::size_t most, TimePoint now) {
  if (nodes.size() <= most) return;
  const auto calls = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count() / 5;
  const std::size_t first = static_cast<std::size_t>(calls) % nodes.size() * most % nodes.size();
  std::rotate(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(first), nodes.end());
  nodes.resize(most);
}

// What Slurm and the driver can both tell of a node.
struct Boards {
  std::size_t whole = 0;
  std::map<ProfileName, int> instances;
  friend bool operator==(const Boards&, const Boards&) = default;
};

Boards boards_of(const Node& listed) {
  Boards all{listed.gpus.size(), {}};
  for (const Slice& slice : listed.pool) ++all.instances[slice.profile];
  return all;
}

Boards boards_of(const std::vector<Gpu>& told) {
  Boards all;
  for (const Gpu& gpu : told) {
    all.whole += gpu.strategy != Strategy::mig;
    if (gpu.strategy == Strategy::mig)
      for (const Slice& slice : gpu.slices) ++all.instances[slice.profile];
  }
  return all;
}

std::string to_text(const Boards& boards) {
  std::string text;
  if (boards.whole > 0 || boards.instances.empty())
    text = boards.whole == 1 ? "1 whole GPU" : fmt::format("{} whole GPUs", boards.whole);
  for (const auto& [profile, count] : boards.instances)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", count, profile.text);
  return text;
}

// Its driver may well answer: slurmd gives up when devices are missing after a reboot. srun never gets there.
bool may_be_asked(const Node& node, slurmconf::Reach reach) {
  if (node.health != Health::down) return true;
  return reach != slurmconf::Reach::srun && has_flag(node, {"DOWN", "NOT_RESPONDING"}) &&
         !has_flag(node, {"POWERED_DOWN", "POWERING_DOWN", "POWER_DOWN", "FUTURE"});
}

bool still_fits(const Node& node, const std::vector<Gpu>& boards) {
  return boards_of(node) == boards_of(boards);
}

// A reboot takes instances away, and a user may have cut by hand: either side may be the one that is right.
std::string ways_out(const NodeName& node, const std::vector<Gpu>& told) {
  std::string keep = fmt::format("tessera plan -n {} --layout none", node.text);
  for (const Gpu& gpu : told) {
    if (gpu.strategy != Strategy::mig) continue;
    std::map<ProfileName, int> counts;
    for (const Slice& slice : gpu.slices) ++counts[slice.profile];
    std::string layout;
    for (const auto& [profile, count] : counts)
      layout += fmt::format("{}{}x{}", layout.empty() ? "" : ",", count, profile.text);
    if (layout.empty()) continue;
    keep = fmt::format("tessera plan -n {} --gpu {} --layout {}", node.text, gpu.index.value, layout);
    break;
  }
  return fmt::format(
      "once it is empty, tessera plan cuts its GPUs as Slurm offers them; or has Slurm offer what stands, no "
      "GPU touched: {}",
      keep);
}

// Where Slurm offers instances and the driver has none, none was made since the last boot, which destroyed
// all.
std::string unlike_text(const Node& node, const std::vector<Gpu>& told) {
  const Boards offered = boards_of(node), there = boards_of(told);
  if (!node.booted || offered.instances.empty() || !there.instances.empty())
    return fmt::format("its driver has {}, and Slurm offers {}", to_text(there), to_text(offered));
  return fmt::format(
      "its driver has {}, and Slurm offers {}: a boot destroys all instances, and the last one was at {}",
      to_text(there), to_text(offered), utc_text(*node.booted));
}

struct BoardsAsked {
  std::chrono::steady_clock::time_point at;
  Boards offered;  // by Slurm, then
};

struct Learning {
  std::vector<NodeName> left;
  int under_way = 0;
  std::shared_ptr<const Census> census;  // of these nodes; a minute old at most
  std::chrono::steady_clock::time_point census_at{};
  bool any = false;
  std::function<void(bool any)> then;
};

}  // namespace

struct SlurmActuator::State {
  State(Worker& its_worker, Processes& processes, Calls& its_calls, const SlurmOptions& options,
        const SlurmClient& its_commands, CensusTaker::Taken taken)
      : worker(its_worker),
        calls(its_calls),
        commands(its_commands),
        connections(processes, options.folders, ""),
        looks(config_host(options), options.clock),
        runner(processes, runner_options(options, commands), &connections, looks.counts()),
        census(worker, calls, commands, options.catalogue, options.clock, options.interval, std::move(taken)),
        eyes{runner, census, options.catalogue, options.clock, nullptr, "", options.said, {}, {}, {}, {},
             {},     {}},
        hands{processes, calls, runner, commands, eyes, its_worker, {}, {}, {}},
        node_processes(worker, eyes) {
    eyes.calls = &calls;
    eyes.commands = &commands;
    eyes.user = options.user;
    if (options.said.writer != slurmconf::Writer::host) return;
    host_files.emplace(runner, NodeName(options.said.config_host));
    eyes.host_files = &*host_files;
  }

  Worker& worker;
  Calls& calls;
  const SlurmClient& commands;
  SshConnections connections;
  LooksCounted looks;
  NodeRunner runner;
  CensusTaker census;
  Eyes eyes;
  Hands hands;
  NodeProcesses node_processes;
  std::optional<HostFiles> host_files;
  std::function<void()> look_again;
  SharedValue<slurmconf::SlurmSetup> site;
  SharedValue<std::string> cluster_id;
  std::shared_ptr<Learning> learning;     // null: none is under way
  std::map<NodeName, BoardsAsked> asked;  // last

  bool boards_wanted(const Node& node) const;
  bool worth_a_look(const Node& node) const;
  bool tool_unknown(const Node& node) const;
  bool unit_unsettled(const Node& node) const;
  void learn_more();
  std::vector<std::string> without_systemd() const;
  void take_site(const std::string& version, std::vector<slurmconf::File> files, std::string cannot_write) {
    slurmconf::SlurmSetup fresh = with_version(eyes.said, version);
    fresh.files = std::move(files);
    fresh.cannot_write = std::move(cannot_write);
    fresh.without_systemd = without_systemd();
    if (auto known = site.load())  // until they are held against it
      fresh.unapplied = known->unapplied, fresh.in_pods = known->in_pods,
      fresh.reboot_program = known->reboot_program;
    site.store(std::make_shared<const slurmconf::SlurmSetup>(std::move(fresh)));
  }
};

SlurmActuator::SlurmActuator(Worker& worker, Processes& processes, Calls& calls, const SlurmOptions& options,
                             const SlurmClient& site, std::function<void()> look_again,
                             CensusTaker::Taken taken)
    : state_(std::make_unique<State>(worker, processes, calls, options, site, std::move(taken))) {
  state_->look_again = std::move(look_again);
}

SlurmActuator::~SlurmActuator() = default;

void Hands::remember(const plan::Order& order, std::string_view name, const std::string& value) {
  UnseenActions& actions = unseen[order.node];
  if (actions.run != order.mark.run) actions = {order.mark.run, {}};
  actions.words[std::string(name)] = value;
}

void Hands::add_unseen_actions(plan::NodeFacts& facts) const {
  auto known = unseen.find(facts.node.name);
  if (known == unseen.end() || !facts.mark || facts.mark->run != known->second.run) return;
  for (const auto& [name, value] : known->second.words) facts.words[name] = value;
}

plan::Means SlurmActuator::means() const {
  plan::Means can = plan::slurm::capabilities_by(state_->eyes.said.mig_tool);
  can.slurm = state_->site.load();
  return can;
}

std::string SlurmActuator::cluster_id() const {
  auto known = state_->cluster_id.load();
  return known ? *known : "";
}

void SlurmActuator::know_cluster(const std::string& id) {
  if (!id.empty()) state_->cluster_id.store(std::make_shared<const std::string>(id));
}

void SlurmActuator::observe(NodeName node, Told<plan::NodeFacts> told) {
  observe(LookAt{std::move(node)}, std::move(told));
}

void SlurmActuator::observe_for(NodeName node, const std::set<std::string>& words,
                                Told<plan::NodeFacts> told) {
  LookAt what{std::move(node)};
  what.effect = reads_effect(words);
  observe(std::move(what), std::move(told));
}

void SlurmActuator::observe(LookAt what, Told<plan::NodeFacts> told) {
  auto owed = std::make_shared<Owed<plan::NodeFacts>>(std::move(told), kWhom);
  state_->worker.post([state = state_.get(), what = std::move(what), owed] {
    state->eyes.judged.erase(what.node);
    look_at(state->eyes, what, [state, owed](Result<Seen> seen) {
      if (!seen) return owed->answer(seen.error());
      state->hands.add_unseen_actions(seen->facts);
      plan::NodeFacts facts = seen->facts;
      seen->site = {};  // files are read again before they are written
      state->eyes.judged[facts.node.name] = std::move(*seen);
      owed->answer(std::move(facts));
    });
  });
}

void SlurmActuator::perform(plan::Order order, Told<Done> told) {
  auto owed = std::make_shared<Owed<Done>>(std::move(told), kWhom);
  state_->worker.post([state = state_.get(), order = std::move(order), owed] {
    start_action(state->hands, order, [owed](Status done) { owed->answer(std::move(done)); });
  });
}

void SlurmActuator::close_connections() {
  std::promise<void> closed;
  auto done = closed.get_future();
  auto told = std::make_shared<std::promise<void>>(std::move(closed));
  state_->worker.post(
      [state = state_.get(), told] { state->connections.close([told] { told->set_value(); }); });
  done.wait_for(kCloseAll);
}

void SlurmActuator::look_again() {
  if (state_->look_again) state_->worker.post(state_->look_again);
}

namespace {

void add_reserved(const Census& census, std::vector<plan::MarkedNode>& found) {
  for (const Reservation& one : census.reservations.values) {
    auto mark = mark_of_reservation(one.name);
    auto nodes = expand_hosts(one.nodes);
    if (!mark || !nodes) continue;
    mark->since = one.start.value_or(TimePoint{});
    for (const std::string& node : *nodes) found.push_back({NodeName(node), *mark});
  }
}

void add_drained(const Census& census, std::vector<plan::MarkedNode>& found) {
  for (const Node& node : census.nodes.values) {
    auto mark = node.health == Health::ok ? std::nullopt : plan::parse_mark(node.reason);
    bool known = std::any_of(found.begin(), found.end(),
                             [&](const plan::MarkedNode& one) { return one.node == node.name; });
    if (!mark || known) continue;
    mark->since = node.reason_at.value_or(TimePoint{});
    found.push_back({node.name, std::move(*mark)});
  }
}

}  // namespace

// Drain reasons and reservations.
void SlurmActuator::marks(Told<std::vector<plan::MarkedNode>> told) {
  using Marks = std::vector<plan::MarkedNode>;
  auto owed = std::make_shared<Owed<Marks>>(std::move(told), kWhom);
  state_->worker.post([state = state_.get(), owed] {
    state->census.ask(NodeName(), {}, [owed](Result<std::shared_ptr<const Census>> census) {
      if (!census) return owed->answer(census.error());
      if ((*census)->nodes.incomplete)
        return owed->answer(Error{"cannot list the nodes",
                                  "scontrol's answer could not be read whole: " + note_of((*census)->nodes),
                                  ""});
      Marks found;
      add_reserved(**census, found);
      add_drained(**census, found);
      owed->answer(std::move(found));
    });
  });
}

void SlurmActuator::know(const std::string& version, const std::string& conf,
                         const Result<std::vector<slurmconf::File>>& files) {
  state_->eyes.conf = conf;
  if (!files) return state_->site.store(nullptr);  // plans then say that it is missing
  state_->take_site(version, *files, why_not_writable(*files));
}

void SlurmActuator::hold_against(const std::vector<Node>& nodes) {
  auto known = state_->site.load();
  if (!known) return;
  auto differences = slurmconf::difference(known->files, nodes);
  std::vector<std::string> unapplied;
  if (differences)
    for (slurmconf::Difference& one : *differences) unapplied.push_back(std::move(one.node));
  if (unapplied == known->unapplied) return;
  auto fresh = std::make_shared<slurmconf::SlurmSetup>(*known);
  fresh->unapplied = std::move(unapplied);
  state_->site.store(std::move(fresh));
}

namespace {

// nullopt: the answer does not have the line.
std::optional<std::string> reboot_program(const std::string& config) {
  if (config.find("RebootProgram") == std::string::npos) return std::nullopt;
  const std::string program = clean(config_value(config, "RebootProgram"), 400);
  return program == "(null)" ? "" : program;
}

// Whether NVSentinel is there only Kubernetes could tell.
Remark about_pods(const std::vector<std::string>& nodes) {
  return {
      Remark::Grade::info, clean(fold_for_reading(nodes), 200), false,
      "their slurmd runs in pods (Slinky). Where NVSentinel watches that cluster, its slurm-drain-monitor "
      "takes a run's drain for a failure, evicts, and may reboot the node",
      "before a run: kubectl label node NODE nvsentinel.dgxc.nvidia.com/managed=false; afterwards take "
      "the label off"};
}

}  // namespace

std::vector<Remark> SlurmActuator::unapplied_remarks(const Shown& shown, const std::vector<Node>& nodes,
                                                     const std::vector<Workload>& jobs) {
  auto known = state_->site.load();
  std::optional<std::string> reboots = reboot_program(shown.config);
  if (!reboots && known) reboots = known->reboot_program;
  if (known && (known->in_pods != nodes_in_pods(shown.nodes) || known->reboot_program != reboots)) {
    auto fresh = std::make_shared<slurmconf::SlurmSetup>(*known);
    fresh->in_pods = nodes_in_pods(shown.nodes);
    fresh->reboot_program = std::move(reboots);
    state_->site.store(fresh);
    known = fresh;
  }
  std::vector<Remark> remarks;
  if (known && !known->in_pods.empty()) remarks.push_back(about_pods(known->in_pods));
  if (!known || known->files.empty()) return remarks;
  auto found = slurm::hold_against(state_->eyes, *known, shown, nodes);
  if (!found || found->none()) return remarks;  // a line that cannot be read is a remark already
  const char* word = known->reconfigure_suffices() ? "scontrol reconfigure" : "a restart of slurmctld";
  remarks.push_back({Remark::Grade::warning, known->files.front().path, false, to_text(*found, &jobs),
                     fmt::format("{} puts it into effect, and until then no run does anything: do that "
                                 "when no job is affected, or revert the edit",
                                 word)});
  return remarks;
}

void SlurmActuator::read_host_files(const std::string& version, const std::string& conf, KnowFiles then) {
  state_->eyes.conf = conf;
  state_->host_files->read(
      conf, allowed_devices_of(with_version(state_->eyes.said, version)),
      [state = state_.get(), version, then = std::move(then)](Result<HostFiles::Found> found) {
        if (!found) {
          state->site.store(nullptr);
          return then(found.error(), std::nullopt);
        }
        state->take_site(version, found->files, found->cannot_write);
        state->host_files->look_at_lock(
            state->eyes.conf, state->eyes.clock(),
            [then, files = std::move(found->files)](std::optional<Remark> lock) { then(files, lock); });
      });
}

void SlurmActuator::lay_known_boards(std::vector<Node>& nodes) const {
  if (state_->eyes.boards.empty()) return;
  for (Node& node : nodes) {
    auto known = state_->eyes.boards.find(node.name);
    if (known == state_->eyes.boards.end()) continue;
    // Where no work is, the driver's word counts although Slurm offers something else, as after a reboot.
    auto last = state_->asked.find(node.name);
    const bool fresh = last != state_->asked.end() && last->second.offered == boards_of(node);
    if (still_fits(node, known->second.gpus) || (fresh && !is_busy(node)))
      lay_boards(node, known->second.gpus);
  }
}

bool SlurmActuator::State::boards_wanted(const Node& node) const {
  if (boards_are_told(node) || !may_be_asked(node, eyes.said.reach)) return false;
  auto known = eyes.boards.find(node.name);
  return known == eyes.boards.end() || !still_fits(node, known->second.gpus);
}

bool SlurmActuator::State::worth_a_look(const Node& node) const {
  return boards_of(node) != Boards{} && !is_busy(node) && may_be_asked(node, eyes.said.reach) &&
         (!eyes.boards.contains(node.name) || tool_unknown(node) || unit_unsettled(node));
}

// One that a user may have enabled meanwhile is asked about again.
bool SlurmActuator::State::unit_unsettled(const Node& node) const {
  if (eyes.said.boot_unit.empty()) return false;
  auto known = eyes.units.find(node.name);
  if (known == eyes.units.end()) return true;
  return known->second.state == BootUnit::State::disabled || known->second.state == BootUnit::State::unusable;
}

bool SlurmActuator::State::tool_unknown(const Node& node) const {
  return eyes.said.mig_tool == slurmconf::MigTool::mig_parted && eyes.said.reach != slurmconf::Reach::none &&
         boards_of(node) != Boards{} && !eyes.tools.contains(node.name);
}

void SlurmActuator::learn_boards(const std::vector<Node>& nodes, Asking asking,
                                 std::function<void(bool any)> then) {
  if (state_->learning) return;
  auto round = std::make_shared<Learning>();
  round->then = std::move(then);
  const auto now = std::chrono::steady_clock::now();
  std::vector<const Node*> silent, others, told;
  for (const Node& node : nodes) {
    auto last = state_->asked.find(node.name);
    if (last != state_->asked.end() && now - last->second.at < kAskAgain &&
        last->second.offered == boards_of(node))
      continue;
    if (state_->boards_wanted(node))
      (node.health == Health::down ? silent : others).push_back(&node);
    else if (asking.told && state_->worth_a_look(node))
      told.push_back(&node);
  }
  if (asking.most_told) take_turn(told, *asking.most_told, state_->eyes.clock());
  for (const auto* some : {&silent, &others, &told})
    for (const Node* node : *some) {
      if (asking.most && round->left.size() >= *asking.most) break;
      state_->asked[node->name] = {now, boards_of(*node)};
      round->left.push_back(node->name);
    }
  round->any = !round->left.empty();
  std::reverse(round->left.begin(), round->left.end());
  state_->learning = round;
  state_->learn_more();
}

std::vector<Remark> SlurmActuator::board_remarks(const std::vector<Node>& nodes) const {
  std::vector<Remark> all;
  std::vector<std::string> unasked, no_tool;
  const auto files = state_->site.load();
  for (const Node& node : nodes) {
    if (const auto order = state_->eyes.order.find(node.name); files && order != state_->eyes.order.end())
      if (auto remark = order_remark(node.name, order->second, files->files))
        all.push_back(std::move(*remark));
    if (state_->eyes.said.reach != slurmconf::Reach::none && state_->boards_wanted(node) &&
        !state_->asked.contains(node.name))
      unasked.push_back(node.name.text);
    auto tool = state_->eyes.tools.find(node.name);
    if (tool == state_->eyes.tools.end()) {
      if (state_->tool_unknown(node)) no_tool.push_back(node.name.text);
    } else if (!tool->second.empty()) {
      all.push_back({Remark::Grade::warning, node.name.text, true, tool->second,
                     "slurm-mig-tool is nvidia-mig-parted: no GPU of this node can be cut"});
    }
    if (auto unit = state_->eyes.units.find(node.name); unit != state_->eyes.units.end())
      if (auto remark =
              unit_remark(unit->second, node.name, state_->eyes.said, !boards_of(node).instances.empty()))
        all.push_back(std::move(*remark));
    auto known = state_->eyes.boards.find(node.name);
    auto last = state_->asked.find(node.name);
    if (known == state_->eyes.boards.end() || still_fits(node, known->second.gpus)) continue;
    // Told of something that Slurm has not offered any more since.
    if (last == state_->asked.end() || last->second.offered != boards_of(node)) continue;
    if (is_closed(node) && plan::parse_mark(node.reason)) continue;
    all.push_back({Remark::Grade::warning, node.name.text, true, unlike_text(node, known->second.gpus),
                   ways_out(node.name, known->second.gpus)});
  }
  auto say = [&](const std::vector<std::string>& names, std::string_view what, const char* hint) {
    if (names.empty()) return;
    all.push_back({Remark::Grade::info, "", false,
                   fmt::format("{} {} node{}: {}", what, names.size(), names.size() == 1 ? "" : "s",
                               clean(fold_for_reading(names), 400)),
                   hint});
  };
  if (const std::string& why = state_->connections.why_not(); !why.empty())
    all.push_back({Remark::Grade::info, "ssh", false,
                   "each command to a node gets a connection of its own: " + why,
                   "slower, and nothing else"});
  say(unasked, "not looked at yet, since Slurm does not report them: the GPUs of",
      "the console asks all of them, some at a time");
  say(no_tool, "whether nvidia-mig-parted works is not known of",
      "a run that cuts looks before it drains anything");
  return all;
}

LooksCounted& SlurmActuator::looks() { return state_->looks; }

void SlurmActuator::on_measured(std::function<void(Measured measured, const JobPids* pids)> told) {
  state_->eyes.measured = std::move(told);
}

NodeProcesses& SlurmActuator::processes() { return state_->node_processes; }

std::vector<std::string> SlurmActuator::State::without_systemd() const {
  std::vector<std::string> nodes;
  for (const auto& [node, unit] : eyes.units)
    if (unit.state == BootUnit::State::absent) nodes.push_back(node.text);
  return nodes;
}

// One census does for many nodes: what is asked of each is asked of its driver.
void SlurmActuator::State::learn_more() {
  const auto now = std::chrono::steady_clock::now();
  const bool stale = !learning->census || now - learning->census_at >= kCensusFor;
  if (stale && !learning->left.empty()) {
    if (learning->under_way > 0) return;  // those first
    ++learning->under_way;
    census.ask(learning->left.back(), {}, [this](Result<std::shared_ptr<const Census>> told) {
      --learning->under_way;
      learning->census = told ? std::move(*told) : nullptr;
      learning->census_at = std::chrono::steady_clock::now();
      if (!learning->census) learning->left.clear();
      learn_more();
    });
    return;
  }
  while (learning->under_way < kLooksAtOnce && !learning->left.empty()) {
    NodeName node = learning->left.back();
    learning->left.pop_back();
    ++learning->under_way;
    auto taken = learning->census;
    worker.post([this, node = std::move(node), taken = std::move(taken)] {
      look_at(
          eyes, {node, true, false},
          [this](const Result<Seen>&) {
            --learning->under_way;
            learn_more();
          },
          taken);
    });
  }
  if (learning->under_way > 0) return;
  if (auto known = site.load(); known && known->without_systemd != without_systemd()) {
    auto fresh = std::make_shared<slurmconf::SlurmSetup>(*known);
    fresh->without_systemd = without_systemd();
    site.store(std::move(fresh));
  }
  auto done = std::exchange(learning, nullptr);
  done->then(done->any);
}

}  // namespace tessera::slurm
