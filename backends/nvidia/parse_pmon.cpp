// nvidia-smi pmon -c 1.
#include <algorithm>

#include "backends/nvidia/parse.hpp"
#include "backends/nvidia/words.hpp"
#include "engine/number.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::string_view kPmon = "nvidia-smi pmon";
constexpr std::size_t kMostProcesses = 4096;

// Columns come and go with the driver: the head line says where they are.
struct Columns {
  std::size_t gpu = 0, pid = 0, type = 0, use = 0;
};

std::optional<Columns> columns_of(std::string_view head) {
  const Words words = words_of(head.substr(1));
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin());
  };
  const Columns all{at("gpu"), at("pid"), at("type"), at("sm")};
  if (std::max({all.gpu, all.pid, all.use}) >= words.size()) return std::nullopt;
  return all;
}

// Where its type is not told it may be a client of MPS, too.
bool has_samples_of_its_own(const Words& words, const Columns& columns) {
  return columns.type < words.size() && words[columns.type] != "-" && !words[columns.type].starts_with('M');
}

}  // namespace

Result<ProcessUse> parse_process_use(std::string_view text) {
  if (auto error = no_answer(kPmon, text)) return *error;
  ProcessUse all;
  std::optional<Columns> columns;
  for (Lines lines(text); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      if (!columns && !(columns = columns_of(line)))
        return unreadable(kPmon, lines.number(), "no column gpu, pid or sm", line);
      continue;
    }
    if (!columns) return refused(kPmon, line);
    const Words words = words_of(line);
    if (words.size() <= std::max({columns->gpu, columns->pid, columns->use}))
      return unreadable(kPmon, lines.number(), "too few columns", line);
    if (words[columns->pid] == "-") continue;  // a GPU without a process
    const auto gpu = number(words[columns->gpu], kMostGpus - 1);
    const auto pid = whole_number<std::int64_t>(words[columns->pid]);
    if (!gpu || !pid) return unreadable(kPmon, lines.number(), "no number of a GPU or a process", line);
    if (all.size() == kMostProcesses) return unreadable(kPmon, lines.number(), "too many processes", line);
    if (words[columns->use] == "-") {
      if (has_samples_of_its_own(words, *columns)) all.try_emplace({*gpu, *pid});
      continue;
    }
    const auto use = number(words[columns->use], 100);
    if (!use) return unreadable(kPmon, lines.number(), "no percentage", line);
    all[{*gpu, *pid}] = Percent{static_cast<float>(*use)};
  }
  if (!columns) return unreadable(kPmon, 0, "no head line", "");
  return all;
}

}  // namespace tessera::nvidia
