// What can be typed behind `:`: screens by name and alias, a few commands with an argument, every action.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/sharing/presets.hpp"
#include "engine/text.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/node_names.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/plan/node_actions.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

struct Alias {
  std::string_view typed;
  std::string_view action;
};
// The first of each action is what completion offers; the others are for fingers that know other tools.
constexpr std::array kAliases{
    Alias{"overview", "overview"},
    Alias{"home", "overview"},
    Alias{"clusters", "overview"},
    Alias{"nodes", "nodes"},
    Alias{"no", "nodes"},
    Alias{"gpus", "gpus"},
    Alias{"gpu", "gpus"},
    Alias{"slices", "slices"},
    Alias{"sl", "slices"},
    Alias{"mig", "slices"},
    Alias{"workloads", "workloads"},
    Alias{"jobs", "workloads"},
    Alias{"pods", "workloads"},
    Alias{"wl", "workloads"},
    Alias{"po", "workloads"},
    Alias{"waiting", "waiting"},
    Alias{"pending", "waiting"},
    Alias{"why", "waiting"},
    Alias{"events", "events"},
    Alias{"ev", "events"},
    Alias{"log", "events"},
    Alias{"journal", "journal"},
    Alias{"runs", "journal"},
    Alias{"decide", "guide"},
    Alias{"about", "about"},
    Alias{"info", "about"},
    Alias{"help", "help"},
    Alias{"h", "help"},
    Alias{"mine", "only-mine"},
    Alias{"wide", "toggle-wide"},
    Alias{"mouse", "toggle-mouse"},
    Alias{"refresh", "refresh"},
    Alias{"r", "refresh"},
    Alias{"quit", "quit"},
    Alias{"q", "quit"},
    Alias{"q!", "quit"},
    Alias{"qa", "quit"},
    Alias{"exit", "quit"},
};
struct Taker {
  std::string_view typed;
  std::string_view help;
};
constexpr std::array kWithArgument{
    Taker{"node", "NAME: open that node"},
    Taker{"gpu", "NODE INDEX: open that GPU"},
    Taker{"job", "ID: open that job"},
    Taker{"pod", "NAMESPACE/NAME: open that pod"},
    Taker{"why", "JOB or POD: why it waits, and what would help"},
    Taker{"plan", "NODE LAYOUT: plan it for all GPUs: 7x1g.10gb, or 4g.40gb,3g.40gb, all-balanced, whole"},
    Taker{
        "pack",
        "PROFILE=COUNT..., or history 30d: find the fewest GPUs to change for it: 3g.40gb=10 1g.10gb=40; by "
        "TIME waits for work that ends by then: by 18:00"},
    Taker{"fleet", "FILE: hold the clusters against this fleet file"},
    Taker{"on",
          "NODES, a filter, partition=NAME, or all: change only these, on the pack and the advice screen"},
    Taker{"wanted", "NUMBER: how many instances of the profile under the cursor, on the pack screen"},
    Taker{"drain", "NODES REASON: plan to drain Slurm nodes until they are resumed"},
    Taker{"resume",
          "NODES: plan to resume drained Slurm nodes; over-others behind them: also another user's"},
    Taker{"cordon", "NODES REASON: plan to cordon Kubernetes nodes until they are uncordoned"},
    Taker{"uncordon",
          "NODES: plan to uncordon Kubernetes nodes; over-others behind them: also another user's"},
    Taker{"reboot", "NODES REASON: plan to have Slurm reboot nodes once their jobs have ended"},
    Taker{"reset-gpu",
          "NODES GPUS: plan to reset these GPUs of Slurm nodes once no job has them: n0031 0,2-3"},
    Taker{"restart-plugin", "NODES: plan to restart the device plugin's pod on Kubernetes nodes"},
    Taker{"cluster", "NAME: show only that cluster's rows; all: those of every cluster"},
    Taker{"save", "NAME: keep this list with its filter, order and columns as a view"},
    Taker{"view", "NAME: open a view that was kept"},
    Taker{"forget", "NAME: forget a view"},
    Taker{"mark", "NUMBER: mark so many rows from the cursor on"},
    Taker{"filter", "WORDS: show only the rows that match"},
    Taker{"sort", "COLUMN: sort by it; -COLUMN the other way round"},
    Taker{"columns", "A,B,C: show these; default: as many as fit"},
    Taker{"theme", "NAME: change the colours"},
    Taker{"at",
          "TIME: show that time of the recording: 03:12, yesterday 03:12, 2026-11-24T03:12; live: back"},
    Taker{"speed", "NUMBER: let so many seconds of the recording pass in each second; 0 stops"},
    Taker{"preset", "NAME: edit the layout here, from this preset"},
    Taker{"replicas", "NUMBER: how many clients share a GPU, in the layout editor"},
    Taker{"guide", "NODE or PRODUCT: decide how to share it"},
};
constexpr std::size_t kMostCandidates = 50;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with(':')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::pair<std::string, std::string> split(std::string_view text) {
  text = trimmed(text);
  std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, blank)), std::string(trimmed(text.substr(blank)))};
}

