#include "backends/sim/hardware.hpp"

namespace tessera::sim {
namespace {

constexpr Hardware kHardware[] = {
    {"A30-24GB", "NVIDIA A30", "a30", 24576, 28, 165},
    {"A100-40GB", "NVIDIA A100-SXM4-40GB", "a100", 40960, 55, 400},
    {"A100-80GB", "NVIDIA A100-SXM4-80GB", "a100", 81920, 62, 400},
    {"H100-80GB-SXM5", "NVIDIA H100 80GB HBM3", "h100", 81559, 70, 700},
    {"H100-80GB-PCIe", "NVIDIA H100 PCIe", "h100", 81559, 50, 350},
    {"H100-NVL-94GB", "NVIDIA H100 NVL", "h100", 95830, 60, 400},
    {"H200-141GB", "NVIDIA H200", "h200", 143771, 76, 700},
    {"H200-NVL-141GB", "NVIDIA H200 NVL", "h200", 143771, 68, 600},
    {"H20-96GB", "NVIDIA H20", "h20", 97871, 72, 500},
    {"B200-180GB", "NVIDIA B200", "b200", 183359, 140, 1000},
    {"GB200-186GB", "NVIDIA GB200", "gb200", 189471, 150, 1200},
    {"B300-288GB", "NVIDIA B300 SXM6 AC", "b300", 275040, 170, 1400},
    {"GB300-288GB", "NVIDIA GB300", "gb300", 284208, 180, 1400},
    {"RTX-PRO-6000-Blackwell-96GB", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000", 97887, 35,
     600},
    {"L40S", "NVIDIA L40S", "l40s", 46068, 36, 350},
    {"L4", "NVIDIA L4", "l4", 23034, 17, 72},
    {"A10", "NVIDIA A10", "a10", 23028, 21, 150},
    {"A40", "NVIDIA A40", "a40", 46068, 31, 300},
    {"T4", "Tesla T4", "t4", 15360, 11, 70},
    {"V100-32GB", "Tesla V100-SXM2-32GB", "v100", 32768, 42, 300},
};

}  // namespace

const Hardware* find_hardware(std::string_view key) {
  for (const Hardware& one : kHardware)
    if (one.key == key) return &one;
  return nullptr;
}

}  // namespace tessera::sim
