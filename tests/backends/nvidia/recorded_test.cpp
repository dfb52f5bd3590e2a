// What a real driver (580.159.04) printed on an H100 and an H200 with MIG off: read by the parsers, held
// against the catalogue, and against what the stand-in for nvidia-smi prints in its place.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "backends/nvidia/node_figures.hpp"
#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/sim/smi/smi.hpp"
#include "engine/model/processes.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/driver_tables.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/words.hpp"

namespace tessera::nvidia {
namespace {

std::string recorded(const std::string& name) {
  std::string file = test::source_dir() + "/tests/fixtures/nvidia-580/" + name;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Asked {
  std::string command;  // without the program's name
  int exit_code = 0;
  std::string out;
};

// "$ nvidia-smi …", "[rc=N]", then what was printed, up to the next.
std::vector<Asked> asked(const std::string& machine) {
  const std::string text = recorded(machine + ".txt"), kStart = "$ nvidia-smi ";
  std::vector<Asked> all;
  for (std::size_t at = text.find(kStart); at != std::string::npos;) {
    std::size_t line = text.find('\n', at), code = text.find('\n', line + 1);
    std::size_t next = text.find(kStart, code);
    Asked one{text.substr(at + kStart.size(), line - at - kStart.size()), 0, ""};
    one.exit_code = std::stoi(text.substr(line + 5, code - line - 6));
    one.out = text.substr(code + 1, next == std::string::npos ? next : next - code - 1);
    all.push_back(std::move(one));
    at = next;
  }
  EXPECT_GT(all.size(), 10u);
  return all;
}

std::string told(const std::string& machine, std::string_view command) {
  for (Asked& one : asked(machine))
    if (one.command == command) return std::move(one.out);
  ADD_FAILURE() << command;
  return "";
}

Result<NodeGpus> look(const std::string& machine, const std::string& query) {
  return node_gpus(
      {told(machine, "-L"), recorded(query), told(machine, "mig -lgi"), told(machine, "mig -lci")},
      &test::catalogue(), TimePoint{});
}

TEST(NvidiaRecorded, AWholeBoardIsRead) {
  auto node = look("h100", "h100-query.xml");
  ASSERT_TRUE(node) << to_line(node.error());
  ASSERT_EQ(node->gpus.size(), 1u);
  const Gpu& gpu = node->gpus[0];
  EXPECT_EQ(gpu.model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.product, ProductKey("H100-80GB-SXM5"));
  EXPECT_EQ(gpu.mig_mode, MigMode::disabled);
  EXPECT_EQ(gpu.memory, Mib{81559});
  ASSERT_EQ(gpu.slices.size(), 1u);
  EXPECT_EQ(gpu.slices[0].kind, SliceKind::whole_gpu);
  EXPECT_FALSE(gpu.slices[0].told_held.value_or(false));
}

TEST(NvidiaRecorded, AProgramOnTheBoardHoldsIt) {
  auto node = look("h200", "h200-busy.xml");
  ASSERT_TRUE(node) << to_line(node.error());
  ASSERT_EQ(node->gpus.size(), 1u);
  EXPECT_EQ(node->gpus[0].product, ProductKey("H200-141GB"));
  EXPECT_EQ(node->gpus[0].slices[0].told_held, true);
}

TEST(NvidiaRecorded, ClientsOfMpsAreToldBehindTheirServer) {
  auto node = look("h100", "h100-mps.xml");
  ASSERT_TRUE(node) << to_line(node.error());
  const Measured told = take_measured(NodeName("n1"), *node, TimePoint{Duration{7}});
  EXPECT_EQ(told.source, Source::nvidia_smi);
  ASSERT_EQ(told.gpus.size(), 1u);
  ASSERT_TRUE(told.gpus[0].processes);
  const auto all = served(*told.gpus[0].processes);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].process->name, "nvidia-cuda-mps-server");
  EXPECT_EQ(all[0].process->memory, Mib{66});
  for (std::size_t i : {1u, 2u}) {
    EXPECT_EQ(all[i].process->name, "python3");
    EXPECT_EQ(all[i].process->instance_id, std::nullopt) << "N/A with MIG off";
    ASSERT_TRUE(all[i].server);
    EXPECT_EQ(all[i].server->pid, 620);
  }
  EXPECT_EQ(all[1].process->pid, 585);
  EXPECT_EQ(all[2].process->memory, Mib{1000});
}

// What stands in that file behind the command, up to the next one.
std::string answer_in(const std::string& file, const std::string& command) {
  std::ifstream recorded(test::source_dir() + "/tests/fixtures/nvidia-580/" + file);
  const std::string all{std::istreambuf_iterator<char>(recorded), {}};
  const std::size_t begin = all.find("[rc=0]\n", all.find("$ " + command + "\n")) + 7;
  return all.substr(begin, all.find("\n$ ", begin) + 1 - begin);
}

TEST(NvidiaRecorded, OfMpsTheServerHasTheUseAndItsClientsHaveNoneOfTheirOwn) {
  auto use = parse_process_use(answer_in("h100-mps.txt", "nvidia-smi pmon -c 1"));
  ASSERT_TRUE(use) << to_line(use.error());
  EXPECT_EQ(*use, (ProcessUse{{{0, 620}, Percent{99}}}));
  auto node = look("h100", "h100-mps.xml");
  ASSERT_TRUE(node);
  Measured told = take_measured(NodeName("n1"), *node, TimePoint{});
  EXPECT_TRUE(shares_a_gpu(told));
  put_use(told, *use);
  for (const GpuProcess& one : *told.gpus[0].processes)
    EXPECT_EQ(one.use, one.pid == 620 ? std::optional(Percent{99}) : std::nullopt) << one.pid;
}

// Which of two servers has which client the driver does not tell.
TEST(NvidiaRecorded, OfTwoServersOnOneGpuNoClientIsGivenToEither) {
  auto node = look("h200", "h200-mps-two.xml");
  auto use = parse_process_use(answer_in("h200-mps-two.txt", "nvidia-smi pmon -c 1"));
  ASSERT_TRUE(node && use);
  Measured told = take_measured(NodeName("n1"), *node, TimePoint{});
  put_use(told, *use);
  const auto all = served(*told.gpus[0].processes);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].process->use, Percent{30});
  EXPECT_EQ(all[1].process->use, Percent{46});
  for (std::size_t i : {2u, 3u}) {
    EXPECT_TRUE(all[i].client);
    EXPECT_EQ(all[i].server, nullptr);
    EXPECT_EQ(all[i].process->use, std::nullopt) << "a client has no sample, whatever it uses";
  }
}

