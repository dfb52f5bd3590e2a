#include "tui/cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/embedded.hpp"
#include "engine/query/tables.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/slurmconf/generate.hpp"
#include "engine/text.hpp"
#include "tui/action.hpp"
#include "tui/cli/advise/advise.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/journal.hpp"
#include "tui/cli/change/node.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/fleet/fleet.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/help/completion.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/help/manual.hpp"
#include "tui/cli/init/init.hpp"
#include "tui/cli/layouts.hpp"
#include "tui/cli/list.hpp"
#include "tui/cli/look.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/pack/pack.hpp"
#include "tui/cli/parse.hpp"
#include "tui/cli/record/record.hpp"
#include "tui/cli/record/usage.hpp"
#include "tui/cli/record/waste.hpp"
#include "tui/cli/settings.hpp"
#include "tui/cli/users.hpp"
#include "tui/cli/whatif.hpp"
#include "tui/cli/why.hpp"
#include "tui/version.hpp"

namespace tessera::cli {
namespace {

// The built-in catalogue with the site's additions, /etc first, so that a person's own file counts more.
Result<mig::Catalogue> load_catalogue(const Environment& environment) {
  auto catalogue = mig::Catalogue::built_in();
  if (!catalogue) return catalogue;
  auto files = read_files(paths_of("catalogue.yaml", environment));
  if (!files) return files.error();
  for (auto file = files->rbegin(); file != files->rend(); ++file) {
    catalogue = catalogue->with_site(file->text, file->path);
    if (!catalogue) return catalogue;
  }
  return catalogue;
}

// "keys-vim.yaml" → "vim"
std::vector<std::string> names_of(std::span<const embedded::File> files, std::string_view prefix) {
  std::vector<std::string> names;
  for (const embedded::File& file : files) {
    std::string_view name = file.name;
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    if (name.ends_with(".yaml")) name.remove_suffix(5);
    names.emplace_back(name);
  }
  return names;
}

template <class Row>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const query::Column<Row>& column : query::columns<Row>()) names.emplace_back(column.key);
  return names;
}

// What --preset takes on any of these products: the operator's names, then those of the platforms' tables.
std::vector<std::string> preset_names(const mig::Catalogue& catalogue) {
  std::vector<std::string> names;
  auto add = [&](std::vector<sharing::Preset> presets) {
    for (sharing::Preset& one : presets)
      if (std::find(names.begin(), names.end(), one.name) == names.end())
        names.push_back(std::move(one.name));
  };
  for (const mig::Product& product : catalogue.products()) add(sharing::operator_presets(product));
  if (const auto tables = sharing::built_in_presets())
    for (const mig::Product& product : catalogue.products())
      for (const sharing::PresetTable& table : *tables)
        add(sharing::presets(product, table.platform, {&table, 1}));
  return names;
}

int run_completion(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                   const Streams& streams) {
  CompletionWords words;
  for (const mig::Product& product : catalogue.products()) {
    if (product.placements_known) words.products.push_back(product.key.text);
  }
  words.scenarios = joins.scenarios;
  words.themes = names_of(embedded::themes(), "");
  words.keymaps = names_of(embedded::keymaps(), "keys-");
  words.presets = preset_names(catalogue);
  words.columns = {{"nodes", column_names<query::NodeRow>()},
                   {"gpus", column_names<query::GpuRow>()},
                   {"slices", column_names<query::SliceRow>()},
                   {"workloads", column_names<query::WorkloadRow>()}};
  std::string shell = options.words.empty() ? "" : options.words.front();
  if (shell == "bash") {
    streams.out << bash_completion(words);
  } else if (shell == "zsh") {
    streams.out << zsh_completion(words);
  } else if (shell == "fish") {
    streams.out << fish_completion(words);
  } else {
    return refuse(streams, {"cannot use these arguments", "which shell?", "tessera completion bash|zsh|fish"},
                  kUsage);
  }
  return kDone;
}

