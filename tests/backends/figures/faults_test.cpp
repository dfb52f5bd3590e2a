// Faults that exporters report: Xid errors and replaced rows of memory, as remarks with a way out.
#include "backends/figures/faults.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/figures/prometheus_queries.hpp"
#include "engine/error.hpp"
#include "engine/insight/attention.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::figures {
namespace {

std::string line(const std::string& counter, int gpu, const std::string& more, const std::string& value) {
  return fmt::format("{}{{gpu=\"{}\",UUID=\"GPU-{}\",modelName=\"NVIDIA H100 80GB HBM3\"{}}} {}\n", counter,
                     gpu, gpu, more, value);
}
DcgmReadings read(const std::string& text) {
  auto readings = read_dcgm(text);
  EXPECT_TRUE(readings) << to_line(readings.error());
  return readings ? *readings : DcgmReadings();
}
constexpr const char* kXid = "DCGM_FI_DEV_XID_ERRORS";
constexpr const char* kRows = "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS";
constexpr const char* kFailed = "DCGM_FI_DEV_ROW_REMAP_FAILURE";

std::vector<Remark> remarks_of(const std::string& text) {
  Faults faults;
  faults.keep("n1", read(text));
  return faults.remarks();
}

TEST(DcgmFaults, AnXidOfTheGpuIsAFindingOfItsNodeWithAWayOut) {
  const std::vector<Remark> remarks = remarks_of(line(kXid, 0, "", "0") + line(kXid, 3, "", "79"));
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].text, "GPU 3: the driver's last error is Xid 79; when, is not reported");
  EXPECT_EQ(remarks[0].subject, "n1");
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
  story.tell(RemarksListed{Source::dcgm, remarks});
  const auto findings = insight::attention(story.cluster(), test::catalogue(), TimePoint{});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].is_node);
  EXPECT_NE(findings[0].hint.find("power-cycle the node"), std::string::npos) << findings[0].hint;
  EXPECT_EQ(findings[0].commands, (std::vector<std::string>{"scontrol show node n1", "ssh n1 dmesg -T",
                                                            "ssh n1 nvidia-smi -i 3 -q"}));
  EXPECT_FALSE(findings[0].follows.empty());
  EXPECT_EQ(remarks[0].gpu, GpuIndex{3});
}

TEST(DcgmFaults, AProgramsOwnErrorIsNone) {
  for (const char* xid : {"13", "31", "43", "45", "69"})
    EXPECT_TRUE(remarks_of(line(kXid, 0, "", xid)).empty()) << xid;
  for (const char* xid : {"48", "64", "119", "154", "171"})
    EXPECT_EQ(remarks_of(line(kXid, 0, "", xid)).size(), 1u) << xid;
}

TEST(DcgmFaults, BlankAndStrangeValuesAreNone) {
  for (const char* value : {"9223372036854775794", "-1", "NaN", "2147483632"})
    EXPECT_TRUE(remarks_of(line(kXid, 0, "", value) + line(kRows, 0, "", value) + line(kFailed, 0, "", value))
                    .empty())
        << value;
}

TEST(DcgmFaults, WhatIsToldOfEachInstanceIsOneFaultOfItsGpu) {
  const std::string one = R"(,GPU_I_PROFILE="1g.10gb",GPU_I_ID="7")",
                    other = R"(,GPU_I_PROFILE="1g.10gb",GPU_I_ID="8")";
  EXPECT_EQ(remarks_of(line(kXid, 0, one, "95") + line(kXid, 0, other, "95")).size(), 1u);
}

TEST(DcgmFaults, ReplacedRowsAreWorthKnowingAndAFailureIsADanger) {
  auto rows = remarks_of(line(kRows, 1, "", "2") + line(kFailed, 1, "", "0"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].grade, Remark::Grade::info);
  EXPECT_EQ(rows[0].text, "GPU 1: 2 rows of its memory replaced after uncorrectable errors");
  auto failed = remarks_of(line(kRows, 1, "", "8") + line(kFailed, 1, "", "1"));
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].grade, Remark::Grade::danger);
}

TEST(DcgmFaults, AFaultGoesWhenTheExporterTellsOfItNoMoreOrTheNodeIsGone) {
  Faults faults;
  faults.keep("n1", read(line(kXid, 0, "", "79")));
  faults.keep("n2", read(line(kXid, 0, "", "79")));
  faults.keep("n1", read(line(kXid, 0, "", "0")));
  ASSERT_EQ(faults.remarks().size(), 1u);
  faults.forget([](const std::string& node) { return node == "n2"; });
  EXPECT_TRUE(faults.remarks().empty());
}

TEST(DcgmFaults, WhatAGpuWorksOnWithIsCountedBeyondTheFirstNodes) {
  Faults faults;
  for (int i = 0; i < 1000; ++i) faults.keep(fmt::format("n{}", i), read(line(kRows, 0, "", "1")));
  const std::vector<Remark> remarks = faults.remarks();
  ASSERT_EQ(remarks.size(), 201u);
  EXPECT_EQ(remarks.back().text, "800 more nodes report replaced rows of GPU memory");
  EXPECT_EQ(remarks.back().grade, Remark::Grade::info);
}

// "1 more nodes report …"
TEST(DcgmFaults, OneNodeBeyondTheFirstOnesIsToldAsOne) {
  Faults faults;
  for (int i = 0; i < 201; ++i) faults.keep(fmt::format("n{}", i), read(line(kRows, 0, "", "1")));
  EXPECT_EQ(faults.remarks().back().text, "1 more node reports replaced rows of GPU memory");
}

// The Xid of a node late in the alphabet was counted only: its GPU was broken, and no one was told which.
TEST(DcgmFaults, OfThreeHundredNodesTheLastOnesXidIsToldFirst) {
  Faults faults;
  for (int i = 100; i < 400; ++i) faults.keep(fmt::format("n{}", i), read(line(kRows, 0, "", "1")));
  faults.keep("n398", read(line(kXid, 5, "", "79")));
  faults.keep("n399", read(line(kFailed, 3, "", "1")));
  const std::vector<Remark> remarks = faults.remarks();
  ASSERT_EQ(remarks.size(), 203u);
  EXPECT_EQ(remarks[0].subject, "n399");
  EXPECT_EQ(remarks[0].grade, Remark::Grade::danger);
  EXPECT_EQ(remarks[1].subject, "n398");
  EXPECT_EQ(remarks[1].text, "GPU 5: the driver's last error is Xid 79; when, is not reported");
  EXPECT_EQ(remarks[2].subject, "n100");
  EXPECT_EQ(remarks.back().text, "98 more nodes report replaced rows of GPU memory");
}

TEST(DcgmFaults, WhatIsBrokenIsToldOfEveryNode) {
  Faults faults;
  for (int i = 0; i < 1000; ++i) faults.keep(fmt::format("n{}", i), read(line(kXid, 0, "", "79")));
  EXPECT_EQ(faults.remarks().size(), 1000u);
}

TEST(DcgmFaults, PrometheusIsAskedOnlyForThoseThatAreNotZero) {
  const std::string path = path_of_figures_now();
  const std::size_t at = path.find("DCGM_FI_DEV_XID_ERRORS");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(path.find("%3E%200", at), std::string::npos) << path;
  EXPECT_LT(path.find("DCGM_FI_DEV_FB_USED"), at);
}

}  // namespace
}  // namespace tessera::figures