struct Shared {
  Measured told;
  ProcessUse use;
};
// Four processes on one GPU, of which one computes.
Shared shared() {
  auto node = look("h200", "h200-shared.xml");
  auto use = parse_process_use(answer_in("h200-shared.txt", "nvidia-smi pmon -c 2"));
  if (!node || !use) return {};
  return {take_measured(NodeName("n1"), *node, TimePoint{}), *use};
}

TEST(NvidiaRecorded, WhoHasNoSampleBesideOneThatMakesUpTheUseUsedNothing) {
  auto [told, use] = shared();
  ASSERT_EQ(told.gpus.size(), 1u);
  ASSERT_EQ(told.gpus[0].figures.use, Percent{99});
  EXPECT_EQ(use, (ProcessUse{{{0, 688}, {}}, {{0, 780}, {}}, {{0, 781}, Percent{97}}, {{0, 782}, {}}}));
  put_use(told, use);
  ASSERT_EQ(told.gpus[0].processes->size(), 4u);
  for (const GpuProcess& one : *told.gpus[0].processes)
    EXPECT_EQ(one.use, Percent{one.pid == 781 ? 97.0f : 0.0f}) << one.pid;
}

// It may be that one's, or that of a process that is not listed.
TEST(NvidiaRecorded, WhereSamplesLeaveUseOverNoneIsMadeUp) {
  auto [told, use] = shared();
  ASSERT_EQ(told.gpus.size(), 1u);
  use[{0, 781}] = Percent{80};
  put_use(told, use);
  for (const GpuProcess& one : *told.gpus[0].processes)
    EXPECT_EQ(one.use, one.pid == 781 ? std::optional(Percent{80}) : std::nullopt) << one.pid;
  auto [none, without] = shared();
  none.gpus[0].figures.use = Percent{5};
  without[{0, 781}] = std::nullopt;
  put_use(none, without);
  for (const GpuProcess& one : *none.gpus[0].processes)
    EXPECT_EQ(one.use, std::nullopt) << "without any sample it is not told who used it";
}

// Of a GPU at 9 % a process that is sampled with 0 % leaves all of it to one without a sample: it is no idle
// one.
TEST(NvidiaRecorded, OfALowUseTheSamplesHaveToMakeUpMost) {
  const auto other = [](float gpu, float sample) {
    auto [told, use] = shared();
    told.gpus[0].figures.use = Percent{gpu};
    use[{0, 781}] = Percent{sample};
    put_use(told, use);
    return told.gpus[0].processes->front().use;
  };
  EXPECT_EQ(other(9, 0), std::nullopt);
  EXPECT_EQ(other(9, 4), std::nullopt);
  EXPECT_EQ(other(9, 5), Percent{0});
  EXPECT_EQ(other(0, 0), Percent{0}) << "nothing was used at all";
}

