// Writing entries: as text of their own, and into a file that another tool keeps.
#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/mig_parted.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::operators {
namespace {

constexpr std::string_view kSplicing = "cannot add to the MIG configurations";
constexpr std::size_t kMostTries = 200;

// Where each line starts, and the end of the text.
std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (at + 1 < text.size()) starts.push_back(at + 1);
  starts.push_back(text.size());
  return starts;
}

int last_line(const Yaml& value) {
  int last = std::max(value.line, value.key_line);
  for (const Yaml& item : value.items) last = std::max(last, last_line(item));
  for (const auto& field : value.fields) last = std::max(last, last_line(field.second));
  return last;
}

std::string with_returns(std::string text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

}  // namespace

std::string to_yaml(const MigConfig& config, std::size_t indent) {
  std::string pad(indent, ' ');
  std::string text = config.name.empty() ? "" : fmt::format("{}{}:\n", pad, config.name);
  for (const MigRow& row : config.rows) {
    std::string lead = pad + "  - ";
    if (!row.filters.empty()) {
      text += lead + "device-filter: [";
      for (std::size_t i = 0; i < row.filters.size(); ++i)
        text += fmt::format("{}\"{}\"", i > 0 ? ", " : "", row.filters[i]);
      text += "]\n";
      lead = pad + "    ";
    }
    if (row.all) {
      text += lead + "devices: all\n";
    } else {
      text += lead + "devices: [";
      for (std::size_t i = 0; i < row.devices.size(); ++i)
        text += fmt::format("{}{}", i > 0 ? ", " : "", row.devices[i]);
      text += "]\n";
    }
    text += fmt::format("{}    mig-enabled: {}\n", pad, row.enabled);
    if (!row.enabled) continue;
    if (row.counts.empty()) text += pad + "    mig-devices: {}\n";
    if (!row.counts.empty()) text += pad + "    mig-devices:\n";
    for (const auto& [profile, count] : row.counts)
      text += fmt::format("{}      \"{}\": {}\n", pad, profile, count);
  }
  return text;
}

std::string document_of(const std::vector<MigConfig>& configs) {
  std::string text = "version: v1\nmig-configs:\n";
  for (const MigConfig& config : configs) text += to_yaml(config, 2);
  return text;
}

Result<std::string> with_config(std::string_view text, const MigConfig& config, std::string_view file) {
  Result<MigDocument> before = parse_mig_document(text, file);
  if (!before) return before.error();
  if (const MigConfig* there = before->find(config.name)) {
    if (there->rows == config.rows) return std::string(text);
    return Error{std::string(kSplicing), fmt::format("{} exists with different content", config.name),
                 "another user has edited it: give their layout a name of its own"};
  }
  MigDocument wanted = *before;
  wanted.configs.push_back(config);

  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  const Yaml& configs = *root->find("mig-configs");
  std::vector<std::size_t> starts = line_starts(text);
  auto line_at = [&](int line) {
    return starts[std::min(static_cast<std::size_t>(line), starts.size()) - 1];
  };
  std::size_t key = line_at(configs.fields.back().second.key_line);
  std::size_t indent = text.find_first_not_of(' ', key) - key;
  bool returns = text.find("\r\n") != std::string_view::npos;
  std::string entry = to_yaml(config, indent);
  if (returns) entry = with_returns(std::move(entry));

  // Behind the last line of the last entry. A value may end later than it starts: the first place at which
  // everything else still reads the same is the right one.
  auto line = static_cast<std::size_t>(last_line(configs.fields.back().second));
  for (std::size_t tries = 0; tries < kMostTries && line < starts.size(); ++tries, ++line) {
    std::string edited(text.substr(0, starts[line]));
    if (!edited.ends_with('\n')) edited += returns ? "\r\n" : "\n";
    edited += entry;
    edited += text.substr(starts[line]);
    Result<MigDocument> after = parse_mig_document(edited, file);
    if (after && *after == wanted) return edited;
  }
  return Error{std::string(kSplicing), fmt::format("{} leaves no place for one more entry", clean(file, 200)),
               "write mig-configs as a block, one entry below the other"};
}

}  // namespace tessera::operators
