// What the plan screen shows: whom it disturbs, what it costs, and the steps.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/fleet/rows.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/words/as_run.hpp"
#include "engine/query/value.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/plan_parts.hpp"
#include "tui/screens/plan/plan_stops.hpp"
#include "tui/screens/plan/plan_texts.hpp"
#include "tui/screens/plan/plan_words.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr int kTwoColumns = 118;
constexpr int kUsualFoot = 6;    // lines that what is said about a step takes below
constexpr int kLeastRoom = 8;    // lines of the first screen, however low the terminal is
constexpr int kFirstSteps = 5;   // lines that the steps have of the first screen, with their heading
constexpr int kMostListed = 40;  // of pending work and of kept slices; the rest is counted

class Page {
 public:
  Page(const UiContext& ui, const UiState& state, const PlanTexts& texts, int width)
      : ui_(ui), state_(state), view_(*state.plan), plan_(view_.plan), texts_(texts), width_(width) {}

  // What has to be seen before arming. room: lines on the first screen; below: how many of them the steps,
  // which follow, would fill.
  PlanFirst first(int room, int below) {
    head();
    end_part("");
    closed();
    end_part("closed");
    disturbs();
    end_part("");
    strips(room);
    end_part("strips");
    standing();
    end_part("");
    moved();
    end_part("moved");
    disturbed();
    return first_of(state_, std::move(parts_), room, below);
  }
  Document rest() {
    options();
    notices();
    decision();
    if (plan_.nodes.size() > 1) nodes();
    if (plan::is_node_action(plan_.intent)) return std::move(lines_);  // no GPU gets another layout
    const bool refused = !plan_.no_steps.empty();  // nothing else is offered afterwards, and no one starts
    if (!refused) resources();
    slices();
    if (!refused) pending();
    return std::move(lines_);
  }
  Document steps() {
    const plan::NodePlan* node = shown_node(view_);
    if (!node) return {};
    std::string aside = plan_.nodes.size() > 1 ? node->node.text : std::string();
    lines_.push_back(heading_line(told("STEPS"), aside));
    if (node->steps.empty())
      note(plan_.no_steps.empty() ? "nothing to do on this node" : "none: this plan can only be reviewed",
           Role::dim);
    else
      put_deadline_heading();
    const std::vector<StepGroup> groups = folded(plan::steps_as_run(plan_, *node));
    int numbers = 2;  // cells
    for (const StepGroup& group : groups) numbers = std::max(numbers, display_width(numbers_text(group)));
    for (const StepGroup& group : groups) step(group, numbers);
    blank();
    undo();
    return std::move(lines_);
  }

 private:
  // What was put since the last one, as an entry of its part, and its entries as a part; empty: not folded.
  void end_entry(std::size_t things = 1) {
    if (!lines_.empty()) entries_.push_back({std::exchange(lines_, {}), things});
  }
  void end_part(const std::string& name, std::optional<DocLine> heading = {}) {
    end_entry();
    if (entries_.empty()) return;
    parts_.push_back(
        {name.empty() ? name : id_of('m', name), std::move(heading), std::exchange(entries_, {})});
  }
  void blank() { lines_.push_back({}); }
  std::string told(std::string_view text) const { return tui::told(state_, text); }
  void heading(std::string_view text, std::string_view aside = {}) {
    if (!lines_.empty() && !lines_.back().spans.empty()) blank();
    lines_.push_back(heading_line(told(text), told(aside)));
  }
  // Wrapped text; the first line may hold the cursor.
  void note(std::string_view english, Style style, std::string id = {}, std::string sign = {}) {
    put_note(told(english), style, std::move(id), std::move(sign));
  }
  void put_note(std::string_view text, Style style, std::string id, std::string sign) {
    int indent = sign.empty() ? 3 : 6;
    for (; text.starts_with(' '); text.remove_prefix(1)) ++indent;
    bool first = true;
    for (std::string& line : wrap(text, width_ - indent - 1)) {
      DocLine entry;
      if (first && !sign.empty()) entry.spans.push_back({sign, style.with_bold(), 3});
      entry.spans.push_back({std::move(line), style, indent});
      if (first) entry.id = id;
      lines_.push_back(std::move(entry));
      first = false;
    }
  }

