#include "backends/slurm/parse/parse_job.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "backends/slurm/parse/array_tasks.hpp"
#include "backends/slurm/parse/job_facts.hpp"
#include "backends/slurm/parse/job_gres.hpp"
#include "backends/slurm/parse/record.hpp"
#include "backends/slurm/parse/times.hpp"
#include "engine/hostlist.hpp"
#include "engine/model/bridged.hpp"
#include "engine/number.hpp"
#include "engine/slurm_time.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

enum JobField : int {
  kJobId,
  kJobArrayId,
  kJobArrayTask,
  kJobHetId,
  kJobHetOffset,
  kJobName,
  kJobUser,
  kJobPriority,
  kJobAccount,
  kJobQos,
  kJobLimit,
  kJobState,
  kJobReason,
  kJobDependency,
  kJobRequeue,
  kJobSubmitted,
  kJobStarted,
  kJobEnds,
  kJobPartition,
  kJobNeededNodes,
  kJobExcludedNodes,
  kJobNodeList,
  kJobNodeCount,
  kJobTasks,
  kJobTres,
  kJobCpusOfNode,
  kJobMemoryOfNode,
  kJobMemoryOfCpu,
  kJobNeededFeatures,
  kJobReservation,
  kJobLicences,
  kJobSharing,
  kJobExclusive,
  kJobGroupNodes,
  kJobGroupGres,
  kJobComment,
  kJobAdminComment,
  kJobCommand,
  kJobBatch,
  kJobFree,
  kJobMachine,
  kJobCpusOfGpu,
  kJobMemoryOfGpu,
  kJobPerJob,
  kJobPerNode,
  kJobPerTask,
  kJobPerSocket,
};

constexpr auto kJobText = Ends::before_next_key;
constexpr Key kJobKeys[] = {
    {"JobId=", kJobId},
    {"ArrayJobId=", kJobArrayId},
    {"ArrayTaskId=", kJobArrayTask},
    {"HetJobId=", kJobHetId},
    {"HetJobOffset=", kJobHetOffset},
    {"JobName=", kJobName, Ends::before_partner, false, "UserId="},
    {"UserId=", kJobUser},
    {"Priority=", kJobPriority},
    {"Account=", kJobAccount},
    {"QOS=", kJobQos},
    {"JobState=", kJobState},
    {"Reason=", kJobReason},
    {"Dependency=", kJobDependency},
    {"Requeue=", kJobRequeue},
    {"BatchFlag=", kJobBatch},
    {"TimeLimit=", kJobLimit},
    {"SubmitTime=", kJobSubmitted},
    {"StartTime=", kJobStarted},
    {"EndTime=", kJobEnds},
    {"Partition=", kJobPartition},
    {"ReqNodeList=", kJobNeededNodes},
    {"ExcNodeList=", kJobExcludedNodes},
    {"NodeList=", kJobNodeList},
    {"NumNodes=", kJobNodeCount},
    {"NumTasks=", kJobTasks},
    {"TRES=", kJobTres},
    {"ReqTRES=", kJobTres},
    {"MinCPUsNode=", kJobCpusOfNode},
    {"MinMemoryNode=", kJobMemoryOfNode},
    {"MinMemoryCPU=", kJobMemoryOfCpu},
    {"Features=", kJobNeededFeatures},
    {"Reservation=", kJobReservation},
    {"Licenses=", kJobLicences},
    {"OverSubscribe=", kJobSharing},
    {"Exclusive=", kJobExclusive},
    {"Nodes=", kJobGroupNodes},
    {"GRES=", kJobGroupGres},
    // From here on people's own words: only what Slurm prints after them may end them.
    {"Network=", kJobFree, kJobText},
    {"Command=", kJobCommand, kJobText, true},
    {"WorkDir=", kJobFree, kJobText, true},
    {"AdminComment=", kJobAdminComment, kJobText, true},
    {"SystemComment=", kJobFree, kJobText, true},
    {"Comment=", kJobComment, kJobText, true},
    {"Extra=", kJobFree, kJobText, true},
    {"Container=", kJobFree, kJobText, true},
    {"SubmitLine=", kJobFree, kJobText, true},
    {"StdErr=", kJobFree, kJobText, true},
    {"StdIn=", kJobFree, kJobText, true},
    {"StdOut=", kJobFree, kJobText, true},
    {"BatchScript=", kJobFree, kJobText, true},
    {"Power=", kJobMachine, Ends::at_blank, true},
    {"Switches=", kJobMachine, Ends::at_blank, true},
    {"MailUser=", kJobMachine, Ends::at_blank, true},
    {"CpusPerTres=", kJobCpusOfGpu, Ends::at_blank, true},
    {"MemPerTres=", kJobMemoryOfGpu, Ends::at_blank, true},
    {"TresBind=", kJobMachine, Ends::at_blank, true},
    {"TresFreq=", kJobMachine, Ends::at_blank, true},
    {"NtasksPerTRES=", kJobMachine, Ends::at_blank, true},
    {"TresPerJob=", kJobPerJob, Ends::at_blank, true},
    {"TresPerNode=", kJobPerNode, Ends::at_blank, true},
    {"TresPerTask=", kJobPerTask, Ends::at_blank, true},
    {"TresPerSocket=", kJobPerSocket, Ends::at_blank, true},
};

