#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/slots.hpp"

namespace tessera::sim {
namespace {

constexpr std::int64_t kFar = 1ll << 52;  // milliseconds: sums of two such times never overflow

// Lines of blank-separated words; the first thing that is wrong is kept and ends everything.
class Lines {
 public:
  Lines(std::string_view text, std::string_view file) : rest_(text), file_(file) { next(); }

  bool failed() const { return error_.has_value(); }
  Error error() const { return *error_; }
  void fail(std::string_view message) {
    if (!error_)
      error_ = Error{"cannot read the saved simulator state",
                     fmt::format("{}:{}: {}", file_, number_, message), "save it again from its scenario"};
  }

  // Whether the current line begins with this word; if so it is taken.
  bool take(std::string_view word) {
    if (failed() || !line_.starts_with(word)) return false;
    std::string_view after = line_.substr(word.size());
    if (!after.empty() && after.front() != ' ') return false;
    line_ = after;
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("'{}' is expected here", word));
  }

  std::int64_t number(std::int64_t low, std::int64_t high) {
    skip_blank();
    std::int64_t value = 0;
    auto [end, code] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    bool whole = end == line_.data() + line_.size() || *end == ' ';
    if (code != std::errc() || !whole || value < low || value > high) {
      fail(fmt::format("a number from {} to {} is expected", low, high));
      return low;
    }
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  std::uint64_t unsigned_number() {
    skip_blank();
    std::uint64_t value = 0;
    auto [end, code] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (code != std::errc()) fail("a number is expected");
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  TimePoint time() { return TimePoint(Duration(number(-kFar, kFar))); }
  std::optional<TimePoint> maybe_time() {
    skip_blank();
    if (!line_.starts_with("-") || (line_.size() > 1 && line_[1] != ' ')) return time();
    line_.remove_prefix(1);
    return std::nullopt;
  }

  std::string quoted() {
    skip_blank();
    std::string out;
    if (!line_.starts_with('"')) fail("quoted text is expected");
    std::size_t i = 1;
    for (; i < line_.size() && line_[i] != '"'; ++i) {
      if (line_[i] != '\\') {
        out += line_[i];
        continue;
      }
      unsigned byte = 0;
      if (i + 2 >= line_.size()) break;
      auto [end, code] = std::from_chars(line_.data() + i + 1, line_.data() + i + 3, byte, 16);
      if (code != std::errc() || end != line_.data() + i + 3) fail("a broken escape");
      out += static_cast<char>(byte);
      i += 2;
    }
    if (i >= line_.size()) fail("text without its closing quote");
    line_.remove_prefix(std::min(line_.size(), i + 1));
    return out;
  }

  bool number_follows() {
    skip_blank();
    return !line_.empty() && line_.front() >= '0' && line_.front() <= '9';
  }
  bool more() {
    skip_blank();
    return !line_.empty();
  }
  void end_line() {
    skip_blank();
    if (!line_.empty()) fail("more words than expected");
    next();
  }
  // Raw bytes after the current line, which must be used up; then one line feed.
  std::string_view raw(std::size_t size) {
    if (size >= rest_.size() || rest_[size] != '\n') {
      fail("the scenario inside is cut short");
      return {};
    }
    std::string_view bytes = rest_.substr(0, size);
    for (char c : bytes) number_ += c == '\n';
    ++number_;
    rest_.remove_prefix(size + 1);
    next();
    return bytes;
  }
  bool at_end() const { return rest_.empty() && line_.empty(); }

 private:
  void skip_blank() {
    if (line_.starts_with(' ')) line_.remove_prefix(1);
  }
  void next() {
    std::size_t feed = rest_.find('\n');
    line_ = rest_.substr(0, feed);
    rest_.remove_prefix(feed == std::string_view::npos ? rest_.size() : feed + 1);
    ++number_;
  }

  std::string_view rest_, line_;
  std::string file_;
  std::size_t number_ = 0;
  std::optional<Error> error_;
};

class Loader {
 public:
  Loader(Lines& lines, World& world) : lines_(lines), world_(world) {}

  void load(std::size_t cluster) {
    world_.cluster = cluster;
    if (lines_.number(0, 1000) != static_cast<std::int64_t>(cluster)) lines_.fail("clusters out of order");
    world_.seed = lines_.unsigned_number();
    world_.start = lines_.time();
    world_.now = lines_.time();
    world_.next_id = static_cast<JobId>(lines_.number(1, 4'000'000'000));
    world_.faults_done =
        static_cast<std::uint64_t>(lines_.number(0, static_cast<std::int64_t>(spec().faults.size())));
    world_.pass_at = later(lines_.maybe_time());
    lines_.end_line();
    world_.nodes = bare_nodes(spec());
    for (NodeState& node : world_.nodes) load_node(node);
    load_recurring("stream", spec().streams.size(), world_.streams);
    load_recurring("trouble", spec().troubles.size(), world_.troubles);
    while (!lines_.failed() && lines_.take("fault")) load_trap();
    while (!lines_.failed() && lines_.take("job")) load_job();
  }

 private:
  const ClusterSpec& spec() const { return world_.spec(); }

  std::optional<TimePoint> later(std::optional<TimePoint> at) {
    if (at && *at < world_.now) lines_.fail("something is due before now");
    return at;
  }

  void load_recurring(std::string_view word, std::size_t count, std::vector<Recurring>& out) {
    for (std::size_t i = 0; i < count && !lines_.failed(); ++i) {
      lines_.expect(word);
      Recurring one{lines_.time(), lines_.unsigned_number()};
      later(one.next);
      lines_.end_line();
      out.push_back(one);
    }
  }

  void load_node(NodeState& node) {
    if (lines_.failed()) return;
    lines_.expect("node");
    node.condition = static_cast<Condition>(lines_.number(0, static_cast<int>(Condition::unknown)));
    node.since = lines_.time();
    node.booted = lines_.time();
    node.until = later(lines_.maybe_time());
    node.reason = lines_.quoted();
    node.by = lines_.quoted();
    lines_.end_line();
    load_extras(node);
    for (Board& board : node.boards) load_board(board, world_.group(node));
  }

  void load_extras(NodeState& node) {
    if (lines_.take("closing")) {
      Closing closing;
      closing.since = lines_.time();
      closing.reason = lines_.quoted();
      closing.by = lines_.quoted();
      node.closing = std::move(closing);
      lines_.end_line();
    }
    if (lines_.take("mark")) {
      plan::RunMark mark;
      mark.since = lines_.time();
      mark.run = lines_.quoted();
      mark.who = lines_.quoted();
      mark.from = lines_.quoted();
      node.mark = std::move(mark);
      lines_.end_line();
    }
    if (lines_.take("reboots")) {
      node.reboots = true;
      node.reopens = lines_.number(0, 1) == 1;
      lines_.end_line();
    }
    if (lines_.take("reset")) {
      ResetMade& reset = node.reset.emplace();
      reset.run = lines_.quoted();
      reset.gpus = lines_.quoted();
      reset.in_vain = lines_.number(0, 1) == 1;
      reset.sound = lines_.number(0, 1) == 1;
      lines_.end_line();
    }
    if (lines_.take("plugin")) {
      node.plugin_by = lines_.quoted();
      lines_.end_line();
    }
    if (lines_.take("promised")) {
      node.promised = static_cast<int>(lines_.number(0, 10'000));
      lines_.end_line();
    }
    if (lines_.take("offer")) {
      PluginOffer& offer = node.offer.emplace();
      offer.nothing = lines_.number(0, 1) == 1;
      offer.single = lines_.number(0, 1) == 1;
      load_switches(node.switches);
    } else if (lines_.take("switches")) {
      load_switches(node.switches);
    }
  }

  void load_switches(ShareSwitches& switches) {
    switches.renamed = lines_.number(0, 1) == 1;
    switches.refuses_several = lines_.more() && lines_.number(0, 1) == 1;  // 0.2.0 did not write it
    if (spec().scheduler == Scheduler::slurm) lines_.fail("a device plugin's offer, under Slurm");
    lines_.end_line();
  }

  void load_trap() {
    constexpr std::size_t kMostTraps = 1000;
    ArmedTrap armed;
    armed.seen = static_cast<int>(lines_.number(0, 2'000'000));
    Result<Trap> trap = parse_trap(lines_.quoted());
    if (!lines_.failed() && !trap) lines_.fail(trap.error().reason);
    if (world_.traps.size() >= kMostTraps) lines_.fail("too many faults");
    if (lines_.failed()) return;
    armed.trap = std::move(*trap);
    world_.traps.push_back(std::move(armed));
    lines_.end_line();
  }

  void load_board(Board& board, const NodeGroup& group) {
    lines_.expect("board");
    board.mode = static_cast<MigMode>(lines_.number(0, static_cast<int>(MigMode::disable_pending)));
    board.strategy = static_cast<Strategy>(lines_.number(0, static_cast<int>(Strategy::vgpu)));
    board.replicas = static_cast<int>(lines_.number(1, 1000));
    board.hidden = lines_.number(0, 1) == 1;
    if (board.cut() && !group.mig) lines_.fail("MIG is on, but this GPU cannot be cut");
    lines_.end_line();
    while (!lines_.failed() && lines_.take("instance")) {
      Instance& instance = board.instances.emplace_back();
      int profiles = group.mig ? static_cast<int>(group.mig->profiles.size()) : 0;
      instance.profile = static_cast<int>(lines_.number(0, profiles - 1));
      instance.start = static_cast<int>(lines_.number(0, 63));
      instance.id = static_cast<int>(lines_.number(0, 1000));
      instance.hidden = lines_.number(0, 1) == 1;
      while (!lines_.failed() && lines_.more()) {
        int id = static_cast<int>(lines_.number(0, 63));
        instance.compute.push_back({id, static_cast<int>(lines_.number(1, 63))});
      }
      lines_.end_line();
    }
  }

  void load_job() {
    Job job;
    auto index = [&](std::size_t size) {
      return static_cast<std::uint32_t>(lines_.number(0, static_cast<std::int64_t>(size) - 1));
    };
    job.id = static_cast<JobId>(lines_.number(1, UINT32_MAX));
    job.shape = index(std::max<std::size_t>(1, spec().shapes.size()));
    job.user = index(spec().users.size());
    job.does = static_cast<Character>(lines_.number(0, static_cast<int>(Character::waste)));
    job.state = static_cast<JobState>(lines_.number(0, static_cast<int>(JobState::completing)));
    job.restartable = lines_.number(0, 1) == 1;
    job.stream =
        static_cast<std::int32_t>(lines_.number(-1, static_cast<std::int64_t>(spec().streams.size()) - 1));
    job.submitted = lines_.time();
    job.started = lines_.time();
    job.ends = lines_.time();
    job.eligible = lines_.maybe_time().value_or(TimePoint::max());
    job.runs = Duration(lines_.number(0, kFar));
    job.limit = Duration(lines_.number(0, kFar));
    job.name = lines_.quoted();
    job.hold = lines_.quoted();
    job.reason = lines_.quoted();
    job.comment = lines_.quoted();
    lines_.end_line();
    if (!lines_.failed() && lines_.take("errand")) load_errand(job);
    if (!job.errand.one && job.shape >= spec().shapes.size()) return lines_.fail("the job asks for nothing");
    while (!lines_.failed() && lines_.take("claim")) load_claim(job);
    if (lines_.failed()) return;
    if (!world_.jobs.empty() && job.id <= world_.jobs.rbegin()->first) lines_.fail("jobs out of order");
    world_.jobs.emplace_hint(world_.jobs.end(), job.id, std::move(job));
  }

  void load_errand(Job& job) {
    Errand errand;
    errand.shape.count = static_cast<int>(lines_.number(1, 1000));
    if (lines_.number_follows()) errand.shape.at_once = static_cast<int>(lines_.number(0, 1000));
    errand.shape.text = lines_.quoted();
    errand.shape.type = lines_.quoted();
    errand.shape.group = lines_.quoted();
    errand.name = lines_.quoted();
    while (!lines_.failed() && lines_.more())
      errand.shape.only.push_back(
          static_cast<std::uint32_t>(lines_.number(0, static_cast<std::int64_t>(world_.nodes.size()) - 1)));
    lines_.end_line();
    if (spec().scheduler != Scheduler::kubernetes) return lines_.fail("only pods come from outside");
    errand.shape.resource = resource_named(spec(), errand.shape.text);
    std::sort(errand.shape.only.begin(), errand.shape.only.end());
    job.errand.one = std::make_shared<const Errand>(std::move(errand));
  }

  void load_claim(Job& job) {
    Claim claim;
    claim.node =
        static_cast<std::uint32_t>(lines_.number(0, static_cast<std::int64_t>(world_.nodes.size()) - 1));
    claim.gpu = static_cast<std::uint16_t>(lines_.number(0, 255));
    claim.instance = static_cast<std::int16_t>(lines_.number(kWholeBoard, 1000));
    claim.share = static_cast<std::uint16_t>(lines_.number(1, 1000));
    std::vector<Hold>* holds = lines_.failed() ? nullptr : holds_of(world_, claim);
    if (!holds) return lines_.fail("the job claims a slice that is not there");
    lines_.end_line();
    holds->push_back({job.id, claim.share, job.does});
    job.claims.push_back(claim);
  }

  Lines& lines_;
  World& world_;
};

}  // namespace

Result<std::vector<World>> load_state(std::string_view text, std::shared_ptr<const mig::Catalogue> catalogue,
                                      std::string_view file) {
  Lines lines(text, file);
  std::vector<World> worlds;
  if (!lines.take("tessera-sim-state")) lines.fail("this is no saved simulator state");
  lines.number(1, 2);  // 2 adds marks, closings and faults on demand, and is otherwise the same
  if (!lines.failed()) lines.end_line();
  lines.expect("scenario");
  auto size = static_cast<std::size_t>(lines.number(0, 16 << 20));
  std::string name = lines.quoted();
  if (lines.more()) lines.fail("more words than expected");
  std::string_view inside = lines.failed() ? std::string_view() : lines.raw(size);
  if (lines.failed()) return lines.error();
  Result<ScenarioPtr> scenario = parse_scenario(inside, name, std::move(catalogue));
  if (!scenario) return scenario.error();
  for (std::size_t i = 0; i < (*scenario)->clusters.size() && !lines.failed(); ++i) {
    lines.expect("world");
    World& world = worlds.emplace_back();
    world.scenario = *scenario;
    Loader(lines, world).load(i);
  }
  lines.expect("end");
  lines.end_line();
  if (!lines.at_end()) lines.fail("text after the end");
  for (std::size_t i = 0; i < worlds.size() && !lines.failed(); ++i)
    if (std::vector<std::string> wrong = audit(worlds[i]); !wrong.empty()) lines.fail(wrong.front());
  if (lines.failed()) return lines.error();
  return worlds;
}

}  // namespace tessera::sim
