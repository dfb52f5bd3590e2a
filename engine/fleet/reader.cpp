#include "engine/fleet/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ascii.hpp"
#include "engine/fleet/keys.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/hostlist.hpp"
#include "engine/pack/whole.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

constexpr std::size_t kMostPools = 1000;
constexpr std::size_t kMostNames = 200'000;  // in the file together
constexpr std::size_t kMostText = 253;       // of a name, as long as that of a host
constexpr std::size_t kMostWindows = 50;     // of one pool
constexpr std::size_t kMostHolidays = 10'000;
constexpr std::chrono::days kLongestHolidays{366};  // in a row
constexpr std::size_t kMostReason = 1024;           // of a refusal, in bytes
constexpr int kMostWanted = 1'000'000;

constexpr std::string_view kPoolKeys[] = {
    "name",   "cluster", "nodes",    "partition", "feature", "label",         "product",
    "layout", "gpus",    "strategy", "replicas",  "vgpu",    "rename_shared", "refuse_several",
    "preset", "demand",  "except",   "windows",   "evict",   "on_failure",    "budget"};
constexpr std::string_view kBudgetKeys[] = {"max_nodes_at_once", "max_disturbed", "not_after", "lead"};
constexpr std::string_view kWishKeys[] = {"layout", "strategy",      "replicas",
                                          "vgpu",   "rename_shared", "refuse_several"};
constexpr std::string_view kRuleKeys[] = {"layout", "strategy",      "replicas",       "vgpu",  "gpus",
                                          "preset", "rename_shared", "refuse_several", "demand"};
constexpr std::string_view kClusterKeys[] = {"platform", "plugin_strategy"};
constexpr std::string_view kAsIs = "as-is";

template <std::size_t N>
std::string listed(const std::string_view (&keys)[N]) {
  std::string text;
  for (std::string_view key : keys) text += (text.empty() ? "" : ", ") + std::string(key);
  return text;
}

class FleetReader {
 public:
  FleetReader(std::string_view file, const mig::Catalogue& catalogue) : file_(file), catalogue_(catalogue) {}

  Result<Fleet> read(const Yaml& root) {
    constexpr std::string_view kKeys[] = {"pools", "clusters", "time_zone", "holidays"};
    if (root.kind != Yaml::Kind::map) return bad(root, "it has no pools", "docs/fleet.md has an example");
    for (const auto& [key, value] : root.fields)
      if (!is_one_of(kKeys, key)) return unknown_key(key, value, listed(kKeys));
    if (const Yaml* clusters = root.find("clusters"))
      if (Status done = read_clusters(*clusters); !done) return done.error();
    if (Status done = read_calendar(root); !done) return done.error();
    const Yaml* pools = root.find("pools");
    if (!pools || pools->kind != Yaml::Kind::list || pools->items.empty())
      return bad(pools ? *pools : root, "pools is a list of at least one pool",
                 "docs/fleet.md has an example");
    if (pools->items.size() > kMostPools)
      return bad(*pools, fmt::format("more than {} pools", kMostPools), "join pools that are alike");
    for (const Yaml& one : pools->items)
      if (Status done = read_pool(one); !done) return done.error();
    return std::move(fleet_);
  }

 private:
  // Whatever the file holds: neither its keys nor its name can put a control character on a terminal.
  Error bad(const Yaml& at, const std::string& why, const std::string& hint) const {
    const std::string reason = fmt::format("{}:{}:{}: {}", file_, at.line, at.column, why);
    return {"cannot read the fleet file", clean(reason, kMostReason), clean(hint, kMostReason)};
  }
  Error unknown_key(const std::string& key, const Yaml& at, const std::string& known) const {
    const std::string why = "\"" + clean(key, 60) + "\" is not a key here";
    // {layout: 3g.40gb,3g.40gb}: between braces a comma ends the value.
    const bool cut_off = at.kind != Yaml::Kind::map && at.scalar.empty() && plan::parse_layout_wish(key).ok();
    if (cut_off) return bad(at, why, "put a layout with commas in quotes: layout: '3g.40gb,3g.40gb'");
    if (is_one_of(kBudgetKeys, key))
      return bad(at, why, "it belongs to the budget of a pool: write budget: {" + key + ": VALUE}");
    return bad(at, why, "one of: " + known);
  }

  // One word or sentence; empty: an error.
  Result<std::string> text_of(const Yaml& value, const std::string& key) const {
    if (value.kind != Yaml::Kind::scalar || value.scalar.empty())
      return bad(value, key + " needs one value", "write " + key + ": VALUE");
    if (value.scalar.size() > kMostText || clean(value.scalar, kMostText) != value.scalar)
      return bad(value, key + " is too long, or holds control characters", "docs/fleet.md has an example");
    return value.scalar;
  }

