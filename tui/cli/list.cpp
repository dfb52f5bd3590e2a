#include "tui/cli/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/history/history.hpp"
#include "engine/insight/read_whole.hpp"
#include "engine/query/filter.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/folded.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/list_table.hpp"
#include "tui/cli/names.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/column_ranks.hpp"

namespace tessera::cli {
namespace {

constexpr Duration kShortestPause{1000};  // between two prints of --watch

// --- one look at a model

template <class Row>
struct Wanted {
  query::Filter filter;
  std::vector<query::Sort> sorts;
  std::vector<int> columns;
};

template <class Row>
Result<int> find_column(const std::string& key) {
  auto all = query::columns<Row>();
  std::string known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].key == key) return static_cast<int>(i);
    known += (known.empty() ? "" : " ") + std::string(all[i].key);
  }
  return Error{"cannot show these columns", "unknown column \"" + key + "\"", "columns: " + known};
}

// One look has no minutes behind it: no row would pass, which is not to say that none is idle. A recording
// may tell since when.
bool takes_minutes(std::string_view key, const query::Context& context) {
  return key == "trend" || (key == "idle" && !context.history);
}

// at: the moment that was asked for; empty: as it is now.
std::string where_minutes_are(std::string_view key, const std::string& at) {
  if (key == "idle" && at.empty())
    return "--at now reads it from a recording; tessera waste lists what was held and not used";
  return "tessera waste lists what was held and not used; the console has IDLE";
}

template <class Row>
Status known_here(const Wanted<Row>& want, const std::string& at, const query::Context& context) {
  const auto refused = [&](const std::string& what, int column) -> Status {
    if (column < 0) return Done{};
    const auto& key = query::columns<Row>()[static_cast<std::size_t>(column)].key;
    if (!takes_minutes(key, context)) return Done{};
    return Error{what,
                 "\"" + std::string(key) + "\" is not known: it takes minutes, and a command looks once",
                 where_minutes_are(key, at)};
  };
  for (const auto& terms : want.filter.any)
    for (const query::Term& term : terms)
      if (Status known = refused("cannot filter", term.column); !known) return known;
  for (const query::Sort& sort : want.sorts)
    if (Status known = refused("cannot sort", sort.column); !known) return known;
  return Done{};
}

template <class Row>
Result<Wanted<Row>> wanted(const Options& options, const query::Context& context) {
  Wanted<Row> result;
  auto filter = query::parse_filter<Row>(options.filter);
  if (!filter) return filter.error();
  result.filter = *filter;
  for (const std::string& key : options.sort) {
    auto sort = query::parse_sort<Row>(key);
    if (!sort) return sort.error();
    result.sorts.push_back(*sort);
  }
  if (Status known = known_here(result, options.at, context); !known) return known.error();
  for (const std::string& key : options.columns) {
    auto column = find_column<Row>(key);
    if (!column) return column.error();
    result.columns.push_back(*column);
  }
  if (!result.columns.empty()) return result;
  auto all = query::columns<Row>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool every = options.output != OutputFormat::table;
    if (takes_minutes(all[i].key, context)) continue;
    if (every || all[i].show != query::Show::wide) result.columns.push_back(static_cast<int>(i));
  }
  return result;
}

