// nvidia-smi -L.

#include <algorithm>

#include "backends/nvidia/parse.hpp"
#include "backends/nvidia/words.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::string_view kList = "nvidia-smi -L";
constexpr std::size_t kMostDevices = 256;  // of one GPU

// "… (UUID: X)" is taken apart; a name may itself hold brackets.
std::optional<std::string> take_uuid(std::string_view& line) {
  constexpr std::string_view kOpen = "(UUID: ";
  std::size_t open = line.rfind(kOpen);
  if (open == std::string_view::npos || !line.ends_with(")")) return std::nullopt;
  std::string_view uuid = line.substr(open + kOpen.size());
  uuid.remove_suffix(1);
  auto fine = [](char c) {
    return (c >= '0' && c <= '9') || (lower({&c, 1})[0] >= 'a' && lower({&c, 1})[0] <= 'z') || c == '-' ||
           c == '/';
  };
  if (uuid.empty() || uuid.size() > 96 || !std::all_of(uuid.begin(), uuid.end(), fine)) return std::nullopt;
  line = trimmed(line.substr(0, open));
  return std::string(uuid);
}

// "GPU 0: NVIDIA H100 80GB HBM3" once the UUID is off.
std::optional<ListedGpu> gpu_line(std::string_view line) {
  std::optional<std::string> uuid = take_uuid(line);
  std::size_t colon = line.find(':');
  if (!uuid || colon == std::string_view::npos || !line.starts_with("GPU ")) return std::nullopt;
  std::optional<int> index = number(trimmed(line.substr(4, colon - 4)), kMostGpus - 1);
  if (!index) return std::nullopt;
  return ListedGpu{*index, clean(trimmed(line.substr(colon + 1)), 128), *uuid, {}};
}

// "MIG 3g.40gb     Device  0:"
std::optional<ListedDevice> device_line(std::string_view line) {
  std::optional<std::string> uuid = take_uuid(line);
  if (!uuid || !line.ends_with(":")) return std::nullopt;
  line.remove_suffix(1);
  Words words = words_of(line);
  if (words.size() != 4 || words[0] != "MIG" || words[2] != "Device") return std::nullopt;
  std::optional<int> device = number(words[3]);
  if (!device) return std::nullopt;
  return ListedDevice{ProfileName(clean(words[1], 32)), device, *uuid};
}

}  // namespace

Result<std::vector<ListedGpu>> parse_list(std::string_view text) {
  if (auto error = no_answer(kList, text)) return *error;
  std::vector<ListedGpu> gpus;
  for (Lines lines(text); lines.next();) {
    std::string_view line = lines.line();
    if (line.empty() || line.starts_with("No devices")) continue;
    if (line.starts_with("MIG ")) {
      std::optional<ListedDevice> device = device_line(line);
      if (!device || gpus.empty() || gpus.back().devices.size() >= kMostDevices)
        return unreadable(kList, lines.number(), "no MIG device", line);
      gpus.back().devices.push_back(std::move(*device));
    } else if (line.starts_with("GPU ")) {
      std::optional<ListedGpu> gpu = gpu_line(line);
      if (!gpu) return unreadable(kList, lines.number(), "no GPU", line);
      for (const ListedGpu& other : gpus)
        if (other.index == gpu->index || other.uuid == gpu->uuid)
          return unreadable(kList, lines.number(), "this GPU is listed twice", line);
      gpus.push_back(std::move(*gpu));
    } else if (!line.starts_with("Warning")) {
      return refused(kList, line);
    }
  }
  return gpus;
}

}  // namespace tessera::nvidia
