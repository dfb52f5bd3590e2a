#include "tui/cli/fleet/fleet_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/changed_by.hpp"
#include "engine/fleet/demand.hpp"
#include "engine/fleet/left.hpp"
#include "engine/fleet/left_run.hpp"
#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/never_holds.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/phase_ends.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/files/node_wish.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/folded.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

using fleet::BoardRow;
using fleet::BoardSurvey;
using fleet::gpus_text;
using fleet::LastRuns;
using fleet::NodeSurvey;
using fleet::offered_text;
using fleet::rows_of;
using fleet::Standing;

fleet::Left left_of(const FleetPage& page, const RunHead& run, const Node& node) {
  const auto found = page.journals.find(run.run);
  return fleet::left_on(found == page.journals.end() ? nullptr : &found->second, node);
}

std::string run_text(const FleetPage& page, const RunHead* run, const Node& node) {
  if (!run) return "-";
  const bool changed = left_of(page, *run, node).since == fleet::Since::changed;
  return fmt::format("{} ({}){}", clean(run->run, 60), clean(run->who, 40), changed ? ", changed since" : "");
}

std::string otherwise_text(const fleet::Survey& survey, const NodeSurvey& node) {
  const std::string way = fleet::offers_way_out(node, survey.cluster->scheduler);
  if (way.empty()) return "";
  return fmt::format("{} advertises {}, and what is made there would be {}: {}", node.node->name.text,
                     offered_text(*node.node), *node.should_offer, way);
}

// named: the node as the command names it, or several of them.
std::string way_out(const FleetPage& page, const fleet::Survey& survey, const NodeSurvey& node,
                    const LastRuns& runs, const std::string& named, bool several = false) {
  if (page.past) return "";
  const bool names_cluster = page.names_cluster || page.surveys.size() > 1;
  const std::string file =
      file_word(page.path) +
      (names_cluster ? " --cluster " + shell_word(survey.cluster->name.text) : std::string());
  const fleet::Doors commands{"tessera journal",
                              "tessera fleet plan --node " + shell_word(named) + " " + file,
                              "",
                              "tessera fleet plan " + file,
                              "tessera fleet check " + file,
                              several};
  return fleet::way_out(node, survey.cluster->scheduler, runs.of(survey, node), commands);
}

// What is told of nodes one by one: the note of its pool tells the rest.
bool is_found(const NodeSurvey& node) {
  const bool differs = node.standing != Standing::as_wanted && node.standing != Standing::left_alone;
  return differs && !fleet::is_of_its_pool(node);
}

// Nodes of a cluster that have one way out.
struct Leading {
  std::vector<std::string> names;
  const NodeSurvey* first = nullptr;
};

std::string place_of(const NodeSurvey& one, const std::string& file) {
  return one.rule() ? fmt::format("{}:{}", file, one.rule()->line) : "-";
}

Grid grid_of(std::initializer_list<std::pair<const char*, const char*>> heads) {
  Grid grid;
  for (const auto& [key, title] : heads) {
    Grid::Head head;
    head.key = key, head.title = title;
    grid.heads.push_back(std::move(head));
  }
  return grid;
}

class Page {
 public:
  Page(const FleetPage& page, const Options& options) : page_(page), options_(options) {}

