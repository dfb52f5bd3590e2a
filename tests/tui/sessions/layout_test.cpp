// Editing a layout as a person does it, key by key.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/mig/edit.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/layout_places.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

const tui::LayoutState& edit_of(const Session& session) {
  EXPECT_EQ(session.state.top().kind, ScreenKind::layout) << session.screen();
  return *session.state.top().layout;
}

std::string want(const Session& session) {
  const tui::LayoutState& edit = edit_of(session);
  const mig::Product* product = session.catalogue.by_key(edit.board().product.text);
  return tui::text_of(edit.want, product);
}

// The editor on a GPU of lab1, as `L` on the node's page opens it.
Session on_board(int board) {
  Session session(layout_place());
  session.press(":node lab1<enter>");
  for (int i = 0; i < board; ++i) session.press("j");
  session.press("L");
  return session;
}

// "put the cursor on a node or GPU first", it said of the GPU in view.
TEST(LayoutEditor, DOpensTheGuideOnWhatIsEdited) {
  Session one = on_board(2);
  one.press("D");
  ASSERT_EQ(one.state.top().kind, ScreenKind::guide) << one.screen();
  EXPECT_EQ(one.state.top().subject, "lab1 GPU 2");
  one.press("<esc>");
  EXPECT_EQ(one.state.top().kind, ScreenKind::layout) << "and back to the edit";

  Session all(layout_place());
  all.press("2/lab1<enter>L");
  ASSERT_GT(edit_of(all).targets().size(), 1u);
  const std::size_t gpus = edit_of(all).targets().size();
  all.press("D");
  ASSERT_EQ(all.state.top().kind, ScreenKind::guide) << all.screen();
  EXPECT_EQ(all.state.top().guide.asked.size(), gpus);
  EXPECT_EQ(all.state.top().subject, "lab1");
}

TEST(LayoutEditor, LOnANodesPageEditsTheGpuUnderTheCursor) {
  Session session = on_board(2);
  session.line_with("GPU 2 of lab1");
  session.line_with("A30-24GB");
  session.line_with("changes: slice by slice");
  session.line_with("UNCHANGED   Enter adds");
  session.line_with("READ-ONLY");
  EXPECT_TRUE(session.shows("[RO]"));
}

// "1 more" stood above the list, and three blank lines below what there was to say.
TEST(LayoutEditor, OnASmallTerminalTheListHasTheLinesThatThePreviewLeaves) {
  Session session(layout_place(), {80, 24});
  session.press(":node lab1<enter>L");
  EXPECT_TRUE(session.shows("7g.80gb")) << session.screen();
  EXPECT_FALSE(session.shows(" more")) << session.screen();
  session.press("c");
  EXPECT_TRUE(session.shows("1 more")) << "what the edit does comes first\n" << session.screen();
}

TEST(LayoutEditor, APendingChangeOfTheMigModeIsSaidInTheHeadAndWhereNothingIsEdited) {
  Model place = layout_place();
  Node lab = *place.clusters.front().nodes.find(NodeName("lab1"));
  lab.gpus[2].mig_mode = MigMode::enable_pending;
  reduce(place, on("sim", NodeSeen{lab}));
  Session session(place);
  session.press(":node lab1<enter>jjL");
  session.line_with("MIG mode pending");
  session.press("P");
  session.line_with("a change of its MIG mode is pending");
  session.press("<esc>kL");
  EXPECT_FALSE(session.shows("MIG mode pending")) << session.screen();
}

TEST(LayoutEditor, OnAGpuRowItIsThatGpuAndOnANodeRowAllOfOneProduct) {
  Session session(layout_place());
  session.press("3/twin1<enter>jL");
  session.line_with("GPU 1 of twin1");
  session.press("<esc>2/twin1<enter>L");
  session.line_with("2 GPUs of twin1, in view GPU 0");
}

TEST(LayoutEditor, AnInstanceIsAddedWhereTheCursorStands) {
  Session session = on_board(0);
  session.press("l+");
  EXPECT_EQ(want(session), "1g.10gb@0 + 1g.10gb@1 + 2g.20gb@2 + 1g.10gb@4");
  session.line_with("KEEPS 3 (2 held)");
  session.line_with("CREATES 1");
  session.line_with("DESTROYS 0");
  EXPECT_NE(session.line_with("DISTURBS").find("no workload"), std::string::npos);
  session.line_with("gpu:1g.10gb  2 → 3");
}

