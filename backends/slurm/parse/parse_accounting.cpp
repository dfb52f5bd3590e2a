#include "backends/slurm/parse/parse_accounting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "backends/slurm/parse/jobstats.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kSacctColumns = 14;
constexpr std::size_t kMostText = 1024;                 // of a name
constexpr std::int64_t kMostSeconds = 100'000'000'000;  // the year 5138
constexpr std::int64_t kMostGpus = 1'000'000;           // of one job
constexpr std::int64_t kMostUse = 1'000'000;            // percent, of all its tasks

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

// Whether GPUs or shares of them are among these, of whichever type: "cpu=1,gres/gpu:h100=2,gres/gpu=2".
bool names_gpus(std::string_view text) {
  while (!text.empty()) {
    std::string_view word = take(text, ',');
    const std::string_view name = take(word, '=');
    for (const std::string_view kind : {"gres/gpu", "gres/shard", "gres/mps"})
      if (name.starts_with(kind) && (name.size() == kind.size() || name[kind.size()] == ':') && word != "0")
        return true;
  }
  return false;
}

using SacctColumns = std::array<std::string_view, kSacctColumns>;

bool read_columns(std::string_view line, SacctColumns& column) {
  if (std::count(line.begin(), line.end(), kAccountingComma) != kSacctColumns - 1) return false;
  for (std::string_view& one : column) one = take(line, kAccountingComma);
  return true;
}

// "0", "412.50M": bytes, or so many units of 1024 each. nullopt: something else.
std::optional<double> read_bytes(std::string_view text) {
  double bytes = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (code != std::errc() || !(bytes >= 0 && bytes < 1e15)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view kUnits = "KMGT";
  if (text.empty()) return bytes;
  const std::size_t unit = kUnits.find(text[0]);
  if (text.size() != 1 || unit == std::string_view::npos) return std::nullopt;
  return std::ldexp(bytes, 10 * static_cast<int>(unit + 1));
}

// "cpu=00:01:02,gres/gpumem=412M,gres/gpuutil=37,mem=1G" of one step. Of tasks Slurm adds up the most of
// each.
void read_gathered(std::string_view text, std::optional<usage::Gathered>& gathered) {
  std::optional<std::int64_t> use;
  std::optional<double> memory = 0.0;
  while (!text.empty()) {
    std::string_view word = take(text, ',');
    const std::string_view name = take(word, '=');
    if (name == "gres/gpuutil") use = whole_number<std::int64_t>(word);
    if (name == "gres/gpumem") memory = read_bytes(word);
  }
  if (!gathered) gathered.emplace();
  if (!use) gathered->of_all_steps = false;
  if (!use) return;
  const Mib peak{static_cast<std::int64_t>(std::min(memory.value_or(0), 1e15) / (1 << 20))};
  gathered->used = gathered->used || *use > 0;
  // Steps may have run at the same time.
  gathered->most = std::min(gathered->most + std::min(*use, kMostUse), kMostUse);
  if (memory && peak.value <= 0) return;
  // Which of several steps ran at the same time is not told, nor what one had whose memory cannot be read.
  const bool first = memory && !gathered->memory_peak;
  gathered->memory_peak = first ? peak : Mib{0};
}

bool read_job(const SacctColumns& column, AccountedJob& job) {
  if (!whole_number<std::int64_t>(column[0])) return false;
  job.id = WorkloadId(std::string(column[0]));
  job.listed_as = clean(column[12], kMostText);
  job.user = clean(column[1], kMostText);
  job.account = clean(column[2], kMostText);
  job.group = clean(column[3], kMostText);
  job.state = clean(column[4], kMostText);
  if (!read_time(column[5], job.submitted) || !read_time(column[6], job.started) ||
      !read_time(column[7], job.ended) || !read_gpus(column[8], job.gpus))
    return false;
  job.has_to_do_with_gpus = names_gpus(column[13]) || names_gpus(column[8]);
  if (column[9] != "None assigned") job.nodes = clean(column[9], kMostText);
  // That of a job which was requeued may be of its first run.
  if (job.ended) job.figures = read_jobstats(column[10]);
  return true;
}

// "20.batch": what Slurm gathered stands with the steps alone. That for processes from outside (ssh) has
// none.
void read_step(const SacctColumns& column, usage::PastJob& job) {
  if (job.ended && !column[0].ends_with(".extern")) read_gathered(column[11], job.gathered);
}

// "25.11.4"
bool is_before_26_05(std::string_view version) {
  const auto year = whole_number<int>(take(version, '.'), 9999);
  const auto month = whole_number<int>(take(version, '.'), 99);
  return year && month && std::pair(*year, *month) < std::pair(26, 5);
}

}  // namespace

AccountingAnswer parse_accounting(std::string_view text) {
  AccountingAnswer answer;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.empty()) continue;
    AccountedJob job;
    SacctColumns column;
    const bool whole = read_columns(line, column);
    std::string_view id = whole ? column[0] : std::string_view();
    const bool is_step = id.find('.') != std::string_view::npos;
    if (is_step && !answer.jobs.empty() && take(id, '.') == answer.jobs.back().id.text)
      read_step(column, answer.jobs.back());
    else if (whole && !is_step && read_job(column, job))
      answer.jobs.push_back(std::move(job));
    else
      ++answer.unread;
  }
  for (usage::PastJob& job : answer.jobs)
    if (job.gathered && job.gathered->memory_peak == Mib{0}) job.gathered->memory_peak.reset();
  return answer;
}

bool keeps_gpu_use(std::string_view text) {
  while (!text.empty())
    if (take(text, '\n').starts_with("gres|gpuutil")) return true;
  return false;
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
    if (key == "slurm_version") rules.by_slurmdbd = is_before_26_05(value);
    if (key == "slurmuserid") rules.slurm_user = clean(value, 256);
    if (key == "accountingstoragehost" || key == "accountingstorageport" || key == "storageloc")
      rules.database += (rules.database.empty() ? "" : " ") + clean(value, 256);
    if (key == "privatedata" && value.find("jobs") != std::string::npos) rules.jobs_are_private = true;
  }
  return rules;
}

}  // namespace tessera::slurm
