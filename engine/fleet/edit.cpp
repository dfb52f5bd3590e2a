#include "engine/fleet/edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/edit_text.hpp"
#include "engine/fleet/keys.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/fleet/written.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::fleet {
namespace {

using Part = Setting::Part;
using Words = std::vector<std::pair<std::string, std::string>>;  // keys of a rule and what they say

constexpr std::string_view kHeads[] = {"layout", "preset", "strategy"};  // a rule has one of them
constexpr std::string_view kRules[] = {"layout", "preset",        "strategy",      "replicas",
                                       "vgpu",   "rename_shared", "refuse_several"};
constexpr std::pair<std::string_view, std::optional<int> Budget::*> kBounds[] = {
    {"max_nodes_at_once", &Budget::nodes_at_once},
    {"max_disturbed", &Budget::disturbed},
    {"not_after", &Budget::not_after},
    {"lead", &Budget::lead}};

constexpr std::string_view kDemandKey = "demand";

auto bound_of(std::string_view key) {
  return std::find_if(std::begin(kBounds), std::end(kBounds),
                      [&](const auto& one) { return one.first == key; });
}

Error cannot(std::string reason, std::string hint) {
  return {"cannot edit the fleet file", std::move(reason), std::move(hint)};
}

const Yaml* pool_in(const Yaml& root, std::string_view name) {
  const Yaml* pools = root.find("pools");
  if (!pools) return nullptr;
  for (const Yaml& one : pools->items)
    if (const Yaml* told = one.find("name"); told && told->scalar == name) return &one;
  return nullptr;
}

// Lines are where things stand, and exceptions count in any order.
Fleet without_lines(Fleet fleet) {
  for (Pool& pool : fleet.pools) {
    pool.line = pool.rule.line = 0;
    for (Exception& one : pool.exceptions) one.rule.line = 0;
    std::sort(pool.exceptions.begin(), pool.exceptions.end(),
              [](const Exception& a, const Exception& b) { return a.nodes < b.nodes; });
    for (Window& one : pool.windows) one.line = one.rule.line = 0;
  }
  return fleet;
}

const Yaml* window_in(const Yaml& pool, const When& when) {
  const Yaml* windows = pool.find("windows");
  if (!windows) return nullptr;
  for (const Yaml& one : windows->items)
    if (const Yaml* told = one.find("when"))
      if (const auto read = parse_when(told->scalar); read && *read == when) return &one;
  return nullptr;
}

std::string fields_text(const Words& words) {
  std::string text;
  for (const auto& [key, value] : words)
    text += (text.empty() ? "" : ", ") + fmt::format("{}: {}", key, yaml_word(value));
  return text;
}

// What the rule says afterwards. Another layout, preset or strategy instead of what is there takes the place
// of the whole rule. old: the map that has the rule; nullptr: there is none yet.
Words rule_after(const Yaml* old, std::span<const Setting> settings) {
  Words words;
  const auto changes_kind = [&](const Setting& one) {
    return is_one_of(kHeads, one.key) && !(old && old->find(one.key));
  };
  if (old && std::none_of(settings.begin(), settings.end(), changes_kind))
    for (std::string_view key : kRules)
      if (const Yaml* said = old->find(key)) words.emplace_back(key, said->scalar);
  for (const Setting& one : settings) {
    const auto same =
        std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == one.key; });
    if (same != words.end() && one.value.empty())
      words.erase(same);
    else if (same != words.end())
      same->second = one.value;
    else if (!one.value.empty())
      words.emplace_back(one.key, one.value);
  }
  return words;
}

class Editor {
 public:
  Editor(std::string_view file, const mig::Catalogue& catalogue, std::string_view pool)
      : file_(file), catalogue_(catalogue), pool_(pool) {}