TEST(LayoutEditor, EnterAddsTooAndTakesTheNearestPlace) {
  Session session = on_board(0);
  session.press("<enter>");
  EXPECT_EQ(want(session), "1g.10gb@0 + 1g.10gb@1 + 2g.20gb@2 + 1g.10gb@4") << "slice 0 is taken: 1 is next";
}

TEST(LayoutEditor, AProfileThatFitsNowhereSaysWhoIsInTheWay) {
  Session session = on_board(0);
  EXPECT_NE(session.line_with(" 3g.40gb ").find("erin holds slice 4"), std::string::npos);
  EXPECT_NE(session.line_with(" 4g.40gb ").find("alice holds slice 0"), std::string::npos);
  session.press("jjjj+");
  session.line_with("3g.40gb: needs slices");
  EXPECT_FALSE(edit_of(session).touched);
}

TEST(LayoutEditor, TakingAHeldSliceAwayNamesItsHolderAndTheWayAround) {
  Session session = on_board(0);
  session.press("llll-");
  EXPECT_EQ(want(session), "1g.10gb@0 + 2g.20gb@2");
  EXPECT_NE(session.line_with("DISTURBS 1").find("erin  tune"), std::string::npos);
  session.line_with("WILL END");
  session.line_with("1g.10gb@4 held by 701");
}

TEST(LayoutEditor, EditsAreTakenBackAndDoneAgain) {
  Session session = on_board(0);
  session.press("l+lllll+");
  EXPECT_EQ(edit_of(session).past.size(), 2u);
  session.press("zz");
  EXPECT_FALSE(edit_of(session).touched);
  EXPECT_EQ(want(session), "1g.10gb@0 + 2g.20gb@2 + 1g.10gb@4");
  session.press("z");
  session.line_with("nothing to undo");
  session.press("ZZ");
  EXPECT_EQ(edit_of(session).want.layout.size(), 5u);
  session.press("=");
  EXPECT_EQ(want(session), "1g.10gb@0 + 2g.20gb@2 + 1g.10gb@4");
}

TEST(LayoutEditor, AnInstanceMovesAlongAndTheCursorWithIt) {
  Session session = on_board(0);
  session.press(".");
  EXPECT_EQ(want(session), "1g.10gb@1 + 2g.20gb@2 + 1g.10gb@4");
  EXPECT_EQ(edit_of(session).unit, 1);
  session.press(",");
  EXPECT_EQ(want(session), "1g.10gb@0 + 2g.20gb@2 + 1g.10gb@4");
  session.press(",");
  session.line_with("1g.10gb has no free start further left");
}

TEST(LayoutEditor, StrandedAndWastedSlicesAreNamed) {
  Session session = on_board(1);
  session.press("jjj");
  while (session.line_with("▌").find("3g.20gb") == std::string::npos) session.press("j");
  session.press("+llll+");
  EXPECT_EQ(want(session), "3g.20gb@0 + 3g.20gb@4");
  session.line_with("strands 1 compute slice;");
  session.line_with("4g.20gb+3g.20gb strands none");
}

TEST(LayoutEditor, PresetsAreListedAndTaken) {
  Session session = on_board(1);
  session.press("p");
  session.line_with("all-balanced");
  session.line_with("all-1g.5gb");
  session.line_with("operator: all-disabled");
  EXPECT_NE(session.line_with("vGPU").find("no virtual machines"), std::string::npos);
  while (session.line_with("▌").find("all-balanced") == std::string::npos) session.press("j");
  session.press("<enter>");
  EXPECT_EQ(edit_of(session).want.layout.size(), 4u);
  session.line_with("CREATES 4");
  session.line_with("ORDER");
}

