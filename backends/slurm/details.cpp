#include "backends/slurm/details.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/job_facts.hpp"
#include "backends/slurm/parse/parse_limits.hpp"
#include "backends/slurm/parse/record.hpp"
#include "engine/model/array_tasks.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kGap = std::chrono::seconds(5);     // between two looks
constexpr Duration kCallPatience{10000};           // with one call
constexpr auto kFresh = std::chrono::seconds(30);  // for which an answer is not asked for again

bool has_word(const std::string& list, std::initializer_list<std::string_view> words) {
  for (const std::string_view one : parts_at_commas(list))
    if (std::any_of(words.begin(), words.end(), [&](std::string_view word) { return lower(one) == word; }))
      return true;
  return false;
}

// What scontrol and sprio take as one word of a list. Anything else would ask for something else.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 256 && text.front() != '-' &&
         text.find_first_of(" ,=\t\"'\\") == std::string_view::npos;
}

// The job's own QOS and those of its partitions.
std::vector<std::string> all_qos(const JobLook& look, const std::string& own) {
  const std::vector<std::string_view> told = parts_at_commas(own);
  std::vector<std::string> all(told.begin(), told.end());
  for (const std::string_view partition : parts_at_commas(look.job.group))
    if (std::string qos = qos_of_partition(look.partitions, std::string(partition)); !qos.empty())
      all.push_back(std::move(qos));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// One job, or all tasks of an array.
Command show_job(const SlurmClient& site, const std::string& job) {
  Command command = scontrol(site, {"-o", "show", "job", job});
  command.deadline = std::min(site.deadline, kCallPatience);
  return command;
}

// The limits that may count for one job, with what of them is in use.
Command show_limits(const SlurmClient& site, const std::string& user, const std::string& qos) {
  Command command =
      scontrol(site, {"show", "assoc_mgr", "flags=users,assoc,qos", "users=" + user, "qos=" + qos});
  command.deadline = std::min(site.deadline, kCallPatience);
  return command;
}

// The limits of these QOS without what is in use, and their flags; slurmdbd answers.
Command show_qos(const SlurmClient& site, const std::string& qos) {
  Command command = scontrol(
      site, {"-n", "-P", "show", "qos", "where", "name=" + qos, "format=" + std::string(kQosColumns)});
  command.argv.front() = site.bin.empty() ? "sacctmgr" : site.bin + "/sacctmgr";
  command.deadline = std::min(site.deadline, kCallPatience);
  return command;
}

// All licences of the cluster, with how many are free.
Command show_licences(const SlurmClient& site) {
  Command command = scontrol(site, {"-o", "show", "licenses"});
  command.deadline = std::min(site.deadline, kCallPatience);
  return command;
}

// The priorities of all jobs that wait for these partitions, part by part.
Command show_priorities(const SlurmClient& site, const std::string& partitions) {
  Command command = scontrol(site, {"-h", "-p", partitions, "-o", std::string(kPriorityColumns)});
  command.argv.front() = site.bin.empty() ? "sprio" : site.bin + "/sprio";
  command.unset.push_back("SPRIO_FORMAT");
  command.deadline = std::min(site.deadline, kCallPatience);
  return command;
}

bool waits_for_licences(const std::string& reason) { return reason == "Licenses"; }

// As an admin would type it: without our folder and environment.
std::string typed(const Command& command) {
  Command shown;
  shown.argv = command.argv;
  std::string& program = shown.argv.front();
  program.erase(0, program.rfind('/') + 1);
  return clean(to_shell_text(shown), 400);
}

}  // namespace

std::string qos_of_partition(const std::string& partitions, const std::string& name) {
  const std::string begin = "PartitionName=" + name + " ";
  for (std::size_t at = 0; at < partitions.size();) {
    const std::size_t end = std::min(partitions.find('\n', at), partitions.size());
    const std::string_view line = std::string_view(partitions).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(begin)) continue;
    const std::size_t key = line.find(" QoS=");
    if (key == std::string_view::npos) return {};
    const std::string_view value = line.substr(key + 5);
    return std::string(slurm::told(value.substr(0, std::min(value.find(' '), value.size()))));
  }
  return {};
}

