#include "backends/slurm/change/gpu_order.hpp"

#include <algorithm>

#include "engine/insight/processes.hpp"
#include "engine/number.hpp"
#include "engine/shell.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr int kHighestMinor = 1023;

bool detects(const slurmconf::Line& line) {
  const slurmconf::Pair* how = line.find("AutoDetect");
  return how && lower(how->value) != "off";
}
bool is_off(const slurmconf::Line& line) {
  const slurmconf::Pair* how = line.find("AutoDetect");
  return how && lower(how->value) == "off";
}

std::optional<int> minor_of(std::string_view device) {
  constexpr std::string_view kBegin = "/dev/nvidia";
  if (!device.starts_with(kBegin)) return std::nullopt;
  return whole_number(device.substr(kBegin.size()), kHighestMinor);
}

// Lines of the node, and those of all nodes where none names it.
std::vector<slurmconf::Line> lines_for(const slurmconf::Files& files, const NodeName& node) {
  const auto all = slurmconf::devices_of_nodes(files);
  std::vector<slurmconf::Line> lines;
  for (const std::string& name : {std::string(), node.text})
    if (const auto found = all.find(name); found != all.end())
      for (const std::string& text : found->second) lines.push_back(slurmconf::parse_line(text));
  return lines;
}

}  // namespace

BoardMinors minors_of(const nvidia::NodeGpus& looked) {
  BoardMinors minors;
  for (std::size_t i = 0; i < looked.gpus.size() && i < looked.boards.size(); ++i) {
    // A gap in the driver's own count: then what stands where is not known here.
    if (looked.gpus[i].index.value != static_cast<int>(i)) return {};
    minors.push_back(looked.boards[i].minor);
  }
  return minors;
}

std::optional<std::vector<int>> counted_files(const slurmconf::Files& files, const NodeName& node) {
  const std::vector<slurmconf::Line> lines = lines_for(files, node);
  const bool off = std::any_of(lines.begin(), lines.end(), is_off);
  if (!off && std::any_of(lines.begin(), lines.end(), detects)) return std::nullopt;
  std::vector<int> minors;
  for (const slurmconf::Line& line : lines) {
    const slurmconf::Pair* name = line.find("Name");
    if (!name || lower(name->value) != "gpu") continue;
    if (line.find("MultipleFiles") || !line.find("File")) return std::nullopt;
    for (const std::string& device : slurmconf::devices_of(line)) {
      const std::optional<int> minor = minor_of(device);
      if (!minor) return std::nullopt;
      minors.push_back(*minor);
    }
  }
  if (minors.empty()) return std::nullopt;
  return minors;
}

std::optional<Remark> order_remark(const NodeName& node, const BoardMinors& minors,
                                   const slurmconf::Files& files) {
  const auto counted = counted_files(files, node);
  if (!counted) return std::nullopt;
  std::string crossed;
  for (std::size_t i = 0; i < counted->size(); ++i) {
    const auto found = std::find(minors.begin(), minors.end(), std::optional((*counted)[i]));
    if (found == minors.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(found - minors.begin());
    if (index != i && crossed.empty())
      crossed = insight::crossed_text(static_cast<int>(i), (*counted)[i], static_cast<int>(index));
  }
  if (crossed.empty()) return std::nullopt;
  return Remark{Remark::Grade::warning,
                node.text,
                true,
                std::move(crossed),
                "holders are shown on GPUs by Slurm's count, figures and processes by the driver's: name the "
                "files in gres.conf in the driver's order (nvidia-smi -q shows each Minor Number). Without "
                "ConstrainDevices=yes jobs compute on other GPUs than they were given",
                Remark::Kind::crossed,
                "",
                std::nullopt,
                std::nullopt,
                {"ssh " + shell_word(node.text) + " nvidia-smi -q"}};
}

}  // namespace tessera::slurm
