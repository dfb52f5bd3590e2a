#include "backends/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "engine/replaced.hpp"
#include "engine/text.hpp"

namespace tessera {

bool is_host_name(std::string_view name) {
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 253 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || c == '.' || c == '-' || c == '_'; });
}

namespace {

using slurmconf::Reach;
using Words = std::vector<std::string>;

// Run on the far side by sh, so that root's login shell may be any. Its last line tells our ssh's 255 ("no
// connection") from the command's own. It begins with a line break, as the command's own words may lack one.
constexpr std::string_view kStatus = "tessera-status ";
constexpr std::string_view kScript = R"("$@"; s=$?; printf '\ntessera-status %s\n' "$s" >&2; exit $s)";
constexpr std::size_t kMostErrorText = 64u << 10;  // of Processes: beyond it the last line is lost

// A name of a reservation or a job, of which lists are parted by commas.
bool is_job_word(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '+', '-');
  return is_host_name(plain);
}

constexpr Duration kRunnerGrace{3000};  // between the end of a look on the node and ours

std::int64_t seconds(Duration time) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count());
}

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// What only reads is ended there as well: looking again and again at a node that hangs must not fill it. What
// changes something is never cut off half-way.
Words there(const RunnerOptions& options, const NodeCommand& wanted) {
  Words words;
  if (!wanted.changes) add(words, {"timeout", "-k", "2", std::to_string(seconds(wanted.deadline))});
  add(words, options.become);
  add(words, wanted.argv);
  return words;
}

std::string shell_text(const Words& words) {
  Command script;
  script.argv = {"exec", "sh", "-c", std::string(kScript), "tessera"};
  add(script.argv, words);
  return to_shell_text(script);
}

Words ssh(const RunnerOptions& options, const NodeCommand& wanted) {
  Words argv{"ssh", "-T", "-a", "-x"};
  if (wanted.input.empty()) argv.push_back("-n");
  for (const std::string& option :
       {std::string("BatchMode=yes"), fmt::format("ConnectTimeout={}", seconds(options.patience)),
        std::string("LogLevel=ERROR"), std::string("ServerAliveInterval=5"),
        std::string("ServerAliveCountMax=3"), std::string("ClearAllForwardings=yes"),
        std::string("PermitLocalCommand=no"), std::string("EscapeChar=none")})
    add(argv, {"-o", option});
  add(argv, wanted.sharing);
  if (!options.login.empty()) add(argv, {"-l", options.login});
  add(argv, {"--", wanted.node.text, shell_text(there(options, wanted))});
  return argv;
}

Words srun(const RunnerOptions& options, const NodeCommand& wanted) {
  Words argv{options.slurm_bin.empty() ? "srun" : options.slurm_bin + "/srun"};
  if (!wanted.reservation.empty()) argv.push_back("--reservation=" + wanted.reservation);
  add(argv, {"-w", wanted.node.text, "-N1", "-n1", "--gres=none", "--mem=0", "--overlap",
             fmt::format("--immediate={}", seconds(options.patience)),
             // Should our side be gone, it ends by itself; what changes something is given long.
             fmt::format("--time={}", (seconds(wanted.deadline) + 59) / 60 + (wanted.changes ? 60 : 1)),
             "--mpi=none", "--chdir=/", "--job-name=" + (wanted.job.empty() ? "tessera" : wanted.job)});
  if (wanted.input.empty()) argv.push_back("--input=none");
  add(argv, there(options, wanted));
  return argv;
}

bool asks_for_text(const RunnerOptions& options) {
  return std::any_of(options.custom.begin(), options.custom.end(),
                     [](const std::string& word) { return word.find("{command}") != std::string::npos; });
}

Words custom(const RunnerOptions& options, const NodeCommand& wanted) {
  Words argv;
  std::string text = shell_text(there(options, wanted));
  for (const std::string& word : options.custom)
    argv.push_back(replaced(replaced(word, "{node}", wanted.node.text), "{command}", text));
  if (!asks_for_text(options)) add(argv, there(options, wanted));
  return argv;
}

