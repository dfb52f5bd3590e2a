#include "engine/slurmconf/edit.hpp"

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/rewrite.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

using Strings = std::vector<std::string>;

Error cannot(std::string reason, std::string hint) {
  return {"cannot edit Slurm's configuration", std::move(reason), std::move(hint)};
}

bool plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 127 && c != '"' && c != '#' && c != '\\'; });
}

std::optional<std::size_t> index_of(const Strings& names, std::string_view name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// The list without one of its entries.
std::string rest_of(Strings names, std::size_t index) {
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(index));
  return fold_hosts(names);
}
std::string rest_of(Strings names, std::string_view name) {
  std::erase(names, name);
  return fold_hosts(names);
}

// What a line says when it is to be about one of its nodes, and when about all others.
struct Split {
  std::string own, rest;
};

// Lists that run along with NodeName=, one entry a node, unless they have one for all.
Result<Split> split(const Config& config, const NodeLine& nodes, std::size_t index) {
  const Line& line = config.line(nodes.at);
  if (!plain(line.pairs.front().value))
    return cannot(config.where(nodes.at) + ": NodeName cannot be split", "");
  NewValues own{{&line.pairs.front(), nodes.names[index]}};
  NewValues rest{{&line.pairs.front(), rest_of(nodes.names, index)}};
  for (std::string_view key : {"NodeHostname", "NodeAddr", "BcastAddr", "Port"}) {
    const Pair* pair = line.find(key);
    if (!pair) continue;
    auto list = expand_hosts(pair->value);
    if (!list) return cannot(config.where(nodes.at) + ": " + list.error().reason, "");
    if (list->size() == 1) continue;
    if (list->size() != nodes.names.size())
      return cannot(config.where(nodes.at) + ": " + pair->key + " lists " + std::to_string(list->size()) +
                        " for " + std::to_string(nodes.names.size()) + " nodes",
                    "give each node of the line its own");
    if (!plain(pair->value))
      return cannot(config.where(nodes.at) + ": " + pair->key + " cannot be split", "");
    own.push_back({pair, (*list)[index]});
    rest.push_back({pair, rest_of(*list, index)});
  }
  return Split{with_values(line, own), with_values(line, rest)};
}

// The raw line with the Gres= that the node is to have.
std::string with_gres(std::string raw, std::string_view gres, const std::string& inherited) {
  Line line = parse_line(std::move(raw));
  const Pair* pair = line.find("Gres");
  if (!pair) return with_pair(line, "Gres", gres);
  if (!gres.empty() || !inherited.empty()) return with_values(line, {{pair, std::string(gres)}});
  return without_pair(line, *pair);
}

Result<const NodeLine*> only_line(const Config& config, const std::vector<NodeLine>& lines,
                                  std::string_view node) {
  const NodeLine* found = nullptr;
  for (const NodeLine& line : lines) {
    auto index = index_of(line.names, node);
    if (!index) continue;
    if (std::find(line.names.begin() + static_cast<std::ptrdiff_t>(*index) + 1, line.names.end(), node) !=
        line.names.end())
      return cannot(config.where(line.at) + " names " + std::string(node) + " twice", "name it once");
    if (found)
      return cannot(std::string(node) + " is defined twice: " + config.where(found->at) + " and " +
                        config.where(line.at),
                    "remove it from one of the two lines");
    found = &line;
  }
  if (found) return found;
  for (const NodeLine& line : lines)
    if (!line.problem.empty())
      return cannot(config.where(line.at) + ": " + line.problem, "the node may be meant there");
  return cannot("no NodeName line names " + std::string(node),
                config.lost.empty() ? "a dynamic node gets its Gres from slurmd -Z --conf"
                                    : "it may be in " + config.line(config.lost.front().at).include +
                                          ", which was not read: " + config.lost.front().why);
}

bool detects(const Line& line) {
  const Pair* pair = line.find("AutoDetect");
  return pair && !same_key(pair->value, "off");
}

// A wanted line with the node's name in front.
Result<std::string> named_line(const std::string& text, std::string_view node) {
  Line line = parse_line(text);
  if (!line.odd.empty() || line.pairs.empty() || bare(line.raw) != line.raw)
    return cannot("\"" + clean(text, 80) + "\" is no line of gres.conf", "");
  if (!line.is("NodeName")) return "NodeName=" + std::string(node) + ' ' + text;
  if (line.pairs.front().value != node)
    return cannot("\"" + clean(text, 80) + "\" is about another node", "");
  return text;
}

// Everything but the node, so that lines can be compared.
std::string content(const std::string& raw) {
  Line line = parse_line(raw);
  std::string text;
  for (const Pair& pair : line.pairs)
    if (!same_key(pair.key, "NodeName"))
      text += (text.empty() ? "" : " ") + lower(pair.key) + '=' + pair.value;
  return text;
}

Strings contents(const std::vector<GresLine>& lines) {
  Strings texts;
  for (const GresLine& line : lines) texts.push_back(line.content);
  return texts;
}

// The lines of gres.conf that name the node and are ours.
std::vector<GresLine> lines_about(const std::vector<GresLine>& all, std::string_view node) {
  std::vector<GresLine> found;
  for (const GresLine& line : all)
    if (is_ours(line) && line.named && index_of(line.nodes, node)) found.push_back(line);
  return found;
}

// What must be so before lines of a node may be replaced.
Status can_replace(const Config& config, const std::vector<GresLine>& lines, std::string_view node) {
  for (const GresLine& line : lines) {
    if (!line.problem.empty()) return cannot(config.where(line.at) + ": " + line.problem, "");
    if (!line.named && !line.name.empty() && is_ours(line))
      return cannot(config.where(line.at) + " has no NodeName= and so counts for every node that reads it",
                    "write in front of it the nodes that it is for, without " + std::string(node) +
                        "; where each node has a gres.conf of its own, change it there");
  }
  return Done{};
}

