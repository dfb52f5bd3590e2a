// The keys of the pack screen: editing the demand, and the way to the plan.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "engine/number.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/past_demand.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/pack/whole.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/change_kept.hpp"
#include "tui/cli/change/moment.hpp"
#include "tui/cli/settings.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

constexpr int kMostWanted = 1'000'000;

bool has_profile(const mig::Product& product, const ProfileName& profile) {
  return pack::is_whole(profile) || product.index_of(profile.view()).has_value();
}

// The demand is no longer what waits.
void forget_queue(PackState& pack) {
  pack.source.clear(), pack.unserved.clear(), pack.of_history = false, pack.queue.reset();
  if (pack.naming) pack.naming.reset(), pack.revision = 0;
}

// What of the queue some node could serve depends on what was changed: it is read again, and a reading that
// is under way stays asked for.
void read_queue_again(PackState& pack) {
  const bool of_queue = !pack.source.empty() && !pack.of_history && !pack.history;
  pack.takes_queue = pack.takes_queue || of_queue;
}

// Which GPUs can be planned depends on it. The demand stays, and so does what is being read for it.
void change_evict(UiState& state) {
  change_kept(state.pack, [](PackState& pack) {
    pack.stopped = false;
    pack.evict = !pack.evict, pack.revision = 0;
    read_queue_again(pack);
  });
}

// A new edit is waited for again.
template <class Edit>
void edit_demand(UiState& state, Edit edit) {
  change_kept(state.pack, [&](PackState& pack) {
    pack.stopped = false, pack.takes_queue = false, pack.history.reset();
    edit(pack);
  });
}

void set_count(UiState& state, std::size_t at, int count) {
  edit_demand(state, [&](PackState& pack) {
    pack.wants[at].count = std::clamp(count, 0, kMostWanted);
    forget_queue(pack);
  });
}

// One line a profile again, with nothing asked for.
void clear(PackState& pack) {
  std::vector<PackWant> kept;
  for (PackWant& want : pack.wants) {
    if (std::any_of(kept.begin(), kept.end(), [&](const auto& one) { return one.profile == want.profile; }))
      continue;
    want.count = 0, want.product = nullptr;
    kept.push_back(std::move(want));
  }
  pack.wants = std::move(kept);
  forget_queue(pack);
}

// Joins what is asked for with the table: a profile on products has a line for each.
void put_demand(PackState& pack, const std::vector<pack::Demand>& demand, const pack::Problem& problem) {
  clear(pack);
  for (const pack::Demand& one : demand) {
    const mig::Product* product = one.product ? problem.products[*one.product] : nullptr;
    auto at = std::find_if(pack.wants.begin(), pack.wants.end(), [&](const PackWant& want) {
      return want.profile == one.profile && want.count == 0;
    });
    if (at == pack.wants.end()) at = pack.wants.insert(at, PackWant{one.profile, nullptr, 0, 0});
    at->product = product, at->count = one.count;
  }
}

// Any product and each that has the profile; where other lines ask for this profile, what is left to this
// one.
std::vector<const mig::Product*> products_for(const PackState& pack, std::size_t at) {
  const PackWant& want = pack.wants[at];
  std::vector<const mig::Product*> ways, taken;
  for (std::size_t i = 0; i < pack.wants.size(); ++i)
    if (i != at && pack.wants[i].profile == want.profile) taken.push_back(pack.wants[i].product);
  if (taken.empty()) ways.push_back(nullptr);
  for (const mig::Product* product : pack.boards->problem.products)
    if (has_profile(*product, want.profile) && std::find(taken.begin(), taken.end(), product) == taken.end())
      ways.push_back(product);
  return ways;
}

void next_product(UiState& state) {
  edit_demand(state, [&](PackState& pack) {
    const std::size_t here = want_here(state);
    PackWant& want = pack.wants[here];
    const std::vector<const mig::Product*> ways = products_for(pack, here);
    const auto now = std::find(ways.begin(), ways.end(), want.product);
    const std::size_t next = now == ways.end() ? 0 : static_cast<std::size_t>(now - ways.begin()) + 1;
    want.product = ways[next % ways.size()];
    pack.queue.reset();  // it asks for other products
  });
}