// "JobId=12 JobName=…", "JobId=12 ArrayJobId=…": a comment with a line break must go to this length to look
// like the next job.
bool begins_job(std::string_view line) {
  constexpr std::string_view kJobId = "JobId=";
  if (!line.starts_with(kJobId)) return false;
  std::size_t blank = line.find_first_not_of("0123456789", kJobId.size());
  if (blank == kJobId.size() || blank == std::string_view::npos || line[blank] != ' ') return false;
  line.remove_prefix(blank + 1);
  return line.starts_with("JobName=") || line.starts_with("ArrayJobId=") || line.starts_with("HetJobId=");
}

std::optional<int> read_int(std::string_view text) {
  int value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  // "2-2" and "1-4" are ranges of nodes: the least counts.
  bool ended = end == text.data() + text.size() || *end == '-';
  return failed == std::errc() && ended && value >= 0 ? std::optional(value) : std::nullopt;
}

// 0 is that of a job that is held.
std::optional<std::int64_t> priority_of(std::string_view text) {
  const auto value = whole_number<std::int64_t>(text);
  return value.value_or(0) > 0 ? value : std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "www-data(33)" → www-data; a user without a name is reported by number.
std::string read_user(std::string_view text) {
  std::size_t open = text.rfind('(');
  std::string_view name = told(text.substr(0, open));
  if (name.empty() && open != std::string_view::npos && text.ends_with(")"))
    name = text.substr(open + 1, text.size() - open - 2);
  return clean(name, 256);
}

// scontrol writes the blanks of a reason as underscores; those of node names stay.
std::string read_job_reason(std::string_view text) {
  std::string reason = clean(told(text), 1024);
  std::size_t names = reason.find("UnavailableNodes:");
  std::replace(reason.begin(),
               names == std::string::npos ? reason.end() : reason.begin() + static_cast<long>(names), '_',
               ' ');
  return reason;
}

// From 26.05 on Slurm prints " SLUID=s6R5M83CDA3800" between a job's name, which may hold anything, and
// UserId=.
std::string_view without_sluid(std::string_view name) {
  constexpr std::string_view kKey = " SLUID=s";
  constexpr std::size_t kDigits = 13;
  if (name.size() < kKey.size() + kDigits) return name;
  std::string_view tail = name.substr(name.size() - kKey.size() - kDigits);
  if (!tail.starts_with(kKey)) return name;
  tail.remove_prefix(kKey.size());
  const bool all = tail.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
  return all ? name.substr(0, name.size() - kKey.size() - kDigits) : name;
}

// The fields of one record as they stand there.
struct Raw {
  std::string_view id, array_id, array_task, het_id, het_offset, name, user, priority, account, qos, limit,
      state, reason, dependency, requeue, submitted, started, ends, partition, needed_nodes, excluded_nodes,
      nodes, node_count, tasks, features, reservation, licences, sharing, exclusive, comment, admin_comment,
      command, batch;
  Asked asked;
  AskedMachine machine;
  std::vector<JobGroup> groups;

  void set(const Fields& fields);
  void restart_at(const Fields& fields);
};

// A second UserId= in the part that Slurm writes itself: what came since the name was part of the name.
void Raw::restart_at(const Fields& fields) {
  Raw fresh;
  fresh.id = id;
  fresh.array_id = array_id;
  fresh.array_task = array_task;
  fresh.het_id = het_id;
  fresh.het_offset = het_offset;
  fresh.name = {name.data(), static_cast<std::size_t>(fields.start() - name.data()) - 1};
  *this = std::move(fresh);
}

void Raw::set(const Fields& fields) {
  std::string_view value = fields.value();
  switch (fields.id()) {
    case kJobId: id = value; break;
    case kJobArrayId: array_id = value; break;
    case kJobArrayTask: array_task = value; break;
    case kJobHetId: het_id = value; break;
    case kJobHetOffset: het_offset = value; break;
    case kJobName: name = value; break;
    case kJobUser:
      if (!user.empty() && name.data()) restart_at(fields);
      user = value;
      break;
    case kJobPriority: priority = value; break;
    case kJobAccount: account = value; break;
    case kJobQos: qos = value; break;
    case kJobLimit: limit = value; break;
    case kJobState:
      state = value;
      groups.clear();  // account and QOS stand before; where nothing checks them they may hold look-alikes
      break;
    case kJobReason: reason = value; break;
    case kJobDependency: dependency = value; break;
    case kJobRequeue: requeue = value; break;
    case kJobSubmitted: submitted = value; break;
    case kJobStarted: started = value; break;
    case kJobEnds: ends = value; break;
    case kJobPartition: partition = value; break;
    case kJobNeededNodes: needed_nodes = value; break;
    case kJobExcludedNodes: excluded_nodes = value; break;
    case kJobNeededFeatures: features = value; break;
    case kJobReservation: reservation = value; break;
    case kJobLicences: licences = value; break;
    case kJobSharing: sharing = value; break;
    case kJobExclusive: exclusive = value; break;
    case kJobNodeList: nodes = value; break;
    case kJobNodeCount: node_count = machine.nodes = value; break;
    case kJobTasks: tasks = value; break;
    case kJobTres: asked.tres = value; break;
    case kJobCpusOfNode: machine.cpus_of_node = value; break;
    case kJobMemoryOfNode: machine.memory_of_node = value; break;
    case kJobMemoryOfCpu: machine.memory_of_cpu = value; break;
    case kJobCpusOfGpu: machine.cpus_of_gpu = value; break;
    case kJobMemoryOfGpu: machine.memory_of_gpu = value; break;
    case kJobGroupNodes: groups.push_back({value, {}}); break;
    case kJobGroupGres:
      if (!groups.empty()) groups.back().gres = value;
      break;
    case kJobComment: comment = value; break;
    case kJobAdminComment: admin_comment = value; break;
    case kJobCommand: command = value; break;
    case kJobBatch: batch = value; break;
    case kJobPerJob: asked.per_job = value; break;
    case kJobPerNode: asked.per_node = value; break;
    case kJobPerTask: asked.per_task = value; break;
    case kJobPerSocket: asked.per_socket = value; break;
    default: break;
  }
}

constexpr std::size_t kLongestTasks = 64;

// As squeue shows it: "19_4" for a task, "19_[5-6%2]" for those still waiting, "30+1" in a heterogeneous job.
std::string shown_id(const Raw& raw) {
  if (is_number(raw.array_id) && !told(raw.array_task).empty()) {
    std::string id = clean(raw.array_id, 64) + "_";
    std::string task = clean(raw.array_task, 1024);
    // As long as squeue has it.
    if (task.size() > kLongestTasks) task = task.substr(0, task.rfind(',', kLongestTasks)) + ",...";
    return id + (is_number(task) ? task : "[" + task + "]");
  }
  if (is_number(raw.het_id) && raw.het_id != "0" && is_number(raw.het_offset))
    return clean(raw.het_id, 64) + "+" + clean(raw.het_offset, 64);
  return clean(raw.id, 64);
}

// Slurm writes the set of a heterogeneous job between the name and its successor.
std::string_view name_of(const Raw& raw) {
  std::string_view name = without_sluid(raw.name);
  std::size_t set = raw.het_id.empty() ? std::string_view::npos : name.rfind(" HetJobIdSet=");
  return without_sluid(name.substr(0, set));
}

std::string trimmed(std::string_view text, std::size_t limit) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return clean(told(text), limit);
}

