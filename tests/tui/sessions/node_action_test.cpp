// Closing a node and opening it again by keys: a command opens the plan, a typed name arms it.
#include "engine/plan/node_action.hpp"

#include <gtest/gtest.h>

#include "tests/tui/screens/change_places.hpp"

namespace tessera::test {
namespace {

void type_command(Session& session, const std::string& text) { session.press(":" + text + "<enter>"); }

// The plan that the console has ordered to be started; nullopt: none.
std::optional<plan::Plan> started(const Session& session) {
  for (const tui::Effects& effects : session.effects)
    for (const tui::RunOrder& order : effects.orders)
      if (const auto* start = std::get_if<tui::StartRun>(&order)) return start->plan;
  return std::nullopt;
}

Node closed_by(const Session& session, const std::string& name, std::string reason, std::string by) {
  Node closed = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName(name));
  closed.health = Health::drained;
  closed.state = {"IDLE", "DRAIN"};
  closed.reason = std::move(reason);
  closed.reason_by = std::move(by);
  return closed;
}

TEST(NodeActionByKeys, DrainingOpensAPlanThatIsArmedByTheNodesName) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031 fans are loud");
  EXPECT_TRUE(session.shows("drain: fans are loud")) << session.screen();
  EXPECT_TRUE(session.shows("close n0031 to new workloads until it is opened again")) << session.screen();
  EXPECT_TRUE(session.shows("disturbs no workload")) << session.screen();
  session.press("An0031<enter>");
  session.press("!");
  const std::optional<plan::Plan> plan = started(session);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes.at(0).steps.at(0).action, plan::Action(plan::keep_closed("fans are loud")));
}

// The prompt stood there with the node and a cursor, and nothing said what was to be typed.
TEST(NodeActionByKeys, ThePromptThatClosesANodeSaysThatAReasonIsTyped) {
  Session session = changing({80, 24});
  session.press(":node n0041<enter>K");
  EXPECT_TRUE(session.shows("NODES REASON: plan to drain Slurm nodes")) << session.screen();
}

TEST(NodeActionByKeys, APlanForANodeOffersNothingAboutRunningWork) {
  Session session = changing({120, 40});
  type_command(session, "drain n0031 firmware");
  EXPECT_TRUE(session.shows("on failure")) << session.screen();
  EXPECT_FALSE(session.shows("running work")) << session.screen();
  EXPECT_FALSE(session.shows("RESOURCES")) << session.screen();
  for (const char* key : {"r", "c", "e"}) {
    session.press(key);
    EXPECT_TRUE(session.shows("what is done to a node as a whole ends no job or pod"))
        << key << session.screen();
  }
}

TEST(NodeActionByKeys, ADevicePluginIsRestartedOnKubernetesAndRefusedOnSlurm) {
  Session session = changing({120, 40});
  type_command(session, "restart-plugin n0031");
  EXPECT_TRUE(session.shows("Slurm has no device plugin")) << session.screen();
  type_command(session, "restart-plugin n0031 now");
  EXPECT_TRUE(session.shows("nothing can stand behind the nodes")) << session.screen();
  EXPECT_FALSE(started(session));
}

Node up_for_days(const Session& session, const std::string& name) {
  Node up = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName(name));
  up.state = {"MIXED"};
  up.booted = at(-864000);
  return up;
}

TEST(NodeActionByKeys, ARebootWaitsForTheJobsThatItsPlanNames) {
  Session session = changing({120, 40});
  session.tell(on("hpc", NodeSeen{up_for_days(session, "n0031")}));
  type_command(session, "reboot n0031");
  EXPECT_TRUE(session.shows("a reason is missing")) << session.screen();
  type_command(session, "reboot n0031 XID 79");
  EXPECT_TRUE(session.shows("reboot: XID 79")) << session.screen();
  EXPECT_TRUE(session.shows("have Slurm reboot n0031 once no job runs")) << session.screen();
  EXPECT_TRUE(session.shows("88120")) << session.screen();
  EXPECT_TRUE(session.shows("its GPU instances are gone after the boot")) << session.screen();
  session.press("An0031<enter>");
  session.press("!");
  ASSERT_TRUE(started(session));
}

