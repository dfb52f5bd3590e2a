#include "tui/cli/look.hpp"

#include <algorithm>
#include <memory>

#include "engine/embedded.hpp"
#include "tui/cli/settings.hpp"
#include "tui/fleet_state.hpp"
#include "tui/version.hpp"

namespace tessera::cli {
namespace {

bool is_path(const std::string& name) { return name.find('/') != std::string::npos; }

Result<tui::Keymap> parse_file(const TextFile& file) { return tui::Keymap::parse(file.text, file.path); }

std::string known_keymaps() {
  std::string known;
  for (const embedded::File& file : embedded::keymaps()) {
    std::string_view name = file.name;
    name.remove_prefix(std::min(name.size(), std::string_view("keys-").size()));
    name.remove_suffix(std::min(name.size(), std::string_view(".yaml").size()));
    known += (known.empty() ? "shipped: " : ", ") + std::string(name);
  }
  return known;
}

}  // namespace

Result<tui::Keymap> load_keymap(const std::string& name, const Environment& environment) {
  std::string file_name = "keys-" + name + ".yaml";
  auto files = read_files(is_path(name) ? std::vector<std::string>{name} : paths_of(file_name, environment));
  if (!files) return files.error();
  if (!files->empty()) return parse_file(files->front());
  for (const embedded::File& file : embedded::keymaps()) {
    if (!is_path(name) && file.name == file_name) return tui::Keymap::parse(file.text, file.name);
  }
  return Error{"no such keymap", "\"" + name + "\"", known_keymaps()};
}

Result<std::shared_ptr<const guide::Texts>> load_guide_texts(const Environment& environment) {
  auto texts = guide::Texts::built_in();
  if (!texts) return texts;
  auto files = read_files(paths_of("flowchart.yaml", environment));
  if (!files) return files.error();
  if (files->empty()) return texts;
  return (*texts)->with_flowchart(files->front().text, files->front().path);
}

tui::ConsoleOptions console_options(const Options& options, const Environment& environment) {
  tui::ConsoleOptions console;
  console.theme = options.theme;
  console.theme_chosen = options.theme_chosen;
  for (const std::string& folder : paths_of("themes", environment))
    console.theme_directories.emplace_back(folder);
  if (is_path(options.theme)) {
    std::filesystem::path path(options.theme);
    console.theme = path.stem().string();
    console.theme_directories.insert(console.theme_directories.begin(), path.parent_path());
  }
  console.terminal.ascii = options.ascii;
  console.terminal.colour = options.color;
  console.state.mouse = options.mouse;
  console.state.writable = options.write;
  console.state.site = options.site;
  console.state.platform = options.platform;
  console.state.rules = options.rules;
  if (!options.fleet_file.empty()) console.state.fleet = tui::fleet_named(options.fleet_file);
  console.state.about.emplace_back("version", std::string(tui::version()));
  console.state.me = value_of(environment, "USER");
  return console;
}

}  // namespace tessera::cli
