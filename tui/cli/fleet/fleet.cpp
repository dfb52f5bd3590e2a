#include "tui/cli/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/begun.hpp"
#include "engine/fleet/demand.hpp"
#include "engine/fleet/never_holds.hpp"
#include "engine/fleet/other_rules.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/fleet/written.hpp"
#include "engine/insight/read_whole.hpp"
#include "engine/pack/refused.hpp"
#include "engine/query/local_time.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/fleet/fleet_command.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/cli/settings.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

using fleet::Standing;

constexpr std::string_view kVerbs[] = {"init", "check",    "diff", "plan",  "apply",   "explain",
                                       "set",  "calendar", "run",  "pause", "unpause", "log"};

Error usage(std::string reason, std::string hint) {
  return {"cannot use these arguments", std::move(reason), std::move(hint)};
}

// A pool that its GPUs cannot become says so of each node: once for all of them, by the first of each kind.
std::vector<pack::RefusedKind> told_together(const std::map<NodeName, std::string>& nodes) {
  std::vector<pack::RefusedKind> kinds = pack::by_reason(nodes);
  std::sort(kinds.begin(), kinds.end(),
            [](const auto& a, const auto& b) { return a.nodes.front() < b.nodes.front(); });
  return kinds;
}

std::string refusal_of(const pack::RefusedKind& kind) {
  const std::string nodes = pack::names_of(kind);
  if (kind.nodes.size() == 1) return fmt::format("{} drifts, and no plan changes it: {}", nodes, kind.why);
  if (kind.why.find(kind.nodes.front().text) == std::string::npos)
    return fmt::format("{} drift, and no plan changes them: {}", nodes, kind.why);
  return fmt::format("{} drift, and no plan changes them; of the first: {}", nodes, kind.why);
}

}  // namespace

int worse(int a, int b) {
  const auto rank = [](int code) {
    return code == kDone ? 0 : code == kUnknown ? 1 : code == kFinding ? 2 : code == kUsage ? 3 : code;
  };
  return rank(a) >= rank(b) ? a : b;
}

int FleetCommand::run() {
  if (auto why = take_words()) return refuse(streams_, *why, kUsage);
  if (Status ok = check_output(options_); !ok) return refuse(streams_, ok.error(), kUsage);
  if (verb_ == "log") return log();              // of a file that is gone, too
  if (verb_ == "pause" || verb_ == "unpause") {  // a file that says something wrong, too
    if (const auto text = fleet_text(path_); !text) return refuse(streams_, text.error(), kUsage);
  } else if (verb_ != "init") {
    if (Status read = read_file(); !read) return refuse(streams_, read.error(), kUsage);
  }
  if (verb_ != "init" && verb_ != "pause" && verb_ != "unpause" && (verb_ != "run" || options_.dry_run))
    if (const std::string text = is_past() ? "" : paused_text(); !text.empty())
      streams_.err << told(streams_, text) << "\n";
  if (verb_ == "set") return set();
  if (verb_ == "calendar") return calendar();
  if (verb_ == "pause") return pause();
  if (verb_ == "unpause") return unpause();
  if (verb_ == "run")
    if (auto ended = before_run()) return *ended;
  if (auto failed = clusters_.open()) return *failed;
  if (auto failed = look_afresh(clusters_, options_, streams_, options_.cluster)) return *failed;
  if (auto refusal = choose()) return refuse(streams_, *refusal);
  page_.past = is_past();
  if (page_.past) tell_moment();
  if (verb_ == "init") return init();
  if (verb_ == "run" && options_.dry_run) return run_dry();
  if (verb_ == "run") return run_due();
  // Before the surveys: while the list comes in, the model that they point into may change.
  if (verb_ == "check" || verb_ == "diff" || verb_ == "explain") {
    (void)list_known_runs();
    if (verb_ == "explain") {
      read_parked_runs();
    } else {
      (void)judge_runs();
      find_left_runs();
    }
    if (verb_ != "check") read_newest_runs();
  }
  if (auto refusal = make_surveys()) return refuse(streams_, *refusal);
  if (verb_ == "plan" || verb_ == "apply") return change();
  if (!is_past()) note_passed_over();
  if (verb_ == "check") return show(check_page(page_, options_));
  if (verb_ == "explain") return explain();
  return show(diff_page(page_, options_));
}

