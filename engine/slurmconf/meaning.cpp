#include "engine/slurmconf/meaning.hpp"

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

// Names that mean the same.
std::string key_of(const std::string& written) {
  std::string key = lower(written);
  if (key == "features") return "feature";
  if (key == "procs") return "cpus";
  if (key == "shared") return "oversubscribe";
  return key;
}

std::string flat(const Line& line) {
  std::string text;
  for (const Pair& pair : line.pairs)
    text += (text.empty() ? "" : " ") + lower(pair.key) + '=' + lower(pair.value);
  return text;
}

class Builder {
 public:
  explicit Builder(const Config& config) : config_(config) {}

  Result<Meaning> build() {
    for (const Lost& lost : config_.lost) return cannot(lost.at, lost.why);
    std::size_t node_line = 0;
    const std::vector<NodeLine> lines = node_lines(config_);
    for (Place at : config_.slurm) {
      const Line& line = config_.line(at);
      if (!line.odd.empty()) return cannot(at, line.odd);
      const std::string key = key_of(line.pairs.front().key), &value = line.pairs.front().value;
      const bool is_default = same_key(value, "DEFAULT");
      if (key == "nodename" && is_default) {
        lay(line, node_default_);
      } else if (key == "nodename") {
        if (Status added = add_nodes(lines[node_line++], line); !added) return added.error();
      } else if (key == "partitionname") {
        if (is_default)
          lay(line, partition_default_);
        else
          lay(line, all_.partitions.try_emplace(value, partition_default_).first->second);
      } else if (key == "nodeset") {
        lay(line, all_.node_sets[value]);
      } else if (key == "downnodes" || key == "frontendname") {
        all_.others.push_back(flat(line));
      } else {
        all_.settings.emplace_back(key, value);
        all_.written.try_emplace(key, line.pairs.front().key);
      }
    }
    return std::move(all_);
  }

 private:
  void lay(const Line& line, Keys& over) {
    for (const Pair& pair : line.pairs) {
      const std::string key = key_of(pair.key);
      over[key] = pair.value;
      all_.written.try_emplace(key, pair.key);
    }
  }
  Error cannot(Place at, const std::string& why) const {
    return {"cannot determine what scontrol reconfigure would change", config_.where(at) + ": " + why,
            "fix the line first"};
  }
  Status add_nodes(const NodeLine& nodes, const Line& line) {
    if (!nodes.problem.empty()) return cannot(nodes.at, nodes.problem);
    Keys keys = node_default_;
    lay(line, keys);
    all_.lines.push_back(std::move(keys));
    for (std::size_t i = 0; i < nodes.names.size(); ++i)
      if (!all_.nodes
               .try_emplace(nodes.names[i], Meaning::Member{all_.lines.size() - 1, i, nodes.names.size()})
               .second)
        return cannot(nodes.at, clean(nodes.names[i], 64) + " is defined twice");
    return Done{};
  }

  const Config& config_;
  Meaning all_;
  Keys node_default_, partition_default_;
};

bool runs_along(std::string_view key) {
  return key == "nodehostname" || key == "nodeaddr" || key == "bcastaddr" || key == "port";
}

void read_on(const Config& config, std::size_t document, std::size_t& depth, std::string& text) {
  if (++depth > static_cast<std::size_t>(kMostIncludes)) return void(--depth);
  const std::string& path = config.documents[document].path;
  const std::string folder =
      config.documents.front().path.substr(0, config.documents.front().path.rfind('/') == std::string::npos
                                                  ? 0
                                                  : config.documents.front().path.rfind('/') + 1);
  for (const Line& line : config.documents[document].lines) {
    text += line.raw;
    if (line.include.empty()) continue;
    std::string name = line.include;
    const Pair* cluster = config.setting(config.slurm, "ClusterName");
    for (std::size_t at = name.find("%c"); cluster && at != std::string::npos; at = name.find("%c", at))
      name.replace(at, 2, lower(cluster->value)), at += cluster->value.size();
    if (!name.starts_with('/')) name.insert(0, folder);
    for (std::size_t i = 0; i < config.documents.size(); ++i)
      if (config.documents[i].path == name && name != path) read_on(config, i, depth, text);
  }
  --depth;
}

}  // namespace

std::string Meaning::of(const Member& node, const std::string& key) const {
  auto found = lines[node.line].find(key);
  if (found == lines[node.line].end()) return "";
  if (!runs_along(key) || node.of == 1) return found->second;
  auto list = expand_hosts(found->second);
  return list && list->size() == node.of ? (*list)[node.index] : found->second;
}

std::set<std::string> Meaning::nodes_of(const Keys& partition) const {
  std::set<std::string> all;
  auto listed = partition.find("nodes");
  if (listed == partition.end()) return all;
  auto add_all = [&] {
    for (const auto& [name, member] : nodes) all.insert(name);
  };
  auto names = expand_hosts(listed->second);
  if (!names) return all;
  for (const std::string& name : *names) {
    auto set = node_sets.find(name);
    if (same_key(name, "ALL")) {
      add_all();
    } else if (set == node_sets.end()) {
      all.insert(name);
    } else {
      if (auto own = set->second.find("nodes"); own != set->second.end())
        if (auto some = expand_hosts(own->second)) all.insert(some->begin(), some->end());
      auto feature = set->second.find("feature");
      if (feature == set->second.end()) continue;
      for (const auto& [node, member] : nodes)
        if ((',' + of(member, "feature") + ',').find(',' + feature->second + ',') != std::string::npos)
          all.insert(node);
    }
  }
  return all;
}

Result<Meaning> meaning_of(const Files& files) {
  const Config config = read(files);
  return Builder(config).build();
}

std::string text_as_read(const Files& files) {
  std::string text;
  if (files.empty()) return text;
  std::size_t depth = 0;
  read_on(read(files), 0, depth, text);
  return text;
}

// A check sum of 16 bits in a word of 32, the upper half being what is shifted out of the lower. Slurm stops
// in a line at a zero byte, which no readable line has.
std::uint32_t hash_of(std::string_view text_as_read) {
  std::uint32_t hash = 0;
  for (char c : text_as_read) {
    hash ^= static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(c)) * 256);
    for (int bit = 0; bit < 8; ++bit) hash = (hash & 0x8000u) != 0 ? (hash << 1) ^ 0x1021u : hash << 1;
  }
  return hash;
}

}  // namespace tessera::slurmconf
