// The packing planner: from a problem to the GPUs that change, with what is proved of the answer.
//
// The same problem has the same answer on every machine: the search ends after so many nodes of the solver's
// tree, not after so much time. An answer is checked before it is returned. Threads: pure functions.
#pragma once

#include "engine/pack/classes.hpp"

namespace tessera::pack {

// classify() for problem as it stands: may be timed by itself and handed to pack().
Result<Classes> classify(const Problem& problem);

// Errors: too many profiles at once, an answer that fails its check (a defect of the planner), or given up.
Result<Answer> pack(const Problem& problem, const Classes& classes, const Stop& stop = {});
Result<Answer> pack(const Problem& problem, const Stop& stop = {});

// What is told where a Stop gave the search up.
Error search_given_up();

// Why an answer is not valid, by the rules of placement alone; nullopt: nothing held is touched (but for what
// is told as evicted), each step of the order is legal, and figures and unmet demand are what they are told
// to be.
std::optional<std::string> why_invalid(const Problem& problem, const Answer& answer);

// "touches 14 GPUs on 4 nodes; proven minimum 14"
std::string certificate(const Problem& problem, const Answer& answer);
// What no plan can be better than, each way of reckoning by itself; empty: no GPU changes.
std::string bounds_text(const Answer& answer);
// The certificate, or why there is nothing to do: idle instances serve, or nothing is asked for.
std::string headline(const Problem& problem, const Answer& answer);
// What runs on the nodes that change, and whether that is the least; empty: nothing, or no node is drained.
std::string disturbed(const Problem& problem, const Answer& answer);

}  // namespace tessera::pack
