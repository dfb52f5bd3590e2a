#include "engine/plan/allowed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/json.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/allowed_action.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/files/boot_layout.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

using Why = std::optional<std::string>;

bool holds_one(const Conditions& conditions, const Condition& wanted) {
  return std::find(conditions.begin(), conditions.end(), wanted) != conditions.end();
}
bool says_word(const Conditions& conditions, std::string_view key, const std::string& value) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const Condition& one) {
    const auto* word = std::get_if<WordIs>(&one);
    return word && word->key == key && word->value == value;
  });
}
bool are_among(const std::vector<InstanceAt>& some, const std::vector<InstanceAt>& all, bool placed) {
  return std::all_of(some.begin(), some.end(), [&](const InstanceAt& one) {
    return std::any_of(all.begin(), all.end(), [&](const InstanceAt& other) {
      return placed ? one.same(other) : one.profile == other.profile;
    });
  });
}

// One act of a step, by what it is.
class ActJudge {
 public:
  ActJudge(const Step& step, const NodePlan& node, const ChangeOptions& options, const Means& can)
      : step_(step), node_(node), options_(options), can_(can) {}

  // A person applies it: it must be about the files that Slurm runs with.
  Why operator()(const LookOnly& act) const {
    if (act.to_apply.empty()) return {};
    if (!can_.slurm) return "it shows a patch of files that are not read here";
    for (std::string_view line : lines_in(act.to_apply))
      if (line.starts_with("+++ ") && !is_file_of(*can_.slurm, line.substr(4)))
        return fmt::format("it shows a patch of {}, which is none of Slurm's files",
                           clean(line.substr(4), 200));
    return {};
  }
  Why operator()(const SetMark& act) const {
    if (act.break_lock && !options_.break_lock)
      return "it breaks another run's lock, which was not asked for";
    return expect(MarkIsOurs{});
  }
  Why operator()(const ClearMark&) const { return expect(NotMarkedByUs{}); }
  Why operator()(const CloseNode&) const { return expect(NodeClosed{}); }
  Why operator()(const OpenNode&) const { return expect(NotClosedByUs{}); }
  Why operator()(const Evict& act) const {
    if (act.way == Way::wait || act.way != options_.way)
      return fmt::format("it sends work away by {}, the run was armed with {}", word(act.way),
                         word(options_.way));
    if (std::none_of(node_.blast_radius.begin(), node_.blast_radius.end(),
                     [&](const Disturbed& one) { return one.id == act.workload; }))
      return fmt::format("it sends {} away, which the plan does not name", act.workload.text);
    if (auto why = needs_mark()) return why;
    return expect(WorkloadAway{act.workload});
  }
  Why operator()(const DestroyInstances& act) const {
    const BoardState* found = board_in(node_.before, act.gpu);
    if (!found || !are_among(act.instances, found->instances, true))
      return fmt::format("it destroys instances of GPU {} that the plan did not find", act.gpu.value);
    if (auto why = on_node({act.gpu}, act.instances)) return why;
    return expect(InstancesGone{act.gpu, act.instances});
  }
  Why operator()(const CreateInstances& act) const {
    const BoardState* wanted = board_in(node_.after, act.gpu);
    if (!wanted || !are_among(act.instances, wanted->instances, act.chosen))
      return fmt::format("it creates instances on GPU {} that the plan does not want", act.gpu.value);
    if (auto why = not_by_operator()) return why;
    if (auto why = needs_mark()) return why;
    return expect(LayoutIs{act.gpu, wanted->instances, act.chosen});
  }
  Why operator()(const SetMode& act) const {
    for (GpuIndex gpu : act.gpus) {
      const BoardState* wanted = board_in(node_.after, gpu);
      if (!wanted || wanted->mig != act.mig)
        return fmt::format("it switches MIG of GPU {}, which the plan does not want", gpu.value);
      bool seen = holds_one(step_.after, ModeIs{{gpu}, act.mig, true}) ||
                  holds_one(step_.after, ModeIs{{gpu}, act.mig, false});
      if (!seen) return kNotSeen;
    }
    return on_node(act.gpus, {});
  }
  Why operator()(const ResetGpus& act) const {
    if (!node_.needs.reset) return "it resets GPUs, which the plan does not announce";
    return on_node(act.gpus, {});
  }
  Why operator()(const Configure& act) const {
    if (can_.dialect != Dialect::direct) return kNotHere;
    for (GpuIndex gpu : act.gpus)
      if (!board_in(node_.after, gpu))
        return fmt::format("it shares GPU {}, which the plan leaves alone", gpu.value);
    if (node_.scope && !is_emptied()) return kNotEmptied;
    return needs_mark();
  }
  Why operator()(const Special& act) const {
    if (is_node_act(act)) return by_any(act);
    if (is_restart(act)) return restarts_plugin(act);
    if (is_reboot(act)) return act.verb == reboots::kAsk ? reboots_node(act) : cancels_reboot(act);
    if (is_reset_look(act)) return reads_reset_back(act);
    switch (can_.dialect) {
      case Dialect::direct: return by_simulator(act);
      case Dialect::slurm: return by_slurm(act);
      case Dialect::gpu_operator: return by_operator(act);
    }
    return kNotHere;
  }