  void line(const std::string& english) { raw(told(english)); }
  std::string told(std::string_view english) const { return tui::told(options_.reader, english); }
  void table(const Grid& grid) {
    if (grid.rows.empty()) return;
    text_ += to_table(folded(grid, "node", options_.paper), options_.headers, options_.paper) + "\n";
  }
  void notes() {
    for (const fleet::PoolNote* note : fleet::notes_of(page_.surveys))
      line(fmt::format("{}:{}: pool {}: {}", page_.file, note->pool->line, note->pool->name,
                       told(note->text)));
    for (const std::string& one : page_.unread) line(one);
    for (const fleet::LeftBehind& one : page_.left) line(fleet::left_sentence(one));
    if (!page_.runs_untold.empty()) line("not every run is known: " + page_.runs_untold);
  }
  // Where the scheduler hands out something else than what is made.
  void offers() {
    for (const fleet::Survey& survey : page_.surveys)
      for (const NodeSurvey& node : survey.nodes)
        if (std::string text = otherwise_text(survey, node); !text.empty()) line(text);
  }
  // Of which nodes what is made is the scheduler's word.
  void unasked() {
    for (const fleet::Survey& survey : page_.surveys)
      if (const std::string text = fleet::unasked_text(survey); !text.empty()) line(text);
  }
  // Of nodes that differ, those with the same way out together.
  void ways_out() {
    const LastRuns runs(page_.runs);
    for (const fleet::Survey& survey : page_.surveys) {
      std::map<std::string, Leading> all;
      for (const NodeSurvey& node : survey.nodes) {
        if (!is_found(node)) continue;
        Leading& one = all[way_out(page_, survey, node, runs, "NODE")];
        one.names.push_back(node.node->name.text);
        if (!one.first) one.first = &node;
      }
      for (const auto& [way, leading] : all) {
        if (way.empty()) continue;
        const std::string names = fold_for_reading(leading.names);
        const std::string text =
            way_out(page_, survey, *leading.first, runs, names, leading.names.size() > 1);
        const std::string cluster = page_.surveys.size() > 1 ? survey.cluster->name.text + " " : "";
        raw(fmt::format("{}{}: {}", cluster, names, told(text)));
      }
    }
  }
  // Who may have changed what drifts: no journal is asked for it.
  void orders() {
    for (const fleet::Survey& survey : page_.surveys)
      for (const std::string& text : fleet::order_sentences(survey)) line(text);
  }
  void sums() {
    for (const fleet::Survey& survey : page_.surveys) {
      const auto count = [&](Standing standing) { return survey.count(standing); };
      const std::string& name = survey.cluster->name.text;
      const auto drift = count(Standing::drifts), impossible = count(Standing::impossible),
                 unknown = count(Standing::unknown), left = count(Standing::left_alone);
      if (count(Standing::as_wanted) == 1)
        line(
            fmt::format("{}: 1 node as wanted, {} differ, {} cannot become what the file says, {} unknown; "
                        "{} left alone",
                        name, drift, impossible, unknown, left));
      else
        line(
            fmt::format("{}: {} nodes as wanted, {} differ, {} cannot become what the file says, {} unknown; "
                        "{} left alone",
                        name, count(Standing::as_wanted), drift, impossible, unknown, left));
    }
  }
  void raw(const std::string& text) { text_ += on_paper(text + "\n", options_.paper); }
  std::string take() { return std::move(text_); }

 private:
  const FleetPage& page_;
  const Options& options_;
  std::string text_;
};

std::string word_of(const Page& page, Standing standing) { return page.told(word(standing)); }

void add_rows(Grid& grid, const Page& page, const FleetPage& all, const LastRuns& runs,
              const fleet::Survey& survey, const NodeSurvey& node) {
  const std::string by = run_text(all, runs.of(survey, node), *node.node);
  const auto row = [&](std::string gpus, std::string wanted, std::string made, std::string held,
                       Standing standing) {
    grid.rows.push_back({survey.cluster->name.text, node.node->name.text, node.pool->name, std::move(gpus),
                         word_of(page, standing), std::move(wanted), std::move(made),
                         offered_text(*node.node), std::move(held), by});
  };
  for (const BoardRow& each : rows_of(node)) {
    fleet::BoardTexts texts = fleet::board_texts(node, *each.board);
    row(gpus_text(each.gpus), std::move(texts.wanted), std::move(texts.made), std::to_string(each.held),
        fleet::standing_of(node, each));
  }
  if (node.boards.empty()) row("-", fleet::to_text(*node.rule()), fleet::made_text(node), "-", node.standing);
}

