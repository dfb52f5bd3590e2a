#include "tui/cli/users.hpp"

#include <fmt/format.h>

#include <set>

#include "engine/insight/available.hpp"
#include "engine/insight/held_words.hpp"
#include "engine/insight/users.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/names.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

template <class Counts>
Json json_of(const Counts& counts) {
  Json map = Json::map();
  for (const auto& [name, count] : counts) map.add(name, Json::of(static_cast<std::int64_t>(count)));
  return map;
}

using insight::SumBy;

// The other names: accounts of a user, users of an account.
const std::set<std::string>& others_of(const insight::UserSum& sum, SumBy by) {
  return by == SumBy::user ? sum.accounts : sum.users;
}
const std::string& name_of(const insight::UserSum& sum, SumBy by) {
  return by == SumBy::user ? sum.user : sum.account;
}

Json json_of(const insight::UserSum& sum, SumBy by) {
  Json one = Json::map();
  one.add("cluster", Json::of(sum.cluster.text));
  one.add(by == SumBy::user ? "user" : "account", text_or_null(name_of(sum, by)));
  Json& others = one.add(by == SumBy::user ? "accounts" : "users", Json::list());
  for (const std::string& other : others_of(sum, by)) others.items.push_back(Json::of(other));
  one.add("gpus", sum.unknown == 0 ? Json::of(sum.gpus) : Json());
  one.add("gpus_at_least", Json::of(sum.gpus));
  one.add("running", Json::of(std::int64_t{sum.running}));
  one.add("suspended", Json::of(std::int64_t{sum.suspended}));
  one.add("waiting", Json::of(std::int64_t{sum.waiting}));
  one.add("measured", Json::of(std::int64_t{sum.measured}));
  one.add("idle", Json::of(std::int64_t{sum.idle}));
  one.add("holds", json_of(sum.holds));
  one.add("asks", json_of(sum.asks));
  return one;
}

Json json_of(const std::vector<insight::UserSum>& users, SumBy by) {
  Json document = Json::map();
  Json& list = document.add(by == SumBy::user ? "users" : "accounts", Json::list());
  for (const insight::UserSum& sum : users) list.items.push_back(json_of(sum, by));
  return document;
}

std::string gpus_of(const insight::UserSum& sum, bool bare) {
  if (sum.unknown == 0) return fmt::format("{:.2f}", sum.gpus);
  if (bare) return "";
  constexpr double kShown = 0.005;  // less rounds to nothing
  return sum.gpus < kShown ? "?" : fmt::format(">={:.2f}", sum.gpus);
}

// bare: for scripts.
Grid grid_of(const std::vector<insight::UserSum>& users, SumBy by, bool bare) {
  using query::Align, query::Show;
  Grid grid;
  grid.heads = {by == SumBy::user ? Grid::Head{"user", "USER"} : Grid::Head{"account", "ACCOUNT"},
                {"cluster", "CLUSTER"},
                {"gpus", "GPUS", Align::right},
                {"running", "RUNNING", Align::right},
                {"waiting", "WAITING", Align::right},
                {"measured", "MEASURED", Align::right, Show::wide},
                {"idle", "IDLE", Align::right},
                {"holds", "HOLDS"},
                {"asks", "WAITS FOR", Align::left, Show::roomy}};
  for (const insight::UserSum& sum : users) {
    const std::string unmeasured = bare ? "" : "n/a";
    const std::string& name = name_of(sum, by);
    grid.rows.push_back({name.empty() ? (bare ? "" : "?") : name, sum.cluster.text, gpus_of(sum, bare),
                         std::to_string(sum.running), std::to_string(sum.waiting),
                         std::to_string(sum.measured),
                         sum.measured == 0 ? unmeasured : std::to_string(sum.idle),
                         bare ? counts_text(sum.holds) : insight::held_text(sum), counts_text(sum.asks)});
  }
  return grid;
}

std::string print(const std::vector<insight::UserSum>& users, SumBy by, const Options& options) {
  switch (options.output) {
    case OutputFormat::json: return document(json_of(users, by), Markup::json);
    case OutputFormat::yaml: return document(json_of(users, by), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(users, by, true), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  if (users.empty()) return tui::told(options.reader, "No workload holds or waits for a GPU.") + "\n";
  return to_table(grid_of(users, by, false), options.headers, options.paper);
}

}  // namespace

int run_users(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  if (!options.by.empty() && options.by != "user" && options.by != "account")
    return complain(streams, {"cannot sum up", "--by: \"" + clean(options.by, 40) + "\" is not known",
                              "--by user or account; on Kubernetes a namespace is an account"}),
           kUsage;
  const SumBy by = options.by == "account" ? SumBy::account : SumBy::user;
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = clusters.start(options.cluster)) return *failed;
  if (!clusters.wait_until_loaded()) return kDone;
  const Model& model = clusters.model();
  for (const Cluster& cluster : model.clusters)
    if (!cluster.loaded || !insight::work_is_current(cluster)) {
      complain(streams,
               {"no complete answer from " + clean(cluster.name.text, 100),
                fmt::format("its workloads could not be read within {} s", options.timeout.count() / 1000),
                "tessera doctor names the source that fails; --cluster leaves other clusters out"});
      return kUnknown;
    }
  for (const Cluster& cluster : model.clusters) keep_names(joins, options, cluster);
  streams.out << print(insight::users_of(model, catalogue, by), by, options);
  return kDone;
}

}  // namespace tessera::cli
