// `tessera nodes|gpus|slices|workloads`: look once, or again and again, and print.
// Threads: the calling thread owns the model; backends run on their own.
#pragma once

#include "engine/query/tables.hpp"
#include "tui/cli/list_notes.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code.
int run_list(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);

// What one look prints, of a model that is there: the part of run_list without a world, for tests.
// notes: what JSON has beside the rows. Errors: an unknown column in filter, sort or columns.
Result<std::string> print_list(const Options& options, const Model& model, const query::Context& context,
                               const ListNotes& notes = {});

}  // namespace tessera::cli
