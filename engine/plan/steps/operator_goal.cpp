#include "engine/plan/steps/operator_goal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/claimed_devices.hpp"
#include "engine/operators/fleet.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/shape.hpp"
#include "engine/sharing/vgpu.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

using operators::BoardTarget;
using operators::OperatorSetup;
using operators::PluginConfig;
using operators::PluginSharing;
using sharing::MigStrategy;

// Of GPUs that are alike any number does where the layout is one for all of them.
constexpr std::size_t kAnyNumber = 8;
constexpr const char* kReadAgain = "tessera reads it again by itself: try again in a moment";

std::string value_of(const std::map<std::string, std::string>& labels, std::string_view key) {
  auto found = labels.find(std::string(key));
  return found == labels.end() ? "" : found->second;
}

class Goal {
 public:
  explicit Goal(const NodeChange& change)
      : change_(change), site_(*change.can.gpu_operator), name_(change.node.name.text) {}

  Result<OperatorGoal> run() {
    goal_.untold = boards_untold(change_.node);
    if (goal_.untold) {
      if (Status ok = take_untold_boards(); !ok) return ok.error();
    } else {
      for (const Gpu& gpu : change_.node.gpus) boards_.push_back(board_of(gpu));
    }
    if (sharing::by_claims(change_.node)) return by_claims();
    if (Status ok = decide_vgpu(); !ok) return ok.error();
    if (serves_machines()) return std::move(goal_);
    any_mig_ = std::any_of(boards_.begin(), boards_.end(), [](const Board& one) { return one.state.mig; });
    find_strategy();
    if (Status ok = check_strategy(); !ok) return ok.error();
    if (Status ok = decide_sharing(); !ok) return ok.error();
    if (Status ok = decide_mig(); !ok) return ok.error();
    decide_plugin();
    expect_labels();
    tell_owners();
    return std::move(goal_);
  }

 private:
  // A GPU as it will be.
  struct Board {
    const mig::Product* product = nullptr;
    BoardState state;
    bool was_mig = false;
  };
  Board board_of(const Gpu& gpu) const {
    Board board;
    board.state = state_of(gpu);
    board.was_mig = board.state.mig;
    if (change_.catalogue && gpu.product) board.product = change_.catalogue->by_key(gpu.product->text);
    for (const BoardChange& one : change_.boards) {
      if (one.gpu != gpu.index) continue;
      board.state = one.after;
      if (!board.product) board.product = one.product;
    }
    return board;
  }
  // All that is known of them is what they are to become. Where the number is not reported, any number of
  // GPUs that are wished for alike stands for them.
  Status take_untold_boards() {
    auto wished = untold_boards(change_.node, change_.intent);
    if (!wished) return wished.error();
    const mig::Product* product =
        change_.catalogue ? change_.catalogue->by_gfd_label(change_.node.model) : nullptr;
    if (!product || !product->mig_capable)
      return cannot("which GPUs it has is not known, nor from any label which product they are",
                    "feature discovery reports both: check that its pod runs on the node");
    const std::size_t count = wished->known.value_or(kAnyNumber);
    for (std::size_t i = 0; i < count; ++i) {
      const Wish& wish = wished->wishes[wished->known ? i : 0];
      Board board{product, {}, true};
      board.state.gpu = GpuIndex{static_cast<int>(i)};
      board.state.product = product->key;
      board.state.strategy = wish.strategy;
      board.state.mig = wish.strategy == Strategy::mig;
      board.state.replicas = wish.strategy == Strategy::whole ? 1 : wish.replicas;
      if (board.state.mig) {
        if (auto layout = target_layout(*product, wish, {}, {}); !layout) return layout.error();
        for (const WishedInstance& one : wish.instances)
          board.state.instances.push_back({one.profile, {}, std::nullopt});
      }
      boards_.push_back(std::move(board));
    }
    say(Severity::warning, "boards-untold",
        fmt::format("what stands on its GPUs now{} is not known: what is destroyed there cannot be shown, "
                    "and there is no way back to it",
                    wished->known ? "" : ", and how many they are,"));
    return Done{};
  }
  Error cannot(std::string why, std::string hint) const {
    return {"cannot plan the change of " + name_, std::move(why), std::move(hint)};
  }
  void say(Severity severity, std::string rule, std::string text) {
    goal_.notices.push_back({severity, std::move(rule), change_.node.name, std::move(text)});
  }
  std::string label(std::string_view key) const { return order_label(change_.node, &site_, key); }
  void tell_owners() {
    for (const std::string& owner : site_.owned_by_others)
      if (writes_maps_)
        say(Severity::warning, "owned-by-others",
            owner +
                ": what is added there may be taken away by it again; write it into its source, too: "
                "tessera plan with the same words and --patch prints it for a file");
  }

