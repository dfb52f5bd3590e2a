#include "backends/slurm/change/host_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <set>

#include "backends/files.hpp"
#include "backends/last_line.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/unread.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Words = std::vector<std::string>;
using ConfFiles = std::vector<slurmconf::File>;

constexpr std::size_t kMostHostBytes = 16u << 20;  // of one file
constexpr std::size_t kMostHostFiles = 1000;
constexpr int kMostHostRounds = 16;  // includes in includes

std::string last_words_of(const NodeAnswer& answer) {
  const std::string line = last_line(answer.err.empty() ? answer.out : answer.err);
  return line.empty() ? fmt::format("it ended with status {}", answer.exit_code) : line;
}

std::vector<std::string> lines_of(std::string_view text) {
  auto lines = lines_in(text);
  return {lines.begin(), lines.end()};
}

Words with_names(Words words, const std::vector<std::string>& names) {
  words.insert(words.end(), names.begin(), names.end());
  return words;
}

}  // namespace

// One command after the other on the host.
class HostTalk : public std::enable_shared_from_this<HostTalk> {
 public:
  HostTalk(NodeRunner& runner, NodeName host) : runner_(runner), host_(std::move(host)) {}
  virtual ~HostTalk() = default;

 protected:
  using Heard = std::function<void(NodeAnswer)>;
  void ask(Words argv, Heard heard) { run(std::move(argv), "", false, std::move(heard)); }
  void run(Words argv, std::string input, bool changes, Heard heard) {
    NodeCommand command;
    command.node = host_;
    command.argv = std::move(argv);
    command.input = std::move(input);
    command.changes = changes;
    command.output_limit = kMostHostBytes;
    runner_.run(std::move(command),
                [self = shared_from_this(), heard = std::move(heard)](Result<NodeAnswer> answer) {
                  if (!answer) return self->fail(answer.error());
                  heard(std::move(*answer));
                });
  }
  virtual void fail(Error error) = 0;
  Error cannot(std::string_view doing, const std::string& why) const {
    return {fmt::format("cannot {} Slurm's files on {}", doing, host_.text), why, ""};
  }

 private:
  NodeRunner& runner_;
  const NodeName host_;
};

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────

class HostFiles::Reading final : public HostTalk {
 public:
  Reading(HostFiles& owner, std::string slurm_conf, AllowedDevices devices, Told told)
      : HostTalk(owner.runner_, owner.host_),
        owner_(owner),
        conf_(std::move(slurm_conf)),
        devices_(devices),
        told_(std::move(told)) {}

  void begin() {
    if (!conf_.starts_with('/')) return fail(cannot("read", "where slurm.conf lies there is not known"));
    if (owner_.devices_ != devices_) owner_.stamps_.clear();
    owner_.devices_ = devices_;
    bool known = !owner_.stamps_.empty() && owner_.names_.front() == conf_;
    names_ = known ? owner_.names_ : conf_names(conf_, {}, devices_);
    stamp();
  }

 private:
  void fail(Error error) override { told_(std::move(error)); }

