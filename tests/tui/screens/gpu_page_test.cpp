// The page of a GPU, which is also drawn beside the list of GPUs: where its cursor rests, and who waits for
// the GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/query/tables.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/pages/gpu_notes.hpp"

namespace tessera::test {
namespace {

constexpr tui::Rect kBody{0, 0, 100, 60};

tui::UiState page_of(const Cluster& cluster, const Node& node, const Gpu& gpu) {
  tui::UiState state;
  state.top().kind = tui::ScreenKind::gpu;
  state.top().cluster = cluster.name;
  state.top().subject = tui::gpu_subject(node.name, gpu.index);
  return state;
}

// Beside a list the page is settled with each picture, and is not made for that.
TEST(GpuPage, ACursorOnASliceRestsWhereThePageHasThatSlice) {
  int slices = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomWorld random(seed);
    const Cluster& cluster = random.cluster();
    const tui::UiContext ui{random.model(), catalogue(), at(0)};
    for (const Node& node : cluster.nodes.all())
      for (const Gpu& gpu : node.gpus)
        for (const Slice& slice : gpu.slices) {
          tui::UiState state = page_of(cluster, node, gpu);
          state.top().cursor = query::row_id(query::SliceRow{&cluster, &node, &gpu, &slice});
          const std::string cursor = state.top().cursor;
          tui::kGpuBody.settle(state, ui, kBody);
          const tui::LineStops stops = tui::stops_in(tui::gpu_document(ui, state, kBody.width));
          ASSERT_EQ(state.top().cursor, cursor) << seed;
          ASSERT_EQ(stops.ids.at(static_cast<std::size_t>(state.top().cursor_at)), cursor) << seed;
          ++slices;
        }
  }
  EXPECT_GT(slices, 400);
}

TEST(GpuPage, ACursorThatIsGoneRestsOnWhatThePageHas) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  const Cluster& cluster = story.cluster();
  const Node& there = *cluster.nodes.find(NodeName("n1"));
  tui::UiState state = page_of(cluster, there, there.gpus.front());
  state.top().cursor = "gone";
  const tui::UiContext ui{story.model, catalogue(), at(0)};
  tui::kGpuBody.settle(state, ui, kBody);
  EXPECT_EQ(state.top().cursor, tui::stops_in(tui::gpu_document(ui, state, kBody.width)).ids.front());
}

// At 200 columns half of the page was empty, and readings and charts stood below the last line.
TEST(GpuPage, AWidePageHasItsReadingsBesideItsSlices) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomWorld random(seed);
    const Cluster& cluster = random.cluster();
    const tui::UiContext ui{random.model(), catalogue(), at(0)};
    for (const Node& node : cluster.nodes.all())
      for (const Gpu& gpu : node.gpus) {
        const tui::UiState state = page_of(cluster, node, gpu);
        EXPECT_TRUE(tui::gpu_side_document(ui, state, 149).empty());
        const auto wide = tui::gpu_document(ui, state, 198), side = tui::gpu_side_document(ui, state, 198);
        const auto narrow = tui::gpu_document(ui, state, 99);
        EXPECT_FALSE(side.empty());
        EXPECT_LT(wide.size(), narrow.size()) << seed;
        EXPECT_EQ(tui::stops_in(wide).ids, tui::stops_in(narrow).ids) << seed;
      }
  }
}

