#include "tui/cli/pack/pack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/fleet/offers.hpp"
#include "engine/hours.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/pools.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/pack/whole.hpp"
#include "engine/time.hpp"
#include "tui/cli/folded.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

const std::string& name_of(const mig::Product& product, const mig::Placed& placed) {
  return product.profiles[static_cast<std::size_t>(placed.profile)].name.text;
}

// told: where it stands is known.
Json json_of(const mig::Product& product, const mig::Placed& placed, bool told) {
  Json one = Json::map();
  one.add("profile", Json::of(name_of(product, placed)));
  one.add("start", told ? Json::of(std::int64_t{placed.start}) : Json());
  return one;
}

Json list_of(const mig::Product& product, const mig::Layout& layout, bool told) {
  Json list = Json::list();
  for (const mig::Placed& placed : layout) list.items.push_back(json_of(product, placed, told));
  return list;
}

Json evicted_of(const mig::Product& product, const pack::Board& board, const pack::BoardPlan& plan) {
  Json list = list_of(product, plan.evict, board.placed);
  if (!plan.evicts_whole) return list;
  Json& whole = list.items.emplace_back(Json::map());
  whole.add("profile", Json::of(std::string(pack::kWhole)));
  whole.add("start", Json());
  return list;
}

Json board_json(const pack::Problem& problem, const pack::BoardPlan& plan) {
  const pack::Board& board = problem.boards[plan.board];
  const mig::Product& product = *problem.products[board.product];
  Json one = Json::map();
  one.add("node", Json::of(board.node.text));
  one.add("gpu", Json::of(std::int64_t{board.gpu.value}));
  one.add("keep", list_of(product, plan.keep, board.placed));
  one.add("destroy", list_of(product, plan.destroy, board.placed));
  if (problem.evict) one.add("evict", evicted_of(product, board, plan));
  if (plan.to_whole) one.add("whole", Json::of(true));
  Json& create = one.add("create", Json::list());
  for (std::size_t i = 0; i < plan.create.size(); ++i) {
    Json made = json_of(product, plan.create[i], true);
    made.add("order", Json::of(static_cast<std::int64_t>(i + 1)));
    create.items.push_back(std::move(made));
  }
  return one;
}

// The first demand of a kind, and those of the same kind on other nodes.
std::vector<std::vector<std::size_t>> by_kind(const pack::Problem& problem) {
  std::vector<std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < problem.demand.size(); ++i) {
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      const pack::Demand& other = problem.demand[kind.front()];
      return other.profile == problem.demand[i].profile && other.product == problem.demand[i].product;
    });
    if (same == kinds.end())
      kinds.push_back({i});
    else
      same->push_back(i);
  }
  return kinds;
}

// By profile; by product and profile where the demand stands so.
template <class Take>
Json by_demand(const pack::Problem& problem, Take take) {
  Json all = Json::map();
  for (const std::vector<std::size_t>& kind : by_kind(problem)) {
    const pack::Demand& demand = problem.demand[kind.front()];
    if (!demand.product) {
      all.add(demand.profile.text, take(kind));
      continue;
    }
    const std::string& product = problem.products[*demand.product]->key.text;
    auto at = std::find_if(all.fields.begin(), all.fields.end(),
                           [&](const auto& field) { return field.first == product; });
    Json& of = at == all.fields.end() ? all.add(product, Json::map()) : at->second;
    of.add(demand.profile.text, take(kind));
  }
  return all;
}

Json unmet_of(const pack::Answer& answer, const std::vector<std::size_t>& kind) {
  std::int64_t sum = 0;
  for (const std::size_t i : kind) sum += answer.unmet[i];
  return Json::of(sum);
}

// Of several on other nodes each reason once.
Json reason_of(const pack::Answer& answer, const std::vector<std::size_t>& kind) {
  std::vector<std::string> reasons;
  for (const std::size_t i : kind)
    if (!answer.reason[i].empty() &&
        std::find(reasons.begin(), reasons.end(), answer.reason[i]) == reasons.end())
      reasons.push_back(answer.reason[i]);
  return reasons.empty() ? Json() : Json::of(fmt::format("{}", fmt::join(reasons, "; ")));
}

Json groups_json(const pack::QueueDemand& queue) {
  Json list = Json::list();
  for (const pack::QueueGroup& group : queue.groups) {
    Json& one = list.items.emplace_back(Json::map());
    Json& nodes = one.add("nodes", Json::list());
    for (const NodeName& node : group.nodes) nodes.items.push_back(Json::of(node.text));
    one.add("workloads", Json::of(std::int64_t{group.workloads}));
    Json& demand = one.add("demand", Json::map());
    for (const pack::Demand& each : group.demand)
      demand.add(pack::word_of(each, queue.products), Json::of(std::int64_t{each.count}));
  }
  return list;
}