  // Before the text: a file that changes meanwhile is read again by the next look. Those that are not there
  // are complained of, on the side that is not compared.
  void stamp() {
    Words words = with_names({"stat", "-L", "-c", "%n %d %i %s %y %z %u %a %Y %Z", "--"}, names_);
    ask(with_names(std::move(words), only_timed(conf_)), [this](NodeAnswer answer) {
      if (!owner_.stamps_.empty() && answer.out == owner_.stamps_ && owner_.names_ == names_)
        return told_(owner_.found_);
      stamps_ = std::move(answer.out);
      found_ = {};
      at_ = 0;
      next();
    });
  }
  void next() {
    if (at_ == names_.size()) return all_read();
    ask({"cat", "--", names_[at_]}, [this](NodeAnswer answer) {
      const std::string& name = names_[at_++];
      bool missing = answer.exit_code != 0 && answer.err.find("No such file") != std::string::npos;
      if (answer.exit_code != 0 && !missing) return fail(cannot("read", last_words_of(answer)));
      if (missing && name == conf_) return fail(cannot("read", conf_ + ": there is no such file"));
      if (!missing) found_.files.push_back({name, std::move(answer.out)});
      next();
    });
  }
  void all_read() {
    std::vector<std::string> names = conf_names(conf_, found_.files, devices_);
    if (names == names_) return look_whether_writable();
    if (names.size() > kMostHostFiles || ++rounds_ > kMostHostRounds)
      return fail(cannot("read", "it includes more than 1,000 files"));
    names_ = std::move(names);
    stamp();
  }
  void look_whether_writable() {
    std::vector<std::string> there;
    for (const slurmconf::File& file : found_.files) there.push_back(file.path);
    ask(with_names({"readlink", "-f", "--"}, there), [this](NodeAnswer answer) {
      std::vector<std::string> real = lines_of(answer.out);
      if (answer.exit_code != 0 || real.size() != found_.files.size())
        return fail(cannot("read", last_words_of(answer)));
      std::vector<std::string> places = real;
      for (const std::string& path : real) places.push_back(folder_of(path));
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      Words words = with_names({"find"}, places);
      words.insert(words.end(), {"-maxdepth", "0", "!", "-writable"});
      ask(std::move(words), [this](const NodeAnswer& found) {
        std::vector<std::string> closed = lines_of(found.out);
        if (found.exit_code != 0)
          found_.cannot_write = last_words_of(found);
        else if (!closed.empty())
          found_.cannot_write = clean(closed.front(), 400) + ": it cannot be written by us";
        look_for_backups();
      });
      real_ = std::move(real);
    });
  }
  void look_for_backups() {
    std::vector<std::string> folders;
    for (const std::string& path : real_) folders.push_back(folder_of(path));
    std::sort(folders.begin(), folders.end());
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    Words words = with_names({"find"}, folders);
    words.insert(words.end(),
                 {"-maxdepth", "1", "-type", "f", "-name", "*.before-*", "-printf", "%T@ %C@ %s %p\\n"});
    ask(std::move(words), [this](const NodeAnswer& answer) {
      std::vector<std::size_t> sizes;
      if (answer.exit_code == 0) found_.backups = backups_of(answer.out, sizes);
      read_backups(sizes);
    });
  }
  // All with one command: their sizes tell where one ends.
  void read_backups(const std::vector<std::size_t>& sizes) {
    const std::set<std::string> newest = newest_runs(found_.backups);
    Words words{"cat", "--"};
    std::vector<std::pair<std::size_t, std::size_t>> parts;  // place in the list, size
    std::size_t total = 0;
    for (std::size_t i = 0; i < found_.backups.size(); ++i) {
      if (!newest.contains(found_.backups[i].run) || total + sizes[i] > kMostHostBytes) continue;
      total += sizes[i];
      parts.emplace_back(i, sizes[i]);
      words.push_back(found_.backups[i].at);
    }
    if (parts.empty()) return finish();
    ask(std::move(words), [this, parts, total](const NodeAnswer& answer) {
      std::size_t at = 0;
      if (answer.exit_code == 0 && answer.out.size() == total)
        for (const auto& [place, size] : parts) {
          found_.backups[place].text = answer.out.substr(at, size);
          at += size;
        }
      finish();
    });
  }
  std::vector<Backup> backups_of(std::string_view list, std::vector<std::size_t>& sizes) const {
    std::vector<std::pair<Backup, std::size_t>> all;
    for (std::string_view line : lines_in(list)) {
      double changed = 0, made = 0;
      std::size_t size = 0;
      const char *at = line.data(), *end = at + line.size();
      auto number = [&](auto& value) {
        auto [next, bad] = std::from_chars(at, end, value);
        const bool fine = bad == std::errc() && next != end && *next == ' ';
        at = fine ? next + 1 : end;
        return fine;
      };
      if (!number(changed) || !number(made) || !number(size)) continue;
      const std::string path(at, end);
      for (std::size_t i = 0; i < real_.size(); ++i) {
        if (folder_of(real_[i]) != folder_of(path)) continue;
        std::string run = run_of_backup(real_[i].substr(real_[i].rfind('/') + 1),
                                        std::string_view(path).substr(path.rfind('/') + 1));
        auto time = [](double seconds) {
          return TimePoint(Duration(static_cast<std::int64_t>(seconds * 1000)));
        };
        if (!run.empty())
          all.push_back({{found_.files[i].path, path, std::move(run), time(changed), time(made), {}}, size});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& left, const auto& right) { return left.first.run > right.first.run; });
    std::vector<Backup> found;
    for (auto& [one, size] : all) {
      found.push_back(std::move(one));
      sizes.push_back(size);
    }
    return found;
  }
  // The last two numbers of each line are the seconds of writing and of any change.
  std::map<std::string, TimePoint> times_told() const {
    std::vector<std::string> wanted = beside_slurm_conf(found_.files);
    for (std::string& name : only_timed(conf_)) wanted.push_back(std::move(name));
    std::map<std::string, TimePoint> times;
    for (std::string_view line : lines_in(stamps_))
      for (const std::string& name : wanted) {
        if (!line.starts_with(name + " ")) continue;
        std::int64_t written = 0, changed = 0;
        const std::size_t last = line.rfind(' '), before = line.rfind(' ', last - 1);
        std::from_chars(line.data() + before + 1, line.data() + last, written);
        std::from_chars(line.data() + last + 1, line.data() + line.size(), changed);
        times[name] = TimePoint(std::chrono::seconds(std::max(written, changed)));
      }
    return times;
  }
  void finish() {
    if (is_cache(conf_))
      found_.cannot_write = conf_ + ": this is the copy that slurmd keeps of the controller's files";
    found_.changed = times_told();
    owner_.stamps_ = std::move(stamps_);
    owner_.names_ = std::move(names_);
    owner_.found_ = found_;
    told_(std::move(found_));
  }