// The small strip in its first line was blue as what is held, also where the GPU was free.
TEST(GpuPage, ItsStripIsDrawnAsWhatEachSliceIs) {
  Story story;
  Gpu cut = gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 1), instance("3g.40gb", 4, 4, 2)});
  cut.product = ProductKey("H100-80GB-SXM5");
  cut.mig_mode = MigMode::enabled;
  story.tell(NodesListed{{node("n1", {cut, gpu(1, Strategy::whole, {whole(0)})})}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    story.tell(SourceReport{source, {}, {}, "", false});
  story.tell(Loaded{});
  const Cluster& cluster = story.cluster();
  const Node& there = *cluster.nodes.find(NodeName("n1"));
  for (const Gpu& one : there.gpus) {
    const std::string strip = query::strip(one, &catalogue(), false, insight::sight_of(cluster, there));
    const tui::UiState state = page_of(cluster, there, one);
    const tui::Document page = tui::gpu_document({story.model, catalogue(), at(0)}, state, 100);
    std::string told;
    std::vector<tui::Role> roles;
    for (std::size_t i = 2; i < page.front().spans.size(); ++i) {
      told += page.front().spans[i].text;
      roles.push_back(page.front().spans[i].style.role);
    }
    EXPECT_TRUE(told.starts_with(strip)) << told;
    EXPECT_EQ(std::count(roles.begin(), roles.end(), tui::Role::held), 0) << strip;
    EXPECT_GT(std::count(roles.begin(), roles.end(), tui::Role::free), 0) << strip;
  }
}

TEST(GpuPage, WhyItsNodeIsClosedStandsOnIt) {
  Story story;
  Node closed = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  closed.health = Health::drained;
  closed.reason = "Xid 79, ticket 4711";
  story.tell(NodesListed{{closed}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    story.tell(SourceReport{source, {}, {}, "", false});
  story.tell(Loaded{});
  Session session(story.model, {120, 40});
  session.press(":gpu n1 0<enter>");
  EXPECT_TRUE(session.shows("the node takes no new workloads")) << session.screen();
  EXPECT_TRUE(session.shows("Xid 79, ticket 4711")) << session.screen();
}

// One after the other they ask for the same thing and for another.
TEST(GpuPage, WhatWaitsForTheGpuIsToldAndNothingElse) {
  Story story;
  Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  one.model = "h100";
  story.tell(NodesListed{{one}});
  Workload two_things = waiting("17", "alice", "shard");
  two_things.requests.push_back({"gpu:h100", 1});
  Workload runs = waiting("18", "alice", "gpu:h100");
  runs.state = WorkloadState::running;
  story.tell(WorkloadsListed{{waiting("11", "alice", "gpu:h100"), waiting("12", "alice", "gpu:h100"),
                              waiting("13", "alice", "shard"), waiting("14", "alice", "shard"),
                              waiting("15", "alice", "gpu:3g.40gb"), waiting("16", "alice", "gpu:a100"),
                              two_things, runs}});
  const Cluster& cluster = story.cluster();
  const Node& there = *cluster.nodes.find(NodeName("n1"));
  const tui::UiState state = page_of(cluster, there, there.gpus.front());
  std::string told;
  for (const tui::DocLine& line : tui::gpu_document({story.model, catalogue(), at(0)}, state, 100))
    for (const Workload& work : cluster.workloads.all())
      if (line.id == query::row_id(query::WorkloadRow{&cluster, &work})) told += work.id.text + " ";
  EXPECT_EQ(told, "11 12 15 17 ");
}

// What waits for MPS, shards or time slices was not wanted of a GPU that is shared so.
TEST(GpuPage, SharesAreWantedOfAGpuThatIsShared) {
  const auto wanted = [](Strategy how, Scheduler scheduler) {
    const Slice slice =
        how == Strategy::mps ? shared(SliceKind::mps, 100, 1) : shared(SliceKind::shard, 4, 1);
    Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, how, {slice})});
    Story story;
    story.tell(ClusterSeen{scheduler, false, "", ""});
    story.tell(NodesListed{{one}});
    story.tell(WorkloadsListed{
        {waiting("1", "al", "mps"), waiting("2", "al", "shard"), waiting("3", "al", "nvidia.com/gpu.shared"),
         waiting("4", "al", "nvidia.com/mig-1g.10gb.shared"), waiting("5", "al", "gpu")}});
    const Node& there = *story.cluster().nodes.find(NodeName("n1"));
    const tui::UiContext ui{story.model, catalogue(), at(0)};
    EXPECT_EQ(tui::noted_gpu(there).index, GpuIndex{1});
    std::string ids;
    for (const Gpu& each : there.gpus) {
      for (const WorkloadId& id : tui::wanted_of(ui, tui::UiState(), {&story.cluster(), &there, &each}).first)
        ids += id.text;
      ids += ' ';
    }
    return ids;
  };
  EXPECT_EQ(wanted(Strategy::mps, Scheduler::slurm), "5 15 ");
  EXPECT_EQ(wanted(Strategy::shard, Scheduler::slurm), "5 25 ");
  EXPECT_EQ(wanted(Strategy::time_slicing, Scheduler::kubernetes), "45 345 ");
}

// "team-ml    4 × …" and "data-science  1 × …": what is asked for began in another column on each line.
TEST(GpuPage, WhatWaitsStandsInColumnsAndIsReadToItsEnd) {
  Story story;
  Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  one.model = "h100";
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{waiting("team-ml/llama-8b-canary-jqjw4", "data-science", "gpu:h100"),
                              waiting("12", "al", "gpu:h100")}});
  const Cluster& cluster = story.cluster();
  const Node& there = *cluster.nodes.find(NodeName("n1"));
  const tui::UiState state = page_of(cluster, there, there.gpus.front());
  std::vector<int> asks;
  std::string names;
  for (const tui::DocLine& line : tui::gpu_document({story.model, catalogue(), at(0)}, state, 100))
    if (line.spans.size() == 3 && line.spans.back().text == "1 × gpu:h100") {
      asks.push_back(line.spans.back().at);
      names += line.spans[0].text + " " + line.spans[1].text + " ";
    }
  ASSERT_EQ(asks.size(), 2u);
  EXPECT_EQ(asks[0], asks[1]);
  EXPECT_NE(names.find("team-ml/llama-8b-canary-jqjw4 data-science "), std::string::npos) << names;
}

