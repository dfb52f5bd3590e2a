#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/model/array_tasks.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/recorded.hpp"
#include "engine/model/reduce_all.hpp"
#include "engine/model/tell.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMostAsked = 1'000'000'000'000'000;  // of one resource: in bytes, a petabyte
constexpr int kMostTasksOfArray = 4'000'001;  // of an array: slurm.conf's MaxArraySize ends there

// What is told again has been so since it was told first.
void keep_seen(std::vector<Remark>& now, const std::vector<Remark>& before, TimePoint at) {
  using Said = std::tuple<std::string_view, std::string_view, std::optional<GpuIndex>>;
  const auto said = [](const Remark& one) { return Said(one.subject, one.text, one.gpu); };
  std::map<Said, TimePoint> seen;
  for (const Remark& one : before)
    if (one.seen) seen.emplace(said(one), *one.seen);
  for (Remark& one : now) {
    if (one.since) continue;
    const auto first = seen.find(said(one));
    const TimePoint then = one.seen.value_or(at);
    one.seen = first == seen.end() ? then : std::min(then, first->second);
  }
}

// Events at work on one cluster, one behind the other. Collects what changed, then links the nodes that were
// touched once.
class Reducer {
 public:
  Reducer(Model& model, Cluster& cluster) : model_(model), cluster_(cluster) {}

  void take(Event& event) {
    at_ = event.at;
    std::visit([&](auto& what) { apply(what); }, event.what);
    log_all(std::exchange(node_news_, {}), kBurst);
    log_all(std::exchange(work_news_, {}), kBurst);
  }

  Changes finish() {
    enter_fresh();
    settle_moves();
    know_work();
    for (const NodeName& name : touched_)
      if (Node* node = cluster_.nodes.change(name)) relink(*node);
    for (const NodeName& name : changed_nodes_) changes_.nodes.push_back(name);
    if (changes_.any()) ++model_.revision;
    if (changes_.status) ++model_.status;
    return std::move(changes_);
  }

  void apply(NodesListed& list) {
    std::unordered_set<NodeName> seen;
    seen.reserve(list.nodes.size());
    for (Node& node : list.nodes) {
      seen.insert(node.name);
      put(std::move(node));
    }
    if (seen.size() == cluster_.nodes.size()) return;
    std::vector<NodeName> gone;
    for (const Node& node : cluster_.nodes.all())
      if (!seen.contains(node.name)) gone.push_back(node.name);
    for (const NodeName& name : gone) remove(name);
  }
  void apply(NodeSeen& seen) { put(std::move(seen.node)); }
  void apply(NodeGone& gone) { remove(gone.name); }

  void apply(Measured& told) {
    const bool listed = cluster_.nodes.find(told.node) != nullptr;
    // Before the first list nodes are still to come; after it, others' nodes are none of ours.
    if (!listed && cluster_.loaded) return;
    NodeName name = told.node;
    keep(std::move(told));
    if (!listed) return;
    if (show_figures(*cluster_.nodes.change(name), cluster_.figures.find(name)->by_source, at_))
      changed_nodes_.insert(std::move(name));
    else
      changes_.status = true;
  }

  void apply(WorkloadsListed& list) {
    std::unordered_set<WorkloadId> seen;
    seen.reserve(list.workloads.size());
    std::vector<const Workload*> ended;
    for (Workload& workload : list.workloads) {
      if (workload.state == WorkloadState::ended) {
        ended.push_back(&workload);
        continue;
      }
      seen.insert(workload.id);
      put(std::move(workload));
    }
    // What is listed as there is there, whatever else has its id.
    for (const Workload* workload : ended)
      if (!seen.contains(workload->id)) end(workload->id, workload);
    if (seen.size() == cluster_.workloads.size()) return;
    std::vector<WorkloadId> gone;
    for (const Workload& workload : cluster_.workloads.all())
      if (!seen.contains(workload.id)) gone.push_back(workload.id);
    tell_arrays(gone, seen, ended);
    for (const WorkloadId& id : gone) end(id, nullptr);
  }
  void apply(WorkloadSeen& seen) {
    if (seen.workload.state == WorkloadState::ended)
      end(seen.workload.id, &seen.workload);
    else
      put(std::move(seen.workload));
  }
  void apply(WorkloadGone& gone) { end(gone.id, nullptr); }