TEST(LayoutEditor, TypesOfVgpuAreOfferedWhereTheBackendCanSetThemUp) {
  Session session = on_board(2);
  session.state.abilities[ClusterName("sim")] = plan::gpu_operator_capabilities();
  session.press("pG");
  while (session.line_with("▌").find("vGPU A30-12C") == std::string::npos) session.press("k");
  session.line_with("2 on a GPU, 12 GB each, in turns");
  session.press("<enter>");
  EXPECT_EQ(edit_of(session).want.strategy, Strategy::vgpu);
  EXPECT_EQ(edit_of(session).want.vgpu, ProfileName("A30-12C"));
}

// w1 of a Kubernetes cluster.
Model two_whole_gpus() {
  Model model;
  reduce(model, on("sim", ClusterSeen{Scheduler::kubernetes, true, "kubernetes v1.32.2", "demo"}));
  reduce(model, on("sim", NodesListed{{node("w1", {board(0, "A100-80GB", Strategy::whole, {whole(0)}),
                                                   board(1, "A100-80GB", Strategy::whole, {whole(1)})})}}));
  reduce(model, on("sim", WorkloadsListed{{}}));
  reduce(model, on("sim", SourceReport{Source::simulator, std::nullopt, Duration(1)}));
  reduce(model, on("sim", Loaded{}));
  return model;
}