Json json_of(const fleet::LeftBehind& left) {
  Json one = Json::map();
  one.add("run", Json::of(clean(left.head.run, 100)));
  one.add("by", Json::of(clean(left.head.who, 60)));
  one.add("cluster", Json::of(left.head.cluster.text));
  one.add("state", Json::of(std::string(word(left.head.state))));
  Json& nodes = one.add("nodes", Json::list());
  for (const NodeName& node : left.head.nodes) nodes.items.push_back(Json::of(node.text));
  Json& closed = one.add("closed", Json::list());
  for (const NodeName& node : left.closed) closed.items.push_back(Json::of(node.text));
  one.add("why", text_or_null(left.why));
  return one;
}

Json json_of(const BoardSurvey& board) {
  Json one = Json::map();
  one.add("gpu", Json::of(std::int64_t{board.gpu.value}));
  one.add("state", Json::of(std::string(word(board.standing))));
  const bool told = board.wanted_is == BoardSurvey::Wanted::told;  // else a preset that is not there
  one.add("wanted", told ? Json::of(plan::file_text(board.wanted)) : Json());
  one.add("made", board.made ? Json::of(plan::file_text(fleet::wish_of(*board.made))) : Json());
  one.add("held", Json::of(std::int64_t{board.held}));
  one.add("why", text_or_null(board.why));
  return one;
}

Json json_of(const NodeSurvey& node, const fleet::Survey& survey, const LastRuns& runs,
             const FleetPage& page) {
  Json one = Json::map();
  one.add("node", Json::of(node.node->name.text));
  one.add("state", Json::of(std::string(word(node.standing))));
  one.add("pool", node.pool ? Json::of(node.pool->name) : Json());
  one.add("line", node.rule() ? Json::of(std::int64_t{node.rule()->line}) : Json());
  one.add("why", text_or_null(node.why));
  one.add("way_out", text_or_null(way_out(page, survey, node, runs, node.node->name.text)));
  Json& boards = one.add("gpus", Json::list());
  for (const BoardSurvey& board : node.boards) boards.items.push_back(json_of(board));
  Json& offered = one.add("advertised", Json());
  if (node.node->allocatable) {
    offered = Json::map();
    for (const auto& [resource, count] : *node.node->allocatable) offered.add(resource, Json::of(count));
  }
  const bool asked = !node.node->gpus.empty() && survey.cluster->scheduler == Scheduler::slurm;
  one.add("driver_asked", asked ? Json::of(!fleet::is_slurms_word(*node.node)) : Json());
  one.add("advertised_as_made", node.should_offer ? Json::of(node.should_offer->empty()) : Json());
  const RunHead* run = runs.of(survey, node);
  one.add("last_run", run ? Json::of(clean(run->run)) : Json());
  one.add("changed_by", run ? Json::of(clean(run->who)) : Json());
  const auto since = run ? left_of(page, *run, *node.node).since : fleet::Since::untold;
  const bool told = since != fleet::Since::unfinished && since != fleet::Since::untold;
  one.add("changed_since", told ? Json::of(since == fleet::Since::changed) : Json());
  const LayoutOrder order = node.node->order.value_or(LayoutOrder{});
  one.add("ordered_by", text_or_null(clean(order.by, 100)));
  one.add("ordered_at", order.by.empty() || !order.written ? Json() : Json::of(utc_text(*order.written)));
  Json& writes = one.add("labels_written", Json::list());
  for (const LabelWrite& write : node.node->writes) {
    Json each = Json::map();
    each.add("label", Json::of(clean(write.label, 100)));
    each.add("by", Json::of(clean(write.by, 100)));
    each.add("at", write.written ? Json::of(utc_text(*write.written)) : Json());
    writes.items.push_back(std::move(each));
  }
  return one;
}

