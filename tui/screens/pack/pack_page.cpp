// What the pack screen shows: the table of demand, the GPUs that change before and after, and below both what
// is proven, whom it disturbs, who waits less and what is left out.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>

#include "engine/fleet/rows.hpp"
#include "engine/hostlist.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/pools.hpp"
#include "engine/text.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/folded_foot.hpp"
#include "tui/screens/pack/board_lines.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/starts.hpp"

namespace tessera::tui {
namespace {

constexpr int kWide = 110;                // from here on the GPUs stand beside the demand
constexpr int kSplit = 58;                // cells of the table then
constexpr std::size_t kMostListed = 200;  // GPUs; the plan lists all
constexpr std::size_t kMostStarts = 3;    // who starts sooner; advice lists more
constexpr std::size_t kMostPlaces = 4;    // sets of nodes that are named in the foot

struct Columns {
  int product = 12, wanted = 32, idle = 40, unmet = 48;
};
constexpr Columns kAt;
constexpr int kNumber = 6;  // columns

class Page {
 public:
  Page(const UiContext& ui, const UiState& state, int width, bool beside)
      : ui_(ui), state_(state), pack_(*state.pack), width_(width), beside_(beside) {}

  Panes panes() {
    Panes panes;
    panes.foot_first = true;
    head(panes.main);
    if (!pack_.refused.empty()) {
      note(panes.main, pack_.refused, Role::warning);
      if (!pack_.typed.empty())
        note(panes.main,
             fmt::format("it is read first, then this demand is planned: {}", clean(pack_.typed, 200)),
             Role::text);
      return panes;
    }
    table(panes.main);
    if (beside_) panes.split = kSplit;
    gpus(beside_ ? panes.side : panes.main);
    left_out(panes.main);
    put_foot(panes);
    for (std::size_t i = pack_.wants.size(); i-- > 0;)
      if (pack_.wants[i].count > 0) panes.start = want_id(i);
    return panes;
  }

 private:
  std::string told(const std::string& english) const { return tui::told(state_, english); }
  void note(Document& to, const std::string& english, Style style) const { note(to, english, style, width_); }
  void note(Document& to, const std::string& english, Style style, int width) const {
    for (const std::string& line : wrap(told(english), width - 3)) to.push_back({{{line, style, 1}}, {}});
  }
  Scheduler scheduler() const {
    const Cluster* cluster = ui_.model.find(pack_.cluster);
    return cluster ? cluster->scheduler : Scheduler::slurm;
  }
  const pack::Answer* answer() const {
    return pack_.answer && pack_.answer->answer ? &*pack_.answer->answer : nullptr;
  }
  bool is_old() const { return pack_.stopped || !pack_.answered(); }
  const pack::Problem& problem() const { return *pack_.answer->problem; }

  void head(Document& to) const {
    DocLine line;
    line.spans.push_back({pack_.cluster.text, Style(Role::text).with_bold(), 1});
    if (pack_.refused.empty() && pack_.boards)
      line.spans.push_back(
          {"  " + told(fmt::format("{} GPUs can be planned", pack_.boards->problem.boards.size())),
           Role::dim});
    if (pack_.only.any())
      line.spans.push_back({"  " + told(narrowed_text(pack_.only, scheduler())), Role::warning});
    if (pack_.answer && state_.past)
      line.spans.push_back({"  " + told(moment_text(state_, *pack_.answer->question->then)), Role::warning});
    if (pack_.evict) line.spans.push_back({"  " + told("requeue allowed"), Role::warning});
    to.push_back(std::move(line));
    if (pack_.until)
      note(to, "work that ends by " + time_text(*pack_.until) + " is waited for", Role::warning,
           beside_ ? kSplit : width_);
  }

  // What is not met of a line, as the last answer has it; nullopt: it was not part of it.
  std::optional<int> unmet_of(const PackWant& want) const {
    const pack::Answer* found = answer();
    if (!found || !pack_.answered()) return std::nullopt;
    std::optional<int> unmet;
    for (std::size_t i = 0; i < problem().demand.size(); ++i) {
      const pack::Demand& one = problem().demand[i];
      const mig::Product* product = one.product ? problem().products[*one.product] : nullptr;
      // What waits may ask for it on other nodes, too.
      if (one.profile == want.profile && product == want.product) unmet = unmet.value_or(0) + found->unmet[i];
    }
    return unmet;
  }

