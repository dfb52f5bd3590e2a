#include "backends/slurm/change/look.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/node_figures.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/slurm/change/backups.hpp"
#include "backends/slurm/change/boards.hpp"
#include "backends/slurm/change/boot_unit.hpp"
#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "backends/slurm/parse/times.hpp"
#include "engine/digest.hpp"
#include "engine/hostlist.hpp"
#include "engine/model/reduce.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

namespace key = plan::slurm::key;

constexpr auto kBusyFor = std::chrono::seconds(60);  // GPUs under running jobs are not asked more often

bool answers(const Node& node) {
  return !has_flag(node, {"DOWN", "NOT_RESPONDING", "UNKNOWN", "FUTURE", "POWERED_DOWN", "POWERING_DOWN",
                          "POWERING_UP", "REBOOT_ISSUED"});
}

std::optional<TimePoint> slurmd_started(std::string_view record) {
  constexpr std::string_view kKey = " SlurmdStartTime=";
  std::size_t at = record.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  record.remove_prefix(at + kKey.size());
  return LocalTimes().read(record.substr(0, record.find_first_of(" \n")));
}

// Without accounting there are no other administrators; with it, only the controller knows them.
std::string admin_word(const std::string& config, const std::string& us) {
  std::string user = config_value(config, "SlurmUser");
  user = user.substr(0, user.find('('));
  std::string storage = config_value(config, "AccountingStorageType");
  if (::geteuid() == 0 || us == user || storage.find("slurmdbd") != std::string::npos) return "";
  return fmt::format("{} may not change nodes here: only root and SlurmUser ({}) may",
                     us.empty() ? "this account" : us, clean(user, 64));
}

const std::vector<nvidia::Argv>& questions() {
  static const std::vector<nvidia::Argv> all{nvidia::list_gpus(), nvidia::query(), nvidia::list_instances(),
                                             nvidia::list_compute()};
  return all;
}

// What only a reading of the configuration tells (Census::effect).
constexpr std::string_view kOfEffect[] = {key::kAdmin, key::kElsewhere, key::kForgotten};

class Look : public std::enable_shared_from_this<Look> {
 public:
  Look(Eyes& eyes, LookAt what, std::function<void(Result<Seen>)> told)
      : eyes_(eyes), what_(std::move(what)), told_(std::move(told)) {}

  void begin() {
    seen_.facts.node.name = what_.node;
    eyes_.census.ask(what_.node, {what_.whole, what_.whole && what_.effect, what_.reservations},
                     [self = shared_from_this()](Result<std::shared_ptr<const Census>> told) {
                       if (!told) return self->fail(told.error());
                       self->begin_with(std::move(*told));
                     });
  }
  void begin_with(std::shared_ptr<const Census> census) {
    seen_.facts.node.name = what_.node;
    seen_.facts.at = eyes_.clock();
    census_ = std::move(census);
    took_census();
  }

 private:
  void fail(Error error) { told_(std::move(error)); }
  plan::NodeFacts& facts() { return seen_.facts; }
  std::string& fact(std::string_view name) { return facts().words[std::string(name)]; }

  // ── what the controller tells ─────────────────────────────────────────────────────────────────────────

  void took_census() {
    fact(key::kController) = "";
    if (!what_.whole || census_->effect)
      fact(key::kAdmin) = admin_word(census_->config, eyes_.user);
    else
      facts().left_out.insert(std::begin(kOfEffect), std::end(kOfEffect));
    seen_.user = config_value(census_->config, "SlurmUser");
    seen_.user = seen_.user.substr(0, seen_.user.find('('));
    seen_.site = with_version(eyes_.said, census_->version);
    const Node* node = census_->find(what_.node);
    if (node && !node->state.empty()) return took_node(*node);
    // Not in the list, and the list is whole: it is gone.
    if (!node && !census_->nodes.incomplete) {
      facts().known = facts().answering = false;
      return finish();
    }
    fail({"cannot read the node " + what_.node.text,
          "scontrol's answer could not be read whole: " + note_of(census_->nodes), ""});
  }

