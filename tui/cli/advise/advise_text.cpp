#include "tui/cli/advise/advise_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/advise/limits_text.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/hours.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/pack/whole.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/as_asked.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/pack/pack_text.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/cli/whatif.hpp"

namespace tessera::cli {
namespace {

using advise::Advice;
using advise::Answer;

constexpr std::size_t kListed = 8;  // GPUs, nodes and owners of one answer; a document has all

Json number(std::size_t count) { return Json::of(static_cast<std::int64_t>(count)); }
Json number(int count) { return Json::of(std::int64_t{count}); }

// products: to which those of the demand are indices.
Json demand_json(const std::vector<pack::Demand>& demand, const std::vector<const mig::Product*>& products) {
  Json all = Json::map();
  for (const pack::Demand& one : demand) all.add(pack::word_of(one, products), number(one.count));
  return all;
}

std::string layout_of(const Answer& answer, const pack::BoardPlan& plan) {
  if (plan.to_whole) return std::string(pack::kWhole);
  const pack::Board& board = answer.problem.boards[plan.board];
  return mig::to_text(*answer.problem.products[board.product], pack::layout_after(plan));
}

const pack::Board& board_of(const Answer& answer, const pack::BoardPlan& plan) {
  return answer.problem.boards[plan.board];
}

std::size_t hours_within(const Answer& answer) {
  return static_cast<std::size_t>(
      std::chrono::duration_cast<std::chrono::hours>(*answer.ends_within).count());
}

Json nodes_json(const Answer& answer) {
  Json list = Json::list();
  for (const advise::NodeCost& cost : answer.costs) {
    Json& one = list.items.emplace_back(Json::map());
    one.add("node", Json::of(cost.node.text));
    one.add("closed", Json::of(cost.closed));
    one.add("until", time_or_null(cost.until));
    Json& whom = one.add("in_the_way", Json::list());
    for (const plan::Disturbed& each : cost.whom) {
      Json& work = whom.items.emplace_back(Json::map());
      work.add("id", text_or_null(each.id.text));
      work.add("user", text_or_null(each.user));
    }
    Json& gpus = one.add("gpus", Json::list());
    for (const pack::BoardPlan& plan : answer.packed.boards) {
      if (board_of(answer, plan).node != cost.node) continue;
      Json& gpu = gpus.items.emplace_back(Json::map());
      gpu.add("gpu", number(board_of(answer, plan).gpu.value));
      gpu.add("layout", Json::of(layout_of(answer, plan)));
    }
  }
  return list;
}

Json past_json(const Advice& advice, const LookedDemand* past, const Options& options) {
  if (!past) return Json();
  Json all = Json::map();
  all.add("from", Json::of(utc_text(past->from)));
  all.add("to", Json::of(utc_text(past->to)));
  all.add("hours_recorded", rounded(past->demand.hours()));
  all.add("hours_asked", rounded(hours_of(options.since)));
  all.add("source", Json::of(source_word(*past)));
  all.add("right_sized", right_sized_json(*past));
  all.add("unplaced_peak", number(past->demand.unplaced()));
  if (!past->accounting && !past->kept) add_gaps(all, past->gaps, past->now);
  Json& profiles = all.add("profiles", Json::list());
  for (const advise::PastProfile& one : advice.past) {
    Json& each = profiles.items.emplace_back(Json::map());
    each.add("profile", Json::of(one.profile));
    each.add("peak", number(one.peak));
    each.add("p95", number(one.p95));
    each.add("has", number(one.has));
    each.add("gpu_hours_without_room", rounded(one.without_room));
  }
  return all;
}

Json answer_json(const Answer& answer, bool past, const Options& options) {
  Json one = Json::map();
  one.add("gpus_touched", number(answer.packed.gpus_touched));
  one.add("nodes_touched", number(answer.costs.size()));
  one.add("disturbed", number(answer.disturbed));
  one.add("certificate", Json::of(pack::certificate(answer.problem, answer.packed)));
  one.add("proven", Json::of(answer.packed.bounds.gpus_proven));
  one.add("demand", demand_json(answer.demand, answer.problem.products));
  one.add("ends_within_h", answer.ends_within ? number(hours_within(answer)) : Json());
  one.add("nodes", nodes_json(answer));
  one.add("changed_at", time_or_null(answer.forecast.changed.changed));
  one.add("sooner", moved_json(answer.forecast.sooner));
  one.add("later", moved_json(answer.forecast.later));
  one.add("hours_sooner", rounded(answer.hours_sooner));
  one.add("gpu_hours_gained", rounded(answer.forecast.gpu_hours));
  one.add("never_again", number(answer.forecast.never_again));
  Json& profiles = one.add("profiles", Json::list());
  for (const advise::Offer& offer : answer.offers) {
    Json& each = profiles.items.emplace_back(Json::map());
    each.add("profile", Json::of(offer.profile));
    each.add("before", number(offer.before));
    each.add("after", number(offer.after));
  }
  one.add("past_gpu_hours_fitted", past ? rounded(answer.fitted) : Json());
  one.add("past_gpu_hours_lost", past ? rounded(answer.lost) : Json());
  one.add("command", Json::of(command_of(answer, options)));
  one.add("intent", Json::of(pack::intent_text(answer.problem, answer.packed)));
  return one;
}

class Page {
 public:
  Page(const advise::Question& question, const Advice& advice, const LookedDemand* past,
       const Options& options)
      : question_(question), advice_(advice), past_(past), options_(options) {}

