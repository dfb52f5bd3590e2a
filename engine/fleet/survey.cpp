#include "engine/fleet/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/never_holds.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/taking.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/plan/effect/diff.hpp"
#include "engine/plan/refusal.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

constexpr const char* kNotReported = "no GPU of it is reported";

// Why nothing is said of a node; empty: its GPUs are known.
std::string why_unknown(const Node& node) {
  if (node.health == Health::down) return "it is down: what is on its GPUs now is not known";
  if (node.health == Health::unknown) return "its state is not known";
  if (node.gpus.empty() && node.pool.empty()) return kNotReported;
  if (sharing::amd::is_amd(node)) return std::string(sharing::amd::kNotPlanned);
  if (plan::boards_untold(node)) return "its slices are reported, but not on which GPUs they are";
  return "";
}

bool starts_untold(const Gpu& gpu) {
  return std::any_of(gpu.slices.begin(), gpu.slices.end(), [](const Slice& slice) {
    return slice.kind == SliceKind::gpu_instance && !slice.placement;
  });
}

int held_on(const Gpu& gpu) {
  return static_cast<int>(std::count_if(gpu.slices.begin(), gpu.slices.end(),
                                        [](const Slice& one) { return plan::in_use(one); }));
}

void add_to(plan::Intent& intent, const NodeSurvey& one) {
  intent.nodes.push_back(one.node->name);
  for (const BoardSurvey& board : one.boards)
    intent.boards.push_back({board.gpu, board.wanted, one.node->name});
  if (one.of_all) intent.boards.push_back({std::nullopt, *one.of_all, one.node->name});
  if (const Rule* rule = one.rule(); rule->wish.switches.any())
    intent.node_switches[one.node->name.text] = rule->wish.switches;
}

class Surveyor {
 public:
  Surveyor(const Fleet& fleet, const Cluster& cluster, const Place& place,
           std::vector<sharing::PresetTable> tables)
      : fleet_(fleet),
        cluster_(cluster),
        place_(place),
        rules_(rules_of(fleet, cluster.name, *place.rules)),
        platform_(sharing::platform_of(cluster, rules_.platform).platform),
        tables_(std::move(tables)) {}

  Survey run(const std::vector<NodeName>& only) {
    Survey all;
    all.cluster = &cluster_;
    const std::set<NodeName> wanted(only.begin(), only.end());
    for (const Node& node : cluster_.nodes.all()) {
      const bool asked = wanted.empty() || wanted.contains(node.name);
      NodeSurvey one = look(node, asked);
      // The others of its pool decide what a demand asks of a node.
      if (!asked && !one.untold && (!one.rule() || one.rule()->kind != Rule::Kind::demand)) continue;
      const bool named = one.pool && one.pool->nodes.contains(node.name.text);
      if (!has_gpus(node) && !named) continue;
      all.nodes.push_back(std::move(one));
    }
    spread_demand(all);
    for (NodeSurvey& one : all.nodes)
      if (one.standing == Standing::drifts && (wanted.empty() || wanted.contains(one.node->name)))
        look_at_plan(one);
    if (only.empty()) {
      note_pools(all);
      return all;
    }
    std::erase_if(all.nodes, [&](const NodeSurvey& one) { return !wanted.contains(one.node->name); });
    std::erase_if(all.notes, [&](const PoolNote& note) {
      return std::none_of(all.nodes.begin(), all.nodes.end(),
                          [&](const NodeSurvey& one) { return one.pool == note.pool; });
    });
    return all;
  }