  // The MIG manager cuts, and the driver tells of what it finds when it starts: no device plugin counts.
  Result<OperatorGoal> by_claims() {
    operators::ClaimedBoards wanted;
    for (const Board& board : boards_) {
      const BoardState& state = board.state;
      const bool cut = state.mig && state.strategy == Strategy::mig && !state.instances.empty();
      if (state.replicas > 1 || (!cut && (state.mig || state.strategy != Strategy::whole)))
        return cannot("a DRA driver hands out its GPUs, which are whole or cut there, and not shared",
                      "choose MIG instances, or whole GPUs");
      wanted[state.gpu.value];
      for (const InstanceAt& one : state.instances) wanted[state.gpu.value].push_back(one.profile);
    }
    if (auto no = not_by_manager(wanted, label("nvidia.com/gpu.count"))) return cannot(no->reason, no->hint);
    if (Status ok = decide_mig(); !ok) return ok.error();
    goal_.devices = operators::devices_text(wanted);
    tell_owners();
    return std::move(goal_);
  }

  // What a way back is to leave; empty: nothing is said of it, or that the label is not to be there.
  std::string recorded(std::string_view key) const {
    auto found = change_.intent.orders.find(std::string(key));
    return found == change_.intent.orders.end() ? "" : found->second;
  }

  // ── vGPU ────────────────────────────────────────────────────────────────────────────────────────────

  bool serves_machines() const {
    return std::any_of(boards_.begin(), boards_.end(),
                       [](const Board& board) { return board.state.strategy == Strategy::vgpu; });
  }
  bool vgpus_stand(const std::string& type) const {
    const std::string state = label(operators::kVgpuState);
    return label(operators::kWorkload) == "vm-vgpu" && label(operators::kVgpuConfig) == type &&
           (state.empty() || state == "success");
  }
  Status decide_vgpu() {
    std::string type;
    for (const Board& board : boards_) {
      if (board.state.strategy != Strategy::vgpu) continue;
      if (!type.empty() && type != board.state.vgpu.text)
        return cannot("a label can name only one vGPU type for all GPUs of a node",
                      "give every GPU the same type");
      type = board.state.vgpu.text;
    }
    bool was = std::any_of(change_.boards.begin(), change_.boards.end(),
                           [](const BoardChange& one) { return one.before.strategy == Strategy::vgpu; });
    was = was || (label(operators::kWorkload) == "vm-vgpu" && !label(operators::kVgpuConfig).empty());
    if (type.empty() && !was) return Done{};
    if (!type.empty() && change_.boards.empty() && vgpus_stand(type)) return Done{};
    if (!type.empty()) {
      for (const Board& board : boards_)
        if (board.state.strategy != Strategy::vgpu)
          return cannot("a node serves virtual machines or containers, never both",
                        "choose vGPUs for every GPU of it");
      if (!site_.vm_nodes.value_or(false))  // off where the ClusterPolicy says nothing
        return cannot("the operator serves no virtual machines: sandboxWorkloads is off",
                      fmt::format("kubectl patch clusterpolicy {} --type=merge -p "
                                  "'{{\"spec\":{{\"sandboxWorkloads\":{{\"enabled\":true}}}}}}'",
                                  site_.policy.empty() ? "NAME" : site_.policy));
      say(Severity::warning, "vgpu-workload",
          "the node changes from containers to virtual machines: the operator's driver and plugin pods leave "
          "it, others come, and no virtual machine may run meanwhile");
    }
    OperatorGoal::Vgpu vgpu;
    vgpu.config = type;
    vgpu.workload = type.empty() ? "container" : "vm-vgpu";
    if (type.empty() && change_.intent.orders.contains(std::string(operators::kWorkload)))
      vgpu.workload = recorded(operators::kWorkload);
    vgpu.found = label(operators::kVgpuConfig);
    if (!type.empty()) vgpu.count = vgpus_of(type);
    goal_.vgpu = std::move(vgpu);
    return Done{};
  }