// On a site without that platform the list held each of its layouts twice, and "none" beside the whole GPU.
TEST(LayoutEditor, ATableOfAnotherPlatformAddsOnlyWhatNoNameMakes) {
  const auto listed = [](std::optional<sharing::Platform> platform) {
    Session session(two_whole_gpus());
    session.state.platform = platform;
    session.press(":node w1<enter>L").press("p");
    std::vector<std::string> names;
    int of_table = 0;
    for (const tui::PresetChoice& one : edit_of(session).presets) {
      names.push_back(one.name);
      of_table += one.from.starts_with("fpt");
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "a name twice";
    return of_table;
  };
  EXPECT_EQ(listed(std::nullopt), 0) << "the operator makes all that this table has";
  EXPECT_GT(listed(sharing::Platform::fpt), 5) << "where it is the platform, its own names are listed";
}

// A managed platform's own kind of none: its device plugin serves all GPUs of a node, or none.
TEST(LayoutEditor, ThePresetNoneOrdersThatANodeAsAWholeOffersNothing) {
  Session session(two_whole_gpus());
  session.state.platform = sharing::Platform::fpt;
  session.state.abilities[ClusterName("sim")] = plan::gpu_operator_capabilities();
  session.press(":node w1<enter>L").press("p");
  for (int i = 0; i < 40 && session.line_with("▌").find("not offered") == std::string::npos; ++i)
    session.press("j");
  EXPECT_NE(session.line_with("▌").find("fpt, none"), std::string::npos) << session.screen();
  session.press("<enter>");
  EXPECT_TRUE(edit_of(session).want.offers_nothing);
  const Cluster& cluster = *session.model.find(ClusterName("sim"));
  const auto intent = [&] {
    return tui::intent_of(edit_of(session), cluster, session.catalogue.by_key("A100-80GB"));
  };
  ASSERT_FALSE(intent().ok());
  EXPECT_EQ(intent().error().reason, "it serves all GPUs of a node");
  session.press("a");
  ASSERT_TRUE(intent().ok()) << session.screen();
  EXPECT_EQ(intent()->orders, plan::nothing_offered());
  EXPECT_EQ(intent()->words, "none");
}

TEST(LayoutEditor, APresetThatCannotBeTakenSaysWhy) {
  Session session = on_board(1);
  session.press("pG<enter>");
  session.line_with("vGPU: the simulated nodes run no virtual machines");
  EXPECT_FALSE(edit_of(session).touched);
  session.press("<esc>");
  session.line_with("PROFILE");
}

TEST(LayoutEditor, SharesAreCountedWithPlusAndMinusOrTyped) {
  Session session = on_board(3);
  session.press("p");
  while (session.line_with("▌").find("▌shards") == std::string::npos) session.press("j");
  session.press("<enter>");
  EXPECT_EQ(want(session), "4 shards");
  session.press("+");
  EXPECT_EQ(want(session), "5 shards");
  session.press("----");
  EXPECT_EQ(want(session), "2 shards");
  session.line_with("sharing begins with 2");
  session.press("#16<enter>");
  EXPECT_EQ(want(session), "16 shards");
  session.line_with("CREATES 1");
}

TEST(LayoutEditor, SlurmsMpsIsPercentAndNoNumberToChoose) {
  Session session = on_board(3);
  session.press("p");
  while (session.line_with("▌").find("▌MPS") == std::string::npos) session.press("j");
  session.line_with("jobs ask for percent of a GPU");
  session.press("<enter>");
  EXPECT_EQ(want(session), "MPS");
  session.press("+");
  session.line_with("Slurm hands MPS out in percent of a GPU");
  session.press("#16<enter>");
  EXPECT_EQ(want(session), "MPS");
  EXPECT_NE(session.line_with("ADVERTISED").find("mps  100 → 200"), std::string::npos) << session.screen();
}

// Remove, best, undo and "all or one" stood in the footer of the list of presets, which refuses them.
TEST(LayoutEditor, KeysThatTheListOfPresetsRefusesAreNotInItsFooter) {
  Session session = on_board(0);
  EXPECT_TRUE(session.shows("- remove")) << session.screen();
  session.press("p");
  EXPECT_FALSE(session.shows("- remove") || session.shows("b best") || session.shows("z undo") ||
               session.shows("a all or one"))
      << session.screen();
  EXPECT_TRUE(session.shows("+ add  p presets")) << session.screen();
  session.press("<esc>");
  EXPECT_TRUE(session.shows("- remove")) << session.screen();
}

TEST(LayoutEditor, TheBestForWhoWaitsIsFound) {
  Session session = on_board(2);
  session.press("b");
  session.line_with("no layout of this GPU lets a waiting workload start");
  // What waits for a 3g.40gb or a 1g.10gb could start now: some are free.
  session.press("<esc>").press("<esc>").press(":node twin1<enter>jLb");
  session.line_with("no layout of this GPU lets a waiting workload start");
  session.tell(on("sim", WorkloadSeen{waiting("712", "max", "gpu:4g.40gb")}));
  session.press("b");
  session.line_with("would start");
  EXPECT_TRUE(edit_of(session).touched);
  session.line_with("WILL RUN");
}

TEST(LayoutEditor, SeveralBoardsKeepWhatIsHeldOnEach) {
  Session session(layout_place());
  session.press("2/twin1<enter>L");
  session.press("p");
  while (session.line_with("▌").find("all-1g.10gb ") == std::string::npos) session.press("j");
  session.press("<enter>");
  session.line_with("2 GPUs of twin1, in view GPU 0");
  session.line_with("CREATES 13");
  session.line_with("KEEPS 1 (1 held)");
  session.press("<tab>");
  session.line_with("in view GPU 1");
  EXPECT_NE(session.line_with("want").find("= 1g"), std::string::npos) << "frank's slice stays at 6";
  session.press("a");
  session.line_with("GPU 1 of twin1");
  session.line_with("CREATES 6");
}

TEST(LayoutEditor, MarkedGpusOfSeveralProductsAreRefused) {
  Session session(layout_place());
  session.press("3/lab1<enter><space><space>L");
  EXPECT_EQ(session.state.top().kind, ScreenKind::gpus);
  session.line_with("one layout fits one product");
}

TEST(LayoutEditor, MarkedTwinsAreEditedTogether) {
  Session session(layout_place());
  session.press("3/twin1<enter><space><space>L");
  session.line_with("2 GPUs of twin1");
}

// "NODE !!  down: kubelet stopped", of nodes that are edited together, did not say which.
TEST(LayoutEditor, OfNodesEditedTogetherThoseThatAreClosedAreNamed) {
  Story story;
  std::vector<Node> nodes;
  for (const char* name : {"n1", "n2", "n3"})
    nodes.push_back(node(name, {board(0, "H100-80GB-SXM5", Strategy::whole, {whole(0)})}));
  for (std::size_t i : {1u, 2u}) {
    nodes[i].health = Health::down, nodes[i].state = {"DOWN"};
    nodes[i].reason = "kubelet stopped";
  }
  story.tell(ClusterSeen{Scheduler::slurm, true, "", ""});
  story.tell(NodesListed{nodes});
  story.tell(WorkloadsListed{});
  story.tell(SourceReport{Source::simulator, std::nullopt, Duration{5}});
  story.tell(Loaded{});
  Session session(story.model, {120, 40});
  session.press("2<space><space><space>Lc");
  EXPECT_NE(session.line_with("NODE !!").find("n[2-3]: down: kubelet stopped"), std::string::npos)
      << session.screen();
}

TEST(LayoutEditor, APoolCannotBeEditedAndSaysWhy) {
  Session session(layout_place());
  session.press(":node n0040<enter>L");
  session.line_with("the scheduler counts its slices and does not report on which GPUs they are");
}

TEST(LayoutEditor, AnUnknownGpuIsShardedOrWhole) {
  Session session = on_board(5);
  session.line_with("no profiles: p lists the ways of sharing it");
  session.press("+");
  session.line_with("this GPU is not in the catalogue");
}

TEST(LayoutEditor, PLeadsToThePlanAndEscBackToTheEdit) {
  Session session = on_board(0);
  session.press("P");
  session.line_with("nothing is edited yet");
  session.press("l+P");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan);
  session.press("<esc>");
  EXPECT_EQ(want(session), "1g.10gb@0 + 1g.10gb@1 + 2g.20gb@2 + 1g.10gb@4");
}

