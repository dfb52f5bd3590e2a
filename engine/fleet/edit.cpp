#include "engine/fleet/edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/reader.hpp"
#include "engine/fleet/written.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::fleet {
namespace {

constexpr std::string_view kDemand = "demand.", kExcept = "except.";
constexpr std::string_view kRules[] = {"layout", "preset"};  // said by one value each

Error cannot(std::string reason, std::string hint) {
  return {"cannot edit the fleet file", std::move(reason), std::move(hint)};
}

// A stretch of the text.
struct Span {
  std::size_t begin = 0, end = 0;
};

// Where things stand in the text, by the places that the reader told.
class Source {
 public:
  explicit Source(std::string_view text) : text_(text) {}

  std::size_t at(int line, int column) const {
    std::size_t begin = 0;
    for (int i = 1; i < line && begin != std::string_view::npos; ++i) {
      begin = text_.find('\n', begin);
      if (begin != std::string_view::npos) ++begin;
    }
    return begin == std::string_view::npos
               ? text_.size()
               : std::min(text_.size(), begin + static_cast<std::size_t>(column) - 1);
  }
  bool is_flow(const Yaml& map) const {
    const std::size_t begin = at(map.line, map.column);
    return begin < text_.size() && text_[begin] == '{';
  }
  Span value(const Yaml& scalar, bool flow) const {
    const std::size_t begin = at(scalar.line, scalar.column);
    if (begin >= text_.size()) return {begin, begin};
    const char quote = text_[begin];
    if (scalar.quoted && (quote == '"' || quote == '\'')) {
      const std::size_t end = text_.find(quote, begin + 1);
      return {begin, end == std::string_view::npos ? text_.size() : end + 1};
    }
    std::size_t end = text_.find_first_of(flow ? ",}\r\n" : "\r\n", begin);
    if (end == std::string_view::npos) end = text_.size();
    if (const std::size_t comment = text_.substr(0, end).find(" #", begin); comment != std::string_view::npos)
      end = comment;
    while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
    return {begin, end};
  }
  // "key: value"; the key stands before its value on the same line.
  std::optional<Span> field(const std::string& key, const Yaml& scalar, bool flow) const {
    Span all = value(scalar, flow);
    const std::size_t line = at(scalar.line, 1);
    const std::size_t begin = text_.rfind(key, all.begin);
    if (begin == std::string_view::npos || begin < line) return std::nullopt;
    const bool quoted = begin > line && (text_[begin - 1] == '\'' || text_[begin - 1] == '"');
    all.begin = quoted ? begin - 1 : begin;
    return all;
  }
  std::size_t line_end(std::size_t from) const {
    const std::size_t end = text_.find('\n', from);
    return end == std::string_view::npos ? text_.size() : end + 1;
  }
  bool ends_line(std::size_t at) const { return at > 0 && text_[at - 1] == '\n'; }
  std::string with(Span what, std::string_view instead) const {
    return std::string(text_.substr(0, what.begin)) + std::string(instead) +
           std::string(text_.substr(what.end));
  }
  // Without a field of a map; a comment behind it stays on a line of its own.
  std::string without(Span what, bool flow) const {
    std::size_t begin = what.begin, end = what.end;
    if (flow) {
      const std::size_t next = text_.find_first_not_of(' ', end);
      if (next != std::string_view::npos && text_[next] == ',') {
        end = text_.find_first_not_of(' ', next + 1);
      } else {
        while (begin > 0 && text_[begin - 1] == ' ') --begin;
        if (begin > 0 && text_[begin - 1] == ',') --begin;
      }
      return with({begin, end}, "");
    }
    const std::size_t line = text_.rfind('\n', begin) + 1;  // npos + 1 is 0
    const std::size_t rest = text_.find_first_not_of(" \t\r", end);
    const bool alone = rest == std::string_view::npos || text_[rest] == '\n';
    return with(alone ? Span{line, line_end(end)} : what, "");
  }

