// Slurm's limits against one job.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/text.hpp"
#include "engine/why/details.hpp"
#include "engine/why/words.hpp"

namespace tessera::why {
namespace {

std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

// GPUs of this type ("gres/gpu", "gres/gpu:h100") in a list of requests; nullopt: the type is left open.
std::optional<double> gpus_asked(const Workload& job, std::string_view resource) {
  const std::string_view wanted = resource.substr(std::string_view("gres/").size());
  double sum = 0;
  for (const Request& request : job.requests) {
    const bool any = request.resource == "gpu";
    if (!any && !request.resource.starts_with("gpu:")) continue;
    if (wanted != "gpu" && any) return std::nullopt;
    if (wanted == "gpu" || request.resource == wanted) sum += static_cast<double>(request.count);
  }
  return sum;
}

// Of MPS or shards, which have no types.
double shares_asked(const Workload& job, std::string_view wanted) {
  double sum = 0;
  for (const Request& request : job.requests)
    if (request.resource == wanted) sum += static_cast<double>(request.count);
  return sum;
}

std::optional<double> minutes_of(const std::optional<JobFacts>& job) {
  if (!job || !job->limit) return std::nullopt;
  return std::chrono::duration<double, std::ratio<60>>(*job->limit).count();
}

// How much of a resource the job asks for, on all its nodes together.
std::optional<double> resource_asked(const Workload& job, std::string_view resource) {
  if (resource == "gres/gpu" || resource.starts_with("gres/gpu:")) return gpus_asked(job, resource);
  if (resource == "gres/shard" || resource == "gres/mps") return shares_asked(job, resource.substr(5));
  if (resource == "node") return job.node_count > 0 ? std::optional<double>(job.node_count) : std::nullopt;
  if (!job.needs) return std::nullopt;
  if (resource == "cpu" && job.needs->cpus) return *job.needs->cpus;
  if (resource == "mem" && job.needs->memory) return static_cast<double>(job.needs->memory->value);
  return std::nullopt;
}

bool counts_jobs(const Limit& limit) { return limit.name.find("Jobs") != std::string::npos; }
bool is_least(const Limit& limit) { return limit.name.starts_with("Min"); }
bool counts_past_minutes(const Limit& limit) {
  return limit.name == "GrpTRESMins" || limit.name == "GrpWall";
}
bool counts_minutes(const Limit& limit) {
  return limit.name.find("Mins") != std::string::npos || limit.name.find("Wall") != std::string::npos;
}

std::optional<double> asked_of_limit(const Limit& limit, const Workload& job,
                                     const std::optional<JobFacts>& facts) {
  if (counts_jobs(limit)) return 1;
  if (limit.name.find("Wall") != std::string::npos) return minutes_of(facts);
  auto asks = resource_asked(job, limit.resource);
  if (limit.counted == Limit::Of::node && asks && job.node_count > 1) return std::nullopt;  // not how spread
  if (!counts_minutes(limit)) return asks;
  const auto minutes = minutes_of(facts);
  return asks && minutes ? std::optional(*asks * *minutes) : std::nullopt;
}

// nullopt: what it asks for, or what is in use, is not known, and the rest does not decide it.
std::optional<bool> is_reached(const Limit& limit, std::optional<double> asks) {
  // Slurm takes what a job does not ask for as less than enough, too.
  if (is_least(limit)) return asks ? std::optional(*asks < limit.limit) : std::nullopt;
  // What is not asked for cannot be too much: a limit on CPUs holds back no job for its GPUs.
  if (asks && *asks <= 0) return false;
  const bool each = limit.counted == Limit::Of::job || limit.counted == Limit::Of::node;
  if (each) return asks ? std::optional(*asks > limit.limit) : std::nullopt;
  const bool past = counts_past_minutes(limit);
  if (limit.used && *limit.used >= limit.limit && (past || asks)) return true;
  if (!past && asks && *asks > limit.limit) return true;
  if (!asks || !limit.used) return std::nullopt;
  const bool passes = *limit.used + *asks <= limit.limit;
  // Whether its own minutes count beforehand depends on AccountingStorageEnforce: safe.
  return past && !passes ? std::nullopt : std::optional(!passes);
}

// Whether Slurm leaves out the association's limit because the QOS has this one. What a QOS says of running
// jobs stands for each user or each account, and an association's for its user.
bool overrules(const Limit& qos, const Limit& association) {
  if (qos.name == association.name) return qos.resource == association.resource;
  return association.name == "MaxJobs" && (qos.name == "MaxJobsPU" || qos.name == "MaxJobsPA");
}

std::string owner_of(const Limit& limit) {
  if (limit.qos) return fmt::format("QOS {}", limit.owner);
  if (limit.user.empty()) return fmt::format("association of account {}", limit.owner);
  return fmt::format("association of {} in account {}", limit.user, limit.owner);
}

std::string unit_of(const Limit& limit) {
  if (counts_minutes(limit)) return " minutes";
  return limit.resource == "mem" ? " MiB" : "";
}

std::string_view command_name(const Limit& limit) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"MaxTRESPU", "MaxTRESPerUser"}, {"MaxTRESPA", "MaxTRESPerAccount"},
      {"MaxJobsPU", "MaxJobsPerUser"}, {"MaxJobsPA", "MaxJobsPerAccount"},
      {"MaxTRESPJ", "MaxTRESPerJob"},  {"MaxTRESPN", "MaxTRESPerNode"},
      {"MaxWallPJ", "MaxWall"},        {"MaxTRESMinsPJ", "MaxTRESMinsPerJob"},
      {"MinTRESPJ", "MinTRESPerJob"}};
  for (const auto& [told, typed] : kNames)
    if (limit.name == told) return typed;
  return limit.name;
}

