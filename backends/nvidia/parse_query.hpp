// `nvidia-smi -q -x`: what stands on each GPU and who uses it.
//
// nvsmi_device_v10 to v12.dtd. Elements that are not wanted are passed over; "N/A" is nullopt.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::nvidia {

struct QueriedDevice {  // a MIG device: one compute instance
  int index = 0;        // the Device of `nvidia-smi -L`
  int instance = 0;     // GPU instance id
  int compute = 0;      // compute instance id
  std::optional<int> sm;
  std::optional<Mib> memory, used;
};

struct Client {
  int pid = 0;
  std::string type;  // "C", "G", "M+C"
  std::string name;
  std::optional<int> instance, compute;  // nullopt: not inside an instance
  std::optional<Mib> used;
};

struct QueriedGpu {
  std::string pci;   // "00000000:1B:00.0"
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string uuid;
  std::optional<int> minor;                  // N of /dev/nvidiaN
  std::optional<bool> mig_now, mig_pending;  // nullopt: the GPU cannot be cut
  std::optional<bool> persistence;
  std::string compute_mode;  // "Default", "Exclusive_Process"
  std::optional<Mib> memory, used;
  // What waits for a reset, or is left after one; nullopt and empty: not told, as by older drivers.
  std::optional<bool> remap_pending, remap_failed, reset_required;
  std::string recovery;  // "None", "Reset"
  Telemetry telemetry;   // without its origin
  std::vector<QueriedDevice> devices;
  std::vector<Client> clients;
};

struct Query {
  std::string driver;
  std::vector<QueriedGpu> gpus;
};
Result<Query> parse_query(std::string_view xml);

}  // namespace tessera::nvidia
