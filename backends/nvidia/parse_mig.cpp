// The boxed tables of `nvidia-smi mig`.
#include <functional>

#include "backends/nvidia/parse.hpp"
#include "backends/nvidia/words.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

// Sentences that stand for an empty table.
bool says_none(std::string_view line) {
  return line.starts_with("No MIG-enabled devices") || line.starts_with("No GPU instances") ||
         line.starts_with("No compute instances");
}

ProfileName profile_name(std::string_view word) {
  return mig::canonical_profile(word).value_or(ProfileName(clean(word, 32)));
}

constexpr std::size_t kMostRows = 8192;  // of one table: 1024 GPUs hold less

// Takes the words of one row; empty: fine, else why not.
using TakeRow = std::function<std::string_view(const Words&)>;

// Walks over a table: a heading that ends at the line of '=', then rows; borders may stand between them. A
// table ends with a border, so that one that was cut off is not taken for a short one.
Status walk(std::string_view command, std::string_view text, const TakeRow& take) {
  if (auto error = no_answer(command, text)) return *error;
  bool heading = true, begun = false, closed = true;
  for (Lines lines(text); lines.next();) {
    std::string_view line = lines.line();
    if (line.empty() || line.starts_with("Warning") || says_none(line)) continue;
    if (line.front() == '+') {
      begun = closed = true;
      continue;
    }
    if (line.front() != '|') return refused(command, line);
    begun = true;
    closed = false;
    if (line.size() < 2 || line.back() != '|')
      return unreadable(command, lines.number(), "the row is cut off", line);
    line = line.substr(1, line.size() - 2);
    if (line.starts_with('=')) {
      heading = false;
      continue;
    }
    if (heading) continue;
    Words words = words_of(line);
    if (words.empty()) continue;
    if (std::string_view why = take(words); !why.empty())
      return unreadable(command, lines.number(), why, line);
  }
  if (begun && (heading || !closed))
    return Error{"cannot read what " + std::string(command) + " printed", "the table is cut off", ""};
  return Done{};
}

std::optional<int> gpu_index(std::string_view word) { return number(word, kMostGpus - 1); }

std::optional<Placement> placement(std::string_view word) {
  std::optional<StartSize> at = start_size(word);
  if (!at) return std::nullopt;
  return Placement{at->start, at->size};
}

std::string_view take_instance(const Words& words, std::vector<InstanceRow>& rows) {
  if (words.size() != 6 || words[1] != "MIG") return "six words are expected";
  std::optional<int> gpu = gpu_index(words[0]), profile = number(words[3], 65535),
                     id = number(words[4], 4095);
  std::optional<Placement> at = placement(words[5]);
  if (!gpu || !profile || !id || !at) return "a number is expected";
  for (const InstanceRow& row : rows)
    if (row.gpu == *gpu && row.id == *id) return "this instance stands twice";
  rows.push_back({*gpu, profile_name(words[2]), *profile, *id, *at});
  return {};
}

std::string_view take_compute(const Words& words, std::vector<ComputeRow>& rows) {
  if ((words.size() != 6 && words.size() != 7) || words[2] != "MIG") return "six or seven words are expected";
  std::optional<int> gpu = gpu_index(words[0]), instance = number(words[1], 4095),
                     profile = number(words[4], 65535), id = number(words[5], 4095);
  if (!gpu || !instance || !profile || !id) return "a number is expected";
  ComputeRow row{*gpu, *instance, profile_name(words[3]), *profile, *id, std::nullopt};
  if (words.size() == 7 && !(row.at = placement(words[6]))) return "start:size is expected";
  for (const ComputeRow& other : rows)
    if (other.gpu == row.gpu && other.instance == row.instance && other.id == row.id)
      return "this instance stands twice";
  rows.push_back(std::move(row));
  return {};
}

template <class Row>
Result<std::vector<Row>> read_table(std::string_view command, std::string_view text,
                                    std::string_view (*take)(const Words&, std::vector<Row>&)) {
  std::vector<Row> rows;
  Status walked = walk(command, text, [&](const Words& words) {
    return rows.size() < kMostRows ? take(words, rows) : "too many rows";
  });
  if (!walked) return walked.error();
  return rows;
}

}  // namespace

Result<std::vector<InstanceRow>> parse_instances(std::string_view text) {
  return read_table<InstanceRow>("nvidia-smi mig -lgi", text, take_instance);
}

Result<std::vector<ComputeRow>> parse_compute(std::string_view text) {
  return read_table<ComputeRow>("nvidia-smi mig -lci", text, take_compute);
}

}  // namespace tessera::nvidia