 private:
  static constexpr const char* kNotHere = "tessera plans no such act for this backend";
  static constexpr const char* kNotSeen = "nothing reads back what it does";
  static constexpr const char* kNotEmptied = "it does not ask first whether work is there";

  Why expect(const Condition& effect) const { return holds_one(step_.after, effect) ? Why{} : kNotSeen; }
  Why needs_mark() const {
    return holds_one(step_.before, MarkIsOurs{}) ? Why{}
                                                 : "it does not ask first whether the node is still ours";
  }
  Why not_by_operator() const { return can_.dialect == Dialect::gpu_operator ? Why{kNotHere} : Why{}; }
  // What is left to be tidied up asks for the whole node.
  bool whole_node_is_emptied() const { return holds_one(step_.before, ScopeEmpty{}); }
  bool is_emptied() const {
    return whole_node_is_emptied() || (node_.scope && holds_one(step_.before, ScopeEmpty{*node_.scope}));
  }
  bool covers(GpuIndex gpu, const std::vector<InstanceAt>& instances) const {
    if (whole_node_is_emptied()) return true;
    const auto& boards = node_.scope->boards;
    return std::any_of(boards.begin(), boards.end(), [&](const Scope::Board& board) {
      if (board.gpu != gpu) return false;
      if (board.slices.empty()) return true;
      return !instances.empty() &&
             std::all_of(instances.begin(), instances.end(), [&](const InstanceAt& one) {
               return std::find(board.slices.begin(), board.slices.end(), one.at) != board.slices.end();
             });
    });
  }
  // instances: what is destroyed; empty: whole GPUs.
  Why on_node(const std::vector<GpuIndex>& gpus, const std::vector<InstanceAt>& instances) const {
    if (auto why = not_by_operator()) return why;
    if (!is_emptied()) return kNotEmptied;
    for (GpuIndex gpu : gpus)
      if (!covers(gpu, instances))
        return fmt::format("it does not ask first whether work is on GPU {}", gpu.value);
    if (step_.after.empty()) return kNotSeen;
    return needs_mark();
  }
  static Why unlike(std::string_view what, const std::string& asked, const std::string& here) {
    if (!here.empty() && asked == here) return {};
    return fmt::format("{} is {} in the journal and {} here", what,
                       asked.empty() ? "not named" : clean(asked, 200), here.empty() ? "not set" : here);
  }

  // --- every backend