// Of a job that runs nothing itself (an external one): whoever gives a job a command could write there what
// looks like an operator's comment.
std::vector<WorkloadId> bridged_by(const Raw& raw) {
  if (raw.batch != "0" || !told(raw.command).empty()) return {};
  std::string_view text = told(raw.admin_comment);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return slinky::read_bridged(text);
}

constexpr std::size_t kMostOfNeeds = 4096;  // characters; half a list of hosts would be another list

// Whether it may run on more nodes than the least that is listed: then on how many is not told. --gpus=8
// without --nodes is eight on one node or four on each of two.
bool may_spread(const Raw& raw, const Workload& job) {
  if (job.node_count != 1 || raw.node_count == "1-1" || asks_each_node(raw.asked)) return false;
  std::int64_t units = 0;
  for (const Request& one : job.requests) units += std::min<std::int64_t>(one.count, 2);
  return units > 1;
}

std::optional<NodeNeeds> needs_of(const Raw& raw, const std::vector<Request>& requests, LocalTimes& times) {
  for (const std::string_view text : {raw.needed_nodes, raw.excluded_nodes, raw.features, raw.reservation})
    if (text.size() > kMostOfNeeds) return std::nullopt;
  NodeNeeds needs;
  needs.nodes = clean(told(raw.needed_nodes), kMostOfNeeds);
  needs.excluded = clean(told(raw.excluded_nodes), kMostOfNeeds);
  needs.features = clean(told(raw.features), kMostOfNeeds);
  needs.reservation = clean(told(raw.reservation), kMostOfNeeds);
  // Where Exclusive= is printed (26.05), OverSubscribe=NO is said of jobs that share their nodes.
  needs.alone = raw.exclusive.empty() ? raw.sharing == "NO" : raw.exclusive == "NODE";
  needs.shares = raw.sharing == "YES";
  read_machine(raw.machine, raw.asked, requests, needs);
  needs.expected = times.read(raw.started);
  return needs;
}