std::optional<Action> named(std::string_view typed) {
  for (const Alias& alias : kAliases)
    if (alias.typed == typed) return action_of(alias.action);
  std::optional<Action> action = action_of(typed);
  if (action && info(*action).scope == Scope::input) return std::nullopt;
  return action;
}

// Names of one kind that start with `stem`, sorted, at most kMostCandidates.
template <class Items, class NameOf>
void add_names(std::vector<std::string>& names, const Items& items, const std::string& stem, NameOf name_of) {
  for (const auto& item : items) {
    std::string name = name_of(item);
    if (lower(name).starts_with(lower(stem))) names.push_back(std::move(name));
  }
}

// By their own names, too, where the cluster stands in front.
void add_nodes(std::vector<std::string>& names, const Model& model, const Cluster& cluster,
               const std::string& stem) {
  const std::string wanted = lower(stem);
  const std::string front = lower(cluster.name.text + "/");
  const bool of_this = wanted.starts_with(front);
  for (const Node& node : cluster.nodes.all()) {
    const std::string plain = lower(node.name.text);
    if (!plain.starts_with(wanted) && !(of_this && plain.starts_with(wanted.substr(front.size())))) continue;
    std::string name = typed_names(model, cluster, {node.name});
    names.push_back(of_this && lower(name) == plain ? cluster.name.text + "/" + name : std::move(name));
  }
}

std::vector<const Workload*> waiting_in(const Cluster& cluster) {
  std::vector<const Workload*> waiting;
  for (const Workload& work : cluster.workloads.all())
    if (work.state == WorkloadState::pending) waiting.push_back(&work);
  return waiting;
}

std::vector<std::string> arguments(const UiState& state, const UiContext& ui, const std::string& command,
                                   const std::string& stem) {
  std::vector<std::string> names;
  const Model& model = ui.model;
  for (const Cluster& cluster : model.clusters) {
    if (command == "node" || command == "plan" || command == "guide" || is_node_command(command))
      add_nodes(names, model, cluster, stem);
    if (command == "job" || command == "pod")
      add_names(names, cluster.workloads.all(), stem, [](const Workload& work) { return work.id.text; });
    if (command == "why")
      add_names(names, waiting_in(cluster), stem, [](const Workload* work) { return work->id.text; });
  }
  if (command == "cluster")
    add_names(names, model.clusters, stem, [](const Cluster& cluster) { return cluster.name.text; });
  if (command == "guide")
    add_names(names, ui.catalogue.products(), stem,
              [](const mig::Product& product) { return product.key.text; });
  if (command == "preset")
    add_names(names, presets_here(state, ui), stem, [](const std::string& name) { return name; });
  if (command == "view" || command == "forget" || command == "save")
    add_names(names, state.views, stem, [](const auto& view) { return view.first; });
  const auto itself = [](const auto& name) { return std::string(name); };
  if (command == "theme") add_names(names, state.themes, stem, itself);
  if (command == "pack") add_names(names, words_of_pack(), stem, itself);
  if (command == "at" || command == "speed") add_names(names, words_of_time(command), stem, itself);
  std::span<const ColumnInfo> columns = column_infos(state.top().kind);
  auto key_of = [](const ColumnInfo& column) { return std::string(column.key); };
  if (command == "sort") add_names(names, columns, stem, key_of);
  if (command == "columns") {
    std::string done = stem.substr(0, stem.rfind(',') + 1);
    add_names(names, columns, stem.substr(done.size()), key_of);
    for (std::string& name : names) name = done + name;
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return query::sorts_before(query::Value(a), query::Value(b));
  });
  if (names.size() > kMostCandidates) names.resize(kMostCandidates);
  return names;
}

