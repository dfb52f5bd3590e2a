#include "backends/record/recording.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <utility>

#include "backends/files.hpp"
#include "backends/record/ages.hpp"
#include "backends/record/frame_reading.hpp"
#include "backends/record/in_order.hpp"
#include "backends/record/measurements.hpp"
#include "backends/record/parts.hpp"
#include "backends/record/reader.hpp"
#include "backends/record/sound.hpp"
#include "backends/record/stood_still.hpp"
#include "backends/record/survey.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/model/reduce.hpp"
#include "engine/query/local_time.hpp"
#include "engine/text.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

constexpr Duration kHistory{3'600'000};  // of what happened before a moment at least so much is told
constexpr Duration kKeyFramesApart{3 * 3'600'000};  // at most, where the recorder was not off for long

Error no_round() { return {"cannot read the recording", "it holds no round yet", ""}; }

constexpr auto kReadsAll = [](TimePoint) { return true; };

// Files are read when a moment of theirs is asked for, one at a time, and again when they have grown: a
// recorder may be at work.
class OnDisk final : public Recording {
 public:
  // folder: looked through again for files that came; empty: these are all. threads: that read pieces.
  OnDisk(std::vector<std::string> files, std::string folder, std::size_t threads)
      : folder_(std::move(folder)), threads_(threads) {
    for (std::string& file : files) parts_.push_back(DayPart{std::move(file)});
  }

