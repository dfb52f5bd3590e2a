#include "backends/slurm/node_files.hpp"

#include <fmt/format.h>

#include <charconv>

#include "engine/slurmconf/check.hpp"

namespace tessera::slurm {
slurmconf::Site with_version(slurmconf::Site site, std::string_view version) {
  const char* end = version.data() + version.size();
  auto [dot, bad] = std::from_chars(version.data(), end, site.major);
  if (bad == std::errc() && dot != end && *dot == '.') std::from_chars(dot + 1, end, site.minor);
  return site;
}

std::string differs_elsewhere(const slurmconf::Site& site, const std::vector<Node>& nodes,
                              const std::string& node) {
  constexpr std::size_t kShown = 3;
  auto differences = slurmconf::difference(site.files, nodes);
  if (!differences) return to_line(differences.error());
  std::string text;
  std::size_t others = 0;
  for (const slurmconf::Difference& one : *differences) {
    if (one.node == node || ++others > kShown) continue;
    text += fmt::format("{}{} runs with {}, and the files say {}", text.empty() ? "" : "; ", one.node,
                        one.running, one.files);
  }
  if (others > kShown) text += fmt::format("; and {} more nodes differ", others - kShown);
  return text;
}

}  // namespace tessera::slurm