std::string paths_text(const Environment& environment) {
  std::string text;
  for (std::string_view name : {"config.yaml", "catalogue.yaml", "flowchart.yaml"}) {
    for (const std::string& path : paths_of(name, environment)) {
      auto files = read_files({path});
      std::string_view state = !files ? "cannot be read" : files->empty() ? "not there" : "read";
      text += fmt::format("{:<15} {}\n", state, path);
    }
  }
  return text;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  std::size_t width = 0;
  for (const Flag& flag : flags()) width = std::max(width, flag.name.size());
  for (const Flag& flag : flags()) {
    if (flag.section == Section::general || flag.section == Section::layouts) continue;
    if (flag.section == Section::change || flag.section == Section::run) continue;
    if (flag.section == Section::guide && !flag.in_file) continue;  // what is asked, not how we are set up
    auto it = settings.find(std::string(flag.name));
    std::string value = it == settings.end() ? (flag.value.empty() ? "false" : "-") : it->second.value;
    text += fmt::format("{:<{}} {:<20} {}\n", flag.name, width, value,
                        it == settings.end() ? "not set" : it->second.from);
  }
  return text;
}

// Commands that ask a cluster and are no lists.
using Runner = int (*)(const Options&, const mig::Catalogue&, const Joins&, const Streams&);
Runner runner_of(std::string_view command) {
  constexpr std::pair<std::string_view, Runner> kRunners[] = {
      {"plan", run_plan},       {"apply", run_apply},   {"undo", run_undo},   {"resume", run_resume},
      {"journal", run_journal}, {"doctor", run_doctor}, {"users", run_users}, {"why", run_why},
      {"record", run_record},   {"diff", run_diff},     {"usage", run_usage}, {"waste", run_waste},
      {"pack", run_pack},       {"whatif", run_whatif}, {"node", run_node},   {"fleet", run_fleet},
      {"advise", run_advise}};
  for (const auto& [name, runner] : kRunners)
    if (name == command) return runner;
  return nullptr;
}

int print_manual(const Parsed& parsed, const Streams& streams) {
  const std::string page = parsed.words.size() > 1 ? parsed.words[1] : "tessera.1";
  if (auto text = manual(page, tui::version())) return streams.out << *text, kDone;
  return refuse(streams,
                {"cannot use these arguments", "no page is called \"" + clean(page, 100) + "\"",
                 "tessera config pages lists them"},
                kUsage);
}

int print_lines(const std::vector<std::string>& lines, const Streams& streams) {
  for (const std::string& line : lines) streams.out << line << "\n";
  return kDone;
}

// What Slurm itself does not do about MPS.
std::optional<std::string> mps_script(std::string_view topic) {
  if (!topic.starts_with("mps-")) return std::nullopt;
  slurmconf::MpsScripts all = slurmconf::mps_scripts("/run/tessera-mps");
  if (topic == "mps-prolog") return all.prolog;
  if (topic == "mps-task-prolog") return all.task_prolog;
  if (topic == "mps-epilog") return all.epilog;
  if (topic == "mps-job") return all.job;
  return std::nullopt;
}

