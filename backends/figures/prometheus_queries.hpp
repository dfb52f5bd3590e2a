// The questions that are put to Prometheus, and its answers as readings of nodes.
//
// One instant query tells of all nodes: of each counter its newest value, and of each node when that was
// taken (the value's own time is only that of the query). Labels differ by site: dcgm-exporter writes
// Hostname or hostname, a scrape may add node and rename pod to exported_pod. Threads: pure functions but for
// the document.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/figures/prometheus_answer.hpp"
#include "engine/history/keeps_figures.hpp"

namespace tessera::figures {

// Which node a series is of, and the labels that said so.
struct SeriesNode {
  std::string node;  // empty: none that is known
  std::vector<std::pair<std::string, std::string>> by;
};
using NodeOfSeries = std::function<SeriesNode(const MetricLine&)>;

// By the first label of a node's name whose value `known` has a node for; a domain behind the name is tried
// without it, too. known: the node's name, or empty.
SeriesNode node_by_labels(const MetricLine& line, const std::function<std::string(std::string_view)>& known);

// The same without a list of nodes: a name of a host, without its domain, and no address. As Slurm names
// nodes.
SeriesNode node_by_short_name(const MetricLine& line);

// Paths below the server's root, escaped: "/api/v1/query?query=...".
std::string path_of_figures_now();
// Of one node, from its labels. step: between two values, whole seconds.
std::string path_of_figures_before(const SeriesNode& node, TimePoint from, TimePoint to, Duration step);

// Of all nodes, with the job that a series is named for: use and memory alone.
std::string path_of_use_before(TimePoint from, TimePoint to, Duration step);
// The pods that were scraped for it, by namespace and pod: where a scrape adds them as labels, a GPU that is
// not held has its exporter's.
std::string path_of_scraped_pods(TimePoint from, TimePoint to, Duration step);
// How many series such an answer has at that time.
std::string path_of_series_count(TimePoint at);
// Use alone of all nodes, with whoever has each GPU: a series for each GPU and instance, and one more each
// time that it changed hands.
std::string path_of_held_before(TimePoint from, TimePoint to, Duration step);

struct NodeReadings {
  SeriesNode node;
  DcgmReadings readings;  // at: when the node's figures were taken
};
struct FiguresNow {
  std::vector<NodeReadings> nodes;
  std::size_t strange = 0;  // series of nodes that are not known
  std::size_t skipped = 0;  // ... that could not be read
  std::string problem;      // of the first of those
};
// asked_at: when Prometheus was asked; the age of what it does not date.
Result<FiguresNow> figures_now(JsonDocument& document, std::string_view text, const NodeOfSeries& node_of,
                               TimePoint asked_at);
// Of one node, the oldest first. A time that no series has is in none of them.
Result<std::vector<DcgmReadings>> figures_before(JsonDocument& document, std::string_view text);
// Of a cluster, by what its GPUs' series name. A time at which GPUs are missing is left out, and nothing is
// told where no series names anyone. catalogue: nullptr: a GPU that is cut has no use of its own.
Result<history::SumsBefore> sums_before(JsonDocument& document, std::string_view text,
                                        const NodeOfSeries& node_of, const mig::Catalogue* catalogue);

}  // namespace tessera::figures
