// Hours of a cluster, played event by event.

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "engine/hours.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/whatif/guards.hpp"
#include "engine/whatif/stage.hpp"

namespace tessera::whatif {
namespace {

// The simulator's own scheduler lets whatever fits slip past, and from then on only what is short.
constexpr Duration kSimulatorsPatience = std::chrono::hours(2), kSimulatorsShort = std::chrono::hours(1);

class Play {
 public:
  Play(const Question& question, const Stage& stage, const plan::Plan* plan)
      : question_(question),
        plan_(plan),
        stage_(stage),
        now_(question.now),
        end_(question.now + question.ahead),
        board_(stage.start) {
    future_.left_out = stage.left_out;
    if (plan_) add_names(board_, stage, *plan_, question);
    started_.assign(stage.line.size(), false);
    for (std::size_t i = 0; i < board_.running.size(); ++i) begin(i);
    const why::ToCome::List& to_come = stage.to_come.all();
    for (std::size_t i = 0; i < to_come.size(); ++i)
      if (to_come[i]->end) due_.insert({*to_come[i]->end, Happens::reservation_ends, i});
  }

  Future run() {
    if (plan_) begin_plan();
    table_.emplace(stage_, board_, end_);
    const auto within = std::count_if(due_.begin(), due_.end(),
                                      [&](const auto& one) { return std::get<TimePoint>(one) <= end_; });
    const Duration step = within > kMostLooks ? question_.ahead / kMostLooks : Duration(0);
    look();
    while (!is_given_up() && !due_.empty() && std::get<TimePoint>(*due_.begin()) <= end_) {
      const TimePoint next = std::max(std::get<TimePoint>(*due_.begin()), now_ + step);
      if (next > end_) break;
      now_ = next;
      while (!due_.empty() && std::get<TimePoint>(*due_.begin()) <= now_) happen();
      look();
    }
    for (std::size_t i = 0; i < stage_.line.size(); ++i)
      // Tasks of an array stand behind each other and have one id.
      if (const WorkloadId& id = stage_.line[i].work->id;
          !started_[i] && (future_.waiting.empty() || future_.waiting.back() != id))
        future_.waiting.push_back(id);
    if (plan_ && changes_left_ == 0) future_.changed = last_change_;
    return std::move(future_);
  }

 private:
  bool is_given_up() const { return question_.stop && question_.stop(); }
  bool is_slurm() const { return question_.cluster->scheduler == Scheduler::slurm; }

  void begin(std::size_t index) {
    const Running& run = board_.running[index];
    if (run.ends)
      due_.insert({*run.ends, Happens::release, index});
    else
      ++future_.endless;
    price(run.held, run.ends);
  }

  void price(const std::vector<Held>& held, std::optional<TimePoint> ends) {
    const std::optional<double> worth = worth_of(board_.places, held);
    if (!worth)
      ++future_.unpriced;
    else
      future_.gpu_hours += *worth * hours_left(std::min(ends.value_or(end_), end_) - now_);
  }
  static double hours_left(Duration time) { return hours_of(std::max(time, Duration(0))); }

  // ---- the plan

  void begin_plan() {
    std::vector<std::pair<std::size_t, std::size_t>> changing;  // of the plan; place
    for (std::size_t i = 0; i < plan_->nodes.size(); ++i) {
      const auto at = stage_.place_of.find(plan_->nodes[i].node);
      if (plan_->nodes[i].steps.empty() || at == stage_.place_of.end()) continue;
      changing.emplace_back(i, at->second);
    }
    for (const auto& [i, at] : changing) held_at_[at];
    for (std::size_t i = 0; i < board_.running.size(); ++i)
      for (std::size_t k = 0; k < board_.running[i].held.size(); ++k)
        if (const auto known = held_at_.find(board_.running[i].held[k].place); known != held_at_.end())
          known->second.emplace_back(i, k);
    for (const auto& [i, at] : changing) begin_node(i, at);
  }

