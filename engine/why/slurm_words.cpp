// Slurm's reason codes, 20.11 to 26.05 (job_state_reason.c, before 23.11 slurm_protocol_defs.c). Those of
// limits are put together from their parts, as Slurm names them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/ascii.hpp"
#include "engine/text.hpp"
#include "engine/why/words.hpp"

namespace tessera::why {
namespace {

struct ReasonRow {
  std::string_view code;
  Topic topic;
  std::string_view text;
};

constexpr ReasonRow kCodes[] = {
    {"None", Topic::untold, "Slurm gives no reason yet: the scheduler has not looked at it"},
    {"Resources", Topic::room, "it waits for resources: what it asks for is not free"},
    {"Priority", Topic::priority, "jobs with a higher priority come first"},
    {"Dependency", Topic::dependency, "a job that it depends on has not ended yet"},
    {"DependencyNeverSatisfied", Topic::dependency,
     "its dependency can never be satisfied: it waits until a user cancels or changes it"},
    {"JobHeldUser", Topic::held, "its owner holds it"},
    {"JobHeldAdmin", Topic::held, "an administrator holds it"},
    {"JobHoldMaxRequeue", Topic::held, "Slurm holds it: it was requeued as often as Slurm allows"},
    {"BeginTime", Topic::time, "the earliest time at which it may start has not come"},
    {"Licenses", Topic::licence, "a licence that it asks for is in use"},
    {"Prolog", Topic::start, "it has its nodes, and their prolog is still running"},
    {"Cleaning", Topic::start, "it is requeued, and its last run is still being cleaned up"},
    {"PartitionNodeLimit", Topic::partition,
     "it asks for more or fewer nodes than its partition allows, or than are up there"},
    {"PartitionTimeLimit", Topic::partition, "its time limit is longer than its partition allows"},
    {"PartitionDown", Topic::partition, "its partition is down: it accepts jobs and starts none"},
    {"PartitionInactive", Topic::partition, "its partition is inactive: it neither accepts nor starts jobs"},
    {"PartitionConfig", Topic::partition, "it asks for something that its partition's settings rule out"},
    {"Reservation", Topic::reservation, "its reservation has not begun, or has no room for it"},
    {"ReservationDeleted", Topic::reservation, "its reservation was deleted"},
    {"ReservationInvalid", Topic::reservation, "its reservation cannot be used"},
    {"ReqNodeNotAvail", Topic::node, "a node that it needs is down, closed or reserved"},
    {"NodeDown", Topic::node, "a node that it needs is down"},
    {"FrontEndDown", Topic::node, "no front-end node is available"},
    {"MaxPoweredUpNodes", Topic::node, "as many nodes are powered up as Slurm's setting allows"},
    {"PowerNotAvail", Topic::node, "there is not enough electrical power for it now"},
    {"PowerReserved", Topic::node, "the electrical power that it needs is reserved"},
    {"BlockMaxError", Topic::node, "a block of nodes has failed too often"},
    {"BlockFreeAction", Topic::node, "a block of nodes is still being freed"},
    {"BadConstraints", Topic::request,
     "no node that it may use has what it asks for, as the nodes are configured now"},
    {"Constraints", Topic::request, "no node has the features that it asks for now"},
    {"InvalidAccount", Topic::request, "its account does not exist, or its owner may not use it"},
    {"InvalidQOS", Topic::request, "its QOS does not exist, or its owner may not use it"},
    {"AccountNotAllowed", Topic::request, "its account is not allowed in its partition"},
    {"QOSNotAllowed", Topic::request, "its QOS is not allowed in its partition or association"},
    {"AccountingPolicy", Topic::limit, "a limit of its account is reached; Slurm does not say which"},
    {"QOSUsageThreshold", Topic::limit, "its owner's usage is beyond the threshold of the QOS"},
    {"QOSJobLimit", Topic::limit, "the QOS has as many jobs as it allows"},
    {"QOSResourceLimit", Topic::limit, "the QOS has as much of a resource in use as it allows"},
    {"QOSTimeLimit", Topic::limit, "its time limit is longer than its QOS allows"},
    {"AssociationJobLimit", Topic::limit, "the association has as many jobs as it allows"},
    {"AssociationResourceLimit", Topic::limit,
     "the association has as much of a resource in use as it allows"},
    {"AssociationTimeLimit", Topic::limit, "the association has used up the time that it allows"},
    {"JobArrayTaskLimit", Topic::limit,
     "as many tasks of its array run as the array allows at once (the number after %)"},
    {"MaxMemPerLimit", Topic::limit,
     "it asks for more memory on a node or CPU than its partition or the cluster allows"},
    {"BurstBufferResources", Topic::storage, "the burst buffer has no room for it now"},
    {"BurstBufferStageIn", Topic::storage, "its data is still being copied into the burst buffer"},
    {"BurstBufferOperation", Topic::storage,
     "the burst buffer could not be set up: an administrator must look"},
    {"NvidiaImexChannels", Topic::room, "no NVIDIA IMEX channel is free"},
    {"MpiPortsBusy", Topic::room, "no port for MPI is free on its nodes"},
    {"SchedDefer", Topic::untold, "it was to start at once, and Slurm puts off starts for now"},
    {"FedJobLock", Topic::start, "another cluster of the federation is about to start it"},
    {"DeadLine", Topic::time, "its deadline has passed, or it could not end before it"},
    {"SystemFailure", Topic::failed, "Slurm, the network or a file system failed"},
    {"JobLaunchFailure", Topic::failed, "it could not be started on its nodes"},
    {"NonZeroExitCode", Topic::failed, "it ended with an exit code that is not zero"},
    {"RaisedSignal", Topic::failed, "a signal ended it"},
    {"TimeLimit", Topic::failed, "it ran into its time limit"},
    {"InactiveLimit", Topic::failed, "it was inactive for longer than Slurm allows"},
    {"OutOfMemory", Topic::failed, "it used more memory than it asked for"},
};

// What a limit counts, by the word in its code.
constexpr std::pair<std::string_view, std::string_view> kCounted[] = {
    {"SubmitJobs", "submitted jobs"},
    {"SubmitJob", "submitted jobs"},
    {"Jobs", "running jobs"},
    {"Billing", "the billing weight"},
    {"BB", "the burst buffer"},
    {"CPU", "CPUs"},
    {"Cpu", "CPUs"},
    {"Energy", "energy"},
    {"GRES", "GPUs and other GRES"},
    {"License", "licences"},
    {"Memory", "memory"},
    {"Mem", "memory"},
    {"Node", "nodes"},
    {"Unknown", "a resource that Slurm does not name"},
    {"WallDuration", "the time limit"},
    {"Wall", "time"},
};

bool drop(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

enum class Over : std::uint8_t { amount, time, time_left };
std::string counted(std::string_view what, Over over) {
  if (over == Over::time) return fmt::format("{} multiplied by minutes", what);
  if (over == Over::time_left) return fmt::format("{} multiplied by the minutes still to run", what);
  return std::string(what);
}

// "QOSMaxGRESPerUser", "AssocGrpCPURunMinutesLimit", "MaxMemoryRunMinsPerAccount"
std::optional<std::string> limit_text(std::string_view code) {
  const bool association = take_prefix(code, "Assoc");
  if (!association) take_prefix(code, "QOS");
  const std::string_view owner = association ? "association" : "QOS";
  const bool group = take_prefix(code, "Grp"), least = !group && take_prefix(code, "Min");
  if (!group && !least && !take_prefix(code, "Max")) return std::nullopt;
  drop(code, "Limit"), drop(code, "NotSatisfied");
  std::string_view each;
  for (std::string_view one : {"PerJob", "PerNode", "PerUser", "PerAccount"})
    if (drop(code, one)) each = one;
  Over over = Over::amount;
  if (drop(code, "RunMinutes") || drop(code, "RunMins")) over = Over::time_left;
  if (drop(code, "Minutes") || drop(code, "Mins")) over = Over::time;
  const auto* found = std::find_if(std::begin(kCounted), std::end(kCounted),
                                   [&](const auto& one) { return one.first == code; });
  if (found == std::end(kCounted)) return std::nullopt;
  const std::string what = counted(found->second, over);
  if (group) return fmt::format("all jobs of its {} together have reached the limit on {}", owner, what);
  if (least) return fmt::format("it asks for less than its {} requires: {}", owner, what);
  if (each == "PerJob") return fmt::format("it asks for more than its {} allows one job: {}", owner, what);
  if (each == "PerNode")
    return fmt::format("it asks for more on one node than its {} allows: {}", owner, what);
  if (each == "PerAccount") return fmt::format("its account has reached the limit of its QOS on {}", what);
  return fmt::format("its owner has reached the limit of the {} on {}", owner, what);
}

// What stands behind the code: ", UnavailableNodes:n1".
Meaning with_rest(Meaning meaning, std::string_view code, std::string_view rest) {
  if (rest.find("May be reserved") != std::string_view::npos ||
      rest.find("May_be_reserved") != std::string_view::npos)
    meaning.text = "a node that it needs is not free for it, and may be kept for another job";
  constexpr std::string_view kNodes = "UnavailableNodes:";
  const auto at = rest.find(kNodes);
  if (at == std::string_view::npos) return meaning;
  const std::string names = clean(rest.substr(at + kNodes.size()), 200);
  if (code == "ReqNodeNotAvail" && !names.empty())
    meaning.text = fmt::format("a node that it needs is down, closed or reserved: {}", names);
  return meaning;
}

// Sentences that slurmctld writes in place of a code (state_desc in job_mgr.c, node_scheduler.c,
// partition_mgr.c, reservation.c; 26.05's topology errors), by how they begin and by what follows behind a
// name.
struct SentenceRow {
  std::string_view begin, rest;
  std::string_view code;  // that it stands for; empty: none
  Topic topic = Topic::unknown;
  std::string_view text = {};  // empty: the code's
};
constexpr SentenceRow kSentences[] = {
    {"Nodes required for job", "", "", Topic::node,
     "all nodes that could run it are down, drained, or reserved for other jobs"},
    {"ReqNodeNotAvail, Reserved for maintenance", "", "ReqNodeNotAvail", Topic::node,
     "a node that it needs is reserved for maintenance"},
    {"job requeued in held state", "", "JobHeldUser", Topic::held,
     "it was requeued and is held until a user releases it"},
    {"job requeued in special exit state", "", "JobHeldUser", Topic::held,
     "it ended as a special exit, was requeued and is held until a user releases it"},
    {"launch failed requeued held", "", "JobHeldUser", Topic::held,
     "it could not be started on its nodes, was requeued and is held"},
    {"launch failure limit exceeded requeued held", "", "JobHoldMaxRequeue", Topic::held,
     "it could not be started on its nodes as often as Slurm tries, and is held"},
    {"user env retrieval failed requeued held", "", "JobHeldUser", Topic::held,
     "its owner's environment could not be read on its node, and it is held"},
    {"License request ", " is no longer valid, holding job", "", Topic::licence,
     "a licence that it asks for is no longer configured, and Slurm holds it"},
    {"Reservation ", " was deleted", "ReservationDeleted"},
    {"Reservation ", " is invalid", "ReservationInvalid"},
    {"Job's account not permitted to use this partition", "", "AccountNotAllowed"},
    {"Job's QOS not permitted to use this partition", "", "QOSNotAllowed", Topic::request,
     "its QOS is not allowed in its partition"},
    {"Job's QOS not known, so it can't use this partition", "", "QOSNotAllowed", Topic::request,
     "its QOS is not known, and its partition allows only some"},
    {"uid ", " not in group permitted to use this partition", "AccountNotAllowed", Topic::request,
     "its owner is in no group that its partition allows"},
    {"burst_buffer/", "", "BurstBufferOperation"},
    {"Required nodes lack available resources", "", "Resources", Topic::room,
     "the nodes that it names have too little free"},
    {"Required nodes do not fit topology", "", "", Topic::request,
     "the nodes that it names do not fit the topology that it asks for"},
    {"No suitable topology unit found", "", "Resources", Topic::room,
     "no part of the topology, such as a block, has room for it now"},
    {"Insufficient resources in topology unit", "", "Resources", Topic::room,
     "no part of the topology, such as a block, has room for it now"},
    {"Weight-based selection could not satisfy request within topology unit", "", "Resources", Topic::room,
     "no part of the topology, such as a block, has room for it now"},
    {"Exceeded maximum node limit during topology allocation", "", "Resources", Topic::room,
     "no part of the topology, such as a block, has room for it within its most nodes"},
    {"No available nodes in topology", "", "Resources", Topic::room,
     "no node that its topology takes in is free now"},
};

// scontrol writes the blanks of a sentence as underscores.
bool is_as_written(char written, char as_printed) {
  return written == as_printed || (written == ' ' && as_printed == '_');
}

const SentenceRow* sentence_in(std::string_view reason) {
  const auto fits = [&](const SentenceRow& row) {
    if (reason.size() < row.begin.size()) return false;
    if (!std::equal(row.begin.begin(), row.begin.end(), reason.begin(), is_as_written)) return false;
    const std::string_view behind = reason.substr(row.begin.size());
    return row.rest.empty() || std::search(behind.begin(), behind.end(), row.rest.begin(), row.rest.end(),
                                           [](char printed, char written) {
                                             return is_as_written(written, printed);
                                           }) != behind.end();
  };
  const auto* found = std::find_if(std::begin(kSentences), std::end(kSentences), fits);
  return found == std::end(kSentences) ? nullptr : found;
}

std::string_view first_word(std::string_view reason) { return reason.substr(0, reason.find_first_of(", (")); }

}  // namespace

std::string_view slurm_code(std::string_view reason) {
  if (const SentenceRow* sentence = sentence_in(reason)) return sentence->code;
  return first_word(reason);
}

Meaning slurm_meaning(std::string_view reason) {
  if (reason.empty()) return {Topic::untold, std::string(kCodes[0].text), true};
  const SentenceRow* sentence = sentence_in(reason);
  if (sentence != nullptr && !sentence->text.empty())
    return {sentence->topic, std::string(sentence->text), true};
  const std::string_view code = slurm_code(reason);
  for (const ReasonRow& row : kCodes)
    if (row.code == code) return with_rest({row.topic, std::string(row.text), true}, code, reason);
  if (auto text = limit_text(code)) return {Topic::limit, std::move(*text), true};
  return {Topic::unknown, clean(reason, 400), false};
}

}  // namespace tessera::why