 private:
  // asked: else only whether it belongs to a demand, and what is known of it, is looked at.
  NodeSurvey look(const Node& node, bool asked) {
    NodeSurvey one;
    one.node = &node;
    Ruling ruling = ruling_of(fleet_, cluster_, node, *place_.catalogue);
    one.pool = ruling.pool, one.also = std::move(ruling.also);
    if (!one.pool) return one;
    one.exception = exception_of(*one.pool, node);
    const Rule& rule = *one.rule();
    one.untold = ruling.untold && !is_left_anyway(rule, ruling.instead, node);
    if (one.untold) instead_[&node] = std::move(ruling.instead);
    if (!one.untold && (rule.kind == Rule::Kind::as_is || (!asked && rule.kind != Rule::Kind::demand)))
      return one;
    if (asked && !reserved_by_run(node))
      one.should_offer = offers_otherwise(node, cluster_.scheduler, *place_.catalogue, rules_);
    one.why = one.untold ? kPoolUntold : why_unknown(node);
    one.standing = one.why.empty() ? Standing::as_wanted : Standing::unknown;
    if (one.why == kNotReported && asked) look_at_all(one, rule);
    if (!one.why.empty() || rule.kind == Rule::Kind::demand) return one;
    for (const Gpu& gpu : node.gpus)
      if (auto board = look(node, gpu, rule)) one.boards.push_back(std::move(*board));
    missing_boards(one, rule);
    settle(one);
    if (rule.wish.switches.any()) look_at_switches(one, rule.wish.switches);
    if (node.host_pod) give_to_kubernetes(one);
    return one;
  }

  static const Exception* exception_of(const Pool& pool, const Node& node) {
    const Exception* last = nullptr;
    for (const Exception& each : pool.exceptions)
      if (each.nodes.contains(node.name.text)) last = &each;
    return last;
  }

  // Whichever of these pools takes it, it stays as it is.
  static bool is_left_anyway(const Rule& rule, const std::vector<const Pool*>& instead, const Node& node) {
    return rule.kind == Rule::Kind::as_is &&
           std::all_of(instead.begin(), instead.end(), [&](const Pool* pool) {
             const Exception* own = exception_of(*pool, node);
             return (own ? own->rule : pool->rule).kind == Rule::Kind::as_is;
           });
  }

  // The strategy single does not fit its GPUs, so that none is reported: they are cut in several ways, and
  // what a plan makes of all of them is another layout. Of any other node it may be the one that stands.
  void look_at_all(NodeSurvey& one, const Rule& rule) const {
    const Node& node = *one.node;
    if (cluster_.scheduler != Scheduler::kubernetes || node.health != Health::invalid) return;
    std::optional<plan::Wish> wish;
    if (rule.kind == Rule::Kind::preset) {
      auto preset =
          preset_of(place_.catalogue->by_gfd_label(node.model), "its GPUs", node.model, rule.preset);
      if (preset) wish = std::move(*preset);
    } else if (rule.wish.boards.size() == 1 && !rule.wish.boards.front().gpu) {
      wish = rule.wish.boards.front().wish;
    }
    if (!wish) return;
    one.of_all = std::move(wish);
    if (const std::string why = why_not_planned(one); !why.empty()) {
      one.of_all.reset();
      one.why = "no GPU of it is reported, and no plan changes it: " + why;
      return;
    }
    one.standing = Standing::drifts;
    one.why = "the MIG strategy single does not fit its GPUs: none of them is reported";
  }

  std::string why_not_planned(const NodeSurvey& one) const {
    plan::Intent intent;
    intent.cluster = cluster_.name;
    add_to(intent, one);
    return plan::why_not_changed(cluster_, *place_.catalogue, intent, *place_.means, rules_);
  }

  // A driver upgrade, GPUs that claims hand out, a MIG manager that is not there: such a node stays as it is.
  void look_at_plan(NodeSurvey& one) const {
    std::string why = why_not_planned(one);
    if (why.empty()) return;
    one.why = "no plan changes it: " + why;
    one.refused = std::move(why);
  }

  // By srun a run marks a node with a reservation (mark_of_reservation in backends/slurm), and gives it no
  // reason: layout first, then files.
  bool reserved_by_run(const Node& node) const {
    const auto is_mark = [](const std::string& name) { return name.starts_with("tessera+"); };
    return is_mark(node.reservation) || std::any_of(cluster_.reservations.begin(),
                                                    cluster_.reservations.end(), [&](const Reservation& one) {
                                                      return one.nodes == node.name.text && is_mark(one.name);
                                                    });
  }