 private:
  std::string_view text_;
};

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

class Editor {
 public:
  Editor(std::string_view file, const mig::Catalogue& catalogue, std::string_view pool)
      : file_(file), catalogue_(catalogue), pool_(pool) {}

  Result<std::string> set(const std::string& text, const Setting& setting) const {
    auto before = read_fleet(text, file_, catalogue_);
    if (!before) return before.error();
    const auto root = parse_yaml(text, file_);
    const Yaml* pool = root ? pool_in(*root, pool_) : nullptr;
    if (!pool) return no_pool(*before);
    auto wanted = wish(*before, setting);
    if (!wanted) return wanted.error();
    if (without_lines(*wanted) == without_lines(*before)) return text;
    const std::optional<std::string> candidate = change(text, *pool, setting);
    if (candidate)
      if (auto after = read_fleet(*candidate, file_, catalogue_);
          after && without_lines(std::move(*after)) == without_lines(std::move(*wanted)))
        return *candidate;
    return cannot(fmt::format("{}:{}: {} of pool {} is written in a way that cannot be edited here", file_,
                              pool->line, setting.key, clean(pool_, 100)),
                  "edit it by hand; tessera fleet check reads it");
  }

 private:
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
  Result<Fleet> wish(Fleet fleet, const Setting& setting) const {
    Pool& pool = *std::find_if(fleet.pools.begin(), fleet.pools.end(),
                               [&](const Pool& one) { return one.name == pool_; });
    const Status done = setting.key.starts_with(kDemand)   ? wish_demand(pool, setting)
                        : setting.key.starts_with(kExcept) ? wish_exception(pool, setting)
                                                           : wish_rule(pool, setting);
    if (!done) return done.error();
    return fleet;
  }
  Status wish_rule(Pool& pool, const Setting& setting) const {
    auto one = mini(fmt::format("{}: {}", setting.key, yaml_word(setting.value)));
    if (!one) return one.error();
    pool.rule = std::move(one->rule);
    return Done{};
  }
  Status wish_demand(Pool& pool, const Setting& setting) const {
    const std::string profile = setting.key.substr(kDemand.size());
    auto one = mini(fmt::format("demand: {{{}: {}}}", yaml_word(profile),
                                setting.value.empty() ? "0" : yaml_word(setting.value)));
    if (!one) return one.error();
    if (pool.rule.kind != Rule::Kind::demand)
      return cannot(fmt::format("{}:{}: pool {} has no demand", file_, pool.line, clean(pool_, 100)),
                    "write demand: {1g.10gb: 4} there instead of its layout first");
    const auto& [name, count] = *one->rule.demand.begin();
    if (setting.value.empty())
      pool.rule.demand.erase(name);
    else
      pool.rule.demand[name] = count;
    return Done{};
  }
  Status wish_exception(Pool& pool, const Setting& setting) const {
    const std::string nodes = setting.key.substr(kExcept.size());
    auto one = mini(fmt::format("layout: as-is, except: {{{}: {}}}", yaml_word(nodes),
                                yaml_word(setting.value.empty() ? "as-is" : setting.value)));
    if (!one) return one.error();
    Exception& told = one->exceptions.front();
    const auto same = std::find_if(pool.exceptions.begin(), pool.exceptions.end(),
                                   [&](const Exception& each) { return each.nodes == told.nodes; });
    const bool there = same != pool.exceptions.end();
    if (setting.value.empty() && !there)
      return cannot(fmt::format("{}:{}: pool {} has no exception for {}", file_, pool.line, clean(pool_, 100),
                                clean(nodes, 100)),
                    "name the nodes as the file does");
    if (setting.value.empty())
      pool.exceptions.erase(same);
    else if (there)
      same->rule = std::move(told.rule);
    else
      pool.exceptions.push_back(std::move(told));
    return Done{};
  }

