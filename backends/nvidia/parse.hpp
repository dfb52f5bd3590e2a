// What nvidia-smi prints, read into values: listings, tables, results of its verbs.
//
// Forms of drivers from 450 to 610 (NVIDIA MIG user guide; nvidia-smi -h). A listing is read whole or not at
// all: half a picture of what stands on a GPU would be acted upon. Errors say which line, and keep the
// driver's words; an empty text is an error, "No GPU instances found." is an empty list, "No devices were
// found" (exit code 6: what -i named is gone) is not. Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::nvidia {

// `nvidia-smi -L`
struct ListedDevice {
  ProfileName profile;  // as printed: "3g.40gb", "1c.3g.40gb"
  std::optional<int> device;
  std::string uuid;  // "MIG-7089d0f3-…"; before R470 "MIG-GPU-…/2/0"
};
struct ListedGpu {
  int index = 0;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string uuid;
  std::vector<ListedDevice> devices;  // MIG devices
};
Result<std::vector<ListedGpu>> parse_list(std::string_view text);

// `nvidia-smi pmon -c 1`: what each process uses of its GPU's multiprocessors, by the GPU's number and the
// process's. nullopt: the driver has no sample of it ("-"). Clients of MPS without one are left out: their
// server has the use of all (recorded on 580.159.04).
using ProcessUse = std::map<std::pair<int, std::int64_t>, std::optional<Percent>>;
Result<ProcessUse> parse_process_use(std::string_view text);

// `nvidia-smi mig -lgi`
struct InstanceRow {
  int gpu = 0;
  ProfileName profile;
  int profile_id = 0;
  int id = 0;
  Placement at;
};
Result<std::vector<InstanceRow>> parse_instances(std::string_view text);

// `nvidia-smi mig -lci`; old drivers tell no place
struct ComputeRow {
  int gpu = 0;
  int instance = 0;  // of the GPU instance
  ProfileName profile;
  int profile_id = 0;
  int id = 0;
  std::optional<Placement> at;
};
Result<std::vector<ComputeRow>> parse_compute(std::string_view text);

// What a verb that changes something said: what it did, and why it stopped.
struct Change {
  enum class Refusal : std::uint8_t {
    none,
    in_use,        // In use by another client
    insufficient,  // Insufficient Resources
    invalid,       // Invalid Argument, or arguments that nvidia-smi does not know
    not_supported,
    no_permission,
    mig_off,     // No MIG-enabled devices found.
    none_found,  // no such instances: what was to go is gone
    unknown,     // it failed in words that are not known
  };
  struct Instance {
    std::optional<int> gpu;
    std::optional<int> id;       // GPU instance; very old drivers do not tell it
    std::optional<int> compute;  // set for a compute instance
    std::optional<int> profile_id;
    friend bool operator==(const Instance&, const Instance&) = default;
  };
  struct Pending {
    std::string gpu;  // as named: PCI address or index
    bool on = false;
    std::string why;
    friend bool operator==(const Pending&, const Pending&) = default;
  };
  std::vector<Instance> created, destroyed;  // in the order of the lines
  std::vector<std::string> switched, reset;  // GPUs as named, whose mode changed or which were reset
  std::vector<Pending> pending;              // a mode that waits for a reset
  std::vector<std::string> warnings;
  Refusal refusal = Refusal::none;
  std::string words;  // of the refusal: all its lines
};
// Output and error text of one verb, and its exit code (0; 2 invalid argument; 6 none found; else failed).
// Reads whatever it gets: an unknown failure is a Change, too.
Change parse_change(std::string_view out, std::string_view err, int exit_code);
// The refusal as an Error for the admin; nullopt: there was none.
std::optional<Error> refusal_of(const Change& change, std::string_view what);

// Why nvidia-mig-parted failed, in its own words: its error and fatal lines without logrus' time and level;
// nullopt: it ended well. Both forms of logrus are read, a terminal's and a file's (mig-parted v0.15.0).
std::optional<Error> parted_refusal(std::string_view out, std::string_view err, int exit_code,
                                    std::string_view what);

}  // namespace tessera::nvidia