// Beside the list of GPUs all jobs and all events were looked through for each picture.
TEST(GpuPage, WhatLongListsTellOfAGpuIsLookedUpOnceForARevision) {
  Story story;
  Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  one.model = "h100";
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{waiting("11", "alice", "gpu:h100")}});
  const tui::UiContext ui{story.model, catalogue(), at(0)};
  const auto place = [&](int index) {
    const Node& there = *story.cluster().nodes.find(NodeName("n1"));
    return tui::GpuPlace{&story.cluster(), &there, &there.gpus[static_cast<std::size_t>(index)]};
  };
  tui::UiState state;
  tui::note_gpu(state, ui, place(0));
  const auto noted = state.gpu_notes;
  tui::note_gpu(state, ui, place(0));
  tui::note_gpu(state, ui, place(1));
  EXPECT_EQ(state.gpu_notes, noted) << "of an equal GPU of the same node nothing is looked up again";
  EXPECT_EQ(tui::wanted_of(ui, state, place(1)).first, std::vector{WorkloadId("11")});
  story.tell(WorkloadsListed{{waiting("11", "alice", "gpu:h100"), waiting("12", "alice", "gpu:h100")}});
  EXPECT_EQ(tui::wanted_of(ui, state, place(0)).count, 2U) << "what was noted is not of now";
  one.health = Health::drained;
  story.tell(NodeSeen{one});
  tui::note_gpu(state, ui, place(0));
  EXPECT_EQ(state.gpu_notes->wanted.size(), 1U);
  EXPECT_EQ(state.gpu_notes->wanted.begin()->second.count, 2U);
}

// Beside the list of what waits all jobs were sorted twice for each picture.
TEST(WorkPage, ThoseThatWaitForTheSameAreLookedUpOnceForARevision) {
  Session session(two_places(), {200, 60});
  for (int i = 0; i < 12; ++i)
    session.tell(on("hpc", WorkloadSeen{waiting(std::to_string(99001 + i), "zoe", "gpu:h100")}));
  session.press(":job 99001<enter>");
  ASSERT_TRUE(session.state.gpu_notes);
  const auto noted = session.state.gpu_notes;
  ASSERT_EQ(noted->waiting.size(), 1U);
  const Cluster& cluster = *session.model.find(ClusterName("hpc"));
  const tui::UiContext ui = session.world();
  for (const Workload& one : cluster.workloads.all()) {
    if (one.state != WorkloadState::pending) continue;
    const tui::WaitingAlike found = tui::waiting_with(ui, session.state, cluster, one);
    const tui::WaitingAlike again = tui::waiting_with(ui, tui::UiState(), cluster, one);
    EXPECT_EQ(found.first, again.first) << one.id.text;
    EXPECT_EQ(found.count, again.count) << one.id.text;
    EXPECT_EQ(std::count(found.first.begin(), found.first.end(), one.id), 0);
  }
  session.press("jk");
  EXPECT_EQ(session.state.gpu_notes, noted) << "for a key nothing is looked up again";
  session.tell(on("hpc", WorkloadSeen{waiting("99100", "zoe", "gpu:h100")}));
  EXPECT_EQ(session.state.gpu_notes->revision, session.model.revision);
  EXPECT_EQ(session.state.gpu_notes->waiting.begin()->second.count, noted->waiting.begin()->second.count + 1);
}

TEST(GpuPage, BesideTheListOfGpusTheNotesAreMadeBeforeThePicture) {
  Session session(two_places(), {200, 60});
  session.press("3");
  ASSERT_TRUE(session.state.gpu_notes);
  const auto noted = session.state.gpu_notes;
  session.press("jjkk");
  EXPECT_EQ(session.state.gpu_notes->wanted.begin()->second.count, noted->wanted.begin()->second.count);
  session.tell(on("hpc", WorkloadSeen{waiting("99001", "zoe", "gpu:h100")}));
  EXPECT_EQ(session.state.gpu_notes->revision, session.model.revision);
  Session narrow(two_places(), {120, 40});
  narrow.press("3");
  EXPECT_FALSE(narrow.state.gpu_notes) << "no page is drawn there";
}

}  // namespace
}  // namespace tessera::test
