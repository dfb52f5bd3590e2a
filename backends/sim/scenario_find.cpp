// Where scenarios come from: built in, or a file.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "backends/sim/scenario.hpp"
#include "engine/embedded.hpp"

namespace tessera::sim {
namespace {

std::string stem(std::string_view file) { return std::string(file.substr(0, file.rfind('.'))); }

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kMost = 16u << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{"cannot read the scenario", path + ": " + std::strerror(errno), "check the path"};
  std::string text(kMost + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{"cannot read the scenario", path + ": not a readable file", "check the path"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMost) return Error{"cannot read the scenario", path + ": larger than 16 MiB", ""};
  return text;
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