  HostFiles& owner_;
  const std::string conf_;
  const AllowedDevices devices_;
  Told told_;
  std::vector<std::string> names_, real_;
  std::string stamps_;
  Found found_;
  std::size_t at_ = 0;
  int rounds_ = 0;
};

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────

class HostFiles::Writing final : public HostTalk {
 public:
  Writing(HostFiles& owner, ConfFiles before, const ConfFiles& after, std::string_view run,
          std::function<void(Status)> done, std::function<bool()> wanted)
      : HostTalk(owner.runner_, owner.host_),
        owner_(owner),
        run_(run),
        done_(std::move(done)),
        wanted_(std::move(wanted)) {
    for (slurmconf::File& file : before) before_.emplace(std::move(file.path), std::move(file.text));
    for (const slurmconf::File& file : after) {
      auto old = before_.find(file.path);
      if (old == before_.end() || old->second != file.text) left_.push_back(file);
    }
  }

  void begin() {
    if (left_.empty()) return end(Done{});
    file_ = std::move(left_.front());
    left_.pop_front();
    auto old = before_.find(file_.path);
    old_ = old == before_.end() ? nullptr : &old->second;
    real_ = file_.path;
    if (!old_)
      return unchanged([this] { do_it({"install", "-m", "644", "/dev/null", fresh()}, [this] { fill(); }); });
    ask({"readlink", "-f", "--", file_.path}, [this](NodeAnswer answer) {
      std::vector<std::string> real = lines_of(answer.out);
      if (answer.exit_code != 0 || real.size() != 1) return fail(cannot("write", last_words_of(answer)));
      real_ = real.front();
      unchanged([this] { keep_old(); });
    });
  }

 private:
  using Then = std::function<void()>;
  void fail(Error error) override { end(std::move(error)); }
  void end(Status status) {
    owner_.stamps_.clear();
    done_(std::move(status));
  }
  std::string fresh() const { return real_ + ".tessera-new"; }

