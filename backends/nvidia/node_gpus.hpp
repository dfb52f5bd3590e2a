// From the answers of one node's nvidia-smi to GPUs with what stands on them.
//
// The driver spreads it over four answers: -L has names, order and UUIDs; -q -x modes, memory and clients;
// mig -lgi and -lci the instances with their places. Where they do not fit each other, the node changed while
// it was asked, and nothing is believed.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/nvidia/parse_query.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::nvidia {

struct NodeAnswers {
  std::string list;       // nvidia-smi -L
  std::string query;      // nvidia-smi -q -x
  std::string instances;  // nvidia-smi mig -lgi; with MIG off everywhere "No MIG-enabled devices found."
  std::string compute;    // nvidia-smi mig -lci
};

// A MIG device as programs and containers name it.
struct MigDevice {
  GpuIndex gpu;
  int instance = 0, compute = 0;
  ProfileName profile;  // "1c.3g.40gb" when it is a part of its instance
  std::string uuid;     // empty: not reported
};

// What a Gpu of the model has no room for; in the same order.
struct Board {
  std::string pci;
  std::optional<int> minor;  // N of /dev/nvidiaN and of mig-minors
  std::string compute_mode;  // "Default", "Exclusive_Process"
  std::optional<bool> persistence;
  std::vector<Client> clients;  // programs, with the instance that they use
};

struct NodeGpus {
  std::string driver;
  std::vector<Gpu> gpus;  // by index
  std::vector<Board> boards;
  std::vector<MigDevice> devices;
};

// told_held is set where a program uses a slice; that none does says nothing, since a scheduler may have
// given the slice away already. catalogue may be null: products then stay unknown.
Result<NodeGpus> node_gpus(const NodeAnswers& answers, const mig::Catalogue* catalogue, TimePoint at);

}  // namespace tessera::nvidia
