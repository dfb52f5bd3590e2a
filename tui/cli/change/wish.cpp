#include "tui/cli/change/wish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/files/intent_file.hpp"
#include "engine/query/filter.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/shares.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/moment.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/cli/settings.hpp"
#include "tui/past_time.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kCannotPlan = "cannot plan";
constexpr std::size_t kMostNodes = 20'000;

Error cannot(std::string reason, std::string hint) {
  return {std::string(kCannotPlan), std::move(reason), std::move(hint)};
}

// --- which nodes

bool is_filter(const std::string& text) { return text.find_first_of("=<>!:~| \"") != std::string::npos; }

class NodeChooser {
 public:
  NodeChooser(const Options& options, const Model& model, std::string_view what)
      : options_(options), model_(model), what_(what) {}

  Or<ChosenNodes> by_filter(const mig::Catalogue& catalogue, TimePoint wall) const {
    auto filter = query::parse_filter<query::NodeRow>(options_.nodes);
    if (!filter) return Refusal{filter.error(), kUsage};
    std::vector<query::NodeRow> rows = query::node_rows(model_, ClusterName(options_.cluster));
    query::filter_and_sort(rows, *filter, {}, {wall, &catalogue});
    std::vector<ChosenNodes> found;
    for (const query::NodeRow& row : rows) {
      if (row.node->gpus.empty()) continue;
      auto same = std::find_if(found.begin(), found.end(),
                               [&](const ChosenNodes& one) { return one.cluster == row.cluster; });
      if (same == found.end()) same = found.insert(found.end(), ChosenNodes{row.cluster, {}});
      same->nodes.push_back(row.node->name);
    }
    if (found.empty())
      return Refusal{{what_, "no node with GPUs matches the filter " + clean(options_.nodes, 200),
                      "tessera nodes --filter shows what does"},
                     kFinding};
    return of_one_cluster(std::move(found));
  }

  Or<ChosenNodes> by_name() const {
    auto names = expand_hosts(options_.nodes, kMostNodes);
    if (!names) return Refusal{names.error(), kUsage};
    if (names->empty()) return usage("--node names no node", "tessera nodes lists them");
    std::vector<ChosenNodes> found;
    for (const Cluster& cluster : model_.clusters) {
      if (!options_.cluster.empty() && cluster.name.text != options_.cluster) continue;
      ChosenNodes here{&cluster, {}};
      for (const std::string& name : *names)
        if (cluster.nodes.find(NodeName(name))) here.nodes.emplace_back(name);
      if (here.nodes.size() == names->size()) found.push_back(std::move(here));
    }
    if (!found.empty()) return of_one_cluster(std::move(found));
    for (const std::string& name : *names) {
      bool known = std::any_of(model_.clusters.begin(), model_.clusters.end(), [&](const Cluster& cluster) {
        return cluster.nodes.find(NodeName(name)) != nullptr;
      });
      if (!known) return unknown_node(name);
    }
    return usage("these nodes are not all of one cluster", "ask about each cluster by itself");
  }

 private:
  Refusal usage(std::string reason, std::string hint) const {
    return {{what_, std::move(reason), std::move(hint)}, kUsage};
  }

  // One plan, and one walk through the guide, is about one cluster.
  Or<ChosenNodes> of_one_cluster(std::vector<ChosenNodes> found) const {
    if (found.size() == 1) return std::move(found.front());
    std::set<std::string> names;  // clusters are there in the order in which they answered
    for (const ChosenNodes& one : found) names.insert(one.cluster->name.text);
    return usage(fmt::format("these nodes are of several clusters: {}", fmt::join(names, ", ")),
                 "choose one with --cluster");
  }

  Refusal unknown_node(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const Cluster& cluster : model_.clusters)
      for (const Node& node : cluster.nodes.all()) known.push_back(node.name.text);
    std::string near = known.size() <= kMostNodes ? nearest(name, known) : "";
    return with_unread_nodes(
        usage("there is no node \"" + clean(name, 200) + "\"",
              near.empty() ? "tessera nodes lists them" : "did you mean " + clean(near, 200) + "?"),
        model_);
  }

  const Options& options_;
  const Model& model_;
  std::string what_;
};