  // The node is closed or opened only as it was found.
  Why by_any(const Special& act) const {
    const bool closes = act.verb == node_acts::kKeepClosed;
    const std::string words = argument_of(act, closes ? "words" : "reason");
    const bool down = !closes && says_word(step_.before, kClosedWord, "") &&
                      says_word(step_.before, kDownWord, words) && says_word(step_.after, kDownWord, "");
    if (words.empty() || (!down && !says_word(step_.before, kClosedWord, closes ? "" : words)))
      return "it does not ask first whether and why the node is closed";
    return says_word(step_.after, closes ? kClosedForWord : kClosedWord, closes ? words : "") ? Why{}
                                                                                              : kNotSeen;
  }

  // Of a node that is closed as it was found, and then only while no job is there.
  Why reboots_node(const Special& act) const {
    if (can_.dialect == Dialect::gpu_operator) return kNotHere;
    const std::string found = argument_of(act, "found");
    if (!says_word(step_.before, kClosedWord, found) || !says_word(step_.before, reboots::kWord, ""))
      return "it does not ask first whether the node is closed, or is to reboot already";
    if (!found.empty() && !whole_node_is_emptied()) return kNotEmptied;
    const auto then = parse_utc(argument_of(act, "then"));
    if (!then) return "it does not say from which boot on";
    return expect(word_is({RebootWord::Kind::asked, *then}, found));
  }
  Why cancels_reboot(const Special& act) const {
    if (can_.dialect == Dialect::gpu_operator) return kNotHere;
    if (!says_word(step_.before, reboots::kWord, "requested") ||
        !says_word(step_.before, kClosedWord, argument_of(act, "reason")))
      return "it does not ask first whether the reboot has begun, and whose it is";
    return says_word(step_.after, reboots::kWord, "") ? Why{} : Why{kNotSeen};
  }

  // Only where a run's mark tells old pods from new ones.
  Why restarts_plugin(const Special& act) const {
    if (can_.dialect == Dialect::slurm) return kNotHere;
    const std::string ns = argument_of(act, "namespace");
    if (!ns.empty() && !(can_.gpu_operator && can_.gpu_operator->ns == ns))
      return unlike("the operator's namespace", ns, can_.gpu_operator ? can_.gpu_operator->ns : "");
    if (!says_word(step_.after, restarts::kPluginAgain, "")) return kNotSeen;
    return needs_mark();
  }

  Why reads_reset_back(const Special& act) const {
    if (can_.dialect == Dialect::gpu_operator) return kNotHere;
    if (act.arguments.size() != 1 || !parse_gpus(argument_of(act, "gpus")))
      return "it does not say of which GPUs";
    if (!says_word(step_.after, resets::kSound, argument_of(act, "gpus"))) return kNotSeen;
    return needs_mark();
  }

  // --- the simulator

  // The switches that the plan shows.
  Why by_simulator(const Special& act) const {
    if (act.verb == verbs::kStopSlurmd) return needs_mark();
    if (act.verb != verbs::kLabelNode) return kNotHere;
    const std::optional<Switches> set = simulated_switches(act.arguments);
    if (!set || act.arguments != simulated_orders(*set)) return kNotHere;
    if (simulated_switches(node_.ordered_after) != set)
      return "it sets other switches of the device plugin than the plan shows";
    for (const auto& [label, value] : act.arguments)
      if (!says_word(step_.after, label, value)) return kNotSeen;
    return is_emptied() ? needs_mark() : Why{kNotEmptied};
  }

  // --- Slurm