  void do_it(Words argv, Then then) {
    if (wanted_ && !wanted_()) return fail(cannot("write", "it takes too long"));
    std::string doing = argv.front();
    run(std::move(argv), "", true, [this, doing, then = std::move(then)](const NodeAnswer& answer) {
      if (answer.exit_code != 0) return fail(cannot("write", doing + ": " + last_words_of(answer)));
      then();
    });
  }
  // A file that was not there must not be there now.
  void unchanged(Then then) {
    ask({"cat", "--", real_}, [this, then = std::move(then)](const NodeAnswer& answer) {
      const bool missing = answer.exit_code != 0 && answer.err.find("No such file") != std::string::npos;
      if (answer.exit_code != 0 && !missing) return fail(cannot("write", last_words_of(answer)));
      if (!old_ && !missing) return fail(cannot("write", real_ + ": it was created in the meantime"));
      if (old_ && (missing || answer.out != *old_))
        return fail(cannot("write", real_ + ": it was edited in the meantime"));
      then();
    });
  }
  // The first backup of a run stays: it is what the run has found.
  void keep_old() {
    const std::string kept = real_ + ".before-" + run_, half = real_ + ".tessera-old";
    Then copy = [this] { do_it({"cp", "--preserve=all", "--", real_, fresh()}, [this] { fill(); }); };
    ask({"test", "-e", kept}, [this, kept, half, copy](const NodeAnswer& answer) {
      if (answer.exit_code == 0) return copy();
      do_it({"cp", "--preserve=all", "--", real_, half}, [this, kept, half, copy] {
        do_it({"sync", "--", half}, [this, kept, half, copy] {
          do_it({"mv", "-f", "-T", "--", half, kept}, [this, copy] {
            do_it({"sync", "--", folder_of(real_)}, copy);
          });
        });
      });
    });
  }
  void fill() {
    run({"tee", "--", fresh()}, file_.text, true, [this](const NodeAnswer& answer) {
      if (answer.exit_code != 0 || answer.out != file_.text)
        return fail(
            cannot("write", answer.exit_code != 0 ? last_words_of(answer) : "not all of it arrived there"));
      do_it({"sync", "--", fresh()}, [this] { put_in_place(); });
    });
  }
  void put_in_place() {
    // ln makes a name only where there is none; mv takes the place of what was looked at.
    unchanged([this] {
      if (old_) return do_it({"mv", "-f", "-T", "--", fresh(), real_}, [this] { placed(); });
      do_it({"ln", "-T", "--", fresh(), real_}, [this] {
        do_it({"rm", "-f", "--", fresh()}, [this] { placed(); });
      });
    });
  }
  void placed() {
    do_it({"sync", "--", folder_of(real_)}, [this] { begin(); });
  }

  HostFiles& owner_;
  const std::string run_;
  std::function<void(Status)> done_;
  std::function<bool()> wanted_;
  std::map<std::string, std::string> before_;
  std::deque<slurmconf::File> left_;
  slurmconf::File file_;
  const std::string* old_ = nullptr;
  std::string real_;
};

// ── backups ─────────────────────────────────────────────────────────────────────────────────────────────

class HostFiles::Dropping final : public HostTalk {
 public:
  Dropping(HostFiles& owner, std::function<void()> done)
      : HostTalk(owner.runner_, owner.host_), done_(std::move(done)) {}
  void drop(const std::vector<std::string>& paths) {
    run(with_names({"rm", "-f", "--"}, paths), "", true, [this](const NodeAnswer&) { done_(); });
  }

 private:
  void fail(Error) override { done_(); }  // they are only too many
  std::function<void()> done_;
};

void HostFiles::drop_old_backups(TimePoint now, std::function<void()> done) {
  const std::vector<std::string> old = too_old(found_.backups, now);
  if (old.empty()) return done();
  std::make_shared<Dropping>(*this, std::move(done))->drop(old);
}

// ── the lock ────────────────────────────────────────────────────────────────────────────────────────────

class HostFiles::Locking final : public HostTalk {
 public:
  using Holder = std::function<void(Result<std::optional<ConfLock>>)>;
  Locking(HostFiles& owner, std::string slurm_conf, std::string mark, Holder told)
      : HostTalk(owner.runner_, owner.host_),
        conf_(std::move(slurm_conf)),
        mark_(std::move(mark)),
        told_(std::move(told)) {}