  // No plan of Slurm's node changes what runs in a pod.
  static void give_to_kubernetes(NodeSurvey& one) {
    const auto give = [](auto& each) {
      if (each.standing != Standing::drifts) return;
      each.standing = Standing::impossible;
      each.why = "its slurmd runs in a pod: give its Kubernetes node the layout, and this node layout: as-is";
    };
    for (BoardSurvey& board : one.boards) give(board);
    give(one);
  }

  // Switches that cannot be read are not as wanted.
  void look_at_switches(NodeSurvey& one, const plan::WishedSwitches& wanted) const {
    if (cluster_.scheduler == Scheduler::slurm) {
      one.standing = Standing::impossible;
      one.why = "Slurm's shares keep their name: rename_shared and refuse_several are Kubernetes'";
      return;
    }
    if (place_.means->dialect == plan::Dialect::direct && !plan::simulated_switches(*one.node)) {
      one.standing = Standing::impossible;
      one.why = "the NVIDIA device plugin, which has these switches, does not hand out its GPUs";
      return;
    }
    if (one.standing != Standing::as_wanted) return;
    const auto now = plan::switches_now(*place_.means, *one.node);
    if (!now) {
      one.standing = Standing::unknown;
      one.why = "the device plugin's switches for shares are not known";
    } else if ((wanted.rename_shared && *wanted.rename_shared != now->rename) ||
               (wanted.refuse_several && *wanted.refuse_several != now->refuse_several)) {
      one.standing = Standing::drifts;
      one.why = "the device plugin's switches for shares differ";
    }
  }

  std::optional<BoardSurvey> look(const Node& node, const Gpu& gpu, const Rule& rule) const {
    BoardSurvey one;
    one.gpu = gpu.index;
    one.held = held_on(gpu);
    if (gpu.strategy != Strategy::unknown) one.made = plan::state_of(gpu);
    auto impossible = [&](const Error& error) {
      one.standing = Standing::impossible;
      one.why = to_line(error);
      return one;
    };
    if (rule.kind == Rule::Kind::preset) {
      const mig::Product* product = mig::product_of(gpu, *place_.catalogue);
      auto wish = preset_of(product, fmt::format("GPU {}", gpu.index.value), gpu.model, rule.preset);
      if (!wish) {
        one.wanted_is = product ? BoardSurvey::Wanted::no_preset : BoardSurvey::Wanted::no_product;
        return impossible(wish.error());
      }
      one.wanted = std::move(*wish);
    } else {
      const plan::Wish* wish = nullptr;
      for (const plan::BoardWish& board : rule.wish.boards)
        if (!board.gpu || *board.gpu == gpu.index) wish = &board.wish;
      if (!wish) return std::nullopt;
      one.wanted = *wish;
    }
    one.wanted = plan::as_handed_out(cluster_.scheduler, node, gpu, std::move(one.wanted));
    if (!one.made) {
      one.standing = Standing::unknown;
      one.why = fmt::format("how GPU {} is shared now is not known", gpu.index.value);
      return one;
    }
    auto change = plan::diff_board(gpu, mig::product_of(gpu, *place_.catalogue), one.wanted, *place_.means);
    if (change) {
      one.standing = change->changes() ? Standing::drifts : Standing::as_wanted;
      return one;
    }
    if (!starts_untold(gpu)) return impossible(change.error());
    one.standing = Standing::unknown;
    one.made.reset();
    one.why = fmt::format("the starts of the instances of GPU {} are not known", gpu.index.value);
    return one;
  }