  Result<std::set<std::string>> names_of(const std::string& list, const Yaml& at) {
    auto names = expand_hosts(list, kMostNames - names_);
    if (!names) return bad(at, names.error().reason, "names and ranges, as n[01-04],n07");
    names_ += names->size();
    std::set<std::string> all;
    for (std::string& name : *names) {
      if (name.empty() || clean(name, kMostText) != name)
        return bad(at, "\"" + clean(name, 60) + "\" is not the name of a node", "as tessera nodes lists it");
      if (!all.insert(name).second) return bad(at, "node " + name + " is named twice", "name it once");
    }
    if (all.empty()) return bad(at, "no node is named", "names and ranges, as n[01-04],n07");
    return all;
  }

  Status read_clusters(const Yaml& clusters) {
    if (clusters.kind != Yaml::Kind::map)
      return bad(clusters, "clusters is a map from a cluster's name to its rules",
                 "write clusters: {hpc: {platform: slurm}}");
    for (const auto& [name, rules] : clusters.fields) {
      if (name.empty() || name.size() > kMostText || clean(name, kMostText) != name)
        return bad(rules, "\"" + clean(name, 60) + "\" is not the name of a cluster",
                   "write it as tessera nodes lists it");
      if (rules.kind != Yaml::Kind::map)
        return bad(rules, "the rules of a cluster are a map", "write platform: NAME");
      ClusterRules& into = fleet_.clusters[name];
      for (const auto& [key, value] : rules.fields) {
        if (!is_one_of(kClusterKeys, key)) return unknown_key(key, value, listed(kClusterKeys));
        auto text = text_of(value, key);
        if (!text) return text.error();
        if (Status done = read_cluster_rule(into, key, *text, value); !done) return done;
      }
    }
    return Done{};
  }

