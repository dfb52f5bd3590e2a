// What a backend can change, and how much it takes along: the facts from which every promise is computed; and
// beside them how a cluster is set up, which is read.
//
// A wish never makes a unit smaller: kept, destroyed and blast radius follow from the units here.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::slurmconf {
struct SlurmSetup;
}
namespace tessera::operators {
struct OperatorSetup;
}

namespace tessera::plan {

// From small to large, so that the larger of two is std::max.
enum class Unit : std::uint8_t { slice, gpu, node };

// Which steps a plan for this backend is made of (steps.hpp).
enum class Dialect : std::uint8_t { direct, gpu_operator, slurm };

struct Offer {
  Strategy strategy = Strategy::whole;
  std::string why_not;  // empty: offered
  friend bool operator==(const Offer&, const Offer&) = default;
};

struct Capabilities {
  std::string backend;  // "simulator": for people
  Dialect dialect = Dialect::direct;

  // The smallest unit that must be free of work while ... changes.
  Unit instances = Unit::node;
  Unit mode = Unit::node;
  Unit sharing = Unit::node;
  // What a changed set of instances sweeps away: slice: only those that differ; gpu: all of that GPU.
  Unit clears = Unit::slice;
  // What a reset for a mode change takes along.
  Unit reset = Unit::node;

  bool empties_all_work = false;   // a node that must be free of work must be free of work without GPUs, too
  bool chooses_placement = false;  // instances are created where the plan says
  bool needs_closing = true;  // nothing may change while the node takes new workloads, even where it is free
  bool survives_reboot = false;  // the backend itself brings the layout back after a reboot
  std::vector<Offer> offers;     // strategies; one that is not listed is not offered
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

// What a dialect's steps are written from, as last read; null elsewhere. A plan's file keeps digests of it
// (basis.hpp).
struct Setup {
  std::shared_ptr<const slurmconf::SlurmSetup> slurm;
  std::shared_ptr<const operators::OperatorSetup> gpu_operator;
  friend bool operator==(const Setup&, const Setup&) = default;  // of one reading
};

// What a plan is made with.
struct Means : Capabilities, Setup {
  Means(Capabilities can = {}, Setup setup = {}) : Capabilities(std::move(can)), Setup(std::move(setup)) {}
};

Capabilities simulator_capabilities(Scheduler scheduler = Scheduler::slurm);
Capabilities gpu_operator_capabilities();
Capabilities slurm_capabilities();
// What planning assumes of a cluster that cannot be changed from here: its scheduler's way. Plans are for
// looking.
Means presumed_capabilities(const Cluster& cluster);

// Whether a changed MIG mode takes effect only after a reset. Ampere needs one; later generations switch at
// once.
bool mode_needs_reset(const mig::Product& product);
// Why a strategy is not offered; empty: it is.
std::string why_not_offered(const Capabilities& capabilities, Strategy strategy);

std::string_view word(Unit unit);  // "slice" "gpu" "node"
std::string_view word(Dialect dialect);

}  // namespace tessera::plan