// --- what they shall be

// Where its GPUs are not reported, the node's product decides what a preset means: one of them stands for
// all.
std::vector<Gpu> told_or_presumed(const Node& node, const mig::Catalogue& catalogue) {
  const mig::Product* product = plan::boards_untold(node) ? catalogue.by_gfd_label(node.model) : nullptr;
  if (!product) return node.gpus;
  Gpu any;
  any.model = node.model;
  any.product = product->key;
  return {any};
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

// A preset means other instances on other products: the wish of each GPU.
class Presets {
 public:
  Presets(const Options& options, const mig::Catalogue& catalogue, sharing::Platform platform,
          std::span<const sharing::PresetTable> tables, std::vector<std::string>& notes)
      : options_(options), catalogue_(catalogue), platform_(platform), tables_(tables), notes_(notes) {}

  Result<plan::Wish> wish_for(const Node& node, const Gpu& gpu) const {
    const mig::Product* product = mig::product_of(gpu, catalogue_);
    if (!product)
      return cannot(fmt::format("{} GPU {}: the catalogue does not know '{}'", node.name.text,
                                gpu.index.value, clean(gpu.model, 100)),
                    "add the product to the site's catalogue file, or give --layout");
    auto preset = sharing::find_preset(*product, platform_, options_.preset, tables_);
    if (!preset) return preset.error();
    add_note(notes_, preset->note);
    plan::Wish wish;
    if (preset->mig) wish = plan::wish_of(*product, preset->profiles);
    wish.replicas = options_.replicas.value_or(1);
    if (!preset->mig && wish.replicas != 1)
      return cannot(
          fmt::format("--replicas does not apply to {}: {}", preset->name, plan::to_text(plan::Wish{})),
          "--strategy mps, time-slicing or shard shares a whole GPU");
    return wish;
  }

 private:
  const Options& options_;
  const mig::Catalogue& catalogue_;
  sharing::Platform platform_;
  std::span<const sharing::PresetTable> tables_;
  std::vector<std::string>& notes_;
};

// A layout that was typed means what is meant on each GPU's product, where a profile is a known misprint.
class Typed {
 public:
  Typed(const Options& options, const mig::Catalogue& catalogue, sharing::Platform platform,
        std::span<const sharing::PresetTable> tables, std::vector<std::string>& notes)
      : options_(options), catalogue_(catalogue), platform_(platform), tables_(tables), notes_(notes) {}

  // Some GPU would be asked for what only documents know.
  bool corrects(const ChosenNodes& chosen) const {
    for (const NodeName& name : chosen.nodes)
      for (const Gpu& gpu : told_or_presumed(*chosen.cluster->nodes.find(name), catalogue_))
        if (const mig::Product* product = mig::product_of(gpu, catalogue_))
          if (concerns(sharing::corrected(*options_.layout, *product, platform_, tables_))) return true;
    return false;
  }
  Result<plan::Wish> wish_for(const Node& /*node*/, const Gpu& gpu) const {
    const mig::Product* product = mig::product_of(gpu, catalogue_);
    sharing::Corrected text{*options_.layout, {}};
    if (product) text = sharing::corrected(*options_.layout, *product, platform_, tables_);
    if (text.refused) return *text.refused;
    for (const std::string& note : text.notes) add_note(notes_, note);
    auto wish = plan::parse_layout_wish(text.layout);
    if (wish) wish->replicas = options_.replicas.value_or(1);
    return wish;
  }

 private:
  static bool concerns(const sharing::Corrected& text) { return text.refused || !text.notes.empty(); }

  const Options& options_;
  const mig::Catalogue& catalogue_;
  sharing::Platform platform_;
  std::span<const sharing::PresetTable> tables_;
  std::vector<std::string>& notes_;
};

bool is_meant(const Options& options, GpuIndex gpu) {
  return options.gpus.empty() ||
         std::find(options.gpus.begin(), options.gpus.end(), gpu) != options.gpus.end();
}

// A preset that offers nothing is about the nodes as a whole: the device plugin serves all of their GPUs.
Result<plan::Orders> orders_of(const Options& options, const ChosenNodes& chosen,
                               const mig::Catalogue& catalogue) {
  if (options.preset.empty()) return plan::Orders{};
  auto tables = sharing::built_in_presets();
  if (!tables) return tables.error();
  const sharing::Platform here = sharing::platform_of(*chosen.cluster, options.rules.platform).platform;
  bool some = false, all = true;
  for (const NodeName& name : chosen.nodes)
    for (const Gpu& gpu : told_or_presumed(*chosen.cluster->nodes.find(name), catalogue)) {
      const mig::Product* product = mig::product_of(gpu, catalogue);
      if (!product) continue;  // boards_of() has refused it
      auto preset = sharing::find_preset(*product, here, options.preset, *tables);
      const bool nothing = preset && preset->offers_nothing;
      some = some || nothing;
      all = all && nothing;
    }
  if (!some) return plan::Orders{};
  if (!options.gpus.empty())
    return cannot(
        clean(options.preset, 200) + " takes the device plugin from a node, which serves all of its GPUs",
        "omit --gpu");
  if (!all)
    return cannot(clean(options.preset, 200) + " means another state on some of these nodes than on others",
                  "plan nodes of one product together");
  return plan::nothing_offered();
}

// words: what was asked for, as typed.
template <class Meaning>
Or<std::vector<plan::BoardWish>> by_product(const Options& options, const ChosenNodes& chosen,
                                            const mig::Catalogue& catalogue, const Meaning& meaning,
                                            const std::string& words) {
  std::map<GpuIndex, plan::Wish> wishes;
  for (const NodeName& name : chosen.nodes) {
    const Node& node = *chosen.cluster->nodes.find(name);
    for (const Gpu& gpu : told_or_presumed(node, catalogue)) {
      if (!is_meant(options, gpu.index)) continue;
      auto wish = meaning.wish_for(node, gpu);
      if (!wish) return Refusal{wish.error(), kFinding};
      auto [it, fresh] = wishes.try_emplace(gpu.index, *wish);
      if (!fresh && it->second != *wish)
        return Refusal{cannot(fmt::format("{} means other instances on {} than on the nodes before it",
                                          clean(words, 200), name.text),
                              "plan nodes of one product together"),
                       kFinding};
    }
  }
  bool alike = std::all_of(wishes.begin(), wishes.end(),
                           [&](const auto& each) { return each.second == wishes.begin()->second; });
  std::vector<plan::BoardWish> boards;
  if (alike && options.gpus.empty() && !wishes.empty())
    boards.push_back({std::nullopt, wishes.begin()->second});
  else
    for (const auto& [gpu, wish] : wishes) boards.push_back({gpu, wish});
  // A GPU that no node has is for the planner to name.
  for (GpuIndex gpu : options.gpus)
    if (!wishes.contains(gpu)) boards.push_back({gpu, plan::Wish{}});
  return boards;
}

// Of any GPU at all: else it is a name that is mistyped.
bool is_preset(std::string_view name, sharing::Platform platform, const mig::Catalogue& catalogue,
               std::span<const sharing::PresetTable> tables) {
  const auto products = catalogue.products();
  return std::any_of(products.begin(), products.end(), [&](const mig::Product& product) {
    return sharing::find_preset(product, platform, name, tables).ok();
  });
}

Result<plan::Wish> plain_wish(const Options& options) {
  plan::Wish wish;
  if (options.layout) {
    auto layout = plan::parse_layout_wish(*options.layout);
    if (!layout) {
      Error error = layout.error();
      if (options.layout->starts_with("all-"))
        error.hint = fmt::format("a preset has a flag of its own: --preset {}", clean(*options.layout, 100));
      return error;
    }
    wish = std::move(*layout);
  } else {
    wish.strategy = plan::parse_sharing(options.strategy).value_or(Strategy::whole);
    wish.vgpu = ProfileName(options.vgpu);
  }
  wish.replicas = options.replicas.value_or(1);
  return wish;
}

Or<std::vector<plan::BoardWish>> boards_of(const Options& options, const ChosenNodes& chosen,
                                           const mig::Catalogue& catalogue, std::vector<std::string>& notes) {
  auto tables = sharing::built_in_presets();
  if (!tables) return Refusal{tables.error(), kUsage};
  const sharing::Platform here = sharing::platform_of(*chosen.cluster, options.rules.platform).platform;
  if (!options.preset.empty()) {
    auto boards = by_product(options, chosen, catalogue, Presets(options, catalogue, here, *tables, notes),
                             options.preset);
    if (auto* refusal = std::get_if<Refusal>(&boards);
        refusal && !is_preset(options.preset, here, catalogue, *tables))
      refusal->code = kUsage;
    return boards;
  }
  if (options.layout)
    if (const Typed typed(options, catalogue, here, *tables, notes); typed.corrects(chosen))
      return by_product(options, chosen, catalogue, typed, *options.layout);
  auto wish = plain_wish(options);
  if (!wish) return Refusal{wish.error(), kUsage};
  std::vector<plan::BoardWish> boards;
  if (options.gpus.empty()) boards.push_back({std::nullopt, *wish});
  for (GpuIndex gpu : options.gpus) boards.push_back({gpu, *wish});
  return boards;
}

std::string words_of(const Options& options) {
  if (!options.intent_file.empty()) {
    const std::string& path = options.intent_file;
    return "as " + clean(path.substr(path.rfind('/') + 1), 100) + " says";  // npos + 1 is 0
  }
  if (!options.preset.empty()) return clean(options.preset, 200);
  auto wish = plain_wish(options);
  return wish ? plan::to_text(*wish) : "";
}

// Replicas are for what is shared: an instance, or a GPU by MPS, time-slicing or shards.
Status check_replicas(const plan::Wish& wish, const Options& options) {
  if (!options.replicas || *options.replicas < 2 || !options.preset.empty()) return Done{};
  if (wish.strategy == Strategy::whole || wish.strategy == Strategy::vgpu)
    return cannot(fmt::format("--replicas does not apply to {}", plan::to_text(wish)),
                  wish.strategy == Strategy::vgpu
                      ? "the type says how many fit: A10-4Q"
                      : "--strategy mps, time-slicing or shard shares a whole GPU");
  return Done{};
}

Error shares_unknown(const std::string& whose, const char* hint) {
  return cannot(fmt::format("{} needs to know among how many", whose), hint);
}

// Slurm hands MPS out in percent, ACK in GiB: there is no number to choose. Whether that is so for all those
// nodes. Errors: another number was chosen.
Result<bool> shares_are_fixed(const Cluster& cluster, const std::vector<NodeName>& nodes,
                              std::optional<int> replicas, const char* hint) {
  bool all_fixed = true;
  for (const NodeName& name : nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node) continue;
    for (const Gpu& gpu : node->gpus) {
      auto fixed = sharing::fixed_shares(cluster.scheduler, *node, gpu, Strategy::mps);
      if (fixed && cluster.scheduler == Scheduler::slurm && replicas.value_or(*fixed) != *fixed)
        return cannot(fmt::format("Slurm hands MPS out in percent: {} has {} shares of each GPU, and jobs "
                                  "ask for some of them, mps:25",
                                  name.text, *fixed),
                      hint);
      all_fixed = all_fixed && fixed;
    }
  }
  return all_fixed;
}

