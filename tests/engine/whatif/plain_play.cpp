// Hours of a cluster, played event by event.
#include "tests/engine/whatif/plain_play.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::test::plain {
namespace {

enum class Happens : std::uint8_t { release, change };

// The simulator's own scheduler lets whatever fits slip past, and from then on only what is short.
constexpr Duration kSimulatorsPatience = std::chrono::hours(2), kSimulatorsShort = std::chrono::hours(1);

// The first in line of a partition for which there is no room yet: whoever comes after it may not delay it.
struct Guard {
  std::size_t shape = 0;
  TimePoint at{};                       // when it starts, by the time limits of what runs
  std::map<std::size_t, Units> places;  // where, and what is free there then
};

class Play {
 public:
  Play(const Question& question, const plan::Plan* plan)
      : question_(question),
        plan_(plan),
        stage_(stage_of(question, plan)),
        now_(question.now),
        end_(question.now + question.ahead) {
    future_.left_out = stage_.left_out;
    for (std::size_t i = 0; i < stage_.running.size(); ++i) begin(i);
  }

  Future run() {
    if (plan_) begin_plan();
    const auto within = std::count_if(due_.begin(), due_.end(),
                                      [&](const auto& one) { return std::get<TimePoint>(one) <= end_; });
    const Duration step = within > whatif::kMostLooks ? question_.ahead / whatif::kMostLooks : Duration(0);
    look();
    while (!due_.empty() && std::get<TimePoint>(*due_.begin()) <= end_) {
      const TimePoint next = std::max(std::get<TimePoint>(*due_.begin()), now_ + step);
      if (next > end_) break;
      now_ = next;
      while (!due_.empty() && std::get<TimePoint>(*due_.begin()) <= now_) happen();
      look();
    }
    for (const InLine& one : stage_.line)
      if (!one.started) future_.waiting.push_back(one.work->id);
    if (plan_ && changes_left_ == 0) future_.changed = last_change_;
    return std::move(future_);
  }

 private:
  bool is_slurm() const { return question_.cluster->scheduler == Scheduler::slurm; }

  void begin(std::size_t index) {
    const Running& run = stage_.running[index];
    if (run.ends)
      due_.insert({*run.ends, Happens::release, index});
    else
      ++future_.endless;
    price(run.held, run.ends);
  }

  void price(const std::vector<Held>& held, std::optional<TimePoint> ends) {
    const std::optional<double> worth = worth_of(stage_, held);
    if (!worth)
      ++future_.unpriced;
    else
      future_.gpu_hours += *worth * hours(std::min(ends.value_or(end_), end_) - now_);
  }
  static double hours(Duration time) {
    return std::chrono::duration<double, std::ratio<3600>>(std::max(time, Duration(0))).count();
  }

  // ---- the plan

  void begin_plan() {
    for (std::size_t i = 0; i < plan_->nodes.size(); ++i) {
      const plan::NodePlan& planned = plan_->nodes[i];
      const auto at = std::find_if(stage_.places.begin(), stage_.places.end(),
                                   [&](const Place& one) { return one.node->name == planned.node; });
      if (planned.steps.empty() || at == stage_.places.end()) continue;
      ++changes_left_;
      const std::optional<TimePoint> empty = empty_at(planned);
      if (planned.needs.drain || !empty || *empty > now_)
        at->open = false;
      else
        keep_what_stays(*at, planned);
      if (!empty) continue;
      const TimePoint act = std::max(*empty, plan_->intent.options.at.value_or(now_));
      place_of_.emplace(i, static_cast<std::size_t>(at - stage_.places.begin()));
      due_.insert({act + whatif::kChangeTakes, Happens::change, i});
    }
  }

  // When nothing is left that the plan waits for; nullopt: not foreseeable.
  std::optional<TimePoint> empty_at(const plan::NodePlan& planned) {
    std::optional<TimePoint> last = now_;
    for (const plan::Disturbed& one : planned.blast_radius) {
      const auto run = std::find_if(stage_.running.begin(), stage_.running.end(), [&](const Running& each) {
        return !one.id.empty() && each.id == one.id;
      });
      if (run == stage_.running.end()) {
        if (plan_->intent.options.way == plan::Way::wait || one.id.empty()) return std::nullopt;
      } else if (plan_->intent.options.way != plan::Way::wait && !one.stays) {
        end_early(*run, one);
      } else if (!run->ends) {
        return std::nullopt;
      } else {
        last = std::max(*last, *run->ends);
      }
    }
    return last;
  }

