#include "tui/cli/init/init.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <variant>

#include "engine/insight/read_whole.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/init/questions.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {
namespace {

using Answers = std::map<std::string, std::string>;

// Where answers are tried: how, and on which node.
struct Place {
  decltype(Machine::try_setting) try_setting;
  NodeName node;
};

// Where it is written: for all users by root, else for this user. Never over a file that is there.
std::string destination(const Environment& environment) {
  const auto paths = paths_of("config.yaml", environment);
  return ::geteuid() == 0 || paths.size() < 2 ? paths.back() : paths.front();
}

// A flag counts before a file, but the next tessera is started without it: an answer takes its place.
Parsed without_answered(Parsed parsed, const Answers& answers) {
  for (const auto& [setting, answer] : answers) parsed.flags.erase(setting);
  return parsed;
}

// The settings with these answers standing in the file that is to be written: they are tried as they will be
// in effect.
Result<Settings> settings_with(const Parsed& parsed, const Environment& environment, const Answers& answers) {
  auto text = settings_text_of(answers);
  if (!text) return text.error();
  const std::string written = destination(environment);
  std::vector<TextFile> files;
  for (const std::string& path : paths_of("config.yaml", environment)) {
    if (path == written) files.push_back({path, *text});
    auto there = read_configuration({path});
    if (!there) return there.error();
    files.insert(files.end(), there->begin(), there->end());
  }
  return gather(parsed, environment, files);
}

// The options with these answers; a command that looks at nodes themselves asks for the GPUs there.
Result<Options> with_answers(const Parsed& parsed, const Environment& environment, const Answers& answers,
                             const std::string& command) {
  const Parsed left = without_answered(parsed, answers);
  auto settings = settings_with(left, environment, answers);
  if (!settings) return settings.error();
  auto options = to_options(left, *settings);
  if (options) options->command = command;
  return options;
}

std::string words_of(const Streams& streams, const std::string& text) {
  return tui::told(streams.reader, text);
}

void show(const Question& question, std::size_t number, std::size_t of, const Streams& streams) {
  const auto width =
      static_cast<std::size_t>(streams.paper.columns > 0 ? std::max(streams.paper.columns, 40) : 80);
  streams.err << fmt::format("\n{}/{}  {}\n", number, of, words_of(streams, question.ask))
              << wrapped(words_of(streams, question.why), 5, width);
  if (!question.found.empty())
    streams.err << "     " << words_of(streams, "found: " + question.found) << "\n";
  streams.err << fmt::format("     {} [{}]: ", question.setting, question.answer) << std::flush;
}

// A line that a person types; nullopt: the input ended.
std::optional<std::string> next_line(Lines& lines) {
  for (;;) {
    if (auto line = lines.take()) return line;
    if (lines.fd() < 0) return std::nullopt;
    pollfd waiting{lines.fd(), POLLIN, 0};
    ::poll(&waiting, 1, -1);
  }
}

// What one setting does here, tried without changing anything. false: it does not work, which has been said.
bool works(std::string_view setting, const Options& options, const Place& place, const Streams& streams) {
  if (!place.try_setting) return true;
  const auto came = place.try_setting(options, setting, place.node);
  if (!came) return true;
  if (*came) {
    streams.err << "     " << words_of(streams, "tried: " + **came) << "\n";
    return true;
  }
  complain(streams, came->error());
  return false;
}

bool all_work(const Answers& answers, const Options& options, const Place& place, const Streams& streams) {
  bool all = true;
  for (const auto& [setting, answer] : answers)
    if (!answer.empty() && !works(setting, options, place, streams)) all = false;
  return all;
}

// Of an answer, not of a line in the file that is still to be written.
Error without_place(Error error, const Environment& environment) {
  const std::string place = destination(environment) + ":";
  if (!error.reason.starts_with(place)) return error;
  const std::size_t setting = error.reason.find(": ", place.size());
  if (setting != std::string::npos) error.reason.erase(0, setting + 2);
  return error;
}

// Asks until the answer can be used. One that does not work when it is tried is asked again; given a second
// time it is taken, since the site may be about to make it work. nullopt: the input ended.
std::optional<std::string> ask(const Question& question, const Answers& so_far, const Parsed& parsed,
                               const Environment& environment, const Place& place, Lines& lines,
                               const Streams& streams) {
  std::optional<std::string> failed;
  for (;;) {
    const auto line = next_line(lines);
    if (!line) return std::nullopt;
    const std::string answer = line->empty() ? failed.value_or(question.answer) : *line == "-" ? "" : *line;
    if (failed == answer) return answer;
    Answers all = so_far;
    all[std::string(question.setting)] = answer;
    const auto options = with_answers(parsed, environment, all, "doctor");
    if (!options)
      complain(streams, without_place(options.error(), environment));
    else if (answer.empty() || works(question.setting, *options, place, streams))
      return answer;
    else
      failed = answer;
    if (failed) streams.err << "     " << words_of(streams, "Enter keeps this answer all the same") << "\n";
    streams.err << fmt::format("     {} [{}]: ", question.setting, failed.value_or(question.answer))
                << std::flush;
  }
}

Result<Answers> answers_in(const std::string& path, const std::vector<Question>& asked) {
  constexpr std::string_view what = "cannot read the answers";
  auto files = read_files({path});
  if (!files) return files.error();
  if (files->empty())
    return Error{std::string(what), path + ": " + std::strerror(ENOENT),
                 "name a YAML file with setting: answer"};
  auto root = parse_yaml(files->front().text, path);
  if (!root) return root.error();
  Answers answers;
  if (root->is_null()) return answers;
  if (root->kind != Yaml::Kind::map) return yaml_error(what, path, *root, "not a map of settings");
  for (const auto& [name, node] : root->fields) {
    const bool known =
        std::any_of(asked.begin(), asked.end(), [&](const Question& one) { return one.setting == name; });
    if (!known) return yaml_error(what, path, node, "\"" + clean(name, 100) + "\" is not asked here");
    if (node.kind != Yaml::Kind::scalar) return yaml_error(what, path, node, "not a single value");
    answers[name] = node.scalar;
  }
  return answers;
}

struct Looked {
  Model model;
  std::vector<insight::Finding> findings;  // warnings and worse
  std::vector<std::string> failures;       // of sources
};

// Opens the clusters, waits for their answers, and closes them again. The exit code where that failed, which
// has been said then.
std::variant<Looked, int> look(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                               const Streams& streams) {
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = clusters.start(options.cluster)) return *failed;
  if (!clusters.wait_until_loaded()) return kFinding;
  Looked looked;
  looked.model = clusters.model();
  if (looked.model.clusters.size() < clusters.backends().size() && options.cluster.empty())
    looked.failures.emplace_back("a cluster has not answered at all");
  for (const Cluster& cluster : looked.model.clusters) {
    if (!insight::is_read_whole(cluster))
      looked.failures.push_back(cluster.name.text + ": no complete answer");
    for (const auto& [source, health] : cluster.sources)
      if (health.failure)
        looked.failures.push_back(cluster.name.text + ", " + std::string(word(source)) + ": " +
                                  to_line(*health.failure));
    for (insight::Finding& one : doctor_findings(looked.model, cluster, catalogue, options, clusters.wall()))
      if (one.severity == Severity::danger || one.severity == Severity::warning)
        looked.findings.push_back(std::move(one));
  }
  return looked;
}