  // What the recording calls its cluster, by the newest file whose head can be read. Errors: none can, and
  // why the newest one cannot.
  Status name() {
    std::optional<Error> why;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      Status read = read_name(*part);
      if (read) return read;
      if (!why) why = read.error();
    }
    return with_way_out(*why);
  }
  // Of a folder beside others, in which no head can be read: what it is asked for is an error then.
  void call(ClusterName name) { name_ = std::move(name); }

  const ClusterName& cluster() const override { return name_; }

  std::optional<Covered> covered() override {
    look_again();
    for (DayPart& part : parts_)
      if (const auto first = first_round(part))
        for (auto behind = parts_.rbegin(); behind != parts_.rend(); ++behind)
          if (const auto last = last_round(*behind)) return Covered{*first, std::max(*first, *last)};
    return std::nullopt;
  }

  Result<Model> at(TimePoint time) override {
    Result<Model> model = moment(time);
    if (model) add_history(*model);
    return model;
  }

  Result<Model> moment(TimePoint time) override {
    look_again();
    owed_.reset();
    damaged_behind_ = false;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      if (const auto midnight = midnight_of(*part); midnight && *midnight > time) continue;
      if (Status read = load(*part); !read && !is_passed_over(*part)) return read.error();
      damaged_behind_ = damaged_behind_ || part->damage;
      for (auto frame = part->frames.rbegin(); frame != part->frames.rend(); ++frame) {
        if (frame->at > time) continue;
        Result<Stood> stood = model_at(*part, *frame, time);
        if (!stood) return stood.error();
        damaged_behind_ = damaged_behind_ || stood->damaged;
        Model& model = stood->model;
        // A key frame that tore before its end says nothing; the one before it does.
        if (model.clusters.empty() || !model.clusters.front().loaded) continue;
        if (time - frame->at < kHistory) owe_history(model, *part, *frame);
        return std::move(model);
      }
    }
    return none_at(time);
  }
  bool owes_history() const override { return owed_.has_value(); }

  void add_history(Model& moment) override {
    const auto owed = std::exchange(owed_, std::nullopt);
    if (!owed || moment.clusters.empty()) return;
    const auto part = std::find_if(parts_.rbegin(), parts_.rend(),
                                   [&](const DayPart& one) { return one.path == owed->path; });
    // What cannot be read any more is left out: the moment is there all the same.
    if (part == parts_.rend() || !load(*part)) return;
    const auto frame = std::find_if(part->frames.rbegin(), part->frames.rend(), [&](const Frame& one) {
      return one.begin == owed->begin && one.at == owed->at;
    });
    if (frame == part->frames.rend()) return;
    if (std::next(frame) != part->frames.rend())
      add_history_of(moment, *part, *std::next(frame), *frame);
    else if (std::next(part) != parts_.rend())
      add_history_of_day_before(moment, *std::next(part), *part, Frame(*frame));
  }
  bool damaged_behind() const override { return damaged_behind_; }

  Duration figures_every() const override { return figures_every_; }
  Duration every() const override { return every_; }
  std::optional<std::vector<history::ToldIdle>> idle() const override { return idle_; }
  std::optional<RunLines> run_lines() const override { return run_lines_; }

  Stop stopped() override {
    look_again();
    bool damaged = false;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      if (last_round(*part)) return damaged ? Stop::damaged : part->stop;
      damaged = damaged || part->damage || part->stop == Stop::damaged;
    }
    return Stop::unknown;
  }

  Result<std::vector<DayFile>> days() override {
    look_again();
    std::vector<std::string> files;
    for (const DayPart& part : parts_) files.push_back(part.path);
    return survey(files);
  }

  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const Round&)>& see) override {
    look_again();
    Through through{from, to, see};
    for (std::size_t i = 0; i < parts_.size() && through.more; ++i) {
      // Days that are over before are not read for it.
      if (i + 1 < parts_.size() && begins_by(parts_[i + 1], from)) continue;
      DayPart& part = parts_[i];
      if (const auto midnight = midnight_of(part); midnight && *midnight > to) continue;
      if (Status read = load(part); !read && !is_passed_over(part)) return read;
      if (part.damage) through.pass_over(*part.damage, Stop::damaged);
      if (part.torn || part.frames.empty()) continue;
      if (Status read = rounds_of(part, through); !read) return read;
    }
    // Damage between rounds is a gap; where there is nothing else, there is no answer. Nor is there one of a
    // file that was cut off within its first round: it is not as if nothing had been held.
    if (through.last || covered()) return Done{};
    if (through.damage) return with_way_out(*through.damage);
    return with_way_out(cannot_read(parts_.back().path, no_round()));
  }

  // Between days: each is a file that can be read without the others.
  std::vector<TimePoint> cuts(TimePoint from, TimePoint to) override {
    look_again();
    std::vector<TimePoint> cuts;
    std::optional<TimePoint> before;  // the last round of the days before
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (const auto midnight = midnight_of(parts_[i]); midnight && *midnight > to) break;
      if (before && *before > from && *before < to && (cuts.empty() || *before > cuts.back()))
        cuts.push_back(*before);
      const bool is_behind = i + 1 < parts_.size() && !begins_by(parts_[i + 1], from);
      if (const auto last = is_behind ? last_round(parts_[i]) : std::nullopt) before = last;
    }
    return cuts;
  }

  void read_pieces(std::size_t count, const std::function<void(std::size_t, Recording&)>& read,
                   const std::function<void(std::size_t)>& then) override {
    const std::size_t threads = std::min(count, threads_);
    if (threads <= 1) return Recording::read_pieces(count, read, then);
    std::vector<std::unique_ptr<OnDisk>> own(threads);
    for (auto& one : own) one = another();
    in_order(
        count, threads, [&](std::size_t i, std::size_t thread) { read(i, *own[thread]); }, then);
  }

  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint from,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    look_again();
    Measurements found(nodes, from, to);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      DayPart& part = parts_[i];
      if (i + 1 < parts_.size() && begins_by(parts_[i + 1], from)) continue;
      if (const auto midnight = midnight_of(part); midnight && *midnight > to) continue;
      if (Status read = load(part); !read && !is_passed_over(part)) return read.error();
      if (part.torn) continue;
      for (const Frame& frame : part.frames)
        // What cannot be read has no sample: a chart is blank there.
        if (frame.at <= to && frame.until > from) (void)found.read(sound_text(bytes_, frame).text, goes_on);
    }
    return std::move(found).all();
  }

 private:
  // The same files, for another thread.
  std::unique_ptr<OnDisk> another() const {
    std::vector<std::string> files;
    for (const DayPart& part : parts_) files.push_back(part.path);
    auto other = std::make_unique<OnDisk>(std::move(files), "", 1);
    other->call(name_);
    return other;
  }

  // Of a recording of which nothing can be read.
  Error with_way_out(Error why) const {
    if (why.hint.empty()) why.hint = way_out();
    return why;
  }
  std::string way_out() const {
    const auto any = [this](auto&& is) { return std::any_of(parts_.begin(), parts_.end(), is); };
    if (any([](const DayPart& part) { return part.torn; }))
      return "wait until the recorder has written a round; where it was killed before, move the file away";
    if (any([](const DayPart& part) { return part.damage || !part.frames.empty(); }))
      return "give a file or folder that tessera record writes; of a damaged one, put a copy of a backup in "
             "its place";
    return "give a file or folder that tessera record writes";
  }

  // A walk through rounds.
  struct Through {
    TimePoint from, to;
    const std::function<bool(const Round&)>& see;
    bool more = true;
    std::optional<TimePoint> last{};   // round that was gone through, told or not
    std::optional<Written> written{};  // by it
    Stop broken = Stop::unknown;       // behind it
    std::optional<Error> damage{};     // the first
    // Up to when a clock that was set back had run before, and the file that tells it.
    std::optional<std::pair<TimePoint, std::string>> ahead{};
    void pass_over(const Error& why, Stop stop) {
      if (!damage && stop == Stop::damaged) damage = why;
      if (broken != Stop::damaged) broken = stop;
    }
  };

  Status read_name(DayPart& part) {
    if (Status read = load(part); !read) return read;
    std::optional<Error> why;
    for (const Frame& frame : part.frames) {
      const Sound sound = sound_text(bytes_, frame);
      if (sound.text.empty()) {
        if (sound.damage && !why) why = sound.damage;
        continue;
      }
      Reader reader;
      std::vector<Event> events;
      const std::string_view text = sound.text;
      Status head = reader.take(text.substr(0, text.find('\n')), events);
      if (head) {
        name_ = ClusterName(reader.head().cluster);
        return Done{};
      }
      if (!why) why = head.error();
    }
    // The only frame was being written.
    part.torn = part.torn || (!why && part.frames.size() == 1);
    return cannot_read(part.path, why.value_or(no_round()));
  }

  static Duration figures_every(const Reader& reader) {
    return std::chrono::seconds(std::clamp<std::int64_t>(reader.head().figures, 0, 86'400));
  }

  struct Stood {
    Model model;
    bool damaged = false;  // behind that, up to the time that was asked for
  };
  Result<Stood> model_at(const DayPart& part, const Frame& frame, TimePoint time) {
    Stood stood;
    Model& model = stood.model;
    FrameReading reading;
    Reader& reader = reading.reader;
    auto read =
        play(part, last_frame_.of(part, frame, bytes_), reading, [&](TimePoint at) { return at <= time; });
    if (!read) return read.error();
    model = std::move(reading.catch_up());
    if (read->in_round) {
      // A round that is there in part is none.
      auto before = model_at(part, frame, *read->in_round - Duration{1});
      if (before) before->damaged = true;
      return before;
    }
    // Of the round itself that was asked for nothing is missing.
    stood.damaged = read->damage && (model.clusters.empty() || reader.at() < time);
    if (model.clusters.empty()) return stood;
    figures_every_ = figures_every(reader);
    every_ = reader.every();
    idle_ = reader.idle();
    run_lines_ = reader.run_lines();
    std::vector<Event> events;
    reader.show(model.clusters.front());
    reader.figures_of_opened(events);
    for (Event& event : events) reduce(model, std::move(event));
    date_by_answers(model.clusters.front());
    // A moment is looked at as it stood then.
    reduce(model, {model.clusters.front().name, 0, reader.at(), ClockSet{reader.at(), 0}});
    return stood;
  }

  // Of a moment in that frame. What was read of it once is at hand.
  void owe_history(Model& moment, const DayPart& part, const Frame& frame) {
    if (is_known(part, frame)) return put_history(moment);
    const bool any = frame.begin != part.frames.front().begin || part.path != parts_.front().path;
    if (any) owed_ = Owed{part.path, frame.begin, frame.at};
  }

  // What happened from one key frame to the next, with the round that begins it: its own lists are no news.
  // That is over: who plays, or follows, asks for it again and again. Precondition: that round is whole.
  void add_history_of(Model& model, const DayPart& part, const Frame& before, const Frame& next) {
    // What cannot be read there is left out, and the moment is there all the same.
    if (!is_known(part, next) && !read_history(part, before, part, next, last_frame_.of(part, next, bytes_),
                                               model.clusters.front().nodes))
      return;
    put_history(model);
  }

  // The same of the first key frame of a day. The bytes are those of `part` again, whose frames are new.
  void add_history_of_day_before(Model& model, DayPart& day, DayPart& part, const Frame& next) {
    if (!is_known(part, next)) {
      const Sound& begins = last_frame_.of(part, next, bytes_);
      const bool near = load(day) && !day.torn && next.at > day.frames.back().at &&
                        next.at - day.frames.back().at <= kKeyFramesApart;
      const bool read =
          near && read_history(day, day.frames.back(), part, next, begins, model.clusters.front().nodes);
      if (!load(part)) return;
      if (!read) history_ = {part.path, next.begin, next.at, {}, {}};
    }
    put_history(model);
  }

  // begins: the text of `next`. then: the nodes of a moment in it. What is not ended has no checksum: there
  // each line is read, as far as they can be.
  bool read_history(const DayPart& day, const Frame& before, const DayPart& part, const Frame& next,
                    const Sound& begins, const Nodes& then) {
    const Sound sound = sound_text(bytes_, before);
    const bool is_checked = !before.torn && !sound.damage;
    const StoodStill still(is_checked ? std::string_view(sound.text) : std::string_view(), begins.text,
                           next.at, then);
    FrameReading reading(still.nodes());
    const auto read = is_checked ? play_some(day, sound, still.before(), reading, kReadsAll)
                                 : play(day, sound, reading, kReadsAll);
    if (!read) return false;
    static_cast<void>(
        play_some(part, begins, still.next(), reading, [&](TimePoint at) { return at <= next.at; }));
    Model& model = reading.catch_up();
    history_ = {part.path, next.begin, next.at, std::move(model.log), std::move(model.work_log)};
    return true;
  }

  bool is_known(const DayPart& part, const Frame& next) const {
    return history_.path == part.path && history_.begin == next.begin && history_.at == next.at;
  }
  void put_history(Model& model) const {
    for (auto [to, from] :
         {std::pair(&model.log, &history_.log), std::pair(&model.work_log, &history_.work_log)})
      to->insert(to->begin(), from->begin(), from->end());
  }

  Status rounds_of(const DayPart& part, Through& through) {
    for (const Frame& frame : part.frames) {
      if (!through.more) return Done{};
      if (frame.at > through.to || frame.until <= through.from) continue;
      FrameReading reading;
      TimePoint round{};
      const auto told = [&] {
        Model& model = reading.catch_up();
        std::vector<RunNews> runs = reading.take_run_news();
        if (!through.more || model.clusters.empty() || !model.clusters.front().loaded) return;
        if (through.last && round <= *through.last) return;
        tell_round(part, reading.reader, model.clusters.front(), round, std::move(runs), through);
      };
      const Sound sound = sound_text(bytes_, frame);
      auto played = play(part, sound, reading, [&](TimePoint at) {
        if (at != round) {
          told();
          round = at;
        }
        return through.more && at <= through.to;
      });
      if (!played) return played.error();
      if (!played->in_round) told();
      if (played->damage) through.pass_over(*played->damage, Stop::damaged);
      if (played->written_again) through.pass_over({}, Stop::set_back);
    }
    return Done{};
  }

  // Rounds of a day that a clock had reached before it was set back to the day before follow on none of
  // those.
  static void follow_set_back(const DayPart& part, const Head& head, TimePoint round, Through& through) {
    if (head.set_back_from) {
      through.ahead = {*head.set_back_from, part.path};
    } else if (through.ahead && part.path != through.ahead->second) {
      if (round <= through.ahead->first) through.pass_over({}, Stop::set_back);
      through.ahead.reset();
    }
  }

  static void tell_round(const DayPart& part, Reader& reader, Cluster& cluster, TimePoint round,
                         std::vector<RunNews> runs, Through& through) {
    follow_set_back(part, reader.head(), round, through);
    const Written now = reader.written();
    Stop stop = std::exchange(through.broken, Stop::unknown);
    if (!breaks_off(stop) && through.written) stop = stop_between(*through.written, now);
    through.written = now, through.last = round;
    if (round < through.from || round > through.to) return;
    reader.show(cluster);
    through.more = through.see(
        {cluster, round, reader.findings(), figures_every(reader), reader.every(), stop, std::move(runs)});
  }

  Error none_at(TimePoint time) {
    const auto all = covered();
    if (!all) {
      // No other time would do.
      for (const DayPart& part : parts_)
        if (part.damage) return with_way_out(*part.damage);
      return with_way_out(cannot_read(parts_.back().path, no_round()));
    }
    std::string of = name_.text;
    of += ": it covers " + query::local_text(all->from) + " to " + query::local_text(all->to);
    return {"nothing is recorded of " + query::local_text(time), of, "give a time within it: --at"};
  }

  // The bytes are those of this part from now on. Errors: it cannot be opened, or is_passed_over().
  Status load(DayPart& part) {
    if (!part.frames.empty() && loaded_ == part.path) return Done{};
    if (part.damage) return *part.damage;
    auto read = read_whole_file("cannot read the recording", part.path, kLargestFile);
    if (!read) return read.error();
    if (!*read) return Error{"cannot read the recording", clean(part.path) + ": there is no such file", ""};
    bytes_ = std::move((*read)->text);
    loaded_ = part.path;
    // What was added while it was read is looked for again.
    const Stamp now{stamp_of((*read)->about).file, static_cast<off_t>(bytes_.size())};
    if (now != std::exchange(part.stamp, now)) part.first.reset(), part.last.reset();
    // The mark of its first frame, which was being written.
    part.torn = bytes_.empty() || begins_mark(bytes_);
    if (part.torn) return Error{"cannot read the recording", clean(part.path) + ": it holds no frame", ""};
    auto frames = frames_of_day(bytes_);
    if (!frames) {
      part.damage = cannot_read(part.path, frames.error());
      return *part.damage;
    }
    part.frames = std::move(*frames);
    return Done{};
  }

  // What was added since: to files, as files, and in their place.
  void look_again() {
    if (!folder_.empty()) {
      std::vector<DayPart> now;
      for (std::string& file : day_files_in(folder_)) {
        auto known = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const DayPart& part) { return part.path == file; });
        now.push_back(known == parts_.end() ? DayPart{std::move(file)} : std::move(*known));
      }
      if (!now.empty()) parts_ = std::move(now);
    }
    for (DayPart& part : parts_) {
      struct stat about {};
      const bool unknown = part.frames.empty() && !part.damage;
      if (unknown || (::stat(part.path.c_str(), &about) == 0 && stamp_of(about) == part.stamp)) continue;
      if (loaded_ == part.path) loaded_.clear();
      part = DayPart{std::move(part.path)};
    }
  }

  // The first round that is whole.
  std::optional<TimePoint> first_round(DayPart& part) {
    if (part.first && !part.frames.empty()) return part.first;
    if (!load(part)) return std::nullopt;
    for (const Frame& frame : part.frames) {
      const Sound sound = sound_text(bytes_, frame);
      if (sound.text.find("\"kind\":\"whole\"") == std::string::npos) continue;
      part.first = Reader::time_of(sound.text);
      if (part.first) return part.first;
    }
    return std::nullopt;
  }

  std::optional<TimePoint> last_round(DayPart& part) {
    if (part.last && !part.frames.empty()) return part.last;
    if (!load(part)) return std::nullopt;
    bool damaged = false, begun = false;
    for (auto frame = part.frames.rbegin(); frame != part.frames.rend(); ++frame) {
      const Sound sound = sound_text(bytes_, *frame);
      damaged = damaged || sound.damage;
      begun = begun || is_begun(*frame, sound);
      part.stop = damaged ? Stop::damaged : Stop::unknown;
      const std::string_view text = sound.text;
      if (text.empty()) continue;
      const std::size_t before = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
      const std::string_view line = text.substr(before == std::string::npos ? 0 : before + 1);
      part.last = Reader::time_of(line);
      if (!damaged) part.stop = stop_behind(text, line);
      // Another recorder began there, and was cut off within its first round.
      if (begun && part.stop == Stop::ended) part.stop = Stop::cut;
      return part.last;
    }
    return std::nullopt;
  }

  ClusterName name_;
  std::string folder_;
  std::size_t threads_;
  // Of the stretch between two key frames, of which the later begins there.
  struct History {
    std::string path;
    std::size_t begin = 0;
    TimePoint at{};
    std::deque<LogEntry> log, work_log;
  };

  // A frame before which it lies.
  struct Owed {
    std::string path;
    std::size_t begin = 0;
    TimePoint at{};
  };

  std::vector<DayPart> parts_;  // oldest first
  History history_;             // that was read last
  std::optional<Owed> owed_;    // to the moment that was told last
  std::string bytes_;           // of one of them
  LastFrame last_frame_;
  std::string loaded_;  // its path
  Duration figures_every_{0}, every_{0};
  std::optional<std::vector<history::ToldIdle>> idle_;
  std::optional<RunLines> run_lines_;
  bool damaged_behind_ = false;
};

}  // namespace