  static int cells_of(const std::vector<Span>& spans) {
    int cells = 0;
    for (const Span& span : spans) cells += display_width(span.text);
    return cells;
  }
  void head() {
    const Risk risk = texts_.risk;
    const Role risky = risk == Risk::low ? Role::good : risk == Risk::medium ? Role::warning : Role::danger;
    // Nodes of two clusters may have one name, and it is typed to arm the plan.
    std::string where;
    if (ui_.model.clusters.size() > 1)
      where = fmt::format("{} {} ", plan_.intent.cluster.text, glyphs(state_.ascii).crumb);
    DocLine line{{{where + told(nodes_text(plan_)) + boards_text(), Style(Role::text).with_bold(), 1}}, {}};
    line.spans.push_back(
        {fmt::format("  {} {}", glyphs(state_.ascii).crumb, asked_text(state_, plan_.intent)),
         Style(Role::accent).with_bold()});
    if (plan_.changes_anything()) {
      const std::vector<Span> more{{"   " + told("risk") + " ", Role::dim},
                                   {told(word(risk)), Style(risky).with_bold()},
                                   {"   " + told(texts_.usual), Role::text}};
      // Behind the name where there is room for all of it, else on a line of its own.
      if (cells_of(line.spans) + cells_of(more) + 2 > width_) {
        lines_.push_back(std::move(line));
        line = {};
      }
      line.spans.insert(line.spans.end(), more.begin(), more.end());
    }
    lines_.push_back(std::move(line));
  }
  void disturbs() {
    const bool undisturbed = texts_.disturbs == "no workload";
    for (std::string& text : wrap(told("disturbs " + texts_.disturbs), width_ - 2))
      lines_.push_back(
          {{{std::move(text), Style(undisturbed ? Role::good : Role::warning).with_bold(), 1}}, {}});
  }

  // What the GPUs of the node in view are, and what they will be: in two columns where one is too high.
  void strips(int room) {
    const plan::NodePlan* node = shown_node(view_);
    if (!node) return;
    const Cluster* cluster = ui_.model.find(plan_.intent.cluster);
    const Node* live = cluster ? cluster->nodes.find(node->node) : nullptr;
    const std::vector<StripChange> changes = strip_changes(*node, live, ui_.catalogue, state_.ascii);
    int gpus = 0, before = 0, after = 0;
    for (const StripChange& one : changes) {
      gpus = std::max(gpus, display_width(one.gpus));
      before = std::max(before, display_width(one.before));
      after = std::max(after, display_width(one.after));
    }
    const int words = display_width(told("now")) + display_width(told("after"));
    const int narrow = gpus + before + after + words + 5;  // blanks between them, where they stand close
    const bool two = static_cast<int>(changes.size()) > room / 4 && 2 * (3 + narrow) < width_;
    if (plan_.nodes.size() > 1 && !changes.empty())  // these are the GPUs of one alone
      lines_.push_back({{{node->node.text, Role::dim, 3}}, {}});
    for (std::size_t i = 0; i < changes.size();) {
      const std::size_t row = two ? std::min<std::size_t>(2, changes.size() - i) : 1;
      DocLine line;
      for (std::size_t k = 0; k < row; ++k)
        put_strip(line, changes[i + k], static_cast<int>(k) * (3 + narrow) + 3, two ? 1 : 2,
                  two ? gpus : std::max(gpus, 8), before);
      lines_.push_back(std::move(line));
      end_entry(row);
      i += row;
    }
  }
  void put_strip(DocLine& line, const StripChange& one, int at, int gap, int gpus, int before) const {
    const std::string blanks(static_cast<std::size_t>(gap), ' ');
    const auto pad = static_cast<std::size_t>(before - display_width(one.before) + 1);
    line.spans.push_back({one.gpus, Role::text, at});
    line.spans.push_back({told("now"), Role::dim, at + gpus + gap});
    line.spans.push_back({blanks + one.before, Role::held});
    line.spans.push_back({blanks + std::string(pad, ' ') + told("after"), Role::dim});
    line.spans.push_back({blanks + one.after, Style(Role::created).with_bold()});
  }