// Inside an allocation srun would make a step of it; and a user's defaults must not change what is
// asked.
Words slurm_variables() {
  Words names;
  for (std::string_view word :
       {"JOB_ID",        "JOBID",           "STEP_ID",       "STEPID",     "STEP_NODELIST",
        "JOB_NODELIST",  "NODELIST",        "JOB_NUM_NODES", "NNODES",     "NPROCS",
        "NTASKS",        "NTASKS_PER_NODE", "CPUS_PER_TASK", "CPU_BIND",   "MEM_BIND",
        "MEM_PER_NODE",  "MEM_PER_CPU",     "MEM_PER_GPU",   "GRES",       "GPUS",
        "GPUS_PER_NODE", "GPUS_PER_TASK",   "TRES_PER_TASK", "PARTITION",  "RESERVATION",
        "CONSTRAINT",    "EXCLUSIVE",       "EXPORT_ENV",    "TIMELIMIT",  "UNBUFFEREDIO",
        "LABELIO",       "STDOUTMODE",      "STDERRMODE",    "STDINMODE",  "WORKING_DIR",
        "IMMEDIATE",     "DISTRIBUTION",    "HINT",          "THREADS",    "CLUSTERS",
        "CONTAINER",     "TASK_PROLOG",     "TASK_EPILOG",   "SRUN_MULTI", "QOS",
        "DEBUG",         "HET_SIZE"})
    names.push_back("SLURM_" + std::string(word));
  return names;
}

bool holds_nul(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.find('\0') != std::string::npos; });
}

std::string what_ran(const NodeCommand& wanted) {
  Command shown;
  shown.argv = wanted.argv;
  return clean(to_shell_text(shown), 160);
}

std::string last_words(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  if (text.size() > 600) text.remove_prefix(text.size() - 600);
  std::string line = replaced(replaced(std::string(text), "\r", ""), "\n", "; ");
  return clean(line, 800);
}

struct Advice {
  std::string_view words;  // folded
  std::string_view hint;
};

std::string hint_for(std::string_view said, std::initializer_list<Advice> known) {
  for (const Advice& one : known)
    if (contains_folded(said, one.words)) return std::string(one.hint);
  return "";
}

std::string ssh_hint(std::string_view said) {
  return hint_for(
      said, {{"permission denied", "give ssh a key that opens this node without a password"},
             {"host key verification",
              "the node's key is unknown or has changed: check it, then log in once by hand"},
             {"remote host identification", "the node's key has changed: check why before you trust it"},
             {"could not resolve", "is this the name by which the node is reached?"},
             {"account is", "ssh must open a shell there"},
             {"connection", "is the node up, and does its sshd listen?"}});
}

std::string srun_hint(std::string_view said) {
  return hint_for(
      said,
      {{"down, drained or reserved", "a drained node takes no srun: reserve it in place of draining"},
       {"nodes are busy", "reserve the node, so that it is free for this"},
       {"access denied to requested reservation", "the reservation must name the user that runs tessera"},
       {"invalid reservation", "the reservation is gone, or does not hold this node"},
       {"unable to contact", "is slurmctld up?"},
       {"invalid user id", "run tessera as a Slurm administrator"}});
}

// Takes our last line off the error text; nullopt: it is not there.
std::optional<int> take_status(std::string& err) {
  std::size_t at = err.rfind(kStatus);
  if (at == std::string::npos || (at > 0 && err[at - 1] != '\n')) return std::nullopt;
  const std::size_t ours = at > 0 ? at - 1 : 0;  // with the line break before it
  const char* first = err.data() + at + kStatus.size();
  const char* end = err.data() + err.size();
  int status = 0;
  auto [rest, code] = std::from_chars(first, end, status);
  if (code != std::errc() || status < 0 || status > 255) return std::nullopt;
  if (rest != end && *rest != '\n' && *rest != '\r') return std::nullopt;
  err.erase(ours);
  return status;
}

