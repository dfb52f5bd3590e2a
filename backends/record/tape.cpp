#include "backends/record/tape.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "backends/files.hpp"
#include "backends/record/age_out.hpp"
#include "backends/record/days.hpp"
#include "backends/record/mend.hpp"
#include "backends/record/thinner.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/digest.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;

Error cannot(const std::string& path, const std::string& reason, std::string hint = {}) {
  return {"cannot write the recording", clean(path, 4096) + ": " + reason, std::move(hint)};
}
Error cannot(const std::string& path, int number) {
  return cannot(path, std::strerror(number),
                number == ENOSPC ? "make room there, or limit it with --max-size" : "");
}

// What a recorder that was killed had not put in its place yet.
void remove_unfinished(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(kUnfinished)) fs::remove(entry.path(), ignored);
}

class Files final : public Tape {
 public:
  Files(std::string folder, Keep keep, Descriptor lock)
      : folder_(std::move(folder)),
        keep_(std::move(keep)),
        lock_(std::move(lock)),
        days_(folder_, keep_.bytes) {
    remove_unfinished(folder_);
    if (keep_.thin) thinner_.emplace(days_, *keep_.thin, keep_.tessera);
  }
  ~Files() override { close(); }

  bool wants_key(TimePoint at) const override {
    // A clock that was set back begins a new frame, too: times of a frame never run backwards.
    return !file_.ok() || day_of(at) != day_ || at < last_ || at - keyed_ >= kKeyEvery;
  }

  Status write(std::string_view lines, TimePoint at, bool key) override {
    if (key) {
      if (file_.ok() && day_of(at) == day_) {
        if (Status ended = put(compressor_.end()); !ended) return ended;
      } else {
        close();
        if (Status opened = open(at); !opened) return opened;
        tidy(at);
      }
      keyed_ = at;
    }
    if (!file_.ok()) return cannot(folder_, "a round must begin with a key frame after an error");
    const std::string mark = key ? compressor_.begin(at) : std::string();
    if (Status written = put(mark + compressor_.add(lines)); !written) return written;
    last_ = at;
    if (key || at - synced_ >= kSyncEvery || at < synced_) return sync(at);
    return Done{};
  }

  std::optional<Error> trouble() override {
    if (doubts_.empty()) return thinner_ ? thinner_->trouble() : std::nullopt;
    Error first = std::move(doubts_.front());
    doubts_.erase(doubts_.begin());
    return first;
  }
  bool busy() override { return thinner_ && thinner_->busy(); }

 private:
  std::string path() const { return folder_ + "/" + day_ + std::string(kFileEnd); }

  Status put(const std::string& bytes) {
    days_.keep_room(bytes.size());
    if (write_all(file_.get(), bytes)) {
      size_ += bytes.size();
      return Done{};
    }
    const int number = errno;
    // What was written of it would only be in the way.
    if (ftruncate(file_.get(), static_cast<off_t>(size_)) == 0) ::fdatasync(file_.get());
    file_ = Descriptor();
    return cannot(path(), number);
  }

  Status sync(TimePoint at) {
    if (::fdatasync(file_.get()) != 0) {
      const int number = errno;
      file_ = Descriptor();
      return cannot(path(), number);
    }
    synced_ = at;
    return Done{};
  }

  void close() {
    if (!file_.ok()) return;
    if (put(compressor_.end())) ::fdatasync(file_.get());
    file_ = Descriptor();
  }