  void apply(PartitionsListed& list) { assign(cluster_.partitions, std::move(list.partitions)); }
  void apply(ReservationsListed& list) { assign(cluster_.reservations, std::move(list.reservations)); }
  void apply(QuotasListed& list) { assign(cluster_.quotas, std::move(list.quotas)); }
  void apply(DaemonsSeen& seen) {
    for (const Daemon& now : seen.daemons)
      for (const Daemon& before : cluster_.daemons)
        if (now.name == before.name && now.host == before.host && now.up != before.up)
          log(now.up ? Severity::good : Severity::danger, now.name,
              now.up ? "answers again" : "does not answer" + (now.detail.empty() ? "" : ": " + now.detail));
    assign(cluster_.daemons, std::move(seen.daemons));
  }
  void apply(RemarksListed& list) {
    std::vector<Remark>& told = cluster_.remarks[list.source];
    // Moments of a recording may go back in time: each tells by itself what had been seen.
    static const std::vector<Remark> kNone;
    keep_seen(list.remarks, cluster_.recorded ? kNone : std::as_const(told), at_);
    assign(told, std::move(list.remarks));
  }
  void begin() { changes_.cluster = true; }  // the cluster is new
  void apply(ClusterSeen& seen) {
    assign(cluster_.scheduler, seen.scheduler);
    assign(cluster_.simulated, seen.simulated);
    assign(cluster_.version, std::move(seen.version));
    assign(cluster_.endpoint, std::move(seen.endpoint));
    assign(cluster_.id, std::move(seen.id));
  }
  void apply(LicenceNamed& licence) {
    changes_.cluster |= cluster_.licence != licence.where;
    cluster_.licence = std::move(licence.where);
  }
  // A run is what its journal says; the model keeps none (reduce() passes such events by).
  void apply(RunsListed&) {}
  void apply(RunTold&) {}
  void apply(RunRefused&) {}
  void apply(RunsAtRest&) {}
  // What fits before it begins is less with each round, also where nothing else changes.
  bool awaits_reservation() const {
    return std::any_of(cluster_.reservations.begin(), cluster_.reservations.end(),
                       [&](const Reservation& one) { return one.start && *one.start > at_; });
  }
  void apply(SourceReport& report) {
    const bool first = !cluster_.sources.contains(report.source);
    SourceHealth& health = cluster_.sources[report.source];
    const bool told_otherwise =
        first || health.failure != report.failure ||
        (!report.failure && (health.note != report.note || health.incomplete != report.incomplete));
    health.latency = report.latency;
    if (report.cost) health.cost = report.cost;
    std::string source(failing_word(report.source));
    if (report.failure) {
      if (!health.failing_since) {
        health.failing_since = at_;
        log(Severity::danger, source, to_line(*report.failure));
      }
    } else {
      const char* again = report.source == Source::none ? "can be read again" : "answers again";
      if (health.failing_since) log(Severity::good, source, again);
      health.last_ok = at_;
      health.failing_since.reset();
      if (!report.note.empty() && report.note != health.note) log(Severity::warning, source, report.note);
      health.note = std::move(report.note);
      health.incomplete = report.incomplete;
    }
    health.failure = std::move(report.failure);
    const bool nearer = (tells_nodes(report.source) || tells_work(report.source)) && awaits_reservation();
    (told_otherwise || nearer ? changes_.cluster : changes_.status) = true;
  }
  void apply(PaceReport& report) {
    cluster_.pace = report;
    changes_.status = true;
  }
  void apply(Loaded&) {
    if (cluster_.loaded && !cluster_.progress) return;
    if (!cluster_.loaded && !cluster_.recorded && all_answered()) log_read();
    cluster_.loaded = true;
    cluster_.progress.reset();
    changes_.cluster = true;
  }
  void apply(Progress& progress) {
    cluster_.progress = std::move(progress);
    changes_.cluster = true;
  }
  void apply(ClockSet& set) {
    cluster_.clock = Clock{at_, set.wall, set.speed};
    changes_.cluster = true;
  }
  void apply(Recorded& recorded) {
    cluster_.recorded = std::move(recorded);
    changes_.cluster = true;
  }
  void apply(HistoryTold& history) {
    for (std::deque<LogEntry>* log : {&model_.log, &model_.work_log})
      std::erase_if(*log, [&](const LogEntry& entry) { return entry.cluster == cluster_.name; });
    for (LogEntry& entry : history.entries) {
      const TimePoint at = entry.at;
      log(std::move(entry), at);
    }
    changes_.cluster = true;
  }

 private:
  template <class T>
  void assign(T& to, T from) {
    if (to == from) return;
    to = std::move(from);
    changes_.cluster = true;
  }

  void keep(Measured told) {
    NodeFigures* of_node = cluster_.figures.change(told.node);
    if (!of_node) of_node = &cluster_.figures.upsert({told.node, {}});
    if (told.gpus.empty())
      of_node->by_source.erase(told.source);
    else
      of_node->by_source[told.source] = std::move(told);
  }

