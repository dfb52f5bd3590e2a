#include "backends/figures/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/insight/hardware.hpp"
#include "engine/shell.hpp"

namespace tessera::figures {
namespace {

// Of a broken GPU each node is told; more than any cluster has would be a flaw of what reports them.
constexpr std::size_t kMostBroken = 20'000;
constexpr std::size_t kMostWatched = 200;  // whose GPUs work on
constexpr const char* kExporter = "DCGM exporter";

// Of one GPU: DCGM tells these of each of its instances, too.
struct Faulty {
  int xid = 0, rows = 0;
  bool failed = false;
};

std::map<int, Faulty> by_gpu(const DcgmReadings& readings) {
  std::map<int, Faulty> gpus;
  for (const DcgmPart& part : readings.parts) {
    Faulty& gpu = gpus[part.gpu];
    gpu.xid = std::max(gpu.xid, part.xid.value_or(0));
    gpu.rows = std::max(gpu.rows, part.replaced_rows.value_or(0));
    gpu.failed = gpu.failed || part.remap_failed.value_or(false);
  }
  return gpus;
}

// Those of one grade, of so many nodes at most; how many nodes more have some.
std::size_t add_of(Remark::Grade grade, std::size_t most,
                   const std::map<std::string, std::vector<Remark>>& by_node, std::vector<Remark>& all) {
  const auto is_meant = [grade](const Remark& one) { return one.grade == grade; };
  std::size_t nodes = 0;
  for (const auto& [node, told] : by_node)
    if (std::any_of(told.begin(), told.end(), is_meant) && ++nodes <= most)
      std::copy_if(told.begin(), told.end(), std::back_inserter(all), is_meant);
  return nodes > most ? nodes - most : 0;
}

}  // namespace

void Faults::keep(const std::string& node, const DcgmReadings& readings) {
  std::vector<Remark> told;
  const std::string host = shell_word(node);
  const auto add = [&](Remark::Grade grade, int gpu, std::string text, std::string hint) -> Remark& {
    Remark& one = told.emplace_back(Remark{grade, node, true, std::move(text), std::move(hint)});
    one.gpu = GpuIndex{gpu};
    one.commands = {fmt::format("ssh {} nvidia-smi -i {} -q -d ECC,ROW_REMAPPER", host, gpu)};
    return one;
  };
  for (const auto& [gpu, fault] : by_gpu(readings)) {
    if (fault.failed)
      add(Remark::Grade::danger, gpu, fmt::format("GPU {}: remapping a row of its memory failed", gpu), "");
    if (fault.xid > 0 && !insight::is_of_a_program(fault.xid))
      add(Remark::Grade::warning, gpu,
          fmt::format("GPU {}: the driver's last error is Xid {}; when, is not reported", gpu, fault.xid),
          "dmesg on the node has the line with its time")
          .commands = {fmt::format("ssh {} dmesg -T", host),
                       fmt::format("ssh {} nvidia-smi -i {} -q", host, gpu)};
    if (fault.rows > 0 && !fault.failed)
      add(Remark::Grade::info, gpu,
          fmt::format("GPU {}: {} of its memory replaced after uncorrectable errors", gpu,
                      fault.rows == 1 ? "1 row" : fmt::format("{} rows", fault.rows)),
          "it works on with spare rows: watch whether their number grows")
          .follows = "work on this GPU goes on";
  }
  if (told.empty())
    by_node_.erase(node);
  else
    by_node_[node] = std::move(told);
}

std::vector<Remark> Faults::remarks() const {
  std::vector<Remark> all;
  std::size_t broken = 0;
  for (const Remark::Grade grade : {Remark::Grade::danger, Remark::Grade::warning})
    broken += add_of(grade, kMostBroken, by_node_, all);
  const std::size_t watched = add_of(Remark::Grade::info, kMostWatched, by_node_, all);
  if (broken > 0)
    all.push_back({Remark::Grade::warning, kExporter, false,
                   broken == 1 ? "1 more node reports faults of GPUs"
                               : fmt::format("{} more nodes report faults of GPUs", broken),
                   ""});
  if (watched > 0)
    all.push_back({Remark::Grade::info, kExporter, false,
                   watched == 1 ? "1 more node reports replaced rows of GPU memory"
                                : fmt::format("{} more nodes report replaced rows of GPU memory", watched),
                   ""});
  return all;
}

}  // namespace tessera::figures