Error unknown_name(std::string_view what, const std::string& name) {
  return {fmt::format("no {} is called {}", what, name), "", ""};
}

std::optional<Error> open_named_node(UiState& state, const UiContext& ui, const std::string& name) {
  Result<NamedNodes> named = named_nodes(ui.model, name);
  if (!named) return named.error();
  if (named->nodes.size() > 1 || !named->rest.empty()) return Error{"node takes one node", "", "node n0007"};
  open_node(state, named->cluster->name, named->nodes.front().text);
  return std::nullopt;
}

std::optional<Error> restrict_to(UiState& state, const UiContext& ui, const std::string& name) {
  bool all = name == "all" || name.empty();
  if (!all && !ui.model.find(ClusterName(name))) return unknown_name("cluster", name);
  if (!is_table(state.top().kind)) go_to(state, ScreenKind::nodes);
  state.top().cluster = all ? ClusterName() : ClusterName(name);
  state.top().top = 0;
  return std::nullopt;
}

std::optional<Error> sort_named(UiState& state, const std::string& text) {
  Result<query::Sort> sort = parse_screen_sort(state.top().kind, text);
  if (!sort) return sort.error();
  state.top().sorts = {*sort};
  state.last_sorts[state.top().kind] = state.top().sorts;
  return std::nullopt;
}

std::optional<Error> choose_named(UiState& state, const std::string& text) {
  Screen& screen = state.top();
  if (!is_table(screen.kind)) return Error{"this screen has no columns", "", "open :nodes first"};
  std::vector<int> chosen;
  for (std::size_t at = 0; at < text.size() && text != "default";) {
    std::size_t end = std::min(text.find(',', at), text.size());
    std::string key(trimmed(std::string_view(text).substr(at, end - at)));
    std::optional<int> column = column_index(screen.kind, key);
    if (!column) return unknown_name("column", key);
    chosen.push_back(*column);
    at = end + 1;
  }
  screen.columns.reset();
  if (!chosen.empty()) screen.columns = chosen;
  screen.left = 0;
  state.last_columns[screen.kind] = screen.columns;
  return std::nullopt;
}

const mig::Product* product_of_first(const UiContext& ui, const plan::Intent& intent) {
  const Cluster* cluster = ui.model.find(intent.cluster);
  const Node* node = cluster ? cluster->nodes.find(intent.nodes.front()) : nullptr;
  if (!node) return nullptr;
  return !node->gpus.empty() && node->gpus.front().product
             ? ui.catalogue.by_key(node->gpus.front().product->text)
             : ui.catalogue.by_gfd_label(node->model);
}

// A profile that only a platform's documents know, on the product of the first node.
sharing::Corrected meant_by(const UiState& state, const UiContext& ui, const plan::Intent& intent,
                            const std::string& layout) {
  const mig::Product* product = product_of_first(ui, intent);
  auto tables = sharing::built_in_presets();
  if (!product || !tables) return {layout, {}};
  const Cluster& cluster = *ui.model.find(intent.cluster);
  const sharing::Platform here = sharing::platform_of(cluster, state.rules.platform).platform;
  return sharing::corrected(layout, *product, here, *tables);
}

// The instances of a preset of that product, by the name that the editor and the guide show.
std::optional<plan::Wish> wish_of_preset(const UiState& state, const UiContext& ui,
                                         const plan::Intent& intent, const std::string& name) {
  const mig::Product* product = product_of_first(ui, intent);
  auto tables = sharing::built_in_presets();
  if (!product || !tables) return std::nullopt;
  const Cluster& cluster = *ui.model.find(intent.cluster);
  const sharing::Platform here = sharing::platform_of(cluster, state.rules.platform).platform;
  auto preset = sharing::find_preset(*product, here, name, *tables);
  if (!preset || preset->strategy || preset->offers_nothing || preset->profiles.empty()) return std::nullopt;
  return plan::wish_of(*product, preset->profiles);
}