  void put(Node node) {
    for (Measured& told : take_figures(node)) keep(std::move(told));
    if (const NodeFigures* told = cluster_.figures.find(node.name)) show_figures(node, told->by_source, at_);
    const Node* before = cluster_.nodes.find(node.name);
    if (!before) {
      NodeName name = node.name;
      cluster_.nodes.upsert(std::move(node));
      fresh_.insert(name);
      moves_.erase(name);
      touch(name);
      note(name, Severity::info, std::string(kAppeared));
      return;
    }
    if (tells_changes())
      for (LogEntry& entry : news_of(*before, node, cluster_.scheduler))
        (entry.kind == Happened::layout ? work_news_ : node_news_).push_back(std::move(entry));
    node.workloads = before->workloads;
    bool same = same_shape(*before, node);
    if (same) {
      carry(*before, node);
      same = same_facts(*before, node);
    }
    if (!same) touch(node.name);
    cluster_.nodes.upsert(std::move(node));
  }

  static bool same_shape(const Node& before, const Node& now) {
    if (now.gpus.size() != before.gpus.size() || now.pool.size() != before.pool.size()) return false;
    for (std::size_t i = 0; i < now.gpus.size(); ++i)
      if (now.gpus[i].slices.size() != before.gpus[i].slices.size()) return false;
    return true;
  }
  // What is derived.
  static void carry(const Node& before, Node& now) {
    now.counts = before.counts;
    now.unheld = before.unheld;
    now.open_kinds = before.open_kinds;
    now.kinds = before.kinds;
    for (const Component& part : before.components)
      if (slinky::is_of_other_side(part)) now.components.push_back(part);
    for (std::size_t i = 0; i < now.gpus.size(); ++i)
      for (std::size_t j = 0; j < now.gpus[i].slices.size(); ++j)
        carry(before.gpus[i].slices[j], now.gpus[i].slices[j]);
    for (std::size_t i = 0; i < now.pool.size(); ++i) carry(before.pool[i], now.pool[i]);
  }
  static void carry(const Slice& before, Slice& now) {
    now.holding = before.holding;
    now.exact = before.exact;
    now.holders = before.holders;
    now.usable = before.usable;
  }
  // A newer observation of the same facts is no change: only the times move on. Those of `now` are put aside
  // while both are compared: `before` may be shared with a copy.
  static bool same_facts(const Node& before, Node& now) {
    std::vector<Origin> aside;
    visit_times(before, now, [&](const Origin& then, Origin& one, bool whole) {
      aside.push_back(one);
      one = whole ? then : Origin{one.source, then.at};
    });
    const bool same = before == now;
    auto next = aside.begin();
    visit_times(before, now, [&](const Origin&, Origin& one, bool) { one = *next++; });
    return same;
  }
  // Of two of the same shape. whole: whoever told it is no fact either.
  template <class Visit>
  static void visit_times(const Node& before, Node& now, Visit visit) {
    visit(before.origin, now.origin, true);
    for (std::size_t i = 0; i < now.gpus.size(); ++i) {
      const Gpu& then = before.gpus[i];
      Gpu& gpu = now.gpus[i];
      visit(then.origin, gpu.origin, true);
      visit(then.telemetry.origin, gpu.telemetry.origin, false);
      for (std::size_t j = 0; j < gpu.slices.size(); ++j)
        visit(then.slices[j].measured, gpu.slices[j].measured, false);
    }
  }

  void remove(const NodeName& name) {
    cluster_.figures.erase(name);
    if (!cluster_.nodes.erase(name)) return;
    fresh_.erase(name);
    note(name, Severity::warning, std::string(kGone));
    changed_nodes_.insert(name);
  }

  void put(Workload workload) {
    // A recording may say anything.
    workload.tasks = std::clamp(workload.tasks, 1, kMostTasksOfArray);
    for (Request& request : workload.requests) {
      request.count = std::clamp<std::int64_t>(request.count, 0, kMostAsked);
      request.largest = std::clamp<std::int64_t>(request.largest, 0, kMostAsked);
    }
    // In order of node, which link_holders relies on.
    auto by_node = [](const Allocation& a, const Allocation& b) { return a.node < b.node; };
    if (!std::is_sorted(workload.allocations.begin(), workload.allocations.end(), by_node))
      std::stable_sort(workload.allocations.begin(), workload.allocations.end(), by_node);
    const Workload* before = cluster_.workloads.find(workload.id);
    if (before) {
      TimePoint at = workload.origin.at;
      workload.origin = before->origin;
      const bool same = workload == *before;
      workload.origin.at = at;
      if (same) return void(cluster_.workloads.upsert(std::move(workload)));
      leave_nodes(*before);
    }
    tell_work(before, &workload);
    changes_.workloads.push_back(workload.id);
    enter_nodes(workload);
    cluster_.workloads.upsert(std::move(workload));
  }

