// What one picture costs at 200×60, where lists have two panes, on a cluster of 10,000 nodes and 80,000 GPUs:
// every screen drawn whole into cells, and on the lists a cursor key with the picture that follows it. Beside
// them the same cells copied, as this machine's measure.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/aims.hpp"
#include "bench/desk.hpp"
#include "bench/still_terminal.hpp"
#include "engine/plan/run/journal.hpp"
#include "tests/support/event_queue.hpp"
#include "tests/support/reckoned.hpp"
#include "tui/app.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::bench {
namespace {

using tui::Action;
using tui::ScreenKind;

// The console on one screen of the large cluster, settled.
class LargeConsole {
 public:
  explicit LargeConsole(ScreenKind kind, std::string_view filter = {}) {
    tui::UiState first;
    tui::Screen shown;
    shown.kind = kind;
    if (!filter.empty()) tui::set_filter(shown, std::string(filter));
    first.stack.push_back(shown);
    app_ = std::make_unique<tui::App>(
        tui::AppParts{terminal_, events_, backends_, catalogue_, keymap_, signals_, nullptr}, first,
        tui::AppOptions{}, tui::Clocks{[this] { return at(0) + now_; }, [this] { return now_; }});
    NodesListed nodes;
    for (int i = 0; i < 10'000; ++i) nodes.nodes.push_back(bench_node(i)), nodes.nodes.back().model = "h100";
    WorkloadsListed workloads;
    for (int i = 0; i < 100'000; ++i) workloads.workloads.push_back(bench_workload(i, 10'000));
    events_.post(event(std::move(nodes)));
    events_.post(event(std::move(workloads)));
    events_.post(event(SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false}));
    events_.post(event(SourceReport{Source::slurm_jobs, std::nullopt, Duration{55}, "", false}));
    events_.post(event(Loaded{}));
    for (int i = 0; i < 4; ++i) {
      now_ += Duration{1000};
      app_->turn(Duration{0});
    }
  }
  const tui::Canvas& canvas() const { return terminal_.shown; }
  void press(std::string_view key) {
    terminal_.type(key);
    now_ += Duration{1};
    app_->turn(Duration{0});
  }

 private:
  Duration now_{1'000'000};
  StillTerminal terminal_{kWide};
  test::EventQueue events_;
  tui::Signals signals_;
  const tui::Keymap keymap_;
  const mig::Catalogue catalogue_;
  const std::vector<BackendPtr> backends_;
  std::unique_ptr<tui::App> app_;
};

std::string nodes_to(int last) { return fmt::format("gpu[00000-{:05}]", last); }

constexpr const char* kFleet = R"(time_zone: UTC
pools:
- {name: training, nodes: "gpu[00000-04999]", layout: none}
- {name: on loan, nodes: "gpu[05000-05099]", layout: as-is}
- name: notebooks
  layout: 7x1g.10gb
  windows:
  - {when: "Mon-Fri 20:00-07:00", layout: none}
)";

// As many users, jobs and rows of waste as a large site has in a week.
std::shared_ptr<const usage::Reckoning> week_of_a_large_site() {
  usage::Reckoning all = *test::reckoned();
  for (auto& [by, sums] : all.sums)
    for (int i = 0; i < 2000; ++i) {
      usage::Sum one = sums.front();
      one.name = fmt::format("user{:04}", i);
      sums.push_back(std::move(one));
    }
  for (int i = 0; i < 5000; ++i) {
    usage::Waste one = all.waste[static_cast<std::size_t>(i) % all.waste.size()];
    one.workload = std::to_string(1'000'000 + i);
    all.waste.push_back(std::move(one));
  }
  return std::make_shared<const usage::Reckoning>(std::move(all));
}

