// What gres.conf says, against itself and against slurm.conf.
#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/slurmconf/check.hpp"
#include "engine/slurmconf/counts.hpp"
#include "engine/slurmconf/findings.hpp"

namespace tessera::slurmconf {
namespace {

using Grade = Remark::Grade;

// The lines of gres.conf about one node, and whether its GPUs are looked up by slurmd itself.
struct AboutNode {
  std::vector<const GresLine*> lines;
  bool detected = false;
};

class GresCheck {
 public:
  GresCheck(Findings& findings, const std::vector<NodeLine>& nodes, const std::vector<GresLine>& lines,
            const std::vector<Node>* running)
      : findings_(findings), config_(findings.config), nodes_(nodes), lines_(lines) {
    if (!running) return;
    for (const Node& node : *running) running_.emplace(node.name.view(), &node);
  }

  void run() {
    for (const GresLine& line : lines_) check_line(line);
    gather();
    for (const NodeLine& line : nodes_)
      for (const std::string& name : line.names) check_node(line, name);
    for (const auto& [name, about] : by_node_)
      if (!defined_.count(name))
        findings_.add(about.lines.front()->at, Grade::warning, std::string(name),
                      "slurm.conf defines no such node",
                      "the line counts for nothing: correct the name, or remove it");
  }

 private:
  const Pair* find(const GresLine& line, std::string_view key) const {
    return config_.line(line.at).find(key);
  }
  bool detects(const GresLine& line) const {
    const Pair* pair = find(line, "AutoDetect");
    return pair && !same_key(pair->value, "off");
  }

  void check_line(const GresLine& line) {
    if (!line.problem.empty())
      findings_.add(line.at, Grade::danger, line.problem, "Slurm does not start with that");
    if (line.name.empty()) return;
    if (find(line, "File") && find(line, "MultipleFiles"))
      findings_.add(line.at, Grade::danger, "File= and MultipleFiles= on one line",
                    "MultipleFiles= for MIG, else File=");
    if (counts_of(line, config_.line(line.at)).count(""))
      findings_.add(line.at, Grade::danger, "its Count= or File= cannot be read",
                    "as in File=/dev/nvidia[0-7], Count=100 or Count=4K");
  }

  void gather() {
    for (const GresLine& line : lines_) {
      if (!line.named) {
        everywhere_.push_back(&line);
        if (line.name.empty()) detected_ = detects(line);
      }
      names_nodes_ = names_nodes_ || (line.named && line.name == "gpu");
      for (const std::string& node : line.nodes) by_node_[node].lines.push_back(&line);
    }
  }

  AboutNode about(std::string_view node) const {
    AboutNode about;
    if (auto own = by_node_.find(node); own != by_node_.end()) about = own->second;
    about.detected = detected_;
    for (const GresLine* line : about.lines)
      if (find(*line, "AutoDetect")) about.detected = detects(*line);
    about.lines.insert(about.lines.end(), everywhere_.begin(), everywhere_.end());
    return about;
  }

  void check_node(const NodeLine& line, const std::string& name) {
    defined_.insert(name);
    GresCounts wanted = sharable(counts_of(line.gres)), given;
    AboutNode lines = about(name);
    check_files(name, lines);
    if (lines.detected) return;
    for (const GresLine* one : lines.lines)
      if (one->name == "gpu")
        for (const auto& [resource, count] : counts_of(*one, config_.line(one->at))) given[resource] += count;
    for (const char* shared : {"mps", "shard"}) wanted.erase(shared);
    given.erase("");
    if (wanted.empty() || alike(wanted, given)) return;
    if (given.empty()) {
      if (runs_as(name, counts_of(line.gres))) return another_file(line, name, wanted);
      findings_.add(
          line.at, Grade::danger, name, "has " + to_text(wanted) + " here and no File= in gres.conf",
          "the node registers without GPUs and becomes invalid: add NodeName=… Name=gpu File=… to gres.conf");
      return;
    }
    bool fewer = std::any_of(wanted.begin(), wanted.end(), [&](const auto& one) {
      auto found = given.find(one.first);
      return found == given.end() || found->second < one.second;
    });
    findings_.add(
        line.at, fewer ? Grade::danger : Grade::info, name,
        "has " + to_text(wanted) + " here and " + to_text(given) + " in gres.conf",
        fewer ? "the node registers with less than is configured and becomes invalid: make the two agree"
              : "what gres.conf has more is not offered");
  }