// What sacctmgr is told so that the job passes; empty: it is not known by how much.
std::string raise(const Checked& checked) {
  const Limit& limit = *checked.limit;
  if (!checked.asks || counts_past_minutes(limit) || !is_plain(limit.owner) ||
      (!limit.user.empty() && !is_plain(limit.user)))
    return {};
  if (!limit.resource.empty() && !is_plain(limit.resource)) return {};
  // Several clusters may share one slurmdbd: without its name the limit would be raised on all of them.
  if (!limit.qos && (!is_plain(limit.cluster) || (!limit.partition.empty() && !is_plain(limit.partition))))
    return {};
  const bool each = limit.counted == Limit::Of::job || limit.counted == Limit::Of::node;
  if (!each && !limit.used) return {};  // what is in use comes on top, and is not told
  const double needed = std::ceil(*checked.asks + (each ? 0 : *limit.used));
  // Less than nothing cannot be asked for: -1 takes the limit away.
  const std::string count = is_least(limit) && needed <= 0 ? "-1" : number(needed);
  const std::string to = limit.resource.empty() ? count : limit.resource + "=" + count;
  std::string which = limit.qos ? fmt::format("modify qos where name={}", limit.owner)
                      : limit.user.empty()
                          ? fmt::format("modify account where name={} cluster={}", limit.owner, limit.cluster)
                          : fmt::format("modify user where name={} account={} cluster={}", limit.user,
                                        limit.owner, limit.cluster);
  if (!limit.partition.empty()) which += fmt::format(" partition={}", limit.partition);
  return fmt::format("sacctmgr {} set {}={}", which, command_name(limit), to);
}

// Whether what this job holds may be counted by the limit: the QOS of others is not listed, so that what is
// held has to add up to what slurmctld counts. nullopt: that cannot be told.
std::optional<bool> counts(const Limit& limit, const Workload& one) {
  if (limit.qos) {
    if (limit.counted == Limit::Of::user) return one.user == limit.whose;
    if (limit.counted == Limit::Of::account) return one.account == limit.whose;
    return limit.counted == Limit::Of::all ? std::optional(true) : std::nullopt;
  }
  if (one.account != limit.owner) return false;
  return limit.user.empty() || one.user == limit.user;
}

std::optional<double> held_by(const Limit& limit, const Workload& one) {
  if (counts_jobs(limit)) return 1;
  if (counts_minutes(limit) || (limit.resource != "gres/gpu" && !limit.resource.starts_with("gres/gpu:")))
    return std::nullopt;
  const std::string_view type =
      limit.resource == "gres/gpu" ? "" : std::string_view(limit.resource).substr(9);
  double sum = 0;
  for (const Allocation& held : one.allocations)
    if (held.family == Family::gpu && (type.empty() || held.type == type)) sum += held.count;
  return sum;
}

struct Release {
  TimePoint at{};
  const Workload* last = nullptr;
};

// When those that the limit counts have ended, by their time limits, so that the job passes. nullopt: not
// known, above all where what runs does not add up to what slurmctld counts.
std::optional<Release> released(const Cluster& cluster, const Checked& checked) {
  const Limit& limit = *checked.limit;
  if (!checked.asks || !limit.used || *checked.asks > limit.limit) return std::nullopt;
  std::vector<std::pair<const Workload*, double>> all;
  double sum = 0;
  for (const Workload& one : cluster.workloads.all()) {
    if (one.state == WorkloadState::pending || one.state == WorkloadState::ended) continue;
    const auto counted = counts(limit, one);
    if (counted == false) continue;
    const auto held = held_by(limit, one);
    if (!counted || !held) return std::nullopt;
    if (*held <= 0) continue;
    all.emplace_back(&one, *held);
    sum += *held;
  }
  if (sum != *limit.used) return std::nullopt;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first->ends.value_or(TimePoint::max()), a.first->id) <
           std::pair(b.first->ends.value_or(TimePoint::max()), b.first->id);
  });
  for (const auto& [one, held] : all) {
    if (!one->ends) return std::nullopt;
    sum -= held;
    if (sum + *checked.asks <= limit.limit) return Release{*one->ends, one};
  }
  return std::nullopt;
}

