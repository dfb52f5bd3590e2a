// The device files of MIG instances: which /dev/nvidia-caps/nvidia-capN opens which instance.
// Threads: plain values, pure functions.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurmconf {

// What /proc/driver/nvidia-caps/mig-minors says: "gpu0/gi7/access 66", "gpu0/gi7/ci0/access 67". It lists
// every instance that could be, not those that are. GPUs count by their own device files: gpu0 is
// /dev/nvidia0.
class Minors {
 public:
  // Lines of other kinds (config, monitor) are passed over. Errors: a line that is none, with its number;
  // more than 100,000 lines.
  static Result<Minors> parse(std::string_view text);

  std::optional<int> gpu_instance(int gpu, int gi) const { return find(gpu, gi, -1); }
  std::optional<int> compute_instance(int gpu, int gi, int ci) const { return find(gpu, gi, ci); }
  bool empty() const { return minors_.empty(); }

 private:
  std::optional<int> find(int gpu, int gi, int ci) const;
  std::map<std::tuple<int, int, int>, int> minors_;
};

// The id that drivers give the GPU instance at that place: they number the halves, quarters, ... of the GPU
// one after the other. So seen in every public listing of A100, H100 and A30 (1g at 0 is 7, 2g at 2 is 4, 3g
// at 4 is 2), promised nowhere: good for a preview; what counts is `nvidia-smi mig -lgi` afterwards.
// nullopt: the place is none of these. units: of the GPU (mig::Product::units).
std::optional<int> usual_instance_id(int units, Placement at);

}  // namespace tessera::slurmconf
