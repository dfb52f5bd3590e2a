// What is known already: answers to the guide's questions, worked out from a live cluster or from a product.
//
// Unknown stays unknown. Each answer says how sure it is and from which facts it comes, with source and age.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/planner.hpp"

namespace tessera::guide {

enum class Reply : std::uint8_t { unknown, yes, no };
// hint: too weak to go on by itself. likely: a proposal. certain: the guide passes the question by itself.
enum class Confidence : std::uint8_t { none, hint, likely, certain };

struct Fact {
  std::string text;  // "3 users hold slices of this node: alice, bob, carol"
  Origin origin;     // source and time; a time of 0 where there is none (the catalogue)
  friend bool operator==(const Fact&, const Fact&) = default;
};

struct Answer {
  Reply reply = Reply::unknown;
  Confidence confidence = Confidence::none;
  std::vector<Fact> facts;
  friend bool operator==(const Answer&, const Answer&) = default;
};

// By question id. The ids known here: mig-capable, isolation, virtualised, licence, cooperative.
using Prefill = std::map<std::string, Answer>;

// What a site knows beyond its schedulers, from settings, a licence secret or the exporter.
struct SiteFacts {
  std::optional<bool> licence;
  std::string licence_source;  // "secret licensing-config", "settings"
  std::optional<bool> isolation;
  std::string isolation_source;
};

// What the guide is asked about: GPUs of one kind on one cluster, or a product that nobody has yet.
struct Scope {
  const Cluster* cluster = nullptr;           // nullptr: hypothetical
  std::vector<const Node*> nodes;             // that hold the GPUs, each once
  std::vector<const Gpu*> boards;             // empty with nodes: a Slurm pool whose GPUs are not told
  const mig::Product* product = nullptr;      // nullptr: not known
  const mig::Catalogue* catalogue = nullptr;  // nullptr: hypothetical
  std::string model;                          // as a source names it, where the catalogue does not know it
  // How plans for these GPUs are made, so that proposals are what the plan will show; nullopt: as the
  // cluster's kind would.
  std::optional<plan::Means> can = std::nullopt;
  plan::SiteRules rules = {};
};
Scope scope_of(const mig::Product& product);
Scope scope_of(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue);
Scope scope_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const mig::Catalogue& catalogue);

// A mixed set, parted into groups that need a walk each: by product (or model), and by what is certain about
// virtual machines. Groups stand in the order of their first GPU.
struct Mark {
  NodeName node;
  std::optional<GpuIndex> gpu;  // nullopt: all of the node
};
struct Group {
  std::string name;  // "H100-80GB-SXM5: 12 GPUs on 3 nodes"
  Scope scope;
};
std::vector<Group> split(const Cluster& cluster, const std::vector<Mark>& marks,
                         const mig::Catalogue& catalogue);

Prefill prefill(const Scope& scope, const mig::Catalogue& catalogue, const SiteFacts& site = {});

std::string_view word(Reply reply);            // "yes" "no" "unknown"
std::string_view word(Confidence confidence);  // "certain" "likely" "hint" ""
// "likely yes: 3 users hold …   source: scontrol show job, 40 s ago"; now is the cluster's time.
std::string describe(const Answer& answer, TimePoint now);

}  // namespace tessera::guide
