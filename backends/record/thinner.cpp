#include "backends/record/thinner.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "backends/files.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "engine/text.hpp"

namespace tessera::record {

namespace fs = std::filesystem;

namespace {

struct Ended {
  std::atomic<int>& waiting;
  ~Ended() { --waiting; }
};

}  // namespace

Thinner::~Thinner() {
  ending_ = true;
  worker_.stop();
}

void Thinner::look_through(TimePoint now, const std::string& written, std::function<void()> then) {
  ++waiting_;
  worker_.post([this, before = std::min(day_of(now - to_.age), written), then = std::move(then)] {
    const Ended ended{waiting_};  // whatever is thrown, the recorder does not wait for ever
    try {
      look(before);
    } catch (const std::exception& thrown) {
      const std::lock_guard lock(mutex_);
      troubles_.push_back({"cannot thin the recording", thrown.what(), "its days stay as they were"});
    }
    if (!ending_) then();
  });
}

std::optional<Error> Thinner::trouble() {
  const std::lock_guard lock(mutex_);
  if (troubles_.empty()) return std::nullopt;
  Error first = std::move(troubles_.front());
  troubles_.erase(troubles_.begin());
  return first;
}

void Thinner::look(const std::string& before) {
  std::vector<std::string> days;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kFileEnd) && name < before) days.push_back(entry.path().string());
  }
  std::sort(days.begin(), days.end());
  for (const std::string& day : days) {
    if (ending_) return;
    if (Status thinned = thin(day); !thinned) {
      const std::lock_guard lock(mutex_);
      troubles_.push_back({"cannot thin the recording", thinned.error().reason, thinned.error().hint});
    }
  }
}

Status Thinner::thin(const std::string& path) const {
  auto file = read_whole_file("", path, kLargestFile);
  if (!file) return file.error();
  if (!*file) return Done{};  // removed meanwhile
  auto fewer = thinner((*file)->text, {to_.every, tessera_, [this] { return !ending_; }});
  if (!fewer) return Error{"", clean(path, 4096) + ": " + fewer.error().reason, fewer.error().hint};
  if (!*fewer) return Done{};
  constexpr mode_t kAccess = 0777;
  return replace_file("", path, **fewer, (*file)->about.st_mode & kAccess);
}

}  // namespace tessera::record