  // settings: of one part and name.
  Result<std::string> set(const std::string& text, std::span<const Setting> settings) const {
    auto before = read_fleet(text, file_, catalogue_);
    if (!before) return before.error();
    const auto root = parse_yaml(text, file_);
    const Yaml* pool = root ? pool_in(*root, pool_) : nullptr;
    if (!pool) return no_pool(*before);
    auto wanted = wish(*before, *pool, settings);
    if (!wanted) return wanted.error();
    if (without_lines(*wanted) == without_lines(*before)) return text;
    if (const std::optional<std::string> candidate = change(text, *pool, settings)) {
      auto after = read_fleet(*candidate, file_, catalogue_);
      if (!after)
        return cannot("it would not be a fleet file then: " + after.error().reason,
                      "set both at once, or edit it by hand");
      const bool kept = EditText(*candidate).comments_text() == EditText(text).comments_text();
      if (kept && without_lines(std::move(*after)) == without_lines(std::move(*wanted))) return *candidate;
    }
    return cannot(
        fmt::format("{}:{}: {} of pool {} is written in a way that cannot be edited here", file_,
                    line_of(*pool, settings.front()), clean(settings.front().said, 100), clean(pool_, 100)),
        "edit it by hand; tessera fleet check reads it");
  }

 private:
  // Where the setting stands, or the pool.
  static int line_of(const Yaml& pool, const Setting& setting) {
    const auto key_line = [](const Yaml* map, std::string_view key, int otherwise) {
      const Yaml* value = map ? map->find(key) : nullptr;
      return value && value->key_line > 0 ? value->key_line : otherwise;
    };
    const auto entry = [&](std::string_view part) {
      return key_line(pool.find(part), setting.name, key_line(&pool, part, pool.line));
    };
    switch (setting.part) {
      case Part::rule: return key_line(&pool, pool.find("gpus") ? "gpus" : setting.key, pool.line);
      case Part::demand: return entry("demand");
      case Part::exception: return entry("except");
      case Part::budget: return entry("budget");
      case Part::window: return key_line(&pool, "windows", pool.line);
    }
    return pool.line;
  }
  Error no_pool(const Fleet& fleet) const {
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(fleet.pools.size(), 8); ++i)
      known += (i > 0 ? ", " : "") + fleet.pools[i].name;
    return cannot(fmt::format("{} has no pool {}", file_, clean(pool_, 100)),
                  "its pools: " + clean(known, 300));
  }
  // What a file of this one pool means.
  Result<Pool> mini(const std::string& fields) const {
    auto read = read_fleet(fmt::format("pools: [{{name: x, {}}}]", fields), "the new value", catalogue_);
    if (!read) return read.error();
    return std::move(read->pools.front());
  }

  // The file as it is to be read afterwards.
  Result<Fleet> wish(Fleet fleet, const Yaml& yaml, std::span<const Setting> settings) const {
    Pool& pool = *std::find_if(fleet.pools.begin(), fleet.pools.end(),
                               [&](const Pool& one) { return one.name == pool_; });
    const Status done = wish_in(pool, yaml, settings);
    if (!done) return done.error();
    return fleet;
  }
  Status wish_in(Pool& pool, const Yaml& yaml, std::span<const Setting> settings) const {
    switch (settings.front().part) {
      case Part::rule: return wish_rule(pool.rule, &yaml, settings);
      case Part::demand: return wish_demand(pool, settings.front());
      case Part::exception: return wish_exception(pool, settings.front());
      case Part::window: return wish_window(pool, yaml, settings);
      case Part::budget: return wish_budget(pool, settings.front());
    }
    return Done{};
  }
  Status wish_rule(Rule& rule, const Yaml* old, std::span<const Setting> settings) const {
    const Words words = rule_after(old, settings);
    auto one = mini(fields_text(words));
    if (!one) return one.error();
    rule = std::move(one->rule);
    return Done{};
  }
  // A rule that asks for so many of one profile; none for an empty value.
  Result<Rule> asks_for(const std::string& profile, const std::string& count) const {
    auto one =
        mini(fmt::format("demand: {{{}: {}}}", yaml_word(profile), count.empty() ? "0" : yaml_word(count)));
    if (!one) return one.error();
    return std::move(one->rule);
  }
  static void put(Rule& rule, const Rule& asked, bool out) {
    const auto& [name, count] = *asked.demand.begin();
    if (out)
      rule.demand.erase(name);
    else
      rule.demand[name] = count;
  }
  Status wish_demand(Pool& pool, const Setting& setting) const {
    auto asked = asks_for(setting.name, setting.value);
    if (!asked) return asked.error();
    if (pool.rule.kind != Rule::Kind::demand)
      return cannot(fmt::format("{}:{}: pool {} has no demand", file_, pool.line, clean(pool_, 100)),
                    "write demand: {1g.10gb: 4} there instead of its layout first");
    put(pool.rule, *asked, setting.value.empty());
    return Done{};
  }
  // window: nullptr: there is none of that time yet.
  Status wish_window_demand(Pool& pool, Window* window, const When& when, const Setting& setting) const {
    auto asked = asks_for(setting.profile, setting.value);
    if (!asked) return asked.error();
    if (window ? window->rule.kind != Rule::Kind::demand : setting.value.empty())
      return cannot(fmt::format("{}:{}: the window {} of pool {} has no demand", file_, pool.line,
                                clean(setting.name, 100), clean(pool_, 100)),
                    "write demand: {1g.10gb: 4} there instead of its layout first");
    if (window)
      put(window->rule, *asked, setting.value.empty());
    else
      pool.windows.push_back({when, std::move(*asked), 0, setting.name});
    return Done{};
  }
  Status wish_exception(Pool& pool, const Setting& setting) const {
    auto one = mini(fmt::format("layout: as-is, except: {{{}: {}}}", yaml_word(setting.name),
                                yaml_word(setting.value.empty() ? "as-is" : setting.value)));
    if (!one) return one.error();
    Exception& told = one->exceptions.front();
    const auto same = std::find_if(pool.exceptions.begin(), pool.exceptions.end(),
                                   [&](const Exception& each) { return each.nodes == told.nodes; });
    const bool there = same != pool.exceptions.end();
    if (setting.value.empty() && !there)
      return cannot(fmt::format("{}:{}: pool {} has no exception for {}", file_, pool.line, clean(pool_, 100),
                                clean(setting.name, 100)),
                    "name the nodes as the file does");
    if (setting.value.empty())
      pool.exceptions.erase(same);
    else if (there)
      same->rule = std::move(told.rule);
    else
      pool.exceptions.push_back(std::move(told));
    return Done{};
  }
  Status wish_window(Pool& pool, const Yaml& yaml, std::span<const Setting> settings) const {
    const Setting& first = settings.front();
    const auto when = parse_when(first.name);
    if (!when) return cannot(when.error().reason, when.error().hint);
    const auto same = std::find_if(pool.windows.begin(), pool.windows.end(),
                                   [&](const Window& each) { return each.when == *when; });
    const bool there = same != pool.windows.end();
    if (first.key.empty()) {
      if (!there)
        return cannot(fmt::format("{}:{}: pool {} has no window {}", file_, pool.line, clean(pool_, 100),
                                  clean(first.name, 100)),
                      "tessera fleet calendar lists them");
      pool.windows.erase(same);
      return Done{};
    }
    if (first.key == kDemandKey) return wish_window_demand(pool, there ? &*same : nullptr, *when, first);
    Window window{*when, {}, 0, first.name};
    if (Status done = wish_rule(there ? same->rule : window.rule, window_in(yaml, *when), settings); !done)
      return done;
    if (!there) pool.windows.push_back(std::move(window));
    return Done{};
  }
  Status wish_budget(Pool& pool, const Setting& setting) const {
    std::optional<int> Budget::*const bound = bound_of(setting.name)->second;
    if (setting.value.empty() && !(pool.budget.*bound))
      return cannot(fmt::format("{}:{}: the budget of pool {} has no {}", file_, pool.line, clean(pool_, 100),
                                setting.name),
                    "there is nothing to take out");
    if (setting.value.empty()) {
      (pool.budget.*bound).reset();
      return Done{};
    }
    auto one = mini(fmt::format("layout: none, windows: [{{when: daily, layout: none}}], budget: {{{}: {}}}",
                                setting.name, yaml_word(setting.value)));
    if (!one) return one.error();
    pool.budget.*bound = one->budget.*bound;
    return Done{};
  }

  // nullopt: not in this way.
  std::optional<std::string> change(const std::string& text, const Yaml& pool,
                                    std::span<const Setting> settings) const {
    const EditText source(text);
    const bool flow = source.is_flow(pool);
    const Setting& first = settings.front();
    switch (first.part) {
      case Part::rule: return change_rule(text, nullptr, rule_after(&pool, settings));
      case Part::demand: return change_entry(source, pool, flow, "demand", first);
      case Part::exception: return change_entry(source, pool, flow, "except", first);
      case Part::budget: return change_entry(source, pool, flow, "budget", first);
      case Part::window: return change_window(text, pool, settings);
    }
    return std::nullopt;
  }

  // An entry of a map of the pool: changed, added, or with an empty value taken out.
  std::optional<std::string> change_entry(const EditText& source, const Yaml& pool, bool flow,
                                          const std::string& key, const Setting& setting) const {
    const Yaml* map = pool.find(key);
    if (!map)
      return source.with_field(
          pool, flow, fmt::format("{}: {{{}: {}}}", key, yaml_word(setting.name), yaml_word(setting.value)));
    if (setting.value.empty() && map->fields.size() == 1) return source.without_whole(key, *map, flow);
    return entry(source, *map, flow || source.is_flow(*map), setting.name, setting.value);
  }

  std::optional<std::string> entry(const EditText& source, const Yaml& map, bool flow, const std::string& key,
                                   const std::string& value) const {
    for (const auto& [name, one] : map.fields) {
      const auto profile = mig::canonical_profile(name), asked = mig::canonical_profile(key);
      if (name != key && !(profile && asked && *profile == *asked)) continue;
      if (!value.empty() && one.kind != Yaml::Kind::scalar) return std::nullopt;
      if (!value.empty()) return source.with(source.value(one, flow), yaml_word(value));
      const auto span = source.field(name, one, flow);
      return span ? std::optional(source.without(*span, flow)) : std::nullopt;
    }
    if (value.empty()) return std::nullopt;
    return source.with_field(map, flow, fmt::format("{}: {}", yaml_word(key), yaml_word(value)));
  }

  std::optional<std::string> change_window(const std::string& text, const Yaml& pool,
                                           std::span<const Setting> settings) const {
    const EditText source(text);
    const Setting& first = settings.front();
    const When when = *parse_when(first.name);
    const Yaml *windows = pool.find("windows"), *window = window_in(pool, when);
    const bool flow = source.is_flow(pool);
    if (first.key.empty() && windows && window)
      return windows->items.size() == 1 ? source.without_whole("windows", *windows, flow)
                                        : source.without_item(*windows, *window, flow);
    if (first.key == kDemandKey && window) {
      const Yaml* map = window->find(kDemandKey);
      return map ? entry(source, *map, source.is_flow(*map), first.profile, first.value) : std::nullopt;
    }
    const Words words = rule_after(window, settings);
    if (window) return change_rule(text, &when, words);
    const std::string rule =
        first.key == kDemandKey
            ? fmt::format("demand: {{{}: {}}}", yaml_word(first.profile), yaml_word(first.value))
            : fields_text(words);
    const std::string item = fmt::format("{{when: {}, {}}}", yaml_word(first.name), rule);
    return windows ? source.with_item(*windows, flow, item)
                   : source.with_field(pool, flow, "windows: [" + item + "]");
  }

  // The rule of the pool, or of its window: one value after the other, until it has these words and no other.
  std::optional<std::string> change_rule(std::string text, const When* window, const Words& words) const {
    constexpr std::size_t kMost = 2 * std::size(kRules);
    for (std::size_t i = 0; i < kMost; ++i) {
      const auto root = parse_yaml(text, file_);
      const Yaml* map = root ? pool_in(*root, pool_) : nullptr;
      if (map && window) map = window_in(*map, *window);
      if (!map) return std::nullopt;
      bool done = false;
      auto next = next_word(EditText(text), *map, words, done);
      if (done) return text;
      if (!next) return std::nullopt;
      text = std::move(*next);
    }
    return std::nullopt;
  }
  // done: nothing is left to do.
  static std::optional<std::string> next_word(const EditText& source, const Yaml& map, const Words& words,
                                              bool& done) {
    const bool flow = source.is_flow(map);
    const auto is_wanted = [&](const std::string& key) {
      return std::any_of(words.begin(), words.end(), [&](const auto& word) { return word.first == key; });
    };
    const Yaml::Field* odd = nullptr;   // says what the rule is not to say; its head first
    const Yaml::Field* said = nullptr;  // stays
    for (const Yaml::Field& one : map.fields) {
      if (!is_one_of(kRules, one.first)) continue;
      if (one.second.kind != Yaml::Kind::scalar) return std::nullopt;
      if (is_wanted(one.first))
        said = &one;
      else if (!odd || is_one_of(kHeads, one.first))
        odd = &one;
    }
    for (const auto& [key, value] : words) {
      const Yaml* now = map.find(key);
      if (now && now->scalar == value) continue;
      if (now) return source.with(source.value(*now, flow), yaml_word(value));
      const std::string field = fmt::format("{}: {}", key, yaml_word(value));
      if (odd) {
        const auto span = source.field(odd->first, odd->second, flow);
        return span ? source.with_other(*span, flow, field) : std::nullopt;
      }
      return said ? std::optional(source.with_field(map, said->second, flow, field)) : std::nullopt;
    }
    done = !odd;
    if (done) return std::nullopt;
    const auto span = source.field(odd->first, odd->second, flow);
    return span ? std::optional(source.without(*span, flow)) : std::nullopt;
  }

  std::string_view file_;
  const mig::Catalogue& catalogue_;
  std::string_view pool_;
};