  // nullopt: not in this way.
  std::optional<std::string> change(const std::string& text, const Yaml& pool, const Setting& setting) const {
    const Source source(text);
    const bool flow = source.is_flow(pool);
    if (setting.key.starts_with(kDemand)) {
      const Yaml* demand = pool.find("demand");
      return demand ? entry(source, *demand, flow, setting.key.substr(kDemand.size()), setting.value)
                    : std::nullopt;
    }
    if (setting.key.starts_with(kExcept)) {
      const std::string nodes = setting.key.substr(kExcept.size());
      if (const Yaml* all = pool.find("except")) return entry(source, *all, flow, nodes, setting.value);
      return insert(source, pool, flow,
                    fmt::format("except: {{{}: {}}}", yaml_word(nodes), yaml_word(setting.value)));
    }
    for (std::string_view rule : kRules)
      if (const Yaml* old = pool.find(rule); old && old->kind == Yaml::Kind::scalar)
        if (const auto span = source.field(std::string(rule), *old, flow))
          return source.with(*span, fmt::format("{}: {}", setting.key, yaml_word(setting.value)));
    return std::nullopt;
  }

  // A field of a map inside of the pool: changed, added, or with an empty value taken out.
  std::optional<std::string> entry(const Source& source, const Yaml& map, bool flow, const std::string& key,
                                   const std::string& value) const {
    flow = flow || source.is_flow(map);
    for (const auto& [name, one] : map.fields) {
      const auto profile = mig::canonical_profile(name), asked = mig::canonical_profile(key);
      if (name != key && !(profile && asked && *profile == *asked)) continue;
      if (one.kind != Yaml::Kind::scalar) return std::nullopt;
      if (!value.empty()) return source.with(source.value(one, flow), yaml_word(value));
      const auto span = source.field(name, one, flow);
      return span ? std::optional(source.without(*span, flow)) : std::nullopt;
    }
    if (value.empty()) return std::nullopt;
    return insert(source, map, flow, fmt::format("{}: {}", yaml_word(key), yaml_word(value)));
  }

  // Behind the last field of the map that is one value.
  std::optional<std::string> insert(const Source& source, const Yaml& map, bool flow,
                                    const std::string& field) const {
    const auto last = std::find_if(map.fields.rbegin(), map.fields.rend(), [](const Yaml::Field& one) {
      return one.second.kind == Yaml::Kind::scalar;
    });
    if (last == map.fields.rend()) return std::nullopt;
    const Span value = source.value(last->second, flow);
    if (flow) return source.with({value.end, value.end}, ", " + field);
    const std::size_t end = source.line_end(value.end);
    const std::string pad(static_cast<std::size_t>(map.column) - 1, ' ');
    return source.with({end, end}, (source.ends_line(end) ? "" : "\n") + pad + field + "\n");
  }

  std::string_view file_;
  const mig::Catalogue& catalogue_;
  std::string_view pool_;
};

}  // namespace

Result<Setting> parse_setting(std::string_view word) {
  const std::size_t at = word.find('=');
  Setting one{std::string(word.substr(0, at)),
              at == std::string_view::npos ? "" : std::string(word.substr(at + 1))};
  const bool entry = (one.key.starts_with(kDemand) && one.key.size() > kDemand.size()) ||
                     (one.key.starts_with(kExcept) && one.key.size() > kExcept.size());
  const bool rule = std::find(std::begin(kRules), std::end(kRules), one.key) != std::end(kRules);
  if (at != std::string_view::npos && (entry || (rule && !one.value.empty()))) return one;
  return cannot(
      "\"" + clean(word, 100) + "\" cannot be set",
      "layout=LAYOUT, preset=NAME, demand.PROFILE=N, except.NODES=LAYOUT; an empty value takes a demand "
      "or an exception out");
}

Result<std::string> edited(std::string_view text, std::string_view file, const mig::Catalogue& catalogue,
                           std::string_view pool, std::span<const Setting> settings) {
  const Editor editor(file, catalogue, pool);
  std::string now(text);
  for (const Setting& setting : settings) {
    auto next = editor.set(now, setting);
    if (!next) return next;
    now = std::move(*next);
  }
  return now;
}

}  // namespace tessera::fleet