// Takes srun's own lines about the task off; true: the task did run.
bool take_task_lines(std::string& err) {
  std::string kept;
  bool ran = false;
  std::string_view rest = err;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    bool task = line.starts_with("srun: error: ") && line.find(": task 0: ") != std::string_view::npos;
    ran = ran || task;
    bool notice = line.starts_with("srun: job ");
    if (!task && !notice) kept.append(line).append("\n");
  }
  err = std::move(kept);
  return ran;
}

Error not_reached(const NodeCommand& wanted, std::string_view way, std::string_view said, std::string hint) {
  std::string reason = last_words(said);
  if (reason.empty()) reason = "it says nothing";
  return {fmt::format("cannot run on {} by {}", clean(wanted.node.text, 64), way), std::move(reason),
          std::move(hint)};
}

NodeAnswer answer(Outcome&& outcome, int exit_code) {
  return {exit_code, std::move(outcome.out), std::move(outcome.err), outcome.took};
}

Result<NodeAnswer> judge_ssh(const NodeCommand& wanted, Outcome&& outcome) {
  bool lost = outcome.err.size() >= kMostErrorText;
  if (std::optional<int> status = take_status(outcome.err)) return answer(std::move(outcome), *status);
  if (lost && outcome.exit_code != 255) {
    int code = outcome.exit_code;
    return answer(std::move(outcome), code);
  }
  if (!outcome.out.empty())
    return Error{fmt::format("the connection to {} was lost", clean(wanted.node.text, 64)),
                 last_words(outcome.err),
                 fmt::format("'{}' may have run there, or may still run", what_ran(wanted))};
  return not_reached(wanted, "ssh", outcome.err, ssh_hint(outcome.err));
}

Result<NodeAnswer> judge_srun(const NodeCommand& wanted, Outcome&& outcome) {
  std::string said = outcome.err;
  bool ran = take_task_lines(outcome.err);
  if (outcome.exit_code != 0 && !ran) return not_reached(wanted, "srun", said, srun_hint(said));
  int code = outcome.exit_code;
  return answer(std::move(outcome), code);
}

Result<NodeAnswer> judge_way(const RunnerOptions& options, const NodeCommand& wanted, Outcome&& outcome) {
  if (options.reach == Reach::ssh) return judge_ssh(wanted, std::move(outcome));
  if (options.reach == Reach::srun) return judge_srun(wanted, std::move(outcome));
  int code = outcome.exit_code;
  // The site's way may put words before our line, or end with a code of its own.
  if (std::optional<int> status = take_status(outcome.err)) code = *status;
  return answer(std::move(outcome), code);
}

// The job in "…/slurm/uid_0/job_12/step_0" or "…/slurmstepd.scope/job_12/…". From 26.05 on the folder is
// named by the job's SLUID; "system" is slurmd's own.
std::optional<std::string> job_in(std::string_view path) {
  bool by_slurm = false, next_is_job = false;
  while (!path.empty()) {
    std::size_t end = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(path.size(), end + 1));
    const bool job = next_is_job || (by_slurm && part.starts_with("job_"));
    if (job && part.starts_with("job_")) part.remove_prefix(4);
    if (job && !part.empty() && part.size() <= 20 && part != "system") return clean(part, 20);
    by_slurm = by_slurm || part.find("slurm") != std::string_view::npos;
    next_is_job = part.ends_with("slurmstepd.scope") || (by_slurm && part.starts_with("uid_"));
  }
  return std::nullopt;
}

bool is_container(std::string_view path) {
  return path.find("kubepods") != std::string_view::npos || path.find("/docker") != std::string_view::npos ||
         path.find("libpod") != std::string_view::npos ||
         path.find("cri-containerd") != std::string_view::npos;
}

}  // namespace

