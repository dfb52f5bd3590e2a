#include "tui/screens/frame/palette.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/screens.hpp"
#include "tui/widgets/fuzzy.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostOffers = 50;
constexpr std::size_t kMostRecent = 5;
constexpr std::size_t kWordOfHelp = 3;  // letters from which a word of the help is looked for

// What fits, kept as little as possible: a large cluster has a hundred thousand names.
class Search {
 public:
  explicit Search(std::string_view typed) : typed_(typed) {}

  // `make` builds the offer of one that is kept; `rank` decides between names that fit alike.
  template <class Make>
  void consider(std::string_view name, int rank, Make make) {
    ++all_;
    if (std::optional<int> score = fuzzy_score(typed_, name)) keep(*score, rank, make);
  }
  // By either of two names.
  template <class Make>
  void consider(std::string_view name, std::string_view other, int rank, Make make) {
    ++all_;
    const std::optional<int> first = fuzzy_score(typed_, name), second = fuzzy_score(typed_, other);
    if (first || second) keep(std::max(first.value_or(-1), second.value_or(-1)), rank, make);
  }

  std::vector<Offer> best() {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return before(a, b); });
    if (found_.size() > kMostOffers) found_.resize(kMostOffers);
    std::vector<Offer> out;
    for (Found& one : found_) out.push_back(std::move(one.offer));
    return out;
  }
  std::size_t all() const { return all_; }

 private:
  struct Found {
    int score = 0, rank = 0;
    Offer offer;
  };
  static bool before(const Found& a, const Found& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.rank != b.rank) return a.rank < b.rank;
    return query::sorts_before(query::Value(a.offer.name), query::Value(b.offer.name));
  }

  template <class Make>
  void keep(int score, int rank, Make make) {
    // Once there are many, only better ones are built at all.
    if (found_.size() >= kMostOffers * 4) {
      std::nth_element(found_.begin(), found_.begin() + kMostOffers, found_.end(), before);
      found_.resize(kMostOffers);
      least_ = std::min_element(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
                 return a.score < b.score;
               })->score;
    }
    if (score < least_) return;
    found_.push_back({score, rank, make()});
  }

  std::string_view typed_;
  std::vector<Found> found_;
  std::size_t all_ = 0;
  int least_ = -1;
};

enum Rank : int { rank_recent, rank_command, rank_action, rank_preset, rank_node, rank_work, rank_rest };

Offer offer_of(const UiState& state, const UiContext& ui, Action action) {
  const ActionInfo& row = info(action);
  Offer offer;
  offer.text = offer.name = std::string(row.id);
  offer.help = std::string(row.help);
  offer.key = first_key(state, action);
  offer.reason = why_disabled(action, state, ui);
  return offer;
}

void add_commands(Search& search, const UiState& state, const UiContext& ui, std::string_view typed) {
  std::set<std::string> offered;  // an action may be a command by the same name
  for (const Offer& command : command_offers(state, ui)) {
    offered.insert(command.name);
    search.consider(command.name, rank_command, [&] { return command; });
  }
  if (typed.empty()) return;
  for (const ActionInfo& row : actions()) {
    if (row.scope == Scope::input || is_move(row.action) || offered.contains(std::string(row.id))) continue;
    // What belongs to other screens is found by who knows its name.
    if (!row.id.starts_with(typed) && !why_disabled(row.action, state, ui).empty()) continue;
    search.consider(row.id, rank_action, [&] { return offer_of(state, ui, row.action); });
  }
}

void add_names(Search& search, const UiState& state, const UiContext& ui) {
  std::set<std::string_view> users;
  for (const Cluster& cluster : ui.model.clusters) {
    for (const Node& node : cluster.nodes.all())
      search.consider(node.name.text, rank_node, [&] {
        return Offer{"node " + node.name.text, node.name.text, "open this node", "", "", false};
      });
    const bool pods = cluster.scheduler == Scheduler::kubernetes;
    for (const Workload& work : cluster.workloads.all()) {
      users.insert(work.user);
      search.consider(work.id.text, work.name, rank_work, [&] {
        std::string name = work.id.text;
        if (!work.name.empty() && !pods) name += "  " + work.name;
        return Offer{
            (pods ? "pod " : "job ") + work.id.text, std::move(name), "open this job or pod", "", "", false};
      });
    }
  }
  for (std::string_view user : users) {
    const std::string name(user);
    if (!name.empty())
      search.consider(user, rank_rest, [&] {
        return Offer{"workloads user=" + name, name, "the jobs and pods of this user", "", "", false};
      });
  }
  for (const auto& [view, commands] : state.views)
    search.consider(view, rank_preset, [&, &name = view] {
      return Offer{"view " + name, name, "open this view", "", "", false};
    });
  for (const std::string& theme : state.themes)
    search.consider(theme, rank_rest,
                    [&] { return Offer{"theme " + theme, theme, "change the colours", "", "", false}; });
  for (const std::string& preset : presets_here(state, ui))
    search.consider(preset, rank_preset, [&] {
      return Offer{"preset " + preset, preset, "edit the layout here, from this preset", "", "", false};
    });
}

std::vector<Offer> recent_offers(const UiState& state) {
  std::vector<Offer> out;
  for (auto at = state.history.rbegin(); at != state.history.rend() && out.size() < kMostRecent; ++at) {
    Offer offer;
    offer.text = offer.name = *at;
    offer.help = std::string(command_help(*at));
    offer.recent = true;
    out.push_back(std::move(offer));
  }
  return out;
}