// "n0031,n0032 7x1g.10gb": all GPUs of these nodes. A layout, or the name of a preset.
std::optional<Error> plan_named(UiState& state, const UiContext& ui, const std::string& text) {
  Result<NamedNodes> named = named_nodes(ui.model, text);
  if (!named) return named.error();
  const std::string layout = named->rest;
  plan::Intent intent;
  intent.words = layout;
  intent.cluster = named->cluster->name;
  intent.nodes = std::move(named->nodes);
  Result<plan::Wish> wish = plan::parse_layout_wish(layout);
  sharing::Corrected meant{layout, {}};
  if (wish) {
    meant = meant_by(state, ui, intent, layout);
    if (meant.refused) return *meant.refused;
    wish = plan::parse_layout_wish(meant.layout);
  } else if (auto preset = wish_of_preset(state, ui, intent, layout)) {
    wish = std::move(*preset);
  }
  if (!wish) return wish.error();
  intent.boards = {{std::nullopt, std::move(*wish)}};
  Result<plan::Plan> planned = plan_for(state, ui, intent);
  if (!planned) return planned.error();
  for (std::string& note : meant.notes)
    planned->notices.push_back({Severity::info, "preset", {}, std::move(note)});
  open_plan(state, ui, std::move(*planned), {});
  return std::nullopt;
}

// A view is the commands that open it, so that it is read and shared like what one types.
std::optional<Error> save_view(UiState& state, const std::string& name) {
  constexpr std::size_t kMost = 100, kLongest = 60;
  const Screen& screen = state.top();
  if (!is_table(screen.kind)) return Error{"only a list can be kept as a view", "", "open :nodes first"};
  if (name.size() > kLongest) return Error{"the name of a view has at most 60 bytes", "", ""};
  if (state.views.size() >= kMost && !state.views.contains(name))
    return Error{"there are 100 views already", "", "forget NAME makes room"};
  std::vector<std::string> commands{std::string(word(screen.kind))};
  if (!screen.filter_text.empty()) commands.front() += " " + screen.filter_text;
  if (!screen.cluster.empty()) commands.push_back("cluster " + screen.cluster.text);
  const auto key_of = [&](int column) {
    return std::string(column_infos(screen.kind)[static_cast<std::size_t>(column)].key);
  };
  if (!screen.sorts.empty())
    commands.push_back("sort " + std::string(screen.sorts.front().descending ? "-" : "") +
                       key_of(screen.sorts.front().column));
  if (screen.columns) {
    std::string keys;
    for (int column : *screen.columns) keys += (keys.empty() ? "" : ",") + key_of(column);
    commands.push_back("columns " + keys);
  }
  state.views[name] = std::move(commands);
  return std::nullopt;
}

// Only what save_view() writes: a file that others can edit runs nothing else.
bool opens_a_list(const std::string& command) {
  for (const std::string_view start :
       {"nodes", "gpus", "slices", "workloads", "cluster ", "sort ", "columns "})
    if (command.starts_with(start)) return true;
  return false;
}

std::optional<Error> open_view(UiState& state, const UiContext& ui, const std::string& name,
                               Effects& effects) {
  const auto found = state.views.find(name);
  if (found == state.views.end()) return unknown_name("view", name);
  for (const std::string& command : std::vector<std::string>(found->second)) {
    if (!opens_a_list(command))
      return Error{fmt::format("the view {} is broken", name), command, "save it again"};
    effects = run_command(state, ui, command);
  }
  return std::nullopt;
}