Workload ended_of(const Raw& raw) {
  Workload job;
  job.id = WorkloadId(shown_id(raw));
  job.state = WorkloadState::ended;
  job.state_word = clean(raw.state, 64);
  return job;
}

class JobReader {
 public:
  explicit JobReader(Origin origin) : origin_(origin) {}

  // nullopt: the job has ended, or too little of it is there to show.
  std::optional<Workload> read(std::string_view record, std::string& problem, ParsedJobs& all) {
    Raw raw;
    for (Fields fields(record, schema_); fields.next();) raw.set(fields);
    Workload job;
    job.state = state_of_job(raw.state);
    if (job.state == WorkloadState::ended) {
      if (auto nodes = told(raw.nodes); !nodes.empty() && !all.ended_on.contains(nodes))
        all.ended_on.emplace(nodes);
      all.ended.push_back(ended_of(raw));
      return std::nullopt;
    }
    if (raw.user.empty() || raw.state.empty()) {
      problem = "the record of job " + clean(raw.id, 64) + " is cut short";
      return std::nullopt;
    }
    job.id = WorkloadId(shown_id(raw));
    array_ = told(raw.array_task).empty() ? "" : std::string(raw.array_id), task_ = raw.array_task;
    if (job.id.view() != raw.id) all.by_number.emplace(raw.id, job.id);
    job.name = clean(name_of(raw), 1024);
    job.user = read_user(raw.user);
    job.group = clean(told(raw.partition), 1024);
    job.account = clean(told(raw.account), 256);
    job.state_word = clean(raw.state, 64);
    job.reason = read_job_reason(raw.reason);
    job.comment = slinky::bridged_comment(bridged_by(raw), trimmed(raw.comment, 4096));
    job.node_count = read_int(raw.node_count).value_or(0);
    job.submitted = times_.read(raw.submitted);
    job.limit = slurm_time_limit(raw.limit);
    job.priority = priority_of(raw.priority);
    if (is_number(raw.requeue)) job.restartable = raw.requeue != "0";
    job.origin = origin_;
    raw.asked.nodes = job.node_count;
    raw.asked.tasks = read_int(raw.tasks);
    if (auto bad = requests_of(raw.asked, job.requests)) problem = "job " + job.id.text + ": " + *bad;
    if (job.state == WorkloadState::pending) {
      job.needs = needs_of(raw, job.requests, times_);
      if (may_spread(raw, job)) job.node_count = 0;
    } else {
      job.started = times_.read(raw.started);
      // The clock of a job that is suspended stands still, and the end that slurmctld still lists passes by.
      if (job.state != WorkloadState::suspended) job.ends = times_.read(raw.ends);
      std::size_t room = std::min(kMostOfJob, room_);
      for (const JobGroup& group : raw.groups)
        if (auto bad = add_allocations(group, job.allocations, room))
          problem = "job " + job.id.text + ": " + *bad;
      if (auto bad = add_nodes(told(raw.nodes), job.allocations, room); bad && problem.empty())
        problem = "job " + job.id.text + ": " + *bad;
    }
    return job;
  }