  void table(Document& to) const {
    if (pack_.wants.empty()) return note(to, "no GPU here can be planned", Role::warning);
    DocLine heads;
    heads.spans.push_back({"PROFILE", Role::heading, 1});
    heads.spans.push_back({"PRODUCT", Role::heading, kAt.product});
    put_right(heads, "WANTED", kAt.wanted, kNumber, Role::heading);
    put_right(heads, "FREE", kAt.idle, kNumber, Role::heading);
    put_right(heads, "UNMET", kAt.unmet, kNumber, Role::heading);
    to.push_back(std::move(heads));
    for (std::size_t i = 0; i < pack_.wants.size(); ++i) to.push_back(line_of(pack_.wants[i], i));
  }
  DocLine line_of(const PackWant& want, std::size_t at) const {
    const bool asked = want.count > 0;
    DocLine line;
    line.id = want_id(at);
    line.spans.push_back({want.profile.text, asked ? Style(Role::text).with_bold() : Style(Role::text), 1});
    line.spans.push_back({want.product
                              ? shorten(want.product->key.text, kAt.wanted - kAt.product - 1, state_.ascii)
                              : told("any"),
                          Role::dim, kAt.product});
    put_right(line, std::to_string(want.count), kAt.wanted, kNumber,
              asked ? Style(Role::text).with_bold() : Style(Role::dim));
    put_right(line, std::to_string(want.idle), kAt.idle, kNumber, Role::dim);
    const std::optional<int> unmet = unmet_of(want);
    if (unmet)
      put_right(line, std::to_string(*unmet), kAt.unmet, kNumber, *unmet > 0 ? Role::danger : Role::good);
    return line;
  }

  void gpus(Document& to) const {
    const pack::Answer* found = answer();
    if (!found || found->boards.empty()) return;
    if (!to.empty()) to.push_back({});
    to.push_back(board_heads());
    const std::size_t shown = std::min(found->boards.size(), kMostListed);
    for (std::size_t i = 0; i < shown; ++i) to.push_back(line_of(found->boards[i]));
    if (shown < found->boards.size())
      to.push_back({{{told(fmt::format("and {} more: the plan lists all", found->boards.size() - shown)),
                      Role::dim, 1}},
                    {}});
  }
  DocLine line_of(const pack::BoardPlan& plan) const {
    const pack::Board& board = problem().boards[plan.board];
    DocLine line = board_line(ui_, state_, pack_.cluster, problem(), plan, is_old());
    line.id = fmt::format("g{}\x1f{}", board.node.text, board.gpu.value);
    return line;
  }

  void fact(Document& to, const std::string& label, const std::string& english, Style style = {}) const {
    add_wrapped_fact(to, label, told(english), width_, style);
  }

  // The demand and its GPUs keep most of the screen. What is pinned below them goes over the whole width,
  // what goes on in the list is as wide as that.
  void put_foot(Panes& panes) const {
    foot(panes.foot);
    const std::size_t most = most_foot_lines(state_, Lists::one);
    if (panes.foot.size() <= most) return;
    panes.foot.clear();
    const int width = beside_ ? kSplit : width_;
    Page(ui_, state_, width, beside_).foot(panes.foot);
    fold_foot(panes.foot, most, panes.main, width, state_);
  }

  void foot(Document& to) const {
    if (pack_.stopped) note(to, "stopped: any edit of the demand asks again", Role::warning);
    if (!pack_.trouble.empty()) return note(to, pack_.trouble, Role::danger);
    if (pack_.history)
      note(to, "what was needed in the past is being read; then it is the demand", Role::warning);
    if (pack_.working() && pack_.answered() && pack_.answer->question != pack_.question)
      note(to,
           state_.past ? "another moment is shown: the answer is being worked out again"
                       : "the cluster has changed: the answer is being worked out again",
           Role::dim);
    else if (pack_.working() && !pack_.answered())
      note(to,
           pack_.answer ? "working out the answer; what is shown is the one before (Esc stops)"
                        : "working out the answer (Esc stops)",
           Role::warning);
    if (pack_.answer && !pack_.answer->answer)
      return note(to, to_line(pack_.answer->answer.error()), Role::danger);
    if (const pack::Answer* found = answer())
      certificate(to, *found), effects(to, *found);
    else if (!pack_.question && !pack_.stopped && !pack_.history)
      note(to,
           "How many instances are to be free? + asks for one more of the profile under the cursor, # "
           "takes a number, f takes what waits in the queue.",
           Role::text);
    if (!pack_.source.empty()) note(to, pack_.source, Role::dim);
    for (const std::string& line : pack_.unserved) note(to, line, Role::warning);
  }

  void left_out(Document& to) const {
    if (!to.empty()) to.push_back({});
    // Beside nothing the list has the whole width.
    const pack::Answer* found = answer();
    const int width = beside_ && found && !found->boards.empty() ? kSplit : width_;
    if (pack_.answered())
      for (const auto& [why, count] : pack_.answer->left_out)
        note(to, pack::left_out_text(count, why), Role::warning, width);
    for (const auto& [why, count] : pack_.boards->left_out)
      note(to, pack::left_out_text(count, why), Role::dim, width);
    if (!pack_.boards->unasked.empty()) note(to, pack_.boards->unasked, Role::dim, width);
  }