void ask_for_count(UiState& state) {
  open_prompt(state, InputKind::command);
  state.input.text = "wanted ";
  state.input.cursor = state.input.text.size();
}

// Whether what waits asks for other names than those of some nodes: a demand that is typed asks for any.
bool leaves_nodes_out(const PackState& pack, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(pack.cluster);
  if (!pack.naming || !cluster) return false;
  const auto nodes = cluster->nodes.all();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Node& node) { return pack::naming_of(*cluster, node) != *pack.naming; });
}

// "18:00", "4h", "2026-11-23T08:00": by the cluster's clock.
Result<TimePoint> time_to_come(const std::string& text, TimePoint now) {
  constexpr Duration kLongest = std::chrono::hours(24 * 3650);
  const auto span = cli::parse_duration(text);
  if (span && *span >= std::chrono::seconds(1) && *span <= kLongest) return now + *span;
  const auto at = cli::parse_moment(text, now);
  if (at && *at > now) return *at;
  return Error{
      at ? ":pack by " + clean(text, 100) + " is over" : "\"" + clean(text, 100) + "\" is no time to come",
      "", "for example :pack by 18:00, :pack by 4h, :pack by 2026-11-23T08:00; :pack by never ends that"};
}

// The demand of "3g.40gb=10 by 18:00", and the time in it; nullopt: none is named.
std::pair<std::string, std::optional<std::string>> demand_and_time(const std::string& text) {
  if (text == "by" || text.starts_with("by "))
    return {"", text.substr(std::min<std::size_t>(3, text.size()))};
  const std::size_t at = text.find(" by ");
  if (at == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 4)};
}

std::optional<Error> take_time(PackState& pack, const std::string& text, TimePoint now) {
  std::optional<TimePoint> until;
  if (text != "never") {
    if (pack.evict)
      return Error{
          "a plan treats all jobs and pods in its way alike: by TIME waits for their end, requeue "
          "ends them",
          "", "r on the pack screen leaves them alone"};
    const auto at = time_to_come(text, now);
    if (!at) return at.error();
    until = *at;
  }
  pack.stopped = false;
  pack.until = until, pack.revision = 0;
  read_queue_again(pack);
  return std::nullopt;
}

constexpr std::string_view kHistory = "history";

std::optional<Error> ask_for_history(PackState& pack, const std::string& text) {
  constexpr Duration kLongest = std::chrono::hours(24 * 3650);
  const auto span =
      cli::parse_duration(text.size() > kHistory.size() ? text.substr(kHistory.size() + 1) : "");
  if (!span || *span < std::chrono::hours(1) || *span > kLongest)
    return Error{"history takes a time from 1h to 3650d", "", "for example :pack history 30d"};
  pack.stopped = false, pack.takes_queue = false;
  pack.history = *span;
  return std::nullopt;
}

// Why the past of this cluster cannot be the demand; empty: it can, or that is not known yet.
std::string why_no_history(const UiState& state, const UiContext& ui) {
  const usage::Reckoning* read = state.usage.read.get();
  const auto source = source_wanted(state.usage, state.past);
  if (state.past) return "a recording is shown: the history is a demand of the live cluster";
  if (state.pack->only.any()) return "the history is that of all nodes: :on all first";
  const Cluster* cluster = ui.model.find(state.pack->cluster);
  const bool of_slurm = cluster && cluster->scheduler == Scheduler::slurm;
  if (!source && of_slurm && !sources_here(state, ui).empty())
    return "Slurm's accounting is asked on request alone: o on :usage asks it, then :pack history takes it";
  if (!source) return "nothing here has kept the past: tessera record keeps it, or Prometheus does";
  if (state.usage.part) return "";
  if (state.usage.failure && state.usage.since == *state.pack->history) return to_line(*state.usage.failure);
  if (read && is_read(state.usage, *source) && read->asked.since == *state.pack->history &&
      !read->demand.contains(state.pack->cluster))
    return "nothing was recorded of this cluster in that time";
  return "";
}

