#include "tui/screens/events.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "engine/insight/folded.hpp"
#include "engine/model/tell.hpp"
#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/event_lines.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostRead = 5000;   // events that are looked at for a screen, newest first
constexpr std::size_t kMostShown = 1000;  // lines
constexpr int kDatedFrom = 100;           // cells from which a line has its date
constexpr std::size_t kNodesNamed = 4;

// Ids of single lines never begin like those of several.
std::string id_of(const LogEntry& entry) {
  return fmt::format("{}\x1f{}\x1f{}", entry.at.time_since_epoch().count(), entry.subject, entry.number);
}
// By the oldest, which stays while newer ones join.
std::string id_of(const insight::FoldedEvent& event) {
  return event.all.empty() ? id_of(*event.entry) : "several\x1f" + id_of(*event.all.back());
}

std::string key_of(const UiContext& ui, const UiState& state, const Screen& screen, int width) {
  std::string key =
      fmt::format("{} {} {} {} {} {} ", ui.model.told, ui.model.log.size(), ui.model.work_log.size(), width,
                  static_cast<int>(state.language), static_cast<int>(state.past));
  key += fmt::format("{} {} ", state.ascii,
                     state.said.empty() ? 0 : state.said.back().at.time_since_epoch().count());
  key += std::string(reads_events(ui.model) ? "reads " : "");
  key += fmt::format("{} {}\x1f{}\x1f{}\x1f", state.said.size(), screen.cluster.text, screen.subject,
                     screen.filter_text);
  for (const std::string& id : screen.unfolded) key += id + '\x1f';
  for (std::size_t i = 0; i < std::min<std::size_t>(state.runs.heads.size(), 50); ++i)
    key += fmt::format("{}{}{}", state.runs.heads[i].run, static_cast<int>(state.runs.heads[i].state),
                       state.runs.heads[i].last.time_since_epoch().count());
  return key;
}

int width_of(const UiState& state) { return list_beside_page(state.size.columns); }

// Where the parts of a line begin; cluster 0: there is only one.
struct EventColumns {
  int cluster = 0, subject = 0, text = 0;
};

bool tells_cluster(const LogEntry& entry) {
  return !entry.cluster.empty() && entry.subject != entry.cluster.text;
}

// What happened stands in one column, so that it is read down: names have what they need, up to a part.
EventColumns event_columns(const std::vector<insight::FoldedEvent>& events, bool clusters, int width) {
  constexpr int kTime = 8, kDated = 19, kSign = 5, kMostCluster = 12;
  int cluster = 0, subject = 0;
  for (std::size_t i = 0; i < std::min(kMostShown, events.size()); ++i) {
    const LogEntry& entry = *events[i].entry;
    cluster = std::max(cluster, std::min(display_width(entry.cluster.text), kMostCluster));
    if (events[i].all.empty() && (tells_cluster(entry) || !clusters))
      subject = std::max(subject, std::min(display_width(entry.subject), width / 5));
  }
  EventColumns at;
  int x = 1 + (width < kDatedFrom ? kTime : kDated) + kSign;
  if (clusters && cluster > 0) at.cluster = x, x += cluster + 2;
  at.subject = x;
  at.text = subject > 0 ? x + subject + 2 : x;
  return at;
}

// The column behind a line's last piece.
int end_of_pieces(const DocLine& line) {
  int x = 0;
  for (const Span& span : line.spans) x = std::max(x, span.at) + display_width(span.text);
  return x;
}

// Puts the lines of a screen together.
class Lines {
 public:
  Lines(const UiContext& ui, const UiState& state, const Screen& screen, int width)
      : ui_(ui), state_(state), screen_(screen), width_(width) {}

