#include "backends/record/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "backends/files.hpp"
#include "backends/record/reader.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/model/reduce.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 30;

struct Part {
  std::string path, bytes;
  std::vector<Frame> frames;
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

class OnDisk final : public Recording {
 public:
  OnDisk(ClusterName name, std::vector<Part> parts) : name_(std::move(name)), parts_(std::move(parts)) {}

  const ClusterName& cluster() const override { return name_; }

  std::vector<Covered> covered() const override {
    std::vector<Covered> all;
    for (const Part& part : parts_) {
      Covered one{part.frames.front().at, part.frames.back().at};
      if (auto last = last_time(part)) one.to = *last;
      all.push_back(one);
    }
    return all;
  }

  Result<Model> at(TimePoint time) override {
    const Part* part = nullptr;
    const Frame* frame = frame_of(time, part);
    if (!frame) return none_at(time);
    Model model;
    Reader reader;
    reader.be_quiet();
    if (Status read = play(*part, *frame, reader, model, [&](TimePoint at) { return at <= time; }); !read)
      return read.error();
    if (model.clusters.empty() || !model.clusters.front().loaded) return none_at(time);
    std::vector<Event> events;
    reader.figures(events);
    for (Event& event : events) reduce(model, std::move(event));
    // A moment is looked at as it stood then.
    reduce(model, {model.clusters.front().name, 0, reader.at(), ClockSet{reader.at(), 0}});
    return model;
  }

  Status rounds(TimePoint from, TimePoint to,
                const std::function<bool(const Cluster&, TimePoint)>& see) override {
    for (const Part& part : parts_)
      for (std::size_t i = 0; i < part.frames.size(); ++i) {
        const Frame& frame = part.frames[i];
        if (frame.at > to) continue;
        if (i + 1 < part.frames.size() && part.frames[i + 1].at <= from) continue;
        Model model;
        Reader reader;
        TimePoint round{};
        bool more = true;
        const auto told = [&] {
          if (more && round >= from && round <= to && !model.clusters.empty() &&
              model.clusters.front().loaded)
            more = see(model.clusters.front(), round);
        };
        Status read = play(part, frame, reader, model, [&](TimePoint at) {
          if (at != round) {
            told();
            round = at;
          }
          return more && at <= to;
        });
        if (!read) return read;
        told();
        if (!more) return Done{};
      }
    return Done{};
  }

 private:
  Error none_at(TimePoint time) const {
    std::string covered;
    const std::vector<Covered> all = this->covered();
    if (!all.empty()) covered = "it covers " + utc_text(all.front().from) + " to " + utc_text(all.back().to);
    return {"nothing is recorded of " + utc_text(time),
            covered.empty() ? name_.text : name_.text + ": " + covered, "give a time within it: --at"};
  }

  const Frame* frame_of(TimePoint time, const Part*& in) const {
    const Frame* best = nullptr;
    for (const Part& part : parts_)
      for (const Frame& frame : part.frames)
        if (frame.at <= time && frame.data < frame.end) best = &frame, in = &part;
    return best;
  }

  template <class Goes>
  static Status play(const Part& part, const Frame& frame, Reader& reader, Model& model, Goes goes) {
    auto text = text_of(part.bytes, frame);
    if (!text) return Error{text.error().what, part.path + ": " + text.error().reason, text.error().hint};
    std::vector<Event> events;
    Status read = each_line(*text, [&](std::string_view line) -> Result<bool> {
      if (auto at = Reader::time_of(line); at && !goes(*at)) return false;
      events.clear();
      if (Status taken = reader.take(line, events); !taken)
        return Error{taken.error().what, part.path + ": " + taken.error().reason, taken.error().hint};
      for (Event& event : events) reduce(model, std::move(event));
      return true;
    });
    return read;
  }

  static std::optional<TimePoint> last_time(const Part& part) {
    for (auto frame = part.frames.rbegin(); frame != part.frames.rend(); ++frame) {
      auto text = text_of(part.bytes, *frame);
      if (!text || text->empty()) continue;
      const std::size_t before = text->size() < 2 ? std::string::npos : text->rfind('\n', text->size() - 2);
      return Reader::time_of(std::string_view(*text).substr(before == std::string::npos ? 0 : before + 1));
    }
    return std::nullopt;
  }

  ClusterName name_;
  std::vector<Part> parts_;
};

Result<Part> read_part(const std::string& path) {
  auto read = read_whole_file("cannot read the recording", path, kLargestFile);
  if (!read) return read.error();
  if (!*read) return Error{"cannot read the recording", clean(path) + ": there is no such file", ""};
  Part part{path, std::move((*read)->text), {}};
  auto frames = frames_in(part.bytes);
  if (!frames) return Error{frames.error().what, clean(path) + ": " + frames.error().reason, ""};
  part.frames = std::move(*frames);
  if (part.frames.empty()) return Error{"cannot read the recording", clean(path) + ": it is empty", ""};
  return part;
}

// What the recording calls its cluster.
Result<ClusterName> name_in(const Part& part) {
  auto text = text_of(part.bytes, part.frames.front());
  if (!text) return Error{text.error().what, clean(part.path) + ": " + text.error().reason, ""};
  Reader reader;
  std::vector<Event> events;
  if (Status head = reader.take(std::string_view(*text).substr(0, text->find('\n')), events); !head)
    return Error{head.error().what, clean(part.path) + ": " + head.error().reason, head.error().hint};
  return ClusterName(reader.head().cluster);
}

Result<std::unique_ptr<Recording>> open_files(std::vector<std::string> files) {
  std::sort(files.begin(), files.end());
  std::vector<Part> parts;
  for (const std::string& file : files) {
    auto part = read_part(file);
    if (!part) return part.error();
    parts.push_back(std::move(*part));
  }
  auto name = name_in(parts.front());
  if (!name) return name.error();
  return std::unique_ptr<Recording>(std::make_unique<OnDisk>(std::move(*name), std::move(parts)));
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().ends_with(kFileEnd) && entry.file_size(ignored) > 0)
      files.push_back(entry.path().string());
  return files;
}

}  // namespace

Result<std::vector<std::unique_ptr<Recording>>> open_recordings(const std::string& path) {
  std::vector<std::vector<std::string>> sets;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    sets.push_back({path});
  } else {
    if (auto files = files_in(path); !files.empty()) sets.push_back(std::move(files));
    for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
      if (entry.is_directory(ignored))
        if (auto files = files_in(entry.path()); !files.empty()) sets.push_back(std::move(files));
  }
  if (sets.empty())
    return Error{"cannot read the recording", clean(path) + ": no file of a recording lies there",
                 "tessera record --folder writes them; TESSERA_RECORDING or --recording names the folder"};
  std::vector<std::unique_ptr<Recording>> all;
  for (std::vector<std::string>& files : sets) {
    auto one = open_files(std::move(files));
    if (!one) return one.error();
    all.push_back(std::move(*one));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->cluster() < b->cluster(); });
  return all;
}

}  // namespace tessera::record
