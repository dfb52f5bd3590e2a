#include "engine/slurmconf/check.hpp"

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/slurmconf/counts.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/findings.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {

using Grade = Remark::Grade;

void Findings::add(Place at, Grade grade, std::string text, std::string hint) {
  remarks_.push_back({grade, config.where(at), false, std::move(text), std::move(hint)});
}

void Findings::add(Place at, Grade grade, const std::string& node, std::string text, std::string hint) {
  Shared& shared = shared_[{at, text}];
  if (shared.nodes.empty())
    shared.remark = {grade, config.where(at), false, std::move(text), std::move(hint)};
  shared.nodes.push_back(node);
}

std::vector<Remark> Findings::take() {
  for (auto& [key, shared] : shared_) {
    shared.remark.text = fold_hosts(shared.nodes) + ": " + shared.remark.text;
    remarks_.push_back(std::move(shared.remark));
  }
  shared_.clear();
  std::stable_sort(remarks_.begin(), remarks_.end(),
                   [](const Remark& left, const Remark& right) { return left.grade > right.grade; });
  if (remarks_.size() > kMostRemarks) {
    std::size_t more = remarks_.size() - kMostRemarks;
    remarks_.resize(kMostRemarks);
    remarks_.push_back({Grade::warning, "", false, std::to_string(more) + " more findings in Slurm's files",
                        "fix these first"});
  }
  for (Remark& remark : remarks_)
    for (std::string* text : {&remark.subject, &remark.text, &remark.hint}) *text = clean(*text, 512);
  return std::move(remarks_);
}

namespace {

constexpr const char* kNoStart = "Slurm does not start with that";

void check_lines(Findings& findings) {
  const Config& config = findings.config;
  for (const Lost& lost : config.lost)
    findings.add(lost.at, Grade::danger, "Include " + config.line(lost.at).include + ": " + lost.why,
                 "nodes in that file are not seen here and cannot be changed");
  for (const auto* lines : {&config.slurm, &config.gres, &config.cgroup})
    for (Place at : *lines)
      if (!config.line(at).odd.empty()) findings.add(at, Grade::danger, config.line(at).odd, kNoStart);
}

void check_nodes(Findings& findings, const std::vector<NodeLine>& nodes) {
  std::map<std::string_view, Place> seen;
  for (const NodeLine& line : nodes) {
    if (!line.problem.empty()) findings.add(line.at, Grade::danger, line.problem, kNoStart);
    for (const std::string& name : line.names) {
      auto [first, fresh] = seen.try_emplace(name, line.at);
      if (!fresh)
        findings.add(line.at, Grade::danger, name,
                     "defined before, at " + findings.config.where(first->second),
                     std::string(kNoStart) + ": keep one of the two lines");
    }
    // "Gres= Feature=x" gives the node a GRES by the name of "Feature=x".
    if (line.own && line.own->value.find('=') != std::string::npos)
      findings.add(line.at, Grade::danger, "Gres= is empty and takes the next word: " + line.own->value,
                   "write Gres=\"\" or remove it");
  }
}

std::set<std::string> types_of(const Config& config) {
  std::set<std::string> types;
  const Pair* setting = config.setting(config.slurm, "GresTypes");
  std::string list = setting ? lower(setting->value) : "";
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    types.insert(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return types;
}

std::string name_of(const std::string& resource) { return resource.substr(0, resource.find(':')); }

bool is_instance(const std::string& resource) {
  std::size_t colon = resource.find(':');
  return colon != std::string::npos && mig::canonical_profile(resource.substr(colon + 1)).has_value();
}

void check_types(Findings& findings, const std::vector<NodeLine>& nodes, const std::vector<GresLine>& lines) {
  const Config& config = findings.config;
  std::set<std::string> types = types_of(config), told;
  auto missing = [&](Place at, const std::string& name) {
    if (types.count(name) || !told.insert(name).second) return;
    findings.add(at, Grade::danger, "GresTypes does not list " + name,
                 "add it to GresTypes in slurm.conf and restart slurmctld and slurmd: nodes do not offer it");
  };
  const Pair* select = config.setting(config.slurm, "SelectType");
  bool shares_told = false;
  for (const NodeLine& line : nodes) {
    GresCounts counts = counts_of(line.gres);
    for (const auto& [resource, count] : counts) missing(line.at, name_of(resource));
    bool mps = counts.count("mps"), shard = counts.count("shard");
    if (mps && shard)
      findings.add(
          line.at, Grade::danger, "mps and shard on the same nodes",
          "Slurm hands out both wrong there (22.05 to 24.11): jobs share a GPU that should not. Keep one");
    if ((mps || shard) && !shares_told && select && lower(select->value) != "select/cons_tres") {
      shares_told = true;
      findings.add(line.at, Grade::danger, "mps and shard need SelectType=select/cons_tres",
                   "set it and restart all daemons: until then no job gets a share");
    }
  }
  for (const GresLine& line : lines)
    if (!line.name.empty()) missing(line.at, line.name);
}

// Without a wall a job may open any instance on its node.
void check_devices(Findings& findings, const std::vector<NodeLine>& nodes) {
  const Config& config = findings.config;
  auto cut = std::find_if(nodes.begin(), nodes.end(), [](const NodeLine& line) {
    GresCounts counts = counts_of(line.gres);
    return std::any_of(counts.begin(), counts.end(), [](const auto& one) { return is_instance(one.first); });
  });
  if (cut == nodes.end()) return;
  const char* hint = "set ConstrainDevices=yes in cgroup.conf, with task/cgroup in TaskPlugin";
  const Pair* plugin = config.setting(config.slurm, "TaskPlugin");
  if (!plugin || lower(plugin->value).find("task/cgroup") == std::string::npos) {
    findings.add(cut->at, Grade::warning,
                 "MIG instances are offered without task/cgroup in TaskPlugin: jobs can open each "
                 "other's instances",
                 hint);
    return;
  }
  const Pair* constrain = config.setting(config.cgroup, "ConstrainDevices");
  if (!constrain || lower(constrain->value) != "yes")
    findings.add(cut->at, Grade::warning,
                 constrain ? "MIG instances are offered with ConstrainDevices=" + constrain->value
                           : "MIG instances are offered without ConstrainDevices=yes",
                 hint);
}

// What gres.conf names and the file of allowed devices does not; or that no Slurm reads that file.
void check_allowed(Findings& findings, const std::vector<GresLine>& lines) {
  const Config& config = findings.config;
  const Pair* constrain = config.setting(config.cgroup, "ConstrainDevices");
  if (!reads_allowed_devices(findings.site)) {
    for (Place at : config.cgroup)
      if (config.line(at).is("AllowedDevicesFile") && findings.site.major > 0)
        findings.add(at, Grade::info, "AllowedDevicesFile= is read by no Slurm since 22.05",
                     "remove it: devices that gres.conf names are kept from jobs without them, all others "
                     "are open");
    return;
  }
  if (!constrain || lower(constrain->value) != "yes") return;
  const std::string* text = allowed_devices_text(findings.site.files);
  if (!text) return;  // since 18.08 every device is open then that is none of gres.conf
  std::map<std::string, Place> first;
  std::vector<std::string> named;
  for (const GresLine& line : lines)
    if (line.name == "gpu")
      for (std::string& device : devices_of(config.line(line.at)))
        if (first.try_emplace(device, line.at).second) named.push_back(std::move(device));
  const std::vector<std::string> missing = not_allowed(*text, named);
  if (missing.empty()) return;
  const std::string more =
      missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " more devices of gres.conf" : "";
  findings.add(first[missing.front()], Grade::info,
               allowed_devices_path(findings.site.files) + " does not list " + missing.front() + more,
               "add what is missing, one path a line; tessera does so for each node that it changes");
}

void check_running(Findings& findings, const Files& files, const std::vector<Node>& running) {
  auto differences = difference(files, running);
  if (!differences) return;  // the lines that stand in the way are remarks already
  const bool restart = !findings.site.reconfigure_suffices();
  for (Difference& one : *differences)
    findings.add({Grade::warning, one.node, true,
                  "the files say " + one.files + ", Slurm runs with " + one.running,
                  std::string(restart ? "a restart of slurmctld" : "scontrol reconfigure") +
                      " changes the node and ends its jobs: drain it first, or restore the files"});
}

bool dynamic(const Node& node) {
  return std::any_of(node.state.begin(), node.state.end(),
                     [](const std::string& state) { return state.starts_with("DYNAMIC"); });
}

}  // namespace

std::vector<Remark> check(const SlurmSetup& site, const std::vector<Node>* running) {
  Config config = read(site.files);
  std::vector<NodeLine> nodes = node_lines(config);
  std::vector<GresLine> lines = gres_lines(config);
  Findings findings(site, config);
  check_lines(findings);
  check_nodes(findings, nodes);
  check_types(findings, nodes, lines);
  check_gres(findings, nodes, lines, running);
  check_devices(findings, nodes);
  check_allowed(findings, lines);
  if (running) check_running(findings, site.files, *running);
  return findings.take();
}

Result<std::vector<Difference>> difference(const Files& files, const std::vector<Node>& running) {
  Config config = read(files);
  auto cannot = [&](Place at, const std::string& why) {
    return Error{"cannot determine what scontrol reconfigure would change", config.where(at) + ": " + why,
                 "fix the line first"};
  };
  for (const Lost& lost : config.lost) return cannot(lost.at, lost.why);
  for (Place at : config.slurm)
    if (!config.line(at).odd.empty()) return cannot(at, config.line(at).odd);
  const std::vector<NodeLine> lines = node_lines(config);
  std::map<std::string_view, const NodeLine*> nodes;
  for (const NodeLine& line : lines) {
    if (!line.problem.empty()) return cannot(line.at, line.problem);
    for (const std::string& name : line.names) nodes.try_emplace(name, &line);
  }
  std::vector<Difference> found;
  for (const Node& node : running) {
    GresCounts now = counts_of(node);
    auto line = nodes.find(node.name.view());
    if (line == nodes.end()) {
      if (!dynamic(node)) found.push_back({node.name.text, "no such node", to_text(now)});
      continue;
    }
    GresCounts then = sharable(counts_of(line->second->gres));
    if (!alike(then, now)) found.push_back({node.name.text, to_text(then), to_text(now)});
    nodes.erase(line);
  }
  for (const auto& [name, line] : nodes)
    if (!line->may_hide)
      found.push_back({std::string(name), to_text(sharable(counts_of(line->gres))), "no such node"});
  std::sort(found.begin(), found.end(),
            [](const auto& left, const auto& right) { return left.node < right.node; });
  return found;
}

}  // namespace tessera::slurmconf