std::string why_not_answered(const PackState& pack) {
  if (!pack.refused.empty()) return pack.refused;
  if (pack.stopped) return "stopped: any edit of the demand asks again";
  if (!pack.trouble.empty()) return pack.trouble;
  if (!pack.question) return "no demand: + asks for one more of the profile under the cursor";
  if (!pack.answered()) return "the answer is still being worked out";
  if (!pack.answer->answer) return to_line(pack.answer->answer.error());
  return "";
}

}  // namespace

std::string want_id(std::size_t at) { return fmt::format("w{}", at); }

std::size_t want_here(const UiState& state) {
  const std::string& cursor = state.top().cursor;
  const auto at = cursor.starts_with('w')
                      ? whole_number<std::size_t>(std::string_view(cursor).substr(1), kMostWanted)
                      : std::nullopt;
  return at && state.pack && *at < state.pack->wants.size() ? *at : 0;
}

Effects show_pack(UiState& state, const UiContext& ui, Action) {
  show_over_cluster(state, ui, ScreenKind::pack, state.pack ? state.pack->cluster : ClusterName());
  return {};
}

std::string why_no_pack_edit(Action action, const UiState& state, const UiContext& ui) {
  if (state.top().kind != ScreenKind::pack || !state.pack) return "this works on the demand of :pack";
  if (action == Action::pack_cluster) return ui.model.clusters.size() > 1 ? "" : "there is no other cluster";
  if (!state.pack->refused.empty()) return state.pack->refused;
  if (action == Action::pack_only) return "";
  if (state.pack->wants.empty()) return "no GPU here can be planned";
  if (action == Action::pack_evict && state.pack->until)
    return "work that ends in time is waited for: :pack by never ends that";
  const std::size_t here = want_here(state);
  if (action == Action::pack_less && state.pack->wants[here].count == 0) return "none is asked for";
  // With two products there are three ways: either, or any of them.
  if (action == Action::pack_product && products_for(*state.pack, here).size() < 3)
    return "one product alone has this profile here";
  return "";
}

Effects edit_pack(UiState& state, const UiContext& ui, Action action) {
  const std::size_t here = want_here(state);
  switch (action) {
    case Action::pack_more: set_count(state, here, state.pack->wants[here].count + 1); break;
    case Action::pack_less: set_count(state, here, state.pack->wants[here].count - 1); break;
    case Action::pack_count: ask_for_count(state); break;
    case Action::pack_queue: edit_demand(state, [](PackState& pack) { pack.takes_queue = true; }); break;
    case Action::pack_clear: edit_demand(state, clear); break;
    case Action::pack_product: next_product(state); break;
    case Action::pack_evict: change_evict(state); break;
    case Action::pack_cluster: next_cluster(state, ui); break;
    default: break;
  }
  return {};
}

std::string why_no_open_on_pack(const UiState& state, const UiContext&) {
  if (!state.pack) return "this works on the demand of :pack";
  if (std::string why = why_not_answered(*state.pack); !why.empty()) return why;
  const pack::Answer& answer = *state.pack->answer->answer;
  if (answer.boards.empty())
    return answer.met() ? "nothing to do: no GPU is to be changed for that demand"
                        : "no GPU can be changed for that demand";
  return "";
}

Effects open_on_pack(UiState& state, const UiContext& ui) {
  // A job may have started since: the GPUs that change must stand as the answer has them.
  if (boards_moved(state, ui)) {
    say(state, ui, Severity::warning, "the cluster has changed: the answer is being worked out again");
    return {};
  }
  const PackState& pack = *state.pack;
  plan::Intent intent = pack::intent_of(*pack.answer->problem, *pack.answer->answer, pack.cluster);
  intent.words = pack.of_history       ? "packed for the history"
                 : pack.source.empty() ? "packed for a demand"
                                       : "packed for the queue";
  intent.options.way = pack::way_of(*pack.answer->answer, pack.evict ? plan::Way::requeue : plan::Way::wait);
  if (const auto why_not = open_plan_for(state, ui, intent))
    say(state, ui, Severity::danger, to_line(*why_not));
  return {};
}

