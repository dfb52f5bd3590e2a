// The MIG manager's configuration file: read, asked what it wants of a node, and given one more entry without
// touching what stands in it.
//
// After mig-parted v0.15 (api/spec/v1): `version: v1`, then `mig-configs:` with one list of rows a name. No
// place of an instance can be said in it: a layout is how many of which profile.
// Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::operators {

struct MigRow {
  std::vector<std::string> filters;   // device-filter: "0x233010DE"; empty: every product
  bool all = true;                    // devices: all
  std::vector<int> devices;           // else these, as the driver counts
  bool enabled = false;               // mig-enabled
  std::map<std::string, int> counts;  // mig-devices: profile → how many
  friend bool operator==(const MigRow&, const MigRow&) = default;
};
struct MigConfig {
  std::string name;
  std::vector<MigRow> rows;
  friend bool operator==(const MigConfig&, const MigConfig&) = default;
};
struct MigDocument {
  std::vector<MigConfig> configs;  // in file order
  const MigConfig* find(std::string_view name) const;
  friend bool operator==(const MigDocument&, const MigDocument&) = default;
};
// Refuses what mig-parted refuses, with the place.
Result<MigDocument> parse_mig_document(std::string_view text, std::string_view file);

// What is wanted of one GPU. profiles: indices into its product's, ascending.
struct BoardTarget {
  bool mig = false;
  std::vector<int> profiles;
  friend bool operator==(const BoardTarget&, const BoardTarget&) = default;
};
using NodeTarget = std::vector<std::optional<BoardTarget>>;  // by GPU; nullopt: no row is about it
using NodeBoards = std::vector<const mig::Product*>;         // by GPU; nullptr: not in the catalogue

// What an entry wants of a node. Errors: why the MIG manager would fail there, or why that cannot be told.
Result<NodeTarget> evaluate(const MigConfig& config, const NodeBoards& boards);
// Whether an entry that wants `is` leads to `wanted`; GPUs that cannot be cut are not looked at.
bool meets(const NodeTarget& is, const NodeTarget& wanted, const NodeBoards& boards);
// The entry that gives a layout: `current` if it does, else the operator's own names, else any, ours last.
std::optional<std::string> find_config(const MigDocument& document, const NodeBoards& boards,
                                       const NodeTarget& wanted, std::string_view current);

// A new entry, named by its content: the same layout gives the same name, and no name ever changes its
// meaning. Precondition: every GPU that can be cut has a target.
MigConfig make_config(const NodeBoards& boards, const NodeTarget& wanted);
std::string name_of(const std::vector<MigRow>& rows);
// As lines of a file, indented by so many blanks.
std::string to_yaml(const MigConfig& config, std::size_t indent);

// The text with one more entry at its end; comments, order and spelling of all else stay. An entry of that
// name with that content: the text as it is. Errors: the text cannot be read, the name stands for something
// else, or there is no place where the rest would stay the same (a document in one line).
Result<std::string> with_config(std::string_view text, const MigConfig& config, std::string_view file);
// A document of its own.
std::string document_of(const std::vector<MigConfig>& configs);

// What a changed file means for nodes whose labels stay as they are.
struct FleetNode {
  std::string name;
  std::string label;  // nvidia.com/mig.config
  NodeBoards boards;
  const MigDocument* before = nullptr;  // the file that counts there now; nullptr: not readable
};
struct FleetAnswer {
  std::vector<std::string> changes;  // "n0007: all-balanced is something else there"
  std::vector<std::string> fails;    // "n0009: selected mig-config not present: foo"
  int same = 0;
  bool harmless() const { return changes.empty() && fails.empty(); }
};
FleetAnswer ask_fleet(std::span<const FleetNode> nodes, const MigDocument& after);

}  // namespace tessera::operators