TEST(NodeActionByKeys, TheMenuHasRebootAndRestartWithTheReasonWhyNot) {
  Session session = changing({120, 40});
  session.press("2");
  type_command(session, "reboot-nodes");
  EXPECT_TRUE(session.shows("when it has booted is not reported")) << session.screen();
  type_command(session, "restart-plugins");
  EXPECT_TRUE(session.shows("Slurm has no device plugin")) << session.screen();
  session.tell(on("hpc", NodeSeen{up_for_days(session, "n0031")}));
  type_command(session, "reboot-nodes");
  EXPECT_EQ(session.state.input.text, "reboot n0031 ") << session.screen();
  session.press("XID 79<enter>");
  EXPECT_TRUE(session.shows("reboot: XID 79")) << session.screen();
}

TEST(NodeActionByKeys, TheRunOfARestartOrARebootOffersNoUndo) {
  Session session = changing({120, 40});
  session.tell(on("hpc", NodeSeen{up_for_days(session, "n0041")}));
  type_command(session, "reboot n0041 XID 79");
  ASSERT_TRUE(session.state.plan);
  Diary diary(session.state.plan->plan);
  diary.through(diary.count());
  plan::NodeFinished node_end;
  node_end.outcome = plan::Outcome::wanted, node_end.text = "n0041: has booted again, and answers";
  diary.add("n0041", node_end, 30);
  plan::RunFinished end;
  end.outcome = plan::Outcome::wanted, end.text = "1 done";
  diary.add("", end, 31);
  session.hear({RunsListed{{diary.head(RunState::finished)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  EXPECT_TRUE(session.shows("has booted again, and answers")) << session.screen();
  EXPECT_FALSE(session.shows("undoes this run")) << session.screen();
  session.press("z");
  EXPECT_TRUE(session.shows("leaves nothing to undo")) << session.screen();
}

TEST(NodeActionByKeys, WithoutAReasonOrForAnotherSchedulerNothingOpens) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031");
  EXPECT_TRUE(session.shows("a reason is missing")) << session.screen();
  type_command(session, "cordon n0031 firmware");
  EXPECT_TRUE(session.shows("cordon is called drain on hpc")) << session.screen();
  type_command(session, "drain n9999 firmware");
  EXPECT_TRUE(session.shows("no node is called n9999")) << session.screen();
  EXPECT_FALSE(started(session));
}

TEST(NodeActionByKeys, AnothersClosingIsShownAndOpenedOnlyKnowingly) {
  Session session = changing({80, 24});
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  type_command(session, "resume n0031");
  EXPECT_TRUE(session.shows("alice: bad ECC")) << session.screen();
  EXPECT_FALSE(session.shows("STEPS"));
  session.press("<esc>");
  type_command(session, "resume n0031 over-others");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
  EXPECT_TRUE(session.shows("this plan opens it all the same")) << session.screen();
}

TEST(NodeActionByKeys, APlanIsDisarmedWhenAnotherClosesTheNode) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031 firmware");
  session.press("An0031<enter>");
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  session.press("!");
  EXPECT_FALSE(started(session));
  EXPECT_TRUE(session.shows("bad ECC")) << session.screen();
}

TEST(NodeActionByKeys, AKeyWritesTheCommandAndTheReasonIsTypedBehindIt) {
  Session session = changing({80, 24});
  session.press("2K");
  EXPECT_EQ(session.state.input.text, "drain n0031 ");
  session.press("fans are loud<enter>");
  EXPECT_TRUE(session.shows("drain: fans are loud")) << session.screen();
  session.press("<esc>jv*K");  // all rows are marked
  EXPECT_EQ(session.state.input.text, "drain n[0031,0041-0045] ");
}

TEST(NodeActionByKeys, TheKeyThatOpensShowsWhoseClosingItIs) {
  Session session = changing({80, 24});
  session.press("2O");
  EXPECT_TRUE(session.shows("it takes new workloads already")) << session.screen();
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  session.press("O");
  EXPECT_TRUE(session.shows("alice: bad ECC")) << session.screen();
  EXPECT_EQ(session.state.input.text, "resume n0031 over-others");
  session.press("<enter>");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
}

TEST(NodeActionByKeys, AFindingLeadsToThePlanThatOpensItsNodes) {
  Session session = changing({80, 24});
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0041", "firmware (tessera r1 root@login1)", "root")}));
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0042", "firmware (tessera r1 root@login1)", "root")}));
  RunHead head;
  head.run = "r1";
  head.state = RunState::finished;
  session.state.runs.heads = {head};  // it was closed from here
  session.press("7P");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
  ASSERT_TRUE(session.state.plan);
  EXPECT_EQ(session.state.plan->plan.nodes.size(), 2u);
}

Node whole_gpus(const Session& session, const std::string& name) {
  Node one = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName(name));
  for (int i = 0; Gpu & gpu : one.gpus) {
    gpu.strategy = Strategy::whole, gpu.mig_mode = MigMode::disabled, gpu.slices = {whole(i++)};
    gpu.product = ProductKey("H100-80GB-SXM5");
  }
  return one;
}

void add_kubernetes_node(Session& session) {
  session.tell(on("kube", ClusterSeen{Scheduler::kubernetes, false, "", "", ""}));
  session.tell(on("kube", NodesListed{{node("k1", {gpu(0, Strategy::whole, {whole(0)})})}}));
  session.tell(on("kube", Loaded{}));
}

TEST(NodeActionByKeys, AResetIsPlannedForTheGpusThatAreTypedBehindTheNode) {
  Session session = changing({120, 40});
  session.tell(on("hpc", NodeSeen{whole_gpus(session, "n0041")}));
  type_command(session, "reset-gpu n0041");
  EXPECT_TRUE(session.shows("the GPU is missing")) << session.screen();
  type_command(session, "reset-gpu n0041 fan");
  EXPECT_TRUE(session.shows("that is no list of GPUs")) << session.screen();
  type_command(session, "reset-gpu n0031 0");
  EXPECT_TRUE(session.shows("its instances do not survive a reset")) << session.screen();
  type_command(session, "reset-gpu n0041 0");
  EXPECT_TRUE(session.shows("reset-gpu 0")) << session.screen();
  EXPECT_TRUE(session.shows("reset GPU 0")) << session.screen();
  EXPECT_TRUE(session.shows("verify that GPU 0 answers and needs no")) << session.screen();
  EXPECT_TRUE(session.shows("A reset leaves nothing to undo")) << session.screen();
  session.press("An0041<enter>");
  session.press("!");
  const std::optional<plan::Plan> plan = started(session);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan::action_of(plan::intent_of(plan->intent, NodeName("n0041")).orders)->gpus,
            std::vector{GpuIndex{0}});
}