  static bool is_file_of(const slurmconf::SlurmSetup& site, std::string_view path) {
    if (site.files.empty()) return false;
    const std::string& conf = site.files.front().path;
    if (path == conf.substr(0, conf.rfind('/') + 1) + "gres.conf") return true;  // made where there is none
    return std::any_of(site.files.begin(), site.files.end(),
                       [&](const slurmconf::File& file) { return file.path == path; });
  }
  Why by_slurm(const Special& act) const {
    namespace verb = slurm::verb;
    if (!can_.slurm) return "how Slurm is set up here has not been read";
    const slurmconf::SlurmSetup& site = *can_.slurm;
    auto is = [&](std::string_view one) { return act.verb == one; };
    if (is(verb::kWriteBootFile)) return writes_boot_file(act, site);
    if (is(verb::kBootUnit)) {
      if (auto why = unlike("slurm-boot-unit", argument_of(act, "unit"), site.boot_unit)) return why;
      const std::string state = argument_of(act, "state");
      if (state != "enabled" && state != "disabled") return "it sets the boot unit to another state";
      return {};
    }
    if (is(verb::kApplyParted)) {
      if (argument_of(act, "config") != kLayoutName || !is_layout(argument_of(act, "text")))
        return "what it hands to nvidia-mig-parted is no layout of tessera's";
      return on_node({}, {});
    }
    if (is(verb::kWriteConfig)) {
      const std::string gres = argument_of(act, "gres");
      if (!says_word(step_.after, slurm::key::kConfig, gres)) return kNotSeen;
      return is_emptied() ? needs_mark() : Why{kNotEmptied};
    }
    const bool known = is(verb::kStopClients) || is(verb::kStartClients) || is(verb::kReconfigure) ||
                       is(verb::kOpenToLook) || is(verb::kRestartController) || is(verb::kRestartNode);
    if (!known) return kNotHere;
    return act.arguments.empty() ? needs_mark() : Why{"it carries arguments that no such act has"};
  }
  static bool is_layout(const std::string& text) {
    return operators::parse_mig_document(text, "layout").ok();
  }
  Why writes_boot_file(const Special& act, const slurmconf::SlurmSetup& site) const {
    if (auto why = unlike("slurm-boot-file", argument_of(act, "path"), site.boot_file)) return why;
    const std::string text = argument_of(act, "text");
    if (!text.starts_with("# " + node_.node.text + ": written by tessera\n") || !is_layout(text))
      return "what it writes is no layout of tessera's";
    if (!says_word(step_.after, slurm::key::kBootFile, digest(text))) return kNotSeen;
    return needs_mark();
  }

  // --- the GPU operator

  Why by_operator(const Special& act) const {
    if (!can_.gpu_operator) return "how the GPU operator is set up here has not been read";
    const operators::OperatorSetup& site = *can_.gpu_operator;
    auto is = [&](std::string_view one) { return act.verb == one; };
    if (is(verbs::kReviewAccess) || is(verbs::kFreeAutoscaler) || is(verbs::kOpenDevices)) return {};
    if (auto why = needs_mark()) return why;
    if (is(verbs::kHoldAutoscaler) || is(verbs::kTellSlurm) || is(verbs::kStopSlurmd) ||
        is(verbs::kCloseDevices))
      return {};
    if (is(verbs::kWriteMigConfig))
      return writes_map(act, site.mig_config_map, std::string(operators::kOurMigMap));
    if (is(verbs::kWritePluginConfig))
      return writes_map(act, site.plugin_config_map, std::string(operators::kOurPluginMap));
    if (is(verbs::kPatchPolicy)) return patches_policy(act, site);
    if (is(verbs::kRecoverMig))
      return unlike("the operator's namespace", argument_of(act, "namespace"), site.ns);
    if (is(verbs::kOrderMig) || is(verbs::kOrderVgpu) || is(verbs::kRestartDra))
      return is_emptied() ? Why{} : kNotEmptied;
    if (is(verbs::kLabelNode)) return labels(act);
    return kNotHere;
  }
  static Why writes_map(const Special& act, const std::string& theirs, const std::string& ours) {
    const std::string map = argument_of(act, "map");
    if (map.empty() || (map != theirs && map != ours))
      return fmt::format("it writes to ConfigMap {}, which the operator does not read here", clean(map, 100));
    if (!argument_of(act, "name").starts_with(operators::kOurs))
      return fmt::format("it writes an entry that is not tessera's: {}",
                         clean(argument_of(act, "name"), 100));
    return {};
  }
  // {"spec":{PART:{"config":{"name":OURS[,"default":…]}}}} and nothing beside it.
  static Why patches_policy(const Special& act, const operators::OperatorSetup& site) {
    if (auto why = unlike("the ClusterPolicy", argument_of(act, "policy"), site.policy)) return why;
    const char* wrong = "it patches more of the ClusterPolicy than which ConfigMap is read";
    Result<Json> patch = parse_json(argument_of(act, "patch"), "patch");
    const Json* at = patch ? &*patch : nullptr;
    auto only = [](const Json* map, std::string_view key) {
      return map && map->fields.size() == 1 ? map->find(key) : nullptr;
    };
    const Json* spec = only(at, "spec");
    const Json* part = only(spec, "migManager");
    const bool plugin = !part;
    if (plugin) part = only(spec, "devicePlugin");
    const Json* config = only(part, "config");
    const Json* name = config ? config->find("name") : nullptr;
    if (!name || name->text != (plugin ? operators::kOurPluginMap : operators::kOurMigMap)) return wrong;
    return config->fields.size() == (plugin && config->find("default") ? 2U : 1U) ? Why{} : wrong;
  }
  Why labels(const Special& act) const {
    for (const auto& [key, value] : act.arguments) {
      auto known = {operators::kPluginConfig, operators::kVgpuConfig,   operators::kVgpuState,
                    operators::kWorkload,     operators::kPluginDeploy, sharing::ack::kSchedule};
      if (std::find(known.begin(), known.end(), key) == known.end())
        return fmt::format("it sets the label {}, which is not one of tessera's", clean(key, 100));
      if (!says_word(step_.after, key, value)) return kNotSeen;
      if (key == operators::kPluginDeploy && (value == "false") != offers_nothing(node_.ordered_after))
        return "it lets the device plugin run, or takes it away, otherwise than the plan says";
    }
    return !node_.scope || is_emptied() ? Why{} : kNotEmptied;
  }

