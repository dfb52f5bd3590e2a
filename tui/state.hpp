// What the person at the console has chosen and is doing: screens, cursors, filters, input, messages.
//
// A value without clock, curses or thread. It never points into the model: a cursor holds a row's id, so it
// follows its row while rows move, and derived rows are kept as positions that are checked when used.
// Threads: owned by the UI thread; draw() reads it, update() changes it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/insight/acknowledged.hpp"
#include "engine/insight/causes.hpp"
#include "engine/insight/totals.hpp"
#include "engine/insight/users.hpp"
#include "engine/model/details.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/planner.hpp"
#include "engine/query/filter.hpp"
#include "tui/guide_state.hpp"
#include "tui/language/words.hpp"
#include "tui/large_state.hpp"
#include "tui/run_state.hpp"
#include "tui/screens/layout/layout_state.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/usage_state.hpp"

namespace tessera::why {
struct Answer;
}

namespace tessera::tui {

struct AdviseState;
struct EventsShown;
struct FleetState;
struct GpuNotes;
struct PackState;

enum class ScreenKind : std::uint8_t {
  overview,
  nodes,
  gpus,
  slices,
  workloads,
  node,      // one node: its GPUs as placement maps
  workload,  // one workload: everything known about it
  layout,    // the layout editor
  facts,     // who says so, and how old is that: about a cluster, node, GPU, slice or workload
  log,
  help,
  about,
  plan,      // what a change would do, and the way to arm it
  messages,  // what the owners of disturbed work are told
  run,       // one run, from its journal
  journal,   // all runs
  guide,     // how to share a GPU: the flowchart and what follows from it
  doctor,    // what is wrong everywhere, by its cause
  users,     // who holds and waits for how much
  gpu,       // one GPU: its slices with ids and holders, what is wanted of it, what was done to it
  usage,     // who held how much for how long, from a recording
  waste,     // what was held or free for nothing
  pack,      // which GPUs to change for a demand of MIG slices, with what is proven of that
  fleet,     // what differs from the fleet file, and the calendar of its windows
  advise,    // which nodes to re-cut for what waits: answers along the trade-off
  count_
};
// What each of them is stands in tui/screens/screens.cpp.
bool is_table(ScreenKind kind);
std::string_view word(ScreenKind kind);  // "nodes": as in breadcrumbs and `:`

// A row as positions in the model's lists. Checked before every use, since the model moves on.
struct RowRef {
  std::uint32_t cluster = 0;
  std::uint32_t item = 0;  // node or workload
  std::uint32_t gpu = 0;   // kPool: the slice is in the node's pool
  std::uint32_t slice = 0;
  static constexpr std::uint32_t kPool = 0xffffffff;
  friend bool operator==(const RowRef&, const RowRef&) = default;
};

// The rows of a table after filter and sort. Worked out by update() when `key` or the revision differ.
struct DerivedRows {
  bool valid = false;
  std::uint64_t revision = 0;
  TimePoint at{};   // wall time of the work, so that huge lists are not sorted on every event
  std::string key;  // everything else that the rows depend on
  std::vector<RowRef> rows;
  std::size_t total = 0;      // before the filter
  std::vector<int> widths;    // cells that each column would like, from a sample of the rows
  std::string head;           // a sentence above the rows, in English; empty: none
  std::string head_unsure;    // what of it is not known; empty: nothing
  std::string head_then;      // when that was counted; empty: now
  std::string head_left_out;  // and what it leaves out; empty: nothing
  int plain_reason = 0;       // cells of the longest plain_reason() of that sample; 0: none
};

// Why the work of a page waits; worked out once for a revision of the model.
struct WhyView {
  std::uint64_t revision = 0;  // the model's and one; 0: never
  ClusterName cluster;
  std::string subject;
  std::shared_ptr<const why::Answer> answer;   // null: it does not wait
  std::vector<std::string> groups;             // its groups of nodes that are shown, by their folded names
  std::optional<TimePoint> at = std::nullopt;  // set: it is of then, from the planner's thread
};

// What was asked for one job or pod alone, as it was told last.
struct WorkDetails {
  ClusterName cluster;
  Details details;
};

struct Screen {
  ScreenKind kind = ScreenKind::overview;
  ClusterName cluster;  // tables: only this one; empty: all. Others: where the subject lives
  std::string subject;  // node: its name; workload: its id; facts: a row id; log: one node or workload
  // facts: the page that the subject has, a node's or a workload's; help: the screen asked about
  ScreenKind about = ScreenKind::node;

  std::string cursor;  // id of the row (or tile, finding) under the cursor; empty: the first
  int cursor_at = 0;   // where it was last: the place to stay when that row is gone
  int top = 0;         // first line shown
  int left = 0;        // columns scrolled away on the left

