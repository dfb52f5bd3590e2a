// tessera-sim: a simulated world in the hands of whoever plays it, and what stands in for real programs: an
// API server, a node's tools. Apart from tessera, so that an admin's program cannot become one of them.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/mailbox.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "backends/sim/play.hpp"
#include "backends/sim/smi/parted.hpp"
#include "backends/sim/smi/smi.hpp"
#include "engine/embedded.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/program.hpp"
#include "tui/cli/run.hpp"
#include "tui/cli/settings.hpp"
#include "tui/simulator_options.hpp"

namespace {

using namespace tessera;

// Until it is asked to end. The signals are blocked before the server's thread starts, so that this one gets
// them.
Result<cli::SimAnswer> serve(const cli::Options& options, const mig::Catalogue& catalogue,
                             const cli::Streams& streams) {
  sigset_t ends, before;
  sigemptyset(&ends);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, number);
  sigprocmask(SIG_BLOCK, &ends, &before);
  auto users = sim::kube::parse_user_ports(options.user_ports);
  if (!users) return users.error();
  sim::kube::ServeOptions wanted;
  wanted.world = simulator_options(options, catalogue);
  wanted.cluster = options.cluster;
  wanted.listen = options.listen;
  wanted.users = std::move(*users);
  wanted.kubeconfig = options.kubeconfig_out;
  auto server = sim::kube::Server::start(std::move(wanted));
  if (!server) return server.error();
  streams.out << (*server)->announcement() << std::flush;
  int number = 0;
  while (sigwait(&ends, &number) != 0) {
  }
  server->reset();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return cli::SimAnswer{};
}

Result<cli::SimAnswer> play(const cli::Options& options, const mig::Catalogue& catalogue,
                            const cli::Streams& streams) {
  if (options.words.front() == "serve") return serve(options, catalogue, streams);
  auto played = sim::play(simulator_options(options, catalogue), options.cluster, options.words);
  if (!played) return played.error();
  return cli::SimAnswer{std::move(played->text), played->finding};
}

// The stand-ins for a node's tools: `tessera-sim nvidia-smi …`, `tessera-sim nvidia-mig-parted …`, or this
// program called by such a name, as tests do. Their words are the tools', not ours, so that no parser of ours
// sees them. nullopt: this is not what was asked for.
std::optional<sim::SmiAnswer> stand_in(const std::vector<std::string>& words,
                                       const cli::Environment& environment) {
  std::string name = words.empty() ? "" : words[0].substr(words[0].rfind('/') + 1);
  const std::string file = cli::value_of(environment, "TESSERA_GPUS");
  constexpr std::string_view kSmi = "nvidia-smi", kParted = "nvidia-mig-parted";
  bool as_tool = (name == kSmi || name == kParted) && !file.empty();
  bool as_verb = words.size() > 1 && (words[1] == kSmi || words[1] == kParted);
  if (!as_tool && !as_verb) return std::nullopt;
  if (as_tool && name == kParted)
    return sim::parted_answer_from(file, {words.begin() + 1, words.end()}, wall_clock());
  if (!as_tool && words[1] == kParted)
    return sim::play_parted(file, {words.begin() + 2, words.end()}, wall_clock());
  if (as_tool) return sim::answer_from(file, {words.begin() + 1, words.end()});
  auto catalogue = mig::Catalogue::built_in();
  if (!catalogue) return sim::SmiAnswer{255, "", to_line(catalogue.error()) + "\n", false};
  return sim::play_smi({words.begin() + 2, words.end()}, *catalogue);
}

int tell(const sim::SmiAnswer& answer) {
  std::fputs(answer.out.c_str(), stdout);
  std::fputs(answer.err.c_str(), stderr);
  std::fflush(stdout);
  while (answer.hangs) pause();
  return answer.exit_code;
}

int run_simulator(std::vector<std::string> words, const cli::Environment& environment,
                  const cli::Streams& streams) {
  Mailbox mailbox;
  cli::Joins joins{mailbox,
                   mailbox,
                   {},
                   {},
                   wall_clock,
                   {},
                   false,
                   [&](const cli::Options& options, const mig::Catalogue& catalogue) {
                     return play(options, catalogue, streams);
                   }};
  for (const embedded::File& file : embedded::scenarios()) {
    std::string_view name = file.name;
    joins.scenarios.emplace_back(name.substr(0, name.rfind('.')));
  }
  words.insert(words.begin(), std::string(cli::kSimulator));
  return cli::run(words, environment, joins, streams);
}

}  // namespace

int main(int argc, char** argv) {
  const cli::Environment environment = cli::environment_of(environ);
  if (auto answer = stand_in({argv, argv + argc}, environment)) return tell(*answer);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return cli::run_program(
      "tessera-sim", cli::reader_of(words, environment),
      [&](const cli::Streams& streams) { return run_simulator(words, environment, streams); });
}