  void begin_node(std::size_t index, std::size_t at) {
    const plan::NodePlan& planned = plan_->nodes[index];
    ++changes_left_;
    const std::optional<TimePoint> empty = empty_at(planned);
    if (planned.needs.drain || !empty || *empty > now_)
      board_.open.set(at, false);
    else
      keep_what_stays(at, planned);
    if (!empty) return;
    const TimePoint act = std::max(*empty, plan_->intent.options.at.value_or(now_));
    place_of_.emplace(index, at);
    due_.insert({act + kChangeTakes, Happens::change, index});
  }

  // When nothing is left that the plan waits for; nullopt: not foreseeable.
  std::optional<TimePoint> empty_at(const plan::NodePlan& planned) {
    std::optional<TimePoint> last = now_;
    for (const plan::Disturbed& one : planned.blast_radius) {
      const auto at = one.id.empty() ? stage_.running_of.end() : stage_.running_of.find(one.id);
      if (at == stage_.running_of.end()) {
        if (plan_->intent.options.way == plan::Way::wait || one.id.empty()) return std::nullopt;
        continue;
      }
      Running& run = board_.running[at->second];
      if (plan_->intent.options.way != plan::Way::wait && !one.stays) {
        end_early(run, one);
      } else if (!run.ends) {
        return std::nullopt;
      } else {
        last = std::max(*last, *run.ends);
      }
    }
    return last;
  }

  void end_early(Running& run, const plan::Disturbed& disturbed) {
    if (run.gone) return;
    if (const auto worth = worth_of(board_.places, run.held))
      future_.gpu_hours -= *worth * hours_left(std::min(run.ends.value_or(end_), end_) - now_);
    release(run);
    const Workload* work = question_.cluster->workloads.find(run.id);
    if (work && disturbed.restartable.value_or(false) && plan_->intent.options.way == plan::Way::requeue)
      ++future_.left_out;  // it waits again; when it starts is not worked out
  }

  Units offered_by(const plan::NodePlan& planned) {
    Units units(board_.names.all().size());
    const Cluster& cluster = *question_.cluster;
    for (const auto& [name, count] :
         plan::at_once(cluster, planned.node, planned.offered_after.by(cluster.scheduler)))
      units[board_.names.of(name)] += count;
    return units;
  }

  // What is free there once it is changed: all that it offers then, without what is still held.
  Units after(std::size_t at, const plan::NodePlan& planned) {
    Units units = offered_by(planned);
    for (const auto& [run, held] : held_at_[at])
      if (!board_.running[run].gone)
        for (std::size_t i = 0; i < units.size(); ++i) units[i] -= board_.running[run].held[held].units[i];
    for (std::int64_t& count : units) count = std::max<std::int64_t>(0, count);
    return units;
  }

  // No work is in the way: what the change takes away is gone at once, and the rest can be had meanwhile.
  void keep_what_stays(std::size_t at, const plan::NodePlan& planned) {
    const Units later = after(at, planned);
    Units& units = board_.places[at].units;
    for (std::size_t i = 0; i < later.size(); ++i) units[i] = std::min(units[i], later[i]);
  }

  // ---- what happens

  void happen() {
    const auto [at, what, index] = *due_.begin();
    due_.erase(due_.begin());
    if (what == Happens::release) return release(board_.running[index]);
    if (what == Happens::reservation_ends) return;  // the look that follows has its nodes
    const std::size_t number = place_of_.find(index)->second;
    Place& place = board_.places[number];
    place.units = after(number, plan_->nodes[index]);
    place.all = offered_by(plan_->nodes[index]);
    board_.open.set(number, true);
    table_->changed(number);
    last_change_ = std::max(last_change_, at);
    --changes_left_;
  }

  void release(Running& run) {
    if (run.gone) return;
    run.gone = true;
    for (const Held& held : run.held) {
      Place& place = board_.places[held.place];
      // What it holds may be gone with a change, or be more than the node gives at once.
      for (std::size_t i = 0; i < held.units.size(); ++i)
        place.units[i] = std::max(place.units[i], std::min(place.units[i] + held.units[i],
                                                           i < place.all.size() ? place.all[i] : 0));
      give_back(place.machine, held);
      if (table_) table_->released(held, run.ends);
    }
  }

  // ---- the scheduler

