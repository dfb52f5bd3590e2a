#include "tui/screens/users.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "engine/insight/available.hpp"
#include "engine/insight/held_words.hpp"
#include "engine/insight/named_allocations.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/model/tell.hpp"
#include "engine/number.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "tui/screens/beside.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

// The sums walk all work and all GPUs, so those of a large site are not walked for every event.
constexpr std::size_t kManyThings = 20000;
constexpr Duration kManyEvery{5000};

std::string id_of_user(const insight::UserSum& sum) {
  return sum.cluster.text + '\x1f' + insight::name_of(sum);
}

std::string user_text(const insight::UserSum& sum) {
  return insight::name_of(sum).empty() ? "?" : insight::name_of(sum);
}

// What the screen lists; overview and usage have the users whatever it lists.
const std::vector<insight::UserSum>& shown(const UiState& state) {
  return state.users.by_account ? state.users.accounts : state.users.users;
}

const insight::UserSum* user_here(const UiState& state) {
  const std::vector<insight::UserSum>& users = shown(state);
  if (users.empty()) return nullptr;
  const auto* here = item_here(std::span<const insight::UserSum>(users), state.top(), id_of_user);
  return here ? here : &users.front();
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string_view name_heading(const UiState& state) { return state.users.by_account ? "ACCOUNT" : "USER"; }

struct UserColumns {
  int cluster = 0, gpus = 0, running = 0, waiting = 0, idle = 0, holds = 0;
};
// Names have what they need, up to here: what a user holds is read to its end.
UserColumns user_columns(const UiContext& ui, const UiState& state, int width) {
  const int most = width >= 100 ? 20 : 14;
  int name = display_width(name_heading(state)), cluster = 7;
  for (const insight::UserSum& sum : shown(state)) {
    name = std::max(name, std::min(display_width(user_text(sum)), most));
    cluster = std::max(cluster, std::min(display_width(sum.cluster.text), most));
  }
  UserColumns at;
  int x = 1 + name + 2;
  if (ui.model.clusters.size() > 1) at.cluster = x, x += cluster + 1;
  at.gpus = x, at.running = x + 8, at.waiting = x + 17, at.idle = x + 26, at.holds = x + 35;
  return at;
}

std::string idle_text(const insight::UserSum& sum) {
  return sum.measured == 0 ? "n/a" : fmt::format("{} of {}", sum.idle, sum.measured);
}

// What was held when the list was read last. How old that is stands before it: colour alone says nothing.
std::string held_when_read(const insight::UserSum& sum, const UiContext& ui, const UiState& state) {
  std::string holds = insight::held_text(sum);
  if (holds.empty()) holds = told(state, "nothing");
  const std::string old = why_not_now(ui, state, sum.cluster);
  return old.empty() ? holds : old + ": " + holds;
}

DocLine line_of(const insight::UserSum& sum, const UserColumns& at, const UiContext& ui,
                const UiState& state) {
  const bool now = why_not_now(ui, state, sum.cluster).empty();
  const auto role = [&](Role current) { return now ? current : Role::dim; };
  DocLine line;
  line.id = id_of_user(sum);
  const int first = at.cluster > 0 ? at.cluster : at.gpus;
  line.spans.push_back({shorten(user_text(sum), first - 2, state.ascii),
                        insight::name_of(sum).empty() ? Style(Role::unknown)
                        : now                         ? Style(Role::text).with_bold()
                                                      : Style(Role::dim),
                        1});
  if (at.cluster > 0)
    line.spans.push_back(
        {shorten(sum.cluster.text, at.gpus - at.cluster - 1, state.ascii), Role::dim, at.cluster});
  put_right(line, gpus_text(sum, state.ascii), at.gpus, 6, role(Role::text));
  put_right(line, std::to_string(sum.running), at.running, 7, role(sum.running > 0 ? Role::text : Role::dim));
  put_right(line, std::to_string(sum.waiting), at.waiting, 7,
            role(sum.waiting > 0 ? Role::warning : Role::dim));
  put_right(line, idle_text(sum), at.idle, 7, role(sum.idle > 0 ? Role::warning : Role::dim));
  line.spans.push_back(
      {held_when_read(sum, ui, state), role(sum.holds.empty() ? Role::dim : Role::text), at.holds});
  return line;
}

Document foot_for(const insight::UserSum& sum, const UiContext& ui, const UiState& state, int width) {
  Document foot;
  foot.push_back({{{user_text(sum), Style(Role::text).with_bold(), 1}}, {}});
  if (!sum.accounts.empty()) add_wrapped_fact(foot, told(state, "accounts"), listed(sum.accounts), width);
  if (!sum.users.empty()) add_wrapped_fact(foot, told(state, "users"), listed(sum.users), width);
  if (!sum.holds.empty()) add_wrapped_fact(foot, told(state, "holds"), held_when_read(sum, ui, state), width);
  if (sum.unknown > 0)
    add_wrapped_fact(
        foot, "",
        told(state, fmt::format("of {} workloads it is not known how much of a GPU they hold", sum.unknown)),
        width, Role::unknown);
  if (!sum.asks.empty()) add_wrapped_fact(foot, told(state, "waits for"), counts_text(sum.asks), width);
  return foot;
}

DocLine heading(const UserColumns& at, std::string_view name) {
  DocLine line;
  line.spans.push_back({std::string(name), Role::heading, 1});
  if (at.cluster > 0) line.spans.push_back({"CLUSTER", Role::heading, at.cluster});
  put_right(line, "GPUS", at.gpus, 6, Role::heading);
  put_right(line, "RUNNING", at.running, 7, Role::heading);
  put_right(line, "WAITING", at.waiting, 7, Role::heading);
  put_right(line, "IDLE", at.idle, 7, Role::heading);
  line.spans.push_back({"HOLDS", Role::heading, at.holds});
  return line;
}

// Of the jobs and pods beside the list.
constexpr int kWork = 1, kState = 22, kSince = 33, kHolds = 47;

DocLine work_heading() {
  return {{{"JOB OR POD", Role::heading, kWork},
           {"STATE", Role::heading, kState},
           {"SINCE", Role::heading, kSince},
           {"HOLDS OR ASKS FOR", Role::heading, kHolds}},
          {}};
}

// "2 × 1g.10gb on n0001, n0002"; of what waits what it asks for, and why it waits.
std::string holds_text(const Workload& work, const Cluster& cluster, const UiState& state) {
  std::set<std::string> nodes;
  for (const Allocation& one : work.allocations) nodes.insert(one.node.text);
  if (!nodes.empty()) {
    Workload named = work;
    named.allocations = insight::named_allocations(cluster, work);
    return held_text(named) + told(state, " on ") + told(state, some_of(nodes, 3));
  }
  std::map<std::string, std::int64_t> asks;
  for (const Request& request : work.requests)
    asks[request.resource] = add_times(asks[request.resource], request.count, work.tasks);
  return counts_text(asks) + (work.reason.empty() ? "" : ": " + work.reason);
}

std::string age_text(const Cluster& cluster, TimePoint since, TimePoint wall) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(cluster_now(cluster, wall) - since);
  return query::duration_text(std::max<std::int64_t>(0, age.count()));
}