  void took_node(const Node& told) {
    facts().node = told;
    const Node& node = facts().node;
    facts().answering = answers(node);
    facts().closed = is_closed(node);
    if (facts().closed) {
      facts().closed_reason = node.reason;
      facts().closed_by = node.reason_by;
      facts().closed_as = facts().mark = plan::parse_mark(node.reason);
      if (facts().mark) facts().mark->since = node.reason_at.value_or(TimePoint{});
    }
    tell_closed(facts());
    const std::string_view record = census_->record_of(what_.node);
    fact(key::kGres) = plan::slurm::plain_gres(gres_of_record(record));
    fact(key::kRegistered) = registered_word(node, slurmd_started(record));
    fact(key::kOpen) = facts().closed ? "the node is drained: " + plan::closed_reason(facts()) : "";
    if (what_.whole) {
      auto work = census_->work_on(node);
      if (!work) return fail(work.error());
      facts().workloads = std::move(*work);
    }
    if (Status read = take_reservation(); !read) return fail(read.error());
    read_files();
  }

  Status take_reservation() {
    for (const Reservation& one : census_->reservations.values) {
      auto mark = mark_of_reservation(one.name);
      if (!mark) continue;
      auto nodes = expand_hosts(one.nodes);
      if (!nodes)
        return Error{"cannot determine which nodes are reserved", one.name + ": " + nodes.error().reason, ""};
      if (std::find(nodes->begin(), nodes->end(), what_.node.text) == nodes->end()) continue;
      mark->since = one.start.value_or(TimePoint{});
      facts().mark = std::move(mark);
      seen_.reservation = one;
      break;
    }
    return Done{};
  }

  // ── Slurm's files ─────────────────────────────────────────────────────────────────────────────────────

  void read_files() {
    if (!eyes_.host_files) {
      auto files = eyes_.conf.empty() ? Result<std::vector<slurmconf::File>>(Error{})
                                      : read_conf_files(eyes_.conf, allowed_devices_of(seen_.site));
      if (!files) return have_files("Slurm's files cannot be read here");
      seen_.site.files = std::move(*files);
      return have_files(why_not_writable(seen_.site.files));
    }
    eyes_.host_files->read(eyes_.conf, allowed_devices_of(seen_.site),
                           [self = shared_from_this()](Result<HostFiles::Found> found) {
                             if (!found) return self->have_files(to_line(found.error()));
                             self->seen_.site.files = std::move(found->files);
                             self->have_files(found->cannot_write);
                           });
  }
  void have_files(std::string cannot_write) {
    seen_.site.cannot_write = cannot_write;
    fact(key::kWritable) = std::move(cannot_write);
    if (what_.whole && !seen_.site.files.empty() && census_->effect) return look_elsewhere();
    look_at_boards();
  }
  // Where srun is the way to the nodes, a run's mark is a reservation.
  std::set<std::string> reserved_by_runs() const {
    std::set<std::string> found;
    for (const Reservation& one : census_->reservations.values) {
      auto nodes =
          mark_of_reservation(one.name) ? expand_hosts(one.nodes) : Result<std::vector<std::string>>(Error{});
      if (nodes) found.insert(nodes->begin(), nodes->end());
    }
    return found;
  }
  // What a reconfigure would make true beside this node's own GRES.
  void look_elsewhere() {
    std::string& elsewhere = fact(key::kElsewhere);
    fact(key::kForgotten) =
        census_->job_records.empty() || !seen_.site.reconfigure_suffices()
            ? ""
            : remembered(census_->job_records, census_->config, what_.node.text, fact(key::kGres));
    if (census_->nodes.incomplete) {
      elsewhere = "what Slurm runs with could not be read whole: " + note_of(census_->nodes);
      return look_at_boards();
    }
    elsewhere = differs_elsewhere(seen_.site, census_->nodes.values, what_.node.text);
    auto found = hold_against(eyes_, seen_.site, {census_->config, census_->records, census_->partitions},
                              census_->nodes.values, reserved_by_runs());
    if (!found) elsewhere = to_line(found.error());
    if (!found || found->none()) return look_at_boards();
    unapplied_ = std::move(*found);
    auto name_jobs = [self = shared_from_this()](const Result<Outcome>& ran) {
      const bool listed = ran && ran->succeeded();
      const auto jobs = parse_jobs(listed ? ran->out : "", {Source::slurm_jobs, self->facts().at}).values;
      std::string& words = self->fact(key::kElsewhere);
      words += (words.empty() ? "" : "; ") + to_text(self->unapplied_, listed ? &jobs : nullptr);
      self->look_at_boards();
    };
    eyes_.calls->run(show_jobs(*eyes_.commands), std::move(name_jobs));
  }