// In a container nvidia-smi lists nothing, and ends with 0.
TEST(NvidiaRecorded, AnEmptyListBesideMemoryInUseIsNoWordThatNoneHasItOpen) {
  auto node = look("h200", "h200-hidden.xml");
  ASSERT_TRUE(node) << to_line(node.error());
  const Measured hidden = take_measured(NodeName("n1"), *node, TimePoint{});
  EXPECT_FALSE(hidden.gpus[0].processes);
  EXPECT_EQ(hidden.gpus[0].figures.memory_used, Mib{26122});
  auto idle = look("h200", "h200-query.xml");
  ASSERT_TRUE(idle);
  const Measured none = take_measured(NodeName("n1"), *idle, TimePoint{});
  ASSERT_TRUE(none.gpus[0].processes) << "nothing is in use: none is an answer";
  EXPECT_TRUE(none.gpus[0].processes->empty());
}

TEST(NvidiaRecorded, ProcessesBesideEachOtherAreNoClients) {
  auto node = look("h100", "h100-two-processes.xml");
  ASSERT_TRUE(node) << to_line(node.error());
  const Measured told = take_measured(NodeName("n1"), *node, TimePoint{});
  ASSERT_EQ(told.gpus[0].processes->size(), 2u);
  for (const Served& one : served(*told.gpus[0].processes)) EXPECT_FALSE(one.client) << one.process->pid;
}

// Figures have a time of their own: what a list of nodes carries again would be taken for a new reading.
TEST(NvidiaRecorded, WhatIsMeasuredIsTakenOffTheBoards) {
  auto node = look("h200", "h200-busy.xml");
  ASSERT_TRUE(node);
  ASSERT_TRUE(node->gpus[0].telemetry.use);
  const Measured told = take_measured(NodeName("n1"), *node, TimePoint{Duration{7}});
  EXPECT_EQ(node->gpus[0].telemetry, Telemetry{});
  EXPECT_FALSE(node->gpus[0].slices[0].memory_used);
  EXPECT_TRUE(told.gpus[0].figures.use);
  EXPECT_TRUE(told.gpus[0].slices[0].memory_used);
  EXPECT_EQ(told.gpus[0].uuid, node->gpus[0].uuid);
  EXPECT_EQ(node->gpus[0].slices[0].told_held, true) << "that it is in use stays";
}

// The catalogue's rows of these two GPUs are what the driver says of them.
TEST(NvidiaRecorded, TheCatalogueSaysWhatTheDriverSays) {
  for (auto [machine, key] : {std::pair{"h100", "H100-80GB-SXM5"}, std::pair{"h200", "H200-141GB"}}) {
    SCOPED_TRACE(key);
    const mig::Product* product = test::catalogue().by_key(key);
    ASSERT_TRUE(product);
    const auto rows = test::profile_rows(told(machine, "mig -lgip"));
    const auto places = test::placement_rows(told(machine, "mig -lgipp"));
    ASSERT_EQ(rows.size(), product->profiles.size());
    ASSERT_EQ(places.size(), product->profiles.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const mig::Profile& profile = product->profiles[i];
      const test::ProfileRow& row = rows[i];
      EXPECT_EQ(row.profile, profile.name.text);
      EXPECT_EQ(row.id, profile.id);
      EXPECT_EQ(row.total, profile.max);
      EXPECT_NEAR(row.gib, profile.display_gib.value_or(0), 0.005);
      EXPECT_EQ(row.sm, profile.sm);
      EXPECT_EQ(row.decoder, profile.engines.decoder);
      EXPECT_EQ(row.encoder, profile.engines.encoder);
      EXPECT_EQ(row.copy, profile.engines.copy);
      EXPECT_EQ(row.jpeg, profile.engines.jpeg);
      EXPECT_EQ(row.ofa, profile.engines.ofa);
      EXPECT_EQ(places[i].profile_id, profile.id);
      EXPECT_EQ(places[i].starts, profile.starts);
      EXPECT_EQ(places[i].size, profile.memory_slices);
    }
  }
}