// What is wrong with a node, by its GPUs.
std::string finding_text(const Page& page, const NodeSurvey& node) {
  std::string why = node.refused ? "" : page.told(node.why);
  if (node.standing == Standing::drifts)
    for (const BoardRow& row : rows_of(node))
      if (row.board->standing == Standing::drifts) {
        const auto [wanted, made] = fleet::board_texts(node, *row.board);
        why += fmt::format("{}GPU {}: {} → {}", why.empty() ? "" : "; ", gpus_text(row.gpus), made, wanted);
      }
  if (node.refused) why += (why.empty() ? "" : "; ") + page.told(node.why);
  return why;
}

// Where a terminal is narrow, the line of the file says which pool it is, and why a node differs is read.
void fit_check(Grid& grid, std::size_t clusters, const Paper& paper) {
  constexpr int kOthers = 60, kReason = 24;  // cells
  for (Grid::Head& head : grid.heads) {
    if (head.key == "pool" || (head.key == "cluster" && clusters == 1)) head.show = query::Show::roomy;
    if (head.key == "state") head.min_width = 10;
    if (head.key == "why") head.min_width = std::max(kReason, paper.columns - kOthers);
  }
}

// Where a terminal is narrow, what is wanted and what is made there are read, and other columns left out.
void fit_diff(Grid& grid, const Paper& paper) {
  constexpr int kOthers = 50, kLayout = 14;  // cells
  for (Grid::Head& head : grid.heads) {
    if (head.key == "wanted" || head.key == "made")
      head.min_width = std::max(kLayout, (paper.columns - kOthers) / 2);
    if (head.key == "state") head.min_width = 10;
    if (head.key == "pool" || head.key == "last_run") head.show = query::Show::roomy;
    if (head.key == "advertised") head.show = query::Show::wide;
  }
}

}  // namespace

std::string file_word(const std::string& path) { return clean(path) == path ? shell_word(path) : "FILE"; }

bool advertises_otherwise(const FleetPage& page) {
  return std::any_of(page.surveys.begin(), page.surveys.end(), [](const fleet::Survey& survey) {
    return std::any_of(survey.nodes.begin(), survey.nodes.end(), [](const NodeSurvey& node) {
      return node.should_offer && !node.should_offer->empty();
    });
  });
}

std::string check_page(const FleetPage& all, const Options& options) {
  Page page(all, options);
  std::vector<std::pair<const fleet::Survey*, const NodeSurvey*>> found;
  for (const fleet::Survey& survey : all.surveys)
    for (const NodeSurvey& node : survey.nodes)
      if (is_found(node)) found.emplace_back(&survey, &node);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return fleet::rank(a.second->standing) < fleet::rank(b.second->standing);
  });
  Grid grid = grid_of({{"cluster", "CLUSTER"},
                       {"node", "NODE"},
                       {"pool", "POOL"},
                       {"line", "RULED BY"},
                       {"state", "STATE"},
                       {"why", "WHY"}});
  fit_check(grid, all.surveys.size(), options.paper);
  for (const auto& [survey, node] : found)
    grid.rows.push_back({survey->cluster->name.text, node->node->name.text, node->pool->name,
                         place_of(*node, all.file), word_of(page, node->standing),
                         finding_text(page, *node)});
  page.table(grid);
  page.ways_out();
  page.offers();
  page.orders();
  page.notes();
  page.unasked();
  page.sums();
  return page.take();
}

std::string diff_page(const FleetPage& all, const Options& options) {
  Page page(all, options);
  const LastRuns runs(all.runs);
  Grid grid = grid_of({{"cluster", "CLUSTER"},
                       {"node", "NODE"},
                       {"pool", "POOL"},
                       {"gpus", "GPU"},
                       {"state", "STATE"},
                       {"wanted", "WANTED"},
                       {"made", "MADE"},
                       {"advertised", "ADVERTISED"},
                       {"held", "HELD"},
                       {"last_run", "LAST RUN"}});
  fit_diff(grid, options.paper);
  for (const fleet::Survey& survey : all.surveys)
    for (const NodeSurvey& node : survey.nodes)
      if (node.pool && node.rule()->kind != fleet::Rule::Kind::as_is)
        add_rows(grid, page, all, runs, survey, node);
  page.table(grid);
  page.ways_out();
  page.offers();
  page.orders();
  page.notes();
  page.unasked();
  page.sums();
  return page.take();
}

