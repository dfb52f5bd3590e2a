// What the wanted layout would do: worked out again after every key, and told in lines.
#include "tui/screens/layout/layout_preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/plan/notices.hpp"
#include "engine/plan/planner.hpp"
#include "engine/query/value.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kLookOutEvery{1000};  // what the whole cluster offers is added up at most so often
constexpr std::size_t kManyBoards = 64;  // from here on a moving cluster is not planned for with every event
constexpr std::size_t kListed = 8;       // disturbed workloads, resources: the plan's own screen has all
constexpr int kLabel = 12;

// An outlook with its own copy of the cluster: the model's may move while the screen is open.
struct OwnOutlook {
  Cluster cluster;
  plan::Outlook outlook;
};

std::shared_ptr<const plan::Outlook> own_outlook(const Cluster& cluster, const mig::Catalogue& catalogue,
                                                 const plan::SiteRules& rules) {
  auto own = std::make_shared<OwnOutlook>();
  own->cluster = cluster;
  own->outlook = plan::look_out(own->cluster, catalogue, rules);
  return {own, &own->outlook};
}

void refresh_outlook(LayoutPreview& preview, const UiContext& ui, const Cluster& cluster,
                     const plan::SiteRules& rules) {
  bool moved = preview.outlook_revision != ui.model.revision;
  if (preview.outlook && (!moved || ui.wall - preview.outlook_at < kLookOutEvery)) return;
  preview.outlook = own_outlook(cluster, ui.catalogue, rules);
  preview.outlook_revision = ui.model.revision;
  preview.outlook_at = ui.wall;
}

std::string key_of(const LayoutState& edit, const LayoutView& view) {
  std::vector<BoardAt> targets = edit.targets();
  std::string key =
      plan::to_text(wish_of(edit.shown(), view.product, targets.size() == 1)) + edit.shown().words;
  for (const std::optional<bool>& one : {edit.shown().rename_shared, edit.shown().refuse_several})
    key += one ? *one ? "|yes" : "|no" : "|";
  key += fmt::format("|{} h", edit.hours);
  for (const Want& one : edit.each) key += "|" + plan::to_text(wish_of(one, view.product, false));
  if (targets.size() > 1) return key + "|all";
  return key + fmt::format("|{}:{}", targets.front().node.text, targets.front().gpu.value);
}

// What was asked of the planner's thread for this wish; nullptr: nothing was.
const AskedHours* hours_asked(const UiState& state, const std::string& wish) {
  const AskedHours* asked = state.large.hours.get();
  return asked && asked->question->wish == wish ? asked : nullptr;
}

bool are_hours_old(const UiState& state, const UiContext& ui, const LayoutPreview& preview) {
  const AskedHours* asked = hours_asked(state, preview.key);
  return asked && (asked->answer.get() != preview.hours_of || is_due_again(*asked, state, ui));
}

void add_line(plan::Plan& plan, std::string text) {
  plan.notices.push_back({Severity::info, std::string(kNextHours), {}, std::move(text)});
}

// The headline of what-if, where it moves anyone or its hours were chosen. The plan's own page says it of
// itself.
void add_headline(plan::Plan& plan, const whatif::Comparison& played, int hours, const std::string& as_of) {
  const bool moves = !played.sooner.empty() || !played.later.empty() || !played.changed.changed;
  if (!moves && hours == whatif::kUsualHours) return;
  add_line(plan, whatif::headline(played));
  if (!as_of.empty()) add_line(plan, as_of);
}

// Of a cluster that is too large to do it with every key the planner's thread plays them.
void add_next_hours(UiState& state, const UiContext& ui, plan::Plan& plan, int hours,
                    LayoutPreview& preview) {
  preview.hours_of = nullptr;
  if (const auto played = play_hours(ui, plan, hours, kMostPlayed))
    return add_headline(plan, *played, hours, {});
  const AskedHours* asked = hours_asked(state, preview.key);
  if (!asked || is_due_again(*asked, state, ui)) {
    auto question = hours_question(state, ui, plan, hours, preview.key);
    if (!question) return;
    ask_large(state.large.hours, ui, std::move(*question), asked && !stands_in_past(state));
    asked = state.large.hours.get();
  }
  preview.hours_of = asked->answer.get();
  if (!asked->answer) return add_line(plan, fmt::format("the next {} h are being played", hours));
  const TimePoint then = asked->answer->question->then->now;
  const bool old = asked->working() || asked->revision != ui.model.revision;
  add_headline(plan, *asked->answer->played, hours,
               old ? fmt::format("as of {}", time_text(then)) : std::string());
}