DocLine line_of(const Workload& work, const Cluster& cluster, const UiContext& ui, const UiState& state,
                int width) {
  const auto& since = work.state == WorkloadState::pending ? work.submitted : work.started;
  return {{{shorten(work.id.text, kState - kWork - 1, state.ascii), Style(Role::text).with_bold(), kWork},
           {std::string(word(work.state)), role_of(work.state), kState},
           {since ? age_text(cluster, *since, ui.wall) : "?", Role::dim, kSince},
           {shorten(holds_text(work, cluster, state), std::max(1, width - kHolds - 1), state.ascii),
            Role::text, kHolds}},
          {}};
}

}  // namespace

std::string_view none_text(const UiContext& ui, std::string_view of_all, std::string_view of_some) {
  const std::vector<Cluster>& clusters = ui.model.clusters;
  if (std::all_of(clusters.begin(), clusters.end(), insight::work_is_current)) return of_all;
  return std::any_of(clusters.begin(), clusters.end(), insight::work_is_current) ? of_some : N_("not known");
}

std::string why_not_now(const UiContext& ui, const UiState& state, const ClusterName& name) {
  const Cluster* cluster = ui.model.find(name);
  if (!cluster || insight::work_is_current(*cluster)) return {};
  std::optional<TimePoint> read;
  for (const auto& [source, health] : cluster->sources)
    if (tells_work(source) && health.failure && health.last_ok)
      read = read ? std::min(*read, *health.last_ok) : *health.last_ok;
  if (!read) return told(state, N_("not all of it is known"));
  return told(state, fmt::format("{} old", age_text(*cluster, *read, ui.wall)));
}

std::string gpus_text(const insight::UserSum& sum, bool ascii) {
  // What rounds to nothing is not nothing; beside holdings that are not known it says nothing.
  constexpr double kShown = 0.05;
  if (sum.unknown == 0) return sum.gpus > 0 && sum.gpus < kShown ? "<0.1" : fmt::format("{:.1f}", sum.gpus);
  return sum.gpus < kShown ? "?" : fmt::format("{}{:.1f}", ascii ? ">=" : "≥", sum.gpus);
}

