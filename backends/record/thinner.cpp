#include "backends/record/thinner.hpp"

#include <fmt/format.h>

#include <utility>

#include "backends/files.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "engine/text.hpp"

namespace tessera::record {

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

void Thinner::look_through(TimePoint now, std::function<void()> then) {
  ++waiting_;
  worker_.post([this, before = day_of(now - to_.age), then = std::move(then)] {
    const Ended ended{waiting_};  // whatever is thrown, the recorder does not wait for ever
    try {
      look(before);
    } catch (const std::exception& thrown) {
      tell({"cannot thin the recording", thrown.what(), "its days stay as they were"});
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

void Thinner::tell(Error trouble) {
  const std::lock_guard lock(mutex_);
  troubles_.push_back(std::move(trouble));
}

void Thinner::look(const std::string& before) {
  for (const std::string& day : days_.names()) {
    if (ending_ || day >= before) return;
    if (days_.is_written(day)) continue;
    if (Status thinned = thin(day); !thinned)
      tell({"cannot thin the recording", thinned.error().reason, thinned.error().hint});
  }
}

Status Thinner::thin(const std::string& name) {
  const std::string path = days_.path_of(name);
  auto file = read_whole_file("", path, kLargestFile);
  if (!file) return file.error();
  if (!*file) return Done{};  // removed meanwhile
  auto fewer = thinner((*file)->text, {to_.every, tessera_, [this] { return !ending_; }});
  if (!fewer) return Error{"", clean(path, 4096) + ": " + fewer.error().reason, fewer.error().hint};
  if (!*fewer) return Done{};
  const LostEnd lost = lost_end_of((*file)->text);
  const auto put = days_.replace(name, (*file)->about, **fewer, lost.frame);
  if (!put) return put.error();
  if (*put && !(*put)->empty())
    tell({"the recording is damaged",
          clean(path, 4096) + ": " + fmt::format("{} bytes at its end cannot be read", lost.bytes),
          "what could not be read is kept as " + clean(**put, 4096)});
  return Done{};
}

}  // namespace tessera::record