std::optional<bool> enforces_limits(const ClusterFacts& facts) {
  if (!facts.accounting.empty() && !contains_folded(facts.accounting, "slurmdbd")) return false;
  if (facts.enforced.empty()) return std::nullopt;
  return has_word(facts.enforced, {"limits", "safe", "all"});
}

bool DetailsReader::knows(const JobLook& look) const {
  return details_.of == look.job.id && told_at_ && Steady::now() - *told_at_ < kFresh;
}

void DetailsReader::look(JobLook look, Told told) {
  if (!now_ && knows(look)) return told(details_);
  if (now_ || resting_)
    waiting_ = std::make_unique<Wanted>(Wanted{std::move(look), std::move(told)});
  else
    begin(std::move(look), std::move(told));
}

void DetailsReader::begin(JobLook look, Told told) {
  if (knows(look)) return told(details_);
  now_ = std::make_unique<Wanted>(Wanted{std::move(look), std::move(told)});
  const JobLook& wanted = now_->look;
  details_ = Details{};
  details_.of = wanted.job.id;
  qos_untold_ = false;
  details_.limits_enforced = enforces_limits(wanted.facts);
  const std::string job(job_number(wanted.job.id.text));
  const bool told_there =
      wanted.job.reason.starts_with("Dependency") || waits_for_licences(wanted.job.reason);
  if ((details_.limits_enforced == false && !told_there) || job.empty()) return ask_priorities();
  ask(Teller::job, show_job(site_, job), &DetailsReader::take_job);
}

void DetailsReader::ask(Teller teller, const Command& command, Took took) {
  details_.asked.push_back({teller, typed(command), std::nullopt, {}});
  if (now_->look.controller_fails) {
    details_.asked.back().failure =
        Error{"cannot ask about this job", "slurmctld did not answer a moment ago", ""};
    return end();
  }
  calls_.run(command, [this, took](const Result<Outcome>& result) { (this->*took)(result); });
}

bool DetailsReader::answered(const Result<Outcome>& result, const char* what) {
  std::optional<Error>& failure = details_.asked.back().failure;
  if (!result)
    failure = result.error();
  else
    failure = explain(what, *result, kCallPatience);
  return !failure;
}

void DetailsReader::take_job(const Result<Outcome>& result) {
  if (answered(result, "cannot read the job")) {
    details_.job = parse_job_facts(result->out);
    if (!details_.job)
      details_.asked.back().failure =
          Error{"cannot read the job", "it is no longer pending, or it is hidden from you", ""};
  }
  if (details_.job && now_->look.job.reason.starts_with("Dependency"))
    details_.related = parse_dependencies(result->out);
  if (details_.job && waits_for_licences(now_->look.job.reason))
    details_.licences = parse_licences_asked(result->out);
  if (details_.licences.empty()) return go_on_with_limits();
  ask(Teller::licences, show_licences(site_), &DetailsReader::take_licences);
}

void DetailsReader::take_licences(const Result<Outcome>& result) {
  if (answered(result, "cannot read the licences"))
    add_licences_free(details_.licences, result->out);
  else
    details_.licences.clear();
  go_on_with_limits();
}

void DetailsReader::go_on_with_limits() {
  if (!details_.job || details_.limits_enforced == false) return ask_priorities();
  ask_limits();
}

void DetailsReader::ask_limits() {
  const JobLook& wanted = now_->look;
  const std::vector<std::string> qos = all_qos(wanted, details_.job->qos);
  const bool plain = is_name(wanted.job.user) && std::all_of(qos.begin(), qos.end(), is_name);
  if (plain && !qos.empty() && !wanted.job.account.empty())
    return ask(Teller::limits, show_limits(site_, wanted.job.user, fmt::format("{}", fmt::join(qos, ","))),
               &DetailsReader::take_limits);
  details_.asked.push_back({Teller::limits, {}, {}, {}});
  details_.asked.back().failure =
      Error{"cannot ask for its limits", "its user, account and QOS are not all reported", ""};
  ask_priorities();
}