  Result<plan::Wish> preset_of(const mig::Product* product, const std::string& whose,
                               const std::string& model, const std::string& name) const {
    if (!product)
      return Error{"cannot plan " + whose, "the catalogue does not know '" + clean(model, 100) + "'",
                   "add the product to the site's catalogue file, or give its pool a layout"};
    auto preset = sharing::find_preset(*product, platform_, name, tables_);
    if (!preset) return preset.error();
    return preset->mig ? plan::wish_of(*product, preset->profiles) : plan::Wish{};
  }

  // A GPU that the file names and the node does not have.
  void missing_boards(NodeSurvey& one, const Rule& rule) const {
    for (const plan::BoardWish& board : rule.wish.boards) {
      if (!board.gpu || plan::find_gpu(*one.node, *board.gpu)) continue;
      one.boards.push_back({*board.gpu, Standing::impossible, board.wish, std::nullopt, 0,
                            fmt::format("it has no GPU {}", board.gpu->value)});
    }
  }

  static void settle(NodeSurvey& one) {
    for (const BoardSurvey& board : one.boards)
      if (board.standing > one.standing) {
        one.standing = board.standing;
        one.why = board.why;
      }
  }

  void spread_demand(Survey& all) const {
    for (const Pool& pool : fleet_.pools) {
      if (pool.rule.kind != Rule::Kind::demand) continue;
      if (!pool.cluster.empty() && pool.cluster != cluster_.name) continue;
      std::vector<NodeSurvey*> nodes;
      std::vector<const NodeSurvey*> unknown;
      for (NodeSurvey& one : all.nodes)
        if (one.rule() == &pool.rule) {
          if (one.standing == Standing::unknown)
            unknown.push_back(&one);
          else
            nodes.push_back(&one);
        }
      const bool may_take = std::any_of(all.nodes.begin(), all.nodes.end(), [&](const NodeSurvey& one) {
        return one.untold && one.pool != &pool && may_take_instead(pool, *one.node);
      });
      const bool unlisted = std::any_of(pool.nodes.begin(), pool.nodes.end(), [&](const std::string& name) {
        return !pool.is_exception(name) && !cluster_.nodes.find(NodeName(name));
      });
      const bool excepted = nodes.empty() && unknown.empty() &&
                            std::any_of(all.nodes.begin(), all.nodes.end(),
                                        [&](const NodeSurvey& one) { return one.pool == &pool; });
      auto note =
          spread(pool, cluster_, place_, rules_, nodes, unknown, unlisted || may_take || nodes_unread());
      if (!note && excepted) note = no_node_left(pool);
      for (NodeSurvey* one : nodes) {
        settle(*one);
        if (note) blame_pool(*one, *note);
      }
      if (note) all.notes.push_back(std::move(*note));
    }
  }

  // Its instances may be those that the demand asks for.
  bool may_take_instead(const Pool& pool, const Node& node) const {
    const auto pools = instead_.find(&node);
    return pools != instead_.end() && !pool.is_exception(node.name.text) &&
           std::find(pools->second.begin(), pools->second.end(), &pool) != pools->second.end();
  }

  static std::optional<PoolNote> no_node_left(const Pool& pool) {
    const bool asks = std::any_of(pool.rule.demand.begin(), pool.rule.demand.end(),
                                  [](const auto& wanted) { return wanted.second > 0; });
    if (!asks) return std::nullopt;
    return PoolNote{&pool, Standing::impossible,
                    "its demand has no node: every node that it takes is an exception"};
  }

  // What the pool as a whole lacks is no node's own, but then none of them is as wanted.
  static void blame_pool(NodeSurvey& one, const PoolNote& note) {
    if (one.standing != Standing::as_wanted) return;
    one.standing = note.standing;
    one.why = note.standing == Standing::impossible ? kDemandUnmet : kDemandUntold;
  }

  bool nodes_unread() const {
    return std::any_of(cluster_.sources.begin(), cluster_.sources.end(), [](const auto& each) {
      return tells_nodes(each.first) && (each.second.incomplete || each.second.failure);
    });
  }

