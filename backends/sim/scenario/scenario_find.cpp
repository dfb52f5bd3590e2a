// Where scenarios come from: built in, or a file.
#include <fmt/format.h>

#include "backends/files.hpp"
#include "backends/sim/scenario/scenario.hpp"
#include "engine/embedded.hpp"

namespace tessera::sim {
namespace {

std::string stem(std::string_view file) { return std::string(file.substr(0, file.rfind('.'))); }

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kMost = 16u << 20;
  constexpr const char* kWhat = "cannot read the scenario";
  auto file = read_whole_file(kWhat, path, kMost);
  if (!file) return file.error();
  if (!*file) return Error{kWhat, path + ": no such file", "check the path"};
  return std::move((*file)->text);
}

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::scenarios()) names.push_back(stem(file.name));
  return names;
}

Result<ScenarioPtr> find_scenario(const std::string& name_or_path,
                                  std::shared_ptr<const mig::Catalogue> catalogue) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml")) {
    Result<std::string> text = read_file(name_or_path);
    if (!text) return text.error();
    return parse_scenario(*text, name_or_path, std::move(catalogue));
  }
  for (const embedded::File& file : embedded::scenarios())
    if (stem(file.name) == name_or_path) return parse_scenario(file.text, name_or_path, std::move(catalogue));
  return Error{
      "no such scenario", fmt::format("'{}' is not built in", name_or_path),
      fmt::format("built in: {}; or give the path of a YAML file", fmt::join(scenario_names(), ", "))};
}

}  // namespace tessera::sim
