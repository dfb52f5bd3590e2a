// How nvidia-smi prints what stands, in the words and boxes of driver generations 535, 570 and 580.
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backends/sim/smi/machine.hpp"

namespace tessera::sim {

using CardNumbers = std::span<const int>;  // indices of cards, ascending

std::string version_of(const Machine& machine);  // "570.133.20"
bool is_new(const Machine& machine);             // 570 and later: wider boxes
bool is_latest(const Machine& machine);          // 580 and later: nothing to act on is no failure

// A MIG device in the order of `nvidia-smi -L`: larger ones first.
struct SmiDevice {
  const Instance* instance = nullptr;
  const Compute* compute = nullptr;
  int start = 0;  // of the compute instance inside its instance
};
std::vector<SmiDevice> devices_of(const Card& card);
std::string device_uuid(const Card& card, const SmiDevice& device);
// Compute instance profile as the driver numbers it: by width; a 1g with double memory has its own (7).
int compute_profile(int width);
int compute_profile(const Card& card, const Instance& instance, const Compute& compute);
std::int64_t memory_of(const Card& card);                            // MiB
std::int64_t memory_of(const Card& card, const Instance& instance);  // MiB

std::string print_list(const Machine& machine, CardNumbers cards);        // -L
std::string print_instances(const Machine& machine, CardNumbers cards);   // mig -lgi; empty: there are none
std::string print_compute(const Machine& machine, CardNumbers cards);     // mig -lci; empty: there are none
std::string print_profiles(const Machine& machine, CardNumbers cards);    // mig -lgip
std::string print_placements(const Machine& machine, CardNumbers cards);  // mig -lgipp
std::string print_policies(const Machine& machine, CardNumbers cards);    // compute-policy -l
std::string print_xml(const Machine& machine, CardNumbers cards);         // -q -x
// pmon -c SAMPLES, as recorded of 580.159.04 (tests/fixtures/nvidia-580).
std::string print_pmon(const Machine& machine, CardNumbers cards, int samples);
// --query-gpu=FIELDS; nullopt: the first field that is not known goes into `unknown`.
std::optional<std::string> print_csv(const Machine& machine, CardNumbers cards, std::string_view fields,
                                     bool heading, bool units, std::string& unknown);

}  // namespace tessera::sim
