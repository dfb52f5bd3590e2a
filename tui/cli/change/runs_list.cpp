#include "tui/cli/change/runs_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/words/wording.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"

namespace tessera::cli {
namespace {

Refusal no_answer(const Options& options) {
  return {{"cannot read the journals", fmt::format("no answer within {} s", options.timeout.count() / 1000),
           "try again with a longer --timeout"},
          kUnknown};
}

// Waits for what `answered` looks for among the news; false: it did not come.
template <class Answered>
bool wait_for(OpenClusters& clusters, const Options& options, Answered answered) {
  bool came = false;
  clusters.on_news = [&](const Event& event) { came = came || answered(event); };
  TimePoint deadline = clusters.wall() + options.timeout;
  for (;;) {
    clusters.take_events();
    Duration left = deadline - clusters.wall();
    if (came || left <= Duration{0} || !clusters.sleep(left)) break;
  }
  clusters.on_news = {};
  return came;
}

}  // namespace

Or<std::vector<RunHead>> list_runs(OpenClusters& clusters, const Options& options) {
  std::vector<RunHead> runs;
  clusters.runs()->list();
  bool came = wait_for(clusters, options, [&](const Event& event) {
    const auto* listed = std::get_if<RunsListed>(&event.what);
    if (listed) runs = listed->runs;
    return listed != nullptr;
  });
  if (!came) return no_answer(options);
  return runs;
}

Or<RunHead> find_run(const std::vector<RunHead>& runs, const std::string& name) {
  auto found = std::find_if(runs.begin(), runs.end(), [&](const RunHead& head) { return head.run == name; });
  if (found != runs.end()) return *found;
  // Journals that could not be listed may be the ones that are looked for.
  for (const RunHead& head : runs)
    if (head.state == RunState::unreadable && head.run.empty())
      return Refusal{
          {"no such run", "\"" + clean(name, 200) + "\" is not among those that can be listed; " + head.why,
           "tessera journal lists them"},
          kUnknown};
  Error error{"no such run", "\"" + clean(name, 200) + "\"", "tessera journal lists them"};
  if (runs.empty()) {
    error.hint = "there is none yet; tessera apply begins one";
    return Refusal{std::move(error), kUsage};
  }
  std::vector<std::string_view> known;
  for (const RunHead& head : runs) known.push_back(head.run);
  std::string near = nearest(name, known);
  if (!near.empty()) {
    error.hint = "did you mean " + near + "?";
  } else {
    error.hint = "the newest are";
    for (std::size_t i = 0; i < runs.size() && i < 5; ++i) error.hint += (i > 0 ? ", " : " ") + runs[i].run;
  }
  return Refusal{std::move(error), kUsage};
}

Or<Followed> read_run(OpenClusters& clusters, const Options& options, const std::string& run) {
  Followed followed;
  std::optional<Error> refused;
  clusters.runs()->read(run);
  bool came = wait_for(clusters, options, [&](const Event& event) {
    if (const auto* told = std::get_if<RunTold>(&event.what); told && told->run == run) {
      if (auto read = followed.take(*told); !read) refused = read.error();
      return true;
    }
    const auto* no = std::get_if<RunRefused>(&event.what);
    if (no && no->run == run) refused = no->error;
    return refused.has_value();
  });
  if (refused) return Refusal{*refused, kFinding};
  if (!came || !followed.run()) return no_answer(options);
  return followed;
}

std::string changed_text(const RunHead& head, const tui::WordsPtr& words) {
  if (head.changed.empty()) return "";
  std::string text = tui::told(words, "Others have changed this journal since you left it") + ":\n";
  for (const std::string& line : head.changed) text += "  " + line + "\n";
  return text;
}

std::string renamed_text(const std::vector<std::string>& steps) {
  if (steps.empty()) return "";
  return wrapped(clean(plan::renamed_text(steps), 1000), 0);
}

std::string_view word(RunState state) {
  switch (state) {
    case RunState::running: return "running";
    case RunState::parked: return "parked";
    case RunState::interrupted: return "interrupted";
    case RunState::finished: return "finished";
    case RunState::marked: return "marked";
    case RunState::unreadable: return "unreadable";
  }
  return "unreadable";
}

}  // namespace tessera::cli
