// A year of windows, run by run, in places whose clocks are set: what tessera fleet run begins and gives
// back, with nodes that fail, a controller that does not answer for hours, runs that are killed, and a person
// who pauses the file.
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "engine/fleet/zone.hpp"
#include "engine/time.hpp"
#include "tests/tui/cli/fleet_lab.hpp"
#include "tui/cli/fleet/fleet_files.hpp"

namespace tessera::cli {
namespace {

using namespace std::chrono;
using test::FakeRuns;

constexpr Duration kLead = hours(4);

struct Span {
  TimePoint open{}, close{};
};

// When it is night, worked out day by day and without fleet::phases().
std::vector<Span> nights_of(const fleet::Zone& zone, const std::set<sys_days>& holidays, TimePoint from,
                            TimePoint until) {
  std::vector<Span> all;
  for (sys_days day = floor<days>(from) - days(3); day < floor<days>(until) + days(3); day += days(1)) {
    const auto at = [&](int later, int minutes) { return zone.moment({day + days(later), minutes}); };
    if (holidays.contains(day))
      all.push_back({at(0, 0), at(0, 24 * 60)});
    else if (weekday(day) == Saturday)
      all.push_back({at(0, 20 * 60), at(1, 0)});
    else if (weekday(day) == Sunday)  // the hour that leaps, or comes twice
      all.push_back({at(0, 150), at(0, 7 * 60)});
  }
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.open < b.open; });
  std::vector<Span> merged;
  for (const Span& one : all)
    if (!merged.empty() && one.open <= merged.back().close)
      merged.back().close = std::max(merged.back().close, one.close);
    else if (one.open < one.close)
      merged.push_back(one);
  return merged;
}

// Days on which the clocks of the zone are set. Where they never are, two others.
std::vector<sys_days> switches_of(const fleet::Zone& zone, TimePoint from, TimePoint until) {
  const auto ahead = [&](sys_days day) { return TimePoint(day) - zone.moment({day, 12 * 60}); };
  std::vector<sys_days> all;
  for (sys_days day = floor<days>(from); day < floor<days>(until); day += days(1))
    if (ahead(day) != ahead(day - days(1))) all.push_back(day);
  if (all.empty()) all = {floor<days>(from) + days(100), floor<days>(from) + days(300)};
  return all;
}

enum class Lived { year, switches };  // every week, or those around the days on which clocks are set

struct ZoneYear {
  const char* zone;
  Lived lived;
  const char* on_failure = "go-on";
};
void PrintTo(const ZoneYear& one, std::ostream* out) { *out << one.zone << " " << one.on_failure; }

class FleetYear : public test::FleetCommandLine, public testing::WithParamInterface<ZoneYear> {
 protected:
  struct Job {
    Workload work;
    TimePoint ends;  // in truth
  };
  struct OneNode {
    bool night = false, closed = false;
    std::optional<Job> job;
  };
  // The world's side of a run.
  struct OneRun {
    TimePoint from{};
    bool night = false;
    std::set<std::string> waits, stuck;  // nodes: until they are empty, until a person comes
    std::set<std::string> left;          // not begun: what was begun before them has failed, or waits
    bool killed = false;                 // its tessera, with all of stuck under way
  };

  FleetYear() {
    options.write = options.yes = true;
    stands = [this] { return cluster(); };
    starts = [this](FakeRuns& room) {
      EXPECT_FALSE(paused) << "a run was begun in a pause, " << utc_text(now());
      start(room);
    };
    resumes = [this](FakeRuns& room) {
      EXPECT_FALSE(paused) << room.run() << " was carried on in a pause, " << utc_text(now());
      resume(room);
    };
    for (const char* name : {"n1", "n2", "n3"}) nodes[name];
  }