  // A file that is there is gone on with, behind its last whole round.
  Status open(TimePoint at) {
    day_ = day_of(at);
    days_.write_to(day_ + std::string(kFileEnd));
    if (Status mended = mend(path()); !mended) return mended;
    Descriptor file(::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
    if (!file.ok()) return cannot(path(), errno);
    struct stat about {};
    if (fstat(file.get(), &about) != 0) return cannot(path(), errno);
    file_ = std::move(file);
    size_ = static_cast<std::size_t>(about.st_size);
    sync_folder(folder_);
    return Done{};
  }

  // Its end is made whole. What cannot be read is kept, whatever it is: a file of another's as it is, and
  // what is damaged at the end beside the file.
  Status mend(const std::string& file) {
    auto read = read_whole_file("cannot read the recording", file, kLargestFile);
    if (!read) return read.error();
    if (!*read) return Done{};
    const bool again = std::exchange(looked_through_, day_) == day_;
    const Mended found = mended((*read)->text, !again);
    std::string aside;
    if (found.foreign) aside = name_beside(file);
    if (found.foreign && std::rename(file.c_str(), aside.c_str()) != 0) return cannot(file, errno);
    // First what would be gone, then what takes its place.
    if (!found.aside.empty()) {
      const auto kept = keep_beside(file, found.aside, 0640);
      if (!kept) return kept.error();
      aside = kept->path;
    }
    if (found.whole)
      if (Status put = replace_file("cannot write the recording", file, *found.whole, 0640); !put) return put;
    tell_damage(file, aside, found.damage);
    return Done{};
  }

  void tell_damage(const std::string& file, const std::string& aside,
                   const std::vector<std::string>& damage) {
    if (damage.empty()) return;
    std::string reason = clean(file, 4096) + ": " + damage.front();
    if (damage.size() > 1) reason += " (+" + std::to_string(damage.size() - 1) + ")";
    doubts_.push_back({"the recording is damaged", std::move(reason),
                       aside.empty() ? "tessera record list tells what is missing"
                                     : "what could not be read is kept as " + clean(aside, 4096)});
  }

  // Removes what is older than wished, and sees to what is older than it need be in full.
  void tidy(TimePoint at) {
    const Aged aged =
        aged_out(days_.names(), at, keep_.age, keep_.thin ? std::optional(keep_.thin->age) : std::nullopt);
    std::error_code ignored;
    for (const std::string& name : aged.remove) fs::remove(days_.path_of(name), ignored);
    if (aged.doubt) {
      doubts_.push_back(doubt(*aged.doubt));
      days_.make_room(0);
      return;
    }
    // Thinner days may leave room for more of them.
    if (thinner_)
      thinner_->look_through(at, [this] { days_.make_room(0); });
    else
      days_.make_room(0);
  }

  Error doubt(const std::pair<std::string, std::string>& days) const {
    return {"older days stay as they are",
            clean(folder_, 4096) + ": nothing was recorded from " + days.first + " to " + days.second +
                ", which may be a clock that was set ahead",
            "if the clock is right, --keep and --thin go on once " + std::to_string(kDaysBehind) +
                " days are recorded; if it is not, set it, and remove the files of days to come"};
  }

  std::string folder_;
  Keep keep_;
  Descriptor lock_;
  Descriptor file_;
  std::size_t size_ = 0;
  Compressor compressor_;
  std::string day_;
  std::string looked_through_;  // the day of which damage was looked for
  TimePoint keyed_{}, last_{}, synced_{};
  Days days_;
  std::vector<Error> doubts_;       // not told yet
  std::optional<Thinner> thinner_;  // the first to go: it works in the folder
};

}  // namespace

std::string day_of(TimePoint at) { return utc_text(at).substr(0, 10); }

std::string folder_name(const ClusterName& cluster) {
  std::string name;
  for (char c : cluster.text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  // "a@b" and "a:b" are two clusters.
  if (name.empty() || name != cluster.text) name += "-" + digest(cluster.text).substr(0, 8);
  return name;
}

Result<std::unique_ptr<Tape>> open_tape(const std::string& folder, const ClusterName& cluster, Keep keep) {
  const std::string own = folder + "/" + folder_name(cluster);
  std::error_code wrong;
  fs::create_directories(own, wrong);
  if (wrong) return cannot(own, wrong.message(), "name a folder that you may write to: --folder");
  Descriptor lock(::open((own + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!lock.ok()) return cannot(own, std::strerror(errno), "name a folder that you may write to: --folder");
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return cannot(own, "another recorder writes there",
                  "one recorder for each cluster and folder: end that one, or name another --folder");
  return std::unique_ptr<Tape>(std::make_unique<Files>(own, std::move(keep), std::move(lock)));
}

}  // namespace tessera::record
