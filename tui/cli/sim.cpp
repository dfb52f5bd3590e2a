#include "tui/cli/sim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

struct Verb {
  std::string_view name;
  std::string_view arguments;
  std::size_t least, most;  // words after it
};

constexpr std::size_t kMany = 100;
constexpr std::array kVerbs = {
    Verb{"advance", "TIME", 1, 1}, Verb{"drain", "NODE [REASON]", 1, kMany},
    Verb{"open", "NODE", 1, 1},    Verb{"reboot", "NODE", 1, 1},
    Verb{"end", "WORKLOAD", 1, 1}, Verb{"fault", "'KIND [node=NAME] ...'", 1, kMany},
    Verb{"faults", "", 0, 0},      Verb{"check", "", 0, 0},
    Verb{"scenarios", "", 0, 0},   Verb{"serve", "", 0, 0},
};

Error sim_usage(std::string reason, std::string hint) {
  return {"cannot use these arguments", std::move(reason), std::move(hint)};
}

std::optional<Error> why_not(const Options& options) {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  if (options.words.empty())
    return sim_usage("tessera-sim needs one of its verbs",
                     fmt::format("tessera-sim {}", fmt::join(names, "|")));
  const std::string& word = options.words.front();
  auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& one) { return one.name == word; });
  if (verb == kVerbs.end()) {
    std::string near = nearest(word, names);
    return sim_usage(fmt::format("unknown command \"{}\"", clean(word, 64)),
                     near.empty() ? fmt::format("tessera-sim {}", fmt::join(names, "|"))
                                  : fmt::format("did you mean {}?", near));
  }
  std::size_t given = options.words.size() - 1;
  if (given < verb->least || given > verb->most)
    return sim_usage(
        given < verb->least ? fmt::format("{} needs {}", word, verb->arguments)
                            : fmt::format("unexpected word \"{}\"", clean(options.words.back(), 64)),
        fmt::format("usage: tessera-sim {}{}{}", word, verb->arguments.empty() ? "" : " ", verb->arguments));
  if (word == "serve" && !options.serve_kubernetes)
    return sim_usage("serve needs the API that it is to offer", "tessera-sim serve --kubernetes");
  if (options.sim_state.empty() && word != "scenarios" && word != "serve")
    return sim_usage("no simulated world is named",
                     "a world that can be acted on is kept in a file: add --sim-state FILE");
  return std::nullopt;
}

}  // namespace

int run_sim(const Options& options, const mig::Catalogue& catalogue,
            const std::vector<std::string>& scenarios, const SimJoin& act, const Streams& streams) {
  if (auto error = why_not(options)) return complain(streams, *error), kUsage;
  if (options.words.front() == "scenarios") {
    for (const std::string& name : scenarios) streams.out << name << '\n';
    return kDone;
  }
  Result<SimAnswer> answer = act(options, catalogue);
  if (!answer) return complain(streams, answer.error()), kUsage;
  streams.out << answer->text;
  return answer->finding ? kFinding : kDone;
}

}  // namespace tessera::cli
