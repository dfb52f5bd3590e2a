#include "backends/slurm/accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <set>

#include "backends/last_line.hpp"
#include "backends/slurm/accounting_cache.hpp"
#include "backends/slurm/calls.hpp"
#include "backends/slurm/parse/parse_accounting.hpp"
#include "backends/wait_unless.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr const char* kWhat = "cannot read Slurm's accounting";
constexpr Duration kDay{24LL * 3'600'000};
constexpr Duration kPatience{120'000};           // with one day
constexpr std::size_t kMostOfADay = 256u << 20;  // bytes: some 1.5 million jobs

std::string seconds_text(TimePoint time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

Command tool(const SlurmClient& site, const char* name, std::vector<std::string> arguments) {
  Command command = scontrol(site, std::move(arguments));
  command.argv.front() = site.bin.empty() ? name : site.bin + "/" + name;
  command.deadline = kPatience;
  command.output_limit = kMostOfADay;
  return command;
}

// -X: jobs, without their steps, which are three times as many; -a: of all users; -D: each run of a job that
// was requeued, of which sacct else tells the last alone. Formats and filters of this user's environment are
// left out.
Command ask_day(const SlurmClient& site, TimePoint from, TimePoint to, bool steps) {
  Command command = tool(
      site, "sacct",
      {"-a", "-D", "-n", "-P", std::string("--delimiter=") + kAccountingComma, "-S",
       "uts" + seconds_text(from), "-E", "uts" + seconds_text(to), "-o", std::string(kAccountingColumns)});
  if (!steps) command.argv.insert(command.argv.begin() + 1, "-X");
  command.environment["SLURM_TIME_FORMAT"] = "%s";
  std::erase(command.unset, "SLURM_TIME_FORMAT");
  command.unset.insert(command.unset.end(), {"SACCT_FORMAT", "SACCT_FEDERATION", "SACCT_LOCAL"});
  return command;
}

Error why(const Outcome& outcome) {
  const std::string& err = outcome.err;
  if (err.find("accounting storage is disabled") != std::string::npos ||
      err.find("accounting_storage plugin") != std::string::npos)
    return {kWhat, "Slurm keeps none here: AccountingStorageType is not accounting_storage/slurmdbd",
            "leave out --accounting: tessera record writes a recording"};
  if (outcome.timed_out)
    return {kWhat, fmt::format("slurmdbd gave no answer for {} s", kPatience.count() / 1000),
            "a shorter --since; AccountingStorageHost in scontrol show config is its host"};
  if (outcome.truncated) return {kWhat, "the answer for one day is too large", "a shorter --since"};
  const std::string last = clean(last_line(err), 300);
  if (err.find("nable to connect to database") != std::string::npos)
    return {kWhat, "slurmdbd cannot reach its database: " + last,
            "StorageHost in its slurmdbd.conf is the host of MariaDB or MySQL"};
  // munged is gone here, or has another key than that of slurmdbd's host ("Protocol authentication error").
  if (err.find("authentication error") != std::string::npos ||
      err.find("Authentication credential invalid") != std::string::npos)
    return {kWhat, "slurmdbd cannot tell who asks: " + last,
            "munged must run here, with the key that it has on the host of slurmdbd"};
  if (err.find("talking to the database") != std::string::npos ||
      err.find("ersistent connection") != std::string::npos)
    return {kWhat, "slurmdbd does not answer: " + last,
            "AccountingStorageHost in scontrol show config is its host"};
  return {kWhat, last.empty() ? "the command failed without a message" : last,
          "run sacct -a -X yourself to see more"};
}

constexpr const char* kGivenUp = "it was given up";

// One call after the other on a worker of its own, waited for here.
class Asking {
 public:
  explicit Asking(std::function<bool()> stopped) : stopped_(std::move(stopped)) {}
  Result<std::string> operator()(Command command) {
    const auto answer = std::make_shared<std::promise<Result<Outcome>>>();
    std::future<Result<Outcome>> future = answer->get_future();
    const auto begun = std::chrono::steady_clock::now();
    worker_.post([this, answer, command = std::move(command)]() mutable {
      calls_.run(std::move(command), [answer](Result<Outcome> told) { answer->set_value(std::move(told)); });
    });
    auto told = wait_unless(future, stopped_);
    if (!told) return Error{kWhat, kGivenUp, ""};
    Result<Outcome> came = std::move(*told);
    ++cost_.commands;
    cost_.took += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
    if (came) cost_.bytes += std::ssize(came->out) + std::ssize(came->err);
    if (!came) return Error{kWhat, came.error().reason, came.error().hint};
    // sacct may report a failure and end as if there were no jobs.
    if (!came->succeeded() || came->err.find("error:") != std::string::npos) return why(*came);
    return std::move(came->out);
  }
  ~Asking() { worker_.stop(); }
  // So far, lines left out: however long it takes, all of it is counted.
  const usage::AskingCost& cost() const { return cost_; }

 private:
  std::function<bool()> stopped_;
  Worker worker_;
  Processes processes_{worker_};
  Pacer pacer_{Duration{0}, Pacer::Instant::clock::now()};
  Calls calls_{processes_, pacer_};
  usage::AskingCost cost_;
};

std::int64_t lines_of(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

// What slurmdbd tells of itself, and whether its answers have to show that it tells of the jobs of all users.
struct Sight {
  AccountingRules rules;
  bool to_show = false;
};

Error not_all(const AccountingAsker& who, std::string why) {
  return {kWhat, fmt::format(fmt::runtime(why), clean(who.user, 100)),
          "an admin can set that: sacctmgr modify user NAME set adminlevel=Operator"};
}

// "None|physics,bio\n": jobs of others may then be those of these accounts.
bool coordinates(std::string_view level) {
  const std::size_t bar = level.find('|');
  return bar != std::string_view::npos && level.find_first_not_of(" \n", bar + 1) != std::string_view::npos;
}

// Errors: slurmdbd does not tell this user of the jobs of all users, or may not.
Result<Sight> sees_all(Asking& ask, const SlurmClient& site, const AccountingAsker& who) {
  auto config = ask(tool(site, "sacctmgr", {"show", "config"}));
  if (!config) return config.error();
  const AccountingRules rules = parse_accounting_rules(*config);
  if (!rules.told)
    return Error{kWhat, "sacctmgr does not tell who may see which jobs",
                 "look at what sacctmgr show config prints"};
  const bool open = !rules.jobs_are_private && rules.by_slurmdbd;
  if (open || who.uid == 0 || rules.slurm_user.ends_with(fmt::format("({})", who.uid))) return Sight{rules};
  auto level = ask(
      tool(site, "sacctmgr",
           {"-n", "-P", "list", "user", "name=" + who.user, "withcoord", "format=adminlevel,coordinators"}));
  if (!level) return level.error();
  if (level->starts_with("Operator") || level->starts_with("Administrator")) return Sight{rules};
  if (rules.jobs_are_private)
    return not_all(who, "PrivateData=jobs, and {} is no operator: only own jobs would be counted");
  if (coordinates(*level))
    return not_all(
        who,
        "sacctmgr does not tell PrivateData of slurmdbd from 26.05 on, and {} coordinates accounts: "
        "perhaps only their jobs would be counted");
  return Sight{rules, true};
}

// What an answer about a day depends on. All of it is about the jobs of all users (sees_all).
std::string identity_of(const AccountingQuestion& question, const AccountingRules& rules,
                        const AccountingAsker& who, bool steps) {
  return fmt::format("cluster {}, database {}, all {} for {} ({}), columns {}", question.cluster.text,
                     rules.database, steps ? "steps" : "jobs", who.user, who.uid, kAccountingColumns);
}

// One run of a job: a requeue gives the next one a time of submission of its own, and so does an id that is
// given once more, and a change of its size (as_mysql_job_start: submit_time = job_ptr->resize_time).
std::string run_of(const usage::PastJob& job) {
  return job.id.text + (job.submitted ? "@" + seconds_text(*job.submitted) : "");
}

using Runs = std::set<std::string, std::less<>>;

// What had not ended when the answer was given went on into the next day, and is told there. Where it is not,
// slurmdbd has learned since that it ended before: the answer is no longer what it would say.
bool goes_on(const AccountingAnswer& kept, const std::optional<Runs>& next_day) {
  return std::all_of(kept.jobs.begin(), kept.jobs.end(), [&](const usage::PastJob& job) {
    return job.ended || (next_day && next_day->contains(run_of(job)));
  });
}

// Reads days from the newest on.
class Days {
 public:
  Days(Asking& ask, const SlurmClient& site, const AccountingQuestion& question, AccountingCache& cache,
       bool steps, std::string to_show)
      : ask_(ask),
        site_(site),
        question_(question),
        cache_(cache),
        steps_(steps),
        to_show_(std::move(to_show)) {}

  Status read(TimePoint day) {
    const bool over = day + kDay <= question_.to && day + kDay + kSettled <= question_.now;
    ++told_.days;
    if (std::optional<AccountingAnswer> kept = over ? of_cache(day) : std::nullopt)
      return take(std::move(*kept)), ++told_.kept_days, Done{};
    auto text = ask_(ask_day(site_, day, std::min(day + kDay, question_.to), steps_));
    if (!text) return text.error();
    cost_.lines += lines_of(*text);
    AccountingAnswer answer = parse_accounting(*text);
    const bool shown = shows_others(answer);
    asked_ = true, shown_ = shown_ || shown;
    if (over && answer.unread == 0 && shown) cache_.keep(day, *text);
    return take(std::move(answer)), Done{};
  }

  // There are lines, and no job can be read of any: that is not an accounting without jobs.
  bool reads_none() const { return read_ == 0 && told_.unread > 0; }

  // Jobs of other users were told, where it takes them to know that all are; what was kept had them.
  bool is_whole() const { return shown_ || !asked_; }

  usage::PastJobs past() {
    usage::PastJobs past;
    past.cluster = question_.cluster, past.from = question_.from, past.to = question_.to;
    for (auto& [id, job] : jobs_) past.jobs.push_back(std::move(job));
    told_.cache_trouble = cache_.trouble();
    const usage::AskingCost& asked = ask_.cost();
    past.cost = cost_;
    past.cost.commands = asked.commands, past.cost.bytes = asked.bytes, past.cost.took = asked.took;
    past.told = std::move(told_);
    return past;
  }

 private:
  std::optional<AccountingAnswer> of_cache(TimePoint day) {
    if (question_.ask_again) return std::nullopt;
    const auto text = cache_.find(day);
    if (!text) return std::nullopt;
    AccountingAnswer kept = parse_accounting(*text);
    if (kept.unread > 0 || !goes_on(kept, next_day_)) return std::nullopt;
    cost_.kept_lines += lines_of(*text);
    return kept;
  }

  bool shows_others(const AccountingAnswer& answer) const {
    return to_show_.empty() || std::any_of(answer.jobs.begin(), answer.jobs.end(),
                                           [&](const auto& job) { return job.user != to_show_; });
  }

  // A job of several days is told in each of them; the last tells most.
  void take(AccountingAnswer answer) {
    told_.unread += answer.unread, read_ += answer.jobs.size();
    next_day_.emplace();
    for (AccountedJob& job : answer.jobs) {
      next_day_->insert(run_of(job));
      // What wants processors alone waits for no GPU: most jobs of a site may be such.
      if (!job.has_to_do_with_gpus) continue;
      // Of the first day what ended before the stretch is told, too.
      if (!job.ended || *job.ended >= question_.from) jobs_.try_emplace(run_of(job), std::move(job));
    }
  }

  Asking& ask_;
  const SlurmClient& site_;
  const AccountingQuestion& question_;
  AccountingCache& cache_;
  bool steps_;
  std::string to_show_;  // jobs of others than this user show that all are told; empty: that is known
  bool asked_ = false, shown_ = false;
  std::size_t read_ = 0;                        // jobs, also those that ended before the stretch
  std::map<std::string, usage::PastJob> jobs_;  // by run
  std::optional<Runs> next_day_;  // the jobs that are told of the day behind the one that is read
  usage::AccountingTold told_;
  usage::AskingCost cost_;  // its lines
};

}  // namespace

Result<usage::PastJobs> read_accounting(const SlurmClient& site, const AccountingAsker& who,
                                        const AccountingQuestion& question) {
  Asking ask(question.stopped);
  auto sight = sees_all(ask, site, who);
  if (!sight) return sight.error();
  // What Slurm gathers of GPUs stands with the steps: they are asked for only where it does.
  auto tres = ask(tool(site, "sacctmgr", {"-n", "-P", "list", "tres", "type=gres", "format=type,name"}));
  if (!tres) return tres.error();
  const bool steps = keeps_gpu_use(*tres);
  AccountingCache cache(question.cache, identity_of(question, sight->rules, who, steps), question.now);
  Days days(ask, site, question, cache, steps, sight->to_show ? who.user : std::string());
  const TimePoint first = std::chrono::floor<std::chrono::days>(question.from);
  for (TimePoint day = std::chrono::floor<std::chrono::days>(question.to - Duration{1}); day >= first;
       day -= kDay) {
    // Days that were kept are read without a question, and there may be many of them.
    if (question.stopped && question.stopped()) return Error{kWhat, kGivenUp, ""};
    if (Status read = days.read(day); !read) return read.error();
  }
  if (days.reads_none())
    return Error{kWhat, "none of the lines that sacct printed can be read",
                 "run sacct -a -X yourself to see more"};
  if (!days.is_whole())
    return not_all(
        who,
        "sacctmgr does not tell PrivateData of slurmdbd from 26.05 on, {} is no operator, and no job of "
        "another user is in the answer: perhaps only own jobs would be counted");
  return days.past();
}

}  // namespace tessera::slurm