  // Of all jobs together, only those that are kept count. place: where the one read last is among them.
  void keep(const Workload& job, std::size_t place) {
    room_ -= std::min(room_, weight_of(job.allocations));
    if (!array_.empty()) tasks_.add(job, place, array_, task_);
  }
  void count_tasks(std::vector<Workload>& jobs) const { tasks_.apply(jobs); }

 private:
  const Schema schema_{kJobKeys};
  std::size_t room_ = kMostOfAnswer;
  Origin origin_;
  LocalTimes times_;
  std::string array_, task_;  // of the record read last
  WaitingArrays tasks_;
};

struct StateWord {
  std::string_view word;
  WorkloadState state;
};
constexpr StateWord kStates[] = {
    {"RUNNING", WorkloadState::running},       {"PENDING", WorkloadState::pending},
    {"COMPLETING", WorkloadState::completing}, {"SUSPENDED", WorkloadState::suspended},
    {"CONFIGURING", WorkloadState::running},   {"STAGE_OUT", WorkloadState::completing},
    {"STOPPED", WorkloadState::suspended},     {"SIGNALING", WorkloadState::running},
    {"RESIZING", WorkloadState::running},      {"REQUEUED", WorkloadState::pending},
    {"REQUEUE_HOLD", WorkloadState::pending},  {"REQUEUE_FED", WorkloadState::pending},
    {"RESV_DEL_HOLD", WorkloadState::pending}, {"SPECIAL_EXIT", WorkloadState::pending},
    {"COMPLETED", WorkloadState::ended},       {"CANCELLED", WorkloadState::ended},
    {"FAILED", WorkloadState::ended},          {"TIMEOUT", WorkloadState::ended},
    {"NODE_FAIL", WorkloadState::ended},       {"PREEMPTED", WorkloadState::ended},
    {"BOOT_FAIL", WorkloadState::ended},       {"DEADLINE", WorkloadState::ended},
    {"OUT_OF_MEMORY", WorkloadState::ended},   {"REVOKED", WorkloadState::ended},
    {"LAUNCH_FAILED", WorkloadState::ended},   {"RECONFIG_FAIL", WorkloadState::ended},
};

}  // namespace

WorkloadState state_of_job(std::string_view word) {
  auto found = std::find_if(std::begin(kStates), std::end(kStates),
                            [&](const StateWord& s) { return s.word == word; });
  return found == std::end(kStates) ? WorkloadState::unknown : found->state;
}

ParsedJobs parse_jobs(std::string_view text, Origin origin, const GivenUp& given_up) {
  ParsedJobs parsed;
  parsed.expect(text.size(), 1000);
  JobReader reader(origin);
  std::unordered_set<std::string> seen;
  for (Records records(text, begins_job); records.next();) {
    if (parsed.ends_before(records.line(), given_up)) break;
    if (!records.led()) {
      if (!records.record().starts_with("No jobs"))
        parsed.complain(records.line(), "not a job: \"" + clean(records.record(), 80) + "\"");
      continue;
    }
    std::string problem;
    auto job = reader.read(records.record(), problem, parsed);
    if (!problem.empty()) parsed.complain(records.line(), problem);
    if (!job) continue;
    if (!seen.insert(job->id.text).second) {
      // A line break and a look-alike record in a user's comment must not replace the real one.
      parsed.remark(records.line(), "job " + job->id.text + " is listed twice; the first one counts");
      continue;
    }
    reader.keep(*job, parsed.values.size());
    parsed.values.push_back(std::move(*job));
  }
  reader.count_tasks(parsed.values);
  return parsed;
}