void tell_look(const Looked& looked, const Streams& streams) {
  std::size_t nodes = 0, gpus = 0;
  for (const Cluster& cluster : looked.model.clusters) {
    nodes += cluster.nodes.size();
    for (const Node& node : cluster.nodes.all()) gpus += node.gpus.size();
  }
  streams.err << words_of(streams,
                          fmt::format("looked with these answers. Known now: clusters {}, nodes {}, GPUs {}",
                                      looked.model.clusters.size(), nodes, gpus))
              << "\n";
  for (const std::string& failure : looked.failures)
    streams.err << "  !! " << words_of(streams, failure) << "\n";
  if (!looked.findings.empty())
    streams.err << words_of(streams,
                            fmt::format("findings: {}; tessera doctor lists them", looked.findings.size()))
                << "\n";
}

// A node of the Slurm cluster that answers, with GPUs where there is one; any other is better than none.
NodeName node_to_try(const Model& found) {
  const Node* best = nullptr;
  const auto rank = [](const Node& node) { return 2 * (node.health == Health::ok) + !node.gpus.empty(); };
  for (const Cluster& cluster : found.clusters)
    if (cluster.scheduler == Scheduler::slurm)
      for (const Node& node : cluster.nodes.all())
        if (!best || rank(node) > rank(*best)) best = &node;
  return best ? best->name : NodeName();
}

bool has_slurm(const Model& found) {
  return std::any_of(found.clusters.begin(), found.clusters.end(),
                     [](const Cluster& cluster) { return cluster.scheduler == Scheduler::slurm; });
}

// What flags and variables say of the clusters themselves; a file that says it already is read in any case.
std::map<std::string, std::string> named_clusters(const Parsed& parsed, const Environment& environment) {
  std::map<std::string, std::string> named;
  const auto settings = settings_with(parsed, environment, {});
  if (!settings) return named;
  for (const char* name : {"slurm-conf", "kubeconfig", "context"})
    if (auto it = settings->find(name); it != settings->end() && it->second.from != "default")
      named[name] = it->second.value;
  return named;
}