Panes users_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  if (shown(state).empty()) {
    const std::string_view none =
        none_text(ui, N_("No workload holds or waits for a GPU."),
                  N_("Of the clusters that answer, no workload holds or waits for a GPU."));
    panes.main.push_back({{{told(state, none), Role::dim, 1}}, {}});
    return panes;
  }
  const UserColumns at = user_columns(ui, state, width);
  panes.main.push_back(heading(at, name_heading(state)));
  const InView seen = in_view(state, panes.main.size() + shown(state).size());
  for (const insight::UserSum& sum : shown(state))
    panes.main.push_back(seen.contains(panes.main.size()) ? line_of(sum, at, ui, state)
                                                          : DocLine{{}, id_of_user(sum)});
  if (const insight::UserSum* sum = user_here(state)) panes.foot = foot_for(*sum, ui, state, width);
  panes.foot_first = true;
  return panes;
}

bool has_lines_beside_user(const UiState& state, const UiContext& ui) {
  const insight::UserSum* sum = user_here(state);
  return sum && ui.model.find(sum->cluster);
}

Document lines_beside_user(const UiContext& ui, const UiState& state, int width) {
  const insight::UserSum* sum = user_here(state);
  return sum ? work_of_user(ui, state, *sum, width) : Document();
}

Document work_of_user(const UiContext& ui, const UiState& state, const insight::UserSum& sum, int width) {
  const Cluster* cluster = ui.model.find(sum.cluster);
  if (!cluster) return {};
  Document lines;
  if (const std::string old = why_not_now(ui, state, sum.cluster); !old.empty())
    lines.push_back({{{old, Role::warning, 1}}, {}});
  lines.push_back(work_heading());
  for (const WorkloadId& id : sum.work)
    if (const Workload* work = cluster->workloads.find(id))
      lines.push_back(line_of(*work, *cluster, ui, state, width));
  const std::size_t all = static_cast<std::size_t>(sum.running + sum.suspended + sum.waiting);
  if (all > sum.work.size())
    lines.push_back({{{told(state, fmt::format("and {} more", all - sum.work.size())), Role::dim, 1}}, {}});
  return lines;
}

void refresh_users(UiState& state, Screen&, const UiContext& ui) {
  UsersData& users = state.users;
  if (users.valid && users.revision == ui.model.revision) return;
  std::size_t things = 0;
  for (const Cluster& cluster : ui.model.clusters)
    things += cluster.nodes.size() * 8 + cluster.workloads.size();
  if (users.valid && things >= kManyThings && ui.wall - users.at < kManyEvery) return;
  users.valid = true, users.revision = ui.model.revision, users.at = ui.wall;
  users.users = insight::users_of(ui.model, ui.catalogue);
  users.accounts.clear();
  if (users.by_account) users.accounts = insight::users_of(ui.model, ui.catalogue, insight::SumBy::account);
}

std::optional<TimePoint> users_next_change(const UiState& state, const UiContext& ui) {
  if (state.users.revision == ui.model.revision) return std::nullopt;
  return state.users.at + kManyEvery;
}

Effects open_on_users(UiState& state, const UiContext&) {
  const insight::UserSum* sum = user_here(state);
  if (!sum) return {};
  Screen list;
  list.kind = ScreenKind::workloads;
  list.cluster = sum->cluster;
  const bool of_pods = sum->scheduler == Scheduler::kubernetes;
  const std::string column = !state.users.by_account ? "user" : of_pods ? "group" : "account";
  set_filter(list, column + "=" + insight::name_of(*sum));
  push(state, std::move(list));
  return {};
}

std::string why_no_open_on_users(const UiState& state, const UiContext&) {
  return shown(state).empty() ? "there is no row to open" : "";
}

Effects sum_up_users(UiState& state, const UiContext&, Action) {
  state.users.by_account = !state.users.by_account;
  state.users.valid = false;
  state.top().cursor.clear();
  state.top().top = 0;
  return {};
}

std::string why_no_accounts(Action, const UiState& state, const UiContext&) {
  return state.top().kind == ScreenKind::users ? "" : "accounts are summed up on the screen of users: :users";
}

std::string copy_on_users(const UiState& state, const UiContext&) {
  const insight::UserSum* sum = user_here(state);
  return sum ? insight::name_of(*sum) : std::string();
}

}  // namespace tessera::tui
