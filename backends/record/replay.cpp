#include "backends/record/replay.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/query/local_time.hpp"
#include "engine/record/happened.hpp"
#include "engine/record/step.hpp"
#include "engine/record/stood.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr Duration kTick{1000};
constexpr Duration kPiece{2 * 3'600'000LL};  // of a recording that is looked through backwards

Cluster who_of(const Cluster& known) {
  Cluster bare;
  bare.scheduler = known.scheduler, bare.simulated = known.simulated, bare.version = known.version;
  bare.endpoint = known.endpoint, bare.id = known.id;
  return bare;
}

std::string in_short(const std::vector<std::string>& what) {
  if (what.size() == 1) return what.front();
  return what.front() + " (+" + std::to_string(what.size() - 1) + ")";
}

// Why the moment that is shown is not the one that was asked for; empty: it is.
std::string why_another(TimePoint asked, TimePoint shown, const Covered& all, Recording& recording) {
  if (asked < all.from) return "nothing is recorded before this";
  const bool far = asked - shown > speaks_for(recording);
  const Stop end = asked >= all.to ? recording.stopped() : Stop::unknown;
  if (asked > all.to || end == Stop::damaged)
    return with_reason("this is the newest round", far || end == Stop::damaged ? end : Stop::unknown);
  if (far && recording.damaged_behind())
    return "this is the last round that can be read before the time that was asked for: what follows it is "
           "damaged";
  return far ? "nothing is recorded from here to the time that was asked for" : "";
}

// Of a round that is gone to from the one before it; empty: there is nothing to say of it.
std::string why_a_step(Stop before) {
  if (before == Stop::damaged) return "what was recorded right before this round is damaged";
  return before == Stop::set_back ? "the recorder's clock was set back right before this round" : "";
}

// What lies between what was looked for and the round from which it was: of the time between nothing is
// known.
class Crossed {
 public:
  void add(Stop before) {
    if (breaks_off(before) && worst_ != Stop::damaged) worst_ = before;
  }
  std::string told_with(std::string found) const {
    if (worst_ == Stop::damaged) return found + "; what was recorded in between is damaged";
    if (worst_ == Stop::set_back) return found + "; the recorder's clock was set back in between";
    return found;
  }

 private:
  Stop worst_ = Stop::unknown;
};

// round: the nearest that the recording has. Times are those that --at and :at take, by the clocks here: they
// stand beside others of a screen.
Error nothing_then(TimePoint round, TimePoint at, const Covered& all, Recording& recording) {
  const std::string what = "nothing is recorded of this moment";
  if (at < all.from) return {what, "the first round is of " + query::local_text(all.from), ""};
  const Stop behind = recording.damaged_behind() ? Stop::damaged : Stop::unknown;
  if (at <= all.to)
    return {what, with_reason("the round before is of " + query::local_text(round), behind), ""};
  const Stop end = recording.stopped() == Stop::damaged ? Stop::damaged : Stop::unknown;
  return {what, with_reason("the newest round is of " + query::local_text(all.to), end), ""};
}

// Of a moment whose figures are not those of its round; empty: they are.
std::string how_thin(Duration every) {
  const std::int64_t seconds = every / std::chrono::seconds(1);
  if (seconds <= 0) return "";
  const std::string time =
      seconds % 60 == 0 ? std::to_string(seconds / 60) + " min" : std::to_string(seconds) + " s";
  return "use is kept every " + time + " here";
}

// What reading the recording up to the moment has told of, oldest first. What the reader itself had to say is
// left out.
std::vector<LogEntry> happened_before(const Model& model) {
  std::vector<LogEntry> all;
  for (const std::deque<LogEntry>* log : {&model.log, &model.work_log})
    for (const LogEntry& entry : *log)
      if (entry.kind != Happened::console) all.push_back(entry);
  std::stable_sort(all.begin(), all.end(), [](const LogEntry& a, const LogEntry& b) { return a.at < b.at; });
  return all;
}

}  // namespace

ReplayBackend::ReplayBackend(std::unique_ptr<Recording> recording, TimePoint at, double speed,
                             std::function<TimePoint()> wall)
    : recording_(std::move(recording)),
      name_(recording_->cluster()),
      at_(at),
      speed_(speed),
      wall_(std::move(wall)) {}

ReplayBackend::ReplayBackend(ClusterName name, Opener open, TimePoint at, double speed,
                             std::function<TimePoint()> wall)
    : open_(std::move(open)), name_(std::move(name)), at_(at), speed_(speed), wall_(std::move(wall)) {}

ReplayBackend::~ReplayBackend() {
  ending_ = true;
  worker_.stop();
}

void ReplayBackend::start(EventSink& sink) {
  sink_ = &sink;
  worker_.post([this] {
    show(at_);
    tick();
  });
}

