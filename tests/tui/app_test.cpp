// The loop with a terminal made of a pipe: keys in, canvases out, and a clock that the test turns.
#include "tui/app.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>

namespace tessera::tui {
namespace {

class PipeTerminal final : public Terminal {
 public:
  PipeTerminal() { EXPECT_EQ(pipe(fds_), 0); }
  ~PipeTerminal() override {
    close(fds_[0]);
    hang_up();
  }

  void type(std::string_view keys) { EXPECT_EQ(write(fds_[1], keys.data(), keys.size()), std::ssize(keys)); }
  void hang_up() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }

  Size size() const override { return now; }
  void present(const Canvas& canvas) override {
    ++frames;
    shown = canvas.text();
  }
  void forget() override { ++forgotten; }
  void set_theme(const Theme& theme) override { themes.push_back(theme.name()); }
  int input_fd() const override { return fds_[0]; }
  std::vector<Input> read() override {
    char bytes[4096];
    const ssize_t got = ::read(fds_[0], bytes, sizeof bytes);
    if (got <= 0) {
      ended_ = true;
      return {};
    }
    read_ += static_cast<std::uint64_t>(got);
    return decoder_.feed({bytes, static_cast<std::size_t>(got)});
  }
  std::optional<Duration> waiting() const override { return decoder_.waiting(); }
  std::vector<Input> expire() override { return decoder_.expire(); }
  bool ended() const override { return ended_; }
  void resized() override {}
  void set_mouse(bool on) override { mouse = on; }
  Status copy(std::string_view text) override {
    if (refuse_copy) return Error{"cannot copy", "this terminal has no clipboard", ""};
    copied = text;
    return Done{};
  }
  void suspend() override { ++suspended; }
  void resumed() override { ++resumed_; }
  std::uint64_t bytes_read() const override { return read_; }
  std::uint64_t bytes_written() const override { return 0; }

  Size now{100, 30};
  int frames = 0, forgotten = 0, suspended = 0, resumed_ = 0;
  bool mouse = false, refuse_copy = false;
  std::string shown, copied;
  std::vector<std::string> themes;

 private:
  int fds_[2] = {-1, -1};
  bool ended_ = false;
  std::uint64_t read_ = 0;
  Decoder decoder_;
};

class Events final : public EventSource {
 public:
  Events() : fd_(eventfd(0, EFD_NONBLOCK)) {}
  ~Events() override { close(fd_); }
  void post(Event event) {
    waiting_.push_back(std::move(event));
    eventfd_write(fd_, 1);
  }
  int wake_fd() const override { return fd_; }
  std::vector<Event> take() override {
    eventfd_t value = 0;
    eventfd_read(fd_, &value);
    return std::exchange(waiting_, {});
  }

 private:
  int fd_;
  std::vector<Event> waiting_;
};

class Watched final : public Backend {
 public:
  struct Log {
    std::vector<Pace> paces;
    int refreshed = 0;
  };
  explicit Watched(Log& log) : log_(log) {}
  ClusterName name() const override { return ClusterName("hpc"); }
  void start(EventSink&) override {}
  void set_pace(Pace pace) override { log_.paces.push_back(pace); }
  void refresh() override { ++log_.refreshed; }

 private:
  Log& log_;
};

class AppTest : public testing::Test {
 protected:
  AppTest() { backends_.push_back(std::make_unique<Watched>(log)); }

  App& app() {
    if (!app_) {
      UiState state;
      state.themes = {"dark", "light", "mono"};
      app_ = std::make_unique<App>(AppParts{terminal, events, backends_, catalogue_, keymap_, signals_},
                                   state, AppOptions{},
                                   Clocks{[this] { return TimePoint{} + wall; }, [this] { return steady; }});
    }
    return *app_;
  }
  // One turn that does not wait.
  bool turn() { return app().turn(Duration{0}); }
  bool press(std::string_view keys) {
    app();
    terminal.type(keys);
    return turn();
  }
  void pass(Duration time) {
    wall += time;
    steady += time;
  }
  Event seen(std::string name) {
    Node node;
    node.name = NodeName(std::move(name));
    return Event{ClusterName("hpc"), 1, TimePoint{} + wall, NodeSeen{std::move(node)}};
  }
  ScreenKind screen() { return app().state().top().kind; }