void make_preview(UiState& state, const UiContext& ui, const LayoutView& view) {
  LayoutState& edit = *state.top().layout;
  LayoutPreview& preview = edit.preview;
  std::string key = key_of(edit, view);
  bool same = preview.key == key;
  bool moved = preview.revision != ui.model.revision;
  if (same && !are_hours_old(state, ui, preview) &&
      (!moved || (edit.targets().size() >= kManyBoards && ui.wall - preview.at < kLookOutEvery)))
    return;
  refresh_outlook(preview, ui, *view.cluster, state.rules);
  preview.key = std::move(key);
  preview.revision = ui.model.revision;
  preview.at = ui.wall;
  preview.plan.reset();
  preview.error.reset();
  Result<plan::Intent> intent = intent_of(edit, *view.cluster, view.product);
  if (!intent) {
    preview.error = intent.error();
    return;
  }
  Result<plan::Plan> plan =
      plan::make_plan(*view.cluster, ui.catalogue, *intent, capabilities_of(state, *view.cluster),
                      state.rules, cluster_now(*view.cluster, ui.wall), preview.outlook.get());
  if (plan && !edit.shown().note.empty())
    plan->notices.push_back({Severity::info, "preset", {}, edit.shown().note});
  if (plan) add_next_hours(state, ui, *plan, edit.hours, preview);
  if (plan)
    preview.plan = std::move(*plan);
  else
    preview.error = plan.error();
}

// Several GPUs: the places are the planner's, and the GPU in view shows its own.
void take_over_places(LayoutState& edit, const LayoutView& view) {
  const plan::NodePlan* node = plan_in_view(edit);
  if (!node || !view.product || edit.shown().strategy != Strategy::mig || edit.targets().size() == 1) return;
  for (const plan::BoardState& board : node->after) {
    if (board.gpu != edit.board().gpu) continue;
    mig::Layout layout;
    for (const plan::InstanceAt& one : board.instances)
      if (auto profile = view.product->index_of(one.profile.text)) layout.push_back({*profile, one.at.start});
    std::sort(layout.begin(), layout.end());
    if (!mig::is_legal(*view.product, layout)) continue;
    (edit.tried ? *edit.tried : edit.want).layout = std::move(layout);
  }
}

// GPUs that have left the cluster are edited no more; what they are called may have become known.
void keep_boards(LayoutState& edit, const Cluster* cluster) {
  BoardAt viewed = edit.board();
  std::vector<BoardAt> there;
  std::vector<Want> each;
  for (std::size_t i = 0; i < edit.boards.size(); ++i) {
    BoardAt& one = edit.boards[i];
    const Node* node = cluster ? cluster->nodes.find(one.node) : nullptr;
    const Gpu* gpu = node ? plan::find_gpu(*node, one.gpu) : nullptr;
    if (!gpu) continue;
    one.product = gpu->product.value_or(ProductKey());
    there.push_back(std::move(one));
    if (i < edit.each.size()) each.push_back(std::move(edit.each[i]));
  }
  edit.each = std::move(each);
  if (there.empty()) {
    edit.boards = {viewed};  // the screen says that it is gone
    edit.viewed = 0;
    return;
  }
  edit.boards = std::move(there);
  edit.viewed = 0;
  for (std::size_t i = 0; i < edit.boards.size(); ++i)
    if (edit.boards[i].node == viewed.node && edit.boards[i].gpu == viewed.gpu) edit.viewed = i;
}

// The lines of the preview, the weightiest first.
class Lines {
 public:
  Lines(const UiState& state, const LayoutView& view, Size room)
      : edit_(*state.top().layout), state_(state), view_(view), width_(room.columns), rows_(room.rows) {}

  Document all() {
    const std::string why_not = why_no_preset();
    if (!why_not.empty()) add(N_("NOT HERE"), why_not, Role::warning);
    if (!edit_.differs()) {
      if (why_not.empty()) unchanged();
    } else if (edit_.preview.error) {
      refused(*edit_.preview.error);
    } else if (edit_.preview.plan) {
      planned(*edit_.preview.plan);
    }
    return std::move(lines_);
  }

 private:
  void add(std::string_view label, std::string_view text, Style style = Role::text,
           Style label_style = Role::heading) {
    add_told(label, tui::told(state_, text), style, label_style);
  }

  // The text in the reader's language already.
  void add_told(std::string_view label, std::string_view text, Style style, Style label_style) {
    bool first = true;
    for (std::string& part : wrap(text, width_ - kLabel - 2)) {
      DocLine line;
      if (first) line.spans.push_back({tui::told(state_, label), label_style, 1});
      line.spans.push_back({std::move(part), style, kLabel + 1});
      lines_.push_back(std::move(line));
      first = false;
    }
  }