  // The place in the list before it was filtered, to come back to where nothing passed.
  struct Place {
    std::string cursor;
    int cursor_at = 0, top = 0;
  };
  std::optional<Place> before_filter;
  std::string filter_text;
  std::string opened_with;  // the filter that makes it this list: leaving it is leaving the screen
  query::Filter filter;
  std::string searched;  // the last filter, for n and N after it was cleared
  std::vector<query::Sort> sorts;
  std::optional<std::vector<int>> columns;  // chosen; nullopt: as wide as the terminal allows
  bool only_mine = false;
  std::set<std::string> marks;
  std::string range_from;          // the row at which a range of marks begins; empty: none does
  std::set<std::string> unfolded;  // events: the lines of several whose entries are shown one by one
  DerivedRows derived;
  std::optional<LayoutState> layout;  // of the layout editor
  WhyView why;                        // of a workload's page
  GuideState guide;
};

// One line of the list above the prompt.
struct Offer {
  std::string text;    // what stands in the line once it is taken; of a menu: the action's id
  std::string name;    // as it is shown and searched
  std::string help;    // one sentence, in English; empty: none
  std::string key;     // the key that does the same
  std::string reason;  // why it cannot be used here and now; empty: it can
  bool recent = false;
};

// The line at the bottom while something is typed.
enum class InputKind : std::uint8_t { none, filter, command, menu, arm };
struct InputLine {
  InputKind kind = InputKind::none;
  std::string text;
  std::size_t cursor = 0;  // byte offset, on a character boundary
  std::string error;       // why the text cannot be used as it stands
  std::string before;      // filter: the text to return to on Esc, and the place in the list
  std::string cursor_before;
  int cursor_at_before = 0;
  int top_before = 0;
  std::vector<std::string> completions;
  int chosen = -1;             // index into completions, or into offers where there are none; -1: none yet
  int top = 0;                 // the first line of that list when the mouse was last used on it
  std::vector<Offer> offers;   // for the text as it stands, the best first
  std::size_t offered_of = 0;  // of so many
  std::optional<std::string> offered_for;  // the text that they are for
  int history_at = -1;                     // -1: not walking through history
  std::string draft;                       // what was typed before walking
};

struct MessageLine {
  Severity severity = Severity::info;
  std::string text;
  TimePoint at{};
  bool sticky = false;  // errors stay until the next key
};

// A node of the mosaic: its GPUs in short form.
struct Strips {
  ClusterName cluster;
  std::string name;
  Health health = Health::unknown;
  insight::Access access = insight::Access::unknown;
  std::vector<std::string> gpus;
  std::vector<std::optional<double>> use;  // of each of them, in percent
  std::string pool;
};

// Nodes of one model or partition, where there are too many to show each: their slices, counted.
struct NodeGroup {
  ClusterName cluster;
  std::string name;
  std::string filter;  // shows them in the list of nodes
  int nodes = 0;
  int troubled = 0;  // of them: not healthy
  int gpus = 0;
  // held: by anyone; free: nothing of it is held, and it can be had now. The rest: closed or out of use.
  std::int64_t slices = 0, held = 0, free = 0, unknown = 0;
  std::int64_t in_part = 0;         // of those held: something more of it can be had now
  std::int64_t busy = 0, idle = 0;  // of those held as a whole, by the use of their GPU; the rest: not told
};

// Work that has waited for a GPU for long.
struct WaitingLong {
  ClusterName cluster;
  WorkloadId id;
  std::string user, asks, reason;
  TimePoint since{};
};

// The overview's sums, worked out by update() when the model's revision differs.
struct OverviewData {
  bool valid = false;
  std::uint64_t revision = 0;
  TimePoint at{};
  std::vector<insight::Totals> totals;            // one a cluster, in the model's order
  std::vector<std::string> sharing;               // the same: how its GPUs are shared; empty: not known
  std::vector<insight::Cause> causes;             // what is wrong; what was acknowledged last
  std::vector<insight::Finding> findings;         // one a cause, which stands for all of them
  std::map<std::string, std::size_t> finding_of;  // by the cause's id
  std::vector<std::string> cluster_ids;           // what the cursor holds on to
  std::vector<std::string> finding_ids;
  std::vector<Strips> mosaic;  // the first nodes, those in trouble before others, for the room that is left
  std::vector<NodeGroup> groups;  // in their place where there are too many
  std::vector<WaitingLong> waiting;
  std::vector<DemandRow> demand;  // most wanted first; empty while that of large clusters is counted
  bool demand_awaited = false;    // it is
};

// The sums by user, and by account where that is looked at, worked out by update() when the model's revision
// differs.
struct UsersData {
  bool valid = false;
  std::uint64_t revision = 0;
  TimePoint at{};
  std::vector<insight::UserSum> users;
  bool by_account = false;  // the screen of users shows accounts
  std::vector<insight::UserSum> accounts;
};

// A list of choices over the screen: columns to show, or the one to sort by.
enum class ChoiceKind : std::uint8_t { none, columns, sort };
struct Choice {
  ChoiceKind kind = ChoiceKind::none;
  int cursor = 0;
  int top = 0;  // the first line when the mouse was last used on it
};

// What the visible cells said last, to mark what changed since.
struct CellMemory {
  std::string scope;                                         // screen whose cells these are
  std::map<std::pair<std::string, int>, std::string> texts;  // (row id, column) -> text
  std::map<std::pair<std::string, int>, TimePoint> changed;  // until kChangedFor later
};
inline constexpr Duration kChangedFor{2000};

struct UiState {
  bool past = false;       // a recording is looked at: nothing can be changed
  bool from_live = false;  // and the live clusters are behind it
  double playing = 0;      // seconds of it that pass in one; 0: it stands still
  std::string no_past;     // why the past of the live clusters cannot be looked at; empty: it can
  Size size{80, 24};
  std::vector<Screen> stack{Screen{}};  // never empty; the last is shown
  std::vector<Screen> last_view;        // the stack before the last jump; empty: there was none
  InputLine input;
  MessageLine message;
  std::vector<LogEntry> said;  // warnings and failures of the message line, oldest first, at most kSaid
  static constexpr std::size_t kSaid = 200;
  Choice choice;
  OverviewData overview;
  UsersData users;
  UsageState usage;
  std::shared_ptr<const PackState> pack;               // of the pack screen; null: it was not opened yet
  std::shared_ptr<const FleetState> fleet;             // of the fleet screen; null: no file is named
  std::shared_ptr<const AdviseState> advise;           // of the advice screen; null: it was not opened yet
  LargeState large;                                    // worked out beside the keys
  std::shared_ptr<const EventsShown> events;           // of the events screen; null: not opened yet
  std::shared_ptr<const GpuNotes> gpu_notes;           // of GPU pages; null: none was drawn yet
  WhyView why_beside;                                  // of the waiting work whose page is beside a list
  std::shared_ptr<const WorkDetails> looked_into;      // null: nothing was asked for one job or pod
  std::vector<insight::Acknowledgement> acknowledged;  // findings, by this user
  CellMemory cells;
  std::map<ScreenKind, std::vector<query::Sort>> last_sorts;  // choices outlive a screen
  std::map<ScreenKind, std::optional<std::vector<int>>> last_columns;
  std::vector<std::string> history;                       // commands, oldest first, at most kHistory
  std::map<std::string, std::vector<std::string>> views;  // by name: the commands that open them
  static constexpr std::size_t kHistory = 100;

