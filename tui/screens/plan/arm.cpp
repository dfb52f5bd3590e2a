#include "tui/screens/plan/arm.hpp"

#include <fmt/core.h>

#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::tui {
namespace {

std::string verb_of(const Arming& arming) {
  if (std::holds_alternative<ArmTurnBack>(arming.what)) return "abort the run and go back on";
  if (const auto* resume = std::get_if<ArmResume>(&arming.what)) {
    switch (resume->onward) {
      case plan::Onward::carry_on: return "carry on with";
      case plan::Onward::replan: return "plan again and go on with";
      case plan::Onward::back: return "go back on";
    }
  }
  return "change";
}

std::string subject_of(const Arming& arming) {
  return arming.counts ? arming.expected + " nodes" : arming.expected;
}

}  // namespace

void open_arming(UiState& state, decltype(Arming::what) what, const plan::Plan& plan) {
  Arming arming;
  arming.what = std::move(what);
  arming.counts = plan.nodes.size() != 1;
  arming.expected = arming.counts ? std::to_string(plan.nodes.size()) : plan.nodes.front().node.text;
  open_prompt(state, InputKind::arm);
  state.arming = std::move(arming);
}

void disarm(UiState& state) {
  if (state.input.kind == InputKind::arm) state.input = {};
  state.arming.reset();
}

void accept_arming(UiState& state, const UiContext& ui) {
  if (!state.arming) return disarm(state);
  if (state.input.text != state.arming->expected) {
    state.input.error = fmt::format("that is not {}; type it exactly", state.arming->expected);
    return;
  }
  if (std::holds_alternative<ArmStart>(state.arming->what)) {
    if (std::string reason = why_not_startable(state, ui); !reason.empty()) {
      disarm(state);
      return say(state, ui, Severity::danger, std::move(reason));
    }
  }
  state.input = {};
  state.arming->armed = true;
}

Effects confirm_arming(UiState& state, const UiContext& ui) {
  Effects effects;
  Arming arming = *state.arming;
  disarm(state);
  if (const auto* resume = std::get_if<ArmResume>(&arming.what)) {
    state.runs.last_resume = *resume;
    state.runs.ordered_resume = true;
    state.runs.drove = true;
    const RunView* view = view_of(state, resume->run);
    effects.orders.push_back(
        ResumeRun{resume->run, resume->onward, resume->accept_harm, view ? view->chain.last() : ""});
    say(state, ui, Severity::info, "resuming the run");
  } else if (const auto* back = std::get_if<ArmTurnBack>(&arming.what)) {
    effects.orders.push_back(DemandOfRun{back->run, {}, plan::Demand::turn_back});
    say(state, ui, Severity::info, "asked to go back after the step that is under way");
  } else {
    if (std::string reason = why_not_startable(state, ui); !reason.empty()) {
      say(state, ui, Severity::danger, "not started: " + reason);
      return effects;
    }
    state.runs.starting = state.plan->plan.id;
    state.runs.drove = true;
    effects.orders.push_back(StartRun{state.plan->plan, state.plan->undoes});
    say(state, ui, Severity::info, "starting: the journal is written first");
  }
  return effects;
}

std::string arming_prompt(const Arming& arming) {
  return arming.counts ? fmt::format("Type {} (number of nodes) to arm", arming.expected)
                       : fmt::format("Type {} to arm", arming.expected);
}

std::string armed_text(const UiState& state) {
  const Arming& arming = *state.arming;
  return fmt::format("ARMED: press {} to {} {}; {} cancels", first_key(state, Action::arm_confirm),
                     verb_of(arming), subject_of(arming), first_key(state, Action::arm_cancel));
}

}  // namespace tessera::tui