std::string explain_page(const FleetPage& all, const fleet::Survey& survey, const NodeSurvey& node,
                         const Options& options) {
  Page page(all, options);
  page.raw(fmt::format("{} {}", survey.cluster->name.text, node.node->name.text));
  const auto line = [&](const std::string& english) { page.raw("  " + page.told(english)); };
  if (!node.pool) {
    line("no pool takes it: it is left alone");
    return page.take();
  }
  line(fmt::format("pool {} takes it: {}:{}", node.pool->name, all.file, node.pool->line));
  if (node.exception)
    line(fmt::format("an exception of the pool names it: {}:{}", all.file, node.rule()->line));
  line(fmt::format("it is to be: {}", fleet::to_text(*node.rule())));
  line(fmt::format("where a node of the pool fails: {}", word(node.pool->on_failure)));
  for (const fleet::PoolNote& note : survey.notes)
    if (note.pool == node.pool &&
        (note.standing == Standing::as_wanted || note.standing == Standing::drifts ||
         (note.standing == Standing::impossible && !fleet::is_of_its_pool(node))))
      line(note.text);
  for (const fleet::Pool* other : node.also)
    line(fmt::format("pool {} would take it, too, and stands below: {}:{}", other->name, all.file,
                     other->line));
  line(fmt::format("state: {}", page.told(word(node.standing))));
  if (!node.why.empty()) page.raw("    " + page.told(node.why));
  for (const BoardRow& row : rows_of(node)) {
    const auto [wanted, made] = fleet::exact_texts(node, *row.board);
    line(fmt::format("GPU {}: wanted {}, made {}; slices held: {}", gpus_text(row.gpus), wanted, made,
                     row.held));
  }
  line(fmt::format("the scheduler offers: {}", offered_text(*node.node)));
  if (const std::string text = otherwise_text(survey, node); !text.empty()) line(text);
  const std::string way = way_out(all, survey, node, LastRuns(all.runs), node.node->name.text);
  if (is_found(node) && !way.empty()) page.raw(fmt::format("  {}: {}", page.told("way out"), page.told(way)));
  if (const RunHead* run = LastRuns(all.runs).of(survey, node))
    line(fleet::last_sentence(*run, left_of(all, *run, *node.node)));
  else if (all.runs_untold.empty())
    line("no run of tessera that is known here has changed it");
  if (!all.runs_untold.empty()) line("not every run is known: " + all.runs_untold);
  return page.take();
}

Json fleet_json(const FleetPage& page) {
  const LastRuns runs(page.runs);
  Json document = Json::map();
  document.add("file", Json::of(page.file));
  Json& clusters = document.add("clusters", Json::list());
  for (const fleet::Survey& survey : page.surveys) {
    Json one = Json::map();
    one.add("cluster", Json::of(survey.cluster->name.text));
    Json& nodes = one.add("nodes", Json::list());
    for (const NodeSurvey& node : survey.nodes) nodes.items.push_back(json_of(node, survey, runs, page));
    Json& notes = one.add("pools", Json::list());
    for (const fleet::PoolNote& note : survey.notes) {
      Json each = Json::map();
      each.add("pool", Json::of(note.pool->name));
      each.add("line", Json::of(std::int64_t{note.pool->line}));
      each.add("state", Json::of(std::string(word(note.standing))));
      each.add("why", Json::of(note.text));
      notes.items.push_back(std::move(each));
    }
    clusters.items.push_back(std::move(one));
  }
  Json& unread = document.add("unread", Json::list());
  for (const std::string& one : page.unread) unread.items.push_back(Json::of(one));
  Json& left = document.add("left_runs", Json::list());
  for (const fleet::LeftBehind& one : page.left) left.items.push_back(json_of(one));
  document.add("runs_untold", page.runs_untold.empty() ? Json() : Json::of(page.runs_untold));
  return document;
}