  const Step& step_;
  const NodePlan& node_;
  const ChangeOptions& options_;
  const Means& can_;
};

// Ids are the driver's: they are known of what stands, and not part of what is promised.
bool stands(const BoardState& found, const BoardState& wanted) {
  return std::equal(found.instances.begin(), found.instances.end(), wanted.instances.begin(),
                    wanted.instances.end(),
                    [](const InstanceAt& one, const InstanceAt& other) { return one.same(other); });
}

bool same_board(const BoardState& one, const BoardState& other) {
  return one.mig == other.mig && one.strategy == other.strategy && one.replicas == other.replicas &&
         one.vgpu == other.vgpu && profiles_of(one) == profiles_of(other);
}

// What a scheduler has a fixed number of is not compared: Slurm's MPS is percent, ACK's is memory.
bool is_wished(const BoardState& board, const Wish& wish, bool shares_are_fixed) {
  if (board.strategy != wish.strategy || board.mig != (wish.strategy == Strategy::mig)) return false;
  if (wish.strategy == Strategy::vgpu && board.vgpu != wish.vgpu) return false;
  const bool shared = wish.strategy != Strategy::whole && wish.strategy != Strategy::vgpu;
  if (shared && !shares_are_fixed && std::max(1, board.replicas) != std::max(1, wish.replicas)) return false;
  std::map<std::string, int> wanted;
  for (const WishedInstance& one : wish.instances)
    ++wanted[mig::canonical_profile(one.profile.text).value_or(one.profile).text];
  return profiles_of(board) == wanted;
}

// Whether the layout that a plan ends in is the one that its intent asks for, GPU by GPU.
Why why_other_end(const NodePlan& node, const Intent& intent, const Means& can) {
  if (node.only_given_back) return {};
  const bool ack = node.ordered_after.contains(std::string(sharing::ack::kSchedule));
  for (const BoardState& board : node.after) {
    const Wish* wish = wish_for(intent, board.gpu);
    const BoardState* found = board_in(node.before, board.gpu);
    const bool fixed = board.strategy == Strategy::mps && (ack || can.dialect != Dialect::gpu_operator);
    if (wish ? is_wished(board, *wish, fixed) : found && same_board(*found, board)) continue;
    return fmt::format("the plan ends with another layout of GPU {} than {}", board.gpu.value,
                       wish ? "was requested: " + to_text(*wish) : "it has, and nothing is requested for it");
  }
  for (const BoardWish& one : intent.boards)
    if (one.gpu && !node.after.empty() && !board_in(node.after, *one.gpu))
      return fmt::format("the plan does not say what becomes of GPU {}, which its intent names",
                         one.gpu->value);
  return {};
}