  // Where the GPUs stand below the demand, a product of many profiles has pushed them off the screen.
  void places(Document& to, const pack::Answer& found) const {
    if (beside_ || found.boards.empty()) return;
    std::map<NodeName, std::vector<int>> gpus;
    for (const pack::BoardPlan& plan :
         std::span(found.boards).first(std::min(found.boards.size(), kMostListed))) {
      const pack::Board& board = problem().boards[plan.board];
      gpus[board.node].push_back(board.gpu.value);
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> alike;  // nodes by their GPUs
    for (auto& [node, numbers] : gpus) {
      std::sort(numbers.begin(), numbers.end());
      const std::string text = fleet::gpus_text(numbers);
      auto at = std::find_if(alike.begin(), alike.end(), [&](const auto& one) { return one.first == text; });
      if (at == alike.end()) at = alike.insert(at, {text, {}});
      at->second.push_back(node.text);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(alike.size(), kMostPlaces); ++i)
      text +=
          fmt::format("{}{} GPU {}", i > 0 ? ", " : "", fold_for_reading(alike[i].second), alike[i].first);
    if (alike.size() > kMostPlaces)
      text += "; " + told(fmt::format("and {} more", alike.size() - kMostPlaces));
    else if (found.boards.size() > kMostListed)
      text += "; " + told(fmt::format("and {} more", found.boards.size() - kMostListed));
    add_wrapped_fact(to, told("where"), text, width_, is_old() ? Role::dim : Role::text);
  }

  void certificate(Document& to, const pack::Answer& found) const {
    const bool old = is_old();
    const Style style = old ? Style(Role::dim) : Style(found.met() ? Role::good : Role::text).with_bold();
    note(to, pack::headline(problem(), found), style);
    if (const std::string busy = pack::disturbed(problem(), found); !busy.empty())
      note(to, busy, old ? Role::dim : Role::text);
    if (const std::string bounds = pack::bounds_text(found); beside_ && !bounds.empty())
      note(to, bounds, Role::dim);
    for (std::size_t i = 0; i < problem().demand.size(); ++i)
      if (found.unmet[i] > 0)
        for (const std::string& line :
             wrap(told(pack::unmet_text(problem(), found, i)) + ": " + told(found.reason[i]), width_ - 3))
          to.push_back({{{line, old ? Role::dim : Role::danger, 1}}, {}});
    places(to, found);
  }

  void effects(Document& to, const pack::Answer& found) const {
    if (found.boards.empty()) return;
    const PackPreview& preview = pack_.answer->preview;
    fact(to, told("costs"),
         fmt::format("{} made, {} idle destroyed, {} running moved", found.created, found.idle_destroyed,
                     found.evicted));
    if (const std::string unchecked = pack::unchecked_text(found); !unchecked.empty())
      note(to, unchecked, Role::warning);
    if (!preview.trouble.empty()) return fact(to, told("refused"), preview.trouble, Role::danger);
    if (!preview.plan)
      return fact(to, told("disturbs"),
                  pack_.working() ? "being worked out (Esc stops)" : "not worked out: any edit asks again",
                  Role::dim);
    const std::string whom = disturbs_text(*preview.plan);
    fact(to, told("disturbs"), whom, whom == "no workload" ? Role::good : Role::warning);
    for (const plan::Notice& one : preview.plan->violations)
      fact(to, told("refused"), one.text, Role::danger);
    if (!preview.plan->no_steps.empty()) fact(to, told("refused"), preview.plan->no_steps, Role::warning);
    if (preview.played)
      waits_less(to, *preview.played);
    else if (preview.plan->will_run_count > 0)
      fact(to, told("waiting"), fmt::format("{} will be able to run", preview.plan->will_run_count));
  }

  void waits_less(Document& to, const whatif::Comparison& played) const {
    const auto& queue = pack_.answer->queue;
    fact(to, told("waiting"), whatif::headline(played),
         queue && whatif::helps_none(played, queue->ids) ? Style(Role::warning) : Style());
    for (std::size_t i = 0; i < played.sooner.size() && i < kMostStarts; ++i)
      fact(to, "", start_text(played, played.sooner[i]), Role::dim);
    if (played.sooner.size() > kMostStarts)
      fact(to, "", fmt::format("and {} more", played.sooner.size() - kMostStarts), Role::dim);
  }

  const UiContext& ui_;
  const UiState& state_;
  const PackState& pack_;
  int width_;
  bool beside_;  // the GPUs stand beside the demand
};

}  // namespace

Panes pack_panes(const UiContext& ui, const UiState& state, int width) {
  return state.pack ? Page(ui, state, width, width >= kWide).panes() : Panes();
}

}  // namespace tessera::tui