Result<std::vector<std::unique_ptr<Recording>>> open_recordings(const std::string& path) {
  return open_recordings_with(path, std::clamp<std::size_t>(processors(), 1, kMostReaders));
}

Result<std::vector<std::unique_ptr<Recording>>> open_recordings_with(const std::string& path,
                                                                     std::size_t threads) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sets;  // a folder, and its files
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    sets.push_back({"", {path}});
  } else {
    if (auto files = day_files_in(path); !files.empty()) sets.emplace_back(path, std::move(files));
    for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
      if (entry.is_directory(ignored))
        if (auto files = day_files_in(entry.path()); !files.empty())
          sets.emplace_back(entry.path().string(), std::move(files));
  }
  if (sets.empty())
    return Error{"cannot read the recording", clean(path) + ": no file of a recording lies there",
                 "tessera record --folder writes them; TESSERA_RECORDING or --recording names the folder"};
  std::vector<std::unique_ptr<Recording>> all;
  std::optional<Error> why;
  std::size_t named = 0;
  for (auto& [folder, files] : sets) {
    auto one = std::make_unique<OnDisk>(std::move(files), folder, threads);
    if (Status known = one->name(); known)
      ++named;
    else if (!why)
      why = known.error();
    if (one->cluster().empty()) one->call(ClusterName(fs::path(folder).filename().string()));
    all.push_back(std::move(one));
  }
  if (named == 0) return *why;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->cluster() < b->cluster(); });
  return all;
}

}  // namespace tessera::record
