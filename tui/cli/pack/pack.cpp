#include "tui/cli/pack/pack.hpp"

#include <chrono>

#include "engine/pack/pack.hpp"
#include "engine/pack/read.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/pack/pack_text.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;

// Seconds since it was last asked.
class StopWatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - since_;
    since_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

Result<pack::Problem> read_boards(const Options& options, const mig::Catalogue& catalogue,
                                  const Streams& streams) {
  if (options.boards_file == "-") {
    auto text = read_all(streams.in_fd, kMostBytes);
    if (!text) return text.error();
    return pack::read_problem(*text, "standard input", catalogue);
  }
  auto files = read_files({options.boards_file}, kMostBytes);
  if (!files) return files.error();
  if (files->empty())
    return Error{"cannot read the GPUs and the demand", "there is no file " + clean(options.boards_file, 300),
                 "docs/planning.md has an example"};
  return pack::read_problem(files->front().text, clean(options.boards_file, 300), catalogue);
}

}  // namespace

int run_pack(const Options& options, const mig::Catalogue& catalogue, const Joins&, const Streams& streams) {
  if (options.boards_file.empty())
    return refuse(
        streams,
        {"cannot plan", "no GPUs are named", "tessera pack --boards FILE; docs/planning.md has an example"},
        kUsage);
  PackTimes times;
  StopWatch watch;
  auto problem = read_boards(options, catalogue, streams);
  if (!problem) return refuse(streams, problem.error(), kUsage);
  times.read = watch.lap();
  auto classes = pack::classify(*problem);
  if (!classes) return refuse(streams, classes.error(), kUsage);
  times.classify = watch.lap();
  auto answer = pack::pack(*problem, *classes);
  if (!answer) return refuse(streams, answer.error(), kUsage);
  times.solve = watch.lap();
  switch (options.output) {
    case OutputFormat::json:
      streams.out << document(pack_json(*problem, *answer, times), Markup::json);
      break;
    case OutputFormat::yaml:
      streams.out << document(pack_json(*problem, *answer, times), Markup::yaml);
      break;
    case OutputFormat::table:
    case OutputFormat::wide: streams.out << pack_page(*problem, *answer, options); break;
    case OutputFormat::csv:
      return refuse(streams,
                    {"cannot print a plan as csv", "it is more than a table", "-o table, json or yaml"},
                    kUsage);
  }
  return answer->met() ? kDone : kFinding;
}

}  // namespace tessera::cli