std::optional<Error> run_with_argument(UiState& state, const UiContext& ui, const std::string& command,
                                       const std::string& argument, Effects& effects) {
  if (command == "node") return open_named_node(state, ui, argument);
  if (command == "gpu") return open_named_gpu(state, ui, argument);
  if (command == "job" || command == "pod") return open_work_named(state, ui, argument, false);
  if (command == "why") return open_work_named(state, ui, argument, true);
  if (command == "pack") return open_pack_named(state, ui, argument);
  if (command == "fleet") {
    effects = open_fleet_file(state, argument);
    return std::nullopt;
  }
  if (command == "on" && state.top().kind == ScreenKind::advise) return narrow_advise_to(state, ui, argument);
  if (command == "on") return narrow_pack_to(state, ui, argument);
  if (command == "wanted") return type_wanted(state, ui, argument);
  if (command == "plan") return plan_named(state, ui, argument);
  if (is_node_command(command)) return run_node_command(state, ui, command, argument);
  if (command == "cluster") return restrict_to(state, ui, argument);
  if (command == "guide") return open_guide_named(state, ui, argument);
  if (command == "save") return save_view(state, argument);
  if (command == "view") return open_view(state, ui, argument, effects);
  if (command == "forget")
    return state.views.erase(argument) > 0 ? std::nullopt : std::optional(unknown_name("view", argument));
  if (command == "mark") return mark_some(state, ui, argument);
  if (command == "sort") return sort_named(state, argument);
  if (command == "columns") return choose_named(state, argument);
  if (command == "preset") return take_named_preset(state, ui, argument);
  if (command == "replicas") return type_replicas(state, ui, argument);
  if (command == "at") return go_to_time(state, ui, argument, effects);
  if (command == "speed") return set_speed(state, argument, effects);
  if (command == "filter") {
    std::string reason = why_disabled(Action::filter, state, ui);
    if (!reason.empty()) return Error{reason, "", ""};
    return set_filter(state.top(), argument);
  }
  if (std::find(state.themes.begin(), state.themes.end(), argument) == state.themes.end())
    return unknown_name("theme", argument);
  effects.theme = argument;
  say(state, ui, Severity::info, "theme " + argument);
  return std::nullopt;
}

// A list that a command opens, and the conditions that make it that list.
struct ListOf {
  ScreenKind kind;
  std::string_view filter;
};
std::optional<ListOf> list_of(Action action) {
  if (action == Action::show_waiting) return ListOf{ScreenKind::workloads, kAllWaiting};
  if (action == Action::show_free) return ListOf{ScreenKind::slices, kAllFree};
  for (const ScreenRow& row : screen_rows())
    if (row.way == action && (row.table || row.filtered)) return ListOf{row.kind, {}};
  return std::nullopt;
}

// "state=pending user=alice | state=pending user=bob": each alternative within what makes the list.
std::string within(std::string_view list, const std::string& words) {
  if (list.empty()) return words;
  const std::string begin = std::string(list) + " ";
  std::string text = begin;
  bool quoted = false;
  for (const char c : words) {
    quoted ^= c == '"';
    text += c;
    if (c == '|' && !quoted) text += " " + begin;
  }
  return text;
}

// By its name, or by a part of it that no other run's has.
std::optional<Error> open_named_run(UiState& state, const UiContext& ui, const std::string& name,
                                    Effects& effects) {
  std::vector<const RunHead*> found;
  for (const RunHead& head : state.runs.heads)
    if (head.run.find(name) != std::string::npos) found.push_back(&head);
  if (const RunHead* whole = head_of(state, name)) found = {whole};
  if (found.empty() && !state.runs.listed) return Error{"the runs are not listed yet", name, ""};
  if (found.empty()) return unknown_name("run", name);
  if (found.size() > 1)
    return Error{fmt::format("{} runs have {} in their names", found.size(), name), "", ""};
  state.top().cursor = found.front()->run;
  for (RunOrder& order : open_on_journal(state, ui).orders) effects.orders.push_back(std::move(order));
  return std::nullopt;
}

// "jobs user=alice" is the screen and its filter at once, "journal n0031" the journal and a run of it.
std::optional<Error> act_with_words(UiState& state, const UiContext& ui, Action action,
                                    const std::string& command, const std::string& words, Effects& effects) {
  if (const std::optional<ListOf> list = list_of(action)) {
    go_to(state, list->kind, std::string(list->filter));
    return set_filter(state.top(), within(list->filter, words));
  }
  if (action != Action::show_journal)
    return Error{fmt::format("{} takes nothing behind it", command), words, ""};
  effects = act(state, ui, action);
  return open_named_run(state, ui, words, effects);
}

}  // namespace