std::optional<Error> FleetCommand::take_words() {
  constexpr const char* kHint =
      "tessera fleet init|check|diff|plan|apply|calendar|run|pause|unpause|log [FILE], explain NODE [FILE], "
      "or set POOL KEY=VALUE [FILE]";
  if (options_.words.empty()) return usage("no verb is given", kHint);
  std::vector<std::string> rest(options_.words.begin() + 1, options_.words.end());
  verb_ = options_.words.front();
  if (std::find(std::begin(kVerbs), std::end(kVerbs), verb_) == std::end(kVerbs))
    return usage("\"" + clean(verb_, 60) + "\" is not a verb of fleet", kHint);
  if (verb_ == "explain") {
    if (rest.empty()) return usage("which node?", "tessera fleet explain NODE [FILE]");
    node_ = rest.front();
    rest.erase(rest.begin());
  }
  if (verb_ == "set") {
    if (auto why = take_settings(std::move(rest))) return why;
    rest.clear();
  }
  if (rest.size() > 1) return usage("unexpected word \"" + clean(rest[1], 100) + "\"", kHint);
  if (path_.empty()) path_ = rest.empty() ? options_.fleet_file : rest.front();
  if (verb_ == "run" && options_.output != OutputFormat::table && !options_.dry_run)
    return usage("fleet run has no such form", "tessera journal -o json has its runs; --dry-run has it");
  if (auto why = flag_without_effect()) return why;
  if (path_.empty() && verb_ != "init")
    return usage("no fleet file is named",
                 "name it at the end, or set fleet: FILE in config.yaml; tessera fleet init writes one");
  return std::nullopt;
}

std::optional<Error> FleetCommand::flag_without_effect() const {
  const auto is = [&](std::initializer_list<std::string_view> verbs) {
    return std::find(verbs.begin(), verbs.end(), verb_) != verbs.end();
  };
  const auto no = [&](const char* flag, const char* hint) {
    return usage(fmt::format("fleet {} has no {}", verb_, flag), hint);
  };
  if (is({"init", "explain", "set", "pause", "unpause"}) && options_.output != OutputFormat::table)
    return no("-o", "check, diff, plan, calendar, log and run --dry-run have it");
  if (is({"init", "explain", "set", "calendar", "pause", "unpause", "log"}) && !options_.nodes.empty())
    return no("--node", "check, diff, plan, apply and run have it");
  if (is({"plan", "apply"})) return std::nullopt;
  if (!options_.at.empty() && !is_past())
    return no("--at", "plan, apply, check, diff and explain have it; windows of the file say when");
  constexpr const char* kPatience = "plan and apply have it; in the file it is evict";
  if (options_.change.way != plan::Way::wait) return no("--way", kPatience);
  if (options_.change.when_empty) return no("--when-empty", kPatience);
  if (options_.change.wait)
    return no("--wait", "plan and apply have it; fleet run parks until a node is empty");
  return std::nullopt;
}

bool FleetCommand::is_past() const { return looks_back(options_, clusters_.wall()); }

// The layouts are those of then; what they are held against is not.
void FleetCommand::tell_moment() const {
  for (const ClusterName& name : read_)
    streams_.err << told(streams_,
                         fmt::format(
                             "{} is shown as it stood {}; the file is the one that is there now",
                             clean(name.text, 100),
                             query::local_text(cluster_now(*clusters_.model().find(name), clusters_.wall()))))
                 << "\n";
}

Status FleetCommand::read_file() {
  auto read = read_fleet_file(path_, catalogue_);
  if (!read) return read.error();
  fleet_ = std::move(read->fleet);
  zone_ = std::move(read->zone);
  stamp_ = std::move(read->stamp);
  page_.file = clean(path_, 300), page_.path = path_;
  return Done{};
}