  // ── the node's own driver ─────────────────────────────────────────────────────────────────────────────

  void look_at_boards() {
    const Node& node = facts().node;
    bool has_gpus = !node.gpus.empty() || !node.pool.empty() || eyes_.boards.contains(what_.node);
    if (eyes_.said.reach == slurmconf::Reach::none) {
      fact(key::kReachable) = "no way to the node is set: --slurm-runner";
      return finish();
    }
    const bool shut = eyes_.said.reach == slurmconf::Reach::srun && (facts().closed || !facts().answering);
    remembered_ = still_count(shut);
    if (shut && has_gpus && !remembered_)
      fact(key::kDriver) = fact(key::kBoards) =
          "its GPUs are not known: it is drained or down, and srun does not reach it";
    if (!what_.boards || !has_gpus || shut) return finish();
    // Work is not disturbed by looking again and again.
    if (remembered_ && is_busy(node)) {
      fact(key::kReachable) = "";
      return finish();
    }
    answers_.clear();
    const bool by_srun = eyes_.said.reach == slurmconf::Reach::srun;  // always in a job, and of our making
    if (by_srun || !what_.whole || eyes_.fit.contains(what_.node)) return next_question();
    eyes_.runner.preflight(there({}), [self = shared_from_this()](const Result<Preflight>& found) {
      self->took_preflight(found);
    });
  }
  // What was seen before counts as what stands now only where the node is not to be asked: for a minute where
  // jobs run, and where srun cannot get there, what this run has read under its own mark since the last boot.
  bool still_count(bool shut) const {
    auto known = eyes_.read.find(what_.node);
    if (known == eyes_.read.end() || !eyes_.boards.contains(what_.node)) return false;
    const Eyes::Read& read = known->second;
    // Slurm does not know it between its own restart and the node's registration.
    const auto& booted = seen_.facts.node.booted;
    if (read.booted && booted && *read.booted != *booted) return false;
    if (shut) return !read.run.empty() && seen_.facts.mark && seen_.facts.mark->run == read.run;
    return std::chrono::steady_clock::now() - read.at < kBusyFor;
  }
  // Once for each node that a run looks at. In a job's cgroup, where pam_slurm_adopt may put us, GPUs are
  // hidden, and would pass for gone. A site's own way may lead to the driver's tools alone, and then as root.
  void took_preflight(const Result<Preflight>& found) {
    if (!found) return next_question();
    Preflight seen = *found;
    seen.contained = false;
    if (eyes_.said.reach != slurmconf::Reach::ssh) seen.uid = 0;
    std::vector<Error> against = objections(seen, what_.node);
    if (against.empty()) {
      eyes_.fit.insert(what_.node);
      return next_question();
    }
    fact(key::kReachable) = clean(to_line(against.front()), 1000);
    finish();
  }
  NodeCommand there(std::vector<std::string> argv) const {
    NodeCommand command;
    command.node = what_.node;
    command.argv = std::move(argv);
    command.deadline = eyes_.said.look_deadline;
    if (seen_.reservation) command.reservation = seen_.reservation->name;
    return command;
  }
  void next_question() {
    eyes_.runner.run(
        there(questions()[answers_.size()]),
        [self = shared_from_this()](Result<NodeAnswer> answer) { self->took_answer(std::move(answer)); });
  }
  void took_answer(Result<NodeAnswer> answer) {
    if (!answer) return not_reached(answer.error());
    // Nothing there is exit code 6 or other; the words decide, and those that are none are an error below.
    std::string text = std::move(answer->out);
    if (answer->exit_code != 0 && text.empty()) text = std::move(answer->err);
    answers_.push_back(std::move(text));
    if (answers_.size() < questions().size()) return next_question();
    auto boards =
        nvidia::node_gpus({answers_[0], answers_[1], answers_[2], answers_[3]}, eyes_.catalogue, facts().at);
    if (!boards) return not_reached(boards.error());
    fact(key::kReachable) = "";
    // Figures have a time of their own: they are told once, and not with every list that these GPUs are laid
    // over.
    measured_ = nvidia::take_measured(what_.node, *boards, facts().at);
    eyes_.order[what_.node] = minors_of(*boards);
    eyes_.boards[what_.node] = std::move(*boards);
    eyes_.read[what_.node] = {std::chrono::steady_clock::now(), facts().mark ? facts().mark->run : "",
                              facts().node.booted};
    remembered_ = true;
    // The node itself is there: that its slurmd is not is among what the run is to mend.
    if (plan::slurm::down_by_itself(facts().node)) facts().answering = true;
    look_at_jobs();
  }
  // Whose the processes are is no matter of a run's, and not worth a job of srun's.
  void look_at_jobs() {
    const bool any = std::any_of(measured_.gpus.begin(), measured_.gpus.end(), [](const GpuFigures& gpu) {
      return gpu.processes && !gpu.processes->empty();
    });
    const bool by_srun = eyes_.said.reach == slurmconf::Reach::srun;
    if (what_.whole || by_srun || !any || !eyes_.measured) {
      tell_measured(nullptr);
      return look_at_tool();
    }
    eyes_.runner.run(there(list_pids(what_.node)), [self = shared_from_this()](Result<NodeAnswer> answer) {
      const auto pids =
          answer ? parse_pids(answer->out, answer->err, answer->exit_code) : Result<JobPids>(answer.error());
      self->tell_measured(pids ? &*pids : nullptr);
      self->look_at_tool();
    });
  }
  void tell_measured(const JobPids* jobs) {
    if (eyes_.measured) eyes_.measured(std::move(measured_), jobs);
  }
  // Until it has worked once. Exporting reads the GPUs and changes nothing.
  void look_at_tool() {
    auto known = eyes_.tools.find(what_.node);
    const bool fine = known != eyes_.tools.end() && known->second.empty();
    if (eyes_.said.mig_tool != slurmconf::MigTool::mig_parted || fine) return look_at_minors();
    eyes_.runner.run(there(nvidia::parted_export()), [self = shared_from_this()](Result<NodeAnswer> answer) {
      std::string& against = self->eyes_.tools[self->what_.node];
      auto why = answer
                     ? nvidia::parted_refusal(answer->out, answer->err, answer->exit_code,
                                              "nvidia-mig-parted does not work on " + self->what_.node.text)
                     : answer.error();
      against = why ? clean(to_line(*why), 1000) : "";
      self->fact(key::kReachable) = against;
      self->look_at_minors();
    });
  }
  void look_at_minors() {
    if (!eyes_.said.instance_file.empty() || eyes_.said.autodetect) return look_at_boot_file();
    NodeCommand command = there(nvidia::read_minors());
    eyes_.runner.run(std::move(command), [self = shared_from_this()](Result<NodeAnswer> file) {
      if (file && file->exit_code == 0) self->eyes_.minors[self->what_.node] = std::move(file->out);
      self->look_at_boot_file();
    });
  }
  void look_at_boot_file() {
    if (eyes_.said.boot_file.empty()) return finish();
    eyes_.runner.run(there({"cat", eyes_.said.boot_file}),
                     [self = shared_from_this()](Result<NodeAnswer> file) {
                       if (file && file->exit_code == 0) self->fact(key::kBootFile) = digest(file->out);
                       self->look_at_boot_unit();
                     });
  }
  void look_at_boot_unit() {
    const std::string& unit = eyes_.said.boot_unit;
    if (unit.empty()) return finish();
    eyes_.runner.run(there({"systemctl", "is-enabled", unit}),
                     [self = shared_from_this()](Result<NodeAnswer> answer) {
                       if (answer)
                         self->took_boot_unit(boot_unit_of(*answer));
                       else
                         self->fact(key::kBootUnitUsable) = clean(to_line(answer.error()), 1000);
                       self->finish();
                     });
  }
  void took_boot_unit(BootUnit found) {
    using State = BootUnit::State;
    const bool fine = found.state == State::enabled || found.state == State::absent;
    fact(key::kBootUnit) = fine ? "enabled" : found.words;
    if (found.state == State::disabled) fact(key::kBootUnit) = "disabled";
    fact(key::kBootUnitUsable) = found.state != State::unusable
                                     ? ""
                                     : fmt::format("slurm-boot-unit: {} on {} is {}", eyes_.said.boot_unit,
                                                   what_.node.text, found.words);
    eyes_.units[what_.node] = std::move(found);
  }
  // What was seen before must not pass for what is there now.
  void not_reached(Error error) {
    eyes_.read.erase(what_.node);
    if (eyes_.boards.contains(what_.node)) return fail(std::move(error));
    fact(key::kDriver) = clean(to_line(error), 1000);
    fact(key::kReachable) = clean(to_line(error), 1000);
    finish();
  }

