#include "backends/slurm/accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>

#include "backends/last_line.hpp"
#include "backends/slurm/calls.hpp"
#include "backends/slurm/parse/parse_accounting.hpp"
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

// -X: jobs, not their steps; -a: of all users. Formats and filters of this user's environment are left out.
Command ask_day(const SlurmClient& site, TimePoint from, TimePoint to) {
  Command command = tool(
      site, "sacct",
      {"-X", "-a", "-n", "-P", std::string("--delimiter=") + kAccountingComma, "-S",
       "uts" + seconds_text(from), "-E", "uts" + seconds_text(to), "-o", std::string(kAccountingColumns)});
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
  if (err.find("talking to the database") != std::string::npos ||
      err.find("ersistent connection") != std::string::npos)
    return {kWhat, "slurmdbd does not answer: " + last,
            "AccountingStorageHost in scontrol show config is its host"};
  return {kWhat, last.empty() ? "the command failed without a message" : last,
          "run sacct -a -X yourself to see more"};
}

// One call after the other on a worker of its own, waited for here.
class Asking {
 public:
  Result<std::string> operator()(Command command) {
    std::promise<Result<Outcome>> answer;
    worker_.post([&] {
      calls_.run(std::move(command), [&](Result<Outcome> came) { answer.set_value(std::move(came)); });
    });
    Result<Outcome> came = answer.get_future().get();
    if (!came) return Error{kWhat, came.error().reason, came.error().hint};
    // sacct may report a failure and end as if there were no jobs.
    if (!came->succeeded() || came->err.find("error:") != std::string::npos) return why(*came);
    return std::move(came->out);
  }
  ~Asking() { worker_.stop(); }

 private:
  Worker worker_;
  Processes processes_{worker_};
  Pacer pacer_{Duration{0}, Pacer::Instant::clock::now()};
  Calls calls_{processes_, pacer_};
};

// Whether slurmdbd tells this user of the jobs of all users.
Status sees_all(Asking& ask, const SlurmClient& site, const AccountingAsker& who) {
  auto config = ask(tool(site, "sacctmgr", {"show", "config"}));
  if (!config) return config.error();
  const AccountingRules rules = parse_accounting_rules(*config);
  if (!rules.told)
    return Error{kWhat, "sacctmgr does not tell who may see which jobs",
                 "look at what sacctmgr show config prints"};
  if (!rules.jobs_are_private || who.uid == 0 || rules.slurm_user.ends_with(fmt::format("({})", who.uid)))
    return Done{};
  auto level =
      ask(tool(site, "sacctmgr", {"-n", "-P", "list", "user", "name=" + who.user, "format=adminlevel"}));
  if (!level) return level.error();
  if (level->starts_with("Operator") || level->starts_with("Administrator")) return Done{};
  return Error{kWhat,
               fmt::format("PrivateData=jobs, and {} is no operator: only own jobs would be counted",
                           clean(who.user, 100)),
               "an admin can set that: sacctmgr modify user NAME set adminlevel=Operator"};
}

}  // namespace

Result<usage::PastJobs> read_accounting(const SlurmClient& site, const AccountingAsker& who, TimePoint from,
                                        TimePoint to) {
  Asking ask;
  if (Status all = sees_all(ask, site, who); !all) return all.error();
  usage::PastJobs past;
  past.from = from, past.to = to;
  // A job of several days is told in each of them; the last tells most.
  std::map<std::string, usage::PastJob> jobs;
  for (TimePoint day = from; day < to; day += kDay) {
    auto text = ask(ask_day(site, day, std::min(day + kDay, to)));
    if (!text) return text.error();
    AccountingAnswer answer = parse_accounting(*text);
    past.unread += answer.unread;
    for (usage::PastJob& job : answer.jobs) jobs[job.id.text] = std::move(job);
  }
  for (auto& [id, job] : jobs) past.jobs.push_back(std::move(job));
  return past;
}

}  // namespace tessera::slurm