  // The zone itself is read by whoever may read files.
  Status read_calendar(const Yaml& root) {
    if (const Yaml* zone = root.find("time_zone")) {
      auto name = text_of(*zone, "time_zone");
      if (!name) return name.error();
      const auto usual = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '+' || c == '/';
      };
      if (!std::all_of(name->begin(), name->end(), usual) || name->front() == '/')
        return bad(*zone, "\"" + clean(*name, 60) + "\" is not the name of a time zone",
                   "write Europe/Berlin");
      fleet_.time_zone = std::move(*name);
    }
    const Yaml* holidays = root.find("holidays");
    if (!holidays) return Done{};
    if (holidays->kind != Yaml::Kind::list)
      return bad(*holidays, "holidays is a list of dates", "write holidays: [2026-12-25]");
    for (const Yaml& one : holidays->items) {
      if (Status done = read_holidays(one); !done) return done.error();
      if (fleet_.holidays.size() > kMostHolidays)
        return bad(one, fmt::format("more than {} holidays", kMostHolidays), "take past ones out");
    }
    return Done{};
  }
  // A date, or the first and the last of several that follow one another.
  Status read_holidays(const Yaml& one) {
    const std::size_t dots = one.scalar.find("..");
    const bool range = dots != std::string::npos;
    const std::string_view text = one.scalar;
    const auto first = date_of(trimmed(text.substr(0, dots)));
    const auto last = range ? date_of(trimmed(text.substr(dots + 2))) : first;
    const std::string said = "\"" + clean(one.scalar, 60) + "\"";
    if (one.kind != Yaml::Kind::scalar || !first || !last)
      return range ? bad(one, said + " does not name two dates", "write 2026-12-24..2027-01-01")
                   : bad(one, said + " is not a date", "write 2026-12-25, or 2026-12-24..2027-01-01");
    if (*last < *first)
      return bad(one, said + " ends before it begins", "write the first day before the dots");
    if (*last - *first >= kLongestHolidays)
      return bad(one, fmt::format("{} is longer than {} days", said, kLongestHolidays.count()),
                 "check the years, or write several ranges");
    for (std::chrono::sys_days day = *first; day <= *last; day += std::chrono::days(1))
      fleet_.holidays.insert(day);
    return Done{};
  }
  static std::optional<std::chrono::sys_days> date_of(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    unsigned parts[3] = {};
    std::size_t at = 0;
    for (std::size_t i = 0; i < 3; ++i, ++at)
      for (std::size_t end = at + (i == 0 ? 4 : 2); at < end; ++at) {
        if (text[at] < '0' || text[at] > '9') return std::nullopt;
        parts[i] = parts[i] * 10 + static_cast<unsigned>(text[at] - '0');
      }
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(parts[0])),
                                           std::chrono::month(parts[1]), std::chrono::day(parts[2])};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
  }

  Status read_patience(Pool& pool, const Yaml& value) const {
    if (const Yaml* evict = value.find("evict")) {
      auto way = evict->kind == Yaml::Kind::scalar ? plan::parse_way(evict->scalar) : std::nullopt;
      if (!way) return bad(*evict, "evict is wait, requeue or cancel", "write evict: requeue");
      pool.evict = *way;
    }
    if (const Yaml* failure = value.find("on_failure")) {
      const bool goes_on = failure->scalar == word(OnFailure::go_on);
      if (failure->kind != Yaml::Kind::scalar || (!goes_on && failure->scalar != word(OnFailure::stop)))
        return bad(*failure, "on_failure is stop or go-on", "write on_failure: go-on");
      if (goes_on) pool.on_failure = OnFailure::go_on;
    }
    if (Status done = read_budget(pool, value); !done) return done;
    if (pool.on_failure == OnFailure::go_on && !pool.budget.nodes_at_once)
      return bad(*value.find("on_failure"), "on_failure: go-on needs a bound to the nodes that may fail",
                 "write budget: {max_nodes_at_once: 2}");
    return Done{};
  }

  Status read_budget(Pool& pool, const Yaml& value) const {
    const Yaml* budget = value.find("budget");
    if (!budget) return Done{};
    if (budget->kind != Yaml::Kind::map)
      return bad(*budget, "budget is a map", "write budget: {max_nodes_at_once: 4, max_disturbed: 0}");
    for (const auto& [key, one] : budget->fields) {
      if (key == "not_after") {
        pool.budget.not_after = one.kind == Yaml::Kind::scalar ? minutes_of_day(one.scalar) : std::nullopt;
        if (!pool.budget.not_after)
          return bad(one, "not_after is a time of the day", "write not_after: '06:00'");
        continue;
      }
      if (key == "lead") {
        pool.budget.lead = one.kind == Yaml::Kind::scalar ? minutes_of_day(one.scalar) : std::nullopt;
        if (!pool.budget.lead)
          return bad(one, "lead is hours and minutes, up to 24:00", "write lead: '04:00'");
        continue;
      }
      const bool nodes = key == "max_nodes_at_once";
      if (!nodes && key != "max_disturbed") return unknown_key(key, one, listed(kBudgetKeys));
      const auto number = one.as_int();
      if (!number || *number < (nodes ? 1 : 0) || *number > kMostWanted)
        return bad(one, key + " is a whole number", "write " + key + ": 4");
      (nodes ? pool.budget.nodes_at_once : pool.budget.disturbed) = static_cast<int>(*number);
    }
    return Done{};
  }

  Status read_windows(Pool& pool, const Yaml& value) const {
    if (value.kind != Yaml::Kind::list || value.items.size() > kMostWindows)
      return bad(value, fmt::format("windows is a list of at most {} windows", kMostWindows),
                 "write - {when: Mon-Fri 20:00-07:00, layout: none}");
    for (const Yaml& one : value.items) {
      const Yaml* when = one.find("when");
      if (!when) return bad(one, "the window does not say when it holds", "write when: Mon-Fri 20:00-07:00");
      auto text = text_of(*when, "when");
      if (!text) return text.error();
      auto read = parse_when(*text);
      if (!read) return bad(*when, read.error().reason, read.error().hint);
      for (const auto& [key, each] : one.fields)
        if (key != "when" && !is_one_of(kRuleKeys, key))
          return unknown_key(key, each, "when, " + listed(kRuleKeys));
      auto rule = read_rule(one);
      if (!rule) return rule.error();
      pool.windows.push_back({*read, std::move(*rule), one.line, std::move(*text)});
    }
    return Done{};
  }

  Status read_cluster_rule(ClusterRules& into, const std::string& key, const std::string& text,
                           const Yaml& at) const {
    if (key == "platform") {
      into.platform = sharing::parse_platform(text);
      if (!into.platform)
        return bad(at, "\"" + clean(text, 60) + "\" is not a platform", "tessera plan --help lists them");
      return Done{};
    }
    using sharing::MigStrategy;
    for (MigStrategy each : {MigStrategy::none, MigStrategy::single, MigStrategy::mixed})
      if (sharing::word(each) == text) into.strategy = each;
    if (!into.strategy)
      return bad(at, "\"" + clean(text, 60) + "\" is not a MIG strategy", "none, single or mixed");
    return Done{};
  }

  Status read_pool(const Yaml& value) {
    if (value.kind != Yaml::Kind::map)
      return bad(value, "a pool is a map", "write - name: training, and below it what the pool is to be");
    for (const auto& [key, one] : value.fields)
      if (!is_one_of(kPoolKeys, key)) return unknown_key(key, one, listed(kPoolKeys));
    Pool pool;
    pool.line = value.line;
    for (auto [key, into] : {std::pair("name", &pool.name), std::pair("partition", &pool.partition),
                             std::pair("feature", &pool.feature), std::pair("product", &pool.product),
                             std::pair("cluster", &pool.cluster.text)})
      if (const Yaml* told = value.find(key)) {
        auto text = text_of(*told, key);
        if (!text) return text.error();
        *into = std::move(*text);
      }
    if (pool.name.empty()) return bad(value, "the pool has no name", "write name: training");
    if (!pool_names_.insert(pool.name).second)
      return bad(*value.find("name"), "two pools are called " + pool.name, "give each its own name");
    if (Status done = read_conditions(pool, value); !done) return done;
    auto rule = read_rule(value);
    if (!rule) return rule.error();
    pool.rule = std::move(*rule);
    if (const Yaml* except = value.find("except"))
      if (Status done = read_exceptions(pool, *except); !done) return done;
    if (Status done = read_patience(pool, value); !done) return done;
    if (const Yaml* windows = value.find("windows"))
      if (Status done = read_windows(pool, *windows); !done) return done;
    if (pool.budget.not_after && pool.windows.empty())
      return bad(*value.find("budget"), "not_after belongs to windows, and the pool has none",
                 "leave not_after out, or give the pool windows");
    if (Status done = check_lead(pool, value); !done) return done;
    fleet_.pools.push_back(std::move(pool));
    return Done{};
  }

  // What is made before its window opens must be the same that is due then, and ends nobody's work.
  Status check_lead(const Pool& pool, const Yaml& value) const {
    if (!pool.budget.lead) return Done{};
    const Yaml& at = *value.find("budget")->find("lead");
    if (pool.windows.empty())
      return bad(at, "lead belongs to windows, and the pool has none",
                 "leave lead out, or give the pool windows");
    if (pool.evict != plan::Way::wait)
      return bad(
          at, "lead waits for workloads to end, and the pool evicts them",
          "leave lead out: its workloads are then evicted once the window opens; or leave evict out: its "
          "nodes are then closed early and waited for");
    bool demand = pool.rule.kind == Rule::Kind::demand;
    for (const Window& window : pool.windows) demand = demand || window.rule.kind == Rule::Kind::demand;
    if (demand)
      return bad(
          at, "lead is for layouts, and a demand is spread when its window opens",
          "leave lead out: the change then begins when the window opens; or write a layout or a preset "
          "instead of the demand");
    return Done{};
  }

  Status read_conditions(Pool& pool, const Yaml& value) {
    if (const Yaml* label = value.find("label")) {
      auto text = text_of(*label, "label");
      if (!text) return text.error();
      if (text->find('=') == std::string::npos)
        return bad(*label, "a label is KEY=VALUE", "write label: team=ml");
      if (!pool.feature.empty())
        return bad(*label, "feature and label exclude each other",
                   "features are Slurm's, labels Kubernetes'");
      pool.feature = std::move(*text);
    }
    if (const Yaml* nodes = value.find("nodes")) {
      if (nodes->kind != Yaml::Kind::scalar)
        return bad(*nodes, "nodes is one list of names", "write nodes: n[01-04],n07");
      auto names = names_of(nodes->scalar, *nodes);
      if (!names) return names.error();
      pool.nodes = std::move(*names);
    }
    if (pool.product.empty()) return Done{};
    const mig::Product* product = catalogue_.by_any(pool.product);
    if (!product)
      return bad(*value.find("product"), "the catalogue has no product " + clean(pool.product, 100),
                 "tessera layouts lists them");
    pool.product = product->key.text;
    return Done{};
  }

  Result<Rule> read_rule(const Yaml& pool) const {
    const Yaml *gpus = pool.find("gpus"), *preset = pool.find("preset"), *demand = pool.find("demand");
    Yaml wish;
    wish.kind = Yaml::Kind::map;
    wish.line = pool.line, wish.column = pool.column;
    for (const Yaml::Field& field : pool.fields)
      if (is_one_of(kWishKeys, field.first)) wish.fields.push_back(field);
    const bool by_layout = pool.find("layout") || pool.find("strategy");
    const int ways = by_layout + (gpus != nullptr) + (preset != nullptr) + (demand != nullptr);
    if (ways != 1)
      return bad(pool,
                 ways == 0 ? "the pool does not say what its nodes are to be" : "that is said in two ways",
                 "give one of layout, strategy, gpus, preset and demand; layout: as-is leaves them alone");
    if (!by_layout && !gpus && !wish.fields.empty())
      return bad(wish.fields.front().second, wish.fields.front().first + " belongs to layout or strategy",
                 "leave it out");
    if (preset) return preset_rule(*preset);
    if (demand) return demand_rule(*demand);
    if (!gpus) return node_rule(wish);
    if (gpus->kind != Yaml::Kind::map || gpus->fields.empty())
      return bad(*gpus, "gpus is a map from GPUs to what they are to be", "write gpus: {0-3: none}");
    Yaml by_gpu = *gpus;
    for (const Yaml::Field& field : wish.fields) by_gpu.fields.push_back(field);
    return node_rule(by_gpu);
  }

  Result<Rule> node_rule(const Yaml& value) const {
    Rule rule;
    rule.line = value.line;
    const Yaml* layout = value.find("layout");
    const Yaml& said = layout && value.fields.size() == 1 ? *layout : value;
    if (layout) rule.line = layout->line;
    if (said.kind == Yaml::Kind::scalar && said.scalar == kAsIs) return rule;
    auto wish = plan::read_node_wish(said, [this](const Yaml& at, const std::string& why) {
      return bad(at, why, "docs/fleet.md shows what a node can be");
    });
    if (!wish) return wish.error();
    if (wish->boards.empty())
      return bad(said, "no GPU is named", "write a layout, or GPUs and what each is to be");
    rule.kind = Rule::Kind::wish;
    rule.wish = std::move(*wish);
    return rule;
  }

  Result<Rule> preset_rule(const Yaml& value) const {
    auto name = text_of(value, "preset");
    if (!name) return name.error();
    Rule rule;
    rule.kind = Rule::Kind::preset;
    rule.line = value.line;
    rule.preset = std::move(*name);
    return rule;
  }

  Result<Rule> demand_rule(const Yaml& value) const {
    if (value.kind != Yaml::Kind::map || value.fields.empty())
      return bad(value, "demand is a map from profiles to counts", "write demand: {3g.40gb: 10}");
    Rule rule;
    rule.kind = Rule::Kind::demand;
    rule.line = value.line;
    for (const auto& [key, count] : value.fields) {
      auto profile = pack::wanted_name(key);
      if (!profile)
        return bad(count, "\"" + clean(key, 60) + "\" is not the name of a MIG profile, or whole",
                   "write 3g.40gb: 10");
      const auto number = count.as_int();
      if (!number || *number < 0 || *number > kMostWanted)
        return bad(count, fmt::format("the count is not a whole number from 0 to {}", kMostWanted),
                   "write 3g.40gb: 10");
      if (!rule.demand.emplace(profile->text, static_cast<int>(*number)).second)
        return bad(count, "profile " + profile->text + " stands twice", "name it once");
    }
    return rule;
  }

  Status read_exceptions(Pool& pool, const Yaml& value) {
    if (value.kind != Yaml::Kind::map)
      return bad(value, "except is a map from nodes to what they are to be", "write except: {n07: as-is}");
    std::set<std::string> seen;
    for (const auto& [list, one] : value.fields) {
      auto names = names_of(list, one);
      if (!names) return names.error();
      for (const std::string& name : *names) {
        if (!seen.insert(name).second) return bad(one, "node " + name + " is excepted twice", "name it once");
        if (!pool.nodes.empty() && !pool.nodes.contains(name))
          return bad(one, "node " + name + " is not among the nodes of the pool", "add it to nodes");
      }
      const Yaml* preset = one.find("preset");
      auto rule = preset && one.fields.size() == 1 ? preset_rule(*preset) : node_rule(one);
      if (!rule) return rule.error();
      pool.exceptions.push_back({std::move(*names), std::move(*rule)});
    }
    return Done{};
  }

  std::string_view file_;
  const mig::Catalogue& catalogue_;
  Fleet fleet_;
  std::set<std::string> pool_names_;
  std::size_t names_ = 0;
};

}  // namespace

Result<Fleet> read_fleet(std::string_view text, std::string_view file, const mig::Catalogue& catalogue) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) {
    Error error = root.error();
    error.what = "cannot read the fleet file";
    if (error.hint.empty()) error.hint = "docs/fleet.md has an example";
    return error;
  }
  return FleetReader(file, catalogue).read(*root);
}

}  // namespace tessera::fleet
