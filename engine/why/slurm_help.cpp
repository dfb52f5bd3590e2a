// What helps by Slurm's own commands, by the reason that it gives.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/array_tasks.hpp"
#include "engine/number.hpp"
#include "engine/slurm_time.hpp"
#include "engine/why/command.hpp"
#include "engine/why/details.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/why.hpp"
#include "engine/why/words.hpp"

namespace tessera::why {
namespace {

constexpr std::size_t kMostDependencies = 4;  // whose command is told

struct Desk {
  const Cluster& cluster;
  const Workload& job;
  const Site& site;
  std::string target;
  std::vector<Remedy> all;

  void admin(std::string text, std::string command, Certainty certainty = Certainty::likely) {
    all.push_back({Help::admin, std::move(text), std::move(command), certainty});
  }
  void ask(std::string text, std::string command) {
    all.push_back({Help::ask, std::move(text), std::move(command), Certainty::certain});
  }
  bool is(std::string_view reason) const {
    return job.reason.starts_with(reason) || slurm_code(job.reason) == reason;
  }
};

// How many of an array's tasks may run at once: "19_[3-6%2]" → 2.
std::optional<std::int64_t> throttle_of(const std::string& id) {
  const auto percent = id.rfind('%');
  if (percent == std::string::npos || !id.ends_with(']')) return std::nullopt;
  const auto count = whole_number<std::int64_t>(
      std::string_view(id).substr(percent + 1, id.size() - percent - 2), 1'000'000);
  return count && *count > 0 ? count : std::nullopt;
}

// The first end, by its time limit, among those of its tasks that run.
void next_of_its_array(Desk& desk, const std::string& array) {
  const Workload* first = nullptr;
  for (const Workload& one : desk.cluster.workloads.all()) {
    if (one.state != WorkloadState::running || !one.id.text.starts_with(array + "_")) continue;
    if (one.ends && *one.ends > desk.site.wall && (first == nullptr || *one.ends < *first->ends))
      first = &one;
  }
  if (first != nullptr)
    desk.all.push_back(
        {Help::by_itself,
         fmt::format("another of its tasks may start by {} at the latest, by the time limit of "
                     "{}",
                     time_of(*first->ends), first->id.text),
         "", Certainty::likely});
}

void array_limit(Desk& desk) {
  const std::string array(job_number(desk.job.id.text));
  if (array.empty()) return;
  next_of_its_array(desk, array);
  if (const auto now = throttle_of(desk.job.id.text))
    desk.admin("let one more task of its array run at once",
               fmt::format("scontrol update JobId={} ArrayTaskThrottle={}", array, *now + 1));
  else
    desk.admin("let any number of tasks of its array run at once",
               fmt::format("scontrol update JobId={} ArrayTaskThrottle=0", array));
  desk.ask("how many of its tasks may run at once", fmt::format("scontrol show job {}", array));
}

// It shows one partition, or all.
std::string show_partition(const Desk& desk) {
  const std::vector<std::string> all = partitions_of(desk.job);
  return all.size() == 1 ? command("scontrol show partition {}", all.front()) : "scontrol show partition";
}

void limits(Desk& desk) {
  if (desk.is("JobArrayTaskLimit")) return array_limit(desk);
  if (desk.is("MaxMemPerLimit"))
    return desk.ask("the memory that its partition allows: MaxMemPerNode, MaxMemPerCPU",
                    show_partition(desk));
  desk.ask("the limits, and what of them is used", "scontrol show assoc_mgr flags=assoc,qos");
}

// The jobs that it depends on, where Slurm was asked for the job alone; else the job, which names them.
void dependency(Desk& desk) {
  std::vector<std::string> jobs;
  if (desk.site.details != nullptr)
    for (const Related& one : desk.site.details->related) {
      const std::string job = depended_on(one);
      if (!job.empty() && std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
    }
  if (jobs.size() > kMostDependencies) jobs.resize(kMostDependencies);
  for (const std::string& job : jobs)
    desk.ask(fmt::format("job {}, which it depends on", job), command("scontrol show job {}", job));
  if (jobs.empty()) desk.ask("the jobs that it depends on", command("scontrol show job {}", desk.target));
  desk.admin("take its dependency off", command("scontrol update JobId={} Dependency=", desk.target));
}

// As long as the job's own limit, in whole minutes.
void longer_partition(Desk& desk, const Partition& one) {
  const auto most = slurm_time_limit(one.max_time);
  if (!most || !desk.job.limit || *desk.job.limit <= *most) return;
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(*desk.job.limit).count();
  desk.admin(fmt::format("raise MaxTime of the partition {} to {} minutes, if that is wanted: slurm.conf has "
                         "to say so, too, or it ends when slurmctld reads that again",
                         one.name, minutes),
             command("scontrol update PartitionName={} MaxTime={}", one.name, std::to_string(minutes)));
}

void partition(Desk& desk) {
  const std::vector<std::string> own = partitions_of(desk.job);
  for (const Partition& one : desk.cluster.partitions) {
    if (std::find(own.begin(), own.end(), one.name) == own.end()) continue;
    if (desk.is("PartitionTimeLimit")) {
      if (!one.max_time.empty() && one.max_time != "UNLIMITED")
        desk.admin(
            fmt::format("lower its time limit to that of the partition {}, {}", one.name, one.max_time),
            command("scontrol update JobId={} TimeLimit={}", desk.target, one.max_time));
      longer_partition(desk, one);
    } else if (!one.state.empty() && one.state != "UP") {
      desk.admin(fmt::format("open the partition {}: its state is {}", one.name, one.state),
                 command("scontrol update PartitionName={} State=UP", one.name));
    }
  }
  desk.ask("the partition's state and limits", show_partition(desk));
}

void reservation(Desk& desk) {
  if (desk.is("ReservationDeleted") || desk.is("ReservationInvalid"))
    desk.admin("let it start outside of its reservation",
               command("scontrol update JobId={} ReservationName=", desk.target));
  const OwnReservations own(desk.cluster, desk.job);
  for (const Reservation& one : desk.cluster.reservations)
    if (own.has(one.name) && one.start && *one.start > desk.site.wall)
      desk.all.push_back({Help::by_itself,
                          fmt::format("its reservation, {}, begins at {}", one.name, time_of(*one.start)), "",
                          Certainty::likely});
  desk.ask("the reservations", "scontrol show reservation");
}

void deadline_or_begin(Desk& desk) {
  if (desk.is("DeadLine"))
    return desk.ask("its deadline and its time limit", command("scontrol show job {}", desk.target));
  desk.admin("let it start now", command("scontrol update JobId={} StartTime=now", desk.target));
}

void request(Desk& desk) {
  if (desk.is("InvalidAccount") || desk.is("InvalidQOS"))
    desk.ask(
        "the accounts and QOS of its owner",
        command("sacctmgr show assoc where user={} format=Cluster,Account,Partition,QOS", desk.job.user));
  if (desk.is("QOSNotAllowed"))
    desk.ask(
        "the QOS that its association allows",
        command("sacctmgr show assoc where user={} format=Cluster,Account,Partition,QOS", desk.job.user));
  if (desk.is("AccountNotAllowed") || desk.is("QOSNotAllowed"))
    desk.ask("whom the partition allows: AllowAccounts, AllowGroups, AllowQos", show_partition(desk));
}

// Only priority/multifactor has parts; where it was looked for and is not there, sprio has nothing to tell.
bool has_parts(const Details* details) {
  return details == nullptr || std::any_of(details->asked.begin(), details->asked.end(),
                                           [](const Inquiry& one) { return one.source == Teller::priority; });
}

}  // namespace

bool is_about_its_owner(std::string_view reason) {
  const std::string_view code = slurm_code(reason);
  return code == "InvalidAccount" || code == "InvalidQOS" || code == "AccountNotAllowed" ||
         code == "QOSNotAllowed";
}

std::vector<Remedy> slurm_remedies(const Cluster& cluster, const Workload& job, const Site& site,
                                   Topic topic) {
  Desk desk{cluster, job, site, std::string(job_argument(job.id.text)), {}};
  switch (topic) {
    case Topic::held:
      desk.admin("release it", command("scontrol release {}", desk.target), Certainty::certain);
      break;
    case Topic::dependency: dependency(desk); break;
    case Topic::time: deadline_or_begin(desk); break;
    case Topic::limit: limits(desk); break;
    case Topic::licence: desk.ask("who has the licences", "scontrol show licenses"); break;
    case Topic::partition: partition(desk); break;
    case Topic::reservation: reservation(desk); break;
    case Topic::request: request(desk); break;
    case Topic::storage: desk.ask("the burst buffers", "scontrol show burstbuffer"); break;
    case Topic::node:
      if (desk.is("ReqNodeNotAvail") || desk.is("NodeDown") || desk.is("Nodes"))
        desk.ask("which nodes are closed or down, and why", "sinfo -R");
      break;
    case Topic::priority:
      if (has_parts(site.details))
        desk.ask("its priority, part by part", command("sprio -l -j {}", job_number(job.id.text)));
      break;
    default: break;
  }
  return std::move(desk.all);
}

}  // namespace tessera::why