std::optional<Refusal> FleetCommand::choose() {
  // The model has them in the order in which they answered, which is another one each time.
  std::map<ClusterName, const Cluster*> by_name;
  page_.names_cluster = !options_.cluster.empty() || clusters_.model().clusters.size() > 1;
  for (const Cluster& cluster : clusters_.model().clusters)
    if (options_.cluster.empty() || cluster.name.text == options_.cluster) by_name[cluster.name] = &cluster;
  for (const auto& [name, cluster] : by_name) {
    if (cluster->loaded)
      read_.push_back(name);
    else
      page_.unread.push_back(name.text + " gave no complete answer");
    if (cluster->loaded && !insight::is_read_whole(*cluster))
      page_.unread.push_back("not everything of " + name.text + " could be read");
  }
  if (options_.nodes.empty()) return std::nullopt;
  auto chosen =
      choose_nodes(options_, clusters_.model(), catalogue_, clusters_.wall(), "cannot look at the fleet");
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return std::move(*refusal);
  auto& [cluster, nodes] = std::get<ChosenNodes>(chosen);
  only_ = std::move(nodes);
  read_ = {cluster->name};
  return std::nullopt;
}

const fleet::Fleet& FleetCommand::fleet_now(const Cluster& cluster) {
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  return now_.emplace_back(fleet::fleet_at(fleet_, zone_, now));
}

int FleetCommand::calendar() {
  // Whatever goes by one clock is told by that clock: the calendar of a run by those of its clusters.
  std::vector<ClockTold> clocks;
  for (const ClusterName& name : read_)
    clocks.push_back({name, cluster_now(*clusters_.model().find(name), clusters_.wall())});
  const TimePoint wall = clusters_.wall();
  const auto now = [&](const fleet::Pool& pool) {
    for (const ClockTold& one : clocks)
      if (pool.cluster.empty() || pool.cluster == one.cluster) return one.now;
    return wall;
  };
  const std::vector<fleet::Due> all = fleet::calendar(fleet_, zone_, now, options_.days);
  if (clocks.empty()) clocks.push_back({{}, wall});
  if (options_.output == OutputFormat::table) {
    const std::string text = calendar_page(all, fleet_, clocks, options_);
    streams_.out << (options_.ascii ? in_ascii(text) : text) << std::flush;
  } else if (verb_ == "run") {
    due_json_ = calendar_json(all, clocks);
  } else {
    show_document(calendar_json(all, clocks));
  }
  return kDone;
}

void FleetCommand::show_document(const Json& json) const {
  streams_.out << document(json, options_.output == OutputFormat::json ? Markup::json : Markup::yaml)
               << std::flush;
}

fleet::Place FleetCommand::place_of(const Cluster& cluster) {
  plan::Means& means = means_[cluster.name];
  means = capabilities_of(clusters_, cluster);
  return {&catalogue_, &means, &options_.rules};
}

int FleetCommand::init() {
  std::vector<fleet::Standstill> all;
  for (const ClusterName& name : read_) {
    const Cluster* cluster = clusters_.model().find(name);
    all.push_back({cluster, place_of(*cluster)});
  }
  auto written = fleet::write_fleet(all);
  if (!written) return refuse(streams_, written.error(), kUnknown);
  if (path_.empty()) {
    streams_.out << written->text << std::flush;
  } else if (Status done = write_new(path_, written->text,
                                     "name a file that is not there; tessera fleet diff "
                                     "shows how an existing one differs");
             !done) {
    return refuse(streams_, done.error(), kUsage);
  }
  streams_.err << told(streams_,
                       written->left_out == 0
                           ? fmt::format("{} nodes are ruled, none is left out", written->nodes)
                           : fmt::format("{} nodes are ruled, {} are left out: comments of the file say why",
                                         written->nodes, written->left_out))
               << "\n";
  return page_.unread.empty() ? kDone : kUnknown;
}

