// What is to be known of a list beside its rows: nodes whose figures have not come, and why; machines whose
// GPUs two schedulers hand out. Lines below the table, fields in JSON. Threads: pure functions of a model.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/insight/shared_machines.hpp"
#include "engine/model/model.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

struct ListNotes {
  // Of a cluster whose GPUs some source measures: nodes of which it has told nothing.
  struct NoFigures {
    ClusterName cluster;
    std::set<std::string> nodes;
    std::string why;
  };
  std::vector<NoFigures> no_figures;
  std::vector<insight::SharedMachine> shared;

  // Empty: they have come, or nothing measures there.
  std::string why_no_figures(const ClusterName& cluster, const NodeName& node) const;
  // Of the node of one scheduler what the other one would hand out, too; nullopt: not known.
  std::optional<int> free_in_both(const ClusterName& cluster, const NodeName& node,
                                  const ClusterName& other) const;
};

// Whether all figures have come that a look can wait for: of each GPU, or word from the source why not.
bool figures_have_come(const Model& model, const Options& options);
// So long a look waits for them, beside everything else.
Duration figures_within(const Options& options);

ListNotes notes_on(const Model& model, const Options& options);
// In English, for the reader's language: below the table of that command.
std::vector<Error> lines_of(const ListNotes& notes, const std::string& command);

}  // namespace tessera::cli