void DetailsReader::take_limits(const Result<Outcome>& result) {
  if (answered(result, "cannot read its limits")) {
    const JobLook& wanted = now_->look;
    auto read = parse_limits(result->out, {wanted.job.user, wanted.job.account, wanted.job.group,
                                           all_qos(wanted, details_.job->qos)});
    Inquiry& inquiry = details_.asked.back();
    if (!read) {
      inquiry.failure = read.error();
    } else {
      details_.limits = std::move(read->limits);
      qos_untold_ = read->qos_missing;
      if (!read->missing.empty())
        inquiry.note = "not in the answer, and perhaps hidden from you (PrivateData): " +
                       fmt::format("{}", fmt::join(read->missing, ", "));
    }
  } else {
    qos_untold_ = static_cast<bool>(result);
  }
  needs_qos() ? ask_qos() : ask_priorities();
}

// Where slurmctld tells no limits of one of them, or where two of them set the same one and a flag says which
// counts.
bool DetailsReader::needs_qos() const {
  if (qos_untold_) return true;
  const std::vector<Limit>& all = details_.limits;
  return std::any_of(all.begin(), all.end(), [&](const Limit& one) {
    return one.qos && std::any_of(all.begin(), all.end(), [&](const Limit& other) {
             return other.qos && other.owner != one.owner && other.name == one.name &&
                    other.resource == one.resource;
           });
  });
}

void DetailsReader::ask_qos() {
  ask(Teller::qos, show_qos(site_, fmt::format("{}", fmt::join(all_qos(now_->look, details_.job->qos), ","))),
      &DetailsReader::take_qos);
}

void DetailsReader::take_qos(const Result<Outcome>& result) {
  if (answered(result, "cannot read its QOS")) {
    const JobLook& wanted = now_->look;
    const std::vector<std::string> asked = all_qos(wanted, details_.job->qos);
    auto read = parse_qos(result->out, wanted.job.user, wanted.job.account);
    if (!read) details_.asked.back().failure = read.error();
    for (QosTold& one : read ? *read : std::vector<QosTold>()) {
      if (std::find(asked.begin(), asked.end(), one.name) == asked.end()) continue;  // holds for other jobs
      if (one.name == details_.job->qos) details_.over_partition = one.over_partition;
      const bool told = std::any_of(details_.limits.begin(), details_.limits.end(), [&](const Limit& limit) {
        return limit.qos && limit.owner == one.name && limit.teller == Teller::limits;
      });
      if (!told)
        for (Limit& limit : one.limits) details_.limits.push_back(std::move(limit));
    }
  }
  ask_priorities();
}

void DetailsReader::ask_priorities() {
  const JobLook& wanted = now_->look;
  const std::vector<std::string_view> partitions = parts_at_commas(wanted.job.group);
  const bool plain = !partitions.empty() && std::all_of(partitions.begin(), partitions.end(), is_name);
  if (!plain || !contains_folded(wanted.facts.priority, "multifactor")) return end();
  ask(Teller::priority, show_priorities(site_, wanted.job.group), &DetailsReader::take_priorities);
}

void DetailsReader::take_priorities(const Result<Outcome>& result) {
  if (answered(result, "cannot read the parts of its priority")) {
    Inquiry& inquiry = details_.asked.back();
    const bool nothing = contains_folded(result->err, "Unable to find jobs") ||
                         contains_folded(result->out, "Unable to find jobs");
    auto read = nothing ? std::vector<PriorityTold>()
                        : parse_priorities(result->out, std::string(job_number(now_->look.job.id.text)));
    if (!read)
      inquiry.failure = read.error();
    else if (read->empty())
      inquiry.failure = Error{"cannot read the parts of its priority",
                              "sprio does not show the job: it is held, or hidden from you", ""};
    else
      details_.priorities = std::move(*read);
  }
  end();
}

void DetailsReader::end() {
  const bool any = !details_.asked.empty();
  const std::unique_ptr<Wanted> done = std::move(now_);
  told_at_ = Steady::now();
  details_.at = clock_();
  resting_ = any;  // what asked nothing cost nothing
  if (any)
    worker_.after(std::chrono::duration_cast<Duration>(kGap), [this] {
      resting_ = false;
      if (const std::unique_ptr<Wanted> next = std::move(waiting_))
        begin(std::move(next->look), std::move(next->told));
    });
  done->told(details_);
}

}  // namespace tessera::slurm