std::optional<Refusal> FleetCommand::make_surveys() {
  const std::size_t looked_at = options_.cluster.empty() ? clusters_.model().clusters.size() : 1;
  if (const fleet::Pool* pool = fleet::pool_of_no_cluster(fleet_, looked_at))
    return Refusal{{"cannot look at the fleet",
                    fmt::format("{}:{}: pool {} names no cluster, and there are several", page_.file,
                                pool->line, pool->name),
                    "give it cluster: NAME"},
                   kUsage};
  if (only_.empty())
    for (std::string& one : fleet::not_found(fleet_, [this](const ClusterName& name) {
           const bool meant = options_.cluster.empty() || options_.cluster == name.text;
           return !meant || clusters_.model().find(name) != nullptr;
         }))
      page_.unread.push_back(std::move(one));
  for (const ClusterName& name : read_) {
    const Cluster* cluster = clusters_.model().find(name);
    auto found = fleet::survey(fleet_now(*cluster), *cluster, place_of(*cluster), only_);
    if (!found) return Refusal{found.error(), kUsage};
    fleet::note_other_rules(*found, fleet_, place_of(*cluster));
    page_.surveys.push_back(std::move(*found));
  }
  return std::nullopt;
}

std::optional<Refusal> FleetCommand::list_known_runs() {
  page_.runs.clear();
  page_.runs_untold.clear();
  if (is_past() || !clusters_.runs()) {
    page_.runs_untold =
        is_past() ? "those of a time that is over are not looked for" : "there are no journals here";
    return Refusal{{"cannot read the journals", page_.runs_untold, "tessera journal lists them"}, kUnknown};
  }
  auto runs = list_runs(clusters_, options_);
  if (auto* refusal = std::get_if<Refusal>(&runs)) {
    page_.runs_untold = refusal->error.reason;
    return std::move(*refusal);
  }
  page_.runs = std::move(std::get<std::vector<RunHead>>(runs));
  std::optional<Refusal> untold;
  for (const RunHead& head : page_.runs) {
    if (head.state != RunState::unreadable) continue;
    page_.runs_untold = clean(head.why, 300);
    if (head.run.empty() || head.nodes.empty())
      untold =
          Refusal{{"cannot read the journals", page_.runs_untold, "tessera journal lists them"}, kUnknown};
  }
  return untold;
}

// One that cannot be read tells nothing of what it left.
void FleetCommand::read_newest_runs() {
  constexpr std::size_t kMost = 500;
  const fleet::LastRuns newest(page_.runs);
  for (const auto& [node, head] : newest.all()) {
    if (verb_ == "explain" && node.second.text != node_) continue;
    const bool elsewhere = head->state == RunState::marked || head->state == RunState::unreadable;
    if (elsewhere || page_.journals.contains(head->run) || page_.journals.size() >= kMost) continue;
    if (const auto known = journals_.of(clusters_, options_, *head))
      page_.journals.emplace(head->run, *known->run());
  }
}

int FleetCommand::code(bool beside) const {
  // A journal that cannot be read may be of a run that left a node closed.
  bool unknown = !page_.unread.empty() || (clusters_.runs() && !is_past() && !page_.runs_untold.empty());
  if (!page_.left.empty()) return kFinding;
  for (const fleet::Survey& survey : page_.surveys) {
    if ((beside ? 0 : survey.count(Standing::drifts)) + survey.count(Standing::impossible) > 0)
      return kFinding;
    if (std::any_of(survey.nodes.begin(), survey.nodes.end(),
                    [](const auto& one) { return one.refused.has_value(); }))
      return kFinding;
    unknown = unknown || survey.count(Standing::unknown) > 0;
    for (const fleet::PoolNote& note : survey.notes) {
      if (note.standing == Standing::impossible) return kFinding;
      unknown = unknown || note.standing == Standing::unknown;
    }
  }
  return unknown ? kUnknown : kDone;
}

