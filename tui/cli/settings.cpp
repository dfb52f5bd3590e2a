#include "tui/cli/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "engine/hostlist.hpp"
#include "engine/number.hpp"
#include "engine/slurmconf/settings.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/setting_reader.hpp"
#include "tui/cli/usage_settings.hpp"
#include "tui/text_file.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kByDefault = "default";  // Setting::from
constexpr Duration kLongestWait = std::chrono::hours(60 * 24);
constexpr std::size_t kMostGpus = 64;

// RFC 1123 label.
bool is_namespace(const std::string& name) {
  auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::vector<std::string> split_commas(std::string_view text) {
  const std::vector<std::string_view> parts = parts_at_commas(text);
  return {parts.begin(), parts.end()};
}

Status add_file(Settings& settings, const TextFile& file) {
  constexpr std::string_view what = "cannot read the configuration";
  Result<Yaml> root = parse_yaml(file.text, file.path);
  if (!root) return root.error();
  if (root->is_null()) return Done{};
  if (root->kind != Yaml::Kind::map) return yaml_error(what, file.path, *root, "not a map of settings");
  for (const auto& [key, node] : root->fields) {
    const Flag* flag = find_flag(key);
    if (!flag || !flag->in_file) {
      Error error = yaml_error(what, file.path, node, "unknown setting \"" + clean(key, 100) + "\"");
      std::vector<std::string_view> known;
      for (const Flag& each : flags()) {
        if (each.in_file) known.push_back(each.name);
      }
      std::string near = nearest(key, known);
      error.hint = near.empty() ? "tessera config print lists the settings" : "did you mean " + near + "?";
      return error;
    }
    if (node.kind != Yaml::Kind::scalar)
      return yaml_error(what, file.path, node, key + ": not a single value");
    settings.insert_or_assign(std::string(flag->name),
                              Setting{node.scalar, file.path + ":" + std::to_string(node.line)});
  }
  return Done{};
}

void add_environment(Settings& settings, const Environment& environment) {
  for (const Flag& flag : flags()) {
    if (flag.environment.empty()) continue;
    if (std::string value = value_of(environment, std::string(flag.environment)); !value.empty())
      settings.insert_or_assign(std::string(flag.name),
                                Setting{std::move(value), std::string(flag.environment)});
  }
  // By its own convention any value counts, "0" too.
  if (!value_of(environment, "NO_COLOR").empty())
    settings.insert_or_assign("no-color", Setting{"true", "NO_COLOR"});
}

// The locale counts least of all: it was not said to tessera.
void add_locale(Settings& settings, const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (const std::string locale = value_of(environment, name); !locale.empty()) {
      settings.insert_or_assign("language",
                                Setting{std::string(word(tui::language_of_locale(locale))), name});
      return;
    }
  }
}

OutputFormat read_output(SettingReader& reader) {
  constexpr std::string_view names[] = {"table", "wide", "json", "yaml", "csv"};
  std::string text = reader.text("output");
  auto it = std::find(std::begin(names), std::end(names), text);
  if (it == std::end(names)) {
    if (const Setting* setting = reader.find("output")) {
      reader.complain(bad("output", *setting, "table, wide, json, yaml or csv"));
    }
    return OutputFormat::table;
  }
  return static_cast<OutputFormat>(it - std::begin(names));
}

tui::Language read_language(SettingReader& reader) {
  const Setting* setting = reader.find("language");
  if (!setting) return tui::Language::en;
  auto language = tui::parse_language(setting->value);
  if (!language) reader.complain(bad("language", *setting, "en or ja"));
  return language.value_or(tui::Language::en);
}

// "Q2=yes,Q5=no"
std::vector<std::pair<std::string, bool>> read_answers(SettingReader& reader) {
  std::vector<std::pair<std::string, bool>> answers;
  for (const std::string& one : split_commas(reader.text("answer"))) {
    const std::size_t equals = one.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : switch_value(one.substr(equals + 1));
    if (!value || equals == 0) {
      reader.complain(bad("answer", *reader.find("answer"), "write Q2=yes or Q2=no"));
      break;
    }
    answers.emplace_back(one.substr(0, equals), *value);
  }
  return answers;
}