  std::string text() {
    const pack::QueueDemand& queue = advice_.queue;
    line(
        fmt::format("{}: {} jobs or pods wait for MIG slices or whole GPUs, {} for shares or other GPUs, {} "
                    "for something else than room",
                    clean(question_.cluster->name.text, 100), queue.workloads, queue.other, queue.kept));
    for (const std::string& kind : pack::unserved_text(queue)) line(kind);
    if (past_) history();
    const std::size_t starts = advice_.left.starts.size();
    head(0, "leave everything as it is");
    line(fmt::format("within {} h: {} of {} that wait for room start", options_.hours, starts,
                     starts + advice_.left.waiting.size()),
         3);
    for (std::size_t i = 0; i < advice_.answers.size(); ++i) answer(i + 1, advice_.answers[i]);
    text_ += "\n";
    if (advice_.answers.empty()) line("No re-cut helps.");
    for (const std::string& reason : advice_.reasons)
      line(advice_.answers.empty() ? reason : "not served: " + reason, advice_.answers.empty() ? 3 : 0);
    for (const auto& [why, count] : advice_.left_out) line(pack::left_out_text(count, why));
    if (!advice_.unasked.empty()) line(advice_.unasked);
    how_sure();
    return std::move(text_);
  }

 private:
  void line(const std::string& english, std::size_t indent = 0) {
    text_ += wrapped(tui::told(options_.reader, english), indent);
  }
  void head(std::size_t number, const std::string& english) {
    text_ += fmt::format("\n{:<2} {}\n", number, tui::told(options_.reader, english));
  }

  void answer(std::size_t number, const Answer& one) {
    head(number, pack::certificate(one.problem, one.packed));
    line(one.disturbed == 0 ? std::string("waits for no running job or pod")
                            : fmt::format("waits for the end of running jobs or pods: {}", one.disturbed),
         3);
    line(whatif::headline(one.forecast), 3);
    line(fmt::format("waits get shorter by {:.1f} h in sum; the new layout is in place {}", one.hours_sooner,
                     when(one.forecast.changed.changed, one.forecast)),
         3);
    listed(one.packed.boards, [&](const pack::BoardPlan& plan) {
      text_ += fmt::format("   {} GPU {}: {}\n", clean(board_of(one, plan).node.text, 100),
                           board_of(one, plan).gpu.value, layout_of(one, plan));
    });
    listed(one.costs, [&](const advise::NodeCost& cost) { node(cost); });
    starts(one, one.forecast.sooner), starts(one, one.forecast.later);
    std::string offers, gone;
    for (const advise::Offer& offer : one.offers)
      offers +=
          fmt::format("{}{}:{}->{}", offers.empty() ? "" : ", ", offer.profile, offer.before, offer.after);
    for (const advise::Offer& offer : one.offers)
      if (offer.after == 0) gone += (gone.empty() ? "" : ", ") + offer.profile;
    line(fmt::format("the cluster then has: {}", offers), 3);
    if (!gone.empty()) line(fmt::format("none is left of: {}", gone), 3);
    if (past_ && one.fitted && one.lost)
      line(fmt::format("of the past {:.1f} GPU-hours more would have fitted, {:.1f} no longer", *one.fitted,
                       *one.lost),
           3);
    else if (past_)
      line("how much more of the past would have fitted is not known", 3);
    if (one.forecast.never_again > 0)
      line(fmt::format("waiting workloads that would never start: {}", one.forecast.never_again), 3);
    text_ += "   $ " + command_of(one, options_) + "\n";
  }

  void starts(const Answer& answer, const std::vector<whatif::Moved>& all) {
    const auto start = [&](const std::optional<TimePoint>& at) {
      return at ? when(at, answer.forecast) : std::string("no start");
    };
    listed(all, [&](const whatif::Moved& one) {
      const std::string user = one.user.empty() ? "" : clean(one.user, 60) + ", ";
      line(fmt::format("{} ({}): {}, without the plan {}", clean(one.id.text, 100),
                       user + clean(one.request, 100), start(one.changed), start(one.left)),
           3);
    });
  }

