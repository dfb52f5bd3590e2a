#include "backends/sim/details.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/slots.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr const char* kQos = "normal";  // that all jobs have
constexpr const char* kCounted = "gres/gpu";

// GPUs and instances, as the scheduler counts them against its limits.
template <class Counts>
int held_where(const World& world, Counts counts) {
  int held = 0;
  for (const auto& [id, job] : world.jobs) {
    if (!counts(world.spec().users[job.user])) continue;
    for (const Claim& claim : job.claims) held += is_exclusive(world, claim) ? 1 : 0;
  }
  return held;
}

Limit limit_per_user(const World& world, const User& user) {
  Limit limit;
  limit.qos = true;
  limit.owner = kQos;
  limit.name = "MaxTRESPU", limit.resource = kCounted;
  limit.counted = Limit::Of::user, limit.whose = clean(user.name, 64);
  limit.limit = world.spec().gpus_per_user;
  limit.used = held_where(world, [&](const User& one) { return one.name == user.name; });
  return limit;
}

Limit limit_per_account(const World& world, const User& user) {
  Limit limit;
  limit.owner = clean(user.account, 64);
  limit.name = "GrpTRES", limit.resource = kCounted;
  limit.limit = world.spec().gpus_per_account;
  limit.used = held_where(world, [&](const User& one) { return one.account == user.account; });
  limit.cluster = clean(world.spec().name, 64);
  return limit;
}

// As an admin would ask a real one.
std::string asked_as(const User& user) {
  return fmt::format("scontrol show assoc_mgr flags=users,assoc,qos users={} qos={}",
                     shell_word(clean(user.name, 64)), kQos);
}

}  // namespace

std::optional<Details> details_of(const World& world, const WorkloadId& id,
                                  const std::optional<Error>& failure) {
  const auto found = std::find_if(world.jobs.begin(), world.jobs.end(),
                                  [&](const auto& one) { return workload_id(world, one.second) == id; });
  if (found == world.jobs.end()) return std::nullopt;
  const Job& job = found->second;
  const User& user = world.spec().users[job.user];
  Details details;
  details.of = id;
  details.at = world.now;
  details.limits_enforced = true;
  details.asked = {{Teller::limits, asked_as(user), failure, {}}};
  if (failure) return details;
  details.job = JobFacts{kQos, job.limit > Duration(0) ? std::optional(job.limit) : std::nullopt};
  if (world.spec().gpus_per_user > 0) details.limits.push_back(limit_per_user(world, user));
  if (world.spec().gpus_per_account > 0 && !user.account.empty())
    details.limits.push_back(limit_per_account(world, user));
  return details;
}

}  // namespace tessera::sim
