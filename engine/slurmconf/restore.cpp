#include "engine/slurmconf/restore.hpp"

#include "engine/slurmconf/counts.hpp"
#include "engine/slurmconf/pending.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

const File* named(const Files& files, const std::string& path) {
  for (const File& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

// Runs write lines of nodes, and GresTypes.
std::vector<std::string> lines_of_others(const File& file) {
  std::vector<std::string> lines;
  for (const Line& line : parse(file).lines)
    if (!line.is("NodeName") && !line.is("GresTypes")) lines.push_back(line.raw);
  return lines;
}

// Beside the types: a run adds to them and takes nothing away, so there may be more now than were found.
bool same_meaning(const Files& left, const Files& right) {
  auto one = meaning_of(left), two = meaning_of(right);
  if (!one || !two) return false;
  for (const Pending& change : changes(*one, *two)) {
    const std::string key = lower(change.key);
    const bool types = change.of == Pending::Of::setting && key == "grestypes";
    const bool gres =
        change.of == Pending::Of::node && key == "gres" && counts_of(change.now) == counts_of(change.then);
    if (!types && !gres) return false;
  }
  return devices_of_nodes(left) == devices_of_nodes(right);
}

// All types that nodes have are listed.
bool types_suffice(const Files& files) {
  const Config config = read(files);
  const Pair* setting = config.setting(config.slurm, "GresTypes");
  const std::string types = ',' + lower(setting ? setting->value : "") + ',';
  for (const NodeLine& line : node_lines(config))
    for (const auto& [resource, count] : counts_of(line.gres))
      if (types.find(',' + lower(resource.substr(0, resource.find(':'))) + ',') == std::string::npos)
        return false;
  return true;
}

}  // namespace

Files restored(const Files& now, const Files& after, const Files& found) {
  Files candidate = after;
  bool any = false;
  for (File& file : candidate) {
    const File *stands = named(now, file.path), *once = named(found, file.path);
    if (!stands || !once || once->text == file.text || once->text == stands->text) continue;
    if (lines_of_others(*stands) != lines_of_others(*once)) continue;
    file.text = once->text;
    any = true;
  }
  return any && same_meaning(after, candidate) && types_suffice(candidate) ? candidate : after;
}

}  // namespace tessera::slurmconf