  EventsShown shown() {
    const std::deque<LogEntry> own = own_events(state_, ui_);
    const EventsFound found = find_events(ui_, state_, screen_, own, kMostRead);
    // Of one node or job each is worth a line: when, and what it held.
    const bool folds = screen_.subject.empty();
    std::size_t told = 0, lines = 0;
    std::vector<insight::FoldedEvent> events;
    if (folds)
      events = insight::folded(found.entries);
    else
      for (const LogEntry* entry : found.entries) events.push_back({entry});
    at_ = event_columns(events, ui_.model.clusters.size() > 1, width_);
    for (const insight::FoldedEvent& event : events) {
      if (++lines > kMostShown) break;
      told += std::max<std::size_t>(1, event.all.size());
      add(event);
    }
    if (told < found.all)
      out_.lines.push_back(
          {{{tui::told(state_, fmt::format("and {} older: {} narrows the list", found.all - told,
                                           first_key(state_, Action::filter))),
             Role::dim, 1}},
           {}});
    // Until then fewer are listed than there are, or none.
    if (reads_events(ui_.model))
      out_.lines.push_back(
          {{{tui::told(state_, "Older events of this moment are being read."), Role::dim, 1}}, {}});
    return std::move(out_);
  }

 private:
  void add(const insight::FoldedEvent& event) {
    if (event.all.empty()) return add(*event.entry, id_of(event), 0);
    const std::string id = id_of(event);
    const bool open = screen_.unfolded.contains(id);
    DocLine line = begun(*event.entry, id, 0);
    const std::string text = text_of_many(*event.entry, static_cast<int>(event.all.size()));
    line.spans.push_back(
        {state_.ascii ? (open ? "- " : "+ ") : (open ? "▾ " : "▸ "), Role::key, at_.subject});
    line.spans.push_back({tui::told(state_, text), Style(role_of(event.entry->severity)).with_bold()});
    line.spans.push_back({"  " + aside(event), Role::dim});
    out_.lines.push_back(std::move(line));
    out_.places[id] = {event.entry->cluster, {}, {}, text, true};
    if (open)
      for (const LogEntry* one : event.all) add(*one, id_of(*one), 2);
  }

  // "since 03:10, on n0001, n0002 and 4 more"
  std::string aside(const insight::FoldedEvent& event) const {
    std::set<std::string> nodes;
    for (const LogEntry* one : event.all)
      for (const NodeName& node : one->nodes) nodes.insert(node.text);
    std::string text = tui::told(state_, "since " + time_text(event.all.back()->at).substr(11));
    if (!nodes.empty()) text += ": " + tui::told(state_, some_of(nodes, kNodesNamed));
    return text;
  }

  DocLine begun(const LogEntry& entry, const std::string& id, int indent) const {
    std::string time = time_text(entry.at);
    if (width_ < kDatedFrom && time.size() > 11) time = time.substr(11);
    DocLine line{
        {{std::move(time), Role::dim, 1 + indent},
         {fmt::format("  {} ", sign_of(entry.severity)), Style(role_of(entry.severity)).with_bold()}},
        id};
    if (at_.cluster > 0 && tells_cluster(entry))
      line.spans.push_back({shorten(entry.cluster.text, at_.subject - at_.cluster - 2, state_.ascii) + "  ",
                            Role::dim, at_.cluster + indent});
    return line;
  }

  void add(const LogEntry& entry, const std::string& id, int indent) {
    DocLine line = begun(entry, id, indent);
    // A cluster that is the subject itself stands where clusters do.
    const bool of_cluster = at_.cluster > 0 && !tells_cluster(entry);
    const Style name = Style(Role::text).with_bold();
    if (!entry.subject.empty())
      line.spans.push_back({entry.subject + "  ", name, (of_cluster ? at_.cluster : at_.subject) + indent});
    line.spans.push_back({"", Role::text, (of_cluster ? at_.subject : at_.text) + indent});
    add_text(std::move(line), tui::told(state_, entry.text), role_of(entry.severity));
    out_.places[id] = place_of(entry);
  }