  Duration wall{std::chrono::hours(24 * 365 * 50)};
  Duration steady{1'000'000};
  PipeTerminal terminal;
  Events events;
  Watched::Log log;

 private:
  std::vector<BackendPtr> backends_;
  mig::Catalogue catalogue_;
  Keymap keymap_;
  Signals signals_;
  std::unique_ptr<App> app_;
};

TEST_F(AppTest, TheFirstPictureComesBeforeAnyData) {
  app();
  EXPECT_EQ(terminal.frames, 1);
  EXPECT_FALSE(terminal.shown.empty());
}

TEST_F(AppTest, AClusterIsKnownByNameBeforeItHasSaidAnything) {
  ASSERT_EQ(app().model().clusters.size(), 1u);
  EXPECT_EQ(app().model().clusters[0].name, ClusterName("hpc"));
  EXPECT_NE(terminal.shown.find("hpc"), std::string::npos) << terminal.shown;
}

TEST_F(AppTest, TheFirstFullPictureDoesNotWaitForTheNextFrame) {
  app();
  events.post(seen("n0001"));
  turn();
  EXPECT_EQ(terminal.frames, 1);
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
  turn();
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, AKeyIsPaintedInTheSameTurn) {
  ASSERT_TRUE(press("2"));
  EXPECT_EQ(screen(), ScreenKind::nodes);
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, ManyKeysAtOnceAreOnePicture) {
  ASSERT_TRUE(press("2345"));
  EXPECT_EQ(screen(), ScreenKind::workloads);
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, NothingHappensMeansNoPicture) {
  app();
  for (int i = 0; i < 10; ++i) turn();
  EXPECT_EQ(terminal.frames, 1);
}

TEST_F(AppTest, AStormOfEventsIsDrawnThirtyTimesASecond) {
  app();
  pass(Duration{1000});
  const int before = terminal.frames;
  for (int millisecond = 0; millisecond < 1000; ++millisecond) {
    events.post(seen("n" + std::to_string(millisecond)));
    turn();
    pass(Duration{1});
  }
  EXPECT_LE(terminal.frames - before, 32);
  EXPECT_GE(terminal.frames - before, 25);
  EXPECT_EQ(app().model().clusters.at(0).nodes.size(), 1000u);
}

TEST_F(AppTest, AKeyInAStormDoesNotWaitForTheNextFrame) {
  app();
  pass(Duration{1000});
  events.post(seen("n1"));
  turn();
  events.post(seen("n2"));
  const int before = terminal.frames;
  press("2");
  EXPECT_EQ(terminal.frames, before + 1);
}

TEST_F(AppTest, AsTimeGoesByThePictureFollows) {
  press("j");
  const int before = terminal.frames;
  pass(Duration{30'000});
  turn();
  EXPECT_EQ(terminal.frames, before + 1) << "time went by, and the views were asked again";
  turn();
  EXPECT_EQ(terminal.frames, before + 1);
}

TEST_F(AppTest, AMessageFadesWhenItsTimeIsUp) {
  press("\x12");
  ASSERT_NE(terminal.shown.find("asked for fresh data"), std::string::npos);
  pass(Duration{5'000});
  turn();
  EXPECT_NE(terminal.shown.find("asked for fresh data"), std::string::npos);
  pass(Duration{1'001});
  turn();
  EXPECT_EQ(terminal.shown.find("asked for fresh data"), std::string::npos) << terminal.shown;
}

TEST_F(AppTest, QuittingLeavesTheLoop) {
  EXPECT_FALSE(press("q"));
  EXPECT_EQ(app().run(), 0);
}

TEST_F(AppTest, KeysAfterQuitAreNotObeyed) {
  EXPECT_FALSE(press("q2"));
  EXPECT_EQ(screen(), ScreenKind::overview);
}

TEST_F(AppTest, AVanishedTerminalEndsTheConsole) {
  app();
  terminal.hang_up();
  EXPECT_FALSE(turn());
}

TEST_F(AppTest, ASignalEndsItThroughTheLoop) {
  app();
  raise(SIGTERM);
  EXPECT_EQ(app().run(), 128 + SIGTERM);
}

TEST_F(AppTest, ALoneEscapeIsTakenWhenNothingFollows) {
  press("2");
  press("\x1b");
  EXPECT_EQ(screen(), ScreenKind::nodes);
  pass(Duration{30});
  turn();
  EXPECT_EQ(screen(), ScreenKind::overview);
}

TEST_F(AppTest, EscapeAndAKeyInOnePieceAreTwoKeys) {
  press("2");
  press(
      "\x1b"
      "5");
  EXPECT_EQ(screen(), ScreenKind::workloads);
}

TEST_F(AppTest, AltWithAnArrowIsNeitherEscapeNorTheArrow) {
  press("2");
  for (const char* keys : {"\x1b[1;3A", "\x1b[1;3B", "\x1b[1;3C", "\x1b[1;3D", "\x1b[5;3~", "\x1b\x04"})
    press(keys);
  EXPECT_EQ(screen(), ScreenKind::nodes);
}

TEST_F(AppTest, EscapeAndEnterInOnePieceAreTwoKeys) {
  press("2/idle");
  press("\x1b");
  pass(Duration{30});
  turn();
  press("\x1b\r");
  EXPECT_EQ(screen(), ScreenKind::nodes) << "back to the overview, and Enter opens its cluster";
  EXPECT_EQ(app().state().top().cluster, ClusterName("hpc"));
}

TEST_F(AppTest, APasteIsNeverKeys) {
  press("\x1b[200~2q\x1b[201~");
  EXPECT_EQ(screen(), ScreenKind::overview);
  EXPECT_NE(terminal.shown.find("a paste is not read as keys"), std::string::npos) << "and it says so";
}

TEST_F(AppTest, APasteIsTextWhereTextIsTyped) {
  press("2/");
  press("\x1b[200~state=idle\r\x1b[201~");
  EXPECT_EQ(app().state().input.kind, InputKind::filter);
  EXPECT_NE(app().state().input.text.find("state=idle"), std::string::npos);
}

TEST_F(AppTest, WhatIsTypedIsTextAndNotKeys) {
  press("2/");
  press("q5");
  EXPECT_EQ(screen(), ScreenKind::nodes);
  EXPECT_EQ(app().state().input.text, "q5");
}

TEST_F(AppTest, AResizeIsDrawnAtTheNewSize) {
  app();
  terminal.now = {60, 20};
  raise(SIGWINCH);
  turn();
  EXPECT_EQ(app().state().size, (Size{60, 20}));
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, SuspendingPaintsAnewAtTheSizeOfTheDay) {
  app();
  terminal.now = {61, 21};
  ASSERT_TRUE(press("\x1a"));
  EXPECT_EQ(terminal.suspended, 1);
  EXPECT_EQ(app().state().size, (Size{61, 21}));
}

TEST_F(AppTest, RefreshAsksEveryBackend) {
  press("\x12");
  EXPECT_EQ(log.refreshed, 1);
}

TEST_F(AppTest, AfterTwoMinutesWithoutAKeyTheClustersAreLeftInPeace) {
  app();
  pass(Duration{119'000});
  turn();
  EXPECT_TRUE(log.paces.empty());
  pass(Duration{2'000});
  turn();
  EXPECT_EQ(log.paces, std::vector<Pace>{Pace::idle});
  press("j");
  EXPECT_EQ(log.paces, (std::vector<Pace>{Pace::idle, Pace::focused}));
  EXPECT_EQ(log.refreshed, 1);
}

TEST_F(AppTest, LookingAtTheWindowAgainCountsAsAKeyAndLookingAwayDoesNot) {
  app();
  pass(Duration{121'000});
  turn();
  press("\x1b[O");
  EXPECT_EQ(log.paces, std::vector<Pace>{Pace::idle});
  press("\x1b[I");
  EXPECT_EQ(log.paces, (std::vector<Pace>{Pace::idle, Pace::focused}));
}

TEST_F(AppTest, TheNextThemeIsShown) {
  press("T");
  ASSERT_EQ(terminal.themes.size(), 1u);
  EXPECT_EQ(terminal.themes[0], app().state().theme);
  EXPECT_NE(app().state().theme, "dark");
}

TEST_F(AppTest, AThemeThatCannotBeReadLeavesTheOldOneAndSaysSo) {
  press(":theme no-such\r");
  EXPECT_TRUE(terminal.themes.empty());
  EXPECT_EQ(app().state().theme, "dark");
  EXPECT_NE(terminal.shown.find("no-such"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tui