std::vector<std::string> completions(const UiState& state, const UiContext& ui, std::string_view text) {
  if (state.input.kind == InputKind::filter) {
    // The last word, as a column's key.
    std::size_t start = text.rfind(' ') == std::string_view::npos ? 0 : text.rfind(' ') + 1;
    std::vector<std::string> out;
    add_names(out, column_infos(state.top().kind), std::string(text.substr(start)),
              [](const ColumnInfo& column) { return std::string(column.key) + "="; });
    for (std::string& candidate : out) candidate = std::string(text.substr(0, start)) + candidate;
    return out;
  }
  auto [command, argument] = split(text);
  bool typing_argument = text.find(' ') != std::string_view::npos;
  std::vector<std::string> out;
  if (typing_argument) {
    for (const std::string& name : arguments(state, ui, command, argument))
      out.push_back(command + " " + name);
    return out;
  }
  for (const Taker& taker : kWithArgument)
    if (taker.typed.starts_with(command)) out.push_back(std::string(taker.typed) + " ");
  std::optional<Action> last;
  for (const Alias& alias : kAliases) {
    std::optional<Action> action = action_of(alias.action);
    bool offered = !command.empty() || action != last;
    if (alias.typed.starts_with(command) && offered) out.emplace_back(alias.typed);
    last = action;
  }
  if (!command.empty())
    for (const ActionInfo& action : actions())
      if (action.id.starts_with(command) && action.scope != Scope::input) out.emplace_back(action.id);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string_view command_help(std::string_view candidate) {
  for (const Taker& taker : kWithArgument)
    if (candidate.ends_with(' ') && taker.typed == candidate.substr(0, candidate.size() - 1))
      return taker.help;
  std::optional<Action> action = named(candidate);
  return action ? info(*action).help : std::string_view();
}

std::vector<Offer> command_offers(const UiState& state, const UiContext& ui) {
  std::vector<Offer> out;
  for (const Taker& taker : kWithArgument) {
    Offer offer;
    offer.text = std::string(taker.typed) + " ";
    offer.name = std::string(taker.typed);
    offer.help = std::string(taker.help);
    out.push_back(std::move(offer));
  }
  std::optional<Action> last;
  for (const Alias& alias : kAliases) {
    const std::optional<Action> action = action_of(alias.action);
    if (!action || action == last) continue;
    last = action;
    Offer offer;
    offer.text = offer.name = std::string(alias.typed);
    offer.help = std::string(info(*action).help);
    offer.key = first_key(state, *action);
    offer.reason = why_disabled(*action, state, ui);
    out.push_back(std::move(offer));
  }
  return out;
}

bool is_command(std::string_view text) {
  const std::string command = split(text).first;
  return named(command) || std::any_of(kWithArgument.begin(), kWithArgument.end(),
                                       [&](const Taker& taker) { return taker.typed == command; });
}

Effects run_command(UiState& state, const UiContext& ui, const std::string& text) {
  auto [command, argument] = split(text);
  if (command.empty()) return {};
  bool takes_argument = std::any_of(kWithArgument.begin(), kWithArgument.end(),
                                    [&typed = command](const Taker& taker) { return taker.typed == typed; });
  if (takes_argument &&
      (!argument.empty() || command == "filter" || command == "cluster" || command == "columns")) {
    Effects effects;
    if (std::optional<Error> error = run_with_argument(state, ui, command, argument, effects))
      say(state, ui, Severity::danger, to_line(*error));
    else if (command == "save" || command == "forget")
      say(state, ui, Severity::good,
          command == "save" ? fmt::format("kept as {}", argument) : fmt::format("forgotten: {}", argument));
    return effects;
  }
  std::optional<Action> action = named(command);
  if (!action && takes_argument) {
    say(state, ui, Severity::danger, fmt::format("{} needs a value; Tab offers what there is", command));
    return {};
  }
  if (!action) {
    say(state, ui, Severity::danger,
        fmt::format("there is no command {}; Tab offers what there is", command));
    return {};
  }
  if (std::string reason = why_disabled(*action, state, ui); !reason.empty()) {
    say(state, ui, Severity::info, reason);
    return {};
  }
  if (argument.empty()) return act(state, ui, *action);
  Effects effects;
  if (std::optional<Error> error = act_with_words(state, ui, *action, command, argument, effects))
    say(state, ui, Severity::danger, to_line(*error));
  return effects;
}

}  // namespace tessera::tui