Result<Command> command_on(const RunnerOptions& options, const NodeCommand& wanted) {
  auto cannot = [&](std::string reason, std::string hint) {
    return Error{fmt::format("cannot run a command on {}", clean(wanted.node.text, 64)), std::move(reason),
                 std::move(hint)};
  };
  // Anything else could be read as an option or as a part of a command.
  if (!is_host_name(wanted.node.text)) return cannot("that is no host name", "");
  if (wanted.argv.empty() || wanted.argv.front().empty()) return cannot("the command is empty", "");
  if (holds_nul(wanted.argv)) return cannot("a word holds a NUL byte", "");
  if (!wanted.reservation.empty() && !is_job_word(wanted.reservation))
    return cannot("that is no name of a reservation", "");
  if (!wanted.job.empty() && !is_job_word(wanted.job)) return cannot("that is no name of a job", "");
  Command command;
  command.input = wanted.input;
  // A look is ended by the node first, so that srun gives its job back.
  command.deadline = wanted.deadline + (wanted.changes ? Duration(0) : kRunnerGrace);
  command.output_limit = wanted.output_limit;
  command.dies_with_us = !wanted.changes;
  command.environment["LC_ALL"] = "C";
  switch (options.reach) {
    case Reach::none:
      return cannot("no way to the nodes is set up",
                    "say in the configuration how nodes are reached: ssh, srun or a command");
    case Reach::ssh:
      command.argv = ssh(options, wanted);
      // The shared connection stays, and so must what carries it (a ProxyCommand).
      command.leaves_others = !wanted.sharing.empty();
      break;
    case Reach::srun:
      command.argv = srun(options, wanted);
      command.unset = slurm_variables();
      if (!options.slurm_conf.empty()) command.environment["SLURM_CONF"] = options.slurm_conf;
      break;
    case Reach::custom:
      if (options.custom.empty()) return cannot("the site's own command is empty", "");
      command.argv = custom(options, wanted);
      break;
  }
  return command;
}

namespace {

Command beside_srun(const RunnerOptions& options, const char* program, Words words) {
  Command command;
  command.argv = {options.slurm_bin.empty() ? program : options.slurm_bin + "/" + program};
  add(command.argv, words);
  command.environment["LC_ALL"] = "C";
  if (!options.slurm_conf.empty()) command.environment["SLURM_CONF"] = options.slurm_conf;
  command.unset = {"SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_STATES", "SLURM_CLUSTERS"};
  return command;
}

}  // namespace

Command jobs_named(const RunnerOptions& options, const std::string& name) {
  return beside_srun(options, "squeue", {"-a", "-h", "-t", "PD,R,S,CF", "-o", "%A", "-n", name});
}

Command cancel_job(const RunnerOptions& options, const std::string& id) {
  Command command = beside_srun(options, "scancel", {id});
  command.dies_with_us = false;
  return command;
}

Result<NodeAnswer> judge(const RunnerOptions& options, const NodeCommand& wanted, Outcome outcome) {
  std::string node = clean(wanted.node.text, 64), ran = what_ran(wanted);
  std::string may = wanted.changes ? "it may still run there: look at the node before going on" : "";
  Error late{fmt::format("no answer from {}", node),
             fmt::format("'{}' did not end within {} s", ran, seconds(wanted.deadline)), may};
  if (outcome.timed_out) return late;
  if (outcome.truncated)
    return Error{fmt::format("too long an answer from {}", node),
                 fmt::format("'{}' printed more than {} bytes", ran, wanted.output_limit), may};
  if (outcome.signal != 0)
    return Error{fmt::format("no answer from {}", node),
                 fmt::format("ssh, or the site's own command, was killed by signal {}", outcome.signal), may};
  Result<NodeAnswer> judged = judge_way(options, wanted, std::move(outcome));
  // timeout(1) says 124, or 137 when it had to kill.
  bool ended = judged && !wanted.changes && (judged->exit_code == 124 || judged->exit_code == 137);
  if (ended && judged->took >= wanted.deadline) return late;
  return judged;
}

