// The fields of plans, for codec.hpp: what is written, under which name, in which order.
// The names are a promise to scripts: add, but never rename. What is added is visited by v.added().
// Threads: pure functions.
#pragma once

#include "engine/plan/basis.hpp"
#include "engine/plan/files/codec.hpp"

namespace tessera::plan {

// What only tells people something.
template <>
inline constexpr bool kPassesOver<Offer> = true;
template <>
inline constexpr bool kPassesOver<DecisionStep> = true;
template <>
inline constexpr bool kPassesOver<Decision> = true;
template <>
inline constexpr bool kPassesOver<SlicePlan> = true;
template <>
inline constexpr bool kPassesOver<Disturbed> = true;
template <>
inline constexpr bool kPassesOver<Needs> = true;
template <>
inline constexpr bool kPassesOver<Offered> = true;
template <>
inline constexpr bool kPassesOver<Switches> = true;
template <>
inline constexpr bool kPassesOver<Notice> = true;
template <>
inline constexpr bool kPassesOver<PendingEffect> = true;

template <>
constexpr int enum_count<Strategy>() {
  return 7;
}
template <>
constexpr int enum_count<Way>() {
  return 3;
}
template <>
constexpr int enum_count<Unit>() {
  return 3;
}
template <>
constexpr int enum_count<Dialect>() {
  return 3;
}
template <>
constexpr int enum_count<Scheduler>() {
  return 2;
}
template <>
constexpr int enum_count<SliceKind>() {
  return 6;
}
template <>
constexpr int enum_count<WorkloadKind>() {
  return 2;
}
template <>
constexpr int enum_count<Hit>() {
  return 4;
}

inline std::string_view word(OnFailure what) { return what == OnFailure::park ? "park" : "undo"; }
template <>
constexpr int enum_count<OnFailure>() {
  return 2;
}
template <>
constexpr int enum_count<Severity>() {
  return 4;
}
template <>
constexpr int enum_count<BasisPart::Kind>() {
  return 4;
}

template <class V, Same<BasisPart> T>
void fields(V& v, T& x) {
  v("kind", x.kind), v("name", x.name), v("digest", x.digest);
}

template <class V, Same<Placement> T>
void fields(V& v, T& x) {
  v("start", x.start), v("size", x.size);
}

template <class V, Same<WishedInstance> T>
void fields(V& v, T& x) {
  v("profile", x.profile), v("start", x.start);
}
template <class V, Same<Wish> T>
void fields(V& v, T& x) {
  v("strategy", x.strategy), v("instances", x.instances), v("replicas", x.replicas), v("vgpu", x.vgpu);
}
template <class V, Same<BoardWish> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("wish", x.wish), v.added("node", x.node);
}
template <class V, Same<ChangeOptions> T>
void fields(V& v, T& x) {
  v("way", x.way), v("when_empty", x.when_empty), v("at", x.at), v("wait_s", x.wait);
  v("on_failure", x.on_failure), v("break_lock", x.break_lock), v("canary", x.canary), v("batch", x.batch);
}
template <class V, Same<DecisionStep> T>
void fields(V& v, T& x) {
  v("question", x.question), v("answer", x.answer), v("source", x.source);
}
template <class V, Same<Decision> T>
void fields(V& v, T& x) {
  v("strategy", x.strategy), v("path", x.path), v("tradeoffs", x.tradeoffs);
}
template <class V, Same<WishedSwitches> T>
void fields(V& v, T& x) {
  v("rename_shared", x.rename_shared), v("refuse_several", x.refuse_several);
}
template <class V, Same<Intent> T>
void fields(V& v, T& x) {
  v("cluster", x.cluster), v("nodes", x.nodes), v("boards", x.boards), v("words", x.words);
  v("decision", x.decision), v("options", x.options);
  Texts<std::remove_reference_t<decltype((x.orders))>> orders{x.orders};
  v.added("orders", orders), v.added("node_orders", x.node_orders);
  v.added("rename_shared", x.switches.rename_shared), v.added("refuse_several", x.switches.refuse_several);
  v.added("node_switches", x.node_switches);
}