  void take() {
    find([this] {
      link(false, [this](const std::string& words) {
        holder([this, words](const std::string& text) {
          if (text.empty()) return fail(cannot("lock", words));
          ConfLock lock = read_lock(text);
          if (!may_take(lock, mark_)) return told_(std::optional(std::move(lock)));
          link(true, [this](const std::string& why) { fail(cannot("lock", why)); });
        });
      });
    });
  }
  // path: where it lies.
  void see(std::function<void(const ConfLock& lock, const std::string& path)> seen) {
    find([this, seen = std::move(seen)] {
      holder([this, seen](const std::string& text) {
        if (text.empty()) return told_(std::optional<ConfLock>());
        ask({"stat", "-c", "%Y", "--", path_}, [this, seen, lock = read_lock(text)](const NodeAnswer& made) {
          ConfLock found = lock;
          std::int64_t seconds = 0;
          const char* end = made.out.data() + made.out.size();
          if (std::from_chars(made.out.data(), end, seconds).ec == std::errc() && seconds > 0)
            found.since = TimePoint(std::chrono::seconds(seconds));
          seen(found, path_);
        });
      });
    });
  }
  void give() {
    find([this] {
      holder([this](const std::string& text) {
        if (text.empty() || !may_take(read_lock(text), mark_)) return told_(std::optional<ConfLock>());
        run({"rm", "-f", "--", path_}, "", true,
            [this](const NodeAnswer&) { told_(std::optional<ConfLock>()); });
      });
    });
  }

 private:
  void fail(Error error) override { told_(std::move(error)); }
  void find(std::function<void()> then) {
    ask({"readlink", "-f", "--", conf_}, [this, then = std::move(then)](const NodeAnswer& answer) {
      std::vector<std::string> real = lines_of(answer.out);
      if (answer.exit_code != 0 || real.size() != 1) return fail(cannot("lock", last_words_of(answer)));
      path_ = lock_of_real(real.front());
      then();
    });
  }
  // over: in place of what stands there.
  void link(bool over, std::function<void(const std::string&)> refused) {
    Words words{"ln", "-s", "-T", "--", lock_text(mark_), path_};
    if (over) words.insert(words.begin() + 1, "-f");
    run(std::move(words), "", true, [this, refused = std::move(refused)](const NodeAnswer& linked) {
      if (linked.exit_code != 0) return refused(last_words_of(linked));
      told_(std::optional<ConfLock>());
    });
  }
  // Empty: no owner.
  void holder(std::function<void(const std::string&)> then) {
    ask({"readlink", "--", path_}, [then = std::move(then)](const NodeAnswer& answer) {
      std::vector<std::string> lines = lines_of(answer.out);
      then(answer.exit_code != 0 || lines.empty() ? std::string() : lines.front());
    });
  }

  const std::string conf_, mark_;
  const Holder told_;
  std::string path_;
};

void HostFiles::lock(const std::string& slurm_conf, const std::string& mark,
                     std::function<void(Result<std::optional<ConfLock>>)> told) {
  std::make_shared<Locking>(*this, slurm_conf, mark, std::move(told))->take();
}

void HostFiles::look_at_lock(const std::string& slurm_conf, TimePoint now,
                             std::function<void(std::optional<Remark>)> told) {
  auto none = [told](const Result<std::optional<ConfLock>>&) { told(std::nullopt); };
  std::make_shared<Locking>(*this, slurm_conf, "", none)
      ->see([told, now, host = host_.text](const ConfLock& lock, const std::string& path) {
        told(lock_remark(lock, path, host, now));
      });
}

void HostFiles::unlock(const std::string& slurm_conf, const std::string& mark, std::function<void()> done) {
  auto told = [done = std::move(done)](const Result<std::optional<ConfLock>>&) { done(); };
  std::make_shared<Locking>(*this, slurm_conf, mark, std::move(told))->give();
}

void HostFiles::read(const std::string& slurm_conf, AllowedDevices devices, Told told) {
  std::make_shared<Reading>(*this, slurm_conf, devices, std::move(told))->begin();
}

void HostFiles::write(ConfFiles before, const ConfFiles& after, std::string_view run,
                      std::function<void(Status)> done, std::function<bool()> wanted) {
  std::make_shared<Writing>(*this, std::move(before), after, run, std::move(done), std::move(wanted))
      ->begin();
}

}  // namespace tessera::slurm