template <class Proves>
bool proved(const NodePlan& node, Proves proves) {
  return std::any_of(node.steps.begin(), node.steps.end(), [&](const Step& step) {
    return std::any_of(step.after.begin(), step.after.end(), proves);
  });
}
bool proved_word(const NodePlan& node, std::string_view key) {
  return proved(node, [&](const Condition& one) {
    const auto* word = std::get_if<WordIs>(&one);
    return word && word->key.starts_with(key);
  });
}

const Special* act_of(const NodePlan& node, std::string_view verb) {
  for (const Step& step : node.steps)
    if (const auto* act = std::get_if<Special>(&step.action); act && act->verb == verb) return act;
  return nullptr;
}

// The configuration that the label is to name: the plan's own entry, or one of the files that count there.
std::vector<operators::MigConfig> configs_called(const std::string& name, const NodePlan& node,
                                                 const operators::OperatorSetup& site) {
  std::vector<operators::MigConfig> found;
  auto look_in = [&](const operators::MigDocument& document) {
    if (const operators::MigConfig* one = document.find(name)) found.push_back(*one);
  };
  if (const Special* written = act_of(node, verbs::kWriteMigConfig))
    if (auto entry = written->arguments.find("entry"); entry != written->arguments.end())
      if (auto document = operators::parse_mig_document(entry->second, "entry")) look_in(*document);
  for (const operators::MigFile* file : {site.own_config(node.node.text), site.mig_config.get()})
    if (file && file->document) look_in(*file->document);
  return found;
}

// A GPU that is not to be cut may be left out: rows may be about other products only.
bool leads_to(const operators::MigConfig& config, const BoardState& board) {
  auto is_about = [&](const operators::MigRow& row) {
    return row.all || std::find(row.devices.begin(), row.devices.end(), board.gpu.value) != row.devices.end();
  };
  auto makes = [&](const operators::MigRow& row) {
    if (!is_about(row) || row.enabled != board.mig) return false;
    std::map<std::string, int> counts;
    for (const auto& [profile, count] : row.counts)
      if (count > 0) counts[mig::canonical_profile(profile).value_or(ProfileName(profile)).text] += count;
    return !board.mig || counts == profiles_of(board);
  };
  auto cuts_all = [&](const operators::MigRow& row) {
    return is_about(row) && row.enabled && row.filters.empty();
  };
  return std::any_of(config.rows.begin(), config.rows.end(), makes) ||
         (!board.mig && std::none_of(config.rows.begin(), config.rows.end(), cuts_all));
}

// What is ordered of the MIG manager makes what the plan shows.
Why why_other_order(const NodePlan& node, const Means& can) {
  const Special* order = act_of(node, verbs::kOrderMig);
  if (!order || !can.gpu_operator || node.after.empty()) return {};
  const std::string name = argument_of(*order, "config");
  const std::vector<operators::MigConfig> known = configs_called(name, node, *can.gpu_operator);
  if (known.empty())
    return fmt::format("what the MIG configuration {} makes is not known here", clean(name, 64));
  for (const BoardState& board : node.after) {
    if (std::none_of(known.begin(), known.end(),
                     [&](const operators::MigConfig& one) { return leads_to(one, board); }))
      return fmt::format("the MIG configuration {} does not make the layout of GPU {} that the plan shows",
                         clean(name, 64), board.gpu.value);
  }
  return {};
}