  // ── the strategy by which instances are named ───────────────────────────────────────────────────────

  void find_strategy() {
    strategy_ = sharing::parse_strategy(site_.strategy).value_or(MigStrategy::none);
    std::string key = label(operators::kPluginConfig);
    if (key.empty()) key = site_.plugin_default;
    if (auto config = plugin_config(key); config && config->strategy) strategy_ = *config->strategy;
  }
  Status check_strategy() const {
    if (!any_mig_) return Done{};
    std::string all = fmt::format(
        "kubectl patch clusterpolicy {} --type=merge -p "
        "'{{\"spec\":{{\"mig\":{{\"strategy\":\"mixed\"}}}}}}' "
        "gives every instance a name of its own, on every node",
        site_.policy.empty() ? "NAME" : site_.policy);
    if (strategy_ != MigStrategy::single && strategy_ != MigStrategy::mixed)
      return cannot("the device plugin's MIG strategy is none: instances would not be offered", all);
    if (strategy_ == MigStrategy::mixed) return Done{};
    std::optional<ProfileName> one;
    for (const Board& board : boards_) {
      bool fits = board.state.mig && !board.state.instances.empty();
      for (const InstanceAt& instance : board.state.instances) {
        if (!one) one = instance.profile;
        fits = fits && instance.profile == *one;
      }
      if (!fits)
        return cannot(
            "the strategy single needs every GPU of the node cut into instances of one profile; else the "
            "node "
            "is marked MIG-INVALID and offers nothing",
            "choose one profile for all GPUs; or " + all);
    }
    return Done{};
  }

  int vgpus_of(const std::string& type) const {
    Result<std::vector<sharing::VgpuBoard>> table = sharing::built_in_vgpu_types();
    int sum = 0;
    for (const Board& board : boards_) {
      if (!table || !board.product) return 0;
      for (const sharing::VgpuType& one : sharing::vgpu_types(*table, board.product->key, board.state.model))
        if (one.name.text == type) sum += one.per_board;
    }
    return sum;
  }

  // ── the device plugin ───────────────────────────────────────────────────────────────────────────────

  std::optional<PluginConfig> plugin_config(const std::string& key) const {
    auto found = site_.plugin_configs.find(key);
    if (found == site_.plugin_configs.end()) return std::nullopt;
    auto config = operators::parse_plugin_config(found->second, key);
    return config ? std::optional(std::move(*config)) : std::nullopt;
  }
  std::string text_of(const std::string& key) const { return value_of(site_.plugin_configs, key); }

  std::vector<std::string> resources_of(const BoardState& state) const {
    if (!state.mig || strategy_ != MigStrategy::mixed) return {sharing::kubernetes_gpu()};
    std::vector<std::string> names;
    for (const InstanceAt& one : state.instances) names.push_back(sharing::kubernetes_instance(one.profile));
    return names;
  }

