// What the GPU operator's upgrade controller does with a node in each state of its driver upgrade, and what
// it waits for there (label nvidia.com/gpu-driver-upgrade-state; NVIDIA, GPU Driver Upgrades).
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera::kubernetes {

// "waits for its turn: …"; empty: a state that is not known.
std::string_view upgrade_waits_for(std::string_view state);
// What moves it on where it stays so.
std::string upgrade_hint(std::string_view state, std::string_view node);

}  // namespace tessera::kubernetes