  // When it is gone at the latest, by its own time limit.
  std::string until_text(const plan::Disturbed& one, const std::string& fate) const {
    if (fate != "waited for") return "";
    const Cluster* cluster = ui_.model.find(plan_.intent.cluster);
    const Workload* work = cluster ? cluster->workloads.find(one.id) : nullptr;
    if (!work) return "?";
    if (!work->ends) return told("no limit");
    const auto left =
        std::chrono::duration_cast<std::chrono::seconds>(*work->ends - cluster_now(*cluster, ui_.wall))
            .count();
    return left <= 0 ? told("over its limit")
                     : std::string(glyphs(state_.ascii).at_most) + query::duration_text(left);
  }

  // That another has closed a node, before all that the plan would do to it.
  void closed() {
    if (std::none_of(plan_.notices.begin(), plan_.notices.end(), plan::is_about_closing)) return;
    for (const NoticeLine& line : told_once(plan_.notices, plan_.nodes.size() > 1))
      if (plan::is_about_closing(*line.notice)) {
        const std::string where = line.nodes.empty() ? line.notice->node.text : line.nodes;
        put_note(where + ": " + told(line.notice->text), Style(Role::danger).with_bold(),
                 id_of('n', std::to_string(line.notice - plan_.notices.data())), "!!");
        end_entry();
      }
  }

  // " GPU 7", where the wish is about some GPUs only.
  std::string boards_text() const {
    std::vector<int> gpus;
    for (const plan::BoardWish& wish : plan_.intent.boards) {
      if (!wish.gpu || plan_.nodes.size() > 1) return "";
      gpus.push_back(wish.gpu->value);
    }
    return gpus.empty() ? "" : " GPU " + fleet::gpus_text(gpus);
  }

  // Whether it can be armed here and now, and if not, why.
  void standing() {
    if (!plan::may_apply(view_.moved)) {
      note(fmt::format("The cluster has changed since this plan was made. {} plans again.",
                       first_key(state_, Action::plan_again)),
           Style(Role::danger).with_bold(), {}, "!!");
    }
    if (!view_.moved.empty() && plan::may_apply(view_.moved))
      note(plan_.scheduler == Scheduler::slurm ? "Jobs have only ended since: no other job is affected."
                                               : "Pods have only ended since: no other pod is affected.",
           Role::dim);
    if (!view_.trouble.empty()) note(view_.trouble, Role::danger, {}, "!!");
    if (!plan_.no_steps.empty()) {
      note("This plan can only be reviewed: " + plan_.no_steps, Role::warning, {}, "! ");
    } else if (plan::only_starts_differ(plan_)) {
      note("The slices are there, and no plan can choose their starts here: nothing to do.", Role::warning);
    } else if (!plan_.changes_anything()) {
      note(plan::is_node_action(plan_.intent) ? "Already in that state: nothing to do."
                                              : "The layout is already as requested: nothing to do.",
           Role::good);
    } else if (!state_.writable && !view_.past) {
      note("Read-only: start tessera with --write to arm this plan.", Role::read_only);
    }
  }

  void moved() {
    for (const plan::Moved& one : view_.moved) {
      note(one.node.text + ": " + one.text, one.harmless ? Role::dim : Role::danger);
      end_entry();
    }
  }

