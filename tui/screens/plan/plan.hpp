// The plan screen: what a change would do, its options, and the way to arm it.
//
// Nothing here changes a cluster: the screen ends in an order to plan::Runs, and that only after a name was
// typed and a second key was pressed (arm.hpp). Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/update.hpp"
#include "tui/widgets/panes.hpp"

namespace tessera::tui {

// Shows a plan. undoes: the run that it takes back, or empty. Takes the place of a plan that is open already.
void open_plan(UiState& state, const UiContext& ui, plan::Plan plan, std::string undoes);

// From what stands now, with what the cluster's backend can do; where it cannot be changed, as its kind
// would. rules: instead of those of the site.
Result<plan::Plan> plan_for(const UiState& state, const UiContext& ui, const plan::Intent& intent,
                            const std::optional<plan::SiteRules>& rules = std::nullopt);
// Both, by the rules of the site. Why there is no plan; nullopt: it is shown.
std::optional<Error> open_plan_for(UiState& state, const UiContext& ui, const plan::Intent& intent);

// "n0031", "8 nodes": as in titles and on the arming line.
std::string nodes_text(const plan::Plan& plan);

// The plan's own keys; the action is not disabled.
Effects act_on_plan(UiState& state, const UiContext& ui, Action action);
// Why not, for the plan's own keys; empty: it can.
std::string why_not_on_plan(Action action, const UiState& state, const UiContext& ui);
// What y copies: the commands of the step under the cursor, or the name of the work.
std::string plan_copy(const UiState& state, const UiContext& ui);
// Enter on disturbed work.
Effects open_on_plan(UiState& state, const UiContext& ui);
std::string why_no_open_on_plan(const UiState& state, const UiContext& ui);
// The node whose line the cursor rests on is the one whose steps are shown.
void rested_on_plan(UiState& state);
// Compares the plan with the world, when the world has moved on. Also disarms.
void follow_world(UiState& state, const UiContext& ui);
// Why this plan must not be started now, by what the model says; empty: it may.
std::string why_not_startable(const UiState& state, const UiContext& ui);

// The page itself (plan_page.cpp), and what its stops stand for (plan_foot.cpp).
Panes plan_panes(const UiContext& ui, const UiState& state, int width);
// The step, or the steps alike as one, that a stop of the page stands for; nullopt: it is another line.
std::optional<plan::Step> step_under(const PlanView& view, const std::string& stop);
// The position of the node that a stop stands for.
std::optional<std::size_t> node_under(const std::string& stop);
Document messages_document(const UiContext& ui, const UiState& state, int width);
std::string messages_text(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