Json bounds_json(const pack::Problem& problem, const pack::Answer& answer) {
  const pack::Bounds& bounds = answer.bounds;
  const bool whole = problem.mode == pack::Mode::whole_node;
  Json one = Json::map();
  one.add("slices", Json::of(std::int64_t{bounds.slices}));
  one.add("empty_boards", Json::of(std::int64_t{bounds.empty_boards}));
  one.add("lp", Json::of(bounds.lp));
  one.add("proven", Json::of(whole ? bounds.nodes_proven : bounds.gpus_proven));
  one.add("gpus_at_least", Json::of(std::int64_t{bounds.gpus}));
  one.add("gpus_proven", Json::of(bounds.gpus_proven));
  one.add("nodes_at_least", Json::of(std::int64_t{bounds.nodes}));
  one.add("nodes_proven", Json::of(bounds.nodes_proven));
  if (whole) {
    one.add("running_at_least", Json::of(std::int64_t{bounds.running}));
    one.add("running_proven", Json::of(bounds.running_proven));
  }
  one.add("unmet_proven", Json::of(bounds.unmet_proven));
  one.add("rest_proven", Json::of(bounds.rest_proven));
  Json& binding = one.add("binding", Json::list());
  std::set<std::string> told;
  for (std::size_t demand : answer.binding)
    if (const std::string word = pack::word_of(problem.demand[demand], problem.products);
        told.insert(word).second)
      binding.items.push_back(Json::of(word));
  return one;
}

std::string text_of(const mig::Product& product, const std::vector<mig::Placed>& list, bool told = true) {
  std::string text;
  for (const mig::Placed& placed : list) {
    text += (text.empty() ? "" : ",") + name_of(product, placed);
    if (told) text += fmt::format("@{}", placed.start);
  }
  return text.empty() ? "-" : text;
}

