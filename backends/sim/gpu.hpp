// One simulated GPU and the habits of its driver.
//
// What nvidia-smi's verbs do, with the words it says: instances go where the driver puts them, a list that
// cannot be finished leaves its beginning behind, what is in use is not destroyed, and a mode change may
// wait for a reset. Which sets may stand together is asked of engine/mig, never decided here.
// Threads: plain values and pure functions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/mig/geometry.hpp"
#include "engine/model/values.hpp"

namespace tessera::sim {

// What a workload does with what it holds: the shape of its telemetry.
enum class Character : std::uint8_t { training, inference, notebook, batch, waste };

// A workload's share of one slice.
struct Hold {
  std::uint32_t job = 0;
  std::uint16_t share = 1;
  Character does = Character::batch;
  friend bool operator==(const Hold&, const Hold&) = default;
};

struct Compute {
  int id = 0;
  int slices = 0;  // its width in compute slices
  friend bool operator==(const Compute&, const Compute&) = default;
};

struct Instance {
  int profile = 0;  // index into the product's profiles
  int start = 0;
  int id = 0;  // GPU instance id as the driver gives it
  std::vector<Compute> compute;
  std::vector<Hold> holds;
  bool hidden = false;  // a process that no scheduler knows of uses it
  friend bool operator==(const Instance&, const Instance&) = default;
};

struct Board {
  Strategy strategy = Strategy::whole;
  int replicas = 1;  // MPS shares, time-slices or shards of the GPU; copies of each instance under MIG
  MigMode mode = MigMode::disabled;
  std::vector<Instance> instances;  // ordered by start
  std::vector<Hold> holds;          // of the GPU as a whole, when it is not cut
  bool hidden = false;
  friend bool operator==(const Board&, const Board&) = default;

  const Instance* find(int id) const;
  Instance* find(int id);
  bool cut() const { return mode == MigMode::enabled || mode == MigMode::disable_pending; }
  bool in_use() const;
};

struct Wanted {
  int profile = 0;           // index into the product's profiles; anything else is an invalid argument
  std::optional<int> start;  // nullopt: the driver chooses
};

// What one call of a driver verb came to. Not a Result: a refused call may have done part of its work.
struct Outcome {
  enum class Refusal : std::uint8_t { none, insufficient, in_use, invalid, not_found, not_supported };
  std::vector<int> done;           // instance ids made or destroyed, in order
  std::vector<std::string> lines;  // what nvidia-smi prints about it
  Refusal refusal = Refusal::none;
  bool ok() const { return refusal == Refusal::none; }
};

// Creates in the order of the list and stops at the first refusal; what was made stays.
// `compute` adds the full-width compute instance to each (`-C`). `gpu` is for the driver's words only.
Outcome create_instances(Board& board, const mig::Product& product, int gpu, std::span<const Wanted> list,
                         bool compute = true);
// By instance id, in order; stops at the first refusal. An instance with compute instances is in use.
Outcome destroy_instances(Board& board, const mig::Product& product, int gpu, std::span<const int> ids);
Outcome destroy_compute(Board& board, const mig::Product& product, int gpu, std::span<const int> ids);
// Ampere keeps the change pending until a reset; later GPUs switch at once when nobody uses them.
Outcome set_mode(Board& board, const mig::Product& product, int gpu, bool on);
// Makes a pending mode true. Refused while anyone uses the GPU; instances do not survive.
Outcome reset(Board& board, int gpu);
// Nobody is asked: users and instances are gone. Ampere keeps its mode, later GPUs come up with MIG off.
void reboot(Board& board, const mig::Product* product);

// The starts that the driver tries for a profile, first choice first.
std::vector<int> driver_order(const mig::Product& product, int profile);
// The id that the driver gives to an instance there: a place in its tree of halves and quarters.
int instance_id(const mig::Product& product, int profile, int start);
mig::Layout layout_of(const Board& board);
// "3g.40gb" for a full-width compute instance, "1c.3g.40gb" for a narrower one.
std::string compute_name(const mig::Product& product, const Instance& instance, const Compute& compute);

}  // namespace tessera::sim