  std::string theme = "dark";
  std::vector<std::string> themes;  // names that `:theme` completes
  std::string me;                   // user name, for "only mine"; empty: not known
  std::vector<std::pair<std::string, std::string>>
      about;                      // facts for the about screen: version, files, terminal
  std::vector<std::string> keys;  // by Action: Keymap::all_shown ("j, Down"); empty: the default keys
  bool ascii = false;             // no box drawing, no blocks
  bool mouse = false;
  bool writable = false;                         // [RW]
  std::map<ClusterName, plan::Means> abilities;  // of the clusters that can be changed
  Language language = Language::en;
  WordsPtr words;                                   // of that language; null: English
  std::shared_ptr<const guide::Texts> guide_told;   // the guide in that language; null: as guide_texts
  std::shared_ptr<const guide::Texts> guide_texts;  // with the site's own flowchart; null: ours, once needed
  guide::SiteFacts site;
  std::optional<sharing::Platform> platform;  // set for this site
  plan::SiteRules rules;                      // what this site adds to what a cluster tells
  std::optional<PlanView> plan;               // on the plan screen
  std::optional<Arming> arming;               // a name is being typed, or was
  std::optional<std::string> resuming;        // the run for which a way on is being chosen
  RunsState runs;
  Leaving leaving = Leaving::no;
  bool wide = false;          // every column that fits, not only those for this width
  bool loading_left = false;  // Esc was pressed while the first load was under way

  Screen& top() { return stack.back(); }
  const Screen& top() const { return stack.back(); }
};

// Takes the texts of a language from the binary. Errors: they are broken, and all stays as it was.
Status set_language(UiState& state, Language language);
// A text in the reader's language.
std::string told(const UiState& state, std::string_view english);
// The guide's texts in the reader's language; those of the screen where it has none of its own.
const guide::Texts& guide_words(const UiState& state);

}  // namespace tessera::tui