  // ── together ──────────────────────────────────────────────────────────────────────────────────────────

  const mig::Product* product() const {
    for (const Gpu& gpu : seen_.facts.node.gpus)
      if (gpu.product && eyes_.catalogue) return eyes_.catalogue->by_key(gpu.product->text);
    return nullptr;
  }
  void finish() {
    plan::NodeFacts& all = facts();
    if (auto boards = eyes_.boards.find(what_.node); all.known && remembered_ && boards != eyes_.boards.end())
      lay_boards(all.node, boards->second.gpus);
    Workloads jobs;
    for (const Workload& job : all.workloads) {
      all.node.workloads.push_back(job.id);
      Workload sorted = job;
      std::stable_sort(sorted.allocations.begin(), sorted.allocations.end(),
                       [](const Allocation& a, const Allocation& b) { return a.node < b.node; });
      jobs.upsert(std::move(sorted));
    }
    std::sort(all.node.workloads.begin(), all.node.workloads.end());
    link_holders(all.node, jobs);
    if (all.known && !seen_.site.files.empty()) {
      if (auto minors = eyes_.minors.find(what_.node); minors != eyes_.minors.end())
        seen_.site.mig_minors = minors->second;
      fact(key::kConfig) = plan::slurm::config_word(all.node, product(), seen_.site);
    }
    seen_.told = eyes_.clock();
    told_(std::move(seen_));
  }