  // now: how it ended, where that is told.
  void end(const WorkloadId& id, const Workload* now) {
    const Workload* workload = cluster_.workloads.find(id);
    if (!workload) return;
    tell_work(workload, now);
    leave_nodes(*workload);
    changes_.workloads.push_back(id);
    cluster_.workloads.erase(id);
  }

  void enter_nodes(const Workload& workload) { move(workload, true); }
  void leave_nodes(const Workload& workload) { move(workload, false); }
  // Carried out by settle_moves: one by one, tens of thousands of jobs on a node took ten seconds.
  void move(const Workload& workload, bool enters) {
    for (const Allocation& allocation : workload.allocations) {
      if (!cluster_.nodes.find(allocation.node)) continue;
      // Who is on a node that is new is seen once it is known of all: enter_fresh().
      if (!fresh_.contains(allocation.node)) moves_[allocation.node][workload.id] = enters;
      touch(allocation.node);
    }
  }
  void settle_moves() {
    for (const auto& [name, moves] : moves_) {
      Node* node = cluster_.nodes.change(name);
      if (!node) continue;
      std::vector<WorkloadId> stay;
      stay.reserve(node->workloads.size() + moves.size());
      for (WorkloadId& id : node->workloads)
        if (!moves.contains(id)) stay.push_back(std::move(id));
      const auto middle = static_cast<std::ptrdiff_t>(stay.size());
      for (const auto& [id, enters] : moves)
        if (enters) stay.push_back(id);
      std::inplace_merge(stay.begin(), stay.begin() + middle, stay.end());
      node->workloads = std::move(stay);
    }
  }
  // Nodes that appear after the workloads that run on them: one pass for all of them.
  void enter_fresh() {
    if (fresh_.empty()) return;
    for (const Workload& workload : cluster_.workloads.all())
      for (const Allocation& allocation : workload.allocations)
        if (fresh_.contains(allocation.node))
          cluster_.nodes.change(allocation.node)->workloads.push_back(workload.id);
    for (const NodeName& name : fresh_) {
      std::vector<WorkloadId>& ids = cluster_.nodes.change(name)->workloads;
      std::sort(ids.begin(), ids.end());
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    }
  }

  void know_work() {
    const bool known = !work_untold(cluster_);
    if (std::exchange(cluster_.work_known, known) == known) return;
    for (const Node& node : cluster_.nodes.all()) touch(node.name);
    changes_.cluster = true;
  }

  void touch(const NodeName& name) {
    if (touched_.insert(name).second) changed_nodes_.insert(name);
  }
  void relink(Node& node) { link_holders(node, cluster_.workloads, cluster_.work_known); }

  // The first lists are no news, nor is the way from one moment of a recording to another.
  bool tells_changes() const { return cluster_.loaded && !cluster_.recorded; }

  void note(const NodeName& node, Severity severity, std::string what) {
    if (cluster_.recorded || (!cluster_.loaded && what == kAppeared)) return;
    LogEntry entry;
    entry.severity = severity;
    entry.kind = Happened::node;
    entry.subject = node.text;
    entry.nodes = {node};
    entry.text = what;
    entry.what = std::move(what);
    node_news_.push_back(std::move(entry));
  }

  void tell_work(const Workload* before, const Workload* now) {
    if (!tells_changes()) return;
    if (std::optional<LogEntry> entry = news_of(cluster_, before, now, at_))
      work_news_.push_back(std::move(*entry));
  }

  // Waiting tasks of arrays whose line is gone: those that no other line stands for.
  void tell_arrays(const std::vector<WorkloadId>& gone, const std::unordered_set<WorkloadId>& seen,
                   const std::vector<const Workload*>& ended) {
    if (!tells_changes()) return;
    std::optional<ListedArrays> listed;
    for (const WorkloadId& id : gone) {
      const std::optional<ArrayTasks> before = array_tasks(id.view());
      if (!before) continue;
      if (!listed) listed = listed_arrays(seen, ended);
      for (const auto& [how, tasks] : listed->left_of(*before))
        work_news_.push_back(news_of_tasks(cluster_, *cluster_.workloads.find(id), id_of(tasks), how));
    }
  }
  ListedArrays listed_arrays(const std::unordered_set<WorkloadId>& seen,
                             const std::vector<const Workload*>& ended) const {
    ListedArrays listed;
    for (const Workload& workload : cluster_.workloads.all())
      if (seen.contains(workload.id)) listed.add(workload);
    for (const Workload* workload : ended) listed.add(*workload);
    return listed;
  }