TEST(NodeActionByKeys, AFindingThatAResetEndsWritesItsCommandWithTheGpuThatItNames) {
  for (const auto& [reason, typed] : {std::pair("GPU 3: Xid 63, row remap pending", "reset-gpu n0041 3"),
                                      std::pair("Xid 63", "reset-gpu n0041 ")}) {
    Session session = changing({80, 24});
    session.tell(on("hpc", NodeSeen{closed_by(session, "n0041", reason, "ops")}));
    session.press("7P");
    EXPECT_EQ(session.state.input.text, typed) << session.screen();
    EXPECT_FALSE(session.state.plan) << "nothing is planned before Enter";
  }
  Session session = changing({80, 24});
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0041", "Xid 79", "ops")}));
  session.press("7P");
  EXPECT_EQ(session.state.input.text, "resume n0041 over-others") << "that GPU has fallen off the bus";
}

// Its way out was a sentence: no key planned it, and the command behind it could not be copied.
TEST(NodeActionByKeys, AFindingThatARestartOfThePluginEndsOpensThatPlanOrSaysWhyThereIsNone) {
  const auto finding = [](Part plugin) {
    Session session = changing({120, 40});
    add_kubernetes_node(session);
    session.state.abilities[ClusterName("kube")] = plan::gpu_operator_capabilities();
    Node there = *session.model.find(ClusterName("kube"))->nodes.find(NodeName("k1"));
    there.components = {{"device plugin", plugin, "nvidia.com/gpu.deploy.device-plugin=paused"}};
    session.tell(on("kube", NodeSeen{there}));
    Remark stale{Remark::Grade::warning, "k1", true, "the device plugin hands out 1 GPU", "restart its pod"};
    stale.restarts_plugin = true;
    session.tell(on("kube", RemarksListed{Source::kubernetes_operator, {stale}}));
    session.press("7");
    for (const insight::Cause& cause : session.state.overview.causes)
      if (cause.whose == std::vector<std::string>{"k1"}) session.state.top().cursor = cause.id;
    return session;
  };
  Session ready = finding(Part::ready);
  EXPECT_TRUE(ready.shows("tessera node restart-plugin k1")) << ready.screen();
  EXPECT_TRUE(ready.shows("plans to restart the device plugin's pod on these nodes")) << ready.screen();
  ready.press("P");
  ASSERT_TRUE(ready.state.plan) << ready.screen();
  EXPECT_TRUE(ready.shows("restart the device plugin's pod on k1")) << ready.screen();
  Session paused = finding(Part::paused);
  EXPECT_FALSE(paused.shows("plans to restart")) << paused.screen();
  paused.press("P");
  EXPECT_FALSE(paused.state.plan);
  EXPECT_TRUE(paused.shows("its device plugin is paused")) << paused.screen();
}