  Eyes& eyes_;
  const LookAt what_;
  std::function<void(Result<Seen>)> told_;
  Seen seen_;
  std::shared_ptr<const Census> census_;
  bool remembered_ = false;  // the GPUs in eyes_ are what stands now
  std::vector<std::string> answers_;
  Measured measured_;
  Unapplied unapplied_;
};

// A batch writes its nodes one after the other: more than that many texts need not be told apart.
constexpr std::size_t kMostTexts = 8;

void keep_text(std::deque<slurmconf::Files>& texts, const slurmconf::Files& seen) {
  if (std::find(texts.begin(), texts.end(), seen) != texts.end()) return;
  texts.push_back(seen);
  if (texts.size() > kMostTexts) texts.pop_front();
}

}  // namespace

Result<Unapplied> hold_against(Eyes& eyes, const slurmconf::SlurmSetup& site, const Shown& shown,
                               const std::vector<Node>& nodes, std::set<std::string> marked) {
  Held held;
  held.files.files = site.files;
  held.running = running_of(shown.nodes, shown.partitions, shown.config);
  held.hash = read_hash(shown.config);
  held.booted = LocalTimes().read(config_value(shown.config, "BOOT_TIME"));
  if (eyes.in_step) held.known.push_back(*eyes.in_step);
  for (const slurmconf::Files& seen : eyes.texts) held.known.push_back({seen, std::nullopt});
  keep_text(eyes.texts, site.files);
  std::vector<Backup> backups;
  std::map<std::string, TimePoint> beside;
  if (eyes.host_files) {
    if (auto local = read_conf_files(eyes.commands->conf.empty() ? eyes.conf : eyes.commands->conf))
      held.local = std::move(*local);
    else
      held.hash = {};  // what scontrol reads here cannot be seen
    backups = eyes.host_files->backups();
    beside = eyes.host_files->times_beside();
  } else {
    held.files.changed = newest_change(site.files);
    beside = times_beside(site.files);
    backups = backups_here(site.files);
    std::set<std::string> runs = marking_runs(nodes);
    const bool all_stood = std::all_of(beside.begin(), beside.end(),
                                       [&](const auto& one) { return stood_then(one.second, held.booted); });
    if (!all_stood) runs.merge(newest_runs(backups));
    read_texts(backups, runs);
  }
  for (const std::string& run : marking_runs(nodes))
    if (auto found = as_found_by(site.files, backups, run))
      held.known.push_back({std::move(*found), std::nullopt});
  held.beside = eyes.stood.hold(site.files, std::move(beside), held.booted, backups);
  held.beside.marked = marked_nodes(nodes);
  held.beside.marked.merge(marked);
  if (is_in_step(held)) eyes.in_step = held.files;
  return unapplied(held);
}