  // Of the preset under the cursor, whose row has no room for a long reason.
  std::string why_no_preset() const {
    if (edit_.list != LayoutList::presets) return "";
    const auto at = static_cast<std::size_t>(edit_.preset);
    return at < edit_.presets.size() ? edit_.presets[at].why_not : std::string();
  }

  void unchanged() {
    auto key = [&](Action action) { return first_key(state_, action); };
    if (!view_.cut)
      add(N_("UNCHANGED"),
          fmt::format("{} lists the ways of sharing this GPU; where it is shared, {} and {} "
                      "are a client more or less.",
                      key(Action::layout_presets), key(Action::layout_add), key(Action::layout_remove)),
          Role::dim);
    else
      add(N_("UNCHANGED"),
          fmt::format("{} adds the profile under the cursor, {} takes one away, {} "
                      "lists layouts by name, {} finds the best one for the queue.",
                      key(Action::open), key(Action::layout_remove), key(Action::layout_presets),
                      key(Action::layout_best)),
          Role::dim);
    if (!state_.writable)
      add(N_("READ-ONLY"), "Edit and look as you like: nothing changes on the cluster.", Role::dim);
    waste(edit_.want.layout);
    if (!view_.product)
      add(N_("CATALOGUE"),
          "it does not know this GPU, so its slices cannot be planned: whole, MPS and "
          "time-slicing only",
          Role::warning);
  }

  void refused(const Error& error) {
    // "cannot plan a100-01" is what the label says.
    add(N_("!! CANNOT"), error.reason.empty() ? error.what : error.reason, Role::danger,
        Style(Role::danger).with_bold());
    if (!error.hint.empty()) add("", error.hint, Role::dim);
  }

  void planned(const plan::Plan& plan) {
    sums(plan);
    closed(plan);
    disturbs(plan);
    next_hours(plan);
    in_the_way(plan);
    needs(plan);
    waste(edit_.shown().strategy == Strategy::mig ? edit_.shown().layout : mig::Layout{});
    for (const plan::Notice& one : plan.violations)
      add(N_("RULE !!"), one.rule + ": " + tui::told(state_, one.text), Role::danger);
    resources(plan);
    waiting(plan);
    order(plan);
    std::set<std::string_view> told;  // several nodes may give the same to know
    for (const plan::Notice& one : plan.notices)
      if (one.rule != "in-the-way" && one.rule != "wasted-compute" && one.rule != kNextHours &&
          !plan::is_about_closing(one) && told.insert(one.text).second)
        add(one.severity == Severity::warning ? N_("NOTE !") : N_("NOTE"), one.text, role_of(one.severity));
    if (!plan.no_steps.empty()) add(N_("STEPS"), plan.no_steps, Role::dim);
  }

  void sums(const plan::Plan& plan) {
    std::size_t kept = 0, held = 0, created = 0, destroyed = 0;
    for (const plan::NodePlan& node : plan.nodes) {
      kept += node.kept.size();
      held += static_cast<std::size_t>(std::count_if(node.kept.begin(), node.kept.end(),
                                                     [](const plan::SlicePlan& one) { return one.held; }));
      created += node.created.size();
      destroyed += node.destroyed.size();
    }
    bool nothing = created == 0 && destroyed == 0;
    DocLine line;
    int at = 1;
    auto put = [&](std::string_view english, Style style) {
      std::string text = tui::told(state_, english);
      int cells = display_width(text);
      // What is destroyed is never cut off.
      if (at > 1 && at + cells >= width_) lines_.push_back(std::exchange(line, {})), at = 3;
      line.spans.push_back({std::move(text), style, at});
      at += cells + 2;
    };
    put(held > 0 ? fmt::format("= KEEPS {} ({} held)", kept, held) : fmt::format("= KEEPS {}", kept),
        Role::kept);
    put(fmt::format("+ CREATES {}", created), created > 0 ? Style(Role::created) : Style(Role::dim));
    put(fmt::format("- DESTROYS {}", destroyed), destroyed > 0 ? Style(Role::destroyed) : Style(Role::dim));
    if (nothing && at + 24 < width_) put("same as now", Role::dim);
    lines_.push_back(std::move(line));
  }

  static std::string restart_text(const plan::Disturbed& one) {
    if (one.stays) return "comes back at once";
    if (!one.restartable) return "restart unknown";
    return *one.restartable ? "restarts" : "WILL END";
  }

