// The loop with a terminal made of a pipe: keys in, canvases out, and a clock that the test turns.
// Threads: the test's.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "engine/looks_into.hpp"
#include "tests/support/event_queue.hpp"
#include "tui/app.hpp"

namespace tessera::tui {

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
    return decoder_.feed_read({bytes, static_cast<std::size_t>(got)});
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
  void ring(std::string_view title) override { rung.emplace_back(title); }
  void suspend() override { ++suspended; }
  void resumed() override { ++resumed_; }
  std::uint64_t bytes_read() const override { return read_; }
  std::uint64_t bytes_written() const override { return 0; }

  Size now{100, 30};
  int frames = 0, forgotten = 0, suspended = 0, resumed_ = 0;
  bool mouse = false, refuse_copy = false;
  std::string shown, copied;
  std::vector<std::string> themes, rung;

 private:
  int fds_[2] = {-1, -1};
  bool ended_ = false;
  std::uint64_t read_ = 0;
  Decoder decoder_;
};

class Watched final : public Backend,
                      public history::KeepsFigures,
                      public history::AsksNodes,
                      public LooksInto {
 public:
  struct Log {
    std::vector<Pace> paces;
    int refreshed = 0;
    std::vector<std::string> looked_back, viewed;  // nodes
    std::vector<std::string> opened;               // nodes whose processes were asked for
    std::vector<history::KeptFigures> kept;        // what it answers next
    std::vector<std::string> looked_into;          // jobs and pods
    LookedInto told;                               // for the last of them
  };
  explicit Watched(Log& log) : log_(log) {}
  ClusterName name() const override { return ClusterName("hpc"); }
  void start(EventSink&) override {}
  void set_pace(Pace pace) override { log_.paces.push_back(pace); }
  void refresh() override { ++log_.refreshed; }
  void look_back(const NodeName& node, TimePoint) override { log_.looked_back.push_back(node.text); }
  std::vector<history::KeptFigures> take_kept() override { return std::exchange(log_.kept, {}); }
  void look_into(const WorkloadId& id, LookedInto told) override {
    log_.looked_into.push_back(id.text);
    log_.told = std::move(told);
  }
  void set_viewed(const std::vector<NodeName>& nodes) override {
    log_.viewed.clear();
    for (const NodeName& node : nodes) log_.viewed.push_back(node.text);
  }
  void look_at_processes(const NodeName& node) override { log_.opened.push_back(node.text); }
  LooksInto* looks_into() override { return this; }
  history::KeepsFigures* keeps_figures() override { return this; }
  history::AsksNodes* asks_nodes() override { return this; }

 private:
  Log& log_;
};

class AppTest : public testing::Test {
 protected:
  AppTest() { backends_.push_back(std::make_unique<Watched>(log)); }

  App& app() {
    if (!app_) {
      first.themes = {"dark", "light", "mono"};
      app_ = std::make_unique<App>(
          AppParts{terminal, events, backends_, catalogue_, keymap_, signals_, runs, archive}, first,
          AppOptions{}, Clocks{[this] { return TimePoint{} + wall; }, [this] { return steady; }});
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
  test::EventQueue events;
  Watched::Log log;
  plan::Runs* runs = nullptr;  // set before the first use of app()
  record::Archive* archive = nullptr;
  UiState first;  // what it starts with

  std::vector<BackendPtr> backends_;

 private:
  mig::Catalogue catalogue_;
  Keymap keymap_;
  Signals signals_;
  std::unique_ptr<App> app_;
};

}  // namespace tessera::tui