  TimePoint now() const { return test::at(later); }
  bool chance(double of) { return std::bernoulli_distribution(of)(random); }
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(random); }

  std::unique_ptr<test::StandingBackend> cluster() {
    std::vector<Node> listed;
    std::vector<Workload> work;
    for (const auto& [name, one] : nodes) {
      listed.push_back(test::node(
          name, {one.night ? test::cut(0, {test::instance("7g.80gb", 0, 8, 0)}) : test::uncut(0, 0)}));
      if (one.job) work.push_back(one.job->work);
    }
    auto backend = std::make_unique<test::StandingBackend>(std::move(listed), std::move(work));
    backend->loads = loads;
    return backend;
  }

  // The phase that begins then; nullopt: none does.
  std::optional<Span> phase_from(TimePoint begin, bool& night) const {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].open == begin) return night = true, spans[i];
      if (spans[i].close == begin && i + 1 < spans.size())
        return night = false, Span{begin, spans[i + 1].open};
    }
    return std::nullopt;
  }
  TimePoint begin_before(TimePoint begin) const {
    TimePoint before{};
    for (const Span& one : spans)
      for (TimePoint edge : {one.open, one.close})
        if (edge < begin) before = std::max(before, edge);
    return before;
  }

  void start(FakeRuns& room) {
    begun_before = room.begun;
    const std::string words = asked.plan->intent.words, begins = "as " + folder + "/fleet.yaml says from ";
    OneRun& run = runs[room.run()];
    run.from = parse_utc(words.substr(std::min(words.size(), begins.size()))).value_or(TimePoint{});
    const auto phase = phase_from(run.from, run.night);
    if (!phase || !words.starts_with(begins)) {
      ADD_FAILURE() << "no window begins or ends then: " << words << ", now " << utc_text(now());
      return room.refuse({"not begun", "no window begins or ends then", ""});
    }
    EXPECT_LT(now(), phase->close) << words;
    EXPECT_GE(now(), std::max(run.from - kLead, begin_before(run.from))) << words;
    RunHead head;
    head.run = room.run(), head.cluster = ClusterName("hpc"), head.started = now(), head.words = words;
    const bool killed = run.killed = faults && chance(0.03);
    for (const plan::NodePlan& one : asked.plan->nodes) {
      const std::string name = one.node.text;
      head.nodes.push_back(one.node);
      run.left.insert(name);
      EXPECT_NE(nodes.at(name).night, run.night) << name << " is as wanted";
      EXPECT_TRUE(busy.insert(name).second) << name << " belongs to a run that has not ended: " << words;
      EXPECT_FALSE(made.contains({run.from, name})) << name << " was changed twice, " << words;
    }
    if (stops())
      for (const auto& [id, other] : runs) {
        const bool waits_for_a_person = other.from == run.from && !other.killed && !other.stuck.empty();
        EXPECT_FALSE(waits_for_a_person) << "a node of " << id << " has failed for this window: " << words;
      }
    begin_nodes(room, run, killed);
    ++begun_runs;
    heads.insert(heads.begin(), head);
    end(room, killed);
    if (killed) room.refuse({"killed", "the power went", ""});
  }
  // Canary, batches and what a failure leaves untouched are those of the run's own plan.
  void begin_nodes(FakeRuns& room, OneRun& run, bool killed) {
    for (;;) {
      const auto journal = plan::parse_journal(room.journals[room.run()], room.run());
      ASSERT_TRUE(journal) << to_line(journal.error());
      const auto now = plan::replay(*journal);
      ASSERT_TRUE(now) << to_line(now.error());
      const std::vector<NodeName> next = plan::nodes_to_begin(*now);
      if (next.empty()) return;
      for (const NodeName& node : next) begin_node(room, run, node.text, killed);
    }
  }
  void begin_node(FakeRuns& room, OneRun& run, const std::string& name, bool killed) {
    run.left.erase(name);
    nodes.at(name).closed = true;
    room.write(name, plan::StepBegun{"close", 1, plan::CloseNode{}});
    if (killed)
      run.stuck.insert(name);
    else if (faults && chance(0.04))
      fail(room, run, name);
    else
      go_on(room, run, name);
  }
  void fail(FakeRuns& room, OneRun& run, const std::string& name) {
    ++failed_nodes;
    run.stuck.insert(name);
    room.write(name, plan::StepFailed{"cut", "no answer"});
    room.write(name, plan::Parked{"no answer", name + " is closed", plan::Until::someone});
  }
  void go_on(FakeRuns& room, OneRun& run, const std::string& name) {
    if (nodes.at(name).job) {
      run.waits.insert(name);
      room.write(name, plan::Parked{"in use", name + " is closed", plan::Until::empty});
      return;
    }
    run.waits.erase(name);
    nodes.at(name).night = run.night;
    made.insert({run.from, name});
    open(name);
    room.write(name, plan::NodeFinished{plan::Outcome::wanted, name + ": as wanted"});
  }
  void open(const std::string& name) {
    nodes.at(name).closed = false;
    busy.erase(name);
  }
  void resume(FakeRuns& room) {
    OneRun& run = runs.at(room.run());
    const std::set<std::string> waits = run.waits;
    if (!asked.what.back().starts_with("resume back")) {
      room.write("", plan::Resumed{"root", "login1"});
      std::set<std::string> on = waits;
      if (std::exchange(run.killed, false)) on.merge(std::exchange(run.stuck, {})), ++taken_up;
      for (const std::string& name : on) go_on(room, run, name);
      begin_nodes(room, run, false);
      return end(room, false);
    }
    ++given_back;
    for (const std::string& name : waits) {
      run.waits.erase(name);
      open(name);
      room.write(name, plan::NodeFinished{plan::Outcome::recorded, name + ": open again"});
    }
    forgo(run);
    end(room, false, plan::Outcome::recorded);
  }
  // The run ends without them.
  void forgo(OneRun& run) {
    skipped_nodes += static_cast<int>(run.left.size());
    for (const std::string& name : run.left) busy.erase(name);
    run.left.clear();
  }
  // What the room's list says of it from now on.
  void end(FakeRuns& room, bool killed, plan::Outcome outcome = plan::Outcome::wanted) {
    const OneRun& run = runs.at(room.run());
    for (RunHead& head : heads)
      if (head.run == room.run()) {
        const bool ended = run.waits.empty() && run.stuck.empty() && run.left.empty();
        head.state = killed ? RunState::interrupted : ended ? RunState::finished : RunState::parked;
        if (ended) head.outcome = word(outcome);
        if (ended) room.write("", plan::RunFinished{outcome, "done"});
      }
    room.heads = heads;
    journals = room.journals;
  }

  // A person opens what failed or was killed, and what the same run still closed.
  void person() {
    for (RunHead& head : heads) {
      OneRun& run = runs.at(head.run);
      if (run.stuck.empty() || (faults && chance(run.killed ? 0.9 : 0.5))) continue;
      for (auto* some : {&run.stuck, &run.waits}) {
        for (const std::string& name : *some) open(name);
        some->clear();
      }
      forgo(run);
      head.state = RunState::finished, head.outcome = "partial";
    }
  }
  void work() {
    for (auto& [name, one] : nodes) {
      if (one.job && one.job->ends <= now()) one.job.reset();
      if (one.job || one.closed || !faults || !chance(0.5)) continue;
      Job job{test::running(std::to_string(++jobs), "alice", {test::holds(name, {{0}})}), {}};
      const int limit = 1 + upto(8);
      job.work.started = now();
      if (!chance(0.1)) job.work.ends = now() + hours(limit);
      job.ends = now() + minutes(limit * (10 + upto(50)));
      one.job = job;
    }
  }

  // As another person would, by the mark that lies beside the file.
  void pause(bool now_paused) {
    if (now_paused == paused) return;
    paused = now_paused;
    const std::string mark = path + ".paused";
    if (paused)
      std::ofstream(mark) << utc_text(now()) << " by bob";
    else
      std::filesystem::remove(mark);
    pauses += paused ? 1 : 0;
  }

  // The oldest journals go, as a site's do.
  void forget() {
    constexpr std::size_t kKept = 20;
    for (std::size_t i = heads.size(); i-- > kKept;)
      if (heads[i].state == RunState::finished) {
        journals.erase(heads[i].run), runs.erase(heads[i].run);
        heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }

  bool is_night() const {
    return std::any_of(spans.begin(), spans.end(),
                       [&](const Span& one) { return one.open <= now() && now() < one.close; });
  }

  void call() {
    person();
    forget();
    work();
    options.timeout = Duration(loads ? 1500 : 1);  // what does not answer is waited for
    const int code = run({"run", path});
    if (paused && loads) EXPECT_EQ(code, kFinding) << "the timer's log says so: " << err.str();
    if (!loads || paused) return;
    std::size_t open_runs = 0;
    for (const auto& [name, one] : runs) {
      open_runs += one.waits.size() + one.stuck.size();
      if (one.waits.empty() || !one.stuck.empty()) continue;
      bool night = false;
      const auto phase = phase_from(one.from, night);
      // Where no call fell into the window between, the run makes what is wanted now.
      EXPECT_TRUE(now() < phase->close || night == is_night())
          << name << " keeps a node closed after its window: " << err.str();
      EXPECT_GE(now(), one.from - kLead);
    }
    const bool night = is_night();
    const bool edge_soon = std::any_of(spans.begin(), spans.end(), [&](const Span& one) {
      return (one.open > now() && one.open - now() <= kLead) ||
             (one.close > now() && one.close - now() <= kLead);
    });
    if (edge_soon || open_runs >= (stops() ? 1u : 2u)) return;
    for (const auto& [name, one] : nodes)
      if (!one.job && !busy.contains(name)) {
        EXPECT_EQ(one.night, night) << name << " at " << utc_text(now()) << err.str();
        ++right;
      }
  }

  static bool stops() { return GetParam().on_failure == std::string("stop"); }

  std::map<std::string, OneNode> nodes;
  std::map<std::string, OneRun> runs;
  std::set<std::string> busy;                        // nodes of runs that have not ended
  std::set<std::pair<TimePoint, std::string>> made;  // for the phase that begins then
  std::vector<Span> spans;
  std::string path;
  std::mt19937 random{20270115};
  int jobs = 0, begun_runs = 0, given_back = 0, taken_up = 0, right = 0, failed_nodes = 0, skipped_nodes = 0;
  int pauses = 0;
  bool faults = true, paused = false;
};

