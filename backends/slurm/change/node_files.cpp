#include "backends/slurm/change/node_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/plan/facts.hpp"
#include "engine/slurmconf/check.hpp"

namespace tessera::slurm {
namespace {

// Drained by a run of tessera and known to be free of work: there nothing can be hurt, and what the files say
// of it is that run's own edit, on its way to be made true.
bool held_empty(const Node& node) {
  return is_closed(node) && node.cpus_held == 0 && !is_busy(node) && plan::parse_mark(node.reason);
}

}  // namespace

slurmconf::SlurmSetup with_version(slurmconf::SlurmSetup site, std::string_view version) {
  const char* end = version.data() + version.size();
  auto [dot, bad] = std::from_chars(version.data(), end, site.major);
  if (bad == std::errc() && dot != end && *dot == '.') std::from_chars(dot + 1, end, site.minor);
  return site;
}

std::string differs_elsewhere(const slurmconf::SlurmSetup& site, const std::vector<Node>& nodes,
                              const std::string& node) {
  constexpr std::size_t kShown = 3;
  auto differences = slurmconf::difference(site.files, nodes);
  if (!differences) return to_line(differences.error());
  // Before 23.11 only a slurmd that starts reads its devices.
  if (site.reconfigure_suffices())
    for (slurmconf::Difference& one : slurmconf::short_of_devices(site.files, nodes)) {
      one.files += " in gres.conf";
      differences->push_back(std::move(one));
    }
  std::string text;
  std::size_t others = 0;
  for (const slurmconf::Difference& one : *differences) {
    auto other = std::find_if(nodes.begin(), nodes.end(),
                              [&](const Node& known) { return known.name.text == one.node; });
    if (one.node == node || (other != nodes.end() && held_empty(*other)) || ++others > kShown) continue;
    text += fmt::format("{}{} runs with {}, and the files say {}", text.empty() ? "" : "; ", one.node,
                        one.running, one.files);
    auto mark = other == nodes.end() ? std::nullopt : plan::parse_mark(other->reason);
    if (mark && is_closed(*other)) text += fmt::format(" (changed by run {} of {})", mark->run, mark->who);
  }
  if (others > kShown) text += fmt::format("; and {} more nodes differ", others - kShown);
  return text;
}

std::set<std::string> marking_runs(const std::vector<Node>& nodes) {
  std::set<std::string> runs;
  for (const Node& node : nodes)
    if (auto mark = plan::parse_mark(node.reason); mark && is_closed(node)) runs.insert(mark->run);
  return runs;
}

std::set<std::string> marked_nodes(const std::vector<Node>& nodes) {
  std::set<std::string> marked;
  for (const Node& node : nodes)
    if (is_closed(node) && plan::parse_mark(node.reason)) marked.insert(node.name.text);
  return marked;
}

std::vector<Remark> file_remarks(const Result<std::vector<slurmconf::File>>& files,
                                 slurmconf::SlurmSetup said, const std::vector<Node>* nodes) {
  if (!files)
    return {{Remark::Grade::info, "slurm.conf", false, "not checked: " + to_line(files.error()),
             "read it where the controller's files can be read, or name it with --slurm-conf"}};
  said.files = *files;
  std::vector<Remark> remarks = slurmconf::check(said, nodes);
  if (!said.files.empty() && is_cache(said.files.front().path))
    remarks.push_back({Remark::Grade::info, said.files.front().path, false,
                       "these are copies that slurmd keeps of the controller's files",
                       "change them on the controller: lines and places are the same there"});
  return remarks;
}

std::uint64_t gres_stamp(std::string_view records) {
  std::uint64_t stamp = 14695981039346656037u;  // FNV-1a
  auto add = [&](std::string_view text) {
    for (char c : text) stamp = (stamp ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  for (std::size_t at = 0; at < records.size();) {
    std::size_t end = std::min(records.find('\n', at), records.size());
    std::string_view record = records.substr(at, end - at);
    add(record.substr(0, record.find(' ')));
    std::size_t gres = record.find(" Gres=");
    if (gres != std::string_view::npos) {
      record.remove_prefix(gres);
      add(record.substr(0, record.find(' ', 1)));
    }
    at = end + 1;
  }
  return stamp;
}

}  // namespace tessera::slurm
