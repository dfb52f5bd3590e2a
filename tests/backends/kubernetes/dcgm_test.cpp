// What a DCGM exporter tells, from its text to the slices of a node and those who hold them.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/figures/metrics_text.hpp"
#include "backends/kubernetes/objects/dcgm_values.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
using namespace figures;

namespace dcgm_test {

std::vector<MetricLine> metrics_of(const std::string& text, MetricsRead* read = nullptr) {
  std::vector<MetricLine> lines;
  MetricsRead told = read_metrics(
      text, [](std::string_view name) { return name != "unwanted"; },
      [&](const MetricLine& line) { lines.push_back(line); });
  if (read) *read = told;
  return lines;
}

TEST(PrometheusText, LabelsAndValuesAreTakenAsWritten) {
  static const std::string text =
      "# HELP a says \"things\"\n# TYPE a gauge\n"
      "a{x=\"1\",y=\"say \\\"hi\\\" \\\\ there\"} 0.5\r\n"
      "a 7 1395066363000\n"
      "  a{ x = \"2\" , } +Inf\n"
      "a{x=\"3\"} NaN\n"
      "unwanted{broken\n"
      "a{x=\"4\"} -1e3";
  MetricsRead read;
  std::vector<MetricLine> lines = metrics_of(text, &read);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(read.skipped, 0u);
  EXPECT_EQ(lines[0].label("y"), "say \"hi\" \\ there");
  EXPECT_EQ(lines[0].value, 0.5);
  EXPECT_EQ(lines[1].value, 7);
  EXPECT_TRUE(std::isinf(lines[2].value));
  EXPECT_EQ(lines[2].label("x"), "2");
  EXPECT_TRUE(std::isnan(lines[3].value));
  EXPECT_EQ(lines[4].value, -1000);
  EXPECT_EQ(lines[4].label("nowhere"), "");
}

TEST(PrometheusText, WhatMakesNoSenseIsPassedByAndSaid) {
  MetricsRead read;
  std::string text =
      "a{x=\"1\"} 1\na{x=\"never ends} 2\na{x=1} 3\na{=\"\"} 4\na{x=\"1\" 5\na six\na\na{x=\"" +
      std::string(20000, 'y') + "\"} 7\na 8\n";
  std::string many = "a{";
  for (int i = 0; i < 80; ++i) many += "l" + std::to_string(i) + "=\"\",";
  std::vector<MetricLine> lines = metrics_of(text + many + "} 9\n", &read);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].value, 8);
  EXPECT_EQ(read.skipped, 8u);
  EXPECT_EQ(read.problem, "line 2: the labels do not end");
}

TEST(PrometheusText, ControlCharactersDoNotReachAScreen) {
  static const std::string text = "a{pod=\"\x1b[31mred\\n\x07\"} 1\n";
  std::vector<MetricLine> lines = metrics_of(text);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].label("pod").find('\x1b'), std::string_view::npos);
  EXPECT_EQ(lines[0].label("pod").find('\n'), std::string_view::npos);
}

// A line as dcgm-exporter writes it.
std::string dcgm(const std::string& counter, int gpu, const std::string& more, const std::string& value) {
  return counter + "{gpu=\"" + std::to_string(gpu) + "\",UUID=\"GPU-" + std::to_string(gpu) +
         "\",device=\"nvidia0\",modelName=\"NVIDIA H100 80GB HBM3\"" + more + "} " + value + "\n";
}
std::string gi(const std::string& profile, int id) {
  return ",GPU_I_PROFILE=\"" + profile + "\",GPU_I_ID=\"" + std::to_string(id) + "\"";
}
std::string held(const std::string& ns, const std::string& pod) {
  return ",container=\"main\",namespace=\"" + ns + "\",pod=\"" + pod + "\"";
}
constexpr const char* kActive = "DCGM_FI_PROF_GR_ENGINE_ACTIVE";
constexpr const char* kUsed = "DCGM_FI_DEV_FB_USED";