constexpr const char* kHolidays[] = {"2027-03-28", "2027-05-03", "2027-10-31", "2027-12-24", "2027-12-25"};

TEST_P(FleetYear, EachWindowIsBegunOnceAndEveryClosingGivenBack) {
  const bool whole = GetParam().lived == Lived::year;
  auto zone = zone_of(GetParam().zone);
  if (!zone) GTEST_SKIP() << to_line(zone.error());
  std::set<sys_days> holidays;
  std::string listed;
  for (const std::string one : kHolidays) {
    const auto day = parse_utc(one + "T00:00:00Z");
    ASSERT_TRUE(day);
    holidays.insert(floor<days>(*day));
    listed += (listed.empty() ? "" : ", ") + one;
  }
  spans = nights_of(*zone, holidays, test::at(0), test::at(0) + days(390));
  path = file(std::string("time_zone: ") + GetParam().zone + "\nholidays: [" + listed + "]\n" +
              "pools:\n- name: a\n  layout: none\n  on_failure: " + GetParam().on_failure + R"(
  budget: {lead: '04:00', max_nodes_at_once: 2}
  windows:
  - {when: holidays, layout: 7g.80gb}
  - {when: 'Sat 20:00-24:00', layout: 7g.80gb}
  - {when: 'Sun 02:30-07:00', layout: 7g.80gb}
)");
  const std::vector<sys_days> switches = switches_of(*zone, test::at(0), test::at(0) + days(365));
  EXPECT_EQ(switches.size(), 2u);
  const auto is_lived = [&](const Span& one) {
    if (one.open < test::at(0) || one.close > test::at(0) + days(365)) return false;
    return whole || std::any_of(switches.begin(), switches.end(), [&](sys_days day) {
             return one.open > day - days(9) && one.close < day + days(10);
           });
  };
  std::set<TimePoint> calls;
  std::vector<Span> silences, quiet;  // quiet: a person has paused the file
  std::mt19937 person_random{20270116};
  int phases = 0;
  for (const Span& one : spans) {
    if (!is_lived(one)) continue;
    phases += 2;
    if (chance(0.1)) silences.push_back({one.open - hours(upto(5)), one.open + hours(upto(9))});
    if (whole && std::bernoulli_distribution(0.06)(person_random))
      quiet.push_back({one.open - hours(2), one.open + hours(3)});
    for (TimePoint edge : {one.open, one.close})
      for (Duration from : {Duration(-minutes(1 + upto(260))), Duration(minutes(upto(10))),
                            Duration(minutes(60 + upto(200)))})
        calls.insert(edge + from);
  }
  const auto call_at = [&](TimePoint when) {
    later = static_cast<int>(duration_cast<seconds>(when - test::at(0)).count());
    const auto holds_then = [&](const Span& one) { return one.open <= when && when < one.close; };
    loads = std::none_of(silences.begin(), silences.end(), holds_then);
    pause(std::any_of(quiet.begin(), quiet.end(), holds_then));
    call();
  };
  for (TimePoint when : calls) {
    call_at(when);
    if (HasFailure()) return;
  }
  faults = false, silences.clear(), quiet.clear();
  for (int i = 0; i < 30; ++i) call_at(*calls.rbegin() + hours(6 * i + 1));
  for (const auto& [name, one] : nodes) EXPECT_FALSE(one.closed) << name;
  for (const RunHead& head : heads) EXPECT_EQ(head.state, RunState::finished) << head.run;
  EXPECT_GT(begun_runs, phases * 2 / 3) << "most of the windows were begun";
  // Where a run of a pool that stops is open, its other nodes may wait for that: they are not looked at then.
  EXPECT_GT(right, phases * (stops() ? 8 : 9) / 10) << "nodes were as the file says";
  if (!whole) return;
  EXPECT_GT(begun_runs, 150);
  EXPECT_GT(right, stops() ? 150 : 200);
  EXPECT_GT(failed_nodes, 3);
  EXPECT_EQ(skipped_nodes > 0, stops()) << "what comes after a failure, or a node that is held";
  EXPECT_GT(given_back, 3);
  EXPECT_GT(pauses, 1);
  EXPECT_GT(taken_up, 0) << "runs that were killed";
}

// Northern summer and, with a leap at midnight, southern summer. Other places differ from them in the weeks
// in which their clocks are set: on other days, by half an hour, 12:45 ahead, and never.
INSTANTIATE_TEST_SUITE_P(
    Zones, FleetYear,
    testing::Values(ZoneYear{"Europe/Berlin", Lived::year}, ZoneYear{"Europe/Berlin", Lived::year, "stop"},
                    ZoneYear{"America/Santiago", Lived::year}, ZoneYear{"America/New_York", Lived::switches},
                    ZoneYear{"Australia/Lord_Howe", Lived::switches},
                    ZoneYear{"Pacific/Chatham", Lived::switches}, ZoneYear{"Asia/Tokyo", Lived::switches}),
    [](const auto& each) {
      std::string name = each.param.zone;
      if (each.param.on_failure == std::string("stop")) name += "_stop";
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

}  // namespace
}  // namespace tessera::cli