template <class Row>
Grid grid_of(const std::vector<Row>& rows, const Wanted<Row>& want, const Options& options,
             const query::Context& context) {
  auto all = query::columns<Row>();
  Grid grid;
  for (int i : want.columns) {
    const auto& column = all[static_cast<std::size_t>(i)];
    grid.heads.push_back(
        {std::string(column.key), std::string(column.title), column.align, column.show, column.min_width});
  }
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (int i : want.columns) {
      const auto& column = all[static_cast<std::size_t>(i)];
      query::Value value = column.value(row, context);
      bool raw = options.output == OutputFormat::csv;
      std::string text = raw ? raw_text(value, column.format) : query::to_text(value, column.format);
      const bool drawn = column.key == "strip" || column.key == "trend";
      cells.push_back(options.ascii && drawn ? in_ascii(text) : text);
    }
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

tui::ScreenKind list_of(const std::string& command) {
  if (command == "nodes") return tui::ScreenKind::nodes;
  if (command == "gpus") return tui::ScreenKind::gpus;
  return command == "slices" ? tui::ScreenKind::slices : tui::ScreenKind::workloads;
}

// For people at a terminal: rows that tell the same of several nodes or GPUs are one, and where there is not
// room for all of it, words are those of the console. An order by a column that is not shown would be lost.
Grid as_in_the_console(Grid grid, bool sees_order, const Options& options, const Paper& paper) {
  if (options.command != "workloads" && sees_order) grid = folded(std::move(grid), "node", paper, "gpu");
  if (fits(grid, options.headers, paper)) return grid;
  for (std::vector<std::string>& row : grid.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = tui::short_cell(grid.heads[i].key, std::move(row[i]));
  return grid;
}

template <class Row>
Result<std::string> print_rows(std::vector<Row> rows, const Model& model, const Options& options,
                               const query::Context& context, const ListNotes& notes) {
  auto want = wanted<Row>(options, context);
  if (!want) return want.error();
  query::filter_and_sort(rows, want->filter, want->sorts, context);
  switch (options.output) {
    case OutputFormat::json:
      return document(rows, context, options.watch ? Markup::json_line : Markup::json, notes);
    case OutputFormat::yaml: return document(rows, context, Markup::yaml, notes);
    case OutputFormat::csv: return to_csv(grid_of(rows, *want, options, context), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  // What was asked for by name is printed whole.
  Paper paper = options.paper;
  if (options.output == OutputFormat::wide || !options.columns.empty()) paper.columns = 0;
  Grid grid = grid_of(rows, *want, options, context);
  if (paper.columns <= 0) return to_table(grid, options.headers, paper);
  const bool sees_order = std::all_of(want->sorts.begin(), want->sorts.end(), [&](const query::Sort& sort) {
    return std::find(want->columns.begin(), want->columns.end(), sort.column) != want->columns.end();
  });
  ConsoleList list;
  list.screen.kind = list_of(options.command), list.screen.filter_text = options.filter;
  list.nodes_of_two = options.command == "nodes" && tui::has_nodes_of_two(model);
  return to_list_table(as_in_the_console(std::move(grid), sees_order, options, paper), options.headers, paper,
                       list);
}

// --- a world that has to be asked first

class Looker {
 public:
  Looker(const Options& options, const mig::Catalogue& catalogue, const Joins& joins, const Streams& streams)
      : options_(options),
        catalogue_(catalogue),
        streams_(streams),
        clusters_(options, catalogue, joins, streams),
        joins_(joins),
        wall_(joins.wall) {}

  int run() {
    if (!options_.at.empty()) recorded_.emplace();
    // Complaints about the request come before anything is asked of a cluster.
    if (auto empty = print_list(options_, Model{}, context()); !empty) {
      complain(streams_, empty.error());
      return kUsage;
    }
    if (auto failed = clusters_.open()) return *failed;
    // From before the first print on, so that whoever has seen output can end us in order.
    if (options_.watch) clusters_.catch_signals();
    if (options_.watch) clusters_.watch_reader();
    if (auto failed = clusters_.start(options_.cluster)) return *failed;
    if (!clusters_.wait_until_loaded()) return kDone;
    if (Status known = learn_idle(); !known) {
      // A moment that cannot be read does not tell it either: that comes first.
      for (const Cluster& cluster : clusters_.model().clusters) clusters_.tell_failures(cluster);
      return complain(streams_, known.error()), kUnknown;
    }
    // With --watch they are printed when they come.
    if (shows_figures() && !options_.watch && !wait_for_figures()) return kDone;
    int code = report();
    return options_.watch ? watch() : code;
  }

 private:
  query::Context context() const { return {wall_(), &catalogue_, recorded_ ? &*recorded_ : nullptr}; }

  // Errors: the recording does not tell it, and it was asked for.
  Status learn_idle() {
    if (!recorded_ || take_idle()) return Done{};
    recorded_.reset();
    const auto asked = print_list(options_, Model{}, context());
    return asked ? Status(Done{}) : Status(asked.error());
  }
  // Whether something new was told. Precondition: a moment of a recording is looked at.
  bool take_idle() {
    bool is_told = false;
    for (const BackendPtr& backend : clusters_.backends()) {
      const Cluster* cluster = clusters_.model().find(backend->name());
      history::KeepsFigures* keeps = backend->keeps_figures();
      auto told = cluster && keeps ? keeps->take_idle() : std::nullopt;
      if (!told) continue;
      is_told = is_told || !told->empty();
      recorded_->take_told(cluster->name, std::move(*told));
      for (const Node& node : cluster->nodes.all()) recorded_->take(*cluster, node.name);
    }
    return is_told;
  }

  bool shows_figures() const { return options_.command != "workloads"; }
  // Facts are told first, figures by sources of their own. False: it is time to leave.
  bool wait_for_figures() {
    if (figures_have_come(clusters_.model(), options_)) return true;
    return clusters_.wait_until([this] { return figures_have_come(clusters_.model(), options_); },
                                wall_() + figures_within(options_));
  }

  // Prints what is known, says what is not. A cluster that did not tell all of its nodes and work makes it 3.
  int report() {
    const Model& model = clusters_.model();
    bool answered = false, missing = model.clusters.empty();
    for (const Cluster& cluster : model.clusters) {
      bool told = clusters_.tell_troubles(cluster, [&](Source source) { return is_needed(source); });
      answered |= told;
      missing |= !told || !insight::is_read_whole(cluster);
      keep_names(joins_, options_, cluster);
    }
    if (missing && model.clusters.empty()) {
      complain(streams_, {"no answer", fmt::format("within {} s", options_.timeout.count() / 1000),
                          "try again with a longer --timeout"});
    }
    if (answered) print();
    return missing ? kUnknown : kDone;
  }

  bool is_needed(Source source) const {
    bool work = options_.command == "workloads";
    switch (source) {
      case Source::simulator: return true;
      case Source::slurm_nodes:
      case Source::kubernetes_nodes: return !work;
      case Source::slurm_jobs:
      case Source::kubernetes_pods: return work;
      default: return false;
    }
  }

  bool for_people() const {
    return options_.output == OutputFormat::table || options_.output == OutputFormat::wide;
  }

  void print() {
    const ListNotes notes = notes_on(clusters_.model(), options_);
    auto text = print_list(options_, clusters_.model(), context(), notes);
    if (!text || *text == last_) return;
    if (options_.watch && for_people()) {
      streams_.out << (last_.empty() ? "" : "\n") << "# " << utc_text(wall_()) << "\n";
    } else if (options_.watch && options_.output == OutputFormat::csv && !last_.empty()) {
      streams_.out << "\n";
    }
    streams_.out << *text << std::flush;
    last_ = *text;
    if (for_people()) say(notes);
  }

  // Below the list, each line once.
  void say(const ListNotes& notes) {
    for (const Error& line : lines_of(notes, options_.command))
      if (said_.insert(to_line(line)).second) complain(streams_, line);
  }

  int watch() {
    TimePoint printed = wall_();
    bool changed = false;
    while (streams_.out.good()) {
      Duration pause = std::max(Duration{0}, printed + kShortestPause - wall_());
      if (!clusters_.sleep(changed ? pause : Duration{-1})) break;
      changed |= clusters_.take_events();
      if (recorded_) take_idle();
      for (const Cluster& cluster : clusters_.model().clusters) clusters_.tell_failures(cluster);
      if (!changed || wall_() - printed < kShortestPause) continue;
      print();
      printed = wall_();
      changed = false;
    }
    return kDone;
  }

  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Streams& streams_;
  OpenClusters clusters_;
  const Joins& joins_;
  const std::function<TimePoint()>& wall_;
  // Samples of the moment that is looked at, with since when each was idle; nullopt: it is not known.
  std::optional<history::History> recorded_;
  std::string last_;            // printed text
  std::set<std::string> said_;  // below it
};

}  // namespace

Result<std::string> print_list(const Options& options, const Model& model, const query::Context& context,
                               const ListNotes& notes) {
  ClusterName only(options.cluster);
  if (options.command == "nodes")
    return print_rows(query::node_rows(model, only), model, options, context, notes);
  if (options.command == "gpus")
    return print_rows(query::gpu_rows(model, only), model, options, context, notes);
  if (options.command == "slices")
    return print_rows(query::slice_rows(model, only), model, options, context, notes);
  return print_rows(query::workload_rows(model, only), model, options, context, notes);
}

int run_list(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  return Looker(options, catalogue, joins, streams).run();
}

}  // namespace tessera::cli