Grid grid_of(const pack::Problem& problem, const pack::Answer& answer) {
  Grid grid;
  grid.heads = {{"node", "NODE", {}},
                {"gpu", "GPU", query::Align::right},
                {"keep", "KEEP", {}},
                {"destroy", "DESTROY", {}},
                {"create", "CREATE, IN THIS ORDER", {}}};
  if (answer.evicted > 0) grid.heads.push_back({"evict", "EVICT", {}});
  for (const pack::BoardPlan& plan : answer.boards) {
    const pack::Board& board = problem.boards[plan.board];
    const mig::Product& product = *problem.products[board.product];
    std::vector<std::string> row{board.node.text, std::to_string(board.gpu.value),
                                 text_of(product, plan.keep, board.placed),
                                 text_of(product, plan.destroy, board.placed),
                                 plan.to_whole ? std::string(pack::kWhole) : text_of(product, plan.create)};
    if (answer.evicted > 0)
      row.push_back(plan.evicts_whole ? std::string(pack::kWhole)
                                      : text_of(product, plan.evict, board.placed));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

// Null: in one hour all of the peaks may have been needed.
Json busiest_json(const std::optional<pack::BusiestHour>& busiest) {
  if (!busiest) return Json();
  Json one = Json::map();
  one.add("hour", Json::of(utc_text(busiest->hour)));
  Json& needs = one.add("needs", Json::list());
  for (const auto& [profile, count] : busiest->needs) {
    Json& need = needs.items.emplace_back(Json::map());
    need.add("profile", Json::of(profile.text));
    need.add("peak", Json::of(std::int64_t{count}));
  }
  return one;
}

Json history_json(const PackedCluster& cluster) {
  const pack::PastDemand& past = *cluster.past;
  const std::string& source = cluster.past_source;
  Json one = Json::map();
  one.add("source", Json::of(source));
  one.add("from", Json::of(utc_text(past.from)));
  one.add("to", Json::of(utc_text(past.to)));
  one.add("hours_recorded", Json::of(past.hours));
  one.add("right_sized", cluster.past_right_sized);
  one.add("whole_peak", Json::of(std::int64_t{past.whole}));
  one.add("unplaced_peak", Json::of(std::int64_t{past.unplaced}));
  if (source == "recording") add_gaps(one, cluster.past_gaps, cluster.past_until);
  Json& peaks = one.add("peaks", Json::list());
  for (const pack::PastNeed& need : past.needs) {
    Json& peak = peaks.items.emplace_back(Json::map());
    peak.add("profile", Json::of(need.profile.text));
    peak.add("peak", Json::of(std::int64_t{need.peak}));
    peak.add("at", Json::of(utc_text(need.at)));
    peak.add("held_now", Json::of(std::int64_t{need.held_now}));
  }
  one.add("busiest_hour", busiest_json(past.busiest));
  return one;
}

Json forecast_json(const whatif::Comparison& forecast, const std::optional<pack::QueueDemand>& queue) {
  Json one = Json::map();
  one.add("hours", Json::of(hours_of(forecast.ahead)));
  one.add("changed_at", time_or_null(forecast.changed.changed));
  one.add("sooner", Json::of(static_cast<std::int64_t>(forecast.sooner.size())));
  one.add("later", Json::of(static_cast<std::int64_t>(forecast.later.size())));
  one.add("not_played",
          queue ? Json::of(static_cast<std::int64_t>(whatif::not_played(forecast, queue->ids))) : Json());
  return one;
}

}  // namespace

Json no_node_json(const pack::QueueDemand& queue) {
  Json list = Json::list();
  for (const pack::NoNode& one : queue.no_node) {
    Json& kind = list.items.emplace_back(Json::map());
    kind.add("workloads", Json::of(std::int64_t{one.workloads}));
    kind.add("partition", text_or_null(one.partition));
    kind.add("nodes", Json::of(std::int64_t{one.nodes}));
    kind.add("request", Json::of(one.request));
  }
  return list;
}

Json pack_json(const pack::Problem& problem, const pack::Answer& answer, const PackTimes& times,
               const PackedCluster* cluster, const PackEffect& effect) {
  Json document = Json::map();
  document.add("unmet", by_demand(problem, [&](const auto& kind) { return unmet_of(answer, kind); }));
  document.add("reasons", by_demand(problem, [&](const auto& kind) { return reason_of(answer, kind); }));
  document.add("evicted", Json::of(std::int64_t{answer.evicted}));
  if (problem.evict) document.add("evicted_unmet", Json::of(std::int64_t{answer.homeless}));
  document.add("gpus_touched", Json::of(std::int64_t{answer.gpus_touched}));
  document.add("nodes_touched", Json::of(std::int64_t{answer.nodes_touched}));
  if (problem.mode == pack::Mode::whole_node)
    document.add("running_on_touched_nodes", Json::of(std::int64_t{answer.running_on_touched_nodes}));
  document.add("idle_destroyed", Json::of(std::int64_t{answer.idle_destroyed}));
  document.add("created", Json::of(std::int64_t{answer.created}));
  document.add("bounds", bounds_json(problem, answer));
  Json& boards = document.add("boards", Json::list());
  for (const pack::BoardPlan& plan : answer.boards) boards.items.push_back(board_json(problem, plan));
  if (cluster) {
    document.add("cluster", Json::of(cluster->name));
    Json& left = document.add("left_out", Json::map());
    for (const auto& [why, count] : cluster->left_out) left.add(why, Json::of(std::int64_t{count}));
    if (cluster->queue) {
      Json& queue = document.add("queue", Json::map());
      queue.add("workloads", Json::of(std::int64_t{cluster->queue->workloads}));
      queue.add("other_requests", Json::of(std::int64_t{cluster->queue->other}));
      queue.add("other_reasons", Json::of(std::int64_t{cluster->queue->kept}));
      Json& asked = queue.add("demand", Json::map());
      for (const pack::Demand& one : cluster->queue->demand)
        asked.add(pack::word_of(one, cluster->queue->products), Json::of(std::int64_t{one.count}));
      queue.add("of_any_product", Json::of(std::int64_t{cluster->queue->of_any}));
      if (cluster->queue->other_naming > 0)
        queue.add("asked_otherwise", Json::of(std::int64_t{cluster->queue->other_naming}));
      queue.add("no_node", no_node_json(*cluster->queue));
      if (cluster->queue->guessed > 0)
        queue.add("nodes_guessed", Json::of(std::int64_t{cluster->queue->guessed}));
      if (cluster->queue->beyond > 0)
        queue.add("nodes_too_varied", Json::of(std::int64_t{cluster->queue->beyond}));
      if (!cluster->queue->groups.empty()) queue.add("by_nodes", groups_json(*cluster->queue));
    }
    if (cluster->past) document.add("history", history_json(*cluster));
    Json& told_by = document.add("made_told_by", Json::map());
    for (const auto& [source, count] : cluster->told_by) told_by.add(source, Json::of(std::int64_t{count}));
    Json& unasked = document.add("drivers_not_asked", Json::list());
    for (const std::string& node : cluster->unasked) unasked.items.push_back(Json::of(node));
    document.add("refused", text_or_null(effect.refused));
    document.add("forecast", effect.forecast ? forecast_json(*effect.forecast, cluster->queue) : Json());
    document.add("intent", answer.boards.empty() ? Json() : Json::of(pack::intent_text(problem, answer)));
  }
  Json& seconds = document.add("seconds", Json::map());
  seconds.add("read", Json::of(times.read));
  seconds.add("classify", Json::of(times.classify));
  seconds.add("solve", Json::of(times.solve));
  return document;
}

std::string proof_text(const pack::Problem& problem, const pack::Answer& answer, const Options& options) {
  if (answer.boards.empty()) return "";
  std::string text = tui::told(options.reader, pack::certificate(problem, answer)) + "\n";
  if (const std::string busy = pack::disturbed(problem, answer); !busy.empty())
    text += tui::told(options.reader, busy) + "\n";
  return text;
}

std::string forecast_text(const whatif::Comparison& forecast, const pack::QueueDemand* queue,
                          const Options& options) {
  std::string text = tui::told(options.reader, "waiting") + ": " +
                     tui::told(options.reader, whatif::headline(forecast)) + "\n";
  if (!queue) return text;
  if (const std::size_t missed = whatif::not_played(forecast, queue->ids); missed > 0)
    text += tui::told(options.reader,
                      fmt::format("of the queue, whether they start is not known: {} jobs or pods", missed)) +
            "\n";
  if (whatif::helps_none(forecast, queue->ids))
    text +=
        tui::told(options.reader,
                  "The demand counts GPUs, and not what a job or pod asks of its node: tessera advise names "
                  "changes with which some start.") +
        "\n";
  return text;
}

std::string unmet_text(const pack::Problem& problem, const pack::Answer& answer, const Options& options) {
  std::string text;
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    if (answer.unmet[i] > 0)
      text += tui::told(options.reader, pack::unmet_text(problem, answer, i)) + ": " +
              tui::told(options.reader, answer.reason[i]) + "\n";
  return text;
}

std::string unasked_text(const PackedCluster& cluster, const Options& options) {
  std::string text;
  const auto line = [&](const std::string& english) { text += tui::told(options.reader, english) + "\n"; };
  if (cluster.unasked.empty()) return text;
  line(fleet::unasked_text(cluster.name, cluster.unasked));
  line(
      "this plan rests on what Slurm tells of them; --node with their names asks the drivers of those on "
      "which no job runs");
  return text;
}

namespace {

// A terminal breaks long lines in the middle of words; a file has each sentence on a line of its own.
std::string on_paper(const std::string& sentences, const Paper& paper) {
  if (paper.columns <= 0) return sentences;
  std::string text;
  std::istringstream lines(sentences);
  for (std::string line; std::getline(lines, line);)
    text += wrapped(line, 0, static_cast<std::size_t>(paper.columns));
  return text;
}

std::string sentences_of(const pack::Problem& problem, const pack::Answer& answer, const Options& options,
                         const PackedCluster* cluster, const PackEffect& effect) {
  std::string text;
  auto line = [&](const std::string& english) { text += tui::told(options.reader, english) + "\n"; };
  if (answer.boards.empty())
    line(pack::headline(problem, answer));
  else
    text += proof_text(problem, answer, options), line(pack::bounds_text(answer));
  text += unmet_text(problem, answer, options);
  if (answer.homeless > 0)
    line(fmt::format("evicted and without a new place: {} running instances", answer.homeless));
  if (const std::string unchecked = pack::unchecked_text(answer); !unchecked.empty()) line(unchecked);
  if (!cluster) return text;
  const auto say = [&](const std::string& what, const std::string& of) {
    if (!of.empty()) text += tui::told(options.reader, what) + ": " + tui::told(options.reader, of) + "\n";
  };
  say("refused", effect.refused), say("disturbs", effect.disturbs);
  if (effect.forecast)
    text += forecast_text(*effect.forecast, cluster->queue ? &*cluster->queue : nullptr, options);
  if (cluster->queue) {
    line(pack::queue_text(*cluster->queue));
    for (const std::string& one : pack::unserved_text(*cluster->queue)) line(one);
  }
  if (cluster->queue && cluster->queue->other_naming > 0) line(pack::other_naming_text(*cluster->queue));
  if (cluster->past) {
    for (const std::string& one : cluster->past_words) line(one);
    for (const std::string& one : pack::past_text(*cluster->past)) line(one);
  }
  for (const auto& [why, count] : cluster->left_out) line(pack::left_out_text(count, why));
  text += unasked_text(*cluster, options);
  if (!answer.boards.empty() && effect.refused.empty()) {
    line("To make the change: the same with --plan shows its steps, with --apply --write makes it.");
  }
  return text;
}

}  // namespace

std::string pack_page(const pack::Problem& problem, const pack::Answer& answer, const Options& options,
                      const PackedCluster* cluster, const PackEffect& effect) {
  std::string text;
  if (!answer.boards.empty())
    text = to_table(folded(grid_of(problem, answer), "node", options.paper, "gpu"), options.headers,
                    options.paper) +
           "\n";
  return text + on_paper(sentences_of(problem, answer, options, cluster, effect), options.paper);
}

}  // namespace tessera::cli
