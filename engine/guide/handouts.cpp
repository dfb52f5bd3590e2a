#include "engine/guide/handouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/guide/glossary.hpp"
#include "engine/sharing/read_yaml.hpp"

namespace tessera::guide {

namespace {

constexpr std::size_t kMaxHandouts = 200;
constexpr std::size_t kMaxText = 8000;
constexpr std::string_view kOpen = "{{", kClose = "}}";

constexpr std::array kLeavesOfHandouts{Strategy::mig, Strategy::vgpu, Strategy::mps, Strategy::time_slicing};

bool has(const auto& list, const auto& one) { return std::find(list.begin(), list.end(), one) != list.end(); }

std::vector<sharing::Platform> platforms_meant(FieldReader& in, const Yaml& yaml, std::string_view key) {
  std::vector<sharing::Platform> all;
  for (const std::string& word : in.texts(yaml, key)) {
    const auto one = sharing::parse_platform(word);
    const bool kubernetes = word == "kubernetes";
    // "slurm" is a platform's name as well as its scheduler's: it means all of them.
    if (!kubernetes && word != "slurm") {
      if (one)
        all.push_back(*one);
      else
        in.fail(yaml.line, fmt::format("{}: \"{}\" is no platform", key, word));
      continue;
    }
    for (int i = 0; i < sharing::kPlatforms; ++i) {
      const auto platform = static_cast<sharing::Platform>(i);
      if ((sharing::scheduler_of(platform) == Scheduler::kubernetes) == kubernetes) all.push_back(platform);
    }
  }
  return all;
}

std::string lines_under(FieldReader& in, const Yaml& yaml, std::string_view key) {
  const Yaml* value = yaml.find(key);
  const bool good = value != nullptr && value->kind == Yaml::Kind::scalar && !value->scalar.empty() &&
                    value->scalar.size() <= kMaxText;
  if (!good) {
    in.fail(yaml.line, fmt::format("{}: a text of at most {} bytes is expected here", key, kMaxText));
    return {};
  }
  std::string text = value->scalar;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// The facts that a text names, each once.
std::vector<std::string> facts_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen, at + 1)) {
    const std::size_t end = text.find(kClose, at);
    if (end == std::string_view::npos) break;
    std::string name(text.substr(at + kOpen.size(), end - at - kOpen.size()));
    if (!has(names, name)) names.push_back(std::move(name));
  }
  return names;
}

Handout read_handout(FieldReader& in, const Yaml& yaml) {
  Handout one;
  if (!in.map(yaml, "handout", {"id", "title", "for", "on", "not_on", "with", "without", "text"})) return one;
  one.id = in.text(yaml, "id", 64);
  one.title = in.text(yaml, "title", 200);
  one.text = lines_under(in, yaml, "text");
  for (const std::string& word : in.texts(yaml, "for")) {
    const auto* leaf = std::find_if(kLeavesOfHandouts.begin(), kLeavesOfHandouts.end(),
                                    [&](Strategy each) { return tessera::word(each) == word; });
    if (leaf != kLeavesOfHandouts.end())
      one.leaves.push_back(*leaf);
    else
      in.fail(yaml.line, fmt::format("for: \"{}\" is no leaf's strategy", word));
  }
  one.on = platforms_meant(in, yaml, "on");
  for (sharing::Platform platform : platforms_meant(in, yaml, "not_on")) std::erase(one.on, platform);
  one.with = in.texts(yaml, "with");
  one.without = in.texts(yaml, "without");
  if (!in.failed() && (one.leaves.empty() || one.on.empty())) in.fail(yaml.line, "it goes with no leaf");
  std::vector<std::string> named = facts_in(one.title + one.text);
  named.insert(named.end(), one.with.begin(), one.with.end());
  named.insert(named.end(), one.without.begin(), one.without.end());
  for (const std::string& name : named)
    if (!has(handout_facts(), name)) in.fail(yaml.line, fmt::format("\"{}\" is no fact", name));
  return one;
}

}  // namespace

const std::vector<std::string_view>& handout_facts() {
  static const std::vector<std::string_view> all{
      "resource",     "count",        "replicas",   "fraction",    "percent",       "half",
      "share_mib",    "share_gib",    "config",     "method",      "rename",        "refuse",
      "resources",    "node",         "gpus",       "preset",      "plain_profile", "aks_profile",
      "gres",         "families",     "gres_lines", "gke_sharing", "vgpu",          "where",
      "geforce",      "shared",       "window",     "all_gib",     "unshare",       "unshared_config",
      "mig_strategy", "gke_selector", "half_mib"};
  return all;
}

bool Handout::goes_with(Strategy leaf, sharing::Platform platform, const HandoutFacts& facts) const {
  const auto known = [&](const std::string& fact) { return facts.contains(fact); };
  return has(leaves, leaf) && has(on, platform) && std::all_of(with.begin(), with.end(), known) &&
         std::none_of(without.begin(), without.end(), known);
}

bool Handout::names(std::string_view fact) const {
  const std::string mark = std::string(kOpen) + std::string(fact) + std::string(kClose);
  return text.find(mark) != std::string::npos || title.find(mark) != std::string::npos;
}

std::optional<std::string> filled(std::string_view text, const HandoutFacts& facts) {
  std::string out;
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen)) {
    const std::size_t end = text.find(kClose, at);
    if (end == std::string_view::npos) break;
    const auto fact = facts.find(std::string(text.substr(at + kOpen.size(), end - at - kOpen.size())));
    if (fact == facts.end()) return std::nullopt;
    out += text.substr(0, at);
    const std::size_t line = out.rfind('\n') + 1;  // npos + 1 is the beginning
    const bool alone = out.find_first_not_of(' ', line) == std::string::npos;
    const std::string indent = alone ? out.substr(line) : std::string();
    for (char c : fact->second) {
      out += c;
      if (c == '\n') out += indent;
    }
    text.remove_prefix(end + kClose.size());
  }
  return out + std::string(text);
}

Result<Handouts> Handouts::parse(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the texts to hand out", file);
  Handouts all;
  if (in.map(*root, "file", {"handouts"}))
    for (const Yaml& yaml : in.list(*root, "handouts", kMaxHandouts))
      all.all_.push_back(read_handout(in, yaml));
  if (in.failed()) return *in.error();
  return all;
}

Result<Handouts> Handouts::built_in() {
  auto file = built_in_file("handouts", {});
  return file ? parse(file->text, file->name) : Result<Handouts>(file.error());
}

}  // namespace tessera::guide