  // What all GPUs want together: the plugin knows no choice by GPU.
  Result<PluginSharing> wanted_sharing() const {
    PluginSharing wanted;
    std::map<std::string, int> counts;
    for (const Board& board : boards_) {
      const BoardState& state = board.state;
      bool shared = state.strategy == Strategy::mps || state.strategy == Strategy::time_slicing ||
                    (state.strategy == Strategy::mig && state.replicas > 1);
      Strategy method = state.strategy == Strategy::mig ? Strategy::time_slicing : state.strategy;
      if (shared && wanted.method != Strategy::whole && wanted.method != method)
        return cannot("a node is shared in one way: the device plugin cannot tell its GPUs apart",
                      "choose the same for every GPU");
      if (shared) wanted.method = method;
      for (const std::string& name : resources_of(state)) {
        int replicas = shared ? state.replicas : 1;
        auto [it, fresh] = counts.try_emplace(name, replicas);
        if (!fresh && it->second != replicas)
          return cannot(
              fmt::format("{} would be offered {} times on one GPU and {} times on another, which the "
                          "device plugin cannot do",
                          name, it->second, replicas),
              "choose the same number of replicas for every GPU");
      }
    }
    if (wanted.method == Strategy::whole) return wanted;
    for (const auto& [name, replicas] : counts)
      if (replicas > 1) wanted.replicas[name] = replicas;
    return wanted;
  }

  std::string weakest_board() const {
    std::string weakest;
    for (const Board& board : boards_) {
      const std::string own = board.product ? board.product->compute_capability : "";
      if (own.empty()) continue;
      if (weakest.empty() || own.size() < weakest.size() || (own.size() == weakest.size() && own < weakest))
        weakest = own;
    }
    return weakest;
  }

  Status decide_sharing() {
    Result<PluginSharing> wanted = wanted_sharing();
    if (!wanted) return wanted.error();
    std::optional<PluginConfig> fallback = plugin_config(site_.plugin_default);
    std::string current = label(operators::kPluginConfig);
    // Without a ConfigMap of configurations the label means nothing; one that names none stops the plugin.
    const bool lost = !current.empty() && !site_.plugin_config_map.empty() && text_of(current).empty();
    base_ = current.empty() || text_of(current).empty() ? site_.plugin_default : current;
    if (lost)
      say(Severity::warning, "lost-configuration",
          fmt::format(
              "its label names the device plugin configuration {}, which {} lacks, so the plugin cannot "
              "start there: the plan sets the label again",
              clean(current, 64), site_.plugin_config_map));
    std::optional<PluginConfig> now = plugin_config(base_);
    PluginSharing is = now ? now->sharing : PluginSharing{};
    if (wanted->method != Strategy::whole) {
      wanted->rename = change_.rename_shared;
      wanted->fail_multiple = change_.refuse_several;
    }
    if (wanted->method == Strategy::mps && wanted->fail_multiple == false) tell_several_of_mps();
    if (auto why = operators::why_not_shared(*wanted, any_mig_, weakest_board()))
      return cannot(*why, "tessera guide lists the limits of each way of sharing");
    const bool unknown = lost || (!current.empty() && !now && !site_.plugin_configs.empty());
    const std::optional<std::string> back = recorded_plugin_config(*wanted);
    if (!back) tell_other_recorded();
    if (!unknown && (!back || *back == current) && (is == *wanted || stands(is, *wanted))) return Done{};

    OperatorGoal::Plugin plugin;
    plugin.sharing = *wanted;
    plugin.map = plugin.map_found = site_.plugin_config_map;
    plugin.before_mig = is.method == Strategy::mps && wanted->method != Strategy::mps;
    bool default_fits =
        wanted->method == Strategy::whole && (!fallback || fallback->sharing.method == Strategy::whole);
    if (back) {
      plugin.name = *back;
    } else if (!default_fits) {
      std::optional<std::string> there = existing_plugin_config(*wanted, now);
      plugin.name = there.value_or("");
      if (!there)
        if (Status ok = new_plugin_config(plugin); !ok) return ok;
    }
    goal_.plugin = std::move(plugin);
    return Done{};
  }