std::optional<sharing::Platform> read_platform(SettingReader& reader) {
  const Setting* setting = reader.find("platform");
  if (!setting) return std::nullopt;
  auto platform = sharing::parse_platform(setting->value);
  if (!platform)
    reader.complain(bad("platform", *setting, "one of: " + std::string(find_flag("platform")->words)));
  return platform;
}

guide::SiteFacts read_site(SettingReader& reader) {
  guide::SiteFacts site;
  site.licence = reader.choice("licence");
  if (site.licence) site.licence_source = reader.find("licence")->from;
  site.isolation = reader.choice("isolation");
  if (site.isolation) site.isolation_source = reader.find("isolation")->from;
  return site;
}

// "physics=16,team-ml=8"
std::map<std::string, std::int64_t> read_quotas(SettingReader& reader) {
  std::map<std::string, std::int64_t> quotas;
  for (const std::string& one : split_commas(reader.text("quota"))) {
    const std::size_t equals = one.rfind('=');
    std::optional<std::int64_t> number;
    if (equals != std::string::npos && equals > 0)
      number = whole_number<std::int64_t>(std::string_view(one).substr(equals + 1));
    if (!number) {
      reader.complain(
          bad("quota", *reader.find("quota"), "accounts or namespaces and their GPUs: physics=16,ml=8"));
      break;
    }
    quotas[one.substr(0, equals)] = *number;
  }
  return quotas;
}

plan::SiteRules read_rules(SettingReader& reader, std::optional<sharing::Platform> platform) {
  constexpr std::string_view strategies[] = {"none", "single", "mixed"};
  plan::SiteRules rules;
  rules.platform = platform;
  if (const Setting* setting = reader.find("plugin-strategy")) {
    auto it = std::find(std::begin(strategies), std::end(strategies), setting->value);
    if (it == std::end(strategies))
      reader.complain(bad("plugin-strategy", *setting, "none, single or mixed"));
    else
      rules.strategy = static_cast<sharing::MigStrategy>(it - std::begin(strategies));
  }
  rules.rename_shared = reader.choice("rename-shared");
  rules.refuse_several = reader.choice("fail-requests-greater-than-one");
  rules.quotas = read_quotas(reader);
  rules.default_cpus_per_gpu = reader.number<int>("default-cpus-per-gpu", "a whole number of processors");
  rules.billed_by_gpu = reader.on("billed-by-gpu");
  return rules;
}

mig::Which read_which(SettingReader& reader) {
  bool all = reader.on("all"), maximal = reader.on("maximal"), undominated = reader.on("undominated");
  if (all + maximal + undominated > 1) {
    reader.complain(Error{std::string(kReadingSettings),
                          "--all, --maximal and --undominated exclude each other", "give one of them"});
  }
  return all ? mig::Which::all : maximal ? mig::Which::maximal : mig::Which::undominated;
}

void read_change(SettingReader& reader, Options& options) {
  options.nodes = reader.text("node");
  if (const Setting* gpus = reader.find("gpu")) {
    auto numbers = expand_numbers(gpus->value, kMostGpus);
    if (!numbers) reader.complain(bad("gpu", *gpus, "numbers counted from 0, like 0,2-3"));
    for (int number : numbers.value_or(std::vector<int>{})) options.gpus.push_back(GpuIndex{number});
  }
  if (const Setting* layout = reader.find("layout")) options.layout = layout->value;
  options.boards_file = reader.text("boards");
  options.fleet_file = reader.text("fleet");
  options.for_queue = reader.on("for-queue");
  options.for_history = reader.duration("for-history", 3650 * kDay, "a time from 1s to 3650d, like 30d");
  options.ends_within = reader.text("ends-within");
  options.partition = reader.text("partition");
  options.plan_it = reader.on("plan");
  options.apply_it = reader.on("apply");
  options.days = reader.whole("days", 1, 366, "days from 1 to 366").value_or(options.days);
  options.intent_file = reader.text("intent");
  options.preset = reader.text("preset");
  options.strategy = reader.text("strategy");
  options.replicas = reader.number<int>("replicas", "a whole number");
  options.vgpu = reader.text("vgpu");
  options.at = reader.text("at");
  // Said for this change; what a file says is the site's word (SiteRules).
  const auto wished = [&](const std::string& name) {
    const Setting* setting = reader.find(name);
    return setting && setting->from == "--" + name ? reader.choice(name) : std::nullopt;
  };
  options.switches.rename_shared = wished("rename-shared");
  options.switches.refuse_several = wished("fail-requests-greater-than-one");
  plan::ChangeOptions& change = options.change;
  if (const Setting* way = reader.find("way")) {
    auto known = plan::parse_way(way->value);
    if (!known) reader.complain(bad("way", *way, "wait, requeue or cancel"));
    change.way = known.value_or(plan::Way::wait);
  }
  change.when_empty = reader.on("when-empty");
  change.wait = reader.duration("wait", kLongestWait, "a time from 1s to 60d, like 30m, 12h or 3d");
  if (const Setting* what = reader.find("on-failure")) {
    change.on_failure = what->value == "undo" ? plan::OnFailure::undo : plan::OnFailure::park;
    if (what->value != "undo" && what->value != "park")
      reader.complain(bad("on-failure", *what, "park or undo"));
  }
  change.break_lock = reader.on("break-lock");
  change.canary = reader.number<int>("canary", "a whole number; 0: none").value_or(change.canary);
  change.batch = reader.number<int>("batch", "a whole number from 1 on").value_or(change.batch);
  if (change.batch < 1) reader.complain(bad("batch", *reader.find("batch"), "a whole number from 1 on"));
  const auto given = [&](const char* flag, int value) {
    const Setting* said = reader.find(flag);
    return said && said->from != kByDefault ? std::optional(value) : std::nullopt;
  };
  options.canary = given("canary", change.canary), options.batch = given("batch", change.batch);
}

