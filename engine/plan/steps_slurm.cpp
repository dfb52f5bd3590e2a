// Steps for a Slurm node: drained, emptied, cut by nvidia-smi on the node, written into Slurm's files, and
// made effective by a reconfigure or, before 23.11, by restarts that the site itself has named.
//
// Order after scontrol(1) and gres.conf(5) of 22.05 and 24.11, and what both do when it is broken: a
// reconfigure (since 23.11) or a restarted controller kills work on a node whose GRES then differs, so
// nothing but the target may differ; a node that registers with less than is configured becomes INVALID_REG.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/boot_layout.hpp"
#include "engine/plan/observed.hpp"
#include "engine/plan/slurm_config.hpp"
#include "engine/plan/slurm_words.hpp"
#include "engine/plan/steps.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/slurmconf/site.hpp"

namespace tessera::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
namespace key = slurm::key;
namespace verb = slurm::verb;

WordIs word_is(std::string_view name, std::string value) { return {std::string(name), std::move(value)}; }

Special special(std::string_view what, std::map<std::string, std::string> arguments = {}) {
  return {std::string(what), std::move(arguments)};
}

std::string joined(const std::vector<std::string>& words, const std::string& node) {
  std::string text;
  for (std::string word : words) {
    for (auto at = word.find("{node}"); at != std::string::npos; at = word.find("{node}", at + node.size()))
      word.replace(at, 6, node);
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

const mig::Product* product_of(const NodeChange& change) {
  for (const BoardChange& board : change.boards)
    if (board.product) return board.product;
  return nullptr;
}

bool cuts(const BoardChange& board) { return board.mode_changes || board.instances_change(); }

class SlurmBuilder {
 public:
  explicit SlurmBuilder(const NodeChange& change)
      : change_(change),
        site_(*change.can.slurm),
        node_(change.node.name.text),
        recut_(std::any_of(change.boards.begin(), change.boards.end(), cuts)),
        in_reservation_(recut_ && site_.reach == slurmconf::Reach::srun),
        after_(slurm::node_after(change.node, change.boards)),
        product_(product_of(change)),
        wanted_(slurm::gres_of_boards(after_, slurm::whole_type(site_, node_, product_), site_)) {}

  std::vector<Step> run() {
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
    if (in_reservation_) close();
    if (site_.writer == slurmconf::Writer::site) {
      await_patch();
    } else {
      write_config();
      if (recut_) start_clients();
      make_effective();
    }
    if (site_.writer == slurmconf::Writer::site && recut_) start_clients();
    registered();
    for (Step& step : release(proof())) steps_.push_back(std::move(step));
    number_steps(change_.node.name, steps_);
    return std::move(steps_);
  }

  static std::vector<Step> release_of(const NodeName& node, const Conditions& proof) {
    Step open;
    open.title = fmt::format("open {} again, if the drain is still ours", node.text);
    open.action = OpenNode{};
    open.before = {Answering{}, NoForeignMark{}};
    open.before.insert(open.before.end(), proof.begin(), proof.end());
    open.after = {NotClosedByUs{}};
    open.undo = "drain the node";
    Step unmark;
    unmark.title = "see that no mark of ours is left";
    unmark.action = ClearMark{};
    unmark.before = proof;
    unmark.after = {NotMarkedByUs{}};
    std::vector<Step> steps{std::move(open), std::move(unmark)};
    for (Step& step : steps) {
      step.commands = commands_for(step.action, node, Scheduler::slurm, nullptr);
      step.look_every = milliseconds(500);
      step.deadline = seconds(30);
      step.retry = kFewRetry;
    }
    return steps;
  }

 private:
  Step& add(std::string title, Action action, const mig::Product* product = nullptr) {
    Step step;
    step.title = std::move(title);
    step.commands = commands_for(action, change_.node.name, Scheduler::slurm, product);
    if (const auto* own = std::get_if<Special>(&action); own) step.commands.clear();
    step.action = std::move(action);
    step.look_every = milliseconds(500);
    step.deadline = seconds(60);
    return steps_.emplace_back(std::move(step));
  }
  Step& look(std::string title, Conditions after, Duration patience) {
    Step& step = add(std::move(title), LookOnly{});
    step.after = std::move(after);
    step.deadline = patience;
    return step;
  }
  // Runs on the node; for people.
  std::string there(const std::string& command) const {
    switch (site_.reach) {
      case slurmconf::Reach::none: return command;
      case slurmconf::Reach::ssh: return fmt::format("ssh {} {}", node_, command);
      case slurmconf::Reach::srun:
        return fmt::format("srun --reservation=RESERVATION -w {} -N1 -n1 --mem=0 --overlap {}", node_,
                           command);
      case slurmconf::Reach::custom: return joined(site_.runner, node_) + " " + command;
    }
    return command;
  }
  void run_there(Step& step) const {
    for (std::string& command : step.commands) command = there(command);
  }
  // What every act relies on: nobody took the node from us, and it takes no new work.
  Conditions guarded() const {
    Conditions conditions{Answering{}, MarkIsOurs{}};
    if (closed_) conditions.push_back(NodeClosed{});
    return conditions;
  }
  Conditions guarded_and_empty() const {
    Conditions conditions = guarded();
    if (change_.scope) conditions.push_back(ScopeEmpty{*change_.scope});
    return conditions;
  }

  void preflight() {
    Conditions after{word_is(key::kController, ""), word_is(key::kAdmin, "")};
    if (site_.writer != slurmconf::Writer::site) after.push_back(word_is(key::kWritable, ""));
    if (recut_) after.push_back(word_is(key::kReachable, ""));
    if (in_reservation_) after.push_back(word_is(key::kOpen, ""));
    Step& ready =
        look("see that all is ready: rights, controller, files, node", std::move(after), seconds(1));
    ready.before = {Answering{}};
    if (!change_.intent.options.break_lock) ready.before.push_back(NoForeignMark{});
    elsewhere("see that a reconfigure would change this node only", seconds(5));
  }
  void elsewhere(std::string title, Duration patience) {
    look(std::move(title), {word_is(key::kElsewhere, "")}, patience);
  }
  void close() {
    const std::string& words = change_.intent.words;
    Step& step = add(fmt::format("drain {}", node_), CloseNode{words.empty() ? "GPU layout change" : words});
    step.before = {Answering{}};
    if (in_reservation_)
      step.before.push_back(MarkIsOurs{});
    else if (!change_.intent.options.break_lock)
      step.before.push_back(NoForeignMark{});
    step.after = {NodeClosed{}};
    step.deadline = seconds(30);
    step.retry = kFewRetry;
    step.undo = "open the node, if the drain is still ours";
    closed_ = true;
  }
  // The drain's reason is the mark. A reservation is one, too: where the node is to stay open for our own
  // steps, or someone else's drain is to stay as it is.
  void mark() {
    Step& step = add(in_reservation_ ? fmt::format("reserve {} for this change", node_)
                                     : fmt::format("see that {} carries our mark", node_),
                     SetMark{change_.intent.options.break_lock});
    if (in_reservation_)
      step.commands = {
          fmt::format("scontrol create reservation ReservationName=RESERVATION Nodes={} StartTime=now "
                      "Duration=UNLIMITED Flags=MAINT,IGNORE_JOBS Users=root",
                      node_)};
    step.before = {Answering{}};
    if (!change_.intent.options.break_lock) step.before.push_back(NoForeignMark{});
    step.after = {MarkIsOurs{}};
    step.deadline = seconds(30);
    step.retry = kFewRetry;
    step.undo = "take the mark off";
  }
  void evict() {
    Way way = change_.intent.options.way;
    for (const Disturbed* away : sent_away(change_)) {
      const Disturbed& one = *away;
      Step& step = add(fmt::format("{} {} of {}", way == Way::cancel ? "end" : "requeue", one.id.text,
                                   one.user.empty() ? "?" : one.user),
                       Evict{one.id, way});
      step.before = guarded();
      step.after = {WorkloadAway{one.id}};
      step.deadline = minutes(5);
      step.retry = kFewRetry;
      step.disturbs = true;
      if (way == Way::requeue) step.undo = "it starts again by itself when there is room";
    }
  }
  void await_empty() {
    std::size_t known = change_.blast_radius.size();
    Step& step =
        add(known != 0 ? fmt::format("wait until {} job{} left", known, known == 1 ? " has" : "s have")
                       : "see that nobody is there",
            LookOnly{});
    step.before = guarded();
    if (change_.scope) step.after = {ScopeEmpty{*change_.scope}};
    step.deadline = change_.intent.options.wait.value_or(Duration{0});
    step.look_every = known != 0 ? seconds(5) : milliseconds(500);
    step.not_before = change_.intent.options.at;
  }

  // --- on the node itself

  void recut() {
    stop_clients();
    for (const BoardChange& board : change_.boards)
      if (!board.destroyed.empty() && !board.dragged) destroy(board);
    switch_modes();
    for (const BoardChange& board : change_.boards)
      if (!board.created.empty()) create(board);
    look("read the boards back", boards(), minutes(1)).before = guarded();
    boot_file();
  }
  bool has_clients() const { return !site_.stop_clients.empty(); }
  void stop_clients() {
    if (!has_clients()) return;
    Step& step = add("stop the site's own clients of the GPUs", special(verb::kStopClients));
    step.commands = site_.stop_clients;
    run_there(step);
    step.before = guarded_and_empty();
    step.after = {word_is(key::kClients, "stopped")};
    step.deadline = minutes(2);
    step.retry = kFewRetry;
    step.undo = "start them again";
  }
  void start_clients() {
    if (site_.start_clients.empty()) return;
    Step& step = add("start the site's own clients of the GPUs", special(verb::kStartClients));
    step.commands = site_.start_clients;
    run_there(step);
    step.before = guarded();
    step.after = {word_is(key::kClients, "started")};
    step.deadline = minutes(2);
    step.retry = kFewRetry;
  }
  Conditions for_cutting() const {
    Conditions conditions = guarded_and_empty();
    if (has_clients()) conditions.push_back(word_is(key::kClients, "stopped"));
    return conditions;
  }
  void destroy(const BoardChange& board) {
    Step& step = add(fmt::format("GPU {}: destroy {}", board.gpu.value, to_text(board.destroyed)),
                     DestroyInstances{board.gpu, board.destroyed}, board.product);
    run_there(step);
    step.before = for_cutting();
    if (!board.kept.empty()) step.before.push_back(InstancesStand{board.gpu, board.kept});
    step.after = {InstancesGone{board.gpu, board.destroyed}};
    if (!board.kept.empty()) step.after.push_back(InstancesStand{board.gpu, board.kept});
    step.retry = kBusyRetry;
    step.undo = fmt::format("create {} again", to_text(board.destroyed));
  }
  std::vector<GpuIndex> switched(bool on) const {
    std::vector<GpuIndex> gpus;
    for (const BoardChange& board : change_.boards)
      if (board.mode_changes && board.after.mig == on) gpus.push_back(board.gpu);
    return gpus;
  }
  void switch_modes() {
    bool later = change_.needs.reset || change_.needs.reboot;
    for (bool on : {false, true}) {
      std::vector<GpuIndex> gpus = switched(on);
      if (gpus.empty()) continue;
      Step& step = add(fmt::format("{}: MIG {}", boards_text(gpus), on ? "on" : "off"), SetMode{gpus, on});
      run_there(step);
      step.before = for_cutting();
      for (GpuIndex gpu : gpus) step.after.push_back(ModeIs{{gpu}, on, later});
      step.retry = kBusyRetry;
      step.undo = fmt::format("MIG {} again", on ? "off" : "on");
    }
    if (!later) return;
    std::vector<GpuIndex> all;
    for (const Gpu& gpu : change_.node.gpus) all.push_back(gpu.index);
    bool reboot = change_.needs.reboot;
    Step& step = reboot ? add("reboot the node", RebootNode{})
                        : add(fmt::format("reset {}", boards_text(all)), ResetGpus{all});
    if (!reboot) run_there(step);
    step.before = for_cutting();
    if (reboot) step.after.push_back(Answering{});
    for (bool on : {false, true})
      for (GpuIndex gpu : switched(on)) step.after.push_back(ModeIs{{gpu}, on, false});
    step.deadline = reboot ? minutes(30) : minutes(3);
    step.look_every = seconds(2);
    step.retry = reboot ? Retry{} : kFewRetry;
  }
  void create(const BoardChange& board) {
    std::vector<InstanceAt> beside = board.dragged ? std::vector<InstanceAt>{} : board.kept;
    Step& step = add(fmt::format("GPU {}: create {}", board.gpu.value, to_text(board.created)),
                     CreateInstances{board.gpu, board.created, beside, board.chosen}, board.product);
    run_there(step);
    step.before = for_cutting();
    step.before.push_back(ModeIs{{board.gpu}, true, false});
    // What is made again may stand already, when this step is run a second time.
    std::vector<InstanceAt> gone = board.destroyed;
    std::erase_if(gone, [&](const InstanceAt& one) {
      return std::any_of(board.created.begin(), board.created.end(),
                         [&](const InstanceAt& other) { return other.same(one); });
    });
    if (!gone.empty() && !board.dragged) step.before.push_back(InstancesGone{board.gpu, gone});
    if (!beside.empty()) step.before.push_back(InstancesStand{board.gpu, beside});
    step.after = {LayoutIs{board.gpu, board.after.instances, board.chosen}};
    if (!beside.empty()) step.after.push_back(InstancesStand{board.gpu, beside});
    step.retry = kFewRetry;
    step.undo = fmt::format("destroy {}", to_text(board.created));
  }
  void boot_file() {
    if (site_.boot_file.empty()) return;
    std::string text = boot_layout(change_.node, change_.boards);
    Step& step = add(fmt::format("write the layout for the next boot into {}", site_.boot_file),
                     special(verb::kWriteBootFile, {{"path", site_.boot_file}, {"text", text}}));
    step.commands = {there(fmt::format("tee {}", site_.boot_file))};
    step.before = guarded();
    step.after = {word_is(key::kBootFile, slurm::digest(text))};
    step.retry = kFewRetry;
    step.undo = "write the layout that was found";
  }

  // --- Slurm's files and daemons

  // As far as it can be told before the boards are cut: the driver chooses the numbers of instances.
  std::vector<std::string> diff() const {
    auto wanted = slurm::wanted_config(after_, wanted_, product_, site_);
    if (!wanted) return {"# " + wanted.error().reason, "# Gres=" + wanted_};
    auto files = slurmconf::set_node(site_.files, *wanted);
    if (!files) return {"# " + to_line(files.error())};
    std::vector<std::string> lines;
    std::string text = slurmconf::unified_diff(site_.files, *files);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  void write_config() {
    Step& step = add("write Slurm's files", special(verb::kWriteConfig, {{"gres", wanted_}}));
    step.commands = diff();
    step.before = guarded_and_empty();
    step.before.push_back(word_is(key::kWritable, ""));
    step.after = {word_is(key::kConfig, wanted_)};
    step.retry = kFewRetry;
    step.undo = "write what stood there; each file has a backup beside it";
  }
  void await_patch() {
    Step& step = look("wait until the site's own automation has made it so",
                      {word_is(key::kGres, wanted_), word_is(key::kRegistered, "yes")}, Duration{0});
    step.commands = diff();
    step.commands.push_back(site_.reconfigure_suffices()
                                ? "scontrol reconfigure"
                                : fmt::format("restart slurmctld, then slurmd on {}", node_));
    step.before = guarded();
    step.look_every = seconds(1);
  }
  void make_effective() {
    elsewhere("see again that only this node will change", minutes(1));
    Conditions before = guarded_and_empty();
    before.push_back(word_is(key::kConfig, wanted_));
    before.push_back(word_is(key::kElsewhere, ""));
    Step& step = add("have Slurm read its files again", special(verb::kReconfigure));
    step.commands = {"scontrol reconfigure"};
    step.before = before;
    step.after = {word_is(key::kReconfigured, "yes")};
    step.undo = "the same with the files as they were";
    if (site_.reconfigure_suffices()) return;
    if (site_.restart_controller.empty() || site_.restart_node.empty()) return ask_for_restarts();
    restart("restart the controller", verb::kRestartController, site_.restart_controller,
            {word_is(key::kControllerRestarted, "yes")}, before);
    // slurmd reads its devices only when it starts.
    restart(fmt::format("restart slurmd on {}", node_), verb::kRestartNode, site_.restart_node,
            {word_is(key::kNodeRestarted, "yes"), word_is(key::kGres, wanted_)},
            {MarkIsOurs{}, NodeClosed{}});
  }
  void restart(std::string title, std::string_view what, const std::vector<std::string>& argv,
               Conditions after, Conditions before) {
    Step& step = add(std::move(title), special(what));
    step.commands = {joined(argv, node_)};
    step.before = std::move(before);
    step.after = std::move(after);
    step.deadline = minutes(2);
    step.retry = kFewRetry;
  }
  // Which commands restart a site's daemons is never guessed.
  void ask_for_restarts() {
    Step& step = look(fmt::format("Slurm {}.{:02} takes new GRES over only when its daemons start",
                                  site_.major, site_.minor),
                      {word_is(key::kGres, wanted_), word_is(key::kRegistered, "yes")}, seconds(10));
    step.commands = {site_.restart_controller.empty() ? "on the controller: restart slurmctld"
                                                      : joined(site_.restart_controller, node_),
                     site_.restart_node.empty() ? fmt::format("on {}: restart slurmd", node_)
                                                : joined(site_.restart_node, node_)};
    step.before = guarded();
  }
  void registered() {
    Conditions after = proof();
    after.insert(after.begin(), Answering{});
    look("read back: what Slurm offers, and that the node is registered", std::move(after), minutes(5))
        .before = guarded();
  }

  // The boards as they shall be, as the driver tells them. How they are shared is Slurm's word alone.
  Conditions boards() const {
    Conditions all;
    for (const BoardChange& board : change_.boards) {
      if (!cuts(board)) continue;
      if (board.after.mig)
        all.push_back(LayoutIs{board.gpu, board.after.instances, board.chosen});
      else
        all.push_back(ModeIs{{board.gpu}, false, false});
    }
    return all;
  }
  // A drained node takes no step of ours: what srun alone could tell has been read back before the drain.
  Conditions proof() const {
    Conditions all = in_reservation_ ? Conditions{} : boards();
    all.push_back(word_is(key::kGres, wanted_));
    all.push_back(word_is(key::kRegistered, "yes"));
    return all;
  }
  std::vector<Step> release(const Conditions& proof) const { return release_of(change_.node.name, proof); }

  const NodeChange& change_;
  const slurmconf::Site& site_;
  const std::string& node_;
  const bool recut_;
  const bool in_reservation_;  // the node is cut by srun inside a reservation, before it is drained
  const Node after_;
  const mig::Product* product_;
  const std::string wanted_;
  bool closed_ = false;
  std::vector<Step> steps_;
};

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

}  // namespace

std::string SlurmSteps::missing(const NodeChange& change) const {
  const slurmconf::Site* site = change.can.slurm.get();
  if (!site)
    return "Slurm's configuration files have not been read: run tessera where slurm.conf lies, or name it "
           "with "
           "--slurm-conf";
  if (site->writer == slurmconf::Writer::host)
    return fmt::format(
        "this version writes Slurm's files only where it runs: run it on {}, or have your automation write "
        "them "
        "(--slurm-files site)",
        site->config_host);
  if (site->reach == slurmconf::Reach::none && std::any_of(change.boards.begin(), change.boards.end(), cuts))
    return fmt::format(
        "GPUs are cut by nvidia-smi on {}, and no way there is set: --slurm-runner ssh, srun, or "
        "a command with {{node}}",
        change.node.name.text);
  return why_unevenly_shared(change);
}

std::vector<Step> SlurmSteps::steps(const NodeChange& change) const { return SlurmBuilder(change).run(); }

std::vector<Step> SlurmSteps::release(const NodeName& node, Scheduler /*scheduler*/) const {
  return SlurmBuilder::release_of(node, {});
}

}  // namespace tessera::plan