template <class V, Same<Offer> T>
void fields(V& v, T& x) {
  v("strategy", x.strategy), v("why_not", x.why_not);
}
template <class V, Same<Capabilities> T>
void fields(V& v, T& x) {
  v("backend", x.backend), v("dialect", x.dialect), v("instances", x.instances), v("mode", x.mode);
  v("sharing", x.sharing), v("clears", x.clears), v("reset", x.reset);
  v("empties_all_work", x.empties_all_work), v("chooses_placement", x.chooses_placement);
  v("needs_closing", x.needs_closing), v.gone("can_reset", true), v("survives_reboot", x.survives_reboot);
  std::optional<bool> renames_shares;  // of earlier versions, whose simulator had one name for shares
  v("offers", x.offers), v.added("renames_shares", renames_shares);
}

template <class V, Same<InstanceAt> T>
void fields(V& v, T& x) {
  v("profile", x.profile), v("at", x.at), v("id", x.id);
}

template <class V, Same<SetMark> T>
void fields(V& v, T& x) {
  v("break_lock", x.break_lock);
}
template <class V, Same<ClearMark> T>
void fields(V&, T&) {}
template <class V, Same<CloseNode> T>
void fields(V& v, T& x) {
  v("words", x.words);
}
template <class V, Same<OpenNode> T>
void fields(V&, T&) {}
template <class V, Same<Evict> T>
void fields(V& v, T& x) {
  v("workload", x.workload), v("way", x.way);
}
template <class V, Same<DestroyInstances> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("instances", x.instances);
}
template <class V, Same<CreateInstances> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("instances", x.instances), v("beside", x.beside), v("chosen", x.chosen);
}
template <class V, Same<SetMode> T>
void fields(V& v, T& x) {
  v("gpus", x.gpus), v("mig", x.mig);
}
template <class V, Same<ResetGpus> T>
void fields(V& v, T& x) {
  v("gpus", x.gpus);
}
template <class V, Same<Configure> T>
void fields(V& v, T& x) {
  v("gpus", x.gpus), v("strategy", x.strategy), v("replicas", x.replicas), v("vgpu", x.vgpu);
}
template <class V, Same<LookOnly> T>
void fields(V& v, T& x) {
  Text<std::remove_reference_t<decltype((x.to_apply))>> to_apply{x.to_apply};
  v.added("to_apply", to_apply);
}
template <class V, Same<Special> T>
void fields(V& v, T& x) {
  Texts<std::remove_reference_t<decltype((x.arguments))>> arguments{x.arguments};
  v("verb", x.verb), v("arguments", arguments);
}

template <class V, Same<Scope::Board> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("slices", x.slices);
}
template <class V, Same<Scope> T>
void fields(V& v, T& x) {
  v("boards", x.boards);
}

template <class V, class T>
requires(Same<T, Answering> || Same<T, MarkIsOurs> || Same<T, NoForeignMark> || Same<T, NotMarkedByUs> ||
         Same<T, NodeClosed> || Same<T, NotClosedByUs>) void fields(V&, T&) {}
template <class V, Same<ScopeEmpty> T>
void fields(V& v, T& x) {
  v("scope", x.scope);
}
template <class V, Same<WorkloadAway> T>
void fields(V& v, T& x) {
  v("workload", x.workload);
}
template <class V, class T>
requires(Same<T, InstancesStand> || Same<T, InstancesGone>) void fields(V& v, T& x) {
  v("gpu", x.gpu), v("instances", x.instances);
}
template <class V, Same<LayoutIs> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("instances", x.instances), v("placed", x.placed);
}
template <class V, Same<ModeIs> T>
void fields(V& v, T& x) {
  v("gpus", x.gpus), v("mig", x.mig), v("pending", x.pending);
}
template <class V, Same<SharingIs> T>
void fields(V& v, T& x) {
  v("gpus", x.gpus), v("strategy", x.strategy), v("replicas", x.replicas), v("vgpu", x.vgpu);
}
template <class V, Same<Advertises> T>
void fields(V& v, T& x) {
  v("counts", x.counts);
}
template <class V, Same<WordIs> T>
void fields(V& v, T& x) {
  v("key", x.key), v("value", x.value), v("passes", x.passes);
}