// nullopt: it cannot be set.
std::optional<Setting> setting_of(std::string_view key, std::string_view value) {
  Setting one;
  one.said = key, one.value = value;
  if (is_one_of(kRules, key)) {
    one.key = key;
    if (value.empty() && is_one_of(kHeads, key)) return std::nullopt;
    return one;
  }
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos || dot + 1 == key.size()) return std::nullopt;
  const std::string_view part = key.substr(0, dot);
  one.name = key.substr(dot + 1);
  if (part == "demand" || part == "except") {
    one.part = part == "demand" ? Part::demand : Part::exception;
    return one;
  }
  if (part == "budget") {
    one.part = Part::budget;
    return bound_of(one.name) == std::end(kBounds) ? std::nullopt : std::optional(one);
  }
  if (part != "window") return std::nullopt;
  one.part = Part::window;
  constexpr std::string_view kOfDemand = ".demand.";
  if (const std::size_t demand = one.name.find(kOfDemand); demand != std::string::npos) {
    one.key = kDemandKey, one.profile = one.name.substr(demand + kOfDemand.size());
    one.name.resize(demand);
    return one.name.empty() || one.profile.empty() ? std::nullopt : std::optional(one);
  }
  const std::size_t last = one.name.rfind('.');
  if (last == std::string::npos) return value.empty() ? std::optional(one) : std::nullopt;
  one.key = one.name.substr(last + 1);
  one.name.resize(last);
  const bool empty_head = value.empty() && is_one_of(kHeads, one.key);
  return one.name.empty() || empty_head || !is_one_of(kRules, one.key) ? std::nullopt : std::optional(one);
}

}  // namespace