void add_endings(std::vector<Workload>& listed, const std::vector<Workload>& before,
                 std::vector<Workload> ended) {
  std::unordered_set<WorkloadId> known;
  for (const Workload& job : before) known.insert(job.id);
  for (const Workload& job : listed) known.erase(job.id);  // a federation lists a revoked sibling beside it
  for (Workload& job : ended)
    if (known.contains(job.id)) listed.push_back(std::move(job));
}

std::vector<std::string> busy_without_jobs(const std::vector<Node>& nodes, const ParsedJobs& jobs) {
  std::unordered_set<std::string> told;
  for (const Workload& job : jobs.values)
    for (const Allocation& one : job.allocations) told.insert(one.node.text);
  std::vector<std::string> busy;
  for (const Node& node : nodes)
    if (node.cpus_held.value_or(0) > 0 && !told.contains(node.name.text)) busy.push_back(node.name.text);
  if (busy.empty()) return busy;
  for (const std::string& list : jobs.ended_on)
    if (auto hosts = expand_hosts(list)) told.insert(hosts->begin(), hosts->end());
  std::erase_if(busy, [&](const std::string& node) { return told.contains(node); });
  return busy;
}

namespace {

// The first job of the text that waits.
std::optional<Raw> first_waiting(std::string_view text) {
  const Schema schema(kJobKeys);
  for (Records records(text, begins_job); records.next();) {
    Raw raw;
    for (Fields fields(records.record(), schema); fields.next();) raw.set(fields);
    if (state_of_job(raw.state) == WorkloadState::pending) return raw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<JobFacts> parse_job_facts(std::string_view text) {
  const auto raw = first_waiting(text);
  if (!raw) return std::nullopt;
  return JobFacts{clean(told(raw->qos), 256), slurm_time_limit(raw->limit)};
}

// "matlab:2,ansys"; "|" stands between those of which one is enough.
std::vector<Licence> parse_licences_asked(std::string_view text) {
  std::vector<Licence> all;
  const auto raw = first_waiting(text);
  std::string_view rest = raw ? told(raw->licences) : std::string_view();
  const bool any = rest.find('|') != std::string_view::npos;
  while (!rest.empty() && all.size() < kMostLicences) {
    const std::size_t end = std::min(rest.find_first_of(",|;"), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t colon = std::min(one.find(':'), one.size());
    Licence asked;
    asked.name = clean(one.substr(0, colon), 128), asked.one_of = any;
    if (colon < one.size()) {
      const auto count = whole_number<std::int64_t>(one.substr(colon + 1), 1'000'000'000);
      if (!count) continue;
      asked.asked = *count;
    }
    if (!asked.name.empty()) all.push_back(std::move(asked));
  }
  return all;
}

// "afterok:12(unfulfilled),afterany:13_*(unfulfilled)"; "?" stands between those of which one is enough.
std::vector<Related> parse_dependencies(std::string_view text) {
  std::vector<Related> all;
  const auto raw = first_waiting(text);
  std::string_view rest = raw ? told(raw->dependency) : std::string_view();
  const bool any = rest.find('?') != std::string_view::npos;
  while (!rest.empty() && all.size() < kMostDependencies) {
    const std::size_t end = std::min(rest.find_first_of(",?"), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t open = one.find('(');
    if (open == 0 || open == std::string_view::npos || open > 128 || !one.ends_with(')')) continue;
    Related told_of;
    told_of.source = Teller::job, told_of.kind = "Dependency", told_of.in_the_way = true;
    told_of.name = clean(one.substr(0, open), 128);
    told_of.state = clean(one.substr(open + 1, one.size() - open - 2), 64);
    if (any) told_of.text = "any";
    all.push_back(std::move(told_of));
  }
  return all;
}

}  // namespace tessera::slurm