// A layout that failed, and MIG-INVALID: "no plan leads out of this", though their way out named the plan.
TEST(NodeActionByKeys, AFindingThatALayoutEndsOpensTheEditorOrTypesThePlanWhereNoGpuIsReported) {
  Session session = changing({120, 40});
  add_kubernetes_node(session);
  session.state.abilities[ClusterName("kube")] = plan::gpu_operator_capabilities();
  Remark failed{Remark::Grade::danger, "k1", true, "the MIG manager could not make the layout x", "look"};
  failed.commands = {"tessera plan --node k1 --layout LAYOUT"};
  session.tell(on("kube", RemarksListed{Source::kubernetes_operator, {failed}}));
  const auto go_to = [&](std::string_view text) {
    session.act(tui::Action::show_doctor);
    for (const insight::Cause& cause : session.state.overview.causes)
      if (cause.text.starts_with(text)) session.state.top().cursor = cause.id;
  };
  go_to("the MIG manager");
  EXPECT_TRUE(session.shows("opens the layout editor for these nodes")) << session.screen();
  session.press("P");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::layout) << session.screen();
  EXPECT_EQ(session.state.top().subject, "k1");

  Node bare = node("k1", {});
  bare.health = Health::invalid;
  bare.reason = "the MIG strategy single does not fit its GPUs: nothing is offered";
  bare.features = {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3-MIG-INVALID"};
  session.tell(on("kube", NodeSeen{bare}));
  for (const std::string_view text : {"the MIG manager", "INVALID: the MIG strategy"}) {
    go_to(text);
    EXPECT_TRUE(session.shows("types the plan; the layout is yours to type")) << session.screen();
    session.press("P");
    EXPECT_EQ(session.state.input.text, "plan kube/k1 ") << text << session.screen();
    EXPECT_FALSE(session.state.plan) << "nothing is planned before Enter";
    session.press("<esc>");
  }
}

TEST(NodeActionByKeys, TheMenuResetsTheGpuOfThePageOrOfTheRowsAndSaysWhyNot) {
  Session session = changing({120, 40});
  session.tell(on("hpc", NodeSeen{whole_gpus(session, "n0041")}));
  const auto typed = [&] {
    type_command(session, "reset-gpus");
    const std::string text = session.state.input.text;
    session.press("<esc>");
    return text;
  };
  type_command(session, "gpu n0041 1");
  EXPECT_EQ(typed(), "reset-gpu n0041 1");
  session.press("3");
  type_command(session, "filter node=n0041");
  EXPECT_EQ(typed(), "reset-gpu n0041 0");
  session.press("vjv");  // both rows are marked
  EXPECT_EQ(typed(), "reset-gpu n0041 0,1") << session.screen();
  type_command(session, "node n0041");
  EXPECT_EQ(typed().substr(0, 15), "reset-gpu n0041") << session.screen();
  type_command(session, "gpu n0031 1");
  type_command(session, "reset-gpus");
  EXPECT_TRUE(session.shows("its instances do not survive a reset")) << session.screen();
  add_kubernetes_node(session);
  type_command(session, "node k1");
  type_command(session, "reset-gpus");
  EXPECT_TRUE(session.shows("Kubernetes gives no way to run nvidia-smi on a node")) << session.screen();
}

// A second cluster with a node of the same name.
void add_cluster(Session& session, const char* name, Scheduler scheduler) {
  session.tell(on(name, ClusterSeen{scheduler, false, "", "", ""}));
  session.tell(on(name, NodesListed{{node("n0031", {sevenths(0, 0)})}}));
  session.tell(on(name, Loaded{}));
  session.state.abilities[ClusterName(name)] = plan::simulator_capabilities();
}
std::string cluster_of_plan(const Session& session) {
  return session.state.plan ? session.state.plan->plan.intent.cluster.text : "no plan";
}
void show_nodes_of(Session& session, const std::string& cluster) {
  type_command(session, "cluster " + cluster);
  session.press("gg");
}