Result<Preflight> parse_preflight(std::string_view id, std::string_view cgroup) {
  auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!id.empty() && blank(id.back())) id.remove_suffix(1);
  Preflight found;
  auto [end, code] = std::from_chars(id.data(), id.data() + id.size(), found.uid);
  if (code != std::errc() || end != id.data() + id.size() || found.uid < 0)
    return Error{"cannot determine as which user commands run there", "id -u printed: " + clean(id, 80), ""};
  while (!cgroup.empty()) {
    std::size_t stop = std::min(cgroup.find('\n'), cgroup.size());
    std::string_view line = cgroup.substr(0, stop);
    cgroup.remove_prefix(std::min(cgroup.size(), stop + 1));
    bool tells = false;
    if (!found.job) tells = (found.job = job_in(line)).has_value();
    if (is_container(line)) tells = found.contained = true;
    if ((tells || found.cgroup.empty()) && !line.empty()) found.cgroup = clean(line, 200);
  }
  if (found.cgroup.empty())
    return Error{"cannot determine where commands run there", "/proc/self/cgroup is empty", ""};
  return found;
}

std::vector<Error> objections(const Preflight& preflight, const NodeName& node) {
  std::vector<Error> all;
  std::string name = clean(node.text, 64);
  if (preflight.uid != 0)
    all.push_back({fmt::format("on {} commands run as user {}, not as root", name, preflight.uid),
                   "MIG instances are seen and changed by root only",
                   "let the way to the nodes lead to root, or put 'sudo -n' before the commands"});
  if (preflight.job)
    all.push_back(
        {fmt::format("on {} commands run inside the cgroup of job {}", name, *preflight.job),
         preflight.cgroup,
         "with ConstrainDevices=yes the GPUs are hidden there; by ssh it is pam_slurm_adopt that puts "
         "them there: except root from it"});
  if (preflight.contained)
    all.push_back({fmt::format("on {} commands run inside a container", name), preflight.cgroup,
                   "the host's GPUs must be changed from the host"});
  return all;
}

namespace {

// `then` gets what became of it, for people; empty: there is none left.
void end_job(Processes& processes, const RunnerOptions& options, const std::string& name,
             std::function<void(std::string)> then) {
  std::string by_hand = "its job, called " + name + ", may still run: scancel -n " + name;
  processes.run(jobs_named(options, name), [&processes, options, by_hand,
                                            then = std::move(then)](Result<Outcome> listed) {
    if (!listed || !listed->succeeded()) return then(by_hand);
    std::string id = listed->out.substr(0, listed->out.find('\n'));
    if (id.empty()) return then("");
    if (id.size() > 20 || id.find_first_not_of("0123456789") != std::string::npos) return then(by_hand);
    processes.run(cancel_job(options, id), [id, then](Result<Outcome> ended) {
      bool done = ended && ended->succeeded();
      then(done ? "its job " + id + " was cancelled" : "its job " + id + " may still run: scancel " + id);
    });
  });
}

// A way that takes words must hand them on as they are. One that joins them for a shell there shows it by
// these, which do no harm in one.
constexpr const char* kWords[] = {"two  words", "$((1+1))"};
constexpr Duration kProbe{15000};

std::optional<Error> unfaithful(const NodeCommand& wanted, const NodeAnswer& answer) {
  std::string whole;
  for (const char* word : kWords) whole.append(word).append("\n");
  if (answer.exit_code == 0 && answer.out == whole) return std::nullopt;
  std::string said = last_words(answer.out.empty() ? answer.err : answer.out);
  return Error{
      fmt::format("cannot run a command on {}", clean(wanted.node.text, 64)),
      "slurm-runner does not hand words on as they are (a shell there seems to read them): " + said,
      "end it with {command}, for which tessera puts one quoted text; a way that lets few commands through "
      "must let printf through"};
}

}  // namespace

// Not this process's number alone: another machine's tessera may have the same.
std::string NodeRunner::next_job() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("tessera-{}-{}-{}-{}", clean(host, 64), ::getpid(), now, ++jobs_);
}