  // Registered with what slurm.conf gives it.
  bool runs_as(const std::string& name, const GresCounts& wanted) const {
    auto now = running_.find(name);
    if (now == running_.end()) return false;
    Health health = now->second->health;
    bool registered = health == Health::ok || health == Health::draining || health == Health::drained;
    return registered && alike(sharable(wanted), counts_of(*now->second));
  }
  // Each node may read a gres.conf of its own: such a one does not speak of other nodes.
  void another_file(const NodeLine& line, const std::string& name, const GresCounts& wanted) {
    findings_.add(
        line.at, names_nodes_ ? Grade::warning : Grade::info, name,
        "has " + to_text(wanted) + " here and no File= in the gres.conf here, yet it runs with them",
        names_nodes_ ? "it reads another gres.conf; if not, its next slurmd registers without GPUs: "
                       "add NodeName=… Name=gpu File=…"
                     : "it reads a gres.conf of its own, which is not seen here: give the lines "
                       "NodeName= in one file for all before tessera changes them");
  }

  void check_files(const std::string& name, const AboutNode& about) {
    std::set<std::string> seen;
    for (const GresLine* line : about.lines) {
      if (line->name != "gpu") continue;
      const Pair* file = find(*line, "File");
      const Pair* several = find(*line, "MultipleFiles");
      if (!file && !several && !about.detected && !find(*line, "AutoDetect"))
        findings_.add(line->at, Grade::danger, name, "a gpu line without File=",
                      "Slurm ignores GPUs without a device file: add File=, or AutoDetect=nvml");
      if (several && !seen.insert(several->value).second) twice(*line, name, several->value);
      if (!file) continue;
      auto files = expand_hosts(file->value, 4096);
      if (!files) continue;
      for (const std::string& one : *files)
        if (!seen.insert(one).second) twice(*line, name, one);
    }
  }

  void twice(const GresLine& line, const std::string& name, const std::string& file) {
    findings_.add(line.at, Grade::danger, name, file + " is listed twice",
                  "two jobs would get the same device: remove one");
  }

  Findings& findings_;
  const Config& config_;
  const std::vector<NodeLine>& nodes_;
  const std::vector<GresLine>& lines_;
  std::map<std::string_view, AboutNode> by_node_;
  std::vector<const GresLine*> everywhere_;
  std::map<std::string_view, const Node*> running_;
  bool names_nodes_ = false;  // some line about GPUs does
  bool detected_ = false;
  std::set<std::string_view> defined_;
};

}  // namespace

void check_gres(Findings& findings, const std::vector<NodeLine>& nodes, const std::vector<GresLine>& lines,
                const std::vector<Node>* running) {
  GresCheck(findings, nodes, lines, running).run();
}

std::vector<Difference> short_of_devices(const Files& files, const std::vector<Node>& running) {
  const Config config = read(files);
  struct Devices {
    GresCounts counts;
    bool detected = false;
  };
  std::map<std::string, Devices, std::less<>> named;
  Devices everywhere;
  for (const GresLine& line : gres_lines(config)) {
    const Line& written = config.line(line.at);
    const Pair* detect = written.find("AutoDetect");
    const bool detected = detect && !same_key(detect->value, "off");
    const GresCounts counts = line.name == "gpu" ? counts_of(line, written) : GresCounts{};
    auto add = [&](Devices& devices) {
      devices.detected = devices.detected || detected;
      for (const auto& [resource, count] : counts) devices.counts[resource] += count;
    };
    if (!line.named) add(everywhere);
    for (const std::string& node : line.nodes) add(named[node]);
  }
  std::vector<Difference> found;
  for (const Node& node : running) {
    auto own = named.find(node.name.view());
    if (own == named.end()) continue;
    GresCounts given = own->second.counts, now = counts_of(node);
    for (const auto& [resource, count] : everywhere.counts) given[resource] += count;
    for (const char* shares : {"mps", "shard"}) now.erase(shares);
    if (own->second.detected || everywhere.detected || given.contains("") || alike(given, now)) continue;
    const bool fewer = std::any_of(now.begin(), now.end(), [&](const auto& one) {
      auto has = given.find(one.first);
      return has == given.end() || has->second < one.second;
    });
    if (fewer) found.push_back({node.name.text, to_text(given), to_text(now)});
  }
  return found;
}

}  // namespace tessera::slurmconf
