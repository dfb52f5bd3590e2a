// The real console in a pseudo-terminal: start to first paint, bytes for each refresh and when idle, memory.
//
// Prints one line a figure, with the machine's own baseline beside it. Run by `./bootstrap bench`.
#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bench/aims.hpp"
#include "tests/support/pty.hpp"

namespace {

using tessera::test::Pty;
using tessera::test::PtyOptions;
using Clock = std::chrono::steady_clock;

PtyOptions console(std::vector<std::string> arguments, int columns = 120, int rows = 40) {
  PtyOptions options;
  options.arguments = std::move(arguments);
  options.columns = columns;
  options.rows = rows;
  return options;
}

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double median(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

// Time until `expected` stands on the screen, or until the end for a program that draws nothing.
double start_once(const PtyOptions& options, const char* expected) {
  Clock::time_point begin = Clock::now();
  Pty pty(options);
  bool there = expected ? pty.wait_for(expected) : pty.wait_ended();
  double took = milliseconds(Clock::now() - begin);
  if (!there) fmt::print("!! {} did not show\n{}\n", expected ? expected : "the end", pty.screen());
  return took;
}

void first_paint() {
  std::vector<double> ours, baseline;
  PtyOptions nothing = console({});
  nothing.program = "/bin/true";
  for (int i = 0; i < 11; ++i) {
    baseline.push_back(start_once(nothing, nullptr));
    ours.push_back(start_once(console({"--sim=demo", "--sim-speed=0"}), "NEEDS ATTENTION"));
  }
  fmt::print(
      "first full paint of tessera --sim, median of 11: {:.1f} ms (baseline: /bin/true in the same way "
      "{:.1f} ms)\n",
      median(ours), median(baseline));
}

void wait_seconds(int seconds) { ::poll(nullptr, 0, seconds * 1000); }

// A key that nothing is bound to: the console answers it with what it has read and written so far.
constexpr const char* kNoKey = "\x1b[99~";

std::uint64_t written_now(Pty& pty) {
  pty.press(kNoKey);
  return pty.written();
}

void bytes_to_the_terminal(int columns, int rows, tessera::bench::Aims& aims) {
  Pty frozen(console({"--sim=demo", "--sim-speed=0"}, columns, rows));
  frozen.wait_for("NEEDS ATTENTION");
  std::uint64_t before = written_now(frozen);
  frozen.press("\x0c");  // Ctrl-l paints everything again
  std::uint64_t shown = written_now(frozen);
  wait_seconds(5);
  std::uint64_t idle = written_now(frozen) - shown;

  Pty live(console({"--sim=demo", "--sim-speed=1"}, columns, rows));
  live.wait_for("NEEDS ATTENTION");
  live.press("3");  // the GPUs: where telemetry moves
  std::uint64_t start = written_now(live);
  wait_seconds(20);
  double each_second = static_cast<double>(written_now(live) - start) / 20;
  fmt::print(
      "{}x{}: full repaint {} bytes; live table of GPUs {:.0f} bytes a second; frozen and idle for 5 s: {} "
      "bytes\n",
      columns, rows, shown - before, each_second, idle);
  const tessera::bench::Aim silent{"idle for 5 s", "", 0, "bytes"};
  fmt::print("{}\n", aims.see(silent, fmt::format("{}x{} {}", columns, rows, silent.bench),
                              static_cast<double>(idle)));
  const tessera::bench::Aim few{"live GPUs a second, of a full repaint", "", 5, "%"};
  fmt::print("{}\n", aims.see(few, fmt::format("{}x{} {}", columns, rows, few.bench),
                              100 * each_second / static_cast<double>(shown - before)));
}

std::string status_line(pid_t pid, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return "?";
}

void large_cluster() {
  Clock::time_point begin = Clock::now();
  Pty pty(console({"--sim=huge", "--sim-speed=0"}, 200, 60));
  pty.wait_for("NEEDS ATTENTION");
  double took = milliseconds(Clock::now() - begin);
  fmt::print("10,000 nodes: first full paint {:.0f} ms; console and simulator together: peak {}, now {}\n",
             took, status_line(pty.pid(), "VmHWM:\t"), status_line(pty.pid(), "VmRSS:\t"));
  for (const char* screen : {"2", "3", "4", "5"}) {
    std::vector<double> moves;
    Clock::time_point opened = Clock::now();
    pty.press(screen);
    double open = milliseconds(Clock::now() - opened);
    for (int i = 0; i < 20; ++i) {
      Clock::time_point pressed = Clock::now();
      pty.press("j");
      moves.push_back(milliseconds(Clock::now() - pressed));
    }
    fmt::print("  screen {}: opened in {:.0f} ms; a cursor key to paint, median {:.1f} ms\n", screen, open,
               median(moves));
  }
}

}  // namespace

int main(int count, char** arguments) {
  bool quick = count > 1 && std::string(arguments[1]) == "--quick";
  first_paint();
  if (quick) return 0;
  tessera::bench::Aims aims(tessera::bench::machine_ms());
  bytes_to_the_terminal(80, 24, aims);
  bytes_to_the_terminal(200, 60, aims);
  large_cluster();
  return aims.code();
}