Result<Setting> parse_setting(std::string_view word) {
  const std::size_t at = word.find('=');
  if (at != std::string_view::npos)
    if (auto one = setting_of(word.substr(0, at), word.substr(at + 1))) return std::move(*one);
  return cannot(
      "\"" + clean(word, 100) + "\" cannot be set",
      "layout=LAYOUT, preset=NAME, strategy=NAME with replicas=N, demand.PROFILE=N, "
      "except.NODES=LAYOUT, window.WHEN.layout=LAYOUT, window.WHEN.demand.PROFILE=N, "
      "budget.max_nodes_at_once=N; an empty value takes a demand, an exception, a window or a bound "
      "out");
}

Result<std::string> edited(std::string_view text, std::string_view file, const mig::Catalogue& catalogue,
                           std::string_view pool, std::span<const Setting> settings) {
  const Editor editor(file, catalogue, pool);
  std::string now(text);
  for (std::size_t i = 0, end = 0; i < settings.size(); i = end) {
    const Setting& first = settings[i];
    const bool has_keys = !first.key.empty() && first.key != kDemandKey;
    const auto belongs = [&](const Setting& one) {
      return has_keys && !one.key.empty() && one.key != kDemandKey && one.part == first.part &&
             one.name == first.name;
    };
    for (end = i + 1; end < settings.size() && belongs(settings[end]);) ++end;
    auto next = editor.set(now, settings.subspan(i, end - i));
    if (!next) return next;
    now = std::move(*next);
  }
  return now;
}

}  // namespace tessera::fleet