  void note_pools(Survey& all) const {
    for (const Pool& pool : fleet_.pools) {
      if (!pool.cluster.empty() && pool.cluster != cluster_.name) continue;
      std::set<std::string> missing;
      for (const std::string& name : pool.nodes)
        if (!cluster_.nodes.find(NodeName(name))) missing.insert(name);
      if (!missing.empty())
        all.notes.push_back(
            {&pool, Standing::unknown,
             fmt::format("{} lists no such node: {}", cluster_.name.text, some_of(missing, 3))});
      // A name that is spelled otherwise would leave the node that was meant to the pool's own rule, unseen.
      std::set<std::string> unlisted;
      for (const Exception& one : pool.exceptions)
        for (const std::string& name : one.nodes)
          if (pool.nodes.empty() && !cluster_.nodes.find(NodeName(name))) unlisted.insert(name);
      if (!unlisted.empty())
        all.notes.push_back({&pool, Standing::unknown,
                             fmt::format("{} lists no such node, which an exception names: {}",
                                         cluster_.name.text, some_of(unlisted, 3))});
      const bool empty = std::none_of(all.nodes.begin(), all.nodes.end(),
                                      [&](const NodeSurvey& one) { return one.pool == &pool; });
      // A pool of a label may have no node for now: nothing of a node is unknown then.
      if (empty && missing.empty())
        all.notes.push_back({&pool, Standing::as_wanted,
                             "it rules no node: none meets its conditions that no "
                             "pool above takes"});
    }
    for (const NeverHolds& one : windows_that_never_hold(fleet_))
      if (one.pool->cluster.empty() || one.pool->cluster == cluster_.name)
        all.notes.push_back({one.pool, Standing::as_wanted, to_text(one)});
  }

  const Fleet& fleet_;
  const Cluster& cluster_;
  const Place& place_;
  plan::SiteRules rules_;
  sharing::Platform platform_;
  std::vector<sharing::PresetTable> tables_;
  // Of nodes whose pool is untold: those of which one may take it.
  std::map<const Node*, std::vector<const Pool*>> instead_;
};

}  // namespace

std::size_t Survey::count(Standing standing) const {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const NodeSurvey& one) { return one.standing == standing; }));
}

Result<Survey> survey(const Fleet& fleet, const Cluster& cluster, const Place& place,
                      const std::vector<NodeName>& only) {
  auto tables = sharing::built_in_presets();
  if (!tables) return tables.error();
  return Surveyor(fleet, cluster, place, std::move(*tables)).run(only);
}

plan::SiteRules rules_of(const Fleet& fleet, const ClusterName& cluster, plan::SiteRules site) {
  auto told = fleet.clusters.find(cluster.text);
  if (told == fleet.clusters.end()) return site;
  if (told->second.platform) site.platform = told->second.platform;
  if (told->second.strategy) site.strategy = told->second.strategy;
  return site;
}

std::optional<plan::Intent> intent_of(const Survey& survey, std::string words, plan::ChangeOptions options,
                                      const Pool* pool, const std::set<NodeName>& but) {
  plan::Intent intent;
  intent.cluster = survey.cluster->name;
  intent.words = std::move(words);
  intent.options = std::move(options);
  for (const bool refused : {false, true}) {
    for (const NodeSurvey& one : survey.nodes)
      if (one.standing == Standing::drifts && one.refused.has_value() == refused &&
          (!pool || one.pool == pool) && !but.contains(one.node->name))
        add_to(intent, one);
    if (!intent.nodes.empty()) return intent;
  }
  return std::nullopt;
}

std::string_view word(Standing standing) {
  switch (standing) {
    case Standing::as_wanted: return "as-wanted";
    case Standing::left_alone: return "left-alone";
    case Standing::drifts: return "drifts";
    case Standing::unknown: return "unknown";
    case Standing::impossible: return "impossible";
  }
  return "unknown";
}

}  // namespace tessera::fleet