TEST(NodeActionByKeys, ATypedNameThatSeveralClustersHaveIsRefusedUntilTheClusterIsNamed) {
  for (const char* rest : {"drain % firmware", "plan % 7x1g.10gb", "node %", "gpu % 0", "guide %"}) {
    Session session = changing({120, 24});
    add_cluster(session, "lab", Scheduler::slurm);
    std::string typed = rest;
    typed.replace(typed.find('%'), 1, "n0031");
    type_command(session, typed);
    EXPECT_TRUE(session.shows("several clusters have n0031")) << rest << session.screen();
    EXPECT_TRUE(session.shows("hpc/n0031")) << session.screen();
    EXPECT_FALSE(session.state.plan);
    typed = rest;
    typed.replace(typed.find('%'), 1, "lab/n0031");
    type_command(session, typed);
    const bool plans = typed.starts_with("drain") || typed.starts_with("plan");
    EXPECT_EQ(plans ? cluster_of_plan(session) : session.state.top().cluster.text, "lab") << session.screen();
  }
}

TEST(NodeActionByKeys, TheKeysActOnTheClusterOfTheRow) {
  Session session = changing({120, 24});
  add_cluster(session, "lab", Scheduler::slurm);
  show_nodes_of(session, "lab");
  session.press("K");
  EXPECT_EQ(session.state.input.text, "drain lab/n0031 ");
  session.press("firmware<enter>");
  EXPECT_EQ(cluster_of_plan(session), "lab");
  EXPECT_TRUE(session.shows("lab › n0031")) << "the name that arms it is of two nodes\n" << session.screen();
  session.press("<esc>");
  session.tell(on("lab", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  show_nodes_of(session, "lab");
  session.press("O");
  EXPECT_EQ(session.state.input.text, "resume lab/n0031 over-others");
  session.press("<enter>");
  EXPECT_EQ(cluster_of_plan(session), "lab");
}

TEST(NodeActionByKeys, TheKeyThatOpensPlansOnTheClusterOfTheRow) {
  Session session = changing({120, 24});
  add_cluster(session, "lab", Scheduler::slurm);
  RunHead head;
  head.run = "r1";
  head.state = RunState::finished;
  session.state.runs.heads = {head};
  session.tell(on("lab", NodeSeen{closed_by(session, "n0031", "a (tessera r1 root@login1)", "root")}));
  show_nodes_of(session, "lab");
  session.press("O");
  EXPECT_EQ(cluster_of_plan(session), "lab") << session.screen();
}

TEST(NodeActionByKeys, AHostOfBothSchedulersIsMeantByTheirWords) {
  Session session = changing({120, 24});
  add_cluster(session, "kube", Scheduler::kubernetes);
  type_command(session, "cordon n0031 firmware");
  EXPECT_EQ(cluster_of_plan(session), "kube") << session.screen();
  session.press("<esc>");
  type_command(session, "drain n0031 firmware");
  EXPECT_EQ(cluster_of_plan(session), "hpc") << session.screen();
}

TEST(NodeActionByKeys, TabOffersTheClusterInFrontOfANameThatSeveralHave) {
  Session session = changing({120, 24});
  add_cluster(session, "lab", Scheduler::slurm);
  session.press(":drain n003<tab>");
  EXPECT_EQ(session.state.input.text, "drain hpc/n0031");
  session.press("<esc>:drain lab/n00<tab>");
  EXPECT_EQ(session.state.input.text, "drain lab/n0031");
}

TEST(NodeActionByKeys, ANodeThatSlurmHasDownIsResumedOnlyKnowingly) {
  Session session = changing({120, 24});
  Node down = closed_by(session, "n0031", "Node unexpectedly rebooted", "slurm");
  down.health = Health::down;
  down.state = {"DOWN"};
  session.tell(on("hpc", NodeSeen{down}));
  session.press("2O");
  EXPECT_EQ(session.state.input.text, "resume n0031 over-others");
  EXPECT_TRUE(session.shows("unexpectedly rebooted")) << session.screen();
  session.press("<enter>");
  EXPECT_TRUE(session.shows("this plan opens it all the same")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
