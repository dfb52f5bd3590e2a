#include "tui/cli/list.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/model/reduce.hpp"
#include "engine/query/filter.hpp"
#include "tui/ascii.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/signals.hpp"

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

template <class Row>
Result<Wanted<Row>> wanted(const Options& options) {
  Wanted<Row> result;
  auto filter = query::parse_filter<Row>(options.filter);
  if (!filter) return filter.error();
  result.filter = *filter;
  for (const std::string& key : options.sort) {
    auto sort = query::parse_sort<Row>(key);
    if (!sort) return sort.error();
    result.sorts.push_back(*sort);
  }
  for (const std::string& key : options.columns) {
    auto column = find_column<Row>(key);
    if (!column) return column.error();
    result.columns.push_back(*column);
  }
  if (!result.columns.empty()) return result;
  auto all = query::columns<Row>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool every = options.output != OutputFormat::table;
    if (every || all[i].show != query::Show::wide) result.columns.push_back(static_cast<int>(i));
  }
  return result;
}

// A placement strip for terminals and files that know only ASCII.
std::string in_ascii(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    plain += tui::ascii_glyph(text.substr(at, end - at));
    at = end;
  }
  return plain;
}

template <class Row>
Grid grid_of(const std::vector<Row>& rows, const Wanted<Row>& want, const Options& options,
             const query::Context& context) {
  auto all = query::columns<Row>();
  Grid grid;
  for (int i : want.columns) {
    const auto& column = all[static_cast<std::size_t>(i)];
    grid.heads.push_back({std::string(column.key), std::string(column.title), column.align});
  }
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (int i : want.columns) {
      const auto& column = all[static_cast<std::size_t>(i)];
      query::Value value = column.value(row, context);
      bool raw = options.output == OutputFormat::csv;
      std::string text = raw ? raw_text(value, column.format) : query::to_text(value, column.format);
      cells.push_back(options.ascii && column.key == "strip" ? in_ascii(text) : text);
    }
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

template <class Row>
Result<std::string> print_rows(std::vector<Row> rows, const Options& options, const query::Context& context) {
  auto want = wanted<Row>(options);
  if (!want) return want.error();
  query::filter_and_sort(rows, want->filter, want->sorts, context);
  switch (options.output) {
    case OutputFormat::json: return document(rows, context, options.watch ? Markup::json_line : Markup::json);
    case OutputFormat::yaml: return document(rows, context, Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(rows, *want, options, context), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  return to_table(grid_of(rows, *want, options, context), options.headers);
}

// --- a world that has to be asked first

class Looker {
 public:
  Looker(const Options& options, const mig::Catalogue& catalogue, const Joins& joins, const Streams& streams)
      : options_(options), catalogue_(catalogue), joins_(joins), streams_(streams) {}

  int run() {
    // Complaints about the request come before anything is asked of a cluster.
    if (auto empty = print_list(options_, Model{}, context()); !empty) return refuse(empty.error(), kUsage);
    Opening opening = joins_.open(options_, catalogue_);
    if (opening.failure) return refuse(*opening.failure, opening.exit_code);
    if (Status chosen = choose(opening.backends); !chosen) return refuse(chosen.error(), kUsage);
    // From before the first print on, so that whoever has seen output can end us in order.
    if (options_.watch) signals_.emplace();
    for (const BackendPtr& backend : opening.backends) backend->start(joins_.sink);
    if (!wait_until_loaded(opening.backends)) return kDone;
    int code = report();
    return options_.watch ? watch() : code;
  }

 private:
  query::Context context() const { return {joins_.wall(), &catalogue_}; }

  int refuse(const Error& error, int code) {
    complain(streams_, error);
    return code;
  }

  // --cluster: the others are not even started.
  Status choose(std::vector<BackendPtr>& backends) const {
    if (options_.cluster.empty()) return Done{};
    std::string known;
    for (const BackendPtr& backend : backends) {
      known += (known.empty() ? "clusters here: " : ", ") + backend->name().text;
    }
    std::erase_if(backends, [&](const BackendPtr& each) { return each->name().text != options_.cluster; });
    if (backends.empty()) return Error{"no such cluster", "\"" + options_.cluster + "\"", known};
    return Done{};
  }

  bool take_events() {
    bool changed = false;
    for (Event& event : joins_.events.take()) changed |= reduce(model_, std::move(event)).any();
    return changed;
  }

  bool all_loaded(const std::vector<BackendPtr>& backends) const {
    return std::all_of(backends.begin(), backends.end(), [&](const BackendPtr& backend) {
      const Cluster* cluster = model_.find(backend->name());
      return cluster && cluster->loaded;
    });
  }

  // Sleeps until an event, a signal, the reader's leaving or the time. False: it is time to leave.
  bool sleep(Duration at_most) {
    pollfd fds[] = {{joins_.events.wake_fd(), POLLIN, 0},
                    {signals_ ? signals_->fd() : -1, POLLIN, 0},
                    {options_.watch ? streams_.out_fd : -1, 0, 0}};
    ::poll(fds, 3, static_cast<int>(at_most.count()));
    tui::Signals::Taken taken;
    if (signals_) taken = signals_->take();
    if (taken.stop) tui::stop_process_group();  // Ctrl-z; it goes on here after fg or bg
    return !taken.ended && !(fds[2].revents & (POLLERR | POLLHUP));
  }

  bool wait_until_loaded(const std::vector<BackendPtr>& backends) {
    TimePoint deadline = joins_.wall() + options_.timeout;
    for (;;) {
      take_events();
      Duration left = deadline - joins_.wall();
      if (all_loaded(backends) || left <= Duration{0}) return true;
      if (!sleep(left)) return false;
    }
  }

  // Prints what is known, says what is not. A cluster that told nothing of what was asked makes it 3.
  int report() {
    bool answered = false, missing = model_.clusters.empty();
    for (const Cluster& cluster : model_.clusters) {
      bool told = tell_troubles(cluster);
      answered |= told;
      missing |= !told;
    }
    if (missing && model_.clusters.empty()) {
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

  // Says what fails, once for as long as it fails in the same words.
  void tell_failures(const Cluster& cluster) {
    for (const auto& [source, health] : cluster.sources) {
      const std::pair key(cluster.name, source);
      if (!health.failure) {
        complained_.erase(key);
        continue;
      }
      Error error = *health.failure;
      error.what = cluster.name.text + ": " + error.what;
      std::string& said = complained_[key];
      if (said == to_line(error)) continue;
      said = to_line(error);
      complain(streams_, error);
    }
  }

  bool tell_troubles(const Cluster& cluster) {
    tell_failures(cluster);
    bool told = std::none_of(cluster.sources.begin(), cluster.sources.end(), [&](const auto& each) {
      const auto& [source, health] = each;
      return health.failure && is_needed(source) && !health.last_ok;
    });
    if (!cluster.loaded) {
      complain(streams_, {cluster.name.text + ": no complete answer",
                          fmt::format("within {} s", options_.timeout.count() / 1000),
                          "try again with a longer --timeout"});
      told = told && (!cluster.nodes.empty() || !cluster.workloads.empty());
    }
    return told;
  }

  void print() {
    auto text = print_list(options_, model_, context());
    if (!text || *text == last_) return;
    if (options_.watch && (options_.output == OutputFormat::table || options_.output == OutputFormat::wide)) {
      streams_.out << (last_.empty() ? "" : "\n") << "# " << iso_time(joins_.wall()) << "\n";
    } else if (options_.watch && options_.output == OutputFormat::csv && !last_.empty()) {
      streams_.out << "\n";
    }
    streams_.out << *text << std::flush;
    last_ = *text;
  }

  int watch() {
    TimePoint printed = joins_.wall();
    bool changed = false;
    while (streams_.out.good()) {
      Duration pause = std::max(Duration{0}, printed + kShortestPause - joins_.wall());
      if (!sleep(changed ? pause : Duration{-1})) break;
      changed |= take_events();
      for (const Cluster& cluster : model_.clusters) tell_failures(cluster);
      if (!changed || joins_.wall() - printed < kShortestPause) continue;
      print();
      printed = joins_.wall();
      changed = false;
    }
    return kDone;
  }

  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Joins& joins_;
  const Streams& streams_;
  Model model_;
  std::string last_;  // printed text
  std::map<std::pair<ClusterName, Source>, std::string> complained_;
  std::optional<tui::Signals> signals_;  // with --watch
};

}  // namespace

Result<std::string> print_list(const Options& options, const Model& model, const query::Context& context) {
  ClusterName only(options.cluster);
  if (options.command == "nodes") return print_rows(query::node_rows(model, only), options, context);
  if (options.command == "gpus") return print_rows(query::gpu_rows(model, only), options, context);
  if (options.command == "slices") return print_rows(query::slice_rows(model, only), options, context);
  return print_rows(query::workload_rows(model, only), options, context);
}

int run_list(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  return Looker(options, catalogue, joins, streams).run();
}

}  // namespace tessera::cli
