#include "engine/fleet/carried_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/fleet/begun.hpp"
#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/rests.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/taking.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/insight/read_whole.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

// What the file says of a run that it has begun, or that a person has begun with it.
class Judge {
 public:
  Judge(const Fleet& file, const Zone& zone, const AtRest& left)
      : file_(file), zone_(zone), left_(left), clock_(cluster_now(left.cluster, left.wall)) {
    if (const auto window = window_of(left.head)) opening_ = window->from;
    begun_ = opening_ ? *opening_ : clock_ - (left.wall - left.head.started);
    const bool opened = opening_ && begun_ <= clock_;
    wanted_now_ = opened && still(clock_, false) == Still::same;
  }

  FileSays says() const {
    const RunHead& head = left_.head;
    const bool gone = opening_ && !wanted_now_ && still(begun_, false) == Still::other;
    const NotCarriedOn edited{
        fmt::format("the fleet file no longer has the window from {} for which it was begun",
                    moment_text(file_, zone_, begun_)),
        true, false};
    std::optional<NotCarriedOn> over;
    if (gone && begun_ <= clock_) over = edited;
    for (const NodeName& name : head.nodes) {
      const Node* node = left_.cluster.nodes.find(name);
      if (!node) return {NotCarriedOn{"node " + clean(name.text, 100) + " is not listed now"}, false};
      if (!over) over = why_over(*node);
    }
    if (!over && gone) over = edited;
    // What cannot be read whole decides nothing, and a run that another file or a person may have begun is
    // theirs.
    if (over && over->over && (!is_for_a_window(head) || !insight::is_read_whole(left_.cluster)))
      over->over = false, over->finding = true, over->why += "; " + way_back(head);
    if (over) return {std::move(over), false};
    const Still now = still(wanted_now_ ? clock_ : begun_, is_for_a_window(head));
    if (now == Still::other) return {changed_since_begun(head), false};
    return {std::nullopt, now == Still::untold};
  }

 private:
  Still still(TimePoint at, bool by_file) const {
    if (!left_.run) return Still::untold;
    return still_wanted(left_.run->started.plan, fleet_at(file_, zone_, at), left_.cluster, left_.place,
                        by_file);
  }

  std::optional<NotCarriedOn> why_over(const Node& node) const {
    const Ruling ruling = ruling_of(file_, left_.cluster, node, *left_.place.catalogue);
    const Pool* pool = ruling.pool;
    if (ruling.untold) return std::nullopt;  // still() says so
    if (!pool)
      return NotCarriedOn{"the fleet file has no pool for node " + clean(node.name.text, 100) + " now",
                          opening_.has_value(), !opening_};
    const bool early = opening_ && begun_ > clock_;
    if (pool->windows.empty() || pool->is_exception(node.name.text)) {
      if (!early) return std::nullopt;
      return NotCarriedOn{fmt::format("no window of pool {} rules node {} now", pool->name, node.name.text),
                          true, false};
    }
    return early ? why_not_to_begin(*pool) : why_window_over(*pool);
  }

  // Of a window that has not opened yet.
  std::optional<NotCarriedOn> why_not_to_begin(const Pool& pool) const {
    const Rule& wanted = rule_at(file_, pool, zone_, begun_);
    const bool begins = phase_at(file_, pool, zone_, begun_).begin == begun_ &&
                        !same_rule(rule_at(file_, pool, zone_, begun_ - Duration(1)), wanted);
    if (begins) return std::nullopt;
    return NotCarriedOn{fmt::format("no window of pool {} begins or ends at {} now", pool.name,
                                    moment_text(file_, zone_, begun_)),
                        true, false};
  }

  std::optional<NotCarriedOn> why_window_over(const Pool& pool) const {
    const Rule& wanted = rule_at(file_, pool, zone_, begun_);
    if (!wanted_now_ && !same_rule(wanted, rule_at(file_, pool, zone_, clock_)))
      return NotCarriedOn{fmt::format("the window of pool {} for which it was begun is over", pool.name),
                          true};
    const auto last = last_begin(pool, zone_, phase_at(file_, pool, zone_, clock_), clock_);
    if (!last || clock_ <= *last) return std::nullopt;
    return NotCarriedOn{fmt::format("a change of pool {} may begin until {} only", pool.name,
                                    moment_text(file_, zone_, *last)),
                        true};
  }