  // Of thousands that are disturbed a screen shows a few.
  void disturbed() {
    PlanLater later;
    for (const plan::NodePlan& node : plan_.nodes) {
      const std::size_t some = node.blast_radius.size();
      later.count += some, later.lines += some + (some > 0 && plan_.nodes.size() > 1 ? 1 : 0);
    }
    if (later.count == 0) return;
    cells_ = disturbed_cells(plan_, width_);
    later.make = [this](std::size_t at) { return one_disturbed(at); };
    parts_.push_back(
        {id_of('m', "disturbed"), heading_line(told("WILL BE DISTURBED")), {}, std::move(later)});
  }
  Document one_disturbed(std::size_t at) {
    auto node = plan_.nodes.begin();
    for (; at >= node->blast_radius.size(); ++node) at -= node->blast_radius.size();
    if (at == 0 && plan_.nodes.size() > 1)
      lines_.push_back({{{shorten(node->node.text, width_ - 4, state_.ascii), Role::dim, 3}}, {}});
    work(*node, node->blast_radius[at]);
    return std::exchange(lines_, {});
  }
  void work(const plan::NodePlan& node, const plan::Disturbed& one) {
    std::string fate = fate_text(one, plan_.intent.options.way);
    Style style = fate == "WILL END"     ? Style(Role::danger).with_bold()
                  : fate == "waited for" ? Style(Role::text)
                                         : Style(Role::warning);
    std::string running =
        one.running
            ? query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(*one.running).count())
            : std::string("?");
    std::string id = one.id.empty() ? id_of('u', node.node.text + one.slices.front())
                                    : id_of('w', one.id.text + '\x1f' + node.node.text);
    const bool roomy = width_ >= 76;
    const DisturbedCells& at = cells_;
    auto cell = [&](const std::string& text, int width) { return shorten(text, width, state_.ascii); };
    // Of a pod its namespace would fill the cell; where no column has its name, that stands here.
    const bool by_name = !roomy && !one.name.empty() && one.id.text.find('/') != std::string::npos;
    DocLine line{{{cell(by_name ? one.name : name_text(one), at.id), Style(Role::text).with_bold(), 3},
                  {cell(one.user, (at.name > 0 ? at.name : at.since) - at.user - 1), Role::text, at.user}},
                 std::move(id)};
    if (at.name > 0) line.spans.push_back({cell(one.name, at.since - at.name - 1), Role::dim, at.name});
    line.spans.push_back({running, Role::text, at.since});
    line.spans.push_back({told(fate), style, at.fate});
    line.spans.push_back({"  " + until_text(one, fate), Role::dim});
    if (width_ >= 90) {
      std::string extent = one.slices.empty() ? one.unasked : one.slices.front();
      if (one.slices.size() > 1) extent += fmt::format(" +{}", one.slices.size() - 1);
      if (one.hit == plan::Hit::in_the_way) extent = "in the way on " + node.node.text;
      line.spans.push_back({"  " + told(extent), Role::dim, at.extent});
    }
    lines_.push_back(std::move(line));
  }

  void options() {
    const plan::ChangeOptions& now = plan_.intent.options;
    heading("OPTIONS", "each plans again at once");
    // Beside the widest label: in another language it may be wider than in English.
    const int values =
        std::max({19, 4 + display_width(told("running work")), 4 + display_width(told("nodes at a time"))});
    auto option = [&](const std::string& label, std::string value, std::initializer_list<Action> keys) {
      DocLine line{{{told(label), Role::dim, 3}, {told(value), Role::text, values}}, id_of('o', label)};
      int x = values + 21;
      for (Action action : keys) {
        std::string key = first_key(state_, action);
        line.spans.push_back({key, Role::key, x});
        line.spans.push_back({" " + std::string(info(action).title), Role::dim});
        x += 12;
      }
      lines_.push_back(std::move(line));
    };
    if (!plan::is_node_action(plan_.intent)) {
      option("running work", std::string(way_text(now.way, plan_.scheduler)),
             {Action::plan_requeue, Action::plan_cancel});
      option("when", now.when_empty ? "close, apply later" : "wait now", {Action::plan_when_empty});
    }
    option("on failure", now.on_failure == plan::OnFailure::undo ? "go back by itself" : "park and ask",
           {Action::plan_on_failure});
    if (plan_.nodes.size() < 2) return;
    option(
        "nodes at a time",
        now.canary > 0 ? fmt::format("{} alone, then {}", now.canary, now.batch) : std::to_string(now.batch),
        {Action::plan_canary, Action::plan_batch});
  }

  // How the way of sharing was chosen, where the guide was asked.
  void decision() {
    if (!plan_.intent.decision) return;
    heading("DECISION", "kept with the plan and in the journal");
    for (const std::string& line : plan::to_lines(*plan_.intent.decision)) note(line, Role::dim);
  }
  void notices() {
    const bool more = std::any_of(plan_.notices.begin(), plan_.notices.end(),
                                  [](const plan::Notice& one) { return !plan::is_about_closing(one); });
    if (plan_.violations.empty() && !more) return;
    heading("NOTES", "each with its rule in brackets");
    const bool several = plan_.nodes.size() > 1;
    for (const NoticeLine& line : told_once(plan_.violations, several))
      one_notice(line, id_of('v', std::to_string(line.notice - plan_.violations.data())));
    for (const NoticeLine& line : told_once(plan_.notices, several))
      if (!plan::is_about_closing(*line.notice))
        one_notice(line, id_of('n', std::to_string(line.notice - plan_.notices.data())));
  }
  void one_notice(const NoticeLine& line, std::string id) {
    const plan::Notice& notice = *line.notice;
    std::string text = line.nodes.empty() ? "" : line.nodes + ": ";
    text += told(notice.text) + " [" + notice.rule + "]";
    Role role = notice.severity == Severity::info ? Role::dim : role_of(notice.severity);
    put_note(text, role, std::move(id), std::string(sign_of(notice.severity)));
  }

  void nodes() {
    heading("NODES", fmt::format("{}", plan_.nodes.size()));
    add_nodes(lines_, state_);
  }

  void resources() {
    Scheduler scheduler = plan_.scheduler;
    if (view_.other_scheduler)
      scheduler = scheduler == Scheduler::slurm ? Scheduler::kubernetes : Scheduler::slurm;
    const plan::Counts& before = plan_.offered_before.by(scheduler);
    const plan::Counts& after = plan_.offered_after.by(scheduler);
    heading("RESOURCES", fmt::format("named as in {}, {} for the other",
                                     scheduler == Scheduler::slurm ? "Slurm" : "Kubernetes",
                                     first_key(state_, Action::plan_scheduler)));
    const auto above = [&](std::string_view heading, int end) {  // a heading ends where its numbers do
      std::string text = told(heading);
      const int at = end - display_width(text);
      return Span{std::move(text), Role::dim, at};
    };
    lines_.push_back({{above(N_("before"), 40), above(N_("after"), 49)}, {}});
    plan::Counts all = before;
    all.insert(after.begin(), after.end());
    for (const auto& [resource, count] : all) {
      std::int64_t was = before.contains(resource) ? before.at(resource) : 0;
      std::int64_t will = after.contains(resource) ? after.at(resource) : 0;
      Style style = was == will ? Style(Role::dim) : Style(Role::text).with_bold();
      Role change = will > was ? Role::created : will < was ? Role::destroyed : Role::dim;
      std::string sign = will > was ? " +" : will < was ? " -" : "";
      lines_.push_back({{{shorten(resource, 29, state_.ascii), style, 3},
                         {fmt::format("{:>6}", was), style, 34},
                         {fmt::format("{:>5}", will), Style(change).with_bold(), 44},
                         {sign, change}},
                        id_of('r', resource)});
    }
    if (all.empty()) note("unknown", Role::unknown);
    if (scheduler == Scheduler::kubernetes && plan_.scheduler == scheduler)
      for (const SwitchLine& one : switch_lines(plan_)) {
        const Style style = one.before == one.after ? Style(Role::dim) : Style(Role::text).with_bold();
        lines_.push_back({{{one.name, style, 3},
                           {fmt::format("{:>6}", one.before), style, 34},
                           {fmt::format("{:>5}", one.after), style, 44}},
                          id_of('r', one.name)});
      }
    if (plan_.nodes.empty()) return;
    int was = 0, will = 0;
    for (const plan::NodePlan& node : plan_.nodes) was += node.compute_before, will += node.compute_after;
    if (was != will)
      lines_.push_back({{{told("compute slices on offer"), Role::dim, 3},
                         {fmt::format("{:>6}", was), Role::dim, 34},
                         {fmt::format("{:>5}", will), Role::dim, 44}},
                        {}});
  }

  void slices() {
    const plan::NodePlan* node = shown_node(view_);
    if (!node) return;
    heading("SLICES", plan_.nodes.size() > 1 ? node->node.text : std::string());
    group("=", "keeps", node->kept, Role::kept);
    group("-", "destroys", node->destroyed, Role::destroyed);
    const bool placed = plan_.capabilities.chooses_placement;
    group("+",
          placed ? "creates, in this order" : "creates, placed by the driver:", made_slices(plan_, *node),
          Role::created);
    lines_.push_back({{{told("needs"), Role::dim, 3}, {told(needs_text(node->needs)), Role::text, 12}},
                      id_of('k', "needs")});
  }
  void group(const char* sign, const char* what, const std::vector<plan::SlicePlan>& slices, Role role) {
    if (slices.empty()) return;
    lines_.push_back(
        {{{fmt::format("{} {} {}", sign, told(what), slices.size()), Style(role).with_bold(), 3}}, {}});
    for (const std::string& line : slices_text(slices)) note("   " + line, role, id_of('g', sign + line));
  }

  void pending() {
    const whatif::Comparison* played = view_.whatif.get();
    const bool chosen = view_.hours != whatif::kUsualHours;
    const bool playing = hours_are_played(view_);
    if (plan_.will_run_count + plan_.never_again_count == 0 && !playing &&
        (!played || (is_nothing(*played) && !chosen)))
      return;
    heading("WAITING WORK", played ? fmt::format("the next {} h; {} plays others", view_.hours,
                                                 first_key(state_, Action::plan_hours))
                                   : std::string());
    if (played) note(whatif::headline(*played), Role::text, id_of('k', "what-if"));
    if (playing) note(fmt::format("the next {} h are being played", view_.hours), Role::dim);
    lines_.push_back({{{told(fmt::format("{} will be able to run", plan_.will_run_count)),
                        plan_.will_run_count > 0 ? Role::good : Role::dim, 3}},
                      id_of('k', "will-run")});
    list_pending(plan_.will_run, Role::dim);
    lines_.push_back({{{told(fmt::format("{} would never match again", plan_.never_again_count)),
                        plan_.never_again_count > 0 ? Style(Role::danger).with_bold() : Style(Role::dim), 3}},
                      id_of('k', "never-again")});
    list_pending(plan_.never_again, Role::danger);
  }
  // Nothing waits for room that the plan would move.
  static bool is_nothing(const whatif::Comparison& played) {
    return played.sooner.empty() && played.later.empty() && played.changed.changed;
  }
  void list_pending(const std::vector<plan::PendingEffect>& list, Role role) {
    for (std::size_t i = 0; i < list.size() && i < kMostListed; ++i) {
      lines_.push_back({{{list[i].id.text, role, 5},
                         {"  " + list[i].user, Role::text, 17},
                         {"  " + list[i].request, Role::text, 29}},
                        id_of('w', list[i].id.text + '\x1f' + "pending")});
      if (!list[i].remark.empty()) note("  " + list[i].remark, Role::dim);
    }
  }

  void put_deadline_heading() {
    DocLine& line = lines_.back();
    std::string text = told("deadline");
    const int at = width_ - 2 - display_width(text);
    line.spans.push_back({std::move(text), Role::dim, at});
  }
  void step(const StepGroup& group, int numbers) {
    const plan::Step& step = group.all;
    const std::size_t index = group.first;
    std::string deadline = deadline_text(step.deadline);
    Style style = step.disturbs ? Style(Role::warning) : Style(Role::text);
    // A title names the slices that it changes: what does not fit goes on below.
    const int title_at = 3 + numbers;
    const std::vector<std::string> title = wrap(told(step.title), width_ - 12 - title_at);
    lines_.push_back({{{fmt::format("{:>{}}", numbers_text(group), numbers), Role::dim, 2},
                       {title.front(), style, title_at},
                       {step.disturbs ? " !" : "", Style(Role::warning).with_bold()},
                       {deadline, Role::dim, width_ - 2 - display_width(deadline)}},
                      id_of('s', std::to_string(index))});
    for (std::size_t i = 1; i < title.size(); ++i) lines_.push_back({{{title[i], style, title_at}}, {}});
  }
  void undo() {
    lines_.push_back(heading_line(told("UNDO")));
    const auto verb = plan::verb_of(plan_.intent);
    if (verb == plan::NodeVerb::restart_plugin)
      return note("A pod that was restarted leaves nothing to undo.", Role::dim);
    if (verb == plan::NodeVerb::reset_gpu)
      return note(
          "A reset leaves nothing to undo. Until it is made, going back on the run's page opens the "
          "node again.",
          Role::dim);
    if (verb && !plan::has_way_back(*verb))
      return note(
          "While jobs are still there, going back on the run's page cancels the reboot. A boot cannot "
          "be undone.",
          Role::dim);
    if (plan::is_node_action(plan_.intent))
      return note(
          fmt::format("The run records why each node was closed, or that it was open. {} on it undoes "
                      "the run; a plan is shown first.",
                      first_key(state_, Action::run_undo)),
          Role::dim);
    note(fmt::format(
             "The run records the layout that it finds. {} on it undoes the run (a plan is shown first); "
             "that never ends work. Jobs that ended do not come back by it.",
             first_key(state_, Action::run_undo)),
         Role::dim);
  }

  const UiContext& ui_;
  const UiState& state_;
  const PlanView& view_;
  const plan::Plan& plan_;
  const PlanTexts& texts_;
  int width_;
  DisturbedCells cells_;
  Document lines_;
  std::vector<PlanEntry> entries_;
  std::vector<PlanPart> parts_;
};

