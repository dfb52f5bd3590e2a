// A terminal that keeps what it is shown and counts it, and types what it is told to. Threads: as Terminal.
#pragma once

#include <unistd.h>

#include <string_view>
#include <vector>

#include "tui/terminal/terminal.hpp"

namespace tessera::bench {

class StillTerminal final : public tui::Terminal {
 public:
  explicit StillTerminal(tui::Size size) : size_(size) {
    if (pipe(fds_) != 0) fds_[0] = fds_[1] = -1;
  }
  ~StillTerminal() override {
    close(fds_[0]);
    close(fds_[1]);
  }

  void type(std::string_view keys) { [[maybe_unused]] auto all = write(fds_[1], keys.data(), keys.size()); }

  tui::Size size() const override { return size_; }
  void present(const tui::Canvas& canvas) override {
    ++frames;
    for (int y = 0; y < canvas.size().rows; ++y)
      for (int x = 0; x < canvas.size().columns; ++x)
        cells += shown.size() != canvas.size() || !(shown.at(x, y) == canvas.at(x, y));
    shown = canvas;
  }
  void forget() override {}
  void set_theme(const tui::Theme&) override {}
  int input_fd() const override { return fds_[0]; }
  std::vector<tui::Input> read() override {
    char bytes[256];
    const ssize_t got = ::read(fds_[0], bytes, sizeof bytes);
    return got > 0 ? decoder_.feed_read({bytes, static_cast<std::size_t>(got)}) : std::vector<tui::Input>();
  }
  std::optional<Duration> waiting() const override { return decoder_.waiting(); }
  std::vector<tui::Input> expire() override { return decoder_.expire(); }
  bool ended() const override { return false; }
  void resized() override {}
  void set_mouse(bool) override {}
  Status copy(std::string_view) override { return Done{}; }
  void ring(std::string_view) override {}
  void suspend() override {}
  void resumed() override {}
  std::uint64_t bytes_read() const override { return 0; }
  std::uint64_t bytes_written() const override { return 0; }

  double frames = 0, cells = 0;  // shown; that differed from what was shown before
  tui::Canvas shown{tui::Size{}};

 private:
  tui::Size size_;
  int fds_[2] = {-1, -1};
  tui::Decoder decoder_;
};

}  // namespace tessera::bench
