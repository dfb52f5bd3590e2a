// Device files of the simulated GPUs, for a simulated Slurm node.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "backends/sim/smi/machine.hpp"

namespace tessera::sim {
namespace {

namespace fs = std::filesystem;

constexpr int kInstances = 15;  // of a GPU
constexpr int kCompute = 8;     // of an instance
constexpr int kFirst = 3;       // behind config and monitor

std::set<std::string> names(const Machine& machine) {
  std::set<std::string> all{"nvidiactl", "nvidia-caps/nvidia-cap1", "nvidia-caps/nvidia-cap2"};
  for (std::size_t i = 0; i < machine.cards.size(); ++i) {
    int gpu = static_cast<int>(i);
    all.insert(fmt::format("nvidia{}", gpu));
    for (const Instance& one : machine.cards[i].board.instances) {
      all.insert(fmt::format("nvidia-caps/nvidia-cap{}", instance_minor(gpu, one.id)));
      for (const Compute& inside : one.compute)
        all.insert(fmt::format("nvidia-caps/nvidia-cap{}", compute_minor(gpu, one.id, inside.id)));
    }
  }
  return all;
}

Error failure(const fs::path& path, const std::error_code& code) {
  return {"cannot make the simulated device files", path.string() + ": " + code.message(), ""};
}

}  // namespace

int instance_minor(int gpu, int instance) { return kFirst + (gpu * kInstances + instance) * (1 + kCompute); }

int compute_minor(int gpu, int instance, int compute) { return instance_minor(gpu, instance) + 1 + compute; }

std::string minors_text(const Machine& machine) {
  std::string text = "config 1\nmonitor 2\n";
  for (int gpu = 0; gpu < static_cast<int>(machine.cards.size()); ++gpu)
    for (int instance = 0; instance < kInstances; ++instance) {
      text += fmt::format("gpu{}/gi{}/access {}\n", gpu, instance, instance_minor(gpu, instance));
      for (int compute = 0; compute < kCompute; ++compute)
        text += fmt::format("gpu{}/gi{}/ci{}/access {}\n", gpu, instance, compute,
                            compute_minor(gpu, instance, compute));
    }
  return text;
}

Status show_devices(const Machine& machine) {
  if (machine.devices.empty()) return Done{};
  const fs::path folder = machine.devices, caps = folder / "nvidia-caps";
  std::error_code code;
  fs::create_directories(caps, code);
  if (code) return failure(caps, code);
  std::set<std::string> wanted = names(machine);
  for (const fs::path& where : {folder, caps})
    for (const fs::directory_entry& entry : fs::directory_iterator(where, code)) {
      std::string name = fs::relative(entry.path(), folder, code).string();
      // Only what could be ours is taken away.
      bool ours = entry.is_symlink() && entry.path().filename().string().starts_with("nvidia");
      if (ours && !wanted.contains(name)) fs::remove(entry.path(), code);
    }
  for (const std::string& name : wanted) {
    if (fs::is_symlink(folder / name)) continue;
    fs::create_symlink("/dev/null", folder / name, code);
    if (code && code != std::errc::file_exists) return failure(folder / name, code);
  }
  const fs::path minors = folder / "mig-minors";
  if (!fs::exists(minors) && !(std::ofstream(minors) << minors_text(machine)))
    return failure(minors, std::make_error_code(std::errc::io_error));
  return Done{};
}

}  // namespace tessera::sim
