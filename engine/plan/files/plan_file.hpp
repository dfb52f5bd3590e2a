// A plan as a file: the JSON that `tessera plan -o json` prints and `tessera apply FILE` reads.
//
// Lists of steps, slices and disturbed work are flat, each entry with its node, so that scripts need no
// nesting; the reader gathers them again. What is read is what was written: versions as for journals
// (journal.hpp).
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "engine/json.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

inline constexpr int kPlanVersion = 2;  // as journals are numbered (journal.hpp)

Json plan_json(const Plan& plan);
std::string to_document(const Plan& plan);

// `file` is used in messages only.
Result<Plan> parse_plan(std::string_view text, std::string_view file);
Result<Plan> plan_from(const Json& json, std::string_view file);

}  // namespace tessera::plan