  // A whole fleet that goes the same way at once is one line, or it would push all others out of the log.
  void log_all(std::vector<LogEntry> entries, int most) {
    for (LogEntry& entry : in_few(std::move(entries), most)) {
      if (entry.count > 1) entry.subject = cluster_.name.text;
      log(std::move(entry), at_);
    }
  }

  void log(Severity severity, std::string subject, std::string text) {
    if (cluster_.recorded) return;
    log({{}, {}, severity, std::move(subject), std::move(text)}, at_);
  }

  // Each source that lists nodes, jobs or pods: the lists of one that never did are empty and tell nothing.
  bool all_answered() const {
    return std::none_of(cluster_.sources.begin(), cluster_.sources.end(), [](const auto& each) {
      const auto& [source, health] = each;
      return (tells_nodes(source) || tells_work(source)) && health.failure && !health.last_ok;
    });
  }

  void log_read() {
    LogEntry entry{{}, {}, Severity::info, cluster_.name.text, ""};
    entry.kind = Happened::console;  // nothing has happened to the cluster
    const auto counted = [](std::size_t count, const char* one) {
      return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
    };
    entry.text = counted(cluster_.nodes.size(), "node");
    entry.text += ", " + counted(cluster_.workloads.size(), "workload");
    entry.text += " read";
    log(std::move(entry), at_);
  }

  void log(LogEntry entry, TimePoint at) {
    const bool of_work = entry.kind >= Happened::layout && entry.kind <= Happened::moved;
    std::deque<LogEntry>& to = of_work ? model_.work_log : model_.log;
    entry.at = at;
    entry.cluster = cluster_.name;
    entry.number = model_.told++;
    to.push_back(std::move(entry));
    if (to.size() > (of_work ? Model::kWorkLogLimit : Model::kLogLimit)) to.pop_front();
    changes_.cluster = true;
  }

  static constexpr int kBurst = 20;
  static constexpr std::string_view kAppeared = "appeared";

  Model& model_;
  Cluster& cluster_;
  TimePoint at_{};  // of the event
  Changes changes_;
  std::vector<LogEntry> node_news_, work_news_;
  std::map<NodeName, std::map<WorkloadId, bool>> moves_;  // of workloads onto nodes, and away from them
  std::unordered_set<NodeName> fresh_;                    // new in these events
  std::unordered_set<NodeName> touched_;                  // to be linked again
  std::unordered_set<NodeName> changed_nodes_;
};

void add_changes(Changes& all, Changes more) {
  all.cluster |= more.cluster, all.status |= more.status;
  if (all.nodes.empty() && all.workloads.empty()) {
    all.nodes = std::move(more.nodes), all.workloads = std::move(more.workloads);
    return;
  }
  all.nodes.insert(all.nodes.end(), more.nodes.begin(), more.nodes.end());
  all.workloads.insert(all.workloads.end(), more.workloads.begin(), more.workloads.end());
}

}  // namespace

bool is_run_news(const Event& event) {
  return std::holds_alternative<RunsListed>(event.what) || std::holds_alternative<RunTold>(event.what) ||
         std::holds_alternative<RunRefused>(event.what) || std::holds_alternative<RunsAtRest>(event.what);
}

Changes reduce(Model& model, Event event) { return reduce_all(model, {&event, 1}); }

Changes reduce_all(Model& model, std::span<Event> events) {
  Changes all;
  for (std::size_t i = 0; i < events.size();) {
    if (is_run_news(events[i])) {
      ++i;
      continue;
    }
    const ClusterName name = events[i].cluster;
    Cluster* cluster = model.find(name);
    const bool added = !cluster;
    if (added) {
      model.clusters.emplace_back().name = name;
      cluster = &model.clusters.back();
      cluster->generation = events[i].generation;
    }
    Reducer reducer(model, *cluster);
    if (added) reducer.begin();
    bool any = false;
    for (; i < events.size() && events[i].cluster == name; ++i) {
      if (is_run_news(events[i]) || events[i].generation < cluster->generation) continue;
      cluster->generation = events[i].generation;
      reducer.take(events[i]);
      any = true;
    }
    if (!any) continue;
    Changes changes = reducer.finish();
    slinky::tell_sides(model, *cluster, changes);
    add_changes(all, std::move(changes));
  }
  return all;
}

}  // namespace tessera