void offer_commands(UiState& state, const UiContext& ui) {
  InputLine& input = state.input;
  if (const std::size_t blank = input.text.find(' '); blank != std::string::npos) {
    // What the command takes is told once, beside the first.
    std::string help(command_help(std::string_view(input.text).substr(0, blank + 1)));
    for (const std::string& text : completions(state, ui, input.text))
      input.offers.push_back({text, text, std::exchange(help, {}), "", "", false});
    input.offered_of = input.offers.size();
    return;
  }
  Search search(input.text);
  add_commands(search, state, ui, input.text);
  if (input.text.empty()) {
    input.offers = recent_offers(state);
    for (Offer& offer : search.best()) input.offers.push_back(std::move(offer));
    input.offered_of = input.offers.size();
    return;
  }
  add_names(search, state, ui);
  input.offers = search.best();
  input.offered_of = search.all();
}

// What the footer offers first, then the hints of this screen, then all the rest in the help's order.
std::vector<Action> actions_here(const UiState& state) {
  const ScreenRow& row = row_of(state);
  std::vector<Action> out;
  auto add = [&](Action action) {
    if (is_move(action) || action == Action::menu) return;
    if (std::find(out.begin(), out.end(), action) == out.end()) out.push_back(action);
  };
  for (std::span<const Action> list : {row.footer, row.hints})
    for (Action action : list) add(action);
  for (Scope scope : screen_scopes(state))
    if (scope != Scope::choice)
      for (const ActionInfo& one : actions())
        if (one.scope == scope) add(one.action);
  return out;
}

void offer_actions(UiState& state, const UiContext& ui) {
  InputLine& input = state.input;
  const std::vector<Action> all = actions_here(state);
  input.offered_of = all.size();
  struct Found {
    int score = 0;
    std::size_t order = 0;
    Offer offer;
  };
  std::vector<Found> found;
  for (Action action : all) {
    Offer offer = offer_of(state, ui, action);
    offer.name = std::string(info(action).title);
    // The key itself is the shortest way to name an action.
    std::optional<int> score = offer.key == input.text && !input.text.empty()
                                   ? std::optional(1 << 20)
                                   : fuzzy_score(input.text, offer.name);
    const std::optional<int> by_id = fuzzy_score(input.text, offer.text);
    if (!score || (by_id && *by_id > *score)) score = by_id;
    // Last by the words of its help: who looks for drain or cordon finds what closes a node.
    if (!score && input.text.size() >= kWordOfHelp && contains_folded(info(action).help, lower(input.text)))
      score = -1;
    if (score) found.push_back({*score, found.size(), std::move(offer)});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.score != b.score ? a.score > b.score : a.order < b.order;
  });
  for (Found& one : found) input.offers.push_back(std::move(one.offer));
}

}  // namespace

void refresh_offers(UiState& state, const UiContext& ui) {
  InputLine& input = state.input;
  const bool menu = input.kind == InputKind::menu;
  if (!menu && input.kind != InputKind::command) return;
  if (!menu && input.offered_for == input.text) return;
  input.offers.clear();
  input.offered_for = input.text;
  if (menu)
    offer_actions(state, ui);
  else
    offer_commands(state, ui);
  if (input.completions.empty())
    input.chosen = std::min(input.chosen, static_cast<int>(input.offers.size()) - 1);
}

std::optional<Offer> offer_to_take(const UiState& state) {
  const InputLine& input = state.input;
  if (!input.completions.empty() || input.offers.empty() || input.offered_for != input.text)
    return std::nullopt;
  if (input.chosen >= 0) return input.offers[static_cast<std::size_t>(input.chosen)];
  if (input.kind == InputKind::menu) return input.offers.front();
  // A name that is typed with what it is for is meant as it stands.
  const bool typed = input.text.empty() || input.text.find(' ') != std::string::npos;
  return typed || is_command(input.text) ? std::nullopt : std::optional(input.offers.front());
}

std::optional<std::size_t> offer_as_typed(const UiState& state) {
  const InputLine& input = state.input;
  if (input.kind != InputKind::command || input.offered_for != input.text) return std::nullopt;
  // No two actions have the same help.
  const std::string_view help = command_help(input.text);
  for (std::size_t i = 0; !help.empty() && i < input.offers.size(); ++i)
    if (input.offers[i].help == help && !input.offers[i].recent) return i;
  return std::nullopt;
}

void open_menu(UiState& state, const UiContext&) { open_prompt(state, InputKind::menu); }

Effects take_from_menu(UiState& state, const UiContext& ui) {
  const std::optional<Offer> offer = offer_to_take(state);
  const std::optional<Action> action = offer ? action_of(offer->text) : std::nullopt;
  if (!action) return {};
  if (!offer->reason.empty()) {
    state.input.error = offer->reason;
    return {};
  }
  state.input = {};
  return act(state, ui, *action);
}

void walk_offers(UiState& state, int step) {
  InputLine& input = state.input;
  const int count = static_cast<int>(input.offers.size());
  if (count == 0) return;
  // Without a choice the first line is the one that Enter takes, but for a text that is run as it is.
  const int from = input.chosen >= 0 ? input.chosen : offer_to_take(state) ? 0 : -1;
  input.chosen = std::clamp(from + step, 0, count - 1);
  input.error.clear();
}

}  // namespace tessera::tui