void read_run(SettingReader& reader, Options& options) {
  // What was only tried out goes into the site's folder when that was said on the command line.
  const Setting* runs = reader.find("runs");
  if (runs && (!options.sim || runs->from == "--runs")) options.runs = runs->value;
  options.yes = reader.on("yes");
  options.dry_run = reader.on("dry-run");
  options.replan = reader.on("replan");
  options.back = reader.on("back");
  options.accept_harm = reader.on("accept-harm");
  options.go_on = reader.on("go-on");
  options.due = reader.on("due");
  options.messages = reader.on("messages");
  options.hours = reader.whole("hours", 1, 720, "hours from 1 to 720").value_or(options.hours);
  options.patch = reader.on("patch");
}

// "10M", "2GiB": bytes, in steps of 1024.
std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto value = take_number<std::int64_t>(text, 1'000'000'000);
  if (!value) return std::nullopt;
  std::string unit = lower(text);
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  constexpr std::pair<std::string_view, int> kUnits[] = {{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}};
  for (const auto& [name, shift] : kUnits)
    if (unit == name) return *value << shift;
  return std::nullopt;
}

// "7d=10m"
std::optional<record::Thin> parse_thin(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto age = parse_duration(text.substr(0, equals)), every = parse_duration(text.substr(equals + 1));
  if (!age || *age < kDay || *age > 3650 * kDay) return std::nullopt;
  if (!every || *every < kShortest || *every > record::kThinnest) return std::nullopt;
  return record::Thin{*age, *every};
}