bool back_in_pack(UiState& state, const UiContext&) {
  if (!state.pack || !state.pack->working()) return false;
  change_kept(state.pack, [](PackState& pack) {
    pack.stopped = true, pack.takes_queue = false;
    pack.question = nullptr;
  });
  return true;
}

std::string copy_on_pack(const UiState& state, const UiContext& ui) {
  // What cannot be asked here is refused there, too; and the command would speak of the live cluster.
  if (!state.pack || !state.pack->trouble.empty() || state.past) return "";
  std::string words;
  for (const PackWant& want : state.pack->wants)
    if (want.count > 0)
      words += fmt::format(" {}{}={}", want.product ? want.product->key.text + ":" : "", want.profile.text,
                           want.count);
  if (words.empty()) return "";
  if (state.pack->queue || leaves_nodes_out(*state.pack, ui)) words = " --for-queue";
  std::string flags = flags_of(state.pack->only);
  if (state.pack->until) flags += " --ends-within " + utc_text(*state.pack->until);
  if (state.pack->evict) flags += " --way requeue";
  return fmt::format("tessera pack --cluster {}{}{}", shell_word(state.pack->cluster.text), words, flags);
}

void take_queue(UiState& state, const UiContext& ui, const pack::QueueDemand& queue) {
  std::string source = pack::queue_text(queue);
  std::vector<std::string> unserved = pack::unserved_text(queue);
  if (queue.demand.empty()) say(state, ui, Severity::info, unserved.empty() ? source : unserved.front());
  edit_demand(state, [&](PackState& pack) {
    if (queue.demand.empty()) {
      // What was counted on other terms is none of these.
      if (!pack.source.empty()) clear(pack);
      pack.unserved = std::move(unserved);
      return;
    }
    pack::Problem known;
    known.products = pack.boards->problem.products;
    const std::vector<pack::Demand> demand = pack::sums_in(known, queue);
    put_demand(pack, demand, known);
    if (!queue.groups.empty()) pack.queue = std::make_shared<const pack::QueueDemand>(queue);
    pack.source = std::move(source), pack.unserved = std::move(unserved);
    // Read for it again: nodes that hand out slices by other names serve nothing of it.
    pack.naming = queue.naming, pack.revision = 0;
  });
  if (std::string other = pack::other_naming_text(queue); !other.empty())
    say(state, ui, Severity::warning, std::move(other));
}

Effects narrow_pack(UiState& state, const UiContext&, Action) {
  ask_what_to_narrow(state);
  return {};
}

std::optional<Error> narrow_pack_to(UiState& state, const UiContext& ui, const std::string& text) {
  if (std::string why = why_no_pack_edit(Action::pack_only, state, ui); !why.empty())
    return Error{why, "", ""};
  auto only = narrowed_by(*ui.model.find(state.pack->cluster), ui, text);
  if (!only) return only.error();
  edit_demand(state, [&](PackState& pack) {
    pack.only = std::move(*only);
    // What waits in that partition is another demand.
    forget_queue(pack);
    pack.revision = 0;
  });
  return std::nullopt;
}

void request_past(UiState& state) {
  UsageState& usage = state.usage;
  if (!state.pack->history || state.past || usage.part) return;
  if (usage.failure) usage.failure.reset(), usage.wanted_again = true;
  const bool is_accounting = source_wanted(usage, state.past) == usage::PastSource::accounting;
  const bool is_there =
      is_read(usage, usage::PastSource::accounting) && usage.read->asked.since == *state.pack->history;
  if (is_accounting && !is_there) usage.asked = usage.wanted_again = true;
}

