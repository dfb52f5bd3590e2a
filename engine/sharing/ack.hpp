// How Alibaba Cloud ACK shares GPUs: by one label, which belongs to a node pool, and in GiB of memory.
//
// After "Enable scheduling features" and "Use MPS for GPU sharing scheduling and GPU memory isolation" of
// ACK's documentation (March 2026): a node is in one mode; the resources of the other modes fall to 0; a
// label that is taken off changes nothing, "default" gives whole GPUs back. Threads: pure functions and
// constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/model.hpp"

namespace tessera::sharing::ack {

inline constexpr std::string_view kSchedule = "ack.node.gpu.schedule";
inline constexpr std::string_view kPool = "alibabacloud.com/nodepool-id";
inline constexpr std::string_view kMemory = "aliyun.com/gpu-mem";  // GiB, of all GPUs together
inline constexpr std::string_view kCount = "aliyun.com/gpu-count";
// Values of the label that tessera sets. The others are default's and mps's neighbours: cgpu, core_mem, share
// (memory in parts without MPS), topology (whole GPUs, neighbours together), mig.
inline constexpr std::string_view kWhole = "default";
inline constexpr std::string_view kMps = "mps";

// Whether ACK's own device plugin hands out the GPUs of a node: its label says so, or it is of ACK's pools
// and no GPU operator looks after it.
bool decides(const Node& node);
// The mode that its label tells; "default" without one.
std::string schedule_of(const Node& node);
// Whether the GPUs of a node in that mode are handed out as memory in parts.
bool by_memory(std::string_view mode);
// How many GiB a GPU would be split into, by what is known of its memory; nullopt: nothing is.
std::optional<int> shares_of(const Gpu& gpu);

}  // namespace tessera::sharing::ack