  void disturbs(const plan::Plan& plan) {
    std::vector<const plan::Disturbed*> all;
    for (const plan::NodePlan& node : plan.nodes)
      for (const plan::Disturbed& one : node.blast_radius) all.push_back(&one);
    if (all.empty()) return add(N_("DISTURBS"), "no workload", Role::good);
    std::string label = fmt::format("DISTURBS {}", all.size());
    const std::size_t listed = disturbed_listed(plan);
    for (std::size_t i = 0; i < all.size() && i < listed; ++i) {
      const plan::Disturbed& one = *all[i];
      std::string who = !one.user.empty() ? one.user
                        : !one.id.empty() ? one.id.text
                                          : tui::told(state_, "unknown client");
      std::string text = who;
      if (!one.name.empty()) text += "  " + one.name;
      if (one.running)
        text += "  " +
                query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(*one.running).count());
      text += "  " + tui::told(state_, restart_text(one));
      if (one.hit == plan::Hit::in_the_way) text += "  (" + tui::told(state_, "only in the way") + ")";
      bool ends = one.restartable == false;
      add(label, text, ends ? Style(Role::danger) : Style(Role::warning));
      label.clear();
    }
    if (all.size() > listed) add("", fmt::format("and {} more", all.size() - listed), Role::warning);
  }

  // That a node is down, or that another has closed it, before all that the plan would do to it.
  void closed(const plan::Plan& plan) {
    for (const NoticeLine& line : told_once(plan.notices, plan.nodes.size() > 1))
      if (plan::is_about_closing(*line.notice))
        add_told(N_("NODE !!"),
                 (line.nodes.empty() ? "" : line.nodes + ": ") + tui::told(state_, line.notice->text),
                 Role::danger, Role::heading);
  }

  static const plan::Notice* played(const plan::Plan& plan) {
    const auto at = std::find_if(plan.notices.begin(), plan.notices.end(),
                                 [](const plan::Notice& one) { return one.rule == kNextHours; });
    return at == plan.notices.end() ? nullptr : &*at;
  }

  // On 80x24 those who are disturbed leave room for what the change brings.
  std::size_t disturbed_listed(const plan::Plan& plan) const {
    constexpr int kSums = 1, kMore = 1, kHeadline = 2;
    if (!played(plan)) return kListed;
    return static_cast<std::size_t>(
        std::clamp(rows_ - kSums - kMore - kHeadline, 2, static_cast<int>(kListed)));
  }

  void next_hours(const plan::Plan& plan) {
    const plan::Notice* headline = played(plan);
    if (!headline) return;
    const std::string hint = fmt::format("{} plays other hours", first_key(state_, Action::layout_hours));
    const std::size_t first = lines_.size();
    add_told(N_("NEXT HOURS"), tui::told(state_, headline->text) + " (" + tui::told(state_, hint) + ")",
             Role::text, Role::heading);
    if (first < lines_.size()) lines_[first].id = kNextHours;
    for (const plan::Notice& one : plan.notices)
      if (one.rule == kNextHours && &one != headline)
        add_told("", tui::told(state_, one.text), Role::dim, Role::dim);
  }

  // "1g.10gb@0,2g.20gb@2" with blanks, so that it is not broken in the middle of a name.
  static std::string spaced(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      out += text[i];
      if (text[i] == ',' && i + 1 < text.size() && text[i + 1] != ' ') out += ' ';
    }
    return out;
  }

  void in_the_way(const plan::Plan& plan) {
    std::size_t shown = 0;
    for (const plan::Notice& one : plan.notices)
      if (one.rule == "in-the-way" && shown++ < kListed)
        add(N_("IN THE WAY"), spaced(one.text), Role::warning);
  }

  void needs(const plan::Plan& plan) {
    plan::Needs all;
    for (const plan::NodePlan& node : plan.nodes) {
      all.drain = all.drain || node.needs.drain;
      all.mode_change = all.mode_change || node.needs.mode_change;
      all.reset = all.reset || node.needs.reset;
    }
    std::string text;
    auto say = [&](bool so, std::string_view words) {
      if (so) text += (text.empty() ? "" : ", ") + std::string(words);
    };
    say(all.drain, "the node closed to new workloads");
    say(all.mode_change, "a change of the MIG mode");
    say(all.reset, "a reset of the GPU");
    if (text.empty()) text = "no reset, no reboot, no closed node";
    add(N_("NEEDS"), text, all.reset ? Style(Role::warning) : Style(Role::text));
  }

  void waste(const mig::Layout& layout) {
    if (!view_.cut || layout.empty()) return;
    if (std::string text = mig::stranded_text(*view_.product, layout); !text.empty())
      add(N_("STRANDED"), "memory " + text + " while these exist", Role::stranded);
    if (std::string text = plan::waste_text(*view_.product, layout); !text.empty())
      add(N_("WASTED"), text, Role::stranded);
  }

  void resources(const plan::Plan& plan) {
    const plan::Counts& before = plan.offered_before.by(plan.scheduler);
    const plan::Counts& after = plan.offered_after.by(plan.scheduler);
    std::string_view label = N_("ADVERTISED");
    std::size_t shown = 0, same = 0;
    for (const auto& [name, count] : after) {
      auto old = before.find(name);
      std::int64_t was = old == before.end() ? 0 : old->second;
      if (was == count) {
        ++same;
        continue;
      }
      if (shown++ >= kListed) continue;
      add(label, fmt::format("{}  {} → {}", name, was, count), count > was ? Role::created : Role::destroyed);
      label = "";
    }
    if (shown == 0 && same > 0) add(label, "as before", Role::dim);
    if (plan.scheduler != Scheduler::kubernetes) return;
    for (const SwitchLine& one : switch_lines(plan)) {
      const bool stays = one.before == one.after;
      add("",
          stays ? fmt::format("{}  {}", one.name, one.after)
                : fmt::format("{}  {} → {}", one.name, one.before, one.after),
          stays ? Style(Role::dim) : Style(Role::text));
    }
  }

  void waiting(const plan::Plan& plan) {
    if (plan.will_run_count > 0)
      add(N_("WILL RUN"), pending_text(plan.will_run, plan.will_run_count), Role::good);
    if (plan.never_again_count > 0)
      add(N_("!! NEVER"), pending_text(plan.never_again, plan.never_again_count) + " would match no more",
          Role::danger, Style(Role::danger).with_bold());
  }

  static std::string pending_text(const std::vector<plan::PendingEffect>& list, int count) {
    std::string text = fmt::format("{} waiting: ", count);
    for (std::size_t i = 0; i < list.size() && i < 3; ++i)
      text += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", list[i].id.text, list[i].user,
                          list[i].remark.empty() ? list[i].request : list[i].remark);
    return count > 3 ? text + ", …" : text;
  }

  void order(const plan::Plan& plan) {
    const plan::NodePlan* node = plan_in_view(edit_);
    if (!node || plan.nodes.empty()) return;
    std::vector<const plan::SlicePlan*> made;
    for (const plan::SlicePlan& one : node->created)
      if (one.gpu == edit_.board().gpu && one.at) made.push_back(&one);
    if (made.size() < 2) return;
    std::sort(made.begin(), made.end(), [](auto* a, auto* b) { return a->order < b->order; });
    std::string text;
    for (const plan::SlicePlan* one : made)
      text += fmt::format("{}{}@{}", text.empty() ? "" : ", ", one->profile.text, one->at->start);
    add(N_("ORDER"), text, Role::dim);
  }

  const LayoutState& edit_;
  const UiState& state_;
  const LayoutView& view_;
  int width_, rows_;
  Document lines_;
};

}  // namespace