Surroundings surroundings(const Model& found, const Options& options, const Joins& joins) {
  Surroundings here;
  if (joins.machine.contexts) here.contexts = joins.machine.contexts(options);
  here.ssh = joins.machine.find_program && joins.machine.find_program("ssh").has_value();
  if (has_slurm(found) && joins.machine.try_setting) {
    const auto came = joins.machine.try_setting(options, "slurm-files", NodeName());
    here.writes_conf = came && *came;
  }
  return here;
}

// What is set already is what Enter takes.
std::vector<Question> with_present(std::vector<Question> asked, const Parsed& parsed,
                                   const Environment& environment) {
  const auto settings = settings_with(parsed, environment, {});
  if (!settings) return asked;
  for (Question& one : asked) {
    auto it = settings->find(std::string(one.setting));
    if (it != settings->end() && it->second.from != "default") one.answer = it->second.value;
  }
  return asked;
}

// From the file where there is one, else from the person. nullopt: the input ended.
Result<std::optional<Answers>> take_answers(const Parsed& parsed, const Environment& environment,
                                            const std::vector<Question>& asked, const Place& place,
                                            const Streams& streams) {
  const auto file = parsed.flags.find("answers");
  if (file != parsed.flags.end()) {
    auto answers = answers_in(file->second, asked);
    if (!answers) return answers.error();
    if (auto options = with_answers(parsed, environment, *answers, "doctor"); !options)
      return without_place(options.error(), environment);
    return std::optional(std::move(*answers));
  }
  if (!streams.asks)
    return Error{"cannot ask", "standard input and the messages are no terminal", "give --answers FILE"};
  streams.err << words_of(streams,
                          "Enter takes the answer in brackets; - leaves the setting out. Nothing is changed.")
              << "\n";
  Lines lines(streams.in_fd);
  Answers answers;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    show(asked[i], i + 1, asked.size(), streams);
    auto answer = ask(asked[i], answers, parsed, environment, place, lines, streams);
    if (!answer) return std::optional<Answers>();
    answers[std::string(asked[i].setting)] = std::move(*answer);
  }
  return std::optional(std::move(answers));
}

}  // namespace

int run_init(const Parsed& parsed, const Environment& environment, const mig::Catalogue& catalogue,
             const Joins& joins, const Streams& streams) {
  const bool print = parsed.flags.contains("print");
  const std::string path = destination(environment);
  std::error_code ignored;
  if (!print && std::filesystem::exists(path, ignored))
    return refuse(streams,
                  {"cannot write " + path, "it is there already",
                   "edit it, or move it away; --print prints what init would write"},
                  kUsage);
  const auto bare = with_answers(parsed, environment, {}, "nodes");
  if (!bare) return refuse(streams, bare.error(), kUsage);
  const auto first = look(*bare, catalogue, joins, streams);
  if (const int* code = std::get_if<int>(&first)) return *code;
  const Looked& found = std::get<Looked>(first);
  if (!found.failures.empty())
    return refuse(streams,
                  {"cannot ask before the clusters have answered", found.failures.front(),
                   "try again with a longer --timeout; tessera doctor lists what is wrong"},
                  kUnknown);
  Surroundings here = surroundings(found.model, *bare, joins);
  here.named = named_clusters(parsed, environment);
  const std::vector<Question> asked = with_present(questions(found.model, here), parsed, environment);
  const Place place{joins.machine.try_setting, node_to_try(found.model)};
  const auto answers = take_answers(parsed, environment, asked, place, streams);
  if (!answers) return refuse(streams, answers.error(), kUsage);
  if (!*answers) return refuse(streams, {"nothing is written", "the answers ended", ""}, kFinding);
  const auto options = with_answers(parsed, environment, **answers, "doctor");
  if (!options) return refuse(streams, options.error(), kUsage);
  // A person has seen each of them tried.
  const bool broken = parsed.flags.contains("answers") && !all_work(**answers, *options, place, streams);
  const auto second = look(*options, catalogue, joins, streams);
  if (const int* code = std::get_if<int>(&second)) return *code;
  const Looked* looked = &std::get<Looked>(second);
  tell_look(*looked, streams);
  const std::string text = configuration(asked, **answers);
  if (print) return streams.out << text, kDone;
  if (broken)
    return refuse(streams,
                  {"nothing is written", "an answer does not work, as shown above",
                   "answer otherwise, or take --print"},
                  kFinding);
  if (!looked->failures.empty())
    return refuse(
        streams,
        {"nothing is written", "with these answers a source fails", "answer otherwise, or take --print"},
        kFinding);
  if (Status written = write_new(path, text, "tessera init --print prints it instead"); !written)
    return refuse(streams, written.error(), kUsage);
  streams.out << path << "\n";
  return kDone;
}

}  // namespace tessera::cli
