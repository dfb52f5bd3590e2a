#include "engine/plan/run/leaves_closed.hpp"

#include <variant>

#include "engine/plan/words/as_run.hpp"

namespace tessera::plan {

bool run_leaves_closed(const Plan& plan, const std::vector<Entry>& journal, const NodeName& node) {
  bool left_closed = stays_closed(plan, node);
  for (const Entry& entry : journal) {
    if (entry.node != node) continue;
    // From the question on, whatever is answered: until the run closes it itself, another has.
    const auto* asked = std::get_if<Asked>(&entry.what);
    const auto* answered = std::get_if<Answered>(&entry.what);
    if ((asked && asked->what == Ask::closed_by_other) ||
        (answered && answered->what == Ask::closed_by_other))
      left_closed = true;
    const auto* begun = std::get_if<StepBegun>(&entry.what);
    if (begun && std::holds_alternative<CloseNode>(begun->action)) left_closed = false;
  }
  return left_closed;
}

}  // namespace tessera::plan