TEST(LayoutEditor, LeavingWithEditsAsksOnce) {
  Session session = on_board(0);
  session.press("l+<esc>");
  session.line_with("Esc again leaves, and the edit is lost");
  session.press("h<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::layout) << "any other key takes the first Esc back";
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
}

TEST(LayoutEditor, TheMousePutsTheCursorOnASliceOrARow) {
  Session session = on_board(0);
  session.mouse(tui::Mouse::Kind::press, 6 + 14 * 5 + 3, 4);
  EXPECT_EQ(edit_of(session).unit, 5);
  session.press("?");
  session.line_with("ON THIS SCREEN");
  session.line_with("Undo the last edit.");
}

TEST(LayoutEditor, AnEditOutlivesNewsAndTheSubjectsEndIsSaid) {
  Session session = on_board(0);
  session.press("l+");
  session.tell(on("sim", WorkloadsListed{{}}));
  session.line_with("KEEPS 3");
  EXPECT_EQ(want(session), "1g.10gb@0 + 1g.10gb@1 + 2g.20gb@2 + 1g.10gb@4");
  session.tell(on("sim", NodesListed{{twins()}}));
  EXPECT_FALSE(session.shows("KEEPS")) << session.screen();
}

// Whatever is pressed on whatever GPU and size, what is wanted can stand, and something is drawn.
RC_GTEST_PROP(LayoutEditor, AnyKeysLeaveALegalLayout, ()) {
  static const std::vector<std::string> kKeys = {
      "h",      "l",      "j",     "k",         "g", "G", "+", "-",     "<enter>", ",",
      ".",      "z",      "Z",     "c",         "=", "p", "b", "a",     "<tab>",   "<btab>",
      "<pgup>", "<pgdn>", "<esc>", "#3<enter>", "P", "i", "y", "?<esc>"};
  static const Model place = layout_place();
  Session session(place, {*rc::gen::inRange(60, 180), *rc::gen::inRange(15, 60)});
  session.press(*rc::gen::element<std::string>(":node lab1<enter>", ":node twin1<enter>"));
  for (int down = *rc::gen::inRange(0, 6); down > 0; --down) session.press("j");
  session.press("L");
  for (const std::string& keys :
       *rc::gen::resize(12, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kKeys)))) {
    session.press(keys);
    session.canvas();
    if (session.state.top().kind != ScreenKind::layout) {
      if (session.state.top().kind != ScreenKind::node) session.press("<esc>");
      session.press("L");
      continue;
    }
    const tui::LayoutState& edit = *session.state.top().layout;
    const mig::Product* product = session.catalogue.by_key(edit.board().product.text);
    if (edit.want.strategy == Strategy::mig) {
      RC_ASSERT(product != nullptr);
      RC_ASSERT(mig::is_legal(*product, edit.want.layout));
    }
    if (edit.touched) RC_ASSERT(edit.preview.plan.has_value() != edit.preview.error.has_value());
  }
}

}  // namespace
}  // namespace tessera::test
