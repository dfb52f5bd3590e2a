#include "engine/slurmconf/config.hpp"

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

constexpr std::size_t kMostGresNodes = 10 * kMostHosts;  // of all lines: a node has some

std::string_view file_part(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}
std::string_view folder_part(std::string_view path) {
  return path.substr(0, path.size() - file_part(path).size());
}

// Follows Includes and lists the lines in the order of reading.
class Reader {
 public:
  explicit Reader(Config& config) : config_(config) {}

  void read(std::size_t document, std::vector<Place>& into) {
    open_.push_back(document);
    const auto& lines = config_.documents[document].lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].include.empty())
        follow({document, i}, into);
      else if (!lines[i].pairs.empty() || !lines[i].odd.empty())
        into.push_back({document, i});
    }
    open_.pop_back();
  }

 private:
  void follow(Place at, std::vector<Place>& into) {
    std::string name = config_.line(at).include;
    for (std::size_t mark = name.find("%c"); mark != std::string::npos; mark = name.find("%c", mark)) {
      const Pair* cluster = config_.setting(into, "ClusterName");
      if (!cluster) return lose(at, "ClusterName is not known here, and %c stands for it");
      name.replace(mark, 2, lower(cluster->value));
      mark += cluster->value.size();
    }
    if (name.front() != '/') name.insert(0, folder_part(config_.documents.front().path));
    std::optional<std::size_t> found = document(name);
    if (!found) return lose(at, "the file " + name + " was not read");
    for (std::size_t above : open_)
      if (above == *found) return lose(at, "it includes itself");
    if (open_.size() > kMostIncludes) return lose(at, "Includes are nested too deep");
    read(*found, into);
  }

  std::optional<std::size_t> document(std::string_view path) const {
    for (std::size_t i = 0; i < config_.documents.size(); ++i)
      if (config_.documents[i].path == path) return i;
    return std::nullopt;
  }
  void lose(Place at, std::string why) { config_.lost.push_back({at, std::move(why)}); }

  Config& config_;
  std::vector<std::size_t> open_;
};

// Nodes that are not there yet, or powered down.
bool hidden(std::string_view state) {
  std::string word = lower(state);
  return word.starts_with("future") || word.starts_with("cloud");
}

std::string content_of(const Line& line) {
  std::string text;
  for (const Pair& pair : line.pairs) {
    if (same_key(pair.key, "NodeName")) continue;
    if (!text.empty()) text += ' ';
    text += lower(pair.key) + '=' + pair.value;
  }
  return text;
}

}  // namespace

std::string Config::where(Place at) const {
  return documents[at.document].path + ':' + std::to_string(line(at).number);
}

const Pair* Config::setting(const std::vector<Place>& lines, std::string_view key) const {
  for (auto at = lines.rbegin(); at != lines.rend(); ++at)
    if (line(*at).is(key)) return line(*at).find(key);
  return nullptr;
}

std::optional<std::size_t> file_named(const Files& files, std::string_view name) {
  for (std::size_t i = 1; i < files.size(); ++i)
    if (file_part(files[i].path) == name) return i;
  return std::nullopt;
}

Config read(const Files& files) {
  Config config;
  config.documents.reserve(files.size());
  for (const File& file : files) config.documents.push_back(parse(file));
  if (files.empty()) return config;
  Reader reader(config);
  reader.read(0, config.slurm);
  if (auto gres = file_named(files, "gres.conf")) reader.read(*gres, config.gres);
  if (auto cgroup = file_named(files, "cgroup.conf")) reader.read(*cgroup, config.cgroup);
  return config;
}

std::vector<NodeLine> node_lines(const Config& config) {
  std::vector<NodeLine> found;
  std::string inherited;
  bool hides = false;
  std::size_t room = kMostHosts;
  for (Place at : config.slurm) {
    const Line& line = config.line(at);
    if (!line.is("NodeName")) continue;
    const Pair* gres = line.find("Gres");
    const Pair* state = line.find("State");
    const bool may_hide = state ? hidden(state->value) : hides;
    if (same_key(line.pairs.front().value, "DEFAULT")) {
      if (gres) inherited = gres->value;
      hides = may_hide;
      continue;
    }
    NodeLine node{at, {}, gres, gres ? gres->value : inherited, inherited, may_hide, ""};
    auto names = expand_hosts(line.pairs.front().value, room);
    if (names)
      node.names = std::move(*names);
    else
      node.problem = names.error().reason;
    room -= node.names.size();
    found.push_back(std::move(node));
  }
  return found;
}

std::vector<GresLine> gres_lines(const Config& config) {
  std::vector<GresLine> found;
  std::size_t room = kMostGresNodes;
  for (Place at : config.gres) {
    const Line& line = config.line(at);
    if (!line.is("NodeName") && !line.is("Name") && !line.is("AutoDetect")) continue;
    GresLine gres{at, line.is("NodeName"), {}, "", content_of(line), ""};
    if (const Pair* name = line.find("Name")) gres.name = lower(name->value);
    if (gres.named) {
      auto nodes = expand_hosts(line.pairs.front().value, std::min(room, kMostHosts));
      if (nodes)
        gres.nodes = std::move(*nodes);
      else
        gres.problem = nodes.error().reason;
      room -= gres.nodes.size();
    }
    found.push_back(std::move(gres));
  }
  return found;
}

std::map<std::string, std::vector<std::string>> devices_of_nodes(const Files& files) {
  std::map<std::string, std::vector<std::string>> all;
  for (const GresLine& line : gres_lines(read(files))) {
    if (!line.named) all[""].push_back(line.content);
    for (const std::string& node : line.nodes) all[node].push_back(line.content);
  }
  return all;
}

bool is_ours(const GresLine& line) {
  return line.name.empty() || line.name == "gpu" || line.name == "mps" || line.name == "shard";
}

std::map<std::string, std::string> effective(const Files& files) {
  std::map<std::string, std::string> nodes;
  Config config = read(files);
  for (const NodeLine& line : node_lines(config))
    for (const std::string& name : line.names) nodes.try_emplace(name, line.gres);
  return nodes;
}

}  // namespace tessera::slurmconf