  void look() {
    std::vector<bool> failed(stage_.shapes.size()), full(stage_.rooms.size());
    std::vector<why::Unserved> unserved(stage_.rooms.size());  // by `like`
    // By `like`: who may run for as long runs into reservations, since a shorter one did.
    std::vector<std::optional<Duration>> too_long(stage_.rooms.size());
    guards_.clear();
    std::set<std::string> guarded, closed;
    for (std::size_t i = 0; i < stage_.line.size(); ++i) {
      const InLine& one = stage_.line[i];
      const Shape& shape = stage_.shapes[one.shape];
      if (started_[i] || failed[one.shape] || full[shape.room]) continue;
      const Room& room = stage_.rooms[shape.room];
      const Duration longest = shape.limit.value_or(Duration::max());
      if (too_long[room.like] && longest >= *too_long[room.like]) continue;
      if (!closed.empty() && closed.contains(room.partition) && longest > kSimulatorsShort) continue;
      // It finds no room, but it may be the first of its partition that waits for some.
      const auto takes_turn = [&] {
        return is_slurm() && !guarded.contains(room.partition) && waits_its_turn(*one.work, room);
      };
      if (unserved[room.like].covers(room.machine) && !takes_turn()) {
        failed[one.shape] = plan_ || may_be_first(*one.work);  // else another alike may take it
        continue;
      }
      Found places;
      const std::vector<std::size_t> found = search(shape, room, places);
      if (static_cast<int>(found.size()) == room.nodes) {
        start(i, found);
        continue;
      }
      failed[one.shape] = true;
      const bool is_full = places.roomy < room.nodes;
      if (is_full) unserved[room.like].add(places.with_gpus < room.nodes ? why::MachineNeed{} : room.machine);
      // What reservations keep waiting holds no other up: a shorter one for the same room may take its turn.
      const bool reserved = places.with_gpus >= room.nodes && places.unreserved < room.nodes;
      if (reserved) too_long[room.like] = longest;
      if (reserved) continue;
      full[shape.room] = is_full;
      if (!takes_turn()) continue;
      guarded.insert(room.partition);
      if (!question_.cluster->simulated)
        guard(shape, room);
      else if (now_ - one.work->submitted.value_or(now_) > kSimulatorsPatience)
        closed.insert(room.partition);
    }
  }

  // What no node can serve, or only nodes that are away, holds no other up. A plan changes which these are:
  // the scheduler's reason is older than it.
  bool waits_its_turn(const Workload& work, const Room& room) const {
    if (plan_) return table_->could_serve(table_->capable(room.asked), room);
    const bool asks_for_machine = room.machine.cpus > 0 || room.machine.memory > 0;
    return may_be_first(work) &&
           (!asks_for_machine || table_->could_serve(table_->capable(room.asked), room));
  }

  static bool may_be_first(const Workload& work) {
    return work.reason == "Resources" || work.reason == "Priority" || work.reason == "None" ||
           work.reason.empty();
  }

  // Of the places that were looked at: how many have the GPUs, how many of these it leaves before a
  // reservation begins, and how many have all of it, if a start there delayed nobody.
  struct Found {
    int with_gpus = 0, unreserved = 0, roomy = 0;
  };
  std::vector<std::size_t> search(const Shape& shape, const Room& room, Found& places) const {
    std::vector<std::size_t> found;
    Places::each(table_->able(room.asked), room.allowed, board_.open, [&](std::size_t at) {
      ++places.with_gpus;
      const bool reserved = runs_into_one(shape, room, at, now_);
      if (!reserved) ++places.unreserved;
      if (!board_.places[at].machine.has(room.machine)) return true;
      ++places.roomy;
      if (!reserved && !delays(shape, room, at)) found.push_back(at);
      return static_cast<int>(found.size()) < room.nodes;
    });
    return found;
  }

  // Whether it would still run there when a reservation that is not its own begins.
  bool runs_into_one(const Shape& shape, const Room& room, std::size_t at, TimePoint from) const {
    return why::ToCome::met(board_.places[at].to_come, room.own, from, shape.limit) != nullptr;
  }

