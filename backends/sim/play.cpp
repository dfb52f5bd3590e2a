#include "backends/sim/play.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/by_hand.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr Duration kMostAdvance{400ll * 24 * 3'600'000};

std::string joined(const std::vector<std::string>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (text.empty() ? "" : " ") + words[i];
  return text;
}

std::string name_of(const World& world) { return clean(world.spec().name, 64); }

std::string time_of(const World& world) {
  std::int64_t seconds = world.now.time_since_epoch().count() / 1000;
  auto day = std::chrono::floor<std::chrono::days>(world.now);
  std::chrono::year_month_day date{std::chrono::sys_days(day)};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

class Player {
 public:
  Player(std::vector<World>& worlds, const std::string& cluster) {
    for (World& world : worlds)
      if (cluster.empty() || name_of(world) == cluster) worlds_.push_back(&world);
  }

  Result<Played> play(const std::vector<std::string>& words) {
    if (worlds_.empty())
      return Error{"no such cluster in the simulated world", "--cluster names another", ""};
    const std::string& verb = words.front();
    if (verb == "advance") return advance(words.at(1));
    if (verb == "drain") {
      std::string reason = words.size() > 2 ? joined(words, 2) : "closed by hand";
      return at_node(
          words.at(1), [&](World& world) { return drain_by_hand(world, words.at(1), reason); },
          "closed to new workloads");
    }
    if (verb == "open")
      return at_node(
          words.at(1), [&](World& world) { return open_by_hand(world, words.at(1)); }, "open");
    if (verb == "reboot")
      return at_node(
          words.at(1), [&](World& world) { return reboot_by_hand(world, words.at(1)); },
          "reboots; back in four minutes of its own time (tessera-sim advance 4m)");
    if (verb == "end") return end(words.at(1));
    if (verb == "fault") return arm(joined(words, 1));
    if (verb == "faults") return list_faults();
    return check();
  }

 private:
  Result<Played> advance(const std::string& text) {
    std::optional<Duration> time = parse_duration(text);
    if (!time || time->count() <= 0 || *time > kMostAdvance)
      return Error{"cannot let that time pass", clean(text, 64), "90s, 15m, 4h, 2d, 1h30m; at most 400d"};
    Played played;
    for (World* world : worlds_) {
      Changes changes = world->advance(world->now + *time);
      played.text +=
          fmt::format("{}: {}; {} nodes and {} workloads changed, {} workloads ended\n", name_of(*world),
                      time_of(*world), changes.nodes.size(), changes.jobs.size(), changes.gone.size());
    }
    return played;
  }

  template <class Act>
  Result<Played> at_node(const std::string& node, Act act, std::string_view done) {
    std::vector<World*> having;
    for (World* world : worlds_)
      if (find_node(*world, node)) having.push_back(world);
    if (having.empty()) return Error{"no such node", clean(node, 253), "tessera nodes lists them"};
    if (having.size() > 1)
      return Error{"which node is meant?", clean(node, 253) + " is in more than one cluster",
                   "add --cluster"};
    if (Status ok = act(*having.front()); !ok) return ok.error();
    return Played{fmt::format("{} {}: {}\n", name_of(*having.front()), clean(node, 253), done)};
  }

  Result<Played> end(const std::string& workload) {
    std::optional<Error> why;
    for (World* world : worlds_) {
      Status ok = end_by_hand(*world, workload);
      if (ok)
        return Played{fmt::format("{} {}: ends; gone within 12 seconds of its own time\n", name_of(*world),
                                  clean(workload, 253))};
      if (!why || ok.error().what != "no such workload") why = ok.error();
    }
    return *why;
  }

  Result<Played> arm(const std::string& text) {
    Result<Trap> trap = parse_trap(text);
    if (!trap) return trap.error();
    auto put = [&](World& world) -> Status {
      world.traps.push_back({*trap, 0});
      return Done{};
    };
    if (!trap->node.empty()) return at_node(trap->node, put, "armed " + to_text(*trap));
    for (World* world : worlds_) put(*world);
    return Played{fmt::format("armed {}, on {}\n", to_text(*trap),
                              worlds_.size() == 1 ? name_of(*worlds_.front()) : "every cluster")};
  }

  Result<Played> list_faults() {
    Played played;
    for (const World* world : worlds_)
      for (const ArmedTrap& armed : world->traps)
        played.text += fmt::format("{}: {}  (seen {})\n", name_of(*world), to_text(armed.trap), armed.seen);
    if (!played.text.empty()) return played;
    played.text =
        "no fault is armed. tessera-sim fault 'KIND [node=NAME] [verb=WORD] [nth=N] [times=N|always]':\n";
    for (const TrapHelp& kind : trap_help())
      played.text += fmt::format("  {:<16} {}\n", kind.word, kind.what);
    return played;
  }

  Result<Played> check() {
    Played played;
    for (const World* world : worlds_)
      for (const std::string& wrong : audit(*world)) {
        played.text += fmt::format("{}: {}\n", name_of(*world), clean(wrong, 1024));
        played.finding = true;
      }
    if (!played.finding) played.text = "nothing is held twice, every layout is legal\n";
    return played;
  }

  std::vector<World*> worlds_;
};

}  // namespace

Result<Played> play(const SimulatorOptions& options, const std::string& cluster,
                    const std::vector<std::string>& words) {
  Result<Played> played = Error{"", "", ""};
  Status ok = act_on_saved(options, [&](std::vector<World>& worlds) -> Status {
    played = Player(worlds, cluster).play(words);
    return played ? Status(Done{}) : Status(played.error());
  });
  return ok ? std::move(played) : Result<Played>(ok.error());
}

}  // namespace tessera::sim
