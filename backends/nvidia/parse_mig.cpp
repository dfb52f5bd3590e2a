// The boxed tables of `nvidia-smi mig`, and -lgipp.
#include <algorithm>
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

// The second line of a profile: CE, JPEG, OFA.
std::string_view take_engines(const Words& words, std::vector<ProfileRow>& rows) {
  if (rows.empty() || rows.back().copy) return "no profile stands before it";
  std::optional<int> copy = number(words[0]), jpeg = number(words[1]), ofa = number(words[2]);
  if (!copy || !jpeg || !ofa) return "a number is expected";
  rows.back().copy = copy;
  rows.back().jpeg = jpeg;
  rows.back().ofa = ofa;
  return {};
}

std::string_view take_profile(const Words& words, std::vector<ProfileRow>& rows) {
  if (words.size() == 3) return take_engines(words, rows);
  if (words.size() != 10 || words[1] != "MIG") return "ten words are expected";
  std::size_t slash = words[4].find('/');
  if (slash == std::string_view::npos) return "free/total is expected";
  std::optional<int> gpu = gpu_index(words[0]), id = number(words[3], 65535),
                     free = number(words[4].substr(0, slash)), total = number(words[4].substr(slash + 1)),
                     sm = number(words[7]), decoder = number(words[8]), encoder = number(words[9]);
  std::optional<double> gib = decimal(words[5]);
  if (!gpu || !id || !free || !total || !sm || !decoder || !encoder || !gib) return "a number is expected";
  rows.push_back({*gpu, profile_name(words[2]), *id, *free, *total, *gib, words[6] == "Yes", *sm, *decoder,
                  *encoder, std::nullopt, std::nullopt, std::nullopt});
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

// "{0,2,4}:2"
bool read_starts(std::string_view word, PlacementRow& row) {
  std::size_t close = word.find('}');
  if (!word.starts_with('{') || close == std::string_view::npos || word.substr(close + 1, 1) != ":")
    return false;
  std::optional<int> size = number(word.substr(close + 2), 255);
  if (!size || *size == 0) return false;
  row.size = *size;
  std::string_view list = word.substr(1, close - 1);
  while (!list.empty()) {
    std::size_t comma = std::min(list.find(','), list.size());
    std::optional<int> start = number(list.substr(0, comma), 255);
    if (!start) return false;
    row.starts.push_back(*start);
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return true;
}

// "GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1", or "Placement : {0}:8"
std::optional<PlacementRow> placement_line(const Words& words) {
  if (words.size() < 7 || words[0] != "GPU" || words[2] != "Profile" || words[3] != "ID") return std::nullopt;
  std::optional<int> gpu = gpu_index(words[1]), profile = number(words[4], 65535);
  if (!gpu || !profile || !words[5].starts_with("Placement")) return std::nullopt;
  PlacementRow row{*gpu, *profile, {}, 0};
  std::string joined;  // some versions put blanks behind the commas
  for (std::size_t i = 6; i < words.size(); ++i)
    if (words[i] != ":") joined += words[i];
  if (!read_starts(joined, row)) return std::nullopt;
  return row;
}

}  // namespace

Result<std::vector<InstanceRow>> parse_instances(std::string_view text) {
  return read_table<InstanceRow>("nvidia-smi mig -lgi", text, take_instance);
}

Result<std::vector<ComputeRow>> parse_compute(std::string_view text) {
  return read_table<ComputeRow>("nvidia-smi mig -lci", text, take_compute);
}

Result<std::vector<ProfileRow>> parse_profiles(std::string_view text) {
  return read_table<ProfileRow>("nvidia-smi mig -lgip", text, take_profile);
}

Result<std::vector<PlacementRow>> parse_placements(std::string_view text) {
  constexpr std::string_view kCommand = "nvidia-smi mig -lgipp";
  if (auto error = no_answer(kCommand, text)) return *error;
  std::vector<PlacementRow> rows;
  for (Lines lines(text); lines.next();) {
    std::string_view line = lines.line();
    if (line.empty() || line.starts_with("Warning") || says_none(line)) continue;
    if (!line.starts_with("GPU ")) return refused(kCommand, line);
    std::optional<PlacementRow> row = placement_line(words_of(line));
    if (!row || rows.size() >= kMostRows)
      return unreadable(kCommand, lines.number(), "places are expected", line);
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace tessera::nvidia