std::string calendar_page(const std::vector<fleet::Due>& all, const fleet::Fleet& fleet,
                          const std::vector<ClockTold>& clocks, const Options& options) {
  const auto line = [&](const std::string& english) {
    return on_paper(tui::told(options.reader, english) + "\n", options.paper);
  };
  if (all.empty()) return line("No pool of the file has windows: what it says holds at all times.");
  const bool early = std::any_of(all.begin(), all.end(), [](const fleet::Due& due) { return due.closing; });
  Grid grid = grid_of({{"begin", "FROM"}, {"end", "UNTIL"}});
  const auto column = [&](const char* key, const char* title) {
    Grid::Head head;
    head.key = key, head.title = title;
    grid.heads.push_back(std::move(head));
  };
  if (early) column("closing_from", "CLOSING FROM");
  column("pool", "POOL"), column("window", "WINDOW"), column("rule", "IS TO BE");
  for (const fleet::Due& due : all) {
    std::vector<std::string> row{
        fleet::holds_now(all, due) ? tui::told(options.reader, "now") : fleet::clock_text(due.begin),
        due.no_end ? "-" : fleet::clock_text(due.end)};
    if (early) row.push_back(due.closing ? fleet::clock_text(due.closing_local) : std::string("-"));
    row.push_back(due.pool->name);
    row.push_back(due.phase.window ? due.phase.words : std::string("-"));
    row.push_back(fleet::to_text(fleet::rule_of(due)));
    grid.rows.push_back(std::move(row));
  }
  std::string text = to_table(grid, options.headers, options.paper) + "\n";
  for (const fleet::NeverHolds& one : fleet::windows_that_never_hold(fleet))
    text += line(fmt::format("pool {}: {}", one.pool->name, tui::told(options.reader, fleet::to_text(one))));
  text += line(fmt::format("Times are those of {}.", fleet::zone_name(fleet)));
  if (early)
    text += line(
        "CLOSING FROM: no node is closed for the window before; time limits of what runs there say when.");
  for (const ClockTold& one : clocks)
    text += one.cluster.empty() ? line(fmt::format("It is {} by the clock of this machine; tessera fleet run "
                                                   "goes by the clock of each cluster.",
                                                   utc_text(one.now)))
                                : line(fmt::format("It is {} by the clock of {}, which fleet run goes by.",
                                                   utc_text(one.now), one.cluster.text));
  return text;
}

Json calendar_json(const std::vector<fleet::Due>& all, const std::vector<ClockTold>& clocks) {
  Json document = Json::map();
  Json& told = document.add("clocks", Json::list());
  for (const ClockTold& one : clocks) {
    Json clock = Json::map();
    clock.add("cluster", one.cluster.empty() ? Json() : Json::of(one.cluster.text));
    clock.add("now", Json::of(utc_text(one.now)));
    told.items.push_back(std::move(clock));
  }
  Json& phases = document.add("phases", Json::list());
  for (const fleet::Due& due : all) {
    Json one = Json::map();
    one.add("from", Json::of(utc_text(due.phase.begin)));
    one.add("until", due.no_end ? Json() : Json::of(utc_text(due.phase.end)));
    one.add("closing_from", due.closing ? Json::of(utc_text(*due.closing)) : Json());
    one.add("pool", Json::of(due.pool->name));
    one.add("window", due.phase.window ? Json::of(due.phase.words) : Json());
    one.add("line", Json::of(std::int64_t{due.phase.window ? due.phase.window->line : due.pool->rule.line}));
    one.add("wanted", Json::of(fleet::to_text(fleet::rule_of(due))));
    one.add("on_failure", Json::of(std::string(fleet::word(due.pool->on_failure))));
    phases.items.push_back(std::move(one));
  }
  return document;
}

}  // namespace tessera::cli
