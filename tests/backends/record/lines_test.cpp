// Lines of a recording, as this version reads them and as an earlier, a later or a hostile one has written
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/record/reader.hpp"
#include "backends/record/recording.hpp"
#include "engine/time.hpp"
#include "tests/support/build.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

// Lines of a file come after its head.
void take_head(record::Reader& reader) {
  std::vector<Event> events;
  const char* head =
      R"({"at":"2026-11-24T00:00:00Z","kind":"key","head":{"format":"tessera-recording","version":2,"cluster":"hpc"}})";
  ASSERT_TRUE(reader.take(head, events));
  ASSERT_TRUE(reader.take(R"({"at":"2026-11-24T00:00:00Z","kind":"whole"})", events));
}

TEST(RecordingReader, AnEarlierOneHasNoCostsAndAHostileOneHasNone) {
  record::Reader reader;
  take_head(reader);
  std::vector<Event> events;
  const auto cost_in = [&](const std::string& cost) {
    events.clear();
    const std::string line =
        R"({"at":"2026-11-24T00:00:00Z","kind":"sources","sources":[{"source":"scontrol show node","ok":"2026-11-24T00:00:00Z")" +
        cost + "}]}";
    EXPECT_TRUE(reader.take(line, events)) << line;
    EXPECT_EQ(events.size(), 1u);
    return std::get<SourceReport>(events.at(0).what).cost;
  };
  EXPECT_EQ(cost_in(""), std::nullopt);
  EXPECT_EQ(cost_in(R"(,"cost":{"calls":3,"bytes":9,"over_s":60,"later":1})"),
            (SourceCost{3, 9, std::chrono::minutes(1)}));
  for (const char* strange : {R"(,"cost":null)", R"(,"cost":[])", R"(,"cost":{"calls":-1,"over_s":60})",
                              R"(,"cost":{"bytes":-1,"over_s":60})", R"(,"cost":{"calls":1})",
                              R"(,"cost":{"over_s":-5})", R"(,"cost":{"calls":"x","over_s":0})"})
    EXPECT_EQ(cost_in(strange), std::nullopt) << strange;
}

TEST(RecordingLines, WhatCannotBeReadIsNotKnownAndNeverZero) {
  record::Reader reader;
  take_head(reader);
  std::vector<Event> events;
  ASSERT_TRUE(reader.take(
      R"({"at":"2026-11-24T03:00:00Z","kind":"node","node":{"name":"n1","cpus":null,"memory_mib":null,"reason_at":null,"booted":"soon","gpus":[null,{"gpu":0,"mig":"sideways","memory_mib":"80 GB"}]}})",
      events));
  ASSERT_TRUE(reader.take(
      R"({"at":"2026-11-24T03:00:00Z","kind":"workload","workload":{"id":"1","started":null,"ends":"never","limit_s":null,"restartable":7,"priority":"high"}})",
      events));
  const auto last = events.end();
  const Node node = std::get<NodeSeen>((last - 2)->what).node;
  EXPECT_EQ(node.cpus, std::nullopt);
  EXPECT_EQ(node.memory, std::nullopt);
  EXPECT_EQ(node.reason_at, std::nullopt);
  EXPECT_EQ(node.booted, std::nullopt);
  ASSERT_EQ(node.gpus.size(), 1u) << "null is no GPU";
  EXPECT_EQ(node.gpus[0].mig_mode, std::nullopt);
  EXPECT_EQ(node.gpus[0].memory, std::nullopt);
  const Workload job = std::get<WorkloadSeen>((last - 1)->what).workload;
  EXPECT_EQ(job.started, std::nullopt);
  EXPECT_EQ(job.ends, std::nullopt);
  EXPECT_EQ(job.limit, std::nullopt);
  EXPECT_EQ(job.restartable, std::nullopt);
  EXPECT_EQ(job.priority, std::nullopt);
}

TEST(RecordingLines, FiguresAreADayApartAtMostAndNeverLessThanNone) {
  record::Reader reader;
  take_head(reader);
  const auto apart = [&](const std::string& told) {
    std::vector<Event> events;
    EXPECT_TRUE(reader.take(R"({"at":"2026-11-24T00:00:00Z","kind":"pace","apart_s":)" + told + "}", events));
    EXPECT_EQ(events.size(), 1u);
    return std::get<PaceReport>(events.at(0).what).figures;
  };
  EXPECT_EQ(apart("1320"), std::chrono::minutes(22));
  EXPECT_EQ(apart("9000000000"), std::chrono::hours(24));
  for (const char* strange : {"-5", "null", "\"soon\""}) EXPECT_EQ(apart(strange), Duration(0)) << strange;
}

TEST(RecordingLines, WithoutAHeadBeforeThemAreNoRecording) {
  record::Reader reader;
  std::vector<Event> events;
  const Status read = reader.take(R"({"at":"2026-11-24T03:00:00Z","kind":"x"})", events);
  ASSERT_FALSE(read);
  EXPECT_NE(to_line(read.error()).find("no head"), std::string::npos) << to_line(read.error());
  EXPECT_TRUE(events.empty());
}