void read_recording(SettingReader& reader, Options& options) {
  options.recording = reader.text("recording");
  if (auto age = reader.duration("keep", 3650 * kDay, "a time from 1s to 3650d, like 30d"))
    options.keep.age = *age;
  if (const Setting* size = reader.find("max-size")) {
    auto bytes = parse_size(size->value);
    if (!bytes) reader.complain(bad("max-size", *size, "a size like 500MiB or 2GiB"));
    options.keep.bytes = bytes.value_or(0);
  }
  if (const Setting* thin = reader.find("thin")) {
    options.keep.thin = parse_thin(thin->value);
    if (!options.keep.thin)
      reader.complain(bad("thin", *thin, "an age from 1d and a time from 1s to 10m, like 7d=10m"));
  }
  if (auto every = reader.duration("every", kDay, "a time from 1s to 1d, like 60s")) options.every = *every;
  if (const auto rounds = reader.whole("rounds", 1, 1'000'000'000, "a whole number from 1"))
    options.rounds = *rounds;
  options.hash_names = reader.text("hash-names");
  options.speed = reader.number<double>("speed", "a number that is not negative").value_or(0);
  options.from = reader.text("from");
  options.to = reader.text("to");
  read_usage(reader, options);
}

std::shared_ptr<const slurmconf::SlurmSetup> read_slurm(SettingReader& reader) {
  slurmconf::SlurmSettings texts{reader.text("slurm-runner"),
                                 reader.text("slurm-files"),
                                 reader.text("slurm-restart-controller"),
                                 reader.text("slurm-restart-node"),
                                 reader.text("slurm-stop-clients"),
                                 reader.text("slurm-start-clients"),
                                 reader.text("slurm-boot-file"),
                                 reader.text("slurm-devices"),
                                 reader.text("slurm-mig-tool"),
                                 reader.text("slurm-boot-unit")};
  auto look = reader.duration("slurm-look-deadline", std::chrono::minutes(10),
                              "a time from 1s to 10m: how long a node may take to answer one question");
  auto site = slurmconf::slurm_setup_of(texts);
  if (site && look) site->look_deadline = *look;
  if (site) return std::make_shared<const slurmconf::SlurmSetup>(std::move(*site));
  // "slurm-runner: …": the setting that it is about reports where it came from.
  Error error = site.error();
  const Setting* setting = reader.find(error.reason.substr(0, error.reason.find(':')));
  if (setting) error.reason = setting->from + ": " + error.reason;
  reader.complain(std::move(error));
  return std::make_shared<const slurmconf::SlurmSetup>();
}

// What the command line says beats the environment and the files; on the command line the careful one wins.
bool read_write(const Parsed& parsed, SettingReader& reader) {
  bool write = reader.on("write"), readonly = reader.on("readonly");
  return write && (!readonly || !parsed.flags.contains("readonly"));
}

// Which clusters, how they are reached, and whether they may be changed.
void read_clusters(const Parsed& parsed, SettingReader& reader, Options& options) {
  options.cluster = reader.text("cluster");
  if (reader.find("sim")) options.sim = reader.text("sim");
  if (options.sim == "default" || (!options.sim && reader.find("sim-state"))) options.sim = "";
  options.sim_seed = reader.number<std::uint64_t>("sim-seed", "a whole number");
  options.sim_speed = reader.number<double>("sim-speed", "a number that is not negative; 0 stands still");
  options.sim_state = reader.text("sim-state");
  options.serve_kubernetes = reader.on("kubernetes");
  options.listen = reader.text("listen");
  options.kubeconfig_out = reader.text("kubeconfig-out");
  options.user_ports = reader.text("user-port");
  options.slurm_conf = reader.text("slurm-conf");
  options.slurm_site = read_slurm(reader);
  options.kubeconfig = reader.text("kubeconfig");
  options.contexts = split_commas(reader.text("context"));
  options.rbac = reader.on("rbac");
  options.operator_namespace = reader.text("operator-namespace");
  options.group = reader.text("group");
  if (const Setting* setting = reader.find("operator-namespace"); setting && !is_namespace(setting->value))
    reader.complain(
        bad("operator-namespace", *setting, "small letters, digits and dashes: the name of a namespace"));
  for (const Flag& flag : flags())
    if (const Setting* setting = flag.figures ? reader.find(std::string(flag.name)) : nullptr)
      options.figures.emplace(flag.name, *setting);
  options.interval = reader.duration("interval");
  options.write = read_write(parsed, reader);
}

// What a list holds and how it is written.
void read_list(SettingReader& reader, Options& options) {
  options.output = read_output(reader);
  options.filter = reader.text("filter");
  options.sort = split_commas(reader.text("sort"));
  options.columns = split_commas(reader.text("columns"));
  options.headers = !reader.on("no-headers");
  options.watch = reader.on("watch");
  if (auto timeout = reader.duration("timeout")) options.timeout = *timeout;
}

void read_looks(SettingReader& reader, Options& options) {
  options.theme = reader.text("theme");
  options.theme_chosen = reader.find("theme") && reader.find("theme")->from != kByDefault;
  options.keys = reader.text("keys");
  options.color = !reader.on("no-color");
  options.ascii = reader.on("ascii");
  options.mouse = reader.on("mouse");
  options.language = read_language(reader);
  if (auto told = tui::Words::of(options.language))
    options.reader = *told;
  else
    reader.complain(told.error());
}

void read_layouts(const Settings& settings, SettingReader& reader, Options& options) {
  options.which = read_which(reader);
  options.profiles = split_commas(reader.text("profiles"));
  if (const Setting* check = reader.find("check"))
    options.check = check->value;
  else if (settings.contains("check"))
    options.check = "";  // the empty layout is a layout
}

void read_guide(SettingReader& reader, Options& options) {
  options.product = reader.text("product");
  options.answers = read_answers(reader);
  options.platform = read_platform(reader);
  options.site = read_site(reader);
  options.rules = read_rules(reader, options.platform);
  options.compare = reader.on("compare");
  options.scheduler = reader.on("scheduler");
  options.terms = reader.on("terms");
}

}  // namespace

std::string value_of(const Environment& environment, const std::string& name) {
  const auto it = environment.find(name);
  return it == environment.end() ? "" : it->second;
}

std::vector<std::string> paths_of(std::string_view file, const Environment& environment) {
  std::vector<std::string> paths;
  const std::string xdg = value_of(environment, "XDG_CONFIG_HOME");
  const std::string home = value_of(environment, "HOME");
  if (xdg.starts_with('/')) {  // relative ones are to be ignored, says the XDG specification
    paths.push_back(xdg + "/tessera/" + std::string(file));
  } else if (home.starts_with('/')) {
    paths.push_back(home + "/.config/tessera/" + std::string(file));
  }
  paths.push_back("/etc/tessera/" + std::string(file));
  return paths;
}

Result<std::vector<TextFile>> read_files(const std::vector<std::string>& paths, std::uintmax_t most) {
  std::vector<TextFile> files;
  for (const std::string& path : paths) {
    auto text = tui::read_text_file(path, most);
    if (!text)
      return Error{"cannot read " + path, text.error().reason,
                   text.error().hint.empty() ? "make it readable, or move it away" : text.error().hint};
    if (*text) files.push_back({path, std::move(**text)});
  }
  return files;
}

Result<std::vector<TextFile>> read_configuration(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (Status ours = tui::not_everyones(path); !ours) return ours.error();
  return read_files(paths);
}

Result<Settings> gather(const Parsed& parsed, const Environment& environment,
                        const std::vector<TextFile>& files) {
  Settings settings;
  for (const Flag& flag : flags()) {
    if (!flag.fallback.empty()) {
      settings[std::string(flag.name)] = Setting{std::string(flag.fallback), kByDefault};
    }
  }
  add_locale(settings, environment);
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (Status status = add_file(settings, *file); !status) return status.error();
  }
  add_environment(settings, environment);
  for (const auto& [name, value] : parsed.flags) settings.insert_or_assign(name, Setting{value, "--" + name});
  return settings;
}