  void tell_several_of_mps() {
    const std::optional<bool> taken = operators::may_take_several_of_mps(site_.plugin_version);
    if (taken == true) return;
    say(Severity::warning, "mps-several",
        taken ? fmt::format(
                    "pods that ask for several shares of MPS are refused there all the same: the device "
                    "plugin is {}, and takes them from 0.20 on",
                    clean(site_.plugin_version, 64))
              : "that pods may ask for several shares of MPS needs device plugin 0.20 or later, and the "
                "ClusterPolicy does not name its version: an earlier one refuses such pods whatever its "
                "configuration says");
  }

  // Where nothing else changes, one that gives these GPUs what they have is left alone, whatever else it
  // says.
  bool stands(const PluginSharing& is, const PluginSharing& wanted) const {
    return change_.boards.empty() && !goal_.untold && does_for_these(is, wanted);
  }
  bool does_for_these(const PluginSharing& is, const PluginSharing& wanted) const {
    if (is.method == Strategy::mps && any_mig_) return false;
    std::vector<std::string> resources;
    for (const Board& board : boards_)
      for (std::string& name : resources_of(board.state)) resources.push_back(std::move(name));
    return shares_alike(is, wanted, resources);
  }
  // The name that a way back found there, if it stands for that sharing; "": the default did.
  std::optional<std::string> recorded_plugin_config(const PluginSharing& wanted) const {
    auto found = change_.intent.orders.find(std::string(operators::kPluginConfig));
    if (found == change_.intent.orders.end()) return std::nullopt;
    std::optional<PluginConfig> config =
        plugin_config(found->second.empty() ? site_.plugin_default : found->second);
    if (!config && !found->second.empty()) return std::nullopt;
    PluginSharing is = config ? config->sharing : PluginSharing{};
    return does_for_these(is, wanted) ? std::optional(found->second) : std::nullopt;
  }

  // Someone has edited it since the run: the way back leads to what it said then.
  void tell_other_recorded() {
    auto found = change_.intent.orders.find(std::string(operators::kPluginConfig));
    if (found == change_.intent.orders.end()) return;
    const std::string& name = found->second.empty() ? site_.plugin_default : found->second;
    if (!plugin_config(name)) return;
    say(Severity::warning, "recorded-configuration",
        fmt::format(
            "the device plugin configuration {} no longer shares GPUs as it did before the run: another "
            "one is ordered, with the shares and switches of that time",
            clean(name, 64)));
  }

  // The site's own name before one of ours; all but the sharing must be as it is on the node now.
  std::optional<std::string> existing_plugin_config(const PluginSharing& wanted,
                                                    const std::optional<PluginConfig>& now) const {
    std::optional<std::string> ours;
    const std::string base = text_of(base_);
    for (const auto& [key, text] : site_.plugin_configs) {
      std::optional<PluginConfig> config = plugin_config(key);
      if (!config || !(config->sharing == wanted)) continue;
      if (config->strategy != (now ? now->strategy : std::nullopt)) continue;
      if (!base.empty() && !operators::differ_in_sharing_only(text, base)) continue;
      if (!key.starts_with(operators::kOurs)) return key;
      if (!ours) ours = key;
    }
    return ours;
  }

  Status new_plugin_config(OperatorGoal::Plugin& plugin) {
    auto text = operators::with_sharing(text_of(base_), plugin.sharing,
                                        base_.empty() ? "the device plugin's default" : base_);
    if (!text) return text.error();
    plugin.text = std::move(*text);
    plugin.name = operators::plugin_config_name(plugin.sharing, plugin.text);
    writes_maps_ = true;
    if (!plugin.map.empty()) return Done{};
    plugin.map = operators::kOurPluginMap;
    plugin.base = "version: v1\n";
    operators::SharedWrite shared{false, name_, plugin.map, "", std::nullopt, {"default", plugin.name}};
    if (auto why = operators::why_not_shared(site_, shared, change_.catalogue))
      return cannot(*why, kReadAgain);
    say(Severity::warning, "plugin-map",
        fmt::format("the operator has no named device plugin configurations yet: {} is made and the "
                    "ClusterPolicy pointed at it, so the device plugin's pods restart on every node; running "
                    "work is not touched by that. It stays pointed there after an undo",
                    operators::kOurPluginMap));
    return Done{};
  }