int FleetCommand::show(const std::string& text) const {
  if (options_.output == OutputFormat::table)
    streams_.out << (options_.ascii ? in_ascii(text) : text);
  else
    show_document(fleet_json(page_));
  streams_.out << std::flush;
  // No plan changes what is advertised: plan, apply and run pass over it.
  return worse(code(), advertises_otherwise(page_) ? kFinding : kDone);
}

int FleetCommand::explain() const {
  bool found = false;
  for (const fleet::Survey& survey : page_.surveys)
    for (const fleet::NodeSurvey& node : survey.nodes) {
      if (node.node->name.text != node_) continue;
      found = true;  // several clusters may have a node of that name
      streams_.out << explain_page(page_, survey, node, options_);
      for (const std::string& line : changed_lines(*survey.cluster, *node.node))
        streams_.out << "  " << told(streams_, line) << "\n";
      streams_.out << std::flush;
    }
  if (found) return kDone;
  return refuse(streams_,
                {"cannot explain", "no node with GPUs is called \"" + clean(node_, 200) + "\"",
                 "tessera nodes lists them"},
                page_.unread.empty() ? kUsage : kUnknown);
}

// "Every one of them" of no node at all would read as if all were well.
std::string FleetCommand::nothing_words() const {
  if (code() == kDone) return "nothing to do: every node is as the file says";
  for (const fleet::Survey& survey : page_.surveys)
    for (const fleet::NodeSurvey& node : survey.nodes)
      if (node.standing == Standing::as_wanted)
        return "nothing to do: of the nodes that are not left out, every one is as the file says";
  return code() == kUnknown ? "no plan is made: what stands on its nodes is not known"
                            : "no plan is made: no node is as the file says, and none can be changed";
}

int FleetCommand::change() {
  std::vector<plan::Intent> intents;
  for (const fleet::Survey& survey : page_.surveys)
    if (auto intent = fleet::intent_of(survey, words(), options_.change))
      intents.push_back(std::move(*intent));
  streams_.err << told_notes();
  if (intents.empty()) {
    report_no_run("nothing", nothing_words(), options_, streams_);
    return code();
  }
  const bool as_text = options_.output == OutputFormat::table && !options_.patch && !options_.messages;
  if (intents.size() > 1 && verb_ == "plan" && as_text) return change_each(std::move(intents));
  if (intents.size() > 1)
    return refuse(streams_,
                  usage("nodes of several clusters differ, and one plan is about one cluster",
                        "one after the other, with the same flags: " + one_by_one(intents, verb_)),
                  kUsage);
  const int beside = code(true);  // the surveys end with the first event
  return worse(change(std::move(intents.front())), beside);
}

std::string FleetCommand::one_by_one(const std::vector<plan::Intent>& intents,
                                     const std::string& verb) const {
  std::string commands;
  for (const plan::Intent& intent : intents)
    commands += fmt::format("{}tessera fleet {} {} --cluster {}", commands.empty() ? "" : "; ", verb,
                            file_word(path_), shell_word(intent.cluster.text));
  return commands;
}

// Looked at together, and applied one by one: each is a run with a journal of its own.
int FleetCommand::change_each(std::vector<plan::Intent> intents) {
  const std::string commands = one_by_one(intents, "apply");
  int worst = code(true);
  for (plan::Intent& intent : intents) {
    streams_.out << clean(intent.cluster.text, 100) << ":\n";
    worst = worse(worst, change(std::move(intent)));
    streams_.out << "\n" << std::flush;
  }
  streams_.err << told(streams_, "each plan is applied by itself, with the same flags: " + commands) << "\n";
  return worst;
}

std::string FleetCommand::file_name() const {
  return clean(path_.substr(path_.rfind('/') + 1), 100);  // npos + 1 is 0
}

std::string FleetCommand::words() const { return fleet::words_of(whole_path()); }

