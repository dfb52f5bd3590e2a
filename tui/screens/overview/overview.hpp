// The overview: clusters with their sums, what needs attention, what is free and what waits.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tui/screens/overview/mosaic.hpp"
#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// One line of the scrolling part. Lines with an id can hold the cursor.
struct OverviewLine {
  enum class Kind { heading, cluster, sharing, trend, blank, attention, finding, calm };
  Kind kind = Kind::blank;
  std::size_t index = 0;  // into the model's clusters or the findings
  std::string_view id;    // lives as long as the state's OverviewData
  bool noted = false;     // a finding that was acknowledged
};
// runs: those that stopped in the middle are findings, too. journal_key: how the journal is opened.
// platform: set for this site; nullopt: each cluster's is recognised. of_fleet: findings of the fleet file.
OverviewData work_out_overview(const UiContext& ui, bool ascii, std::span<const RunHead> runs,
                               const std::string& journal_key, std::optional<sharing::Platform> platform,
                               const std::vector<insight::Finding>& of_fleet);
std::vector<OverviewLine> overview_lines(const UiState& state, int width);

// The finding under the cursor; nullptr: the cursor is on a cluster.
const insight::Finding* finding_at(const UiState& state, const std::string& id);
// The position in the model of the cluster under the cursor; nullopt: the cursor is on a finding.
std::optional<std::size_t> cluster_under(const UiState& state, const std::string& id);

// The node under the cursor: of a finding, or of the mosaic.
std::optional<std::pair<ClusterName, NodeName>> node_under(const UiState& state, const std::string& id);

// Where the mosaic stands on the overview; no height: there is no room for it.
Rect mosaic_area(const UiState& state, Rect body);

void draw_overview(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);
// Lines of `height` that scroll; the rest is pinned below.
int overview_scroll_height(int height);

}  // namespace tessera::tui
