#include "engine/slurmconf/generate.hpp"

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/replaced.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/minors.hpp"

namespace tessera::slurmconf {
namespace {

using Strings = std::vector<std::string>;

Error cannot_generate(std::string reason, std::string hint) {
  return {"cannot write this layout for Slurm", std::move(reason), std::move(hint)};
}

int minor_of(const CutBoard& board) { return board.minor.value_or(board.gpu.value); }

std::string gpu_file(const CutNode& node, const CutBoard& board, const SlurmSetup& site) {
  if (site.gpu_file.empty()) return "/dev/nvidia" + std::to_string(minor_of(board));
  return replaced(replaced(site.gpu_file, "{node}", node.node), "{gpu}", std::to_string(board.gpu.value));
}

// A gpu record: all that must be equal for two devices to share a line, and their files.
struct Record {
  std::string type;
  std::string cores;
  Strings files;
  bool together = false;  // the files are one device: MultipleFiles=
};

class Records {
 public:
  Records(const CutNode& node, const SlurmSetup& site) : node_(node), site_(site) {}

  Status add(const CutBoard& board) {
    if (!board.mig) {
      join({board.type, board.cores, {gpu_file(board)}, false});
      return Done{};
    }
    for (const CutInstance& instance : board.instances)
      if (Status added = add(board, instance); !added) return added;
    return Done{};
  }

  Strings lines() const {
    Strings lines;
    for (const Record& record : records_) {
      std::string line = "NodeName=" + node_.node + " Name=gpu";
      if (!record.type.empty()) line += " Type=" + record.type;
      if (record.together) {
        line += " MultipleFiles=" + record.files.front();
        for (std::size_t i = 1; i < record.files.size(); ++i) line += ',' + record.files[i];
      } else {
        line += " File=" + fold_hosts(record.files);
      }
      if (!record.cores.empty()) line += " Cores=" + record.cores;
      lines.push_back(std::move(line));
    }
    return lines;
  }

  std::string gpu_file(const CutBoard& board) const { return slurmconf::gpu_file(node_, board, site_); }

 private:
  Status add(const CutBoard& board, const CutInstance& instance) {
    std::string type = type_of(instance.profile, site_);
    std::string name = "GPU " + std::to_string(board.gpu.value) + ' ' + instance.profile.text + '@' +
                       std::to_string(instance.at.start);
    std::optional<int> id = instance.id;
    if (!id) id = usual_instance_id(board.units, instance.at);
    if (!site_.instance_file.empty()) {
      std::string file = replaced(site_.instance_file, "{node}", node_.node);
      file = replaced(replaced(file, "{gpu}", std::to_string(board.gpu.value)), "{index}",
                      std::to_string(index_++));
      if (file.find("{gi}") != std::string::npos && !id)
        return cannot_generate(name + ": the id of the GPU instance is not known",
                               "nvidia-smi mig -lgi prints it");
      join({type, board.cores, {replaced(file, "{gi}", std::to_string(id.value_or(0)))}, false});
      return Done{};
    }
    if (!id)
      return cannot_generate(name + ": the id of the GPU instance is not known",
                             "nvidia-smi mig -lgi prints it");
    if (!minors_) {
      auto read = Minors::parse(site_.mig_minors);
      if (!read) return read.error();
      minors_ = std::move(*read);
    }
    auto gi = minors_->gpu_instance(minor_of(board), *id),
         ci = minors_->compute_instance(minor_of(board), *id, 0);
    if (!gi || !ci)
      return cannot_generate(
          name + ": no device files are known for GPU instance " + std::to_string(*id),
          "give the text of /proc/driver/nvidia-caps/mig-minors, or let gres.conf say AutoDetect=nvml");
    const std::string caps = "/dev/nvidia-caps/nvidia-cap";
    records_.push_back(
        {type, board.cores, {gpu_file(board), caps + std::to_string(*gi), caps + std::to_string(*ci)}, true});
    return Done{};
  }

  void join(Record record) {
    if (!records_.empty()) {
      Record& last = records_.back();
      if (!last.together && last.type == record.type && last.cores == record.cores) {
        last.files.push_back(std::move(record.files.front()));
        return;
      }
    }
    records_.push_back(std::move(record));
  }

  const CutNode& node_;
  const SlurmSetup& site_;
  std::optional<Minors> minors_;
  std::vector<Record> records_;
  int index_ = 0;
};

// Counts of one resource in the order of first mention.
void count(std::vector<std::pair<std::string, int>>& counts, const std::string& resource, int more) {
  auto found =
      std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == resource; });
  if (found == counts.end())
    counts.emplace_back(resource, more);
  else
    found->second += more;
}

Status can_share(const CutNode& node) {
  bool mps = false, shards = false;
  for (const CutBoard& board : node.boards) {
    mps = mps || board.mps > 0;
    shards = shards || board.shards > 0;
    if (board.mig && (board.mps > 0 || board.shards > 0))
      return cannot_generate("GPU " + std::to_string(board.gpu.value) + " is to be cut and shared",
                             "gres/mps and gres/shard are for whole GPUs");
    if (board.mps % 100 != 0)
      return cannot_generate(
          "GPU " + std::to_string(board.gpu.value) + ": " + std::to_string(board.mps) + " shares by MPS",
          "Slurm counts them in percent of a GPU: 100, or a multiple of it");
  }
  if (mps && shards)
    return cannot_generate(node.node + " is to have MPS and shards",
                           "Slurm hands out both wrong on one node: choose one");
  return Done{};
}