  // ── MIG ─────────────────────────────────────────────────────────────────────────────────────────────

  operators::NodeBoards products() const {
    operators::NodeBoards all;
    for (const Board& board : boards_) all.push_back(board.product);
    return all;
  }

  Status decide_mig() {
    const bool changes =
        goal_.untold || std::any_of(change_.boards.begin(), change_.boards.end(), [](const BoardChange& one) {
          return one.mode_changes || one.instances_change();
        });
    const MigOrder order{label(operators::kMigConfig), label(operators::kMigState),
                         recorded(operators::kMigConfig)};
    const operators::MigFile* file = site_.mig_config_map.empty() ? site_.own_config(name_) : nullptr;
    if (!file) file = site_.mig_config.get();
    operators::NodeTarget wanted;
    for (const Board& board : boards_) {
      BoardTarget target{board.state.mig, {}};
      for (const InstanceAt& one : board.state.instances) {
        auto index = board.product ? board.product->index_of(one.profile.text) : std::nullopt;
        if (!index && !changes) return Done{};  // nothing is ordered of an unknown GPU
        if (!index) return cannot(fmt::format("{} is no profile of that GPU", one.profile.text), "");
        target.profiles.push_back(*index);
      }
      std::sort(target.profiles.begin(), target.profiles.end());
      wanted.push_back(std::move(target));
    }
    if (!changes && !differs(order, file, products(), wanted)) return Done{};
    OperatorGoal::Mig mig;
    mig.found = order.name;
    mig.map_found = site_.mig_config_map;
    mig.at_work = at_work(order);
    for (const Board& board : boards_)
      mig.mode_changes = mig.mode_changes || board.was_mig != board.state.mig;
    if (!file)
      return cannot("the MIG manager's configurations cannot be read",
                    fmt::format("let tessera read ConfigMaps of {}", site_.ns.empty() ? "the operator's "
                                                                                        "namespace"
                                                                                      : site_.ns));
    if (!file->document) return file->document.error();
    auto there = operators::find_config(*file->document, products(), wanted,
                                        order.wanted.empty() ? order.name : order.wanted);
    if (there) {
      mig.name = *there;
    } else if (Status ok = new_mig_config(mig, wanted, file->text); !ok) {
      return ok;
    }
    goal_.mig = std::move(mig);
    return Done{};
  }

  // A name for a layout that has none. The MIG manager's own file, which it makes again at each start, cannot
  // be added to: then a file of the site's takes its place, for the whole fleet.
  Status new_mig_config(OperatorGoal::Mig& mig, const operators::NodeTarget& wanted, const std::string& own) {
    mig.entry = operators::make_config(products(), wanted);
    mig.name = mig.entry->name;
    writes_maps_ = true;
    bool replace = site_.mig_config_map.empty();
    const std::string& base = site_.mig_config ? site_.mig_config->text : own;
    auto text = operators::with_config(base, *mig.entry, replace ? "config.yaml" : site_.mig_config_map);
    if (!text) return text.error();
    mig.map = replace ? std::string(operators::kOurMigMap) : site_.mig_config_map;
    const std::string file = mig.map + "/config.yaml";
    mig.diff = slurmconf::unified_diff({file, base}, {file, *text});
    if (!replace) return Done{};
    mig.text = std::move(*text);
    return ask_fleet(mig.text);
  }