std::string FleetCommand::told_notes(bool windows_told) const {
  std::string text;
  const auto line = [&](const std::string& english) { text += told(streams_, english) + "\n"; };
  for (const fleet::Survey& survey : page_.surveys) {
    std::map<NodeName, std::string> left_out, refused;
    for (const fleet::NodeSurvey& node : survey.nodes)
      if (!fleet::is_of_its_pool(node) &&
          (node.standing == Standing::unknown || node.standing == Standing::impossible))
        left_out.emplace(node.node->name, node.why);
      else if (node.refused)
        refused.emplace(node.node->name, *node.refused);
    for (const pack::RefusedKind& kind : told_together(left_out)) {
      const std::string nodes = pack::names_of(kind);
      line(kind.nodes.size() == 1 ? fmt::format("{} is left out: {}", nodes, kind.why)
                                  : fmt::format("{} are left out: {}", nodes, kind.why));
    }
    for (const pack::RefusedKind& kind : told_together(refused)) line(refusal_of(kind));
  }
  std::set<std::string> elsewhere;
  if (windows_told)
    for (const fleet::NeverHolds& one : fleet::windows_that_never_hold(fleet_))
      elsewhere.insert(to_text(one));
  for (const fleet::PoolNote* note : fleet::notes_of(page_.surveys))
    if (!elsewhere.contains(note->text))
      line(fmt::format("{}:{}: pool {}: {}", page_.file, note->pool->line, note->pool->name,
                       told(streams_, note->text)));
  for (const std::string& one : page_.unread) line(one);
  return text;
}

std::string FleetCommand::paused_text() const {
  const std::string since = paused_since(path_);
  if (since.empty()) return "";
  return fmt::format("tessera fleet run is paused for this file since {}; tessera fleet unpause ends that",
                     since);
}

int FleetCommand::pause() const {
  const std::string who = person();
  const Status done = pause_fleet(path_, clusters_.wall(), who);
  if (!done) return refuse(streams_, done.error(), kFinding);
  if (Status noted = note_pause(place(), clusters_.wall(), who, ""); !noted)
    complain(streams_, noted.error());
  tell(paused_text());
  return kDone;
}

int FleetCommand::unpause() const {
  const Pause now = pause_of(path_);
  if (!now.since.empty() && !now.own && !options_.yes)
    return refuse(streams_,
                  {"cannot unpause", "another user has paused it, since " + now.since,
                   "ask why first; --yes removes that pause all the same"},
                  kFinding);
  const Status done = unpause_fleet(path_, now.since);
  if (!done) return refuse(streams_, done.error(), kFinding);
  streams_.err << told(streams_, "removed the pause since " + now.since) << "\n";
  if (Status noted = note_pause(place(), clusters_.wall(), person(), now.since); !noted)
    complain(streams_, noted.error());
  // A mark of an earlier version, beside a link, keeps it paused; so does a pause that was set meanwhile.
  const std::string still = paused_text();
  if (still.empty()) return kDone;
  tell(still);
  return kFinding;
}

int FleetCommand::change(plan::Intent intent) {
  const Cluster& cluster = *clusters_.model().find(intent.cluster);
  const TimePoint now = cluster_now(cluster, clusters_.wall());
  if (Status ok = set_time(intent.options, options_, now); !ok) return refuse(streams_, ok.error(), kUsage);
  Options options = options_;
  options.rules = fleet::rules_of(fleet_, cluster.name, options_.rules);
  auto plan = plan::make_plan(cluster, catalogue_, intent, means_.at(cluster.name), options.rules, now);
  if (!plan) return refuse(streams_, plan.error(), work_untold(cluster) ? kUnknown : kFinding);
  for (const fleet::Survey& survey : page_.surveys)
    if (survey.cluster == &cluster) fleet::keep_demands(*plan, survey);
  if (verb_ == "apply")
    return begin(clusters_, options, catalogue_, streams_, {std::move(*plan), false, false});
  print_plan(*plan, options, streams_);
  return code_of(*plan);
}

int run_fleet(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  return FleetCommand(options, catalogue, joins, streams).run();
}

}  // namespace tessera::cli
