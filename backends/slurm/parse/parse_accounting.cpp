#include "backends/slurm/parse/parse_accounting.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "backends/slurm/parse/jobstats.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kColumns = 11;
constexpr std::size_t kMostText = 1024;                 // of a name
constexpr std::int64_t kMostSeconds = 100'000'000'000;  // the year 5138
constexpr std::int64_t kMostGpus = 1'000'000;           // of one job

// The text up to `end`, which is taken off with it.
std::string_view take(std::string_view& rest, char end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

// false: it is neither a time nor one of sacct's words for none.
bool read_time(std::string_view text, std::optional<TimePoint>& time) {
  if (text.empty() || text == "Unknown" || text == "None") return true;
  const auto seconds = whole_number<std::int64_t>(text, kMostSeconds);
  if (!seconds) return false;
  if (*seconds > 0) time = TimePoint(std::chrono::seconds(*seconds));
  return true;
}

// "billing=1,cpu=1,gres/gpu:h100=2,gres/gpu=2": the total stands beside the types that the site counts.
bool read_gpus(std::string_view text, std::map<std::string, std::int64_t>& gpus) {
  std::int64_t total = 0, typed = 0;
  while (!text.empty()) {
    std::string_view word = take(text, ',');
    if (!word.starts_with("gres/gpu=") && !word.starts_with("gres/gpu:")) continue;
    word.remove_prefix(std::string_view("gres/gpu").size());
    const std::size_t equals = word.rfind('=');
    if (equals == std::string_view::npos) return false;
    const auto count = whole_number<std::int64_t>(word.substr(equals + 1), kMostGpus);
    if (!count) return false;
    if (equals == 0) {
      total = *count;
    } else if (*count > 0) {
      const std::string type = clean(word.substr(1, equals - 1), kMostText);
      gpus[type] += *count;
      typed += *count;
    }
  }
  if (total > typed) gpus[""] = total - typed;
  return typed <= kMostGpus;
}

bool read_job(std::string_view line, usage::PastJob& job) {
  std::array<std::string_view, kColumns> column;
  if (std::count(line.begin(), line.end(), kAccountingComma) != kColumns - 1) return false;
  for (std::string_view& one : column) one = take(line, kAccountingComma);
  if (!whole_number<std::int64_t>(column[0])) return false;
  job.id = WorkloadId(std::string(column[0]));
  job.user = clean(column[1], kMostText);
  job.account = clean(column[2], kMostText);
  job.group = clean(column[3], kMostText);
  job.state = clean(column[4], kMostText);
  if (!read_time(column[5], job.submitted) || !read_time(column[6], job.started) ||
      !read_time(column[7], job.ended) || !read_gpus(column[8], job.gpus))
    return false;
  if (column[9] != "None assigned") job.nodes = clean(column[9], kMostText);
  // That of a job which was requeued may be of its first run.
  if (job.ended) job.figures = read_jobstats(column[10]);
  return true;
}

}  // namespace

AccountingAnswer parse_accounting(std::string_view text) {
  AccountingAnswer answer;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.empty()) continue;
    usage::PastJob job;
    if (read_job(line, job))
      answer.jobs.push_back(std::move(job));
    else
      ++answer.unread;
  }
  return answer;
}

AccountingRules parse_accounting_rules(std::string_view text) {
  AccountingRules rules;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.starts_with("SlurmDBD configuration")) rules.told = true;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = lower(line.substr(0, line.find(' ')));
    std::string value = lower(line.substr(equals + 1));
    value.erase(0, value.find_first_not_of(' '));
    if (key == "slurmuserid") rules.slurm_user = clean(value, 256);
    if (key == "accountingstoragehost" || key == "accountingstorageport" || key == "storageloc")
      rules.database += (rules.database.empty() ? "" : " ") + clean(value, 256);
    if (key == "privatedata" && value.find("jobs") != std::string::npos) rules.jobs_are_private = true;
  }
  return rules;
}

}  // namespace tessera::slurm
