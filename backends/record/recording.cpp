#include "backends/record/recording.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <utility>

#include "backends/files.hpp"
#include "backends/record/ages.hpp"
#include "backends/record/measurements.hpp"
#include "backends/record/reader.hpp"
#include "backends/record/survey.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/model/reduce.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

constexpr Duration kAfterMidnight{600'000};  // a day begins with its first round
constexpr Duration kHistory{3'600'000};      // of what happened before a moment at least so much is told
constexpr Duration kKeyFramesApart{3 * 3'600'000};  // at most, where the recorder was not off for long

// Tells a file that has grown, or that another was put in the place of.
struct Stamp {
  ino_t file = 0;
  off_t size = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};
Stamp stamp_of(const struct stat& about) { return {about.st_ino, about.st_size}; }

// A file, of which as much is known as was asked for.
struct Part {
  std::string path;
  Stamp stamp{};                  // when its frames were looked for
  std::vector<Frame> frames;      // empty: not looked for yet
  std::optional<TimePoint> last;  // of its newest round
  Stop stop{};                    // behind that
  bool torn = false;              // in its first frame: it says nothing (yet)
};

// Calls `see` with each line; what it returns false for ends the walk.
template <class See>
Status each_line(const std::string& text, See see) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    Result<bool> on = see(std::string_view(text).substr(at, end - at));
    if (!on) return on.error();
    if (!*on) break;
    at = end + 1;
  }
  return Done{};
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().ends_with(kFileEnd) && entry.file_size(ignored) > 0)
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

Error cannot_read(const std::string& path, const Error& error) {
  return {error.what, clean(path) + ": " + error.reason, error.hint};
}

// Files are read when a moment of theirs is asked for, one at a time, and again when they have grown: a
// recorder may be at work.
class OnDisk final : public Recording {
 public:
  // folder: looked through again for files that came; empty: these are all.
  OnDisk(std::vector<std::string> files, std::string folder) : folder_(std::move(folder)) {
    for (std::string& file : files) parts_.push_back({std::move(file), {}, {}, std::nullopt, {}, false});
  }