  // A text that is longer than its line goes on below: what was too long for the message line is read here.
  // Behind a name that leaves hardly any room all of it does.
  void add_text(DocLine line, const std::string& text, Role role) {
    constexpr int kLeastText = 30;
    int column = end_of_pieces(line);
    bool first = width_ - column >= kLeastText;
    if (!first) {
      column = std::max(1, std::min(at_.subject + 2, width_ - kLeastText));
      out_.lines.push_back(line);
    }
    for (std::string& piece : wrap(text, width_ - column - 1)) {
      if (first)
        line.spans.push_back({std::move(piece), role});
      else
        line = {{{std::move(piece), role, column}}, {}};
      out_.lines.push_back(line);
      first = false;
    }
    if (first) out_.lines.push_back(std::move(line));
  }

  EventPlace place_of(const LogEntry& entry) const {
    EventPlace place{
        entry.cluster, {}, {}, (entry.subject.empty() ? "" : entry.subject + ": ") + entry.text, false};
    const Cluster* cluster = ui_.model.find(entry.cluster);
    const bool of_many = entry.count > 1;  // none of them is the one to open
    place.named = (!entry.nodes.empty() && !of_many) || !entry.work.empty();
    if (!cluster) return place;
    if (cluster->workloads.find(entry.work)) place.work = entry.work.text;
    if (!of_many && !entry.nodes.empty() && cluster->nodes.find(entry.nodes.front()))
      place.node = entry.nodes.front().text;
    return place;
  }

  const UiContext& ui_;
  const UiState& state_;
  const Screen& screen_;
  int width_;
  EventColumns at_;
  EventsShown out_;
};

// A reader of older lines stays there when newer ones come in above; who reads the newest one stays with it.
void stay(Screen& screen, const Document& before, const Document& now) {
  const auto line_of = [&](const std::string& id) {
    return std::find_if(now.begin(), now.end(), [&](const DocLine& line) { return line.id == id; });
  };
  if (before.empty() || now.empty()) return;
  if (screen.top == 0 && screen.cursor == before.front().id) screen.cursor.clear();
  for (std::size_t at = static_cast<std::size_t>(screen.top); screen.top > 0 && at < before.size(); ++at) {
    if (before[at].id.empty()) continue;
    if (const auto found = line_of(before[at].id); found != now.end())
      screen.top = std::max(0, static_cast<int>(found - now.begin()) - static_cast<int>(at) + screen.top);
    break;
  }
}

const EventPlace* place_here(const UiState& state) {
  if (!state.events) return nullptr;
  const auto found = state.events->places.find(state.top().cursor);
  return found == state.events->places.end() ? nullptr : &found->second;
}

std::optional<Screen> page_of(const EventPlace& place) {
  if (place.node.empty() && place.work.empty()) return std::nullopt;
  Screen page;
  page.kind = place.work.empty() ? ScreenKind::node : ScreenKind::workload;
  page.cluster = place.cluster;
  page.subject = place.work.empty() ? place.node : place.work;
  return page;
}

}  // namespace

void refresh_events(UiState& state, Screen& screen, const UiContext& ui) {
  if (&screen != &state.top()) return;
  const int width = width_of(state);
  std::string key = key_of(ui, state, screen, width);
  if (state.events && state.events->key == key) return;
  auto shown = std::make_shared<EventsShown>(Lines(ui, state, screen, width).shown());
  shown->key = std::move(key);
  shown->view = screen.cluster.text + '\x1f' + screen.subject + '\x1f' + screen.filter_text;
  if (state.events && state.events->view == shown->view) stay(screen, state.events->lines, shown->lines);
  state.events = std::move(shown);
}

Document events_document(const UiContext& ui, const UiState& state, int width) {
  if (state.events && state.events->key == key_of(ui, state, state.top(), width)) return state.events->lines;
  return Lines(ui, state, state.top(), width).shown().lines;
}

