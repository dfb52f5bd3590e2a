#include "backends/runs/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/text.hpp"

namespace tessera::runs {
namespace {

std::string spread(std::string_view journal) {
  std::string text;
  for (std::string_view line : lines_in(journal)) {
    Result<Json> json = parse_json(line, "journal");
    if (!json) {
      text += std::string(line) + "\n";
      continue;
    }
    std::erase_if(json->fields, [](const auto& field) { return field.first == "chain"; });
    text += to_document(*json);
  }
  return text;
}

}  // namespace

std::vector<std::string> difference(std::string_view before, std::string_view now) {
  const std::string diff =
      slurmconf::unified_diff({"as you left it", spread(before)}, {"as it is now", spread(now)});
  const std::vector<std::string_view> all = lines_in(diff);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(all.size(), kDifferenceLines); ++i)
    shown.push_back(clean(all[i], 500));
  if (all.size() > kDifferenceLines)
    shown.push_back(fmt::format("… and {} more lines", all.size() - kDifferenceLines));
  return shown;
}

}  // namespace tessera::runs