// Since this driver, "nothing there" and "not cut" are no failures for the exit code: the words decide.
TEST(NvidiaRecorded, ARefusedVerbThatEndsWithZeroIsStillRefused) {
  for (const char* verb : {"mig -i 0 -gi 5 -dgi", "mig -i 0 -gi 5 -dci"}) {
    Change change = parse_change(told("h200", verb), "", 0);
    EXPECT_EQ(change.refusal, Change::Refusal::mig_off) << verb;
    EXPECT_TRUE(change.destroyed.empty());
  }
}

TEST(NvidiaRecorded, AGpuThatIsNotThereIsNoEmptyListOfInstances) {
  auto rows = parse_instances(told("h200", "mig -i 7 -lgi"));
  ASSERT_FALSE(rows);
  EXPECT_NE(to_line(rows.error()).find("No devices were found"), std::string::npos) << to_line(rows.error());
}

// A GPU that fell off the bus between two questions must not pass for one on which nothing stands.
TEST(NvidiaRecorded, AGpuThatIsGoneIsAFailureAndANodeWithoutAnyIsNot) {
  const std::string gone = "No devices were found\n", xml = recorded("h100-query.xml");
  EXPECT_FALSE(node_gpus({told("h100", "-L"), xml, gone, told("h100", "mig -lci")}, nullptr, TimePoint{}));
  EXPECT_FALSE(node_gpus({told("h100", "-L"), xml, told("h100", "mig -lgi"), gone}, nullptr, TimePoint{}));
  auto none = node_gpus({gone, gone, gone, gone}, nullptr, TimePoint{});
  ASSERT_TRUE(none) << to_line(none.error());
  EXPECT_TRUE(none->gpus.empty());
}

TEST(NvidiaRecorded, TheNumbersOfCapabilityDevicesAreOnesThatTheStandInGives) {
  const test::Minors minors = test::minors_of(recorded("mig-minors.txt"));
  ASSERT_EQ(minors.size(), 271u);
  for (const auto& [of, minor] : minors) {
    const auto& [gpu, instance, compute] = of;
    EXPECT_EQ(minor,
              compute ? sim::compute_minor(gpu, instance, *compute) : sim::instance_minor(gpu, instance));
  }
}

// What the stand-in does not play: it keeps no topology, no list of compute profiles.
bool played(const Asked& one) {
  return one.command != "topo -m" && one.command != "mig -lcip" &&
         !one.command.starts_with("--query-gpu=index,name");
}

TEST(NvidiaRecorded, TheStandInAnswersAsTheDriverDid) {
  for (const char* machine : {"h100", "h200"}) {
    auto boards = sim::make_machine(machine, 580, test::catalogue(), "");
    ASSERT_TRUE(boards) << to_line(boards.error());
    auto real = parse_query(recorded(std::string(machine) + "-query.xml"));
    ASSERT_TRUE(real) << to_line(real.error());
    boards->cards[0].uuid = real->gpus[0].uuid;
    boards->cards[0].pci = real->gpus[0].pci;
    for (const Asked& one : asked(machine)) {
      if (!played(one)) continue;
      sim::SmiAnswer said = sim::answer(*boards, test::words(one.command));
      EXPECT_EQ(said.out, one.out) << machine << ": " << one.command;
      EXPECT_EQ(said.exit_code, one.exit_code) << machine << ": " << one.command;
      EXPECT_EQ(said.err, "");
    }
  }
}

// Names of elements with what they stand in: "gpu/mig_mode/current_mig".
std::vector<std::string> paths_of(std::string_view xml) {
  std::vector<std::string> all, open;
  for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    std::string_view tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    if (tag.starts_with('/')) {
      open.pop_back();
      continue;
    }
    open.emplace_back(tag.substr(0, tag.find(' ')));
    std::string path;
    for (const std::string& name : open) path += "/" + name;
    all.push_back(path);
  }
  return all;
}

// It tells less than a driver does, but nothing that a driver tells elsewhere, or in another order.
TEST(NvidiaRecorded, TheStandInsXmlIsAPartOfTheDrivers) {
  auto boards = sim::make_machine("h200", 580, test::catalogue(), "");
  ASSERT_TRUE(boards);
  boards->cards[0].board.hidden = true;
  std::vector<std::string> real = paths_of(recorded("h200-busy.xml"));
  std::vector<std::string> ours = paths_of(sim::answer(*boards, {"-q", "-x"}).out);
  auto at = real.begin();
  for (const std::string& path : ours) {
    at = std::find(at, real.end(), path);
    ASSERT_NE(at, real.end()) << path << " is not there, or stands before";
    ++at;
  }
}

}  // namespace
}  // namespace tessera::nvidia
