#include "backends/slurm/parse/parse_pids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty() || words.size() == 32) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

Error unreadable(int line, std::string_view text) {
  return {"cannot read what scontrol listpids printed",
          fmt::format("line {}: {}", line, text.empty() ? "nothing" : clean(text, 120)), ""};
}

struct Columns {
  std::size_t pid = 0, job = 0;
};

std::optional<Columns> columns_of(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const auto pid = std::find(words.begin(), words.end(), "PID");
  const auto job = std::find(words.begin(), words.end(), "JOBID");
  if (pid == words.end() || job == words.end()) return std::nullopt;
  return Columns{static_cast<std::size_t>(pid - words.begin()),
                 static_cast<std::size_t>(job - words.begin())};
}

bool is_pid(std::string_view text) {
  return !text.empty() && text.size() <= 20 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void take(JobPids& all, std::int64_t pid, std::string_view job) {
  const auto [known, fresh] = all.jobs.try_emplace(pid, job);
  if (!fresh && known->second != job) known->second.clear();
}

// 24.11 and later print no columns then; up to 24.05 they come first.
bool no_steps(std::string_view err) { return contains_folded(err, "no job steps exist"); }

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

std::vector<std::string> list_pids(const NodeName& node) { return {"scontrol", "listpids", "*", node.text}; }

Result<JobPids> parse_pids(std::string_view out, std::string_view err, int exit_code) {
  JobPids all;
  std::optional<Columns> columns;
  int line = 0;
  for (std::string_view text : lines_in(out)) {
    ++line;
    if (!columns) {
      columns = columns_of(text);
      if (!columns) return unreadable(line, text);
      continue;
    }
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty()) continue;
    if (words.size() <= std::max(columns->pid, columns->job)) return unreadable(line, text);
    const std::string_view job = words[columns->job];
    if (!is_pid(job)) return unreadable(line, text);
    // A step whose container has no process yet is listed with -1.
    const auto pid = whole_number<std::int64_t>(words[columns->pid], std::int64_t{1} << 32);
    if (!pid && words[columns->pid] != "-1") return unreadable(line, text);
    if (!pid || *pid == 0) continue;
    if (all.jobs.size() == kMostPids) return unreadable(line, "too many processes");
    take(all, *pid, job);
  }
  if (!columns && is_blank(out) && no_steps(err)) return all;
  if (!columns) {
    const std::vector<std::string_view> said = lines_in(err);
    return Error{
        "cannot ask Slurm which processes are its own",
        said.empty() ? fmt::format("scontrol listpids ended with {}", exit_code) : clean(said[0], 200), ""};
  }
  if (exit_code != 0 && !no_steps(err)) {
    all.complete = false;
    const std::vector<std::string_view> said = lines_in(err);
    all.missing = said.empty() ? fmt::format("it ended with {}", exit_code) : clean(said[0], 200);
  }
  return all;
}

}  // namespace tessera::slurm