const plan::NodePlan* plan_in_view(const LayoutState& edit) {
  if (!edit.differs() || !edit.preview.plan) return nullptr;
  for (const plan::NodePlan& node : edit.preview.plan->nodes)
    if (node.node == edit.board().node) return &node;
  return nullptr;
}

void refresh_layout(UiState& state, Screen& screen, const UiContext& ui) {
  if (&screen != &state.top() || !screen.layout) return;
  LayoutState& edit = *screen.layout;
  keep_boards(edit, ui.model.find(screen.cluster));
  std::optional<LayoutView> view = layout_view(ui, screen);
  if (!view) return;
  int profiles = view->cut ? static_cast<int>(view->product->profiles.size()) : 0;
  edit.unit = std::clamp(edit.unit, 0, view->cut ? view->product->units - 1 : 0);
  edit.profile = std::clamp(edit.profile, 0, profiles > 0 ? profiles - 1 : 0);
  if (!edit.touched) edit.want = want_of(*view->gpu, view->product);
  edit.tried.reset();
  if (edit.list == LayoutList::presets) {
    const PresetChoice& choice = edit.presets[static_cast<std::size_t>(edit.preset)];
    if (choice.why_not.empty()) edit.tried = choice.want;
  }
  if (!edit.differs()) {
    edit.preview.plan.reset();
    edit.preview.error.reset();
    edit.preview.key.clear();
    return;
  }
  make_preview(state, ui, *view);
  take_over_places(edit, *view);
}

Document preview_document(const UiState& state, const LayoutView& view, Size room) {
  return Lines(state, view, room).all();
}

}  // namespace tessera::tui