bool are_rivals(const Limit& one, const Limit& other) {
  return one.qos && other.qos && one.owner != other.owner && one.name == other.name &&
         one.resource == other.resource;
}

// Of a limit that both the job's QOS and its partition's set one alone counts: the partition's, unless the
// job's QOS has the flag OverPartQOS. Of several partitions each has its own.
void leave_out_overruled(std::vector<Checked>& all, const Details& details, const Workload& job) {
  if (!details.over_partition || !details.job || job.group.find(',') != std::string::npos) return;
  const auto is_own = [&](const Checked& one) { return one.limit->owner == details.job->qos; };
  const std::vector<Checked> before = all;
  std::erase_if(all, [&](const Checked& one) {
    return std::any_of(before.begin(), before.end(), [&](const Checked& other) {
      return are_rivals(*one.limit, *other.limit) && is_own(one) != is_own(other) &&
             is_own(one) != *details.over_partition;
    });
  });
}

// Where the flag is not told, as slurmctld does not list it: where both differ, only a reason of Slurm's that
// is a limit says that the one which is reached counts.
void settle_rivals(std::vector<Checked>& all, const Workload& job) {
  if (slurm_meaning(job.reason).topic == Topic::limit) return;
  const std::vector<Checked> before = all;
  for (Checked& one : all)
    for (const Checked& other : before)
      if (one.reached == true && other.reached != true && are_rivals(*one.limit, *other.limit))
        one.reached.reset();
}

}  // namespace

std::vector<Checked> check_limits(const Details& details, const Workload& job) {
  std::vector<Checked> all;
  for (const Limit& limit : details.limits) {
    const bool overruled =
        !limit.qos && std::any_of(details.limits.begin(), details.limits.end(),
                                  [&](const Limit& other) { return other.qos && overrules(other, limit); });
    if (overruled) continue;
    const auto asks = asked_of_limit(limit, job, details.job);
    all.push_back({&limit, asks, is_reached(limit, asks)});
  }
  leave_out_overruled(all, details, job);
  settle_rivals(all, job);
  return all;
}

std::string name_of(const Limit& limit) {
  return fmt::format("{}{}{} of {}", limit.name, limit.resource.empty() ? "" : " ", limit.resource,
                     owner_of(limit));
}

std::string sentence_of(const Checked& checked) {
  const Limit& limit = *checked.limit;
  const std::string what =
      limit.resource.empty()
          ? fmt::format("{}={}{}", limit.name, number(limit.limit), unit_of(limit))
          : fmt::format("{} {}={}{}", limit.name, limit.resource, number(limit.limit), unit_of(limit));
  const std::string owner = owner_of(limit);
  const bool used = limit.used && limit.counted != Limit::Of::job;
  const bool asks = checked.asks && !counts_jobs(limit) && !counts_past_minutes(limit);
  if (used && asks && limit.whose.empty())
    return fmt::format("{}: {}, {} in use and it asks for {}", owner, what, number(*limit.used),
                       number(*checked.asks));
  if (used && asks)
    return fmt::format("{}: {}, {} holds {} and it asks for {}", owner, what, limit.whose,
                       number(*limit.used), number(*checked.asks));
  if (used && limit.whose.empty()) return fmt::format("{}: {}, {} in use", owner, what, number(*limit.used));
  if (used) return fmt::format("{}: {}, {} holds {}", owner, what, limit.whose, number(*limit.used));
  if (asks) return fmt::format("{}: {}, it asks for {}", owner, what, number(*checked.asks));
  return fmt::format("{}: {}", owner, what);
}

std::vector<Remedy> limit_remedies(const Cluster& cluster, const Workload& workload, const Site& site) {
  std::vector<Remedy> all;
  const Details* details = site.details;
  if (details == nullptr || details->limits_enforced == false) return all;
  for (const Checked& one : check_limits(*details, workload)) {
    if (one.reached != true) continue;
    if (const auto release = released(cluster, one); release && release->at > site.wall)
      all.push_back({Help::by_itself,
                     fmt::format("{} has room again by {} at the latest, by the time limit of job {} of {}",
                                 owner_of(*one.limit), time_of(release->at), release->last->id.text,
                                 release->last->user),
                     "", Certainty::likely});
    all.push_back(
        {Help::admin,
         is_least(*one.limit)
             ? fmt::format("lower {} of {}, if that is wanted", one.limit->name, owner_of(*one.limit))
             : fmt::format("raise {} of {}, if that is wanted", one.limit->name, owner_of(*one.limit)),
         raise(one), Certainty::likely});
  }
  return all;
}

}  // namespace tessera::why