// A run of twenty nodes that is half done, among five hundred that are over.
void hear_of_runs(Desk& desk) {
  plan::Intent wish;
  wish.cluster = desk.cluster().name;
  for (int i = 0; i < 20; ++i) wish.nodes.emplace_back(fmt::format("gpu{:05}", i));
  wish.words = "7x1g.10gb";
  wish.boards = {{std::nullopt, plan::parse_layout_wish(wish.words).value()}};
  plan::RunStarted begun;
  begun.run = "20270115-0800-gpu00000", begun.who = "alice", begun.from = "login1";
  begun.plan =
      plan::make_plan(desk.cluster(), desk.ui().catalogue, wish, plan::simulator_capabilities(), {}, at(0))
          .value();
  const std::vector<plan::NodePlan> nodes = begun.plan.nodes;
  RunHead head;
  head.run = begun.run, head.state = RunState::running, head.here = true;
  head.who = begun.who, head.from = begun.from, head.cluster = wish.cluster, head.words = wish.words;
  head.nodes = wish.nodes, head.started = head.last = at(0);
  std::vector<RunHead> heads{head};
  head.state = RunState::finished, head.here = false, head.outcome = "wanted";
  for (int i = 0; i < 500; ++i) {
    head.run = fmt::format("20270114-{:04}-gpu00000", i);
    heads.push_back(head);
  }
  plan::Chain chain;
  std::string lines = plan::to_line({1, at(0), NodeName(), begun}, chain);
  std::int64_t number = 1;
  for (std::size_t i = 0; i < nodes.size() / 2; ++i)
    for (const plan::Step& step : nodes[i].steps) {
      lines +=
          plan::to_line({++number, at(1), nodes[i].node, plan::StepBegun{step.id, 1, step.action}}, chain);
      lines += plan::to_line({++number, at(2), nodes[i].node, plan::StepDone{step.id, false}}, chain);
    }
  desk.tell(tui::RunNews{RunsListed{std::move(heads)}});
  desk.tell(tui::RunNews{RunTold{begun.run, std::move(lines), true}});
}

// A screen by how a person gets there. Without `shows` on it the picture is not the one that is meant.
struct Way {
  const char* name;
  ScreenKind kind;
  const char* shows;
  void (*go)(Desk& desk);
};