  // What the recording calls its cluster, by the newest file whose head can be read. A file that was torn
  // before its first frame was whole is passed over; errors: one that is damaged, or that none can be read.
  Status name() {
    std::optional<Error> why;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      Status read = read_name(*part);
      if (read) return read;
      if (!part->torn) return read;
      if (!why) why = read.error();
    }
    return *why;
  }

  const ClusterName& cluster() const override { return name_; }

  std::optional<Covered> covered() override {
    look_again();
    std::optional<Covered> all;
    for (Part& part : parts_)
      if (!part.frames.empty() || load(part)) {
        all = Covered{part.frames.front().at, part.frames.front().at};
        break;
      }
    for (auto part = parts_.rbegin(); all && part != parts_.rend(); ++part)
      if (const auto last = last_round(*part)) {
        all->to = *last;
        break;
      }
    return all;
  }

  Result<Model> at(TimePoint time) override {
    look_again();
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      if (const auto midnight = midnight_of(*part); midnight && *midnight > time) continue;
      if (Status read = load(*part); !read && !part->torn) return read.error();
      for (auto frame = part->frames.rbegin(); frame != part->frames.rend(); ++frame) {
        if (frame->at > time || frame->data >= frame->end) continue;
        Result<Model> model = model_at(*part, *frame, time);
        // A key frame that tore before its end says nothing; the one before it does.
        const bool whole = model && !model->clusters.empty() && model->clusters.front().loaded;
        if (whole && time - frame->at < kHistory) {
          if (std::next(frame) != part->frames.rend())
            add_history(*model, *part, *std::next(frame), *frame);
          else if (std::next(part) != parts_.rend())
            add_history_of_day_before(*model, *std::next(part), *part, Frame(*frame));
        }
        if (!model || whole) return model;
      }
    }
    return none_at(time);
  }

  Duration figures_every() const override { return figures_every_; }
  Duration every() const override { return every_; }

  Stop stopped() override {
    look_again();
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
      if (last_round(*part)) return part->stop;
    return Stop::unknown;
  }

  Result<std::vector<DayFile>> days() override {
    look_again();
    std::vector<std::string> files;
    for (const Part& part : parts_) files.push_back(part.path);
    return survey(files);
  }

  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const Round&)>& see) override {
    look_again();
    std::optional<Written> before;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      // Days that are over before are not read for it.
      if (i + 1 < parts_.size() && begins_by(parts_[i + 1], from)) continue;
      Part& part = parts_[i];
      if (const auto midnight = midnight_of(part); midnight && *midnight > to) continue;
      if (Status read = load(part); !read && !part.torn) return read;
      if (part.torn || part.frames.front().at > to) continue;
      auto more = rounds_of(part, from, to, before, see);
      if (!more) return more.error();
      if (!*more) return Done{};
    }
    return Done{};
  }

  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint from,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    look_again();
    Measurements found(nodes, from, to);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      if (i + 1 < parts_.size() && begins_by(parts_[i + 1], from)) continue;
      if (const auto midnight = midnight_of(part); midnight && *midnight > to) continue;
      if (Status read = load(part); !read && !part.torn) return read.error();
      for (std::size_t k = 0; k < part.frames.size() && !part.torn; ++k) {
        const Frame& frame = part.frames[k];
        if (frame.at > to || (k + 1 < part.frames.size() && part.frames[k + 1].at <= from)) continue;
        auto text = text_of(bytes_, frame);
        if (!text) return cannot_read(part.path, text.error());
        if (Status read = found.read(*text, goes_on); !read) return cannot_read(part.path, read.error());
      }
    }
    return std::move(found).all();
  }

 private:
  Status read_name(Part& part) {
    if (Status read = load(part); !read) return read;
    auto text = text_of(bytes_, part.frames.front());
    // The only frame was being written; one that was ended and cannot be read is damaged.
    const bool cut = text ? text->find('\n') == std::string::npos : part.frames.front().torn;
    part.torn = part.torn || (cut && part.frames.size() == 1);
    if (!text) return cannot_read(part.path, text.error());
    Reader reader;
    std::vector<Event> events;
    if (Status head = reader.take(std::string_view(*text).substr(0, text->find('\n')), events); !head)
      return cannot_read(part.path, head.error());
    name_ = ClusterName(reader.head().cluster);
    return Done{};
  }

  static Duration figures_every(const Reader& reader) {
    return std::chrono::seconds(std::clamp<std::int64_t>(reader.head().figures, 0, 86'400));
  }

  Result<Model> model_at(const Part& part, const Frame& frame, TimePoint time) {
    Model model;
    Reader reader;
    reader.be_quiet();
    Status read = play(part, frame, reader, model, [&](TimePoint at) { return at <= time; });
    if (!read) return read.error();
    if (model.clusters.empty()) return model;
    figures_every_ = figures_every(reader);
    every_ = reader.every();
    std::vector<Event> events;
    reader.figures(events);
    for (Event& event : events) reduce(model, std::move(event));
    date_by_answers(model.clusters.front());
    // A moment is looked at as it stood then.
    reduce(model, {model.clusters.front().name, 0, reader.at(), ClockSet{reader.at(), 0}});
    return model;
  }

  // What happened from one key frame to the next, with the round that begins it: its own lists are no news.
  // That is over: who plays, or follows, asks for it again and again. Precondition: that round is whole.
  void add_history(Model& model, const Part& part, const Frame& before, const Frame& next) {
    if (!is_known(part, next)) {
      Model then;
      Reader reader;
      reader.be_quiet();
      // What cannot be read there is left out, and the moment is there all the same.
      if (!play(part, before, reader, then, [](TimePoint) { return true; })) return;
      end_history(part, next, reader, std::move(then));
    }
    put_history(model);
  }

  // The same of the first key frame of a day. The bytes are those of `part` again, whose frames are new.
  void add_history_of_day_before(Model& model, Part& day, Part& part, const Frame& next) {
    if (!is_known(part, next)) {
      Model then;
      Reader reader;
      reader.be_quiet();
      const bool near = load(day) && !day.torn && next.at > day.frames.back().at &&
                        next.at - day.frames.back().at <= kKeyFramesApart;
      const bool read = near && play(day, day.frames.back(), reader, then, [](TimePoint) { return true; });
      if (!load(part)) return;
      if (read)
        end_history(part, next, reader, std::move(then));
      else
        history_ = {part.path, next.begin, next.at, {}, {}};
    }
    put_history(model);
  }

  bool is_known(const Part& part, const Frame& next) const {
    return history_.path == part.path && history_.begin == next.begin && history_.at == next.at;
  }
  void end_history(const Part& part, const Frame& next, Reader& reader, Model then) {
    static_cast<void>(play(part, next, reader, then, [&](TimePoint at) { return at <= next.at; }));
    history_ = {part.path, next.begin, next.at, std::move(then.log), std::move(then.work_log)};
  }
  void put_history(Model& model) const {
    for (auto [to, from] :
         {std::pair(&model.log, &history_.log), std::pair(&model.work_log, &history_.work_log)})
      to->insert(to->begin(), from->begin(), from->end());
  }

  // before: what the last round told that was gone through, of this part or an earlier one.
  Result<bool> rounds_of(const Part& part, TimePoint from, TimePoint to, std::optional<Written>& before,
                         const std::function<bool(const Round&)>& see) {
    bool more = true;
    for (std::size_t i = 0; i < part.frames.size() && more; ++i) {
      const Frame& frame = part.frames[i];
      if (frame.at > to) continue;
      if (i + 1 < part.frames.size() && part.frames[i + 1].at <= from) continue;
      Model model;
      Reader reader;
      reader.be_quiet();
      TimePoint round{};
      const auto told = [&] {
        if (!more || model.clusters.empty() || !model.clusters.front().loaded) return;
        const Written now = reader.written();
        const Stop stop = before ? stop_between(*before, now) : Stop::unknown;
        before = now;
        if (round < from || round > to) return;
        reader.show(model.clusters.front());
        more = see(
            {model.clusters.front(), round, reader.findings(), figures_every(reader), reader.every(), stop});
      };
      Status read = play(part, frame, reader, model, [&](TimePoint at) {
        if (at != round) {
          told();
          round = at;
        }
        return more && at <= to;
      });
      if (!read) return read.error();
      told();
    }
    return more;
  }

  Error none_at(TimePoint time) {
    std::string of = name_.text;
    if (const auto all = covered()) of += ": it covers " + utc_text(all->from) + " to " + utc_text(all->to);
    return {"nothing is recorded of " + utc_text(time), of, "give a time within it: --at"};
  }

  // The bytes are those of this part from now on.
  Status load(Part& part) {
    if (!part.frames.empty() && loaded_ == part.path) return Done{};
    auto read = read_whole_file("cannot read the recording", part.path, kLargestFile);
    if (!read) return read.error();
    if (!*read) return Error{"cannot read the recording", clean(part.path) + ": there is no such file", ""};
    bytes_ = std::move((*read)->text);
    const Stamp stamp = stamp_of((*read)->about);
    loaded_ = part.path;
    // So short a file is the mark of its first frame, which was being written.
    part.torn = bytes_.size() < kMarkBytes;
    auto frames = frames_in(bytes_);
    if (!frames) return cannot_read(part.path, frames.error());
    if (frames->empty()) return Error{"cannot read the recording", clean(part.path) + ": it is empty", ""};
    part.frames = std::move(*frames);
    // What was added while it was read is looked for again.
    part.stamp = {stamp.file, static_cast<off_t>(bytes_.size())};
    return Done{};
  }

  // What was added since: to files, as files, and in their place.
  void look_again() {
    if (!folder_.empty()) {
      std::vector<Part> now;
      for (std::string& file : files_in(folder_)) {
        auto known =
            std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.path == file; });
        now.push_back(known == parts_.end() ? Part{std::move(file), {}, {}, std::nullopt, {}, false}
                                            : std::move(*known));
      }
      if (!now.empty()) parts_ = std::move(now);
    }
    for (Part& part : parts_) {
      struct stat about {};
      if (part.frames.empty() || (::stat(part.path.c_str(), &about) == 0 && stamp_of(about) == part.stamp))
        continue;
      part.frames.clear();
      part.last.reset();
      if (loaded_ == part.path) loaded_.clear();
    }
  }

  // The begin of its day, by the file's name; nullopt: it was renamed.
  static std::optional<TimePoint> midnight_of(const Part& part) {
    return parse_utc(fs::path(part.path).filename().string().substr(0, 10) + "T00:00:00Z");
  }
  // Whether the whole part before this one lies before that time.
  static bool begins_by(const Part& part, TimePoint time) {
    if (!part.frames.empty()) return part.frames.front().at <= time;
    const auto midnight = midnight_of(part);
    return midnight && *midnight + kAfterMidnight <= time;
  }

  template <class Goes>
  Status play(const Part& part, const Frame& frame, Reader& reader, Model& model, Goes goes) const {
    auto text = text_of(bytes_, frame);
    if (!text) return cannot_read(part.path, text.error());
    std::vector<Event> events;
    return each_line(*text, [&](std::string_view line) -> Result<bool> {
      if (auto at = Reader::time_of(line); at && !goes(*at)) return false;
      events.clear();
      if (Status taken = reader.take(line, events); !taken) return cannot_read(part.path, taken.error());
      for (Event& event : events) reduce(model, std::move(event));
      return true;
    });
  }

  std::optional<TimePoint> last_round(Part& part) {
    if (part.last && !part.frames.empty()) return part.last;
    if (!load(part)) return std::nullopt;
    for (auto frame = part.frames.rbegin(); frame != part.frames.rend(); ++frame) {
      auto text = text_of(bytes_, *frame);
      if (!text || text->empty()) continue;
      const std::size_t before = text->size() < 2 ? std::string::npos : text->rfind('\n', text->size() - 2);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      const std::string_view line = std::string_view(*text).substr(begin);
      part.last = Reader::time_of(line);
      part.stop = stop_behind(*text, line);
      return part.last;
    }
    return std::nullopt;
  }

  ClusterName name_;
  std::string folder_;
  // Of the stretch between two key frames, of which the later begins there.
  struct History {
    std::string path;
    std::size_t begin = 0;
    TimePoint at{};
    std::deque<LogEntry> log, work_log;
  };

  std::vector<Part> parts_;  // oldest first
  History history_;          // that was read last
  std::string bytes_;        // of one of them
  std::string loaded_;       // its path
  Duration figures_every_{0}, every_{0};
};

Result<std::unique_ptr<Recording>> open_files(std::vector<std::string> files, std::string folder) {
  auto recording = std::make_unique<OnDisk>(std::move(files), std::move(folder));
  if (Status named = recording->name(); !named) return named.error();
  return std::unique_ptr<Recording>(std::move(recording));
}

}  // namespace

Result<std::vector<std::unique_ptr<Recording>>> open_recordings(const std::string& path) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sets;  // a folder, and its files
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    sets.push_back({"", {path}});
  } else {
    if (auto files = files_in(path); !files.empty()) sets.emplace_back(path, std::move(files));
    for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
      if (entry.is_directory(ignored))
        if (auto files = files_in(entry.path()); !files.empty())
          sets.emplace_back(entry.path().string(), std::move(files));
  }
  if (sets.empty())
    return Error{"cannot read the recording", clean(path) + ": no file of a recording lies there",
                 "tessera record --folder writes them; TESSERA_RECORDING or --recording names the folder"};
  std::vector<std::unique_ptr<Recording>> all;
  for (auto& [folder, files] : sets) {
    auto one = open_files(std::move(files), folder);
    if (!one) return one.error();
    all.push_back(std::move(*one));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->cluster() < b->cluster(); });
  return all;
}

}  // namespace tessera::record
