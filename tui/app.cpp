#include "tui/app.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <type_traits>
#include <utility>

#include "engine/plan/run/actuator.hpp"
#include "engine/record/archive.hpp"
#include "engine/record/leader.hpp"
#include "engine/record/player.hpp"
#include "tui/fleet_orders.hpp"
#include "tui/kept_figures.hpp"
#include "tui/looks.hpp"
#include "tui/packer.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/time_bar.hpp"
#include "tui/screens/pages/charts.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/terminal/utf8.hpp"
#include "tui/update.hpp"
#include "tui/usage_reading.hpp"
#include "tui/view.hpp"
#include "tui/world.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kFrame{33};           // the least time between two frames without a key
constexpr Duration kTickFloor{10};       // a view that asks for ticks without end gets no more than this
constexpr Duration kIdleAfter{120'000};  // no key: the clusters are asked less often
constexpr Duration kDoublePress{400};
constexpr Duration kLongest{60'000};
constexpr Duration kLongHold{1000};   // only a paste is held back so long
constexpr std::uint64_t kTyped = 16;  // bytes of one read that a person may have typed

// Over a slow line Esc and the next key arrive together and look like Alt with that key. Keys that have
// sequences of their own tell of Alt in them, so these are what was pressed.
bool after_escape(const Key& pressed) {
  if (!pressed.alt || pressed.control) return false;
  return pressed.named == Named::none || pressed.named == Named::enter || pressed.named == Named::tab ||
         pressed.named == Named::backspace;
}

// The past of the live clusters: kept once it was asked for, so that going to and fro costs nothing.
struct Past {
  std::vector<BackendPtr> backends;
  World world;
};

}  // namespace

struct App::Parts {
  AppParts with;
  AppOptions options;
  Clocks clocks;
  World live;
  std::optional<Past> past;
  UsageReading reading;
  std::optional<ClusterName> lead;  // goes through its recording, and the others follow
  std::optional<TimePoint> led_to;  // where they went last
  UiState state;
  Canvas canvas{Size{}};
  std::string theme;  // the one that is shown

  KeptFigures kept_figures;
  Looks looks;
  std::unique_ptr<Packer> packer = std::make_unique<Packer>(options.fleet_sources);
  std::unique_ptr<FleetOrders> fleet_orders = std::make_unique<FleetOrders>(options.fleet);
  std::optional<TimePoint> tick_at;  // when the picture changes by itself, as the views said last
  bool changed = true;               // the picture may differ from what is shown
  bool status_moved = false;         // the line may that tells how fresh it is
  std::string shown_text;            // what it says
  bool urgent = true;                // a user waits for it
  bool leaving = false;
  bool hung_up = false;  // no one can type or see anything any more
  int status = 0;
  Duration drawn_at{-1'000'000};
  Duration ticked_at{-1'000'000};
  Duration typed_at{};
  Pace pace = Pace::focused;
  std::optional<Duration> held_until;  // the terminal holds back half a sequence
  Duration held_for{};                 // so long, as it said last
  std::optional<std::pair<Mouse, Duration>> last_press;
  std::string reported;  // the last idle line

  bool looks_back() const { return past && state.past; }
  World& world() { return looks_back() ? past->world : live; }
  const World& world() const { return looks_back() ? past->world : live; }
  UiContext ui() const { return UiContext{world().model, with.catalogue, clocks.wall(), &world().history}; }

  void send(const Message& message) {
    const Effects effects = update(state, ui(), message);
    changed = true;
    obey(effects);
  }

  void obey(const Effects& effects) {
    if (effects.quit) leaving = true;
    if (effects.refresh) {
      for (const BackendPtr& backend : with.backends) backend->refresh();
      state.usage.wanted_again = true;
      state.usage.asked = reads_past(state) && !state.past;
    }
    if (effects.repaint) with.terminal.forget();
    if (effects.mouse) with.terminal.set_mouse(*effects.mouse);
    if (effects.copy)
      if (Status sent = with.terminal.copy(*effects.copy); !sent) complain(sent.error());
    if (effects.ring) with.terminal.ring(*effects.ring);
    if (effects.theme) show_theme(*effects.theme);
    if (effects.acknowledge && options.acknowledge)
      if (Status kept = options.acknowledge(*effects.acknowledge); !kept) complain(kept.error());
    if (effects.fleet) fleet_orders->add(*effects.fleet);
    if (effects.suspend) suspend();
    for (const RunOrder& order : effects.orders) ask(order);
    if (effects.time) move_in_time(*effects.time);
  }

  // --- the past

  void move_in_time(const TimeMove& move) {
    const bool searches = !move.live && !move.to && !move.speed;
    lead.reset(), led_to.reset();
    if (move.live) return show_live();
    if (!state.past && move.to) return go_back(*move.to);
    if (searches) lead = leader(move.events != 0 ? move.events : move.rounds);
    for (const BackendPtr& backend : played()) {
      record::Player* player = backend->player();
      if (!player || (searches && backend->name() != *lead)) continue;
      if (move.to)
        player->jump(*move.to);
      else if (move.speed)
        player->play(*move.speed);
      else if (move.events != 0)
        player->seek(move.events, move.node);
      else
        player->step(move.rounds);
    }
  }

  std::span<const BackendPtr> played() const {
    return past ? std::span<const BackendPtr>(past->backends) : with.backends;
  }

  // The cluster whose rounds and events are gone through that way; where none is recorded, one that says so.
  ClusterName leader(int direction) const {
    std::vector<ClusterName> names = cluster_names(played());
    const ClusterName& shown = state.top().cluster;
    if (!shown.empty()) names.insert(names.begin(), shown);
    return record::leader(world().model, names, direction, clocks.wall());
  }

  // The others go where the leader has come to, so that all show one moment: also when an order of before is
  // carried out behind a later one. What plays moves by itself.
  void follow_lead(const Event& event) {
    if (!lead || event.cluster != *lead || !std::holds_alternative<Recorded>(event.what)) return;
    if (led_to != event.at)
      for (const BackendPtr& backend : played())
        if (record::Player* player = backend->player(); player && backend->name() != *lead)
          player->jump(event.at);
    led_to = event.at;
    if (state.playing > 0) lead.reset();
  }

  // nullopt: now is shown, or nothing of the past yet.
  std::optional<TimePoint> moment_shown() const {
    if (!state.past) return std::nullopt;
    return moment_of(clusters_of(state.top(), world().model), clocks.wall());
  }

  // The live clusters are asked meanwhile at the pace of an idle console.
  void go_back(TimePoint at) {
    if (!past) {
      if (Status opened = open_past(at); !opened) return complain(opened.error());
    } else {
      for (const BackendPtr& backend : past->backends)
        if (record::Player* player = backend->player()) player->jump(at);
    }
    past->world.follow(live);
    if (pace != Pace::idle) set_pace(Pace::idle);
    send(OtherWorld{true});
  }

  Status open_past(TimePoint at) {
    const std::vector<ClusterName> names = cluster_names(with.backends);
    auto opened = with.archive->open(names, at);
    if (!opened) return opened.error();
    past.emplace();
    past->backends = std::move(*opened);
    for (const ClusterName& name : names) past->world.expect(name);
    for (const BackendPtr& backend : past->backends) backend->start(with.archive->sink());
    return Done{};
  }

  void show_live() {
    if (!past) return;
    for (const BackendPtr& backend : past->backends)
      if (record::Player* player = backend->player()) player->play(0);
    live.follow(past->world);
    send(OtherWorld{false});
    seen(clocks.steady());
  }

  // --- runs

  void ask(const RunOrder& order) {
    if (with.runs) return std::visit([this](const auto& one) { ask(*with.runs, one); }, order);
    if (std::holds_alternative<ParkRuns>(order)) return send(RunNews{RunsAtRest{}});
    if (std::holds_alternative<ListRuns>(order)) return;
    send(RunNews{RunRefused{
        "",
        {"nothing can be changed from here", "this console has no folder for the journals of runs", ""}}});
  }
  static void ask(plan::Runs& runs, const StartRun& order) { runs.start(order.plan, order.undoes); }
  static void ask(plan::Runs& runs, const ResumeRun& order) {
    runs.resume(order.run, {order.onward, order.accept_harm, false, false, order.seen});
  }
  static void ask(plan::Runs& runs, const DemandOfRun& order) {
    runs.demand(order.run, order.node, order.what, "");
  }
  static void ask(plan::Runs& runs, const AnswerRun& order) {
    runs.answer(order.run, order.node, order.what, order.go_on);
  }
  static void ask(plan::Runs& runs, const ReadRun& order) { runs.read(order.run); }
  static void ask(plan::Runs& runs, const ListRuns&) { runs.list(); }
  static void ask(plan::Runs& runs, const ParkRuns& order) { runs.park_all(order.why); }

  // News of runs; false: the event is about a cluster.
  bool take_news(Event& event) {
    return std::visit(
        [this](auto& what) {
          using What = std::decay_t<decltype(what)>;
          if constexpr (std::is_constructible_v<decltype(RunNews::what), What&&>) {
            urgent = true;
            send(RunNews{std::move(what)});
            return true;
          }
          return false;
        },
        event.what);
  }

  void complain(const Error& error) { send(Notice{Severity::warning, to_line(error)}); }

  void show_theme(const std::string& name) {
    auto read = load_theme(name, options.theme_directories);
    if (read) {
      theme = name;
      with.terminal.set_theme(*read);
    }
    state.theme = theme;
    if (!read) complain(read.error());
  }

  void suspend() {
    with.terminal.suspend();
    // The SIGCONT that brought us back asks for nothing more.
    if (const auto ended = with.signals.take().ended) end_by(*ended);
    take_size();
  }

  void end_by(int signal) {
    status = 128 + signal;
    send(Ending{signal == SIGHUP ? "the terminal went away" : "tessera was asked to end"});
  }

  void take_size() {
    with.terminal.resized();
    urgent = true;
    send(Resize{with.terminal.size()});
  }

  // --- keys

  void key(const Key& pressed) {
    const std::vector<Scope> where = scopes(state);
    if (const auto action = with.keymap.lookup(where, pressed)) return send(ActionMessage{*action});
    if (wants_text(state)) return type(pressed);
    if (after_escape(pressed)) {
      Key plain = pressed;
      plain.alt = false;
      key({0, Named::escape, false, false});
      return key(plain);
    }
    send(UnknownKey{to_text(pressed)});
  }

  void type(const Key& pressed) {
    if (pressed.named == Named::none && !pressed.control && !pressed.alt) {
      TextInput text;
      append_utf8(text.character, pressed.character);
      return send(text);
    }
    constexpr Scope kGlobal[] = {Scope::global};
    const auto action = with.keymap.lookup(kGlobal, pressed);
    if (action && works_while_typing(*action)) send(ActionMessage{*action});
  }

  bool overlaid() const {
    return state.input.kind != InputKind::none || state.choice.kind != ChoiceKind::none;
  }

  void mouse(Mouse event) {
    const Duration now = clocks.steady();
    if (event.kind == Mouse::Kind::press) {
      const bool again = last_press && last_press->first.x == event.x && last_press->first.y == event.y &&
                         now - last_press->second < kDoublePress;
      last_press.reset();
      if (again)
        event.kind = Mouse::Kind::double_press;
      else
        last_press = {event, now};
    }
    const bool lay_over = overlaid();
    send(event);
    // The second click on a list or a line that the first one has closed is not meant for what lies below.
    if (lay_over && !overlaid()) last_press.reset();
  }

  void input(Input& event) {
    urgent = true;
    if (const auto* pressed = std::get_if<Key>(&event)) return key(*pressed);
    if (auto* paste = std::get_if<Paste>(&event)) return send(std::move(*paste));
    if (const auto* click = std::get_if<Mouse>(&event)) return mouse(*click);
    // The window came to the front: the same as a key as far as the pace goes, and nothing else.
  }

  void take_input(bool readable) {
    std::vector<Input> events;
    const std::uint64_t read_before = with.terminal.bytes_read();
    if (readable) events = with.terminal.read();
    // A paste comes in a stream; a person who types into one whose end got lost must not keep it open.
    const bool streams = with.terminal.bytes_read() - read_before > kTyped;
    const Duration now = clocks.steady();
    if (events.empty() && !readable && held_until && now >= *held_until) events = with.terminal.expire();
    if (!events.empty()) {
      const bool away = std::all_of(events.begin(), events.end(), [](const Input& event) {
        const auto* focus = std::get_if<Focus>(&event);
        return focus && !focus->gained;
      });
      if (!away) seen(now);
    }
    if (!events.empty()) show_changes();
    for (Input& event : events) {
      if (leaving) break;
      input(event);
    }
    const auto wait = with.terminal.waiting();
    const bool goes_on = readable && wait && (streams || *wait != held_for || *wait < kLongHold);
    if (!wait)
      held_until.reset();
    else if (goes_on || !held_until)
      held_until = now + *wait;
    held_for = wait.value_or(Duration{0});
    if (with.terminal.ended() && !hung_up) {
      hung_up = true;
      send(Ending{"the terminal went away"});
    }
  }

  // --- pace

  void seen(Duration now) {
    typed_at = now;
    if (pace == Pace::focused || looks_back()) return;
    set_pace(Pace::focused);
    for (const BackendPtr& backend : with.backends) backend->refresh();
  }

  void set_pace(Pace to) {
    pace = to;
    for (const BackendPtr& backend : with.backends) backend->set_pace(to);
  }

  // --- events, signals, time

  void take_events() {
    const auto before = world().loaded();
    for (Event& event : with.events.take()) {
      follow_lead(event);
      if (!take_news(event)) live.learn(std::move(event));
    }
    for (WorkDetails& one : looks.take()) send(DetailsTold{std::move(one)});
    if (const auto answer = packer->take()) urgent = true, send(*answer);
    while (const auto told = fleet_orders->take())
      urgent = urgent || told->file || told->failure, send(*told);
    take_past_events();
    if (KeptFigures::take(live, with.backends)) changed = true;
    if (past && KeptFigures::take(past->world, past->backends)) changed = true;
    World& shown = world();
    if (shown.model.revision != shown.shown_revision) changed = true;
    if (shown.model.status != shown.shown_status) status_moved = true;
    shown.shown_status = shown.model.status;
    if (shown.loaded() != before) urgent = true;  // the first full picture is what people wait for
    // A backend learns what it can do as it reads: the settings of an operator, a site's files.
    for (const BackendPtr& backend : with.backends)
      if (plan::Actuator* hand = backend->actuator()) state.abilities[backend->name()] = hand->means();
  }

  void take_past_events() {
    if (!with.archive) return;
    std::vector<Event> events = with.archive->events().take();
    if (!events.empty() && (looks_back() || state.usage.part)) urgent = true;  // a person waits for it
    for (Event& event : events) {
      if (event.cluster.empty() || !past) continue;
      follow_lead(event);
      past->world.learn(std::move(event));
    }
    if (auto now = with.archive->added_up()) send(UsageTold{std::move(*now)});
  }

  // Of nodes whose page, or whose charts, are on screen more is kept.
  void watch_nodes() {
    const Screen& screen = state.top();
    std::vector<NodeName> nodes = charted_nodes(world().model, screen);
    if (screen.kind == ScreenKind::node) nodes = {NodeName(screen.subject)};
    world().watch(screen.cluster, nodes);
  }

  // Of the work or GPU whose page is shown more is asked than the lists hold.
  void look_into() {
    if (!looks_back()) looks.follow(with.backends, live.model, state.top(), clocks.steady());
  }

  // Sums and sorted rows follow the model once a frame, not once an event.
  void show_changes() {
    World& shown = world();
    if (shown.model.revision == shown.shown_revision) return;
    shown.shown_revision = shown.model.revision;
    send(ModelChanged{});
  }

  void take_signals() {
    const Signals::Taken taken = with.signals.take();
    if (taken.ended) return end_by(*taken.ended);
    if (taken.stop) suspend();
    if (taken.continued && !taken.stop) {
      with.terminal.resumed();
      take_size();
    } else if (taken.resized) {
      take_size();
    }
  }

  void tick() {
    const Duration now = clocks.steady();
    if (pace == Pace::focused && now - typed_at >= kIdleAfter) set_pace(Pace::idle);
    const bool due = tick_at && *tick_at <= clocks.wall() && now - ticked_at >= kTickFloor;
    if (!due && now - ticked_at < kLongest) return;
    ticked_at = now;
    send(Tick{});
  }

  // Asked once everything else is done; the answer is always in the future.
  void ask_next_tick() { tick_at = next_tick(state, ui()); }

  // An idle cluster costs no frame: where sources answer as before, one line at most is drawn.
  void follow_status() {
    if (!std::exchange(status_moved, false) || changed || hung_up) return;
    if (row_of(state).shows_sources) {
      changed = true;
      return;
    }
    if (std::string text = status_text(ui(), state); text != shown_text) {
      shown_text = std::move(text);
      draw_status(ui(), state, canvas);
      with.terminal.present(canvas);
    }
  }

  void draw_if_due() {
    const Duration now = clocks.steady();
    follow_status();
    if (!changed || (!urgent && now - drawn_at < kFrame)) return;
    show_changes();
    watch_nodes();
    kept_figures.follow(state.top(), world(), looks_back() ? played() : with.backends, clocks.wall());
    look_into();
    reading.follow(state, with.archive, with.backends, moment_shown(), with.catalogue);
    packer->follow(state);
    if (canvas.size() != state.size) canvas = Canvas(state.size);
    draw(ui(), state, canvas);
    with.terminal.present(canvas);
    shown_text = status_text(ui(), state);
    drawn_at = now;
    changed = urgent = false;
  }

  // How long nothing will happen by itself.
  Duration patience() const {
    const Duration now = clocks.steady();
    Duration out = kLongest;
    const auto until = [&out](Duration left) { out = std::clamp(left, Duration{0}, out); };
    if (changed && !hung_up) until(drawn_at + kFrame - now);
    if (held_until) until(*held_until - now);
    if (pace == Pace::focused) until(typed_at + kIdleAfter - now);
    until(ticked_at + kLongest - now);
    if (tick_at) {
      const auto left = std::chrono::duration_cast<Duration>(*tick_at - clocks.wall());
      until(std::max(left, ticked_at + kTickFloor - now));
    }
    return out;
  }

  int past_fd() const { return with.archive ? with.archive->events().wake_fd() : -1; }

  void report_idle() {
    if (!options.idle_fd || changed || held_until || state.usage.part || packer->busy()) return;
    if (fleet_orders->busy()) return;
    pollfd waiting[] = {{with.terminal.input_fd(), POLLIN, 0},
                        {with.events.wake_fd(), POLLIN, 0},
                        {with.signals.fd(), POLLIN, 0},
                        {past_fd(), POLLIN, 0}};
    if (poll(waiting, 4, 0) != 0) return;
    const std::size_t loading = world().model.clusters.size() - world().loaded();
    std::string line = std::to_string(loading) + ' ' + std::to_string(with.terminal.bytes_read()) + ' ' +
                       std::to_string(with.signals.resizes()) + ' ' +
                       std::to_string(with.terminal.bytes_written()) + '\n';
    if (line == reported) return;
    reported = line;
    while (write(*options.idle_fd, line.data(), line.size()) < 0 && errno == EINTR) {
    }
  }
};

App::App(AppParts parts, UiState state, AppOptions options, Clocks clocks)
    : parts_(std::make_unique<Parts>(Parts{parts, std::move(options), std::move(clocks)})) {
  Parts& p = *parts_;
  p.state = std::move(state);
  p.theme = p.state.theme;
  p.typed_at = p.clocks.steady();
  p.ticked_at = p.typed_at;
  for (const BackendPtr& backend : p.with.backends) p.live.expect(backend->name());
  p.state.past = std::any_of(p.with.backends.begin(), p.with.backends.end(),
                             [](const BackendPtr& backend) { return backend->player() != nullptr; });
  if (p.with.archive) p.state.usage.sources = p.with.archive->sources();
  if (!has_recording(p.state.usage) && p.state.no_past.empty()) p.state.no_past = no_recorder();
  p.state.runs.available = p.with.runs != nullptr;
  p.send(Resize{p.with.terminal.size()});
  if (p.with.runs) p.with.runs->list();
  p.draw_if_due();
  p.ask_next_tick();
}

App::~App() = default;

const Model& App::model() const { return parts_->world().model; }
const UiState& App::state() const { return parts_->state; }

bool App::turn(std::optional<Duration> limit) {
  Parts& p = *parts_;
  p.report_idle();
  const Duration patience = limit ? std::min(*limit, p.patience()) : p.patience();
  // A terminal that is gone would wake us for ever.
  pollfd fds[] = {{p.hung_up ? -1 : p.with.terminal.input_fd(), POLLIN, 0},
                  {p.with.events.wake_fd(), POLLIN, 0},
                  {p.with.signals.fd(), POLLIN, 0},
                  {p.past_fd(), POLLIN, 0},
                  {p.packer->wake_fd(), POLLIN, 0},
                  {p.fleet_orders->wake_fd(), POLLIN, 0}};
  if (poll(fds, 6, static_cast<int>(patience.count())) < 0 && errno != EINTR) return false;
  if (fds[2].revents != 0 || p.with.signals.ending()) p.take_signals();
  if (!p.leaving) p.take_input(fds[0].revents != 0);
  const auto woken = [&fds](int i) { return fds[i].revents != 0; };
  if (!p.leaving && (woken(1) || woken(3) || woken(4) || woken(5))) p.take_events();
  if (!p.leaving) p.tick();
  if (!p.leaving && !p.hung_up) p.draw_if_due();
  if (!p.leaving) p.ask_next_tick();
  return !p.leaving;
}

int App::run() {
  while (turn(std::nullopt)) {
  }
  return parts_->status;
}

}  // namespace tessera::tui
