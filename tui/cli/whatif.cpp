#include "tui/cli/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hours.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kListed = 20;  // of each list; a document has all

Json number_or_null(const std::optional<double>& value) { return value ? Json::of(*value) : Json(); }

Json json_of(const whatif::Moved& moved) {
  Json one = Json::map();
  one.add("id", Json::of(moved.id.text));
  one.add("user", Json::of(moved.user));
  one.add("request", Json::of(moved.request));
  one.add("start_if_left", time_or_null(moved.left));
  one.add("start_if_changed", time_or_null(moved.changed));
  return one;
}

Json json_of(const whatif::Future& future) {
  Json starts = Json::list();
  for (const whatif::Start& start : future.starts) {
    Json one = Json::map();
    one.add("id", Json::of(start.id.text));
    one.add("user", Json::of(start.user));
    one.add("request", Json::of(start.request));
    one.add("at", Json::of(utc_text(start.at)));
    Json nodes = Json::list();
    for (const NodeName& node : start.nodes) nodes.items.push_back(Json::of(node.text));
    one.add("nodes", std::move(nodes));
    starts.items.push_back(std::move(one));
  }
  Json waiting = Json::list();
  for (const WorkloadId& id : future.waiting) waiting.items.push_back(Json::of(id.text));
  Json all = Json::map();
  all.add("starts", std::move(starts));
  all.add("still_waiting", std::move(waiting));
  all.add("gpu_hours", future.unpriced == 0 ? Json::of(future.gpu_hours) : Json());
  return all;
}

Grid grid_of(const std::vector<whatif::Moved>& all, const whatif::Comparison& answer) {
  Grid grid;
  const auto head = [&](const char* key, const char* title) {
    Grid::Head one;
    one.key = key, one.title = title;
    grid.heads.push_back(std::move(one));
  };
  head("id", "ID"), head("user", "USER"), head("request", "ASKS FOR");
  head("changed", "WITH THE PLAN"), head("left", "AS IT IS");
  for (const whatif::Moved& one : all) {
    if (grid.rows.size() >= kListed) break;
    grid.rows.push_back({clean(one.id.text, 100), clean(one.user, 60), clean(one.request, 200),
                         when(one.changed, answer), when(one.left, answer)});
  }
  return grid;
}

class WhatIfPage {
 public:
  WhatIfPage(const whatif::Comparison& answer, const Options& options) : answer_(answer), options_(options) {}
  std::string told(std::string_view english) const { return tui::told(options_.reader, english); }
  void line(const std::string& text, std::size_t indent = 0) { text_ += wrapped(told(text), indent); }
  void list(std::string_view heading, const std::vector<whatif::Moved>& all) {
    if (all.empty()) return;
    text_ += "\n" + told(heading) + "\n" + to_table(grid_of(all, answer_), true, options_.paper);
    if (all.size() > kListed)
      line(fmt::format("and {} more waiting workloads; -o json lists all of them", all.size() - kListed));
  }
  void gap() { text_ += "\n"; }
  std::string take() { return std::move(text_); }

 private:
  const whatif::Comparison& answer_;
  const Options& options_;
  std::string text_;
};

}  // namespace

Json moved_json(const std::vector<whatif::Moved>& all) {
  Json list = Json::list();
  for (const whatif::Moved& one : all) list.items.push_back(json_of(one));
  return list;
}

std::string when(const std::optional<TimePoint>& at, const whatif::Comparison& answer) {
  if (!at) return "not";
  const Duration wait = *at - answer.from;
  if (wait < std::chrono::minutes(1)) return "now";
  return "in " + query::duration_text(wait.count() / 1000);
}

Json whatif_json(const plan::Plan& plan, const whatif::Comparison& answer) {
  Json document = Json::map();
  document.add("cluster", Json::of(plan.intent.cluster.text));
  Json nodes = Json::list();
  for (const plan::NodePlan& node : plan.nodes) nodes.items.push_back(Json::of(node.node.text));
  document.add("nodes", std::move(nodes));
  document.add("words", Json::of(plan.intent.words));
  document.add("from", Json::of(utc_text(answer.from)));
  document.add("hours", Json::of(hours_of(answer.ahead)));
  document.add("changed_at", time_or_null(answer.changed.changed));
  document.add("sooner", moved_json(answer.sooner));
  document.add("later", moved_json(answer.later));
  document.add("gpu_hours_gained", number_or_null(answer.gpu_hours));
  document.add("gpu_hours_thrown_away", number_or_null(answer.thrown_away));
  document.add("never_again", Json::of(std::int64_t{answer.never_again}));
  document.add("left_out", Json::of(std::int64_t{answer.left.left_out}));
  document.add("without_time_limit", Json::of(std::int64_t{answer.left.endless}));
  document.add("as_it_is", json_of(answer.left));
  document.add("with_the_plan", json_of(answer.changed));
  return document;
}

