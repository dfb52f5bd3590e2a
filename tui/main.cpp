// tessera: joins the rooms, backends and console.
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/account.hpp"
#include "backends/acknowledged.hpp"
#include "backends/fed_command.hpp"
#include "backends/figures/ask_and_wait.hpp"
#include "backends/figures/prometheus_backend.hpp"
#include "backends/figures/sources.hpp"
#include "backends/files.hpp"
#include "backends/kubernetes/backend.hpp"
#include "backends/kubernetes/kubeconfig.hpp"
#include "backends/kubernetes/past_way.hpp"
#include "backends/mailbox.hpp"
#include "backends/process.hpp"
#include "backends/record/archive.hpp"
#include "backends/record/follow.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/replays.hpp"
#include "backends/record/tape.hpp"
#include "backends/runs/room.hpp"
#include "backends/sim/backend.hpp"
#include "backends/slurm/accounting.hpp"
#include "backends/slurm/accounting_cache.hpp"
#include "backends/slurm/backend.hpp"
#include "backends/slurm/change/job_parts.hpp"
#include "backends/slurm/change/try_settings.hpp"
#include "backends/slurm/find_slurm.hpp"
#include "engine/embedded.hpp"
#include "engine/hostlist.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "engine/text.hpp"
#include "tui/app.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/fleet/fleet_files.hpp"
#include "tui/cli/fleet/fleet_log.hpp"
#include "tui/cli/look.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/cli/names.hpp"
#include "tui/cli/program.hpp"
#include "tui/cli/record/elsewhere.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/run.hpp"
#include "tui/cli/settings.hpp"
#include "tui/past_time.hpp"
#include "tui/recordings_here.hpp"
#include "tui/simulator_options.hpp"

