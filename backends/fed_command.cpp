#include "backends/fed_command.hpp"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "backends/last_line.hpp"
#include "backends/process.hpp"
#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostHeard = 1u << 20;  // bytes: what it prints is not looked at

std::string how_it_ended(const Outcome& outcome, Duration deadline) {
  if (outcome.timed_out) return fmt::format("it did not end within {} s", deadline.count() / 1000);
  if (outcome.truncated) return fmt::format("it printed more than {} MiB", kMostHeard >> 20);
  const std::string ended = outcome.signal != 0 ? fmt::format("it was ended by signal {}", outcome.signal)
                                                : fmt::format("it ended with {}", outcome.exit_code);
  const std::string said = clean(last_line(outcome.err), 300);
  return ended + (said.empty() ? "" : ": " + said);
}

}  // namespace

Status run_fed(const std::vector<std::string>& argv, const std::string& input, Duration deadline) {
  Command command;
  command.argv = argv;
  command.input = input;
  command.deadline = deadline;
  command.output_limit = kMostHeard;
  command.dies_with_us = false;
  const std::string shown = clean(to_shell_text(command), 300);
  Worker worker;
  Processes processes(worker);
  std::promise<Result<Outcome>> answer;
  worker.post([&] {
    processes.run(std::move(command), [&](Result<Outcome> came) { answer.set_value(std::move(came)); });
  });
  const Result<Outcome> came = answer.get_future().get();
  worker.stop();
  const std::string hint = "run it by hand: " + shown;
  if (!came) return Error{"cannot run the command", came.error().reason, hint};
  if (came->succeeded()) return Done{};
  return Error{"cannot run the command", how_it_ended(*came, deadline), hint};
}

}  // namespace tessera