void take_history(UiState& state, const UiContext& ui) {
  if (!state.pack || !state.pack->history || !state.pack->refused.empty()) return;
  const Duration span = *state.pack->history;
  if (const std::string why = why_no_history(state, ui); !why.empty()) {
    change_kept(state.pack, [](PackState& pack) { pack.history.reset(); });
    return say(state, ui, Severity::danger, why);
  }
  // It is read for as long as the screen is on top (tui/usage_reading.hpp).
  if (state.usage.since != span) state.usage.since = span, state.usage.failure.reset();
  const std::shared_ptr<const usage::Reckoning> read = state.usage.read;
  const auto source = source_wanted(state.usage, state.past);
  if (state.usage.part || !read || !is_read(state.usage, *source) || read->asked.since != span) return;
  const Cluster& cluster = *ui.model.find(state.pack->cluster);
  const pack::PastDemand past =
      pack::demand_of_past(read->demand.at(cluster.name), cluster, "", ui.catalogue);
  edit_demand(state, [&](PackState& pack) {
    pack::Problem known;
    known.products = pack.boards->problem.products;
    put_demand(pack, past.demand, known);
    pack.source = fmt::format(
        "the history from {} to {}, {:.1f} h of {:.0f} h: what was needed at the same time at most, less "
        "what is held now",
        time_text(read->from), time_text(read->to), past.hours,
        std::chrono::duration<double, std::ratio<3600>>(span).count());
    pack.of_history = true;
    pack.unserved = pack::past_text(past);
  });
  if (past.demand.empty())
    say(state, ui, Severity::info, "the history asks for nothing that is not held now");
}

std::span<const std::string_view> words_of_pack() {
  static constexpr std::array<std::string_view, 5> kWords{"by 18:00", "by 4h", "by never", "history 7d",
                                                          "history 30d"};
  return kWords;
}

namespace {

std::optional<Error> take_demand(PackState& pack, const UiContext& ui, const std::string& text) {
  if (text == kHistory || text.starts_with(std::string(kHistory) + " ")) return ask_for_history(pack, text);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  pack::Problem known;
  known.products = pack.boards->problem.products;
  known.passed_by = pack.boards->problem.passed_by;
  auto demand = pack::read_demand(words, known, ui.catalogue);
  if (!demand) return demand.error();
  pack.stopped = false, pack.takes_queue = false, pack.history.reset();
  put_demand(pack, *demand, known);
  return std::nullopt;
}

}  // namespace

std::optional<Error> take_typed(PackState& pack, const UiContext& ui) {
  const auto [text, time] = demand_and_time(std::exchange(pack.typed, {}));
  // A slip in either leaves both as they were.
  PackState next = pack;
  if (time) {
    const Cluster* cluster = ui.model.find(pack.cluster);
    if (auto error = take_time(next, *time, cluster ? cluster_now(*cluster, ui.wall) : ui.wall)) return error;
  }
  // Behind a time alone the demand stays.
  if (!time || !text.empty())
    if (auto error = take_demand(next, ui, text)) return error;
  pack = std::move(next);
  return std::nullopt;
}

std::optional<Error> open_pack_named(UiState& state, const UiContext& ui, const std::string& text) {
  if (std::string why = why_no_cluster(Action::show_pack, state, ui); !why.empty()) return Error{why, "", ""};
  show_pack(state, ui, Action::show_pack);
  refresh_pack(state, state.top(), ui);
  const Cluster* cluster = ui.model.find(state.pack->cluster);
  const bool waits = !state.past && cluster && !cluster->loaded;
  if (!waits && !state.pack->refused.empty()) return Error{"cannot plan", state.pack->refused, ""};
  std::optional<Error> error;
  change_kept(state.pack, [&](PackState& pack) {
    pack.typed = text;
    if (!waits) error = take_typed(pack, ui);
  });
  if (!waits && !error) request_past(state);
  return error;
}

std::optional<Error> type_wanted(UiState& state, const UiContext& ui, const std::string& text) {
  if (std::string why = why_no_pack_edit(Action::pack_count, state, ui); !why.empty())
    return Error{why, "", ""};
  const auto count = whole_number<int>(text, kMostWanted);
  if (!count)
    return Error{fmt::format("the count is not a whole number from 0 to {}", kMostWanted), "",
                 "for example :wanted 10"};
  set_count(state, want_here(state), *count);
  return std::nullopt;
}

}  // namespace tessera::tui