Status settle_shares(Options& options, const ChosenNodes& here) {
  if (plan::parse_sharing(options.strategy) != Strategy::mps) return Done{};
  auto fixed = shares_are_fixed(*here.cluster, here.nodes, options.replicas, "leave --replicas out");
  if (!fixed) return fixed.error();
  if (!*fixed && options.replicas.value_or(0) < 2)
    return shares_unknown(options.strategy, "give --replicas 2 or more");
  if (*fixed) options.replicas.reset();
  return Done{};
}

// The same for each wish of an intent file.
Status settle_wishes(std::vector<plan::BoardWish>& boards, const ChosenNodes& here) {
  for (plan::BoardWish& one : boards) {
    if (one.wish.strategy != Strategy::mps) continue;
    const auto chosen = one.wish.replicas > 1 ? std::optional(one.wish.replicas) : std::nullopt;
    auto fixed =
        shares_are_fixed(*here.cluster, {*one.node}, chosen, "leave replicas out of the intent file");
    if (!fixed) return fixed.error();
    if (!*fixed && !chosen)
      return shares_unknown("mps on " + one.node->text, "give it replicas, 2 or more, in the intent file");
    if (*fixed) one.wish.replicas = 1;
  }
  return Done{};
}

constexpr const char* kToCome =
    "give a time that is still to come; tessera whatif --at and tessera advise --at look back";