// What is looked back for meanwhile gives way: a person waits for the moment.
void ReplayBackend::move(std::function<void()> there) {
  const int turn = ++asked_;
  worker_.post([this, turn, there = std::move(there)] {
    const TimePoint before = round_;
    there();
    moved_ = turn;
    if (round_ != before) look_backs_.forget_before(turn);
    if (look_backs_.any()) worker_.post([this] { read_back(); });
  });
}

void ReplayBackend::jump(TimePoint to) {
  move([this, to] { show(to); });
}

void ReplayBackend::play(double speed) {
  move([this, speed] {
    speed_ = speed;
    tick();
  });
}

void ReplayBackend::step(int rounds) {
  move([this, rounds] {
    if (!open()) return;
    if (rounds < 0) {
      const std::optional<Covered> all = recording_->covered();
      if (!all || round_ <= all->from) return show(round_, "this is the first round");
      if (!together_) return show(round_ - Duration{1});
      // Behind a gap nothing would be known: it goes to the round itself.
      const Result<Model> before = recording_->moment(round_ - Duration{1});
      if (!before) return fail(before.error());
      return show(cluster_now(before->clusters.front(), wall_()));
    }
    std::optional<TimePoint> found;
    Stop before = Stop::unknown;
    const Status read = recording_->rounds(round_ + Duration{1}, TimePoint::max(), [&](const Round& round) {
      found = round.at, before = round.before;
      return false;  // the first one after
    });
    if (!read) return fail(read.error());
    const Stop behind = recording_->stopped() == Stop::damaged ? Stop::damaged : Stop::unknown;
    show(found.value_or(round_),
         found ? why_a_step(before) : with_reason("this is the newest round", behind));
  });
}

void ReplayBackend::seek(int direction, const NodeName& node) {
  move([this, direction, node] {
    if (!open()) return;
    direction > 0 ? seek_on(node) : seek_back(node);
  });
}

void ReplayBackend::seek_on(const NodeName& node) {
  std::optional<Moment> before;
  std::vector<std::string> what;
  TimePoint when{};
  Crossed crossed;
  const Status read = recording_->rounds(round_, TimePoint::max(), [&](const Round& round) {
    Moment now = moment_of(round, node);
    if (before) what = happened(*before, now), crossed.add(round.before);
    before = std::move(now);
    when = round.at;
    return what.empty() && !ending_;
  });
  if (!read) return fail(read.error());
  if (what.empty()) {
    crossed.add(recording_->stopped());
    return show(round_, crossed.told_with("nothing happened from here to the newest round"));
  }
  show(when, crossed.told_with(in_short(what)));
}

// Piece by piece, since a recording is read forwards. Each ends with the first round of the one behind it, so
// that what is damaged between the two is told.
void ReplayBackend::seek_back(const NodeName& node) {
  const std::optional<Covered> all = recording_->covered();
  std::vector<std::string> what;
  TimePoint when{};
  Crossed crossed;  // behind the piece that is looked through
  TimePoint to = round_;
  for (TimePoint from = to; all && what.empty() && from > all->from && !ending_;) {
    from -= kPiece;
    std::optional<Moment> last;
    std::optional<TimePoint> first;
    Crossed here = crossed;
    const Status read = recording_->rounds(from, to, [&](const Round& round) {
      Moment now = moment_of(round, node);
      const std::vector<std::string> news =
          last && round.at < round_ ? happened(*last, now) : std::vector<std::string>();
      if (!news.empty()) what = news, when = round.at, here = crossed;
      if (last) here.add(round.before);
      if (!first) first = round.at;
      last = std::move(now);
      return !ending_.load();
    });
    if (!read) return fail(read.error());
    crossed = here;
    to = first.value_or(to);
  }
  if (what.empty()) return show(round_, crossed.told_with("nothing happened from the first round to here"));
  show(when, crossed.told_with(in_short(what)));
}

void ReplayBackend::tick() {
  worker_.cancel(timer_);
  if (speed_ <= 0) return;
  timer_ = worker_.after(kTick, [this] {
    const double passed = static_cast<double>(kTick.count()) * speed_;
    const TimePoint next = at_ + Duration(static_cast<Duration::rep>(passed));
    show(together_ ? std::max(at_, together_->end_for(next)) : next);
    tick();
  });
}

void ReplayBackend::look_back(const NodeName& node, TimePoint since) { look_back_at(node, since); }
void ReplayBackend::look_back_at_sums(TimePoint since) { look_back_at(std::nullopt, since); }

void ReplayBackend::look_back_at(std::optional<NodeName> node, TimePoint since) {
  look_backs_.ask(std::move(node), since, asked_);
  worker_.post([this] { read_back(); });
}