// What a plan takes from a node altogether is what was wished for.
Why why_nothing_offered(const NodePlan& node, const Intent& intent) {
  const bool wished = offers_nothing(intent.orders);
  if (node.only_given_back || node.steps.empty() || offers_nothing(node.ordered_after) == wished) return {};
  return wished ? "the plan leaves the device plugin on a node that is to offer nothing"
                : "the plan takes the device plugin from the node, which is not requested";
}

// The switches that the plan shows are those that were wished for, and those of the configuration that it
// writes.
Why why_other_switches(const NodePlan& node, const Intent& intent, const Means& can) {
  if (!node.switches_after || node.steps.empty()) return {};
  const Switches& shown = *node.switches_after;
  const WishedSwitches told = switches_told(can, intent);
  if (told.rename_shared.value_or(shown.rename) != shown.rename ||
      told.refuse_several.value_or(shown.refuse_several) != shown.refuse_several)
    return "the plan shows other switches of the device plugin than were requested";
  const Special* written = act_of(node, verbs::kWritePluginConfig);
  auto text =
      written ? written->arguments.find("text") : std::map<std::string, std::string>::const_iterator{};
  if (!written || text == written->arguments.end()) return {};
  auto config = operators::parse_plugin_config(text->second, "text");
  if (!config || (config->sharing.rename == shown.rename &&
                  operators::refuses_several(config->sharing) == shown.refuse_several))
    return {};
  return "the device plugin's configuration that it writes has other switches than the plan shows";
}

// Whatever changes is read back by one of the steps.
Why why_unproved(const NodePlan& node, const Means& can) {
  if (node.steps.empty()) return {};
  const bool layouts = can.dialect != Dialect::gpu_operator;
  bool changes = false;
  for (const BoardState& wanted : node.after) {
    const BoardState* found = board_in(node.before, wanted.gpu);
    changes = changes || !found || !same_board(*found, wanted);
    if (!layouts || !wanted.mig || (found && found->mig && stands(*found, wanted))) continue;
    if (!proved(node, [&](const Condition& one) {
          return one == Condition(LayoutIs{wanted.gpu, wanted.instances, true}) ||
                 one == Condition(LayoutIs{wanted.gpu, wanted.instances, false});
        }))
      return fmt::format("no step reads back the layout of GPU {} that the plan promises", wanted.gpu.value);
  }
  changes = changes || offers_nothing(node.ordered_before) != offers_nothing(node.ordered_after);
  if (!changes) return {};
  auto offers = [&](const Counts* counts) {
    return proved(node, [&](const Condition& one) {
      const auto* offer = std::get_if<Advertises>(&one);
      return offer && (!counts || offer->counts == *counts);
    });
  };
  bool read = false;
  switch (can.dialect) {
    case Dialect::slurm: read = proved_word(node, slurm::key::kGres); break;
    case Dialect::direct: read = offers(nullptr); break;
    case Dialect::gpu_operator:
      read = offers(&node.offered_after.kubernetes) || proved_word(node, words::kMigMade) ||
             proved_word(node, words::kAckOffer) || proved_word(node, operators::kVgpuState) ||
             reads_devices_back(node);
      break;
  }
  return read ? Why{} : Why{"no step reads back what the node offers afterwards"};
}

}  // namespace

Why why_not_allowed(const Step& step, const NodePlan& node, const ChangeOptions& options, const Means& can) {
  Why why = std::visit(ActJudge(step, node, options, can), step.action);
  if (!why) return why;
  return fmt::format("step {} ({}): {}", clean(step.id, 100), clean(step.title, 200), *why);
}

Why why_not_allowed(const NodePlan& node, const Intent& intent, const Means& can) {
  if (Why why = why_other_action(node, intent)) return why;
  for (const Step& step : node.steps)
    if (Why why = why_not_allowed(step, node, intent.options, can)) return why;
  if (Why why = why_other_end(node, intent, can)) return why;
  if (Why why = why_other_order(node, can)) return why;
  if (Why why = why_nothing_offered(node, intent)) return why;
  if (Why why = why_other_switches(node, intent, can)) return why;
  return why_unproved(node, can);
}

}  // namespace tessera::plan