const Way kWays[] = {
    {"overview", ScreenKind::overview, "COULD BE CUT",
     [](Desk& on) {
       on.act(Action::show_overview);
       on.work_out();
     }},
    {"nodes", ScreenKind::nodes, "gpu00000", [](Desk& on) { on.act(Action::show_nodes); }},
    {"gpus", ScreenKind::gpus, "gpu00000", [](Desk& on) { on.act(Action::show_gpus); }},
    {"slices", ScreenKind::slices, "1g.10gb", [](Desk& on) { on.act(Action::show_slices); }},
    {"workloads", ScreenKind::workloads, "1000000", [](Desk& on) { on.act(Action::show_workloads); }},
    {"waiting", ScreenKind::workloads, "WHAT WOULD HELP",
     [](Desk& on) {
       on.act(Action::show_waiting);
       on.work_out();
     }},
    {"events", ScreenKind::log, "started", [](Desk& on) { on.act(Action::show_events); }},
    {"doctor", ScreenKind::doctor, "fan failure", [](Desk& on) { on.act(Action::show_doctor); }},
    {"users", ScreenKind::users, "HOLDS", [](Desk& on) { on.act(Action::show_users); }},
    {"node_page", ScreenKind::node, "GPU 7", [](Desk& on) { on.command("node gpu00001"); }},
    {"gpu_page", ScreenKind::gpu, "SLICES", [](Desk& on) { on.command("gpu gpu00001 0"); }},
    {"job_page", ScreenKind::workload, "HOLDS", [](Desk& on) { on.command("job 1000001"); }},
    {"why_page", ScreenKind::workload, "WHY IT WAITS", [](Desk& on) { on.command("why 1099999"); }},
    {"details", ScreenKind::facts, "gpu00001",
     [](Desk& on) {
       on.command("node gpu00001");
       on.act(Action::facts);
     }},
    {"editor", ScreenKind::layout, "PROFILE",
     [](Desk& on) {
       on.command("gpu gpu00001 0");
       on.act(Action::show_layout);
       on.act(Action::layout_clear);
     }},
    {"editor_presets", ScreenKind::layout, "PRESET",
     [](Desk& on) {
       on.command("gpu gpu00001 0");
       on.act(Action::show_layout);
       on.act(Action::layout_presets);
     }},
    {"plan", ScreenKind::plan, "STEPS", [](Desk& on) { on.command("plan gpu00001 7x1g.10gb"); }},
    {"plan_of_100_nodes", ScreenKind::plan, "STEPS",
     [](Desk& on) { on.command("plan " + nodes_to(99) + " 7x1g.10gb"); }},
    {"messages", ScreenKind::messages, "user",
     [](Desk& on) {
       on.command("plan " + nodes_to(99) + " 7x1g.10gb");
       on.act(Action::plan_messages);
     }},
    {"journal", ScreenKind::journal, "20270114",
     [](Desk& on) {
       hear_of_runs(on);
       on.act(Action::show_journal);
     }},
    {"run_of_20_nodes", ScreenKind::run, "gpu00019",
     [](Desk& on) {
       hear_of_runs(on);
       on.act(Action::show_journal);
       on.act(Action::open);
     }},
    {"guide", ScreenKind::guide, "Q2", [](Desk& on) { on.command("guide gpu00001"); }},
    {"guide_compare", ScreenKind::guide, "MPS",
     [](Desk& on) {
       on.command("guide gpu00001");
       on.act(Action::guide_compare);
     }},
    {"pack", ScreenKind::pack, "3g.40gb",
     [](Desk& on) {
       on.command("pack 3g.40gb=2000");
       on.pack();
     }},
    {"advise", ScreenKind::advise, "the next 24 h",
     [](Desk& on) {
       on.command("advise");
       on.advise();
     }},
    {"fleet", ScreenKind::fleet, "training", [](Desk& on) { on.survey(kFleet); }},
    {"fleet_calendar", ScreenKind::fleet, "notebooks",
     [](Desk& on) {
       on.survey(kFleet);
       on.act(Action::fleet_calendar);
     }},
    {"usage", ScreenKind::usage, "user0001",
     [](Desk& on) {
       on.state.usage.read = week_of_a_large_site();
       on.act(Action::show_usage);
     }},
    {"waste", ScreenKind::waste, "parked",
     [](Desk& on) {
       on.state.usage.read = week_of_a_large_site();
       on.act(Action::show_waste);
     }},
    {"about", ScreenKind::about, "catalogue", [](Desk& on) { on.act(Action::show_about); }},
    {"help", ScreenKind::help, "filter",
     [](Desk& on) {
       on.act(Action::show_nodes);
       on.act(Action::help);
     }},
    {"menu", ScreenKind::nodes, "actions",
     [](Desk& on) {
       on.act(Action::show_nodes);
       on.act(Action::menu);
     }},
    {"palette", ScreenKind::nodes, "gpu00001",
     [](Desk& on) {
       on.act(Action::show_nodes);
       on.act(Action::palette);
       on.tell(tui::Paste{"gpu0"});
     }},
    {"columns", ScreenKind::nodes, "COLUMNS",
     [](Desk& on) {
       on.act(Action::show_nodes);
       on.act(Action::choose_columns);
     }},
};

const LargePlace& place() {
  static const LargePlace one;
  return one;
}

// The same cluster at a moment of a recording.
const LargePlace& past() {
  static const LargePlace one = [] {
    LargePlace made;
    reduce(made.model, event(ClockSet{at(0), 0}));
    reduce(made.model, event(Recorded{at(-7200), at(3600), ""}));
    return made;
  }();
  return one;
}