// A command whose settings are known; its messages are in the reader's language.
int run_command(const Options& options, const Environment& environment, const Joins& joins,
                const Streams& streams) {
  auto catalogue = load_catalogue(environment);
  if (!catalogue) return refuse(streams, catalogue.error(), kUsage);
  if (options.command == "layouts") return run_layouts(options, *catalogue, streams);
  if (options.command == kSimulator) return run_sim(options, *catalogue, joins.scenarios, joins.sim, streams);
  if (options.command == "guide") {
    auto texts = load_guide_texts(environment);
    if (!texts) return refuse(streams, texts.error(), kUsage);
    const bool document = options.output == OutputFormat::json || options.output == OutputFormat::yaml;
    if (options.reader && !document) texts = (*texts)->in_language(word(options.language));
    if (!texts) return refuse(streams, texts.error(), kUsage);
    return run_guide(options, *catalogue, **texts, joins, streams);
  }
  if (options.command == "completion") return run_completion(options, *catalogue, joins, streams);
  if (auto* run = runner_of(options.command)) return run(options, *catalogue, joins, streams);
  if (!options.command.empty() && options.command != "replay")
    return run_list(options, *catalogue, joins, streams);
  if (!joins.has_terminal) {
    return refuse(streams,
                  {"cannot open the console", "standard input and output are no terminal",
                   "tessera nodes, gpus, slices and workloads print for scripts"},
                  kUsage);
  }
  Opening opening = joins.open(options, *catalogue);
  if (opening.failure) return refuse(streams, *opening.failure, opening.exit_code);
  auto shown = chosen(opening.backends, options.cluster);
  if (!shown) return refuse(streams, shown.error(), kUsage);
  return joins.console(options, *catalogue, *shown, opening.runs.get());
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Environment& environment, const Joins& joins,
        const Streams& streams) {
  auto parsed = parse_arguments(arguments);
  if (!parsed) return refuse(streams, parsed.error(), kUsage);
  if (parsed->command == kSimulator && !joins.sim)
    return refuse(streams,
                  {"cannot use these arguments", "the simulator's own commands are a program beside tessera",
                   "tessera-sim --help; tessera --sim shows a simulated cluster"},
                  kUsage);
  // Help must not depend on a configuration that may be what is broken.
  if (parsed->flags.contains("help")) {
    streams.out << as_called(help_text(*find_command(parsed->command)), streams.program);
    return kDone;
  }
  if (parsed->flags.contains("version")) {
    streams.out << streams.program << " " << tui::version_line() << "\n";
    return kDone;
  }
  // Nor must what looks for the fault.
  if (parsed->command == "about") return run_about(*parsed, environment, joins.machine, streams);
  if (parsed->command == "doctor" && parsed->flags.contains("self"))
    return run_self_check(*parsed, environment, joins.machine, joins.wall(), streams);
  if (parsed->command == "init") {
    auto catalogue = load_catalogue(environment);
    if (!catalogue) return refuse(streams, catalogue.error(), kUsage);
    return run_init(*parsed, environment, *catalogue, joins, streams);
  }
  std::string topic = parsed->command == "config" && !parsed->words.empty() ? parsed->words.front() : "";
  if (topic != "man" && !topic.empty() && parsed->words.size() > 1)
    return refuse(streams,
                  {"cannot use these arguments", "unexpected word \"" + clean(parsed->words[1], 100) + "\"",
                   "tessera config " + clean(topic, 100) + " stands alone"},
                  kUsage);
  if (topic == "man") return print_manual(*parsed, streams);
  if (topic == "pages") return print_lines(manual_pages(), streams);
  if (topic == "example") return streams.out << example_configuration(), kDone;
  if (topic == "keys") return streams.out << tui::keys_markdown(), kDone;
  if (topic == "fleet-unit") return streams.out << fleet_unit(), kDone;
  if (topic == "record-unit") return streams.out << record_unit(), kDone;
  if (topic == "keymap") return streams.out << tui::keys_yaml(), kDone;
  if (auto script = mps_script(topic)) return streams.out << *script, kDone;
  if (topic == "path") return streams.out << paths_text(environment), kDone;

  auto files = read_configuration(paths_of("config.yaml", environment));
  if (!files) return refuse(streams, files.error(), kUsage);
  auto settings = gather(*parsed, environment, *files);
  if (!settings) return refuse(streams, settings.error(), kUsage);
  auto options = to_options(*parsed, *settings);
  if (!options) return refuse(streams, options.error(), kUsage);
  if (Status read = load_intent_file(*options); !read) return refuse(streams, read.error(), kUsage);
  options->paper = streams.paper;
  options->paper.colour = options->paper.colour && options->color;
  options->paper.ascii = options->ascii;
  if (parsed->command == "config") {
    if (topic == "print") return streams.out << settings_text(*settings), kDone;
    return refuse(streams,
                  {"cannot use these arguments",
                   topic.empty() ? "config needs one of: path, print, example, man, ..." : topic,
                   "tessera config path|print|example|man|pages|keys|keymap"},
                  kUsage);
  }

  Streams told = streams;
  told.reader = options->reader;
  return run_command(*options, environment, joins, told);
}

}  // namespace tessera::cli
