// AMD's GPUs: by which names they and their partitions are told, and that their modes are shown, not planned.
//
// A GPU in the mode CPX/NPS4 is handed out as several partitions of one size; SPX is one that covers it.
// Names as AMD's device plugin and node labeller write them (k8s-device-plugin, 2026-08), its DRA driver
// (gpu.amd.com), its config manager (device-config-manager v1.5) and Slurm's AutoDetect=rsmi.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::sharing::amd {

inline constexpr std::string_view kGpu = "amd.com/gpu";
inline constexpr std::string_view kProfile =
    "dcm.amd.com/gpu-config-profile";  // an order, which a person gives
inline constexpr std::string_view kProfileState = "dcm.amd.com/gpu-config-profile-state";

// "cpx_nps4" as labels, resources and the DRA driver spell it, or "CPX/NPS4" as it is shown → "CPX/NPS4".
// nullopt: no mode that there is.
std::optional<std::string> parse_mode(std::string_view text);
// Whether GPUs in it are handed out whole.
bool is_whole(std::string_view mode);

// Of a Kubernetes resource: it is handed out by AMD's device plugin, and in which mode, where its name says
// so.
bool is_resource(std::string_view resource);
std::optional<std::string> mode_of_resource(std::string_view resource);

// How many partitions one GPU has in that mode; nullopt: not known of this model.
std::optional<int> partitions(std::string_view mode, std::string_view model);
// Whether there are modes to choose from; nullopt: not known of this model.
std::optional<bool> has_modes(std::string_view model);

// Of slices: a part of one of its GPUs; or a device of which it is not known whether it is one (kUntold).
inline constexpr std::string_view kUntold = "GPU or partition";
bool is_partition(const Slice& slice);

// By what is told of it: a mode, or the model's name.
bool is_amd(const Gpu& gpu);
bool is_amd(const Node& node);
bool is_amd_model(std::string_view model);

// Why no plan may cut, share or reset the node's GPUs, with the way outside tessera; nullopt: none is AMD's.
std::optional<Error> why_not_planned(const Node& node, Scheduler scheduler);
// The same in a few words, for lists of what is left out.
inline constexpr std::string_view kNotPlanned = "AMD partition modes are shown, not planned";

}  // namespace tessera::sharing::amd