  void end_early(Running& run, const plan::Disturbed& disturbed) {
    if (run.gone) return;
    if (const auto worth = worth_of(stage_, run.held))
      future_.gpu_hours -= *worth * hours(std::min(run.ends.value_or(end_), end_) - now_);
    release(run);
    const Workload* work = question_.cluster->workloads.find(run.id);
    if (work && disturbed.restartable.value_or(false) && plan_->intent.options.way == plan::Way::requeue)
      ++future_.left_out;  // it waits again; when it starts is not worked out
  }

  Units offered_by(const plan::NodePlan& planned) {
    Units units(stage_.names.all().size());
    for (const auto& [name, count] : planned.offered_after.by(question_.cluster->scheduler))
      units[stage_.names.of(name)] += count;
    return units;
  }

  // What is free there once it is changed: all that it offers then, without what is still held.
  Units after(std::size_t at, const plan::NodePlan& planned) {
    Units units = offered_by(planned);
    for (const Running& run : stage_.running)
      if (!run.gone)
        for (const Held& held : run.held)
          if (held.place == at)
            for (std::size_t i = 0; i < held.units.size(); ++i) units[i] -= held.units[i];
    for (std::int64_t& count : units) count = std::max<std::int64_t>(0, count);
    return units;
  }

  // No work is in the way: what the change takes away is gone at once, and the rest can be had meanwhile.
  void keep_what_stays(Place& place, const plan::NodePlan& planned) {
    const Units later = after(static_cast<std::size_t>(&place - stage_.places.data()), planned);
    for (std::size_t i = 0; i < later.size(); ++i) place.units[i] = std::min(place.units[i], later[i]);
  }

  // ---- what happens

  void happen() {
    const auto [at, what, index] = *due_.begin();
    due_.erase(due_.begin());
    if (what == Happens::release) return release(stage_.running[index]);
    const auto found = place_of_.find(index);
    Place& place = stage_.places[found->second];
    place.units = after(found->second, plan_->nodes[index]);
    place.all = offered_by(plan_->nodes[index]);
    place.open = true;
    last_change_ = std::max(last_change_, at);
    --changes_left_;
  }

  void release(Running& run) {
    if (run.gone) return;
    run.gone = true;
    for (const Held& held : run.held)
      for (std::size_t i = 0; i < held.units.size(); ++i) stage_.places[held.place].units[i] += held.units[i];
  }

  // ---- the scheduler

  void look() {
    std::vector<bool> failed(stage_.shapes.size());
    std::set<std::size_t> full;  // no place has the room, whatever the limit
    guards_.clear();
    std::set<std::string> guarded, closed;
    for (InLine& one : stage_.line) {
      const Shape& shape = stage_.shapes[one.shape];
      if (one.started || failed[one.shape] || full.contains(shape.room)) continue;
      if (closed.contains(shape.partition) && shape.limit.value_or(Duration::max()) > kSimulatorsShort)
        continue;
      int roomy = 0;
      const std::vector<std::size_t> found = search(shape, roomy);
      if (static_cast<int>(found.size()) == shape.asked.nodes) {
        start(one, found);
        continue;
      }
      failed[one.shape] = true;
      if (roomy < shape.asked.nodes) full.insert(shape.room);
      if (!is_slurm() || !waits_its_turn(*one.work, shape) || !guarded.insert(shape.partition).second)
        continue;
      if (!question_.cluster->simulated)
        guard(one.shape);
      else if (now_ - one.work->submitted.value_or(now_) > kSimulatorsPatience)
        closed.insert(shape.partition);
    }
  }

  // What no node can serve, or only nodes that are away, holds no other up. A plan changes which these are:
  // the scheduler's reason is older than it.
  bool waits_its_turn(const Workload& work, const Shape& shape) const {
    if (plan_) {
      int able = 0;
      for (std::size_t i = 0; i < stage_.places.size() && able < shape.asked.nodes; ++i)
        able += stage_.places[i].open && shape.allowed[i] && serves(stage_.places[i].all, shape);
      return able == shape.asked.nodes;
    }
    return work.reason == "Resources" || work.reason == "Priority" || work.reason == "None" ||
           work.reason.empty();
  }