// A time of the calendar that no clock of this place shows.
Error left_out(const std::string& at) {
  return cannot("--at: the clocks are set forward over " + clean(at, 100),
                "give a time before or after that hour, or one in UTC: 2026-11-21T22:00Z");
}

Error over_by_now(const std::string& at) { return cannot("--at: " + clean(at, 100) + " is over", kToCome); }

Status check_at(const Options& options) {
  // Any day will do on which no clocks are set; west of Greenwich the epoch itself is of 1969.
  constexpr TimePoint kSomeDay{std::chrono::seconds(979'560'000)};
  if (options.at.empty() || parse_moment(options.at, kSomeDay)) return Done{};
  if (parse_moment(options.at + "Z", kSomeDay)) return left_out(options.at);
  // What these mean to commands that look back is no time to act.
  if (options.at == kNow)
    return cannot("--at now is a moment to look at, and a plan acts now without it",
                  "leave out --at; tessera whatif --at now and tessera advise --at now read a recording");
  if (tui::parse_past(options.at, kSomeDay)) return over_by_now(options.at);
  return cannot("--at: \"" + clean(options.at, 100) + "\"", "a time like 2026-11-21T22:00Z, 22:00 or +2h");
}

}  // namespace

Status set_time(plan::ChangeOptions& change, const Options& options, TimePoint now) {
  if (options.at.empty()) return Done{};
  if (Status ok = check_at(options); !ok) return ok;
  change.at = parse_moment(options.at, now);
  if (!change.at) return left_out(options.at);
  if (*change.at < now) return over_by_now(options.at);
  return Done{};
}