// When the last of the work that the plan waits for has ended by its time limit, and the change is made.
// nullopt: one of them has no known end, or the plan waits for none.
std::optional<TimePoint> in_place_later(const Cluster& cluster, const plan::Plan& plan) {
  if (plan.intent.options.way != plan::Way::wait) return std::nullopt;
  std::optional<TimePoint> last;
  for (const plan::NodePlan& node : plan.nodes)
    for (const plan::Disturbed& one : node.blast_radius) {
      const Workload* work = cluster.workloads.find(one.id);
      if (work == nullptr || !work->ends) return std::nullopt;
      last = std::max(last.value_or(*work->ends), *work->ends);
    }
  if (last && plan.intent.options.at) last = std::max(*last, *plan.intent.options.at);
  return last ? std::optional(*last + whatif::kChangeTakes) : std::nullopt;
}

std::string whatif_text(const Cluster& cluster, const plan::Plan& plan, const whatif::Comparison& answer,
                        const Options& options) {
  WhatIfPage page(answer, options);
  page.line(fmt::format(
      "{} of {}: {}",
      plan.nodes.size() == 1 ? plan.nodes.front().node.text : fmt::format("{} nodes", plan.nodes.size()),
      plan.intent.cluster.text, clean(plan.intent.words, 200)));
  page.line(whatif::headline(answer), 2);
  if (answer.changed.changed)
    page.line(fmt::format("the new layout is in place {}", when(answer.changed.changed, answer)), 2);
  else if (const auto later = in_place_later(cluster, plan))
    page.line(fmt::format("by the time limits of what the plan waits for, the new layout is in place {}",
                          when(later, answer)),
              2);
  if (!answer.thrown_away)
    page.line("the plan ends running work; how many GPU-hours of it are lost is not known", 2);
  else if (*answer.thrown_away > 0.05)
    page.line(
        fmt::format("the plan ends running work: {:.1f} GPU-hours so far are lost", *answer.thrown_away), 2);
  if (answer.never_again > 0)
    page.line(fmt::format("waiting workloads that would never start: {}", answer.never_again), 2);
  page.list("SOONER", answer.sooner);
  page.list("LATER", answer.later);
  page.gap();
  page.line(
      "A model, not a promise: the longer wait comes first, what runs ends at its time limit, what starts at "
      "that of its partition. Priorities, CPUs, memory, limits and work that is still to be submitted are "
      "not in "
      "it (docs/whatif.md).");
  if (answer.left.left_out > 0)
    page.line(
        fmt::format("waiting for something else than GPUs, and not looked at: {}", answer.left.left_out));
  if (answer.left.endless > 0)
    page.line(fmt::format("running without a time limit, and taken to run on: {}", answer.left.endless));
  return page.take();
}

int run_whatif(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  OpenClusters clusters(options, catalogue, joins, streams);
  // Of the past the plan is made as if it acted then.
  Options wish = options;
  if (looks_back(options, clusters.wall())) wish.at.clear();
  const auto made = look_and_plan(clusters, wish, catalogue, streams);
  if (const int* code = std::get_if<int>(&made)) return *code;
  const plan::Plan& plan = std::get<plan::Plan>(made);
  const Cluster* cluster = clusters.model().find(plan.intent.cluster);
  const whatif::Question question{cluster, &catalogue, cluster_now(*cluster, clusters.wall()),
                                  std::chrono::hours(options.hours)};
  const whatif::Comparison answer = whatif::compare(question, plan);
  if (options.output == OutputFormat::table) {
    const std::string text = whatif_text(*cluster, plan, answer, options);
    streams.out << (options.ascii ? in_ascii(text) : text);
  } else {
    streams.out << document(whatif_json(plan, answer),
                            options.output == OutputFormat::json ? Markup::json : Markup::yaml);
  }
  streams.out << std::flush;
  return kDone;
}

}  // namespace tessera::cli
