// `tessera plan`, and what the commands that change something share with it: a fresh look, a plan of it.
// Threads: the calling thread owns the model.
#pragma once

#include <variant>

#include "engine/plan/plan.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

// Opens and waits for the first complete picture of `cluster` (empty: of all). Returns the exit code when
// there is none to plan on, which has been said then.
std::optional<int> look_afresh(OpenClusters& clusters, const Options& options, const Streams& streams,
                               const std::string& cluster);

// What its backend can do, or is presumed to where it cannot be changed from here.
plan::Means capabilities_of(const OpenClusters& clusters, const Cluster& cluster);

// The plan that the flags wish for, on the model as it is.
Or<plan::Plan> make_wished(const OpenClusters& clusters, const Options& options,
                           const mig::Catalogue& catalogue);

// A fresh look and the plan that the flags wish for on it. Else the exit code, after the reason was printed.
std::variant<plan::Plan, int> look_and_plan(OpenClusters& clusters, const Options& options,
                                            const mig::Catalogue& catalogue, const Streams& streams);
// As the flags want it: for people, as a document, its messages or its patch.
void print_plan(const plan::Plan& plan, const Options& options, const Streams& streams);
// kFinding: it breaks a rule, or can only be reviewed.
int code_of(const plan::Plan& plan);

// As JSON or YAML; precondition: options.output is one of them.
std::string plan_document(const plan::Plan& plan, OutputFormat output);
// The texts for the owners of disturbed work: to read, or as a list of `user` and `text`.
std::string messages_document(const plan::Plan& plan, OutputFormat output);
// Whether a change can be printed like that; what and how else, if not.
Status check_output(const Options& options);

int run_plan(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);

}  // namespace tessera::cli