TEST(RecordingLines, ANodeHasNoMoreGpusThanAnyMachine) {
  std::string line = R"({"at":"2026-11-24T03:00:00Z","kind":"node","node":{"name":"n1","gpus":[{"gpu":0})";
  for (int i = 1; i < 16'000; ++i) line += fmt::format(R"(,{{"gpu":{}}})", i);
  record::Reader reader;
  take_head(reader);
  std::vector<Event> events;
  ASSERT_TRUE(reader.take(line + "]}}", events));
  EXPECT_EQ(std::get<NodeSeen>(events.back().what).node.gpus.size(), 256u);
}

TEST(RecordingLines, WhatALaterVersionAddsIsPassedOver) {
  record::Reader reader;
  std::vector<Event> events;
  const char* lines[] = {
      R"({"at":"2026-11-24T03:00:00Z","kind":"key","head":{"format":"tessera-recording","version":1,"cluster":"hpc","mood":"good"}})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"node","node":{"name":"n1","health":"ok","colour":{"a":[1,2]}}})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"weather","rain":true})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"whole"})"};
  for (const char* line : lines) ASSERT_TRUE(reader.take(line, events)) << line;
  Model model;
  for (Event& event : events) reduce(model, std::move(event));
  EXPECT_EQ(model.clusters.front().nodes.find(NodeName("n1"))->health, Health::ok);
}

TEST(RecordingLines, AVersionThatCannotBeReadIsRefusedWithWhatCan) {
  record::Reader reader;
  std::vector<Event> events;
  const Status read = reader.take(
      R"({"at":"2026-11-24T03:00:00Z","kind":"key","head":{"format":"tessera-recording","version":3,"tessera":"9.0"}})",
      events);
  ASSERT_FALSE(read);
  EXPECT_NE(to_line(read.error()).find("9.0"), std::string::npos);
}

// Written by tessera before figures were letters.
TEST(RecordingOfVersion1, IsReadAsItWas) {
  auto all = record::open_recordings(source_dir() + "/tests/fixtures/recording-1");
  ASSERT_TRUE(all) << to_line(all.error());
  record::Recording& recording = *all->front();
  EXPECT_EQ(recording.cluster().text, "hpc");
  const auto covered = recording.covered();
  ASSERT_TRUE(covered);
  EXPECT_EQ(utc_text(covered->from), "2026-11-25T03:31:52Z");
  const auto first = recording.at(covered->from), last = recording.at(covered->to);
  ASSERT_TRUE(first && last);
  const auto gpu_of = [](const Model& model, const char* name) -> const Gpu& {
    return model.clusters.front().nodes.find(NodeName(name))->gpus.front();
  };
  const Gpu& whole = gpu_of(*first, "h100-01");
  EXPECT_EQ(whole.telemetry.use, Percent{98});
  EXPECT_EQ(whole.telemetry.memory_used, Mib{68'065});
  EXPECT_EQ(whole.telemetry.temperature, Celsius{66});
  EXPECT_EQ(whole.telemetry.power, Watts{660});
  EXPECT_EQ(gpu_of(*last, "h100-03").slices.front().use, Percent{74});
  EXPECT_EQ(gpu_of(*last, "mps-01").telemetry.power, Watts{372});
}

TEST(RecordingLines, LettersAreLaidOverTheGpusAndTheirSlices) {
  record::Reader reader;
  std::vector<Event> events;
  const char* lines[] = {
      R"({"at":"2026-11-24T03:00:00Z","kind":"key","head":{"format":"tessera-recording","version":2,"cluster":"hpc"}})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"node","node":{"name":"n1","gpus":[{"gpu":0,"slices":[{"instance":7},{"instance":8}]},{"gpu":1}]}})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"whole"})",
      R"({"at":"2026-11-24T03:00:00Z","kind":"figures","source":"DCGM exporter","use":"-0l1","memory":{"n1":{"0.1":77,"1":8}}})",
      R"({"at":"2026-11-24T03:01:00Z","kind":"figures","source":"DCGM exporter","use":". 5.zzzzzzzzz","power":".4","memory":{"n1":{"0.1":null,"7.7":1,"x":1}}})"};
  for (const char* line : lines) ASSERT_TRUE(reader.take(line, events)) << line;
  Model model;
  for (Event& event : events) reduce(model, std::move(event));
  const std::vector<Gpu>& gpus = model.clusters.front().nodes.find(NodeName("n1"))->gpus;
  EXPECT_FALSE(gpus[0].telemetry.use) << "n/a";
  EXPECT_EQ(gpus[0].slices[0].use, Percent{20}) << "the slices follow the GPUs";
  EXPECT_EQ(gpus[0].slices[1].use, Percent{1}) << "did not move";
  EXPECT_FALSE(gpus[0].slices[1].memory_used);
  EXPECT_FALSE(gpus[1].telemetry.use) << "what is no level is no figure";
  EXPECT_EQ(gpus[1].telemetry.memory_used, Mib{8});
  EXPECT_EQ(gpus[1].telemetry.power, Watts{100});
}

TEST(RecordingLines, TextIsMadeSafe) {
  record::Reader reader;
  take_head(reader);
  std::vector<Event> events;
  ASSERT_TRUE(reader.take(
      "{\"at\":\"2026-11-24T03:00:00Z\",\"kind\":\"node\",\"node\":{\"name\":\"n\\u001b[2J\"}}", events));
  const auto& seen = std::get<NodeSeen>(events.back().what);
  EXPECT_EQ(seen.node.name.text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