// An old line about this node alone is kept as it is written where it says what is wanted.
std::string as_before(const Config& config, const std::vector<GresLine>& old, const std::string& wanted) {
  for (const GresLine& line : old)
    if (line.nodes.size() == 1 && line.content == content(wanted)) return bare(config.line(line.at).raw);
  return wanted;
}

std::string beside(const Files& files, std::string_view name) {
  const std::string& path = files.front().path;
  return path.substr(0, path.rfind('/') + 1) + std::string(name);
}

}  // namespace

Result<Files> set_gres(const Files& files, std::string_view node, std::string_view gres) {
  if (!plain(gres)) return cannot("\"" + clean(gres, 80) + "\" is no Gres=", "");
  Config config = read(files);
  std::vector<NodeLine> lines = node_lines(config);
  auto line = only_line(config, lines, node);
  if (!line) return line.error();
  const NodeLine& found = **line;
  if (found.gres == gres) return files;
  Rewrite rewrite(config);
  if (found.names.size() == 1) {
    rewrite.replace(found.at, with_gres(config.line(found.at).raw, gres, found.inherited));
    return rewrite.apply(files);
  }
  auto parts = split(config, found, *index_of(found.names, node));
  if (!parts) return parts.error();
  rewrite.replace(found.at, parts->rest);
  rewrite.insert_after(found.at, bare(with_gres(parts->own, gres, found.inherited)));
  return rewrite.apply(files);
}

Result<Files> add_gres_types(const Files& files, const Strings& types) {
  Config config = read(files);
  if (files.empty()) return cannot("there is no slurm.conf", "");
  Place at{};
  const Pair* setting = nullptr;
  for (Place place : config.slurm)
    if (config.line(place).is("GresTypes")) at = place, setting = config.line(place).find("GresTypes");
  std::string list = setting ? setting->value : "";
  std::set<std::string> known;
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    known.insert(lower(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  const std::size_t before = list.size();
  for (const std::string& type : types) {
    if (!plain(type) || type.empty()) return cannot("\"" + clean(type, 80) + "\" is no type of GRES", "");
    if (known.insert(lower(type)).second) list += (list.empty() ? "" : ",") + type;
  }
  if (list.size() == before) return files;
  Rewrite rewrite(config);
  if (setting) {
    rewrite.replace(at, with_values(config.line(at), {{setting, list}}));
    return rewrite.apply(files);
  }
  // Before the first thing that may be a node: people look for settings above their nodes.
  const auto& lines = config.documents.front().lines;
  auto first = std::find_if(lines.begin(), lines.end(), [](const Line& line) {
    return line.is("NodeName") || line.is("PartitionName") || !line.include.empty();
  });
  if (first == lines.end())
    rewrite.append(0, "GresTypes=" + list);
  else
    rewrite.insert_before({0, static_cast<std::size_t>(first - lines.begin())}, "GresTypes=" + list);
  return rewrite.apply(files);
}

Result<Files> set_gres_lines(const Files& files, std::string_view node, const Strings& lines) {
  if (files.empty()) return cannot("there is no slurm.conf", "");
  if (!plain(node) || node.empty()) return cannot("\"" + clean(node, 80) + "\" is no node", "");
  Config config = read(files);
  std::vector<GresLine> all = gres_lines(config);
  if (Status can = can_replace(config, all, node); !can) return can.error();

  Strings wanted;
  bool detection_told = false, detection_on = false;
  for (const std::string& text : lines) {
    auto line = named_line(text, node);
    if (!line) return line.error();
    detection_told = detection_told || parse_line(*line).find("AutoDetect");
    wanted.push_back(std::move(*line));
  }
  for (const GresLine& line : all)
    if (!line.named && line.name.empty()) detection_on = detects(config.line(line.at));
  if (detection_on && !detection_told && !wanted.empty())
    wanted.front().insert(parse_line(wanted.front()).pairs.front().end, " AutoDetect=off");

  std::vector<GresLine> old = lines_about(all, node);
  Strings wish;
  for (const std::string& line : wanted) wish.push_back(content(line));
  if (contents(old) == wish) return files;

  Rewrite rewrite(config);
  for (const GresLine& line : old) {
    const Line& written = config.line(line.at);
    if (rest_of(line.nodes, node).empty())
      rewrite.remove(line.at);
    else
      rewrite.replace(line.at, with_values(written, {{&written.pairs.front(), rest_of(line.nodes, node)}}));
  }
  for (std::string& line : wanted) line = as_before(config, old, line);
  if (auto file = file_named(files, "gres.conf")) {
    for (const std::string& line : wanted)
      if (old.empty())
        rewrite.append(*file, line);
      else
        rewrite.insert_after(old.front().at, line);
    return rewrite.apply(files);
  }
  Files with_new = files;
  File fresh{beside(files, "gres.conf"), ""};
  for (const std::string& line : wanted) fresh.text += line + '\n';
  with_new.push_back(std::move(fresh));
  return with_new;
}

Strings gres_lines_of(const Files& files, std::string_view node) {
  return contents(lines_about(gres_lines(read(files)), node));
}

Result<Files> set_node(const Files& files, const Wanted& wanted) {
  auto with_gres = set_gres(files, wanted.node, wanted.gres);
  if (!with_gres) return with_gres;
  auto with_types = add_gres_types(*with_gres, wanted.types);
  if (!with_types) return with_types;
  auto with_lines = set_gres_lines(*with_types, wanted.node, wanted.lines);
  if (!with_lines) return with_lines;
  return allow_devices(std::move(*with_lines), wanted.devices);
}

}  // namespace tessera::slurmconf