inline constexpr std::string_view kRebootNode = "reboot-node";
inline Json json_of(const Action& action) { return tagged(word(action), action); }
inline bool from_json(const Json& json, Action& action, Trouble& trouble) {
  // Of earlier versions' journals: read as an act that no backend knows, so that no run does it.
  const Json* kind = json.find("kind");
  if (kind && kind->text == kRebootNode) return action = Special{std::string(kRebootNode), {}}, true;
  return from_tagged(json, action, trouble);
}
inline Json json_of(const Condition& condition) { return tagged(word(condition), condition); }
inline bool from_json(const Json& json, Condition& condition, Trouble& trouble) {
  return from_tagged(json, condition, trouble);
}

template <class V, Same<Retry> T>
void fields(V& v, T& x) {
  v("times", x.times), v("first_s", x.first), v("longest_s", x.longest);
}
template <class V, Same<Step> T>
void fields(V& v, T& x) {
  Joined<std::remove_reference_t<decltype((x.commands))>> command{x.commands, '\n'};
  v("id", x.id), v("title", x.title), v("command", command), v("disturbs", x.disturbs);
  v("deadline_s", x.deadline), v("undo", x.undo), v("action", x.action), v("before", x.before);
  v("after", x.after), v("look_every_s", x.look_every), v("retry", x.retry), v("not_before", x.not_before);
}
template <class V, Same<BoardState> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("product", x.product), v("model", x.model), v("mig", x.mig), v("strategy", x.strategy);
  v("replicas", x.replicas), v("vgpu", x.vgpu), v("instances", x.instances);
}
template <class V, Same<SlicePlan> T>
void fields(V& v, T& x) {
  v("gpu", x.gpu), v("slice_kind", x.kind), v("profile", x.profile), v("at", x.at), v("capacity", x.capacity);
  v("order", x.order), v("holders", x.holders), v("held", x.held), v("recreated", x.recreated);
}
template <class V, Same<Disturbed> T>
void fields(V& v, T& x) {
  Joined<std::remove_reference_t<decltype((x.slices))>> slice{x.slices, ','};
  v("kind", x.kind), v("id", x.id), v("name", x.name), v("user", x.user), v("running_s", x.running);
  v("restartable", x.restartable), v("slice", slice), v("hit", x.hit), v("gpus", x.gpus);
  v("nodes", x.nodes), v("gpu_hours", x.gpu_hours);
  v.added("unasked", x.unasked), v.added("stays", x.stays);
}
template <class V, Same<Needs> T>
void fields(V& v, T& x) {
  v("drain", x.drain), v("mode_change", x.mode_change), v("reset", x.reset), v.gone("reboot", false);
}
template <class V, Same<Switches> T>
void fields(V& v, T& x) {
  v("rename", x.rename), v("refuse_several", x.refuse_several);
}
template <class V, Same<Offered> T>
void fields(V& v, T& x) {
  v("slurm", x.slurm), v("kubernetes", x.kubernetes);
}
template <class V, Same<Notice> T>
void fields(V& v, T& x) {
  v("severity", x.severity), v("rule", x.rule), v("node", x.node), v("message", x.text);
}
template <class V, Same<PendingEffect> T>
void fields(V& v, T& x) {
  v("id", x.id), v("name", x.name), v("user", x.user), v("request", x.request);
  v.added("remark", x.remark);
}

}  // namespace tessera::plan
