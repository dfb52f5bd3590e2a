#include <fmt/format.h>

#include <iterator>

#include "backends/sim/saved/state_text.hpp"

namespace tessera::sim {
namespace {

class Writer {
 public:
  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
      auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F || c == '"' || c == '\\') {
        out += fmt::format("\\{:02x}", byte);
      } else {
        out += c;
      }
    }
    return out + '"';
  }

  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void raw(std::string_view bytes) { text_.append(bytes).push_back('\n'); }

  void world(const World& world) {
    line("world {} {} {} {} {} {} {}", world.cluster, world.seed, time(world.start), time(world.now),
         world.next_id, world.faults_done, maybe(world.pass_at));
    for (const NodeState& one : world.nodes) node(one);
    for (const Recurring& one : world.streams) line("stream {} {}", time(one.next), one.count);
    for (const Recurring& one : world.troubles) line("trouble {} {}", time(one.next), one.count);
    for (const ArmedTrap& one : world.traps) line("fault {} {}", one.seen, quoted(to_text(one.trap)));
    for (const auto& [id, one] : world.jobs) job(one);
  }

  std::string take() { return std::move(text_); }

 private:
  static std::int64_t time(TimePoint at) { return at.time_since_epoch().count(); }
  static std::string maybe(const std::optional<TimePoint>& at) {
    return at ? std::to_string(time(*at)) : "-";
  }
  void node(const NodeState& node) {
    line("node {} {} {} {} {} {}", static_cast<int>(node.condition), time(node.since), time(node.booted),
         maybe(node.until), quoted(node.reason), quoted(node.by));
    if (node.closing)
      line("closing {} {} {}", time(node.closing->since), quoted(node.closing->reason),
           quoted(node.closing->by));
    if (node.mark)
      line("mark {} {} {} {}", time(node.mark->since), quoted(node.mark->run), quoted(node.mark->who),
           quoted(node.mark->from));
    if (node.reboots) line("reboots {}", node.reopens ? 1 : 0);
    if (node.reset)
      line("reset {} {} {} {}", quoted(node.reset->run), quoted(node.reset->gpus),
           node.reset->in_vain ? 1 : 0, node.reset->sound ? 1 : 0);
    if (!node.plugin_by.empty()) line("plugin {}", quoted(node.plugin_by));
    if (node.promised) line("promised {}", *node.promised);
    const int renamed = node.switches.renamed ? 1 : 0, refuses = node.switches.refuses_several ? 1 : 0;
    if (node.offer)
      line("offer {} {} {} {}", node.offer->nothing ? 1 : 0, node.offer->single ? 1 : 0, renamed, refuses);
    else if (node.switches != ShareSwitches{})
      line("switches {} {}", renamed, refuses);
    for (const Board& board : node.boards) {
      line("board {} {} {} {}", static_cast<int>(board.mode), static_cast<int>(board.strategy),
           board.replicas, board.hidden ? 1 : 0);
      for (const Instance& instance : board.instances) {
        std::string compute;
        for (const Compute& one : instance.compute) compute += fmt::format(" {} {}", one.id, one.slices);
        line("instance {} {} {} {}{}", instance.profile, instance.start, instance.id, instance.hidden ? 1 : 0,
             compute);
      }
    }
  }

  void job(const Job& job) {
    bool never = job.eligible == TimePoint::max();
    line("job {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", job.id, job.shape, job.user,
         static_cast<int>(job.does), static_cast<int>(job.state), job.restartable ? 1 : 0, job.stream,
         time(job.submitted), time(job.started), time(job.ends),
         never ? "-" : std::to_string(time(job.eligible)), job.runs.count(), job.limit.count(),
         quoted(job.name), quoted(job.hold), quoted(job.reason), quoted(job.comment));
    if (const Errand* errand = job.errand.one.get())
      line("errand {} {} {} {} {} {}{}", errand->shape.count, errand->shape.at_once,
           quoted(errand->shape.text), quoted(errand->shape.type), quoted(errand->shape.group),
           quoted(errand->name),
           fmt::format("{}{}", errand->shape.only.empty() ? "" : " ", fmt::join(errand->shape.only, " ")));
    for (const Claim& claim : job.claims)
      line("claim {} {} {} {}", claim.node, claim.gpu, claim.instance, claim.share);
  }

  std::string text_;
};

}  // namespace

std::string save_state(const std::vector<World>& worlds) {
  Writer writer;
  writer.line("tessera-sim-state 2");
  if (!worlds.empty()) {
    const Scenario& scenario = *worlds.front().scenario;
    writer.line("scenario {} {}", scenario.text.size(), Writer::quoted(scenario.name));
    writer.raw(scenario.text);
    for (const World& world : worlds) writer.world(world);
  }
  writer.line("end");
  return writer.take();
}

}  // namespace tessera::sim