bool reads_events(const Model& model) {
  return std::any_of(model.clusters.begin(), model.clusters.end(),
                     [](const Cluster& cluster) { return cluster.recorded && cluster.progress; });
}

std::string_view why_no_events(const Screen& screen) {
  return screen.filter_text.empty() ? "Nothing has happened yet." : "No event matches the filter.";
}

Effects open_on_events(UiState& state, const UiContext&) {
  const EventPlace* place = place_here(state);
  if (!place) return {};
  std::set<std::string>& unfolded = state.top().unfolded;
  if (!place->folded) {
    if (std::optional<Screen> page = page_of(*place)) push(state, std::move(*page));
  } else if (!unfolded.erase(state.top().cursor)) {
    unfolded.insert(state.top().cursor);
  }
  return {};
}

std::string why_no_open_on_events(const UiState& state, const UiContext&) {
  const EventPlace* place = place_here(state);
  if (!place) return "there is no event to open";
  if (place->folded || page_of(*place)) return "";
  return place->named ? "what this event is about is not listed any more"
                      : "this event is about no node, job or pod";
}

bool has_lines_beside_events(const UiState& state, const UiContext&) { return place_here(state) != nullptr; }

Document lines_beside_events(const UiContext&, const UiState& state, int width) {
  const EventPlace* place = place_here(state);
  if (!place) return {};
  FactPage page(state, width);
  page.heading("EVENT");
  if (!place->cluster.empty()) page.data(page.told("cluster"), place->cluster.text);
  for (const std::string& line : page.wrapped(page.told(place->text), 1))
    page.add({{{line, Role::text, 1}}, {}});
  page.blank();
  const std::string key = first_key(state, Action::open);
  const bool open = state.top().unfolded.contains(state.top().cursor);
  const std::string why = place->folded && open ? fmt::format("{} shows them as one line again", key)
                          : place->folded       ? fmt::format("{} shows them one by one", key)
                          : place->named        ? "What this is about is not listed any more."
                                                : "This is about no node, job or pod.";
  page.add({{{page.told(why), Role::dim, 1}}, {}});
  return page.take();
}

std::optional<Screen> page_beside_events(const UiState& state, const UiContext&) {
  const EventPlace* place = place_here(state);
  return place ? page_of(*place) : std::nullopt;
}

std::string copy_on_events(const UiState& state, const UiContext&) {
  const EventPlace* place = place_here(state);
  return place ? place->text : std::string();
}

std::optional<Screen> events_of_here(const UiState& state, const UiContext& ui) {
  const std::optional<Screen> page = subject_here(state, ui);
  if (!page) return std::nullopt;
  Screen events;
  events.kind = ScreenKind::log;
  events.cluster = page->cluster;
  events.about = page->kind;
  events.subject = page->subject;
  return events;
}

std::vector<EventLine> latest_events(const UiContext& ui, const UiState& state, std::size_t most) {
  constexpr std::size_t kEach = 16;  // events looked at for each line that is wanted
  std::vector<const LogEntry*> newest;
  auto log = ui.model.log.rbegin(), work = ui.model.work_log.rbegin();
  while (newest.size() < most * kEach && (log != ui.model.log.rend() || work != ui.model.work_log.rend())) {
    const bool of_nodes =
        work == ui.model.work_log.rend() || (log != ui.model.log.rend() && log->at > work->at);
    newest.push_back(of_nodes ? &*log++ : &*work++);
  }
  std::vector<EventLine> lines;
  for (const insight::FoldedEvent& event : insight::folded(newest)) {
    if (lines.size() == most) break;
    const std::string text = event.all.empty()
                                 ? event.entry->text
                                 : text_of_many(*event.entry, static_cast<int>(event.all.size()));
    lines.push_back({event.entry, event.all.empty() ? event.entry->subject : "", told(state, text)});
  }
  return lines;
}

}  // namespace tessera::tui