std::optional<Seen> take_judged(Eyes& eyes, const NodeName& node, const std::string& run) {
  auto last = eyes.judged.extract(node);
  if (last.empty()) return std::nullopt;
  Seen& seen = last.mapped();
  const Duration age = eyes.clock() - seen.told;
  const bool ours = seen.facts.mark && seen.facts.mark->run == run;
  if (age < Duration(0) || age > kJudgedFor || !ours || !seen.facts.known) return std::nullopt;
  return std::move(seen);
}

bool reads_effect(const std::set<std::string>& words) {
  return std::any_of(std::begin(kOfEffect), std::end(kOfEffect),
                     [&](std::string_view word) { return words.contains(std::string(word)); });
}

void look_at(Eyes& eyes, LookAt what, std::function<void(Result<Seen>)> told,
             std::shared_ptr<const Census> census) {
  auto look = std::make_shared<Look>(eyes, std::move(what), std::move(told));
  census ? look->begin_with(std::move(census)) : look->begin();
}

std::string registered_word(const Node& node, std::optional<TimePoint> slurmd_started) {
  // By its own clock, which a site keeps in step.
  const bool since = slurmd_started && node.reason_at && *slurmd_started > *node.reason_at;
  const bool ours = is_closed(node) && plan::parse_mark(node.reason).has_value();
  std::string wrong;
  for (const char* flag :
       {"INVALID_REG", "INVALID", "INVAL", "UNKNOWN", "NOT_RESPONDING", "DOWN", "COMPLETING"})
    if (has_flag(node, {flag}) && !(ours && since && std::string_view(flag) == "DOWN"))
      wrong += (wrong.empty() ? "" : "+") + std::string(flag);
  if (wrong.empty()) return "yes";
  return node.reason.empty() ? wrong : wrong + " (" + node.reason + ")";
}

bool reaches(slurmconf::Reach reach, const plan::NodeFacts& facts) {
  return reach != slurmconf::Reach::none && (reach != slurmconf::Reach::srun || !facts.closed);
}

std::string let_in(const Seen& seen) {
  return seen.user.empty() || seen.user == "root" ? "root" : "root," + seen.user;
}

}  // namespace tessera::slurm