  const Fleet& file_;
  const Zone& zone_;
  const AtRest& left_;
  TimePoint clock_, begun_{};         // the cluster's; the moment for whose rule it was begun
  std::optional<TimePoint> opening_;  // of the window for which it was begun; nullopt: for none
  bool wanted_now_ = false;           // a window that was moved holds now, and wants what the run makes
};

}  // namespace

bool opens_again(const NotCarriedOn& why, const plan::Run* run) {
  return why.over && run && has_only_closed(*run);
}

std::string way_back(const RunHead& head) {
  return fmt::format("tessera resume {} --back opens its nodes", clean(head.run, 100));
}

std::string left_text(const RunHead& head, const NotCarriedOn& why) {
  return why.over ? why.why + "; " + way_back(head) : why.why;
}

NotCarriedOn changed_since_begun(const RunHead& head) {
  const std::string run = clean(head.run, 100);
  return {
      fmt::format("the fleet file was changed after it was begun; tessera resume {} carries it on, tessera "
                  "resume {} --back opens its nodes",
                  run, run)};
}

void FailedNodes::note(const plan::Run& run) {
  const plan::Plan& plan = run.started.plan;
  std::map<std::string, std::vector<NodeName>>& alike = all_[{plan.intent.cluster, plan.intent.words}];
  alike.erase(run.started.run);
  if (auto failed = failed_but_resting(run); !run.finished && run.started.undoes.empty() && !failed.empty())
    alike.emplace(run.started.run, std::move(failed));
}

std::vector<FailedNodes::One> FailedNodes::beside(const ClusterName& cluster, const std::string& words,
                                                  const std::string& run) const {
  std::vector<One> others;
  const auto alike = all_.find({cluster, words});
  if (alike == all_.end()) return others;
  for (const auto& [other, nodes] : alike->second)
    for (const NodeName& node : nodes)
      if (other != run) others.push_back({other, node});
  return others;
}

// With a lead each call closes the nodes whose time has come, so that one window has several runs.
std::optional<std::string> why_others_wait(const Fleet& file, const mig::Catalogue& catalogue,
                                           const FailedNodes& failed, const Cluster& cluster,
                                           const std::string& words, const std::vector<NodeName>& nodes,
                                           const std::string& run) {
  if (!window_of(words)) return std::nullopt;
  // Several where it is not told which one rules it: its driver may be what has failed.
  const auto pools_that_stop = [&](const NodeName& name) {
    std::vector<const Pool*> all;
    const Node* node = cluster.nodes.find(name);
    if (!node) return all;
    Ruling ruling = ruling_of(file, cluster, *node, catalogue);
    if (ruling.untold) all = std::move(ruling.instead);
    if (ruling.pool) all.insert(all.begin(), ruling.pool);
    std::erase_if(all,
                  [](const Pool* pool) { return !pool->budget.lead || pool->on_failure != OnFailure::stop; });
    return all;
  };
  std::set<const Pool*> pools;
  for (const NodeName& name : nodes)
    for (const Pool* pool : pools_that_stop(name)) pools.insert(pool);
  for (const FailedNodes::One& one : failed.beside(cluster.name, words, run))
    for (const Pool* pool : pools_that_stop(one.node)) {
      if (!pools.contains(pool)) continue;
      return fmt::format(
          "node {} has failed, or waits for a person, in run {} for the same window, and on_failure of pool "
          "{} is stop",
          one.node.text, clean(one.run, 100), pool->name);
    }
  return std::nullopt;
}

FileSays says_of(const Fleet& file, const Zone& zone, const AtRest& left) {
  if (!left.head.undoes.empty()) return {};  // the way back is nothing that a file wants
  return Judge(file, zone, left).says();
}

std::string why_left(const Fleet& file, const Zone& zone, const AtRest& left, const FailedNodes& failed) {
  const RunHead& head = left.head;
  if (!head.undoes.empty()) return "";
  if (const auto not_on = says_of(file, zone, left).not_on) {
    const bool counts = (not_on->finding || not_on->over) && !opens_again(*not_on, left.run);
    return counts ? left_text(head, *not_on) : "";
  }
  return why_others_wait(file, *left.place.catalogue, failed, left.cluster, head.words, head.nodes, head.run)
      .value_or("");
}

}  // namespace tessera::fleet