// "Count=" alone is spread evenly over the node's GPUs, by which every GPU must have the same.
void add_shared(Strings& lines, const CutNode& node, const Records& records, const char* name,
                int CutBoard::*shares) {
  int total = 0;
  bool even = true;
  for (const CutBoard& board : node.boards) {
    total += board.*shares;
    even = even && board.*shares == node.boards.front().*shares;
  }
  if (total == 0) return;
  const std::string start = "NodeName=" + node.node + " Name=" + name + " Count=";
  if (even) lines.push_back(start + std::to_string(total));
  for (const CutBoard& board : node.boards)
    if (!even && board.*shares > 0)
      lines.push_back(start + std::to_string(board.*shares) + " File=" + records.gpu_file(board));
}

bool is_about_gpus_of(const GresLine& line, std::string_view node) {
  bool here = !line.named || std::find(line.nodes.begin(), line.nodes.end(), node) != line.nodes.end();
  return line.name == "gpu" && here;
}

// A site's own file for an instance of that GPU, by a pattern in which the GPU stands.
bool is_instance_of(const std::string& name, const CutNode& node, const CutBoard& board,
                    const SlurmSetup& site) {
  std::string pattern = replaced(site.instance_file, "{node}", node.node);
  if (pattern.find("{gpu}") == std::string::npos || pattern.find("{index}") != std::string::npos)
    return false;
  pattern = replaced(pattern, "{gpu}", std::to_string(board.gpu.value));
  std::size_t at = pattern.find("{gi}");
  if (at == std::string::npos) return name == pattern;
  std::string_view head = std::string_view(pattern).substr(0, at),
                   tail = std::string_view(pattern).substr(at + 4);
  std::string_view id = name;
  if (id.size() <= head.size() + tail.size() || !id.starts_with(head) || !id.ends_with(tail)) return false;
  id = id.substr(head.size(), id.size() - head.size() - tail.size());
  return id.find_first_not_of("0123456789") == std::string_view::npos;
}

// The different Cores= of a node's GPUs; "": one without.
std::set<std::string> cores_of(const Config& config, std::string_view node) {
  std::set<std::string> all;
  for (const GresLine& about : gres_lines(config)) {
    if (!is_about_gpus_of(about, node)) continue;
    const Pair* cores = config.line(about.at).find("Cores");
    all.insert(cores ? cores->value : "");
  }
  return all;
}

}  // namespace

void take_over(CutNode& node, const Files& files, const SlurmSetup& site) {
  Config config = read(files);
  for (const GresLine& about : gres_lines(config)) {
    if (!is_about_gpus_of(about, node.node)) continue;
    const Line& line = config.line(about.at);
    const Pair* several = line.find("MultipleFiles");
    const Pair* list = several ? several : line.find("File");
    if (!list) continue;
    auto names = expand_hosts(list->value, 4096);
    if (!names) continue;
    for (CutBoard& board : node.boards) {
      const std::string whole = gpu_file(node, board, site);
      bool named = std::find(names->begin(), names->end(), whole) != names->end();
      bool cut = std::any_of(names->begin(), names->end(), [&](const std::string& name) {
        return is_instance_of(name, node, board, site);
      });
      const Pair* type = line.find("Type");
      const Pair* cores = line.find("Cores");
      if (named && !several && type && board.type.empty()) board.type = type->value;
      if ((named || cut) && cores && board.cores.empty()) board.cores = cores->value;
    }
  }
  // Files that only count instances tell no GPU; where all have the same there is nothing to tell.
  auto all = cores_of(config, node.node);
  for (CutBoard& board : node.boards)
    if (board.mig && all.size() == 1 && board.cores.empty()) board.cores = *all.begin();
}

bool loses_cores(std::string_view node, const Files& files, const SlurmSetup& site) {
  bool tells_board = site.instance_file.empty() || (site.instance_file.find("{gpu}") != std::string::npos &&
                                                    site.instance_file.find("{index}") == std::string::npos);
  return !tells_board && cores_of(read(files), node).size() > 1;
}

std::string type_of(const ProfileName& profile, const SlurmSetup& site) {
  return site.mig_prefix + profile.text;
}

std::string gres_text(const CutNode& node, const SlurmSetup& site) {
  std::vector<std::pair<std::string, int>> gpus, shares;
  for (const CutBoard& board : node.boards) {
    if (!board.mig) count(gpus, board.type.empty() ? "gpu" : "gpu:" + board.type, 1);
    for (const CutInstance& instance : board.instances)
      count(gpus, "gpu:" + type_of(instance.profile, site), 1);
    if (board.mps > 0) count(shares, "mps", board.mps);
    if (board.shards > 0) count(shares, "shard", board.shards);
  }
  gpus.insert(gpus.end(), shares.begin(), shares.end());
  std::string text;
  for (const auto& [resource, number] : gpus)
    text += (text.empty() ? "" : ",") + resource + ':' + std::to_string(number);
  return text;
}

Result<Wanted> generate(const CutNode& node, const SlurmSetup& site) {
  if (Status can = can_share(node); !can) return can.error();
  Wanted wanted{node.node, gres_text(node, site), {"gpu"}, {}};
  Records records(node, site);
  if (site.autodetect) {
    wanted.lines.push_back("NodeName=" + node.node + " AutoDetect=nvml");
  } else {
    for (const CutBoard& board : node.boards)
      if (Status added = records.add(board); !added) return added.error();
    wanted.lines = records.lines();
  }
  add_shared(wanted.lines, node, records, "mps", &CutBoard::mps);
  add_shared(wanted.lines, node, records, "shard", &CutBoard::shards);
  for (const char* type : {"mps", "shard"})
    if (wanted.gres.find(std::string(",") + type + ':') != std::string::npos) wanted.types.push_back(type);
  if (reads_allowed_devices(site)) wanted.devices = devices_of_gres(wanted.lines);
  return wanted;
}

}  // namespace tessera::slurmconf
