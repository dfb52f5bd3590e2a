// The lines of a recording, one after the other, → events for reduce().
//
// Kinds and fields that are not known are passed over, as a later version may write them; a line that is no
// JSON, or that belongs to a version that this tessera cannot read, is an error. Between "key" and "whole"
// everything is collected, so that what is not reported there is gone.
// Threads: a value of one thread.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/json.hpp"
#include "engine/model/model.hpp"
#include "engine/record/fields.hpp"
#include "engine/record/idle.hpp"
#include "engine/record/levels.hpp"
#include "engine/record/recording.hpp"
#include "engine/record/step.hpp"

namespace tessera::record {

class Reader {
 public:
  // Adds the events that the line stands for. The cluster is named as the head names it.
  Status take(std::string_view line, std::vector<Event>& events);

  // Events of figures take most of the time that a round takes: from now on there are none. show() lays the
  // last ones over the nodes that came of the other events. Where processes are told, one source tells both
  // as one, with a time of its own: figures_of_opened() are the events of these few, for whoever jumps.
  void be_quiet() { quiet_ = true; }
  void show(Cluster& cluster);
  void figures_of_opened(std::vector<Event>& events) const;

  // By their written names, with the figures that were told last. Precondition: it is not quiet.
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  // One of them, quiet or not; null: there is none of that name. Valid until the next line.
  const Node* node(const std::string& written_name);

  // Since when lines of nodes are idle; nullopt: this frame does not tell it.
  std::optional<std::vector<history::ToldIdle>> idle() const;

  // How many lines of runs stand up to here; nullopt: this frame does not tell it.
  const std::optional<RunLines>& run_lines() const { return run_lines_; }
  // What runs told since it was asked last, each with the time of its round.
  std::vector<std::pair<TimePoint, RunNews>> take_run_news() { return std::exchange(run_news_, {}); }

  const Head& head() const { return head_; }
  // Between two rounds, as the recorder was asked; 0: not told.
  Duration every() const { return std::chrono::seconds(std::clamp<std::int64_t>(head_.every, 0, 86'400)); }
  Written written() const { return {head_.began, ended_}; }
  const std::set<std::string>& findings() const { return findings_; }
  TimePoint at() const { return at_; }  // of the last line
  // That is why the last line was refused: it is no damage.
  bool is_of_later_version() const { return later_; }
  // When the line is no more than a time: before it everything of an older round has been told.
  static std::optional<TimePoint> time_of(std::string_view line);
  // What the line is, without reading all of it; empty: it does not begin as tessera begins a line.
  static std::string_view kind_of(std::string_view line);
  // Whether nodes() may be others after it.
  static bool is_of_nodes(std::string_view kind);

 private:
  struct Seen {  // of one line
    std::string kind;
    std::optional<Node> node;
    std::optional<Workload> workload;
    std::string gone_node, gone_workload, finding;
    std::string run, line;  // of its journal
    RunLines run_lines;
    Source source = Source::none;
    std::map<std::string, std::map<std::string, std::vector<std::optional<std::int64_t>>>> figures;  // of 1
    std::map<std::string, std::map<std::string, std::optional<std::int64_t>>> memory;
    std::array<std::string, kFigureCount> letters;  // of each figure
    std::set<std::string> silent;
    std::map<std::string, TimePoint> measured;  // figures of silent nodes that are told once more
    std::vector<Partition> partitions;
    std::vector<Reservation> reservations;
    std::vector<Quota> quotas;
    std::vector<Daemon> daemons;
    std::vector<Remark> remarks;
    std::vector<SourceState> sources;
    std::optional<OpenNode> opened;
    std::optional<SharedNode> own;
    std::map<std::string, std::map<std::string, Duration>> idle, away_idle;  // by node and line
    std::map<std::string, Duration> away;                                    // since it was measured last
    About about;
    Duration apart{0};  // two figures of a node
    std::optional<Head> head;
  };
  void read(JsonValue& root, Seen& seen);
  Status act(Seen& seen, std::vector<Event>& events);
  Status take_head(const Seen& seen);
  void tell_cluster(Seen& seen, std::vector<Event>& events);  // what is about all of it
  void take_node(Node node, std::vector<Event>& events);
  void forget_node(const std::string& name, std::vector<Event>& events);
  void begin(std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  // When the figures of a node were measured last, where that is not written at them yet: a round is about
  // few of them, and what moves on with each round is the time of all.
  struct Dated {
    Source source = Source::none;  // none: all of it is written
    TimePoint at{};
  };
  struct Beside {
    Dated dated;
    IdleLines idle;  // where this frame tells it
  };
  // A round goes through thousands of nodes, and from one to the next in a map takes longer than what is done
  // with it.
  struct Row {
    const std::string& name;
    Node& node;
    Beside& beside;
  };
  const std::vector<Row>& rows();
  void date(Node& node, Dated& dated, const Origin& origin) const;
  static void write(Node& node, Dated& dated);
  void write_dates();
  Status measure(Seen& seen, std::vector<Event>& events);
  void begin_idle(const Seen& seen);
  void take_run(const Seen& seen);
  void tell_figures(const Node& node, std::vector<Event>& events) const;
  void take_opened(OpenNode opened, std::vector<Event>& events);
  void take_own(SharedNode own, std::vector<Event>& events);
  void tell_opened(const Node& node, Source source, std::vector<Event>& events) const;
  void add_opened(Measured& measured) const;
  void tell(std::vector<Event>& events, decltype(Event::what) what, std::optional<TimePoint> at = {}) const;

  JsonDocument json_;
  Head head_;
  TimePoint at_{};
  Duration apart_{0};  // two figures of a node, as told last; 0: no farther than usual
  bool in_key_ = false;
  bool quiet_ = false;
  bool ended_ = false;                                // that was the last line
  bool later_ = false;                                // a later version wrote it
  std::map<std::string, std::set<Source>> measured_;  // by node: whose figures were told, and still stand
  std::map<std::string, Node> nodes_;       // with the figures that were told last; letters have this order
  std::map<std::string, Beside> beside_;    // of the same nodes
  std::vector<Row> rows_;                   // of both, in their order; empty: not looked for yet
  bool tells_idle_ = false;                 // this frame
  std::map<std::string, OpenNode> opened_;  // by node, as told last
  std::vector<Workload> key_workloads_;
  std::set<std::string> findings_;  // as the recorder named them
  std::map<Source, TimePoint> answered_;
  std::optional<RunLines> run_lines_;
  std::vector<std::pair<TimePoint, RunNews>> run_news_;
};

}  // namespace tessera::record
