#include "tui/cli/change/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "engine/json.hpp"
#include "engine/text.hpp"
#include "engine/text_bounds.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"

namespace tessera::cli {
namespace {

using plan::NodeStage;

constexpr Duration kLookForRest = std::chrono::seconds(3);

std::string signal_text(int number) {
  switch (number) {
    case SIGHUP: return "the terminal went away";
    case SIGINT: return "interrupted by Ctrl-c";
    case SIGQUIT: return "interrupted by Ctrl-\\";
    default: return fmt::format("ended by signal {}", number);
  }
}

std::string_view stage_word(NodeStage stage) {
  switch (stage) {
    case NodeStage::untouched: return "untouched";
    case NodeStage::running: return "running";
    case NodeStage::waiting: return "waiting";
    case NodeStage::done: return "done";
    case NodeStage::failed: return "failed";
  }
  return "untouched";
}

std::string_view ending_word(const Ended& ended, const Followed& followed) {
  switch (ended.how) {
    case Ending::finished: return plan::word(followed.run()->finished->outcome);
    case Ending::parked: return "parked";
    case Ending::waiting: return "waiting";
    case Ending::interrupted: return "interrupted";
    case Ending::refused: return "refused";
  }
  return "refused";
}

// The last word about a node that says where it stands.
std::map<NodeName, std::string> last_words(const Followed& followed) {
  std::map<NodeName, std::string> words;
  for (const plan::Entry& entry : followed.entries()) {
    const bool resumed = std::holds_alternative<plan::Resumed>(entry.what);
    if (resumed && entry.node.empty()) words.clear();
    if (entry.node.empty()) continue;
    if (resumed) words.erase(entry.node);
    if (std::holds_alternative<plan::Parked>(entry.what) ||
        std::holds_alternative<plan::NodeFinished>(entry.what))
      words[entry.node] = plan::to_sentence(entry.what);
  }
  return words;
}

Json result_json(const Json& run, std::string_view outcome, const std::string& text) {
  Json result = Json::map();
  result.add("run", run);
  result.add("outcome", Json::of(std::string(outcome)));
  result.add("text", Json::of(clean(text)));
  result.add("nodes", Json::list());
  return result;
}

void print(const Json& result, const Options& options, const Streams& streams) {
  streams.out << document(result, options.output == OutputFormat::yaml ? Markup::yaml : Markup::json)
              << std::flush;
}

}  // namespace

Result<std::vector<plan::Entry>> Followed::take(const RunTold& told) {
  if (told.from_start) *this = {};
  std::vector<plan::Entry> fresh;
  for (std::string_view rest = told.lines; !rest.empty();) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    auto entry = plan::parse_line(rest.substr(0, end), told.run, entries_.size() + 1, chain_);
    if (!entry) return entry.error();
    if (const auto* started = std::get_if<plan::RunStarted>(&entry->what)) run_ = plan::run_of(*started);
    if (Status ok = plan::note(*run_, *entry); !ok) return ok.error();
    entries_.push_back(*entry);
    fresh.push_back(std::move(*entry));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return fresh;
}

Follower::Follower(OpenClusters& clusters, const Options& options, const Streams& streams, Lines& lines,
                   std::string run)
    : clusters_(clusters), options_(options), streams_(streams), lines_(lines), run_(std::move(run)) {
  clusters_.on_news = [this](const Event& event) { take(event); };
}

Follower::~Follower() { clusters_.on_news = {}; }

void Follower::take(const Event& event) {
  if (const auto* refused = std::get_if<RunRefused>(&event.what)) {
    if (refused->run.empty() || refused->run == run_ || run_.empty()) refused_ = refused->error;
  } else if (std::holds_alternative<RunsAtRest>(event.what)) {
    rest_told_ = true;
  } else if (const auto* told = std::get_if<RunTold>(&event.what)) {
    if (run_.empty()) run_ = told->run;
    if (told->run != run_) return;
    auto fresh = followed_.take(*told);
    if (!fresh) {
      refused_ = fresh.error();
      return;
    }
    if (told->from_start) teller_ = {};
    for (const plan::Entry& entry : *fresh) {
      const std::string sentence = teller_.tell(entry);
      if (static_cast<std::size_t>(entry.seq) > told_) tell(entry, sentence);
    }
  }
}

void Follower::tell(const plan::Entry& entry, const std::string& sentence) {
  told_ = static_cast<std::size_t>(entry.seq);
  moved_ = true;
  bool several = followed_.run()->started.plan.nodes.size() > 1;
  std::string who = several && !entry.node.empty() ? entry.node.text + ": " : "";
  streams_.err << clean(who + told(streams_, sentence), kWholeText) << std::endl;
  if (std::holds_alternative<plan::Waiting>(entry.what)) tell_still_clock();
  if (const auto* asked = std::get_if<plan::Asked>(&entry.what)) questions_[entry.node] = *asked;
  if (std::holds_alternative<plan::Answered>(entry.what)) questions_.erase(entry.node);
}

// In a simulated world whose clock stands still nothing ever ends by itself.
void Follower::tell_still_clock() {
  const Cluster* cluster = clusters_.model().find(followed_.run()->started.plan.intent.cluster);
  if (told_still_ || !cluster || !cluster->clock || cluster->clock->speed > 0) return;
  told_still_ = true;
  const std::string state =
      options_.sim_state.empty() ? "" : " --sim-state " + clean(options_.sim_state, kWholeText);
  streams_.err << told(streams_,
                       "The simulated clock stands still, so this waits until it is moved: tessera-sim "
                       "advance 1h" +
                           state + ". Ctrl-c parks the run.")
               << std::endl;
}

bool Follower::knows_answer(plan::Ask what) const {
  return what == plan::Ask::closed_by_other ? options_.go_on : options_.change.break_lock;
}

void Follower::answer(const NodeName& node, plan::Ask what, bool go_on) {
  questions_.erase(node);
  clusters_.runs()->answer(run_, node, what, go_on);
}

// One question after the other; where no answer can come, that node is parked, with what to do next.
void Follower::ask_next() {
  while (!questions_.empty() && !asking_) {
    const auto [node, asked] = *questions_.begin();
    if (knows_answer(asked.what)) {
      answer(node, asked.what, true);
    } else if (!streams_.asks) {
      questions_.erase(node);
      complain(
          streams_,
          {"the run asks, and there is no terminal to answer on", clean(node.text, 255) + " is parked",
           fmt::format("to go on: tessera resume {} {} --write", run_, plan::flag_to_go_on(asked.what))});
      clusters_.runs()->demand(run_, node, plan::Demand::pause,
                               "no answer: " + plan::what_is_asked_about(asked));
    } else {
      asking_ = node;
      lines_.forget();
      streams_.err << told(streams_, "Type yes and Enter to go on; anything else stops here") << ": "
                   << std::flush;
    }
  }
  if (!asking_) return;
  auto typed = lines_.take();
  if (!typed && lines_.fd() >= 0) return;
  auto asked = questions_.find(*asking_);
  if (asked != questions_.end()) answer(*asking_, asked->second.what, typed == "yes");
  asking_.reset();
}

bool is_one_wish(int first, int second, Duration apart) {
  const bool typed = second == SIGINT || second == SIGQUIT;
  // By a clock that may be set back in between.
  return first == second && !typed && apart >= Duration{0} && apart < std::chrono::seconds(2);
}

void Follower::park(int signal) {
  clusters_.go_on();
  const auto now = std::chrono::steady_clock::now();
  if (signal_) {
    const auto apart = std::chrono::duration_cast<Duration>(now - asked_to_end_);
    if (!is_one_wish(*signal_, signal, apart)) left_ = true;
    return;
  }
  signal_ = signal;
  asked_to_end_ = now;
  streams_.err << told(streams_,
                       "Parking at the edge of the current step. Once more leaves the run as it is.")
               << std::endl;
  asked_to_rest_ = true;
  clusters_.runs()->park_all(signal_text(signal));
}

// Once: whoever wants it to go on meanwhile takes it up again when it rests. It is asked until the end all
// the same: by being asked, fleet run keeps its mark in FILE.lock from growing old.
void Follower::rest_where_wanted() {
  if (!why_rest_) return;
  const std::string why = why_rest_();
  if (why.empty() || asked_to_rest_ || !followed_.run()) return;
  streams_.err << told(streams_, "Parking at the edge of the current step: " + told(streams_, why))
               << std::endl;
  asked_to_rest_ = true;
  clusters_.runs()->park_all(why);
}

// By its journal nothing is under way and nothing more will be begun. Where all has ended, the run's own end
// is about to be written.
bool Follower::stands_still() const {
  const auto& run = followed_.run();
  if (!moved_ || !run) return false;
  if (run->finished) return true;
  return plan::summary(*run).running.empty() && plan::nodes_to_begin(*run).empty() && !plan::end_of(*run);
}

// What stands still may still hold its lock: the room has the last word.
bool Follower::at_rest() {
  if (refused_ || left_ || rest_told_) return true;
  if (!stands_still() || asked_to_rest_) return false;
  asked_to_rest_ = true;
  clusters_.runs()->park_all("nothing was under way any more");
  return false;
}

// Whether nodes were touched by what was begun here: a refusal after that leaves them in the middle.
bool Follower::has_acted() const {
  const auto& run = followed_.run();
  return run && moved_ && plan::summary(*run).untouched.size() < run->started.plan.nodes.size();
}

Ended Follower::ending() const {
  Ended ended{run_, Ending::parked, refused_, signal_};
  const auto& run = followed_.run();
  if (left_)
    ended.how = Ending::interrupted;
  else if (refused_ || !run || !moved_)
    ended.how = signal_ && run ? Ending::parked : has_acted() ? Ending::interrupted : Ending::refused;
  else if (run->finished)
    ended.how = Ending::finished;
  else if (plan::Summary now = plan::summary(*run); now.failed.empty() && !now.waiting.empty())
    ended.how = Ending::waiting;
  return ended;
}

Ended Follower::follow() {
  for (;;) {
    clusters_.take_events();
    if (at_rest()) return ending();
    rest_where_wanted();
    ask_next();
    if (clusters_.sleep(why_rest_ ? kLookForRest : Duration{-1}, asking_ ? lines_.fd() : -1)) continue;
    if (auto signal = clusters_.ended_by()) park(*signal);
  }
}

int report(const Ended& ended, const Followed& followed, plan::Outcome expected, const Options& options,
           const Streams& streams) {
  if (ended.refused) {
    Error refused = *ended.refused;
    if (refused.what == plan::kUnnamedHarm)
      refused.hint = "--accept-harm accepts that; or wait until it has left";
    complain(streams, refused);
  }
  const auto& run = followed.run();
  std::string text = ended.refused ? to_line(*ended.refused) : "nothing was begun";
  if (run) text = run->finished ? run->finished->text : plan::to_text(plan::summary(*run));
  std::string_view outcome = run ? ending_word(ended, followed) : "refused";
  std::map<NodeName, std::string> words = last_words(followed);
  if (options.output != OutputFormat::table) {
    Json result = result_json(ended.run.empty() ? Json() : Json::of(ended.run), outcome, text);
    Json& nodes = result.fields.back().second;
    for (const plan::NodePlan& node : run ? run->started.plan.nodes : std::vector<plan::NodePlan>{}) {
      Json one = Json::map();
      one.add("name", Json::of(clean(node.node.text)));
      one.add("stage", Json::of(std::string(stage_word(plan::stage_of(*run, node.node)))));
      one.add("text", Json::of(clean(words[node.node])));
      nodes.items.push_back(std::move(one));
    }
    print(result, options, streams);
  } else if (run) {
    streams.out << clean(fmt::format("run {}: {}: {}", ended.run, outcome, told(streams, text)), kWholeText)
                << "\n";
    for (const auto& [node, sentence] : words) {
      bool named = sentence.starts_with(node.text);
      const std::string lead = named ? "" : node.text + ": ";
      streams.out << clean(fmt::format("  {}{}", lead, told(streams, sentence)), kWholeText) << "\n";
    }
    streams.out << std::flush;
  }
  bool open = ended.how == Ending::parked || ended.how == Ending::interrupted;
  if (run && open && (!ended.refused || ended.how == Ending::interrupted))
    streams.err << told(streams, fmt::format("It can be resumed: {} (--replan plans again, --back goes back)",
                                             plan::resume_command(*run)))
                << "\n";
  if (run && ended.how == Ending::waiting)
    streams.err << told(
                       streams,
                       fmt::format("It goes on with: tessera resume {} --write, or resume --due from a timer",
                                   ended.run))
                << "\n";
  if (ended.signal && ended.how != Ending::finished) return 128 + *ended.signal;
  // To a timer, a run that waits as it was told to is no finding.
  const bool waits = ended.how == Ending::waiting && options.due;
  const bool good = waits || (ended.how == Ending::finished && run->finished->outcome == expected);
  return good ? kDone : kFinding;
}

void report_no_run(std::string_view outcome, const std::string& text, const Options& options,
                   const Streams& streams) {
  if (options.output != OutputFormat::table)
    print(result_json(Json(), outcome, text), options, streams);
  else if (!text.empty() && outcome != "refused")
    streams.out << told(streams, text) << (text.ends_with('\n') ? "" : "\n") << std::flush;
}

}  // namespace tessera::cli