  // roomy: how many of the places that were looked at have the room, if a start there delayed nobody.
  std::vector<std::size_t> search(const Shape& shape, int& roomy) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < stage_.places.size(); ++i) {
      if (static_cast<int>(found.size()) == shape.asked.nodes) break;
      const Place& place = stage_.places[i];
      if (!place.open || !shape.allowed[i] || !serves(place.units, shape)) continue;
      ++roomy;
      if (!delays(shape, i)) found.push_back(i);
    }
    return found;
  }

  // Whether a start there would keep one before it from starting at its time.
  bool delays(const Shape& shape, std::size_t at) const {
    for (const Guard& guard : guards_) {
      if (shape.limit && now_ + *shape.limit <= guard.at) continue;
      const auto place = guard.places.find(at);
      if (place == guard.places.end()) continue;
      Units left = place->second;
      const Units taken = taken_by(stage_.places[at].units, shape);
      for (std::size_t i = 0; i < left.size(); ++i) left[i] -= taken[i];
      if (!serves(left, stage_.shapes[guard.shape])) return true;
    }
    return false;
  }

  void start(InLine& one, const std::vector<std::size_t>& found) {
    const Shape& shape = stage_.shapes[one.shape];
    one.started = true;
    Running run{one.work->id, std::nullopt, {}, false};
    if (shape.limit) run.ends = now_ + *shape.limit;
    Start told{one.work->id, one.work->name, one.work->user, request_of(*one.work), now_, {}};
    for (const std::size_t at : found) {
      Units taken = taken_by(stage_.places[at].units, shape);
      for (std::size_t i = 0; i < taken.size(); ++i) stage_.places[at].units[i] -= taken[i];
      for (Guard& guard : guards_)
        if (auto place = guard.places.find(at);
            place != guard.places.end() && run.ends.value_or(end_) > guard.at)
          for (std::size_t i = 0; i < taken.size(); ++i) place->second[i] -= taken[i];
      told.nodes.push_back(stage_.places[at].node->name);
      run.held.push_back({at, std::move(taken)});
    }
    price(run.held, run.ends);
    if (run.ends) due_.insert({*run.ends, Happens::release, stage_.running.size()});
    stage_.running.push_back(std::move(run));
    future_.starts.push_back(std::move(told));
  }

  static std::string request_of(const Workload& work) {
    std::string text;
    for (const Request& one : work.requests)
      if (one.count > 0) text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", one.count, one.resource);
    return text;
  }

  // Its start by the time limits of what runs, if nothing else began. No guard: it does not start until the
  // end.
  void guard(std::size_t number) {
    const Shape& shape = stage_.shapes[number];
    Guard made{number, now_, {}};
    const auto is_enough = [&] { return static_cast<int>(made.places.size()) == shape.asked.nodes; };
    for (std::size_t i = 0; i < stage_.places.size() && !is_enough(); ++i) {
      const Place& place = stage_.places[i];
      if (place.open && shape.allowed[i] && serves(place.units, shape)) made.places.emplace(i, place.units);
    }
    if (is_enough()) return;  // there is room, and those before it come first
    std::map<std::size_t, Units> later;
    for (const auto& [at, what, index] : due_) {
      if (at > end_) return;
      if (what != Happens::release || stage_.running[index].gone) continue;
      for (const Held& held : stage_.running[index].held) {
        const Place& place = stage_.places[held.place];
        Units& units = later.try_emplace(held.place, place.units).first->second;
        for (std::size_t i = 0; i < units.size(); ++i) units[i] += held.units[i];
        if (auto known = made.places.find(held.place); known != made.places.end())
          known->second = units;
        else if (!is_enough() && place.open && shape.allowed[held.place] && serves(units, shape))
          made.places.emplace(held.place, units);
      }
      if (!is_enough()) continue;
      made.at = at;
      guards_.push_back(std::move(made));
      return;
    }
  }

  const Question& question_;
  const plan::Plan* plan_;
  Stage stage_;
  TimePoint now_, end_;
  std::set<std::tuple<TimePoint, Happens, std::size_t>> due_;
  std::map<std::size_t, std::size_t> place_of_;  // of each node of the plan
  int changes_left_ = 0;
  TimePoint last_change_{};
  std::vector<Guard> guards_;
  Future future_;
};

}  // namespace

Future unfold(const Question& question, const plan::Plan* plan) {
  if (!question.cluster || !question.catalogue) return {};
  return Play(question, plan).run();
}

}  // namespace tessera::test::plain