std::vector<history::KeptFigures> ReplayBackend::take_kept() { return look_backs_.take_kept(); }
std::vector<history::Sums> ReplayBackend::take_sums() { return look_backs_.take_sums(); }
std::optional<std::vector<history::ToldIdle>> ReplayBackend::take_idle() { return look_backs_.take_idle(); }

void ReplayBackend::read_back() {
  // Before the first moment there is no hour before it, nor any who could be told.
  if (!recording_ || round_ == TimePoint{}) return look_backs_.forget();
  // Else it goes on behind what a person has asked for.
  const int turn = asked_;
  if (turn != moved_) return;
  const auto goes_on = [this, turn] { return !ending_ && asked_ == turn; };
  const bool told = look_backs_.read(*recording_, round_, speed_ <= 0, goes_on);
  if (told) tell(Loaded{}, round_);  // wakes whoever takes them
}

void ReplayBackend::tell(decltype(Event::what) what, TimePoint at) const {
  sink_->post({name_, 0, at, std::move(what)});
}

bool ReplayBackend::open() {
  if (recording_) return true;
  auto opened = open_();
  if (opened)
    recording_ = std::move(*opened);
  else
    fail(opened.error());
  return opened.ok();
}

void ReplayBackend::fail(const Error& error) {
  failed_ = true;
  tell(ClockSet{wall_(), 0}, at_);
  tell(SourceReport{Source::none, error, {}, "", false}, at_);
  tell(Loaded{}, at_);
}

// A moment outside is the nearest one within; of several recordings, of all of them.
void ReplayBackend::show(TimePoint to, std::string found) {
  if (!open()) return;
  const Covered all = recording_->covered().value_or(Covered{to, to});
  const TimePoint within = std::clamp(to, all.from, std::max(all.from, all.to));
  std::optional<Model> begin = std::exchange(begin_, std::nullopt);
  Result<Model> model =
      begin && within == at_ ? Result<Model>(std::move(*begin)) : recording_->moment(within);
  if (together_) together_->covers(name_, all);
  at_ = together_ ? together_->moment_for(to) : within;
  if (!model) return who_ ? show_unknown(all, model.error()) : fail(model.error());
  const Cluster& then = model->clusters.front();
  who_ = who_of(then);
  // The round that is shown, which may be a while before.
  const TimePoint round = cluster_now(then, wall_());
  if (together_ && (at_ < all.from || at_ - round > speaks_for(*recording_)))
    return show_no_round(*model, all);
  round_ = round;
  if (found.empty()) found = why_another(to, round, all, *recording_);
  if (found.empty()) found = how_thin(recording_->figures_every());
  tell(ClockSet{wall_(), 0}, round);
  tell(PaceReport{0, recording_->every(), then.pace.figures}, round);
  tell(Recorded{all.from, all.to, std::move(found)}, round);
  if (std::exchange(failed_, false)) tell(SourceReport{Source::none, {}, {}, "", false}, round);
  look_backs_.tell_idle(recording_->idle());
  // While it plays, many moments are of one round.
  const bool is_another = history_of_ != round;
  const bool owed = is_another && recording_->owes_history();
  if (owed) tell(Progress{"events", 0, {}}, round);
  if (is_another) tell(HistoryTold{happened_before(*model)}, round);
  moments_.tell(*sink_, name_, then, round);
  // That may take as long as the moment itself, which is looked at meanwhile.
  if (owed) {
    recording_->add_history(*model);
    tell(HistoryTold{happened_before(*model)}, round);
  }
  history_of_ = round;
  tell(Loaded{}, round);
}

// Of a moment that cannot be told nothing of another one stays, and playing goes on behind it.
void ReplayBackend::show_unknown(const Covered& all, const Error& why) {
  round_ = at_;
  failed_ = true;
  tell(ClockSet{wall_(), 0}, at_);
  tell(PaceReport{0, recording_->every()}, at_);
  tell(Recorded{all.from, all.to, ""}, at_);
  tell(SourceReport{Source::none, why, {}, "", false}, at_);
  moments_.tell(*sink_, name_, *who_, at_);
  tell(Loaded{}, at_);
}

void ReplayBackend::show_no_round(Model& nearest, const Covered& all) {
  recording_->add_history(nearest);
  const TimePoint round = cluster_now(nearest.clusters.front(), wall_());
  show_unknown(all, nothing_then(round, at_, all, *recording_));
  // Before the first round nothing has happened yet.
  const TimePoint until = at_ < all.from ? TimePoint::min() : round;
  if (history_of_ != until)
    tell(HistoryTold{at_ < all.from ? std::vector<LogEntry>() : happened_before(nearest)}, at_);
  history_of_ = until;
}

}  // namespace tessera::record