TEST(Dcgm, BoardsAndInstancesAreToldApart) {
  std::string text = dcgm("DCGM_FI_DEV_GPU_UTIL", 0, "", "40") + dcgm(kActive, 0, held("a", "p"), "0.25") +
                     dcgm("DCGM_FI_DEV_GPU_TEMP", 0, "", "55") +
                     dcgm("DCGM_FI_DEV_POWER_USAGE", 0, "", "312.5") +
                     dcgm("DCGM_FI_DEV_VGPU_LICENSE_STATUS", 0, "", "1") +
                     dcgm(kUsed, 1, gi("1g.10gb.me", 9) + held("b", "q"), "4384") +
                     dcgm(kActive, 1, gi("1g.10gb.me", 9) + held("b", "q"), "0.995687");
  auto read = read_dcgm(text);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->parts.size(), 2u);
  const DcgmPart &board = read->parts[0], &instance = read->parts[1];
  EXPECT_FALSE(board.instance);
  EXPECT_EQ(board.uuid, "GPU-0");
  EXPECT_EQ(board.use, Percent{25}) << "the engines' share of time counts more than utilization";
  EXPECT_EQ(board.temperature, Celsius{55});
  EXPECT_EQ(board.power, Watts{312.5});
  EXPECT_EQ(board.licensed, true);
  EXPECT_FALSE(board.memory_used);
  EXPECT_EQ(instance.instance, 9);
  EXPECT_EQ(instance.profile.text, "1g.10gb+me");
  EXPECT_EQ(instance.pod, "b/q");
  EXPECT_EQ(instance.memory_used, Mib{4384});
}

// Lines of a real exporter of an A100 that is cut, as NVIDIA published them: DCGM exporter, "Multi-Instance
// GPU (MIG) Support", of version 2.4, which named no product yet.
TEST(Dcgm, WhatNvidiaPublishedOfARealExporterIsRead) {
  const std::string board = R"({gpu="0",UUID="GPU-34319582-d595-d1c7-d1d2-179bcfa61660",device="nvidia0",)"
                            R"(Hostname="ub20-a100-k8s"} )";
  const std::string instance = R"({gpu="0",UUID="GPU-34319582-d595-d1c7-d1d2-179bcfa61660",device="nvidia0",)"
                               R"(GPU_I_PROFILE="1g.5gb",GPU_I_ID="13",Hostname="ub20-a100-k8s"} )";
  const auto read = read_dcgm(
      "DCGM_FI_DEV_GPU_TEMP" + board + "61\nDCGM_FI_DEV_POWER_USAGE" + board +
      "409.692000\nDCGM_FI_DEV_XID_ERRORS" + board + "0\nDCGM_FI_DEV_FB_FREE" + board +
      "35690\nDCGM_FI_DEV_FB_USED" + board + "4845\nDCGM_FI_DEV_VGPU_LICENSE_STATUS" + board +
      "0\nDCGM_FI_PROF_GR_ENGINE_ACTIVE" + board + "0.995630\nDCGM_FI_PROF_PIPE_TENSOR_ACTIVE" + board +
      "0.929260\nDCGM_FI_PROF_DRAM_ACTIVE" + board + "0.690789\nDCGM_FI_DEV_XID_ERRORS" + instance +
      "0\nDCGM_FI_PROF_GR_ENGINE_ACTIVE" + instance + "0.995687\nDCGM_FI_PROF_PIPE_TENSOR_ACTIVE" + instance +
      "0.930433\nDCGM_FI_PROF_DRAM_ACTIVE" + instance + "0.800339\n");
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(read->skipped, 0U) << read->problem;
  ASSERT_EQ(read->parts.size(), 2U);
  const DcgmPart &whole = read->parts[0], &cut = read->parts[1];
  EXPECT_EQ(whole.uuid, "GPU-34319582-d595-d1c7-d1d2-179bcfa61660");
  EXPECT_EQ(whole.model, "");
  EXPECT_EQ(whole.temperature, Celsius{61});
  EXPECT_EQ(whole.memory_used, Mib{4845});
  ASSERT_TRUE(whole.power && whole.tensor && cut.use && cut.tensor && cut.memory_busy);
  EXPECT_NEAR(whole.power->value, 409.692, 0.001);
  EXPECT_NEAR(whole.tensor->value, 92.926, 0.001);
  EXPECT_EQ(whole.xid, 0);
  EXPECT_EQ(cut.instance, 13);
  EXPECT_EQ(cut.profile.text, "1g.5gb");
  EXPECT_NEAR(cut.use->value, 99.5687, 0.001);
  EXPECT_NEAR(cut.tensor->value, 93.0433, 0.001);
  EXPECT_NEAR(cut.memory_busy->value, 80.0339, 0.001);
  EXPECT_TRUE(cut.pod.empty() && cut.pods.empty()) << "it ran outside of Kubernetes";
}

