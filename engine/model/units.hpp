// Units and ids as types, so that a GPU index is never a count and MiB are never bytes.
// Threads: plain values.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tessera {

// Wall-clock instant, UTC, millisecond grain. Never fetched inside the engine: always passed in.
using TimePoint = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

struct Mib {
  std::int64_t value = 0;  // binary mebibytes, as nvidia-smi and Slurm count memory
  friend auto operator<=>(const Mib&, const Mib&) = default;
};
struct Percent {
  float value = 0;  // 0..100
  friend auto operator<=>(const Percent&, const Percent&) = default;
};
struct Celsius {
  float value = 0;
  friend auto operator<=>(const Celsius&, const Celsius&) = default;
};
struct Watts {
  float value = 0;
  friend auto operator<=>(const Watts&, const Watts&) = default;
};

// A name that may not be mixed up with another kind of name.
template <class Tag>
struct Name {
  std::string text;

  Name() = default;
  explicit Name(std::string name) : text(std::move(name)) {}
  bool empty() const { return text.empty(); }
  std::string_view view() const { return text; }
  friend auto operator<=>(const Name&, const Name&) = default;
  friend bool operator==(const Name&, const Name&) = default;
};

using ClusterName = Name<struct ClusterTag>;
using NodeName = Name<struct NodeTag>;
using WorkloadId = Name<struct WorkloadTag>;  // Slurm job id ("123", "19_4"), Kubernetes "namespace/pod"
using ProfileName = Name<struct ProfileTag>;  // "1g.10gb+me"
using ProductKey = Name<struct ProductTag>;   // the catalogue's key: "H100-80GB-SXM5"

// Position of a GPU on its node, as the driver or the scheduler counts: 0, 1, ...
struct GpuIndex {
  int value = 0;
  friend auto operator<=>(const GpuIndex&, const GpuIndex&) = default;
};

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Name<Tag>> {
  std::size_t operator()(const tessera::Name<Tag>& name) const noexcept {
    return std::hash<std::string_view>{}(name.text);
  }
};