// What is wrong with the picture; empty: nothing.
std::string why_not(const Way& way, const Desk& desk, const tui::Canvas& picture) {
  if (desk.state.top().kind != way.kind)
    return fmt::format("{} shows {}: {}", way.name, tui::word(desk.state.top().kind),
                       desk.state.message.text);
  if (picture.text().find(way.shows) == std::string::npos)
    return fmt::format("{} does not show {}: {}", way.name, way.shows, desk.state.message.text);
  return {};
}

// Each way is gone once, however often its picture is measured.
Desk& desk_at(const Way& way, bool in_the_past) {
  static std::map<std::string, std::unique_ptr<Desk>> all;
  std::unique_ptr<Desk>& one = all[way.name + std::string(in_the_past ? "_past" : "")];
  if (one) return *one;
  one = std::make_unique<Desk>(in_the_past ? past() : place());
  if (in_the_past) one->tell(tui::OtherWorld{true});
  way.go(*one);
  return *one;
}

void draw_frame(benchmark::State& state, const Way& way, bool in_the_past) {
  const Desk& desk = desk_at(way, in_the_past);
  tui::Canvas canvas(kWide);
  for (auto _ : state) {
    tui::draw(desk.ui(), desk.state, canvas);
    benchmark::DoNotOptimize(canvas);
  }
  if (const std::string why = why_not(way, desk, canvas); !why.empty()) state.SkipWithError(why.c_str());
}

// All of them now, and with the bar of time those that read the past.
bool measure_every_screen() {
  const std::set<std::string> with_bar{"overview", "nodes", "waiting", "gpu_page"};
  for (const Way& way : kWays)
    for (const bool in_the_past : {false, true}) {
      if (in_the_past && !with_bar.contains(way.name)) continue;
      const std::string name = fmt::format("draw_frame/{}{}", way.name, in_the_past ? "_past" : "");
      benchmark::RegisterBenchmark(name.c_str(), [&way, in_the_past](benchmark::State& state) {
        draw_frame(state, way, in_the_past);
      })->Unit(benchmark::kMicrosecond);
    }
  return true;
}
[[maybe_unused]] const bool kMeasured = measure_every_screen();

void copy_frame(benchmark::State& state) {
  const LargeConsole console(ScreenKind::nodes);
  tui::Canvas canvas(kWide);
  for (auto _ : state) {
    canvas = console.canvas();
    benchmark::DoNotOptimize(canvas);
  }
}

void move_cursor(benchmark::State& state, ScreenKind kind, std::string_view filter = {}) {
  LargeConsole console(kind, filter);
  bool down = true;
  for (auto _ : state) {
    console.press(down ? "j" : "k");
    down = !down;
  }
}

BENCHMARK(copy_frame)->Unit(benchmark::kMicrosecond);
#define ON_EACH_LIST(what)                                                                                  \
  BENCHMARK_CAPTURE(what, overview, ScreenKind::overview)->Unit(benchmark::kMicrosecond);                   \
  BENCHMARK_CAPTURE(what, nodes, ScreenKind::nodes)->Unit(benchmark::kMicrosecond);                         \
  BENCHMARK_CAPTURE(what, gpus, ScreenKind::gpus)->Unit(benchmark::kMicrosecond);                           \
  BENCHMARK_CAPTURE(what, slices, ScreenKind::slices)->Unit(benchmark::kMicrosecond);                       \
  BENCHMARK_CAPTURE(what, workloads, ScreenKind::workloads)->Unit(benchmark::kMicrosecond);                 \
  BENCHMARK_CAPTURE(what, waiting, ScreenKind::workloads, tui::kAllWaiting)->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(what, users, ScreenKind::users)->Unit(benchmark::kMicrosecond);                         \
  BENCHMARK_CAPTURE(what, doctor, ScreenKind::doctor)->Unit(benchmark::kMicrosecond)
ON_EACH_LIST(move_cursor);
#undef ON_EACH_LIST

}  // namespace
[[maybe_unused]] const bool kAimed = aim({{"draw_frame", "", 1}});

}  // namespace tessera::bench