void NodeRunner::run(NodeCommand wanted, Finished finished) {
  const bool by_words = options_.reach == Reach::custom && !asks_for_text(options_);
  if (!by_words || faithful_->contains(wanted.node.text))
    return start(std::move(wanted), std::move(finished));
  NodeCommand probe = wanted;
  probe.input.clear();
  probe.changes = false;
  probe.deadline = std::min(wanted.deadline, kProbe);
  probe.argv = {"printf", "%s\\n"};
  probe.argv.insert(probe.argv.end(), std::begin(kWords), std::end(kWords));
  start(std::move(probe), [self = *this, wanted = std::move(wanted),
                           finished = std::move(finished)](const Result<NodeAnswer>& answer) mutable {
    if (!answer) return finished(answer.error());
    if (auto error = unfaithful(wanted, *answer)) return finished(std::move(*error));
    self.faithful_->insert(wanted.node.text);
    self.start(std::move(wanted), std::move(finished));
  });
}

void NodeRunner::start(NodeCommand wanted, Finished finished) {
  // A name that is none is refused before ssh is asked about it.
  const bool shared =
      connections_ && options_.reach == Reach::ssh && is_host_name(wanted.node.text) && !wanted.argv.empty();
  shared ? start_shared(std::move(wanted), std::move(finished))
         : start_now(std::move(wanted), std::move(finished));
}

void NodeRunner::start_shared(NodeCommand wanted, Finished finished) {
  const NodeName node = wanted.node;
  connections_->options_for(node, [self = *this, wanted = std::move(wanted),
                                   finished = std::move(finished)](std::vector<std::string> options) mutable {
    wanted.sharing = std::move(options);
    if (wanted.sharing.empty()) return self.start_now(std::move(wanted), std::move(finished));
    auto judged = [self, wanted, finished = std::move(finished)](Result<NodeAnswer> answer) mutable {
      if (answer) return finished(std::move(answer));
      if (self.connections_->is_at_fault(answer.error().reason)) {
        wanted.sharing.clear();
        return self.start_now(std::move(wanted), std::move(finished));
      }
      self.connections_->drop(wanted.node);
      finished(std::move(answer));
    };
    self.start_now(wanted, std::move(judged));
  });
}

void NodeRunner::start_now(NodeCommand wanted, Finished finished) {
  const bool by_job = options_.reach == Reach::srun && wanted.changes;
  if (by_job && wanted.job.empty()) wanted.job = next_job();
  Result<Command> command = command_on(options_, wanted);
  if (!command) {
    // Answers never come from inside run(): a program that cannot exist takes the same way.
    Command nothing;
    processes_.run(std::move(nothing), [finished = std::move(finished), error = command.error()](
                                           const Result<Outcome>&) { finished(error); });
    return;
  }
  if (counted_.started) counted_.started(wanted);
  processes_.run(std::move(*command),
                 [processes = &processes_, by_job, options = options_, wanted = std::move(wanted),
                  ended = counted_.ended, finished = std::move(finished)](Result<Outcome> outcome) {
                   if (!outcome) return finished(outcome.error());
                   if (ended) ended(wanted, *outcome);
                   bool late = outcome->timed_out;
                   Result<NodeAnswer> answer = judge(options, wanted, std::move(*outcome));
                   if (!by_job || !late) return finished(std::move(answer));
                   end_job(*processes, options, wanted.job,
                           [answer = std::move(answer), finished](std::string became) mutable {
                             if (!answer && !became.empty()) {
                               Error error = answer.error();
                               error.reason += "; " + became;
                               answer = std::move(error);
                             }
                             finished(std::move(answer));
                           });
                 });
}

void NodeRunner::preflight(NodeCommand like, Looked looked) {
  like.input.clear();
  like.changes = false;
  like.argv = {"id", "-u"};
  NodeCommand second = like;
  second.argv = {"cat", "/proc/self/cgroup"};
  // Reading where root runs needs no becoming root, but the answer must be about what later runs: both keep
  // it.
  run(std::move(like),
      [self = *this, second = std::move(second), looked = std::move(looked)](Result<NodeAnswer> id) mutable {
        if (!id) return looked(id.error());
        self.run(second, [looked, said = id->exit_code == 0 ? id->out : id->err](Result<NodeAnswer> cgroup) {
          if (!cgroup) return looked(cgroup.error());
          looked(parse_preflight(said, cgroup->out));
        });
      });
}

}  // namespace tessera