void append(Document& document, const Document& more, bool tight = false) {
  if (!tight && !document.empty() && !document.back().spans.empty() && !more.empty()) document.push_back({});
  document.insert(document.end(), more.begin(), more.end());
}

int plan_room(const UiContext& ui, const UiState& state) {
  return std::max(kLeastRoom, frame_of(state, ui, state.size).body.height - kUsualFoot);
}
int plan_split(int width) { return width * 53 / 100; }
}  // namespace

void put_lines(PlanTexts& texts, const UiContext& ui, const UiState& state) {
  const int width = texts.width, split = plan_split(width);
  const bool two = width >= kTwoColumns;
  texts.steps = Page(ui, state, texts, two ? width - split : width).steps();
  texts.rest = Page(ui, state, texts, two ? split - 1 : width).rest();
}

std::string first_plan_stop(const UiContext& ui, const UiState& state) {
  const int width = state.size.columns;
  if (state.plan && width >= kTwoColumns) {
    const auto texts = plan_texts(ui, state, width);
    const PlanFirst first = Page(ui, state, *texts, plan_split(width) - 1).first(plan_room(ui, state), 0);
    for (const DocLine& line : first.lines)
      if (!line.id.empty()) return line.id;
  }
  const std::vector<Stop> stops = stops_of(plan_panes(ui, state, width));
  return stops.empty() ? std::string() : stops.front().id;
}

Panes plan_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  if (!state.plan) return panes;
  const int room = plan_room(ui, state);
  const std::shared_ptr<const PlanTexts> texts = plan_texts(ui, state, width);
  if (width >= kTwoColumns) {
    panes.split = plan_split(width);
    panes.main = Page(ui, state, *texts, panes.split - 1).first(room, 0).lines;
    panes.side = texts->steps;
  } else {
    const int below = std::min(kFirstSteps, static_cast<int>(texts->steps.size()));
    PlanFirst first = Page(ui, state, *texts, width).first(room, below);
    panes.main = std::move(first.lines);
    append(panes.main, texts->steps, first.tight);
  }
  append(panes.main, texts->rest);
  std::vector<Stop> stops = stops_of(panes);
  int at = stop_of(panes, stops, state.top().cursor);
  if (at >= 0) panes.foot = plan_foot(state, stops[static_cast<std::size_t>(at)].id, width);
  return panes;
}

}  // namespace tessera::tui
