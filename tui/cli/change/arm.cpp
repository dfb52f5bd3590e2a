#include "tui/cli/change/arm.hpp"

#include <fmt/format.h>

#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {

std::optional<Error> why_not_armed(const Options& options, const Streams& streams) {
  const std::string what = "nothing is changed";
  if (!options.write)
    return Error{what, "tessera is read-only by default",
                 options.command == "resume" ? "add --write; tessera journal RUN shows the state of the run"
                                             : "add --write; --dry-run shows what would be done"};
  if (!options.yes && !streams.asks)
    return Error{what, "there is no terminal on which the change could be armed",
                 "add --yes where no terminal is there to type the node's name"};
  return std::nullopt;
}

std::string arming_word(const std::vector<NodeName>& nodes) {
  return nodes.size() == 1 ? clean(nodes.front().text, 255) : std::to_string(nodes.size());
}

std::optional<int> arm(OpenClusters& clusters, const Options& options, const Streams& streams, Lines& lines,
                       const std::string& word, const std::string& what) {
  if (options.yes) return std::nullopt;
  lines.forget();
  streams.err << told(streams, fmt::format("Type {} and Enter to {}; anything else leaves", word, what))
              << ": " << std::flush;
  for (;;) {
    auto typed = lines.take();
    if (typed && *typed == word) return std::nullopt;
    if (typed || lines.fd() < 0) {
      if (!typed) streams.err << "\n";
      complain(streams, {"nothing is changed", "it was not armed", ""});
      return kFinding;
    }
    if (!clusters.sleep(Duration{-1}, lines.fd())) {
      streams.err << "\n";
      complain(streams, {"nothing is changed", "a signal came before it was armed", ""});
      return 128 + clusters.ended_by().value_or(0);
    }
    clusters.take_events();
  }
}

}  // namespace tessera::cli
