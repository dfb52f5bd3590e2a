#include "tui/cli/record/run_journals.hpp"

#include <algorithm>
#include <string_view>

#include "engine/text.hpp"

namespace tessera::cli {

bool RunJournals::wants(const RunHead& head) {
  // A mark is the only trace here of a journal that lies elsewhere.
  if (head.run.empty() || head.state == RunState::marked || head.state == RunState::unreadable) return false;
  if (head.last < since_ && !recorded_.contains(head.run)) return false;
  const auto known = read_.find(head.run);
  if (known != read_.end() && known->second == head) return false;
  read_.insert_or_assign(head.run, head);
  return true;
}

std::string RunJournals::lines(const record::Recorder& recorder, TimePoint at, bool key) const {
  std::string all = key ? recorder.runs_line(at, recorded_) : "";
  for (const auto& [run, text] : texts_) {
    const auto there = recorded_.find(run);
    const std::int64_t before = there == recorded_.end() ? 0 : there->second;
    std::int64_t number = 0;
    for (std::string_view line : lines_in(text))
      if (++number > before) all += recorder.run_line(at, run, line);
  }
  return all;
}

void RunJournals::written() {
  for (const auto& [run, text] : texts_) {
    std::int64_t& count = recorded_[run];
    count = std::max(count, static_cast<std::int64_t>(lines_in(text).size()));
  }
  texts_.clear();
}

}  // namespace tessera::cli