tui::WordsPtr reader_of(const std::vector<std::string>& arguments, const Environment& environment) {
  constexpr std::string_view kFlag = "--language";
  Parsed said;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string value;
    if (arguments[i] == kFlag && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(std::string(kFlag) + "=")) value = arguments[i].substr(kFlag.size() + 1);
    if (tui::parse_language(value)) said.flags["language"] = value;
  }
  auto files = read_files(paths_of("config.yaml", environment));
  auto settings = gather(said, environment, files ? *files : std::vector<TextFile>{});
  if (!settings) settings = gather(said, environment, {});
  if (!settings) return nullptr;
  const auto found = settings->find("language");
  const auto language = found == settings->end() ? std::nullopt : tui::parse_language(found->second.value);
  auto words = tui::Words::of(language.value_or(tui::Language::en));
  return words ? *words : nullptr;
}

Result<Options> to_options(const Parsed& parsed, const Settings& settings) {
  SettingReader reader(settings);
  Options options;
  options.command = parsed.command;
  options.words = parsed.words;
  options.help = reader.on("help");
  options.version = reader.on("version");
  read_clusters(parsed, reader, options);
  read_list(reader, options);
  read_looks(reader, options);
  read_layouts(settings, reader, options);
  read_change(reader, options);
  read_run(reader, options);
  read_recording(reader, options);
  read_guide(reader, options);
  if (reader.error()) return *reader.error();
  return options;
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto value = take_number<std::int64_t>(text, 1'000'000'000);
  if (!value) return std::nullopt;
  const std::string_view unit = text;
  if (unit == "ms") return Duration{*value};
  if (unit.empty() || unit == "s") return Duration{*value * 1000};
  if (unit == "m" || unit == "min") return Duration{*value * 60'000};
  if (unit == "h") return Duration{*value * 3'600'000};
  if (unit == "d" && *value <= 100'000) return Duration{*value * 86'400'000};
  return std::nullopt;
}

}  // namespace tessera::cli