namespace {

using namespace tessera;

cli::Opening refuse(Error error, int code) {
  cli::Opening opening;
  opening.failure = std::move(error);
  opening.exit_code = code;
  return opening;
}

cli::Opening open_simulator(const cli::Options& options, const mig::Catalogue& catalogue) {
  auto backends = sim::open(simulator_options(options, catalogue));
  if (!backends) return refuse(backends.error(), cli::kUsage);
  return {std::move(*backends), std::nullopt, 0, nullptr};
}

constexpr int kPartForMeasures = 3;      // of --timeout, for the exporters of a large cluster
constexpr std::size_t kDoctorAsks = 16;  // nodes, eight at a time, of a Slurm cluster
// The same of those without work whose GPUs Slurm tells: an answer within --timeout, however many they are.
constexpr std::size_t kFleetAsks = 64;

std::vector<std::string> nodes_named(const cli::Options& options) {
  auto named = expand_hosts(options.nodes);
  return named ? std::move(*named) : std::vector<std::string>();
}

// Where the private folder for sockets may be made: of kubectl proxy, and of ssh.
std::vector<std::string> runtime_folders(const cli::Environment& environment) {
  std::vector<std::string> folders;
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (std::string folder = cli::value_of(environment, name); !folder.empty())
      folders.push_back(std::move(folder));
  folders.emplace_back("/tmp");
  return folders;
}

slurm::SlurmOptions slurm_options(const cli::Options& options) {
  slurm::SlurmOptions wanted;
  wanted.conf = options.slurm_conf;
  if (options.slurm_site) wanted.said = *options.slurm_site;
  return wanted;
}

// What Slurm's backend and that of Prometheus beside it tell each other: of which instances exporters name
// the job, and which nodes Slurm lists.
struct BesideSlurm {
  std::shared_ptr<slurm::NamedJobs> named_jobs = std::make_shared<slurm::NamedJobs>();
  std::shared_ptr<figures::ListedNodes> listed = std::make_shared<figures::ListedNodes>();
};

BackendPtr slurm_backend(const cli::Options& options, const figures::FigureSources& sources,
                         const mig::Catalogue& catalogue, const cli::Environment& environment,
                         const BesideSlurm& beside) {
  slurm::SlurmOptions wanted = slurm_options(options);
  wanted.named_jobs = beside.named_jobs;
  wanted.listed = beside.listed;
  wanted.interval = options.interval.value_or(Duration{0});
  wanted.catalogue = &catalogue;
  wanted.clock = wall_clock;
  wanted.user = account_name(geteuid());
  wanted.exporter = sources.exporter;
  wanted.folders = runtime_folders(environment);
  // A plan needs the GPUs that it is about; the console shows them when they are there.
  if (cli::makes_plans(options.command)) {
    wanted.needs_boards.emplace();
    for (std::string& node : nodes_named(options)) wanted.needs_boards->emplace_back(std::move(node));
  }
  // Else what is held against the file would be Slurm's word, and not what is made on the hardware.
  if (options.command == "fleet") wanted.most_told = kFleetAsks;
  // It answers once: what is wrong with GPUs is told, too, without asking thousands of nodes for it.
  if (options.command == "doctor") {
    wanted.needs_boards.emplace();
    wanted.most_asked = kDoctorAsks;
  }
  return std::make_unique<slurm::SlurmBackend>(std::move(wanted));
}

// What the cluster of Slurm on this machine is called. Errors: there is none, or --cluster means another one.
Result<ClusterName> slurm_cluster(const cli::Options& options) {
  if (auto trouble = slurm::conf_trouble(options.slurm_conf)) return *trouble;
  slurm::Conf conf;
  if (!options.slurm_conf.empty()) {
    conf = slurm::read_conf(options.slurm_conf);
  } else {
    auto found = slurm::find_slurm(options.timeout);
    if (!found) return found.error();
    conf = *found;
  }
  ClusterName name(conf.cluster_name);
  if (!options.cluster.empty() && options.cluster != name.text)
    return Error{"no such cluster", "\"" + clean(options.cluster, 100) + "\"",
                 "Slurm's cluster here is " + clean(name.text, 100)};
  return name;
}

// The jobs of --since, from the Slurm of this machine.
Result<usage::PastJobs> past_jobs(const cli::Options& options, const cli::Environment& environment,
                                  const cli::Joins::Stopped& stopped) {
  const auto cluster = slurm_cluster(options);
  if (!cluster) return cluster.error();
  const ClusterName& name = *cluster;
  slurm::SlurmClient site;
  site.conf = options.slurm_conf;
  const TimePoint now = wall_clock();
  const auto end = cli::end_of(options, now);
  if (!end) return end.error();
  const TimePoint to = end->value_or(now);
  // A home that does not exist is not made.
  const std::string home = cli::value_of(environment, "HOME");
  std::error_code ignored;
  const std::string folder = slurm::accounting_cache_folder(
      cli::value_of(environment, "XDG_CACHE_HOME"), std::filesystem::is_directory(home, ignored) ? home : "");
  return slurm::read_accounting(site, {account_name(geteuid()), geteuid()},
                                {name, to - options.since, to, now, folder, options.no_cache, stopped});
}

// What the site names beside its clusters. An error says where the setting stands.
Result<figures::FigureSources> figure_sources(const cli::Options& options) {
  std::map<std::string, std::string> by_setting;
  for (const auto& [name, setting] : options.figures) by_setting.emplace(name, setting.value);
  auto sources = figures::read_figure_sources(by_setting);
  if (sources) return sources;
  Error error = sources.error();
  const auto named = options.figures.find(error.reason.substr(0, error.reason.find(':')));
  if (named != options.figures.end()) error.reason = named->second.from + ": " + error.reason;
  return error;
}

// Beside a Slurm cluster.
void add_slurm_figures(cli::Opening& opening, const figures::FigureSources& sources,
                       const cli::Options& options, const mig::Catalogue& catalogue,
                       const BesideSlurm& beside) {
  const ClusterName cluster = opening.backends.back()->name();
  if (sources.url.empty()) return;
  figures::PrometheusOptions wanted;
  wanted.cluster = cluster;
  wanted.url = sources.url;
  wanted.command = *sources.prometheus;
  wanted.every = options.interval.value_or(Duration{0});
  wanted.catalogue = &catalogue;
  wanted.clock = wall_clock;
  wanted.listed = beside.listed;
  wanted.heard = [named = beside.named_jobs](const NodeName& node, const figures::DcgmReadings& readings) {
    named->keep(node, readings, std::chrono::steady_clock::now());
  };
  opening.backends.push_back(std::make_unique<figures::PrometheusBackend>(std::move(wanted)));
}

kubernetes::ProxyOptions proxy_options(const kubernetes::Kubeconfig& config,
                                       const kubernetes::Context& context, const cli::Options& options,
                                       const cli::Environment& environment) {
  kubernetes::ProxyOptions proxy;
  proxy.kubeconfig = options.kubeconfig;
  proxy.context = config.in_cluster ? "" : context.name;
  std::size_t host = context.server.find("://");
  proxy.append_server_path =
      host != std::string::npos &&
      context.server.find_first_not_of('/', context.server.find('/', host + 3)) != std::string::npos;
  proxy.folders = runtime_folders(environment);
  return proxy;
}

BackendPtr kubernetes_backend(const kubernetes::Kubeconfig& config, const kubernetes::Context& context,
                              std::string name, const figures::FigureSources& sources,
                              const cli::Options& options, const mig::Catalogue& catalogue,
                              const cli::Environment& environment) {
  kubernetes::KubernetesOptions wanted;
  wanted.cluster = std::move(name);
  wanted.server = context.server;
  wanted.proxy = proxy_options(config, context, options, environment);
  wanted.proxy.write = options.write;
  wanted.review_rights = options.write && options.command == "doctor";
  wanted.every = options.interval.value_or(Duration{0});
  // A command prints once: what an exporter answers after the first seconds would never be seen.
  if (!options.command.empty()) wanted.measures_within = options.timeout / kPartForMeasures;
  wanted.prometheus = sources.service;
  if (cli::makes_plans(options.command)) wanted.measured_first = nodes_named(options);
  wanted.catalogue = &catalogue;
  wanted.clock = wall_clock;
  return std::make_unique<kubernetes::KubernetesBackend>(std::move(wanted));
}

struct KubernetesHere {
  kubernetes::Kubeconfig config;
  std::vector<kubernetes::Context> contexts;
};

kubernetes::KubeconfigPlace kubeconfig_place(const cli::Options& options,
                                             const cli::Environment& environment) {
  return {options.kubeconfig, cli::value_of(environment, "KUBECONFIG"), cli::value_of(environment, "HOME"),
          environment.contains("KUBERNETES_SERVICE_HOST")};
}

Result<KubernetesHere> find_kubernetes(const cli::Options& options, const cli::Environment& environment) {
  auto config = kubernetes::read_kubeconfig(kubeconfig_place(options, environment));
  if (!config) return config.error();
  auto contexts = kubernetes::choose_contexts(*config, options.contexts);
  if (!contexts) return contexts.error();
  if (!find_program("kubectl"))
    return Error{"cannot reach Kubernetes", "kubectl is not in PATH",
                 "install kubectl: tessera reaches a cluster through it"};
  return KubernetesHere{std::move(*config), std::move(*contexts)};
}

// What a service of each Kubernetes cluster keeps.
Status add_kept_of_kubernetes(std::vector<std::unique_ptr<usage::KeptUse>>& all, const cli::Options& options,
                              const figures::ServicePlace& service, const cli::Environment& environment,
                              figures::PastOf of) {
  auto here = find_kubernetes(options, environment);
  if (!here) return here.error();
  std::vector<std::string> taken;
  for (const kubernetes::Context& context : here->contexts) {
    taken.push_back(kubernetes::shown_name(context, taken));
    if (!options.cluster.empty() && options.cluster != taken.back()) continue;
    of.cluster = ClusterName(taken.back());
    auto kept = kubernetes::past_behind(proxy_options(here->config, context, options, environment), service,
                                        of, options.timeout);
    if (!kept) return kept.error();
    all.push_back(std::move(*kept));
  }
  return Done{};
}

// What Prometheus keeps of the clusters here.
Result<std::vector<std::unique_ptr<usage::KeptUse>>> kept_use(const cli::Options& options,
                                                              const mig::Catalogue& catalogue,
                                                              const cli::Environment& environment,
                                                              const cli::Joins::Stopped& stopped) {
  const auto sources = figure_sources(options);
  if (!sources) return sources.error();
  const TimePoint now = wall_clock();
  const auto end = cli::end_of(options, now);
  if (!end) return end.error();
  const TimePoint until = end->value_or(now);
  std::vector<std::unique_ptr<usage::KeptUse>> all;
  if (!sources->url.empty()) {
    auto cluster = slurm_cluster(options);
    if (!cluster) return cluster.error();
    all.push_back(
        figures::past_by_command(*sources->prometheus, sources->url, {*cluster, &catalogue, until, stopped}));
  }
  if (sources->service)
    if (Status added = add_kept_of_kubernetes(all, options, *sources->service, environment,
                                              {{}, &catalogue, until, stopped});
        !added)
      return added.error();
  if (!all.empty()) return all;
  return Error{"no such cluster", "\"" + clean(options.cluster, 100) + "\"",
               "Prometheus is set for no cluster of that name"};
}

// The clusters of a recording, as they stood at --at; the newest round without it.
cli::Opening open_recording(const cli::Options& options) {
  const std::string& path = recording_named(options);
  if (path.empty())
    return refuse({"cannot look at the past", "no recording is named",
                   "tessera replay FOLDER; --recording FOLDER, or `recording` in config.yaml"},
                  cli::kUsage);
  auto recordings = record::open_recordings(path);
  if (!recordings) return refuse(recordings.error(), cli::kUnknown);
  const bool follows = options.at == "now";
  std::optional<TimePoint> at;
  if (!options.at.empty() && !follows) {
    auto told = tui::parse_past(options.at, cli::now_of(*recordings, wall_clock()));
    if (!told) return refuse(told.error(), cli::kUsage);
    at = *told;
  }
  cli::Opening opening;
  if (follows) {
    for (auto& one : *recordings)
      opening.backends.push_back(std::make_unique<record::FollowBackend>(std::move(one), wall_clock));
    return opening;
  }
  // A command says that nothing is recorded of that time, instead of showing another one; a console shows
  // the round before a gap, and says so beside it.
  auto replays =
      record::replays(std::move(*recordings), {at, options.command == "replay", options.speed}, wall_clock);
  if (!replays) return refuse(replays.error(), cli::kUnknown);
  opening.backends = std::move(*replays);
  return opening;
}

bool looks_back(const cli::Options& options) { return cli::looks_back(options, wall_clock()); }

// The past of these clusters, live or as they stood; nullptr: nothing knows it. What else than a recording
// does is of the present.
std::unique_ptr<record::Archive> archive_of(const cli::Options& options, const mig::Catalogue& catalogue,
                                            const cli::Joins& joins) {
  const std::string folder = recordings_folder(options);
  const record::Elsewhere elsewhere =
      looks_back(options) ? record::Elsewhere() : cli::elsewhere(options, catalogue, joins);
  if (folder.empty() && !elsewhere.prometheus && !elsewhere.accounting) return nullptr;
  return record::open_archive(folder, wall_clock, {options.since, options.limits, options.except}, elsewhere);
}

cli::Opening open_what_is_here(const cli::Options& options, const mig::Catalogue& catalogue,
                               const cli::Environment& environment) {
  if (looks_back(options)) return open_recording(options);
  if (options.sim) return open_simulator(options, catalogue);
  if (auto trouble = slurm::conf_trouble(options.slurm_conf)) return refuse(*trouble, cli::kUsage);
  const auto sources = figure_sources(options);
  if (!sources) return refuse(sources.error(), cli::kUsage);
  bool kubernetes_asked = !options.kubeconfig.empty() || !options.contexts.empty();
  auto kubernetes_here = find_kubernetes(options, environment);
  if (!kubernetes_here && kubernetes_asked) return refuse(kubernetes_here.error(), cli::kUsage);
  cli::Opening opening;
  // Who names a Kubernetes cluster and no slurm.conf wants that one alone.
  bool slurm_wanted = !kubernetes_asked || !options.slurm_conf.empty();
  std::optional<Error> no_slurm;
  if (slurm_wanted) {
    if (options.slurm_conf.empty())
      if (auto found = slurm::find_slurm(options.timeout); !found) no_slurm = found.error();
    if (!no_slurm) {
      const BesideSlurm beside;
      opening.backends.push_back(slurm_backend(options, *sources, catalogue, environment, beside));
      add_slurm_figures(opening, *sources, options, catalogue, beside);
    }
  }
  if (kubernetes_here) {
    std::vector<std::string> taken;
    for (const BackendPtr& backend : opening.backends) taken.push_back(backend->name().text);
    for (const kubernetes::Context& context : kubernetes_here->contexts) {
      taken.push_back(kubernetes::shown_name(context, taken));
      opening.backends.push_back(kubernetes_backend(kubernetes_here->config, context, taken.back(), *sources,
                                                    options, catalogue, environment));
    }
  }
  if (!opening.backends.empty()) return opening;
  const Error& other = kubernetes_here.error();
  return refuse({"no cluster found here", no_slurm->reason + "; " + other.what + ": " + other.reason,
                 no_slurm->hint + "; or look at a simulated one: tessera --sim"},
                cli::kUnknown);
}

// A way to Kubernetes for init: the kubeconfig has the contexts that are named.
Result<std::string> try_contexts(const cli::Options& options, const cli::Environment& environment) {
  const auto here = find_kubernetes(options, environment);
  if (!here) return here.error();
  std::string names;
  for (const kubernetes::Context& context : here->contexts)
    names += (names.empty() ? "" : ", ") + clean(context.name, 64);
  return "the kubeconfig has " + names;
}

// A command of the site's, which is not run.
Result<std::string> try_command(const std::vector<std::string>& command) {
  if (auto program = find_program(command.front())) return *program + " is there; it was not run";
  return Error{"this command cannot be run", command.front() + " is not in PATH", "give its full path"};
}

// For init: without changing anything.
std::optional<Result<std::string>> try_setting(const cli::Options& options,
                                               const cli::Environment& environment, std::string_view setting,
                                               const NodeName& node) {
  if (setting == "context" || setting == "kubeconfig") return try_contexts(options, environment);
  const slurm::SlurmOptions wanted = slurm_options(options);
  if (setting == "slurm-runner" && !node.text.empty()) return slurm::try_runner(wanted, node);
  if (setting == "slurm-files") return slurm::try_files(wanted);
  for (const auto& [name, command] : {std::pair("slurm-restart-controller", &wanted.said.restart_controller),
                                      std::pair("slurm-restart-node", &wanted.said.restart_node)})
    if (setting == name && !command->empty()) return try_command(*command);
  return std::nullopt;
}

std::vector<std::string> contexts_here(const cli::Options& options, const cli::Environment& environment) {
  std::vector<std::string> names;
  const auto config = kubernetes::read_kubeconfig(kubeconfig_place(options, environment));
  if (!config) return names;
  for (const kubernetes::Context& context : config->contexts)
    names.insert(context.name == config->current ? names.begin() : names.end(), context.name);
  return names;
}

// The file of acknowledged findings, in the user's state folder.
constexpr std::string_view kNotes = "acknowledged";

// The person, also behind sudo: colleagues read it in marks and journals.
std::string user_name(const cli::Environment& environment) {
  std::string person = getuid() == 0 ? cli::value_of(environment, "SUDO_USER") : "";
  if (!person.empty()) return person;
  return account_name(getuid());
}

std::string own_journals(const cli::Environment& environment, std::string_view name) {
  return runs::journal_folder(cli::value_of(environment, "XDG_STATE_HOME"),
                              cli::value_of(environment, "HOME"), name);
}

// Service accounts name a home that does not exist: a console leaves none there.
bool has_home(const cli::Environment& environment) {
  std::error_code ignored;
  return !cli::value_of(environment, "XDG_STATE_HOME").empty() ||
         std::filesystem::is_directory(cli::value_of(environment, "HOME"), ignored);
}

// What a recording tells is no name of now.
std::string names_here(const cli::Options& options, const cli::Environment& environment) {
  std::error_code ignored;
  const std::string home = cli::value_of(environment, "HOME");
  if (looks_back(options)) return "";
  return cli::names_folder(cli::value_of(environment, "XDG_CACHE_HOME"),
                           std::filesystem::is_directory(home, ignored) ? home : "", options.sim.has_value());
}

// What was tried out is kept apart from what was done.
std::string runs_folder(const cli::Options& options, const cli::Environment& environment) {
  return own_journals(environment, options.sim ? "simulated-runs" : "runs");
}

tui::FleetSources fleet_sources(const cli::Options& options, const cli::Environment& environment) {
  tui::FleetSources sources;
  sources.journal = runs::journal_reader(runs_folder(options, environment), options.runs);
  if (const std::string folder = recordings_folder(options); !folder.empty())
    sources.recordings = [folder] { return record::open_recordings(folder); };
  return sources;
}

void join_runs(cli::Opening& opening, const cli::Options& options, const mig::Catalogue& catalogue,
               const cli::Environment& environment, EventSink& sink) {
  runs::RunsOptions wanted;
  wanted.write = options.write;
  wanted.folder = runs_folder(options, environment);
  wanted.open_only = options.sim.has_value();
  // What a recorder asks a cluster is no more than what an idle console asks.
  wanted.marks = options.command != "record";
  wanted.site_folder = options.runs;
  wanted.who = user_name(environment);
  wanted.from = host_name();
  wanted.catalogue = &catalogue;
  wanted.rules = options.rules;
  wanted.wall = wall_clock;
  std::vector<runs::Changeable> clusters;
  for (const BackendPtr& backend : opening.backends)
    if (plan::Actuator* actuator = backend->actuator()) clusters.push_back({backend->name(), actuator});
  opening.runs = runs::make_runs(std::move(wanted), std::move(clusters), sink);
}

int run_tessera(const std::vector<std::string>& arguments, const cli::Environment& environment,
                const cli::Streams& streams) {
  Mailbox mailbox;
  auto open = [&](const cli::Options& options, const mig::Catalogue& catalogue) {
    cli::Opening opening = open_what_is_here(options, catalogue, environment);
    // Journals can be read where no cluster is.
    if (opening.exit_code != cli::kUsage && !looks_back(options))
      join_runs(opening, options, catalogue, environment, mailbox);
    return opening;
  };
  const cli::Joins* joined = nullptr;  // before any command runs they are
  auto console = [&](const cli::Options& options, const mig::Catalogue& catalogue,
                     std::span<const BackendPtr> backends, plan::Runs* runs) {
    auto keymap = cli::load_keymap(options.keys, environment);
    if (!keymap) {
      cli::complain(streams, keymap.error());
      return cli::kUsage;
    }
    auto texts = cli::load_guide_texts(environment);
    if (!texts) {
      cli::complain(streams, texts.error());
      return cli::kUsage;
    }
    tui::ConsoleOptions wanted = cli::console_options(options, environment);
    wanted.state.guide_texts = *texts;
    if (looks_back(options)) wanted.state.playing = options.speed;
    wanted.remembered = has_home(environment) ? own_journals(environment, "console.yaml") : "";
    wanted.remember = [path = wanted.remembered](const std::string& text) {
      return replace_file("cannot keep the choices of this console", path, text);
    };
    if (Status read = tui::set_language(wanted.state, options.language); !read) {
      cli::complain(streams, read.error());
      return cli::kUsage;
    }
    const std::string notes = own_journals(environment, kNotes);
    auto noted = read_acknowledged(notes);
    if (noted) wanted.state.acknowledged = std::move(*noted);
    wanted.acknowledge = [notes](const insight::Acknowledgement& one) {
      return keep_acknowledged(notes, one, wall_clock());
    };
    // Copies: a read that hangs outlives the console.
    wanted.fleet = [environment, catalogue](tui::FleetOrder order) {
      // As journals name the person: behind sudo USER is another one, and in a unit there is none.
      using What = tui::FleetOrder::What;
      if (order.what == What::pause || order.what == What::unpause) order.who = user_name(environment);
      return cli::answer_fleet(order, catalogue, wall_clock(),
                               cli::state_beside(own_journals(environment, "runs")));
    };
    wanted.fleet_sources = fleet_sources(options, environment);
    const auto archive = archive_of(options, catalogue, *joined);
    auto code = tui::run_console(wanted, *keymap, catalogue, backends, mailbox, mailbox, runs, archive.get());
    if (code) return *code;
    cli::complain(streams, code.error());
    return cli::kUsage;
  };
  bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  cli::Joins joins{mailbox, mailbox, open, console, wall_clock, {}, has_terminal, {}, {}};
  joins.tape = record::open_tape;
  joins.recordings = record::open_recordings;
  joins.accounting = [&](const cli::Options& options, const cli::Joins::Stopped& stopped) {
    return past_jobs(options, environment, stopped);
  };
  joins.kept_use = [&](const cli::Options& options, const mig::Catalogue& catalogue,
                       const cli::Joins::Stopped& stopped) {
    return kept_use(options, catalogue, environment, stopped);
  };
  joined = &joins;
  joins.run_command = [](const std::vector<std::string>& argv, const std::string& input) {
    return run_fed(argv, input);
  };
  joins.machine.find_program = [](std::string_view name) { return find_program(name); };
  joins.acknowledged = [&] { return read_acknowledged(own_journals(environment, kNotes)); };
  joins.names = [&](const cli::Options& options) { return names_here(options, environment); };
  joins.user = [&] { return user_name(environment); };
  joins.machine.journals = own_journals(environment, "runs");
  joins.machine.contexts = [&](const cli::Options& options) { return contexts_here(options, environment); };
  joins.machine.try_setting = [&](const cli::Options& options, std::string_view setting,
                                  const NodeName& node) {
    return try_setting(options, environment, setting, node);
  };
  for (const embedded::File& file : embedded::scenarios()) {
    std::string_view name = file.name;
    joins.scenarios.emplace_back(name.substr(0, name.rfind('.')));
  }
  return cli::run(arguments, environment, joins, streams);
}

// kubectl starts a program of this name for `kubectl tessera`.
std::string_view called_as(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  return path.substr(path.rfind('/') + 1) == "kubectl-tessera" ? "kubectl tessera" : "tessera";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const cli::Environment environment = cli::environment_of(environ);
  return cli::run_program(
      called_as(argc, argv), cli::reader_of(arguments, environment),
      [&](const cli::Streams& streams) { return run_tessera(arguments, environment, streams); });
}