  void node(const advise::NodeCost& cost) {
    if (cost.whom.empty()) return;
    std::vector<std::string> users;
    for (const plan::Disturbed& each : cost.whom)
      if (std::find(users.begin(), users.end(), each.user) == users.end()) users.push_back(each.user);
    std::string names;
    for (std::size_t i = 0; i < users.size() && i < kListed; ++i)
      names += (names.empty() ? "" : ", ") + (users[i].empty() ? "?" : clean(users[i], 60));
    line(fmt::format("{} waits until {} for jobs or pods of: {}", clean(cost.node.text, 100),
                     cost.until ? utc_text(*cost.until) : "?", names),
         3);
  }

  template <class All, class Show>
  void listed(const All& all, const Show& show) {
    for (std::size_t i = 0; i < all.size() && i < kListed; ++i) show(all[i]);
    if (all.size() > kListed)
      line(fmt::format("and {} more; -o json lists all of them", all.size() - kListed), 3);
  }

  void history() {
    for (const std::string& one : history_words(*past_, options_.since)) line(one);
    line(sizes_words(*past_));
    Grid grid;
    using query::Align;
    grid.heads = {{"profile", "PROFILE"},
                  {"peak", "PEAK", Align::right},
                  {"p95", "P95", Align::right},
                  {"has", "HAS", Align::right},
                  {"without_room", "NO ROOM (GPU-H)", Align::right}};
    for (const advise::PastProfile& one : advice_.past)
      grid.rows.push_back({one.profile, std::to_string(one.peak), std::to_string(one.p95),
                           std::to_string(one.has),
                           one.without_room ? fmt::format("{:.1f}", *one.without_room) : "?"});
    if (!grid.rows.empty()) text_ += to_table(grid, true, options_.paper);
    if (past_->demand.unplaced() > 0)
      line(fmt::format("up to {} more were held on slices that are not reported", past_->demand.unplaced()),
           3);
  }

  void how_sure() {
    line(advise::limits_text(advice_.known));
    if (!past_)
      line("based on what waits now: no recording is read (--recording FOLDER names one)");
    else if (const std::string untold = untold_words(*past_); !untold.empty())
      line(untold);
    line("A model, not a promise: docs/whatif.md has its error.");
  }

  const advise::Question& question_;
  const Advice& advice_;
  const LookedDemand* past_;
  const Options& options_;
  std::string text_;
};

}  // namespace

std::string command_of(const Answer& answer, const Options& options) {
  std::string text = advise::pack_command(answer);
  // The cluster is named where it was named here: with several there is no advice without it.
  const Cluster named{ClusterName(options.cluster)};
  for (const std::string& word : as_asked(options, options.cluster.empty() ? nullptr : &named))
    text += " " + shell_word(word);
  return text + " --plan";
}

std::string advise_page(const advise::Question& question, const Advice& advice, const LookedDemand* past,
                        const Options& options) {
  return Page(question, advice, past, options).text();
}

Json advise_json(const advise::Question& question, const Advice& advice, const LookedDemand* past,
                 const Options& options) {
  Json document = Json::map();
  document.add("cluster", Json::of(question.cluster->name.text));
  document.add("from", Json::of(utc_text(question.now)));
  document.add("hours", number(options.hours));
  Json& queue = document.add("queue", Json::map());
  queue.add("workloads", number(advice.queue.workloads));
  queue.add("other_requests", number(advice.queue.other));
  queue.add("other_reasons", number(advice.queue.kept));
  queue.add("demand", demand_json(advice.queue.demand, advice.queue.products));
  queue.add("no_node", no_node_json(advice.queue));
  if (advice.queue.guessed > 0) queue.add("nodes_guessed", number(advice.queue.guessed));
  Json& left = document.add("as_it_is", Json::map());
  left.add("starts", number(advice.left.starts.size()));
  left.add("still_waiting", number(advice.left.waiting.size()));
  Json& answers = document.add("answers", Json::list());
  for (const Answer& one : advice.answers)
    answers.items.push_back(answer_json(one, past != nullptr, options));
  document.add("history", past_json(advice, past, options));
  document.add("tried", number(advice.tried));
  document.add("dropped", number(advice.dropped));
  Json& reasons = document.add("reasons", Json::list());
  for (const std::string& one : advice.reasons) reasons.items.push_back(Json::of(one));
  Json& out = document.add("left_out", Json::map());
  for (const auto& [why, count] : advice.left_out) out.add(why, number(count));
  Json& unasked = document.add("drivers_not_asked", Json::list());
  for (const std::string& node : fleet::unasked(*question.cluster, question.nodes))
    unasked.items.push_back(Json::of(node));
  Json& known = document.add("known", Json::map());
  known.add("running", number(advice.known.running));
  known.add("running_with_time_limit", number(advice.known.running_with_limit));
  known.add("waiting", number(advice.known.waiting));
  known.add("waiting_with_time_limit", number(advice.known.waiting_with_limit));
  return document;
}

}  // namespace tessera::cli
