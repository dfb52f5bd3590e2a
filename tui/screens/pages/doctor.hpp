// What is wrong in all clusters, by its cause: a line each, and below it since when, whose, what follows and
// the commands to copy.
// Threads: the UI thread; what draws only reads.
#pragma once

#include <string>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

Panes doctor_panes(const UiContext& ui, const UiState& state, int width);
// Those of which the user has taken note come last.
void sink_acknowledged(UiState& state, TimePoint wall);
Effects acknowledge_here(UiState& state, const UiContext& ui, Action action);
std::string why_no_acknowledge(Action action, const UiState& state, const UiContext& ui);
// Opens the plan, or the layout editor, that leads out of the finding.
Effects plan_way_out(UiState& state, const UiContext& ui, Action action);
std::string why_no_way_out(Action action, const UiState& state, const UiContext& ui);
// Enter: the run, the job or the node that has it, the list of nodes that have it, the fleet file that it is
// of, or what is known of the cluster.
Effects open_cause(UiState& state, const UiContext& ui, const insight::Cause& cause);
// The slice or GPU that is under the cursor of the node's page where a finding about one is opened.
std::string cursor_on(const UiContext& ui, const ClusterName& name, const std::string& node,
                      const std::optional<GpuIndex>& gpu);
// The one under the cursor, here or on the overview; null: none.
const insight::Cause* cause_here(const UiState& state);
// The run that stopped, where the cause is one; null: it is none.
const RunHead* run_of(const UiState& state, const insight::Cause& cause);
Effects open_on_doctor(UiState& state, const UiContext& ui);
std::string why_no_open_on_doctor(const UiState& state, const UiContext& ui);
// The commands, else whom it concerns.
std::string copy_on_doctor(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