Status check_time(const Options& options, TimePoint wall) {
  if (options.sim) return check_at(options);
  plan::ChangeOptions change;
  return set_time(change, options, wall);
}

Status load_intent_file(Options& options) {
  if (options.intent_file.empty()) return Done{};
  const bool said = !options.nodes.empty() || !options.gpus.empty() || options.layout || options.replicas ||
                    !options.preset.empty() || !options.strategy.empty() || !options.vgpu.empty();
  if (said)
    return cannot("--intent names the nodes and the layout of each",
                  "leave out --node, --gpu, --layout, --preset, --strategy, --replicas and --vgpu");
  auto files = read_files({options.intent_file});
  if (!files) return files.error();
  if (files->empty())
    return cannot("there is no file " + clean(options.intent_file, 300),
                  "docs/apply.md shows an intent file");
  auto wished = plan::read_intent_file(files->front().text, clean(options.intent_file, 300));
  if (!wished) return wished.error();
  std::vector<std::string> names;
  for (const NodeName& node : wished->nodes) names.push_back(node.text);
  options.nodes = fold_hosts(names);
  options.wishes = std::move(wished->boards);
  options.node_switches = std::move(wished->switches);
  return Done{};
}

Status check_wish(const Options& options) {
  if (!options.intent_file.empty()) return check_at(options);
  if (options.nodes.empty())
    return cannot("it names no node", "name one with --node; tessera nodes lists them");
  int ways = options.layout.has_value() + !options.preset.empty() + !options.strategy.empty();
  if (ways != 1)
    return cannot(
        ways == 0 ? "no layout was requested" : "--layout, --preset and --strategy exclude each other",
        "give one of --layout, --preset and --strategy");
  if (!options.strategy.empty()) {
    auto strategy = plan::parse_sharing(options.strategy);
    if (!strategy)
      return cannot("--strategy: \"" + clean(options.strategy, 100) + "\"",
                    options.strategy == "mig" ? "cut with --layout or --preset"
                                              : "mps, time-slicing, shard, vgpu or none");
    bool shares = *strategy == Strategy::time_slicing || *strategy == Strategy::shard;
    if (shares && options.replicas.value_or(0) < 2)
      return shares_unknown(options.strategy, "give --replicas 2 or more");
    if ((*strategy == Strategy::vgpu) != !options.vgpu.empty())
      return cannot("--vgpu TYPE and --strategy vgpu belong together", "for example --vgpu A10-4Q");
  } else if (!options.vgpu.empty()) {
    return cannot("--vgpu does not apply here", "it belongs to --strategy vgpu");
  }
  auto wish = plain_wish(options);
  if (!wish) return wish.error();
  if (Status ok = check_replicas(*wish, options); !ok) return ok;
  return check_at(options);
}

