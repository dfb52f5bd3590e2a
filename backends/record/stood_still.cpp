#include "backends/record/stood_still.hpp"

#include <optional>

#include "backends/record/each_line.hpp"
#include "backends/record/reader.hpp"

namespace tessera::record {
namespace {

struct OfWork {
  std::string_view id, line;
  bool gone = false;
};

// nullopt: the line is about no job or pod, or about one that is always read: tasks of an array ("19_[5-6]")
// stand for each other, and a line that another hand wrote may say anything.
std::optional<OfWork> work_in(std::string_view line) {
  constexpr std::string_view kAt = "{\"at\":\"", kTold = "\"kind\":\"workload\",\"workload\":{\"id\":\"",
                             kGone = "\"kind\":\"gone\",\"workload\":\"";
  const std::size_t end = line.starts_with(kAt) ? line.find('"', kAt.size()) : std::string_view::npos;
  if (end == std::string_view::npos || end + 2 > line.size()) return std::nullopt;
  OfWork found;
  found.line = line.substr(end + 2);
  found.gone = found.line.starts_with(kGone);
  if (!found.gone && !found.line.starts_with(kTold)) return std::nullopt;
  const std::string_view behind = found.line.substr(found.gone ? kGone.size() : kTold.size());
  const std::size_t quote = behind.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  found.id = behind.substr(0, quote);
  if (found.id.find_first_of("\\_") != std::string_view::npos) return std::nullopt;
  return found;
}

}  // namespace

StoodStill::StoodStill(std::string_view before, std::string_view next) {
  const auto begin = Reader::time_of(before);
  each_line(before, [&](std::string_view line) {
    const auto work = work_in(line);
    if (!work) return true;
    Told& told = work_[work->id];
    told.before += work->gone || Reader::time_of(line) != begin ? 2 : 1;
    told.line = work->line;
    return true;
  });
  const auto first = Reader::time_of(next);
  each_line(next, [&](std::string_view line) {
    if (Reader::time_of(line) != first) return false;
    const auto work = work_in(line);
    if (!work) return true;
    Told& told = work_[work->id];
    told.next += told.line == work->line ? 1 : 2;
    return true;
  });
}

bool StoodStill::is_about(std::string_view line) const {
  const auto work = work_in(line);
  if (!work) return false;
  const auto known = work_.find(work->id);
  return known != work_.end() && known->second.stands();
}

}  // namespace tessera::record