  // Whether a start there would keep one before it from starting at its time.
  bool delays(const Shape& shape, const Room& room, std::size_t at) const {
    for (const Guard& guard : guards_) {
      if (shape.limit && now_ + *shape.limit <= guard.at) continue;
      const auto place = guard.places.find(at);
      if (place == guard.places.end()) continue;
      const Room& first = stage_.rooms[guard.room];
      Left left = place->second;
      const Units taken = taken_by(board_.places[at].units, board_.asked[room.asked]);
      for (std::size_t i = 0; i < taken.size(); ++i) left.units[i] -= taken[i];
      left.machine.take(room.machine);
      if (!serves(left.units, board_.asked[first.asked]) || !left.machine.has(first.machine)) return true;
    }
    return false;
  }

  void start(std::size_t number, const std::vector<std::size_t>& found) {
    const InLine& one = stage_.line[number];
    const Shape& shape = stage_.shapes[one.shape];
    const Room& room = stage_.rooms[shape.room];
    const Asked& asked = board_.asked[room.asked];
    started_[number] = true;
    Running run{one.work->id, std::nullopt, {}, false};
    if (shape.limit) run.ends = now_ + *shape.limit;
    Start told{one.work->id, one.work->name, one.work->user, requests_text(one.work->requests), now_, {}};
    for (const std::size_t at : found) {
      Units taken = taken_by(board_.places[at].units, asked);
      for (std::size_t i = 0; i < taken.size(); ++i) board_.places[at].units[i] -= taken[i];
      for (Guard& guard : guards_)
        if (auto place = guard.places.find(at);
            place != guard.places.end() && run.ends.value_or(end_) > guard.at) {
          for (std::size_t i = 0; i < taken.size(); ++i) place->second.units[i] -= taken[i];
          place->second.machine.take(room.machine);
        }
      told.nodes.push_back(board_.places[at].node->name);
      board_.places[at].machine.take(room.machine);
      run.held.push_back({at, std::move(taken), room.machine});
      if (const auto known = held_at_.find(at); known != held_at_.end())
        known->second.emplace_back(board_.running.size(), run.held.size() - 1);
      table_->started(run.held.back(), run.ends);
    }
    price(run.held, run.ends);
    if (run.ends) due_.insert({*run.ends, Happens::release, board_.running.size()});
    board_.running.push_back(std::move(run));
    future_.starts.push_back(std::move(told));
  }

  // The places that reservations leave to it now. nullopt: all that it may use.
  std::optional<Places> left_to(const Shape& shape, const Room& room) const {
    if (stage_.to_come.all().empty()) return std::nullopt;
    Places left = room.allowed;
    for (std::size_t at = 0; at < board_.places.size(); ++at)
      if (runs_into_one(shape, room, at, now_)) left.set(at, false);
    return left;
  }

  void guard(const Shape& shape, const Room& room) {
    const std::optional<Places> left = left_to(shape, room);
    const Guard* made = table_->guard(shape.room, due_, left ? &*left : nullptr);
    if (made == nullptr) return;
    // It does not start then either.
    const bool reserved = std::any_of(made->places.begin(), made->places.end(), [&](const auto& one) {
      return runs_into_one(shape, room, one.first, made->at);
    });
    if (!reserved) guards_.push_back(*made);
  }

  const Question& question_;
  const plan::Plan* plan_;
  const Stage& stage_;
  TimePoint now_, end_;
  Board board_;
  std::vector<bool> started_;  // by place in the line
  Due due_;
  std::map<std::size_t, std::size_t> place_of_;  // of each node of the plan
  // Of each place that the plan changes: who holds something there, as positions in `running` and in `held`.
  std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> held_at_;
  std::optional<Table> table_;
  int changes_left_ = 0;
  TimePoint last_change_{};
  std::vector<Guard> guards_;
  Future future_;
};

}  // namespace

Player::Player(const Question& question) : question_(question) {
  if (question.cluster && question.catalogue) stage_ = std::make_shared<const Stage>(stage_of(question));
}

Future Player::unfold(const plan::Plan* plan) const {
  return stage_ ? Play(question_, *stage_, plan).run() : Future();
}

Future unfold(const Question& question, const plan::Plan* plan) { return Player(question).unfold(plan); }

}  // namespace tessera::whatif