Refusal with_unread_nodes(Refusal refusal, const Model& model) {
  for (const Cluster& cluster : model.clusters)
    for (const auto& [source, health] : cluster.sources) {
      if (!tells_nodes(source) || !health.incomplete || refusal.code != kUsage) continue;
      refusal.error.hint =
          fmt::format("not every node of {} could be read: {}", cluster.name.text, health.note);
      refusal.code = kUnknown;
    }
  return refusal;
}

bool lacks_gpu(const Node& node, GpuIndex gpu) {
  return node.pool.empty() && !node.gpus.empty() && !plan::find_gpu(node, gpu);
}

Or<ChosenNodes> choose_nodes(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                             TimePoint wall, std::string_view what) {
  NodeChooser chooser(options, model, what);
  return is_filter(options.nodes) ? chooser.by_filter(catalogue, wall) : chooser.by_name();
}

Or<Wished> read_wish(const Options& said, const Model& model, const mig::Catalogue& catalogue,
                     TimePoint wall) {
  Options options = said;
  Or<ChosenNodes> chosen = choose_nodes(options, model, catalogue, wall, kCannotPlan);
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return std::move(*refusal);
  ChosenNodes& here = std::get<ChosenNodes>(chosen);
  const bool by_file = !options.intent_file.empty();
  Status settled = by_file ? settle_wishes(options.wishes, here) : settle_shares(options, here);
  if (!settled) return Refusal{settled.error(), kUsage};
  std::vector<std::string> notes;
  auto boards = by_file ? Or<std::vector<plan::BoardWish>>(std::move(options.wishes))
                        : boards_of(options, here, catalogue, notes);
  if (auto* refusal = std::get_if<Refusal>(&boards)) return std::move(*refusal);
  Result<plan::Orders> orders = orders_of(options, here, catalogue);
  if (!orders) return Refusal{orders.error(), kUsage};
  Wished wished{here.cluster, {}, std::move(notes)};
  wished.intent.orders = std::move(*orders);
  wished.intent.cluster = here.cluster->name;
  wished.intent.nodes = std::move(here.nodes);
  wished.intent.boards = std::move(std::get<std::vector<plan::BoardWish>>(boards));
  wished.intent.words = words_of(options);
  wished.intent.options = options.change;
  wished.intent.switches = options.switches;
  wished.intent.node_switches = std::move(options.node_switches);
  if (Status ok = set_time(wished.intent.options, options, cluster_now(*here.cluster, wall)); !ok)
    return Refusal{ok.error(), kUsage};
  return wished;
}

}  // namespace tessera::cli