// A line of newer ones, that name the product and, with a driver's version among the labels, no pod by empty
// labels.
TEST(Dcgm, OfARealLineWhoseLabelsOfThePodAreEmptyNoOneHasTheInstance) {
  const auto read = read_dcgm(
      R"(DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-7099682b-a20d-2bcc-74ab-b9060454d81e",device="nvidia1",)"
      R"(modelName="NVIDIA A100-SXM4-40GB",GPU_I_PROFILE="3g.20gb",GPU_I_ID="9",Hostname="node-b",)"
      R"(DCGM_FI_DRIVER_VERSION="520.56.06",container="",namespace="",pod=""} 4384)"
      "\n");
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_FALSE(read->parts.empty());
  const DcgmPart& part = read->parts.back();
  EXPECT_EQ(part.instance, 9);
  EXPECT_EQ(part.profile.text, "3g.20gb");
  EXPECT_EQ(part.memory_used, Mib{4384});
  EXPECT_TRUE(part.pods.empty() && part.pod.empty());
}

TEST(Dcgm, UtilizationServesWhereTheEnginesAreNotTold) {
  auto read =
      read_dcgm(dcgm("DCGM_FI_DEV_GPU_UTIL", 0, "", "40") + dcgm(kActive, 0, "", "9223372036854775794"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts[0].use, Percent{40});
}

TEST(Dcgm, BlankValuesAreUnknown) {
  for (const char* blank : {"9223372036854775794", "2147483632", "140737488355328", "NaN", "-1", "+Inf"}) {
    auto read =
        read_dcgm(dcgm(kActive, 0, "", blank) + dcgm(kUsed, 0, "", blank) +
                  dcgm("DCGM_FI_DEV_GPU_UTIL", 0, "", blank) + dcgm("DCGM_FI_DEV_POWER_USAGE", 0, "", blank));
    ASSERT_TRUE(read) << blank;
    EXPECT_FALSE(read->parts[0].use) << blank;
    EXPECT_FALSE(read->parts[0].memory_used) << blank;
    EXPECT_FALSE(read->parts[0].power) << blank;
  }
}

constexpr const char* kTensor = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE";
constexpr const char* kDram = "DCGM_FI_PROF_DRAM_ACTIVE";

TEST(Dcgm, PipesAreSharesOfTimeAndWhatIsNoShareIsUnknown) {
  const std::string text = dcgm(kTensor, 0, "", "0.25") + dcgm(kDram, 0, "", "1") +
                           dcgm(kTensor, 1, "", "9223372036854775794") + dcgm(kDram, 1, "", "-0.1") +
                           dcgm(kTensor, 2, "", "NaN") + dcgm(kDram, 2, "", "1.5") +
                           dcgm(kActive, 3, "", "0.5") + dcgm(kTensor, 4, "", "0");
  auto readings = read_dcgm(text);
  ASSERT_TRUE(readings);
  ASSERT_EQ(readings->parts.size(), 5u);
  EXPECT_EQ(readings->parts[0].tensor, Percent{25});
  EXPECT_EQ(readings->parts[0].memory_busy, Percent{100});
  for (std::size_t i : {1, 2, 3}) {
    EXPECT_EQ(readings->parts[i].tensor, std::nullopt) << i;
    EXPECT_EQ(readings->parts[i].memory_busy, std::nullopt) << i;
  }
  EXPECT_EQ(readings->parts[4].tensor, Percent{0}) << "0 is told";
  const tessera::Measured told = measured_of(NodeName("n"), *readings, &test::catalogue());
  EXPECT_EQ(told.gpus[0].figures.tensor, Percent{25});
  EXPECT_EQ(told.gpus[0].figures.memory_busy, Percent{100});
  EXPECT_EQ(told.gpus[3].figures.tensor, std::nullopt) << "never 0 where it is absent";
}

// A mean of a small busy instance and a large idle one would be 50 %.
TEST(Dcgm, ThePipesOfACutGpuAreTheSumOfItsInstancesEachTimesItsPart) {
  const std::string text =
      dcgm(kTensor, 0, gi("1g.10gb", 7), "0.7") + dcgm(kDram, 0, gi("1g.10gb", 7), "0.8") +
      dcgm(kTensor, 0, gi("3g.40gb", 1), "0.07") + dcgm(kDram, 0, gi("3g.40gb", 1), "0.2");
  auto readings = read_dcgm(text);
  ASSERT_TRUE(readings);
  const tessera::Measured told = measured_of(NodeName("n"), *readings, &test::catalogue());
  ASSERT_EQ(told.gpus.size(), 1u);
  ASSERT_TRUE(told.gpus[0].figures.tensor && told.gpus[0].figures.memory_busy);
  EXPECT_NEAR(told.gpus[0].figures.tensor->value, (70.0 * 1 + 7.0 * 3) / 7, 0.01)
      << "of seven compute slices";
  EXPECT_NEAR(told.gpus[0].figures.memory_busy->value, (80.0 * 1 + 20.0 * 4) / 8, 0.01)
      << "of eight memory slices";
  ASSERT_EQ(told.gpus[0].slices.size(), 2u);
  for (const SliceFigures& slice : told.gpus[0].slices)
    EXPECT_NEAR(slice.tensor->value, slice.profile.text == "1g.10gb" ? 70 : 7, 0.01);
  auto lacks = read_dcgm(text + dcgm(kActive, 0, gi("2g.20gb", 3), "0.5"));
  ASSERT_TRUE(lacks);
  const tessera::Measured part = measured_of(NodeName("n"), *lacks, &test::catalogue());
  EXPECT_EQ(part.gpus[0].figures.tensor, std::nullopt) << "what one instance does not tell is no zero";
  EXPECT_EQ(part.gpus[0].figures.memory_busy, std::nullopt);
  EXPECT_EQ(measured_of(NodeName("n"), *readings, nullptr).gpus[0].figures.tensor, std::nullopt)
      << "of a product that is not known the parts are not either";
}

TEST(Dcgm, ThePodIsKnownInEverySpelling) {
  auto pod = [](const std::string& labels) {
    auto read = read_dcgm(dcgm(kUsed, 0, labels, "1"));
    return read ? read->parts[0].pod : "?";
  };
  EXPECT_EQ(pod(held("team", "p")), "team/p");
  EXPECT_EQ(pod(",pod_name=\"p\",pod_namespace=\"team\",container_name=\"main\""), "team/p");
  EXPECT_EQ(pod(held("gpu-operator", "nvidia-dcgm-exporter-x") +
                ",exported_pod=\"p\",exported_namespace=\"team\",exported_container=\"main\""),
            "team/p");
  EXPECT_EQ(pod(held("gpu-operator", "nvidia-dcgm-exporter-x") +
                ",exported_pod=\"\",exported_namespace=\"\",exported_container=\"\""),
            "")
      << "the exporter itself holds nothing";
  EXPECT_EQ(pod(",container=\"\",namespace=\"\",pod=\"\""), "");
}

TEST(Dcgm, WhereSeveralPodsAreNamedNoneHoldsIt) {
  auto read = read_dcgm(dcgm(kUsed, 0, held("a", "p") + ",vgpu=\"0\"", "1") +
                        dcgm(kUsed, 0, held("a", "q") + ",vgpu=\"1\"", "1"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->parts[0].shared);
  EXPECT_EQ(read->parts[0].pod, "");
}

constexpr const char* kUtil = "DCGM_FI_DEV_GPU_UTIL";

// dcgm-exporter 4.6 with --kubernetes-virtual-gpus: utilization and memory of each pod's own processes, and
// the GPU's beside them. What the last pod used was taken for what the GPU uses.
TEST(Dcgm, WhatAPodUsesOfASharedGpuIsNotTakenForTheGpus) {
  const std::string pods = dcgm(kUsed, 0, held("a", "p") + ",vgpu=\"0\"", "20000") +
                           dcgm(kUsed, 0, held("a", "q") + ",vgpu=\"1\"", "300") +
                           dcgm(kUtil, 0, held("a", "p") + ",vgpu=\"0\"", "70") +
                           dcgm(kUtil, 0, held("a", "q") + ",vgpu=\"1\"", "0");
  const std::string gpus = dcgm(kUsed, 0, "", "21000") + dcgm(kUtil, 0, "", "71");
  for (const std::string& text : {gpus + pods, pods + gpus}) {
    auto read = read_dcgm(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->parts[0].memory_used, Mib{21'000});
    EXPECT_EQ(read->parts[0].use, Percent{71});
    EXPECT_TRUE(read->parts[0].shared);
    EXPECT_EQ(read->parts[0].pod, "");
  }
  auto alone = read_dcgm(pods);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->parts[0].memory_used, std::nullopt) << "no sum is made up, and no pod speaks for all";
  EXPECT_EQ(alone->parts[0].use, std::nullopt);
}

// What each of several pods uses by itself was dropped.
TEST(Dcgm, WhatEachOfSeveralPodsUsesIsKeptBesideTheGpus) {
  const auto share = [](const char* pod, int vgpu) {
    return held("a", pod) + ",vgpu=\"" + std::to_string(vgpu) + "\"";
  };
  // Two containers of q, each with what all of q uses.
  const std::string text = dcgm(kUsed, 0, "", "21000") + dcgm(kUtil, 0, "", "71") +
                           dcgm(kUsed, 0, share("p", 0), "20000") + dcgm(kUtil, 0, share("p", 0), "66") +
                           dcgm(kUsed, 0, share("q", 1), "300") + dcgm(kUsed, 0, share("q", 2), "300") +
                           dcgm(kUtil, 0, share("q", 1), "0") + dcgm(kUtil, 0, share("q", 2), "0");
  auto read = read_dcgm(text);
  ASSERT_TRUE(read);
  const std::vector<OwnUse> all{{WorkloadId("a/p"), {}, Percent{66}, Mib{20'000}},
                                {WorkloadId("a/q"), {}, Percent{0}, Mib{300}}};
  EXPECT_EQ(read->parts[0].own, all);
  const tessera::Measured told = measured_of(NodeName("n1"), *read, nullptr);
  ASSERT_EQ(told.gpus.size(), 1u);
  EXPECT_EQ(told.gpus[0].own, all);
}

// Where it finds no process of a pod the exporter tells 0, and 0 is not unknown.
TEST(Dcgm, AZeroOfAPodCountsOnlyWhereTheOthersMakeUpTheGpus) {
  const std::string pods = dcgm(kUsed, 0, held("a", "p"), "9000") + dcgm(kUtil, 0, held("a", "p"), "20") +
                           dcgm(kUsed, 0, held("a", "q"), "0") + dcgm(kUtil, 0, held("a", "q"), "0");
  auto some = read_dcgm(dcgm(kUsed, 0, "", "21000") + dcgm(kUtil, 0, "", "71") + pods);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->parts[0].own, (std::vector<OwnUse>{{WorkloadId("a/p"), {}, Percent{20}, Mib{9'000}}}))
      << "12,000 MiB and half of the use belong to neither";
  auto all = read_dcgm(dcgm(kUsed, 0, "", "9400") + dcgm(kUtil, 0, "", "23") + pods);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->parts[0].own.size(), 2u);
  // Of a low use all may be that of a pod whose processes were not found.
  auto low = read_dcgm(dcgm(kUtil, 0, "", "9") + dcgm(kUtil, 0, held("a", "p"), "0") +
                       dcgm(kUtil, 0, held("a", "q"), "0"));
  ASSERT_TRUE(low);
  EXPECT_TRUE(low->parts[0].own.empty());
}

// 900 MiB that no pod was told to use were taken for the driver's, and both pods for pods with 0.
TEST(Dcgm, OfLittleMemoryAZeroIsNotAPodsEither) {
  const auto own = [](const char* of_gpu, const char* of_p) {
    auto read = read_dcgm(dcgm(kUsed, 0, "", of_gpu) + dcgm(kUsed, 0, held("a", "p"), of_p) +
                          dcgm(kUsed, 0, held("a", "q"), "0"));
    return read ? read->parts[0].own.size() : 99;
  };
  EXPECT_EQ(own("900", "0"), 0u) << "either of them may have all of it";
  EXPECT_EQ(own("900", "300"), 1u) << "more is left than is told";
  EXPECT_EQ(own("900", "600"), 2u);
  EXPECT_EQ(own("4", "0"), 2u) << "no process has so little";
}

// Older exporters tell the GPU's figures under each pod's name: that is nobody's own use.
TEST(Dcgm, WithoutTheGpusOwnLineNothingIsAPodsOwn) {
  auto alike = read_dcgm(dcgm(kUsed, 0, held("a", "p"), "20000") + dcgm(kUsed, 0, held("a", "q"), "20000"));
  ASSERT_TRUE(alike);
  EXPECT_TRUE(alike->parts[0].own.empty());
  auto unlike = read_dcgm(dcgm(kUsed, 0, held("a", "p"), "20000") + dcgm(kUsed, 0, held("a", "q"), "300"));
  ASSERT_TRUE(unlike);
  EXPECT_TRUE(unlike->parts[0].own.empty());
}

// Under MIG the driver has no use of a process: the exporter makes 0 of it.
TEST(Dcgm, OfAnInstanceThatIsSharedMemoryAloneIsTold) {
  const std::string part = gi("3g.40gb", 2);
  auto read =
      read_dcgm(dcgm(kUsed, 0, part, "5000") + dcgm(kUtil, 0, part, "0") +
                dcgm(kUsed, 0, part + held("a", "p"), "4000") + dcgm(kUtil, 0, part + held("a", "p"), "0") +
                dcgm(kUsed, 0, part + held("a", "q"), "800") + dcgm(kUtil, 0, part + held("a", "q"), "0"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts[0].own, (std::vector<OwnUse>{{WorkloadId("a/p"), 2, {}, Mib{4'000}},
                                                     {WorkloadId("a/q"), 2, {}, Mib{800}}}));
}

// A scrape renames the pods' labels and puts those of its target, the exporter's own pod, on the GPU's line.
TEST(Dcgm, TheGpusLineOfAScrapeWithRenamedLabelsIsNoPods) {
  const std::string target = held("gpu-operator", "nvidia-dcgm-exporter-x");
  const auto pod = [&](const std::string& name) {
    return target + ",exported_namespace=\"a\",exported_pod=\"" + name + "\"";
  };
  auto read = read_dcgm(dcgm(kUsed, 0, target, "21000") + dcgm(kUsed, 0, pod("p"), "20000") +
                        dcgm(kUsed, 0, pod("q"), "300"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts[0].memory_used, Mib{21'000});
  EXPECT_EQ(read->parts[0].pods, (std::vector<std::string>{"a/p", "a/q"}));
  EXPECT_EQ(read->parts[0].own.size(), 2u);
}

// Before 4.6 each pod's line has the GPU's own figure.
TEST(Dcgm, TheSameFigureForEachPodIsThatOfTheGpu) {
  auto read = read_dcgm(dcgm(kUsed, 0, held("a", "p"), "20000") + dcgm(kUsed, 0, held("a", "q"), "20000") +
                        dcgm(kUtil, 0, held("a", "p"), "99") + dcgm(kUtil, 0, held("a", "q"), "99"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts[0].memory_used, Mib{20'000});
  EXPECT_EQ(read->parts[0].use, Percent{99});
}

TEST(Dcgm, ATextWithoutGpusIsAnErrorWithItsPlace) {
  EXPECT_FALSE(read_dcgm(""));
  EXPECT_FALSE(read_dcgm("<html>login</html>"));
  auto broken = read_dcgm("x 1\nDCGM_FI_DEV_FB_USED{gpu=\"0 12\n");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().reason, "line 2: the labels do not end");
  EXPECT_FALSE(read_dcgm(dcgm(kUsed, 99999, "", "1"))) << "no node has as many GPUs";
  EXPECT_FALSE(read_dcgm(dcgm(kUsed, 0, gi("nonsense", 1), "1")));
}

// A node as the API alone tells it: instances that only have been counted, and whole GPUs.
Node counted(std::vector<std::pair<std::string, int>> instances, int whole = 0) {
  Node node;
  node.name = NodeName("n1");
  node.model = "NVIDIA-H100-80GB-HBM3";
  for (const auto& [profile, count] : instances)
    for (int i = 0; i < count; ++i) {
      Slice slice;
      slice.kind = SliceKind::gpu_instance;
      slice.profile = ProfileName(profile);
      node.pool.push_back(slice);
    }
  for (int i = 0; i < whole; ++i) node.pool.emplace_back();
  return node;
}
DcgmReadings readings_of(const std::string& text) {
  auto read = read_dcgm(text);
  EXPECT_TRUE(read);
  if (!read) return {};
  read->at = TimePoint(Duration(5000));
  return *read;
}
const mig::Product& h100() { return *test::catalogue().by_key("H100-80GB-SXM5"); }

TEST(DcgmValues, APoolBecomesTheBoardsThatTheExporterTellsOf) {
  Node node = counted({{"1g.10gb", 2}, {"3g.40gb", 1}}, 1);
  auto named = lay_readings(
      node,
      readings_of(dcgm(kActive, 0, gi("3g.40gb", 2) + held("t", "p"), "0.5") +
                  dcgm(kUsed, 0, gi("3g.40gb", 2) + held("t", "p"), "1000") +
                  dcgm(kActive, 0, gi("1g.10gb", 9), "1") + dcgm(kUsed, 0, gi("1g.10gb", 9), "24") +
                  dcgm(kActive, 2, gi("1g.10gb", 7), "0") + dcgm(kUsed, 5, held("t", "big"), "70000")),
      &h100());
  EXPECT_TRUE(node.pool.empty());
  ASSERT_EQ(node.gpus.size(), 3u);
  const Gpu& first = node.gpus[0];
  EXPECT_EQ(first.strategy, Strategy::mig);
  EXPECT_EQ(first.uuid, "GPU-0");
  EXPECT_EQ(first.origin, (Origin{Source::dcgm, TimePoint(Duration(5000))}));
  ASSERT_EQ(first.slices.size(), 2u);
  EXPECT_EQ(first.slices[0].profile.text, "1g.10gb") << "in the order of GPUs that are concluded";
  EXPECT_EQ(first.slices[1].instance_id, 2);
  EXPECT_EQ(first.slices[1].use, Percent{50});
  EXPECT_EQ(first.slices[1].memory_used, Mib{1000});
  EXPECT_FALSE(first.slices[1].placement) << "it does not tell where an instance stands";
  EXPECT_EQ(first.telemetry.memory_used, Mib{1024});
  ASSERT_TRUE(first.telemetry.use);
  EXPECT_NEAR(first.telemetry.use->value, (50.0 * 3 + 100.0) / 7, 0.01);
  EXPECT_EQ(node.gpus[1].index.value, 2);
  EXPECT_EQ(node.gpus[2].index.value, 5);
  EXPECT_EQ(node.gpus[2].telemetry.memory_used, Mib{70000});
  EXPECT_FALSE(node.gpus[1].telemetry.memory_used) << "not told is not none";
  EXPECT_EQ(named, (std::vector<NamedSlice>{{"t/p", *first.slices[1].device, ProfileName("3g.40gb")},
                                            {"t/big", *node.gpus[2].slices[0].device, ProfileName()}}));
}

TEST(DcgmValues, ReadingsOfAnotherLayoutMoveNothing) {
  const Node before = counted({{"1g.10gb", 2}});
  for (const std::string& text :
       {dcgm(kActive, 0, gi("1g.10gb", 9), "1"),
        dcgm(kActive, 0, gi("1g.10gb", 9), "1") + dcgm(kActive, 0, gi("2g.20gb", 3), "1"),
        dcgm(kActive, 0, "", "1")}) {
    Node node = before;
    EXPECT_TRUE(lay_readings(node, readings_of(text), &h100()).empty());
    EXPECT_EQ(node, before);
  }
}

TEST(DcgmValues, AnExporterThatTellsOfBoardsOnlyMeasuresThem) {
  Node node;
  for (int i = 0; i < 2; ++i) {
    Gpu gpu;
    gpu.index = GpuIndex{i};
    gpu.strategy = Strategy::mig;
    Slice slice;
    slice.kind = SliceKind::gpu_instance;
    slice.profile = ProfileName("7g.80gb");
    gpu.slices = {slice};
    node.gpus.push_back(gpu);
  }
  lay_readings(node, readings_of(dcgm(kActive, 0, "", "0.5") + dcgm(kActive, 1, "", "1")), &h100());
  EXPECT_EQ(node.gpus[1].telemetry.use, Percent{100});
  EXPECT_EQ(node.gpus[1].telemetry.origin.source, Source::dcgm);
  EXPECT_FALSE(node.gpus[1].slices[0].use);
}

TEST(DcgmValues, AnEmptyBoardWithMigIsNoWholeOne) {
  Node node = counted({{"1g.10gb", 1}});
  lay_readings(node, readings_of(dcgm(kActive, 0, gi("1g.10gb", 9), "1") + dcgm(kActive, 1, "", "0")),
               &h100());
  ASSERT_EQ(node.gpus.size(), 1u);
  EXPECT_EQ(node.gpus[0].slices.size(), 1u);
}

TEST(DcgmValues, OfASharedGpuNoPodIsNamed) {
  Node node;
  Gpu gpu;
  gpu.strategy = Strategy::time_slicing;
  Slice slice;
  slice.kind = SliceKind::time_slice;
  slice.capacity = 4;
  gpu.slices = {slice};
  node.gpus = {gpu};
  auto named = lay_readings(node, readings_of(dcgm(kActive, 0, held("t", "p"), "0.5")), nullptr);
  EXPECT_TRUE(named.empty());
  EXPECT_EQ(node.gpus[0].telemetry.use, Percent{50});
  EXPECT_EQ(node.gpus[0].strategy, Strategy::time_slicing);
  EXPECT_EQ(node.gpus[0].own, std::nullopt);
  lay_readings(node,
               readings_of(dcgm(kUsed, 0, "", "900") + dcgm(kUsed, 0, held("t", "p"), "600") +
                           dcgm(kUsed, 0, held("t", "q"), "200")),
               nullptr);
  ASSERT_TRUE(node.gpus[0].own);
  EXPECT_EQ(node.gpus[0].own->list.size(), 2u);
  EXPECT_EQ(node.gpus[0].own->origin, (Origin{Source::dcgm, TimePoint(Duration(5000))}));
}

TEST(DcgmValues, APodsSlicesAreKnownOnlyWhereAsManyAreNamedAsItAskedFor) {
  std::vector<NamedSlice> named{{"t/p", 3, ProfileName("1g.10gb")},
                                {"t/p", 5, ProfileName("2g.20gb")},
                                {"t/p", 6, ProfileName("2g.20gb")},
                                {"t/p", 8, ProfileName()},
                                {"t/q", 4, ProfileName("1g.10gb")}};
  auto devices = [&](const std::string& type, int count) {
    std::vector<Allocation> all{{NodeName("n1"), Family::gpu, type, count, {}}};
    name_devices(all, "t/p", named);
    return all[0].devices;
  };
  EXPECT_EQ(devices("1g.10gb", 1), (std::vector<DeviceShare>{{3, 1}}));
  EXPECT_EQ(devices("2g.20gb", 2), (std::vector<DeviceShare>{{5, 1}, {6, 1}}));
  EXPECT_EQ(devices("NVIDIA-H100-80GB-HBM3", 1), (std::vector<DeviceShare>{{8, 1}}));
  EXPECT_TRUE(devices("2g.20gb", 1).empty()) << "two are named, one was asked for: the readings are older";
  EXPECT_TRUE(devices("3g.40gb", 1).empty());
  EXPECT_EQ(devices("", 4).size(), 4u);
}

}  // namespace dcgm_test
}  // namespace tessera::kubernetes