  // Every node's label is read against the new file once the ClusterPolicy names it.
  Status ask_fleet(const std::string& text) {
    auto after = operators::parse_mig_document(text, std::string(operators::kOurMigMap));
    if (!after) return after.error();
    if (auto why = why_not_shared()) return cannot(*why, kReadAgain);
    operators::FleetAnswer answer = operators::ask_fleet(site_, name_, *after, change_.catalogue);
    if (answer.harmless()) {
      say(Severity::warning, "mig-map",
          fmt::format(
              "the layout has no name yet: {} is made and the ClusterPolicy pointed at it; {} other "
              "nodes' labels stand for the same layouts as before. It stays pointed there after an undo",
              operators::kOurMigMap, answer.same));
      return Done{};
    }
    std::vector<std::string> all = answer.fails;
    all.insert(all.end(), answer.changes.begin(), answer.changes.end());
    return cannot(
        "the layout needs a configuration file of the site's own, and with it other nodes would "
        "change or fail: " +
            operators::few(all),
        "choose a layout that the operator has a name for, or give the MIG manager such a file first");
  }
  // A file for all nodes is judged by what all nodes say now.
  std::optional<std::string> why_not_shared() const {
    using operators::SitePart;
    return site_.readings.why_not_fresh({SitePart::policy, SitePart::fleet, SitePart::mig_config,
                                         SitePart::generated, SitePart::plugin_config});
  }

  // ── whether anything is offered at all ──────────────────────────────────────────────────────────────

  // Without its plugin a node offers nothing, whatever its layout.
  void decide_plugin() {
    const bool was = offers_nothing(standing_orders(change_.node, &site_));
    goal_.offers_nothing = offers_nothing(change_.intent.orders);
    if (was == goal_.offers_nothing) return;
    goal_.deploys = was;
    if (was)
      say(Severity::warning, "plugin-back",
          fmt::format("its label {} is false, so no device plugin runs there and no GPU is offered: the plan "
                      "sets it to true",
                      operators::kPluginDeploy));
    else
      say(Severity::warning, "offers-nothing",
          fmt::format("the device plugin is taken from the node ({}=false): it offers 0 GPUs until the admin "
                      "deploys something that hands them out, or plans another layout",
                      operators::kPluginDeploy));
  }

  // ── what feature discovery will say ─────────────────────────────────────────────────────────────────

  void expect_labels() {
    if (goal_.untold) return;  // their numbers are not known
    if (goal_.mig && strategy_ == MigStrategy::mixed) {
      std::map<std::string, int> counts;
      for (const Board& board : boards_)
        for (const InstanceAt& one : board.state.instances)
          ++counts[sharing::kubernetes_instance(one.profile)];
      for (const auto& [resource, count] : counts) goal_.labels[resource + ".count"] = std::to_string(count);
    }
    bool alike = !any_mig_ || strategy_ == MigStrategy::single;
    if (!goal_.plugin || !alike) return;
    const PluginSharing& shared = goal_.plugin->sharing;
    auto replicas = shared.replicas.find(sharing::kubernetes_gpu());
    bool is = replicas != shared.replicas.end();
    goal_.labels[std::string(operators::kReplicas)] = is ? std::to_string(replicas->second) : "1";
    goal_.labels[std::string(operators::kSharingStrategy)] = !is ? "none"
                                                             : shared.method == Strategy::mps
                                                                 ? "mps"
                                                                 : "time-slicing";
  }

  const NodeChange& change_;
  const OperatorSetup& site_;
  std::string name_;
  std::vector<Board> boards_;
  bool any_mig_ = false;
  MigStrategy strategy_ = MigStrategy::none;
  bool writes_maps_ = false;
  std::string base_;  // the device plugin configuration that the node has now
  OperatorGoal goal_;
};

}  // namespace

Result<OperatorGoal> operator_goal(const NodeChange& change) {
  return sharing::ack::decides(change.node) ? ack_goal(change) : Goal(change).run();
}

}  // namespace tessera::plan
