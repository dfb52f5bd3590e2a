// What of a GPU could still be cut, by the counters that a DRA driver publishes; and whether it cuts at all.
#include "backends/kubernetes/objects/dra_counters.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/kubernetes/objects/dra_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/mig/could_be.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

using operators::DraWay;

std::string counters(int sms, int first, int size) {
  std::string text = fmt::format(R"("multiprocessors":{{"value":"{}"}})", sms);
  for (int i = first; i < first + size; ++i) text += fmt::format(R"(,"memory-slice-{}":{{"value":"1"}})", i);
  return "{" + text + "}";
}
std::string consumes(const std::string& counters) {
  return R"(,"consumesCounters":[{"counterSet":"gpu-0-counter-set","counters":)" + counters + "}]";
}
std::string device(const std::string& name, const std::string& more, const std::string& tail = "") {
  return R"({"name":")" + name + R"(","attributes":{"productName":{"string":"NVIDIA H100 80GB HBM3"},)" +
         more + "}" + tail + "}";
}
std::string mig(const std::string& profile, int id, int start, int size, int sms) {
  std::string word = profile;
  std::erase(word, '.');
  return device(
      fmt::format("gpu-0-mig-{}-{}-{}", word, id, start),
      R"("type":{"string":"mig"},"parentUUID":{"string":"GPU-0"},"profile":{"string":")" + profile + R"("})",
      consumes(counters(sms, start, size)));
}
const std::string kWhole = R"("type":{"string":"gpu"},"uuid":{"string":"GPU-0"})";
const std::string kSets =
    R"("sharedCounters":[{"name":"gpu-0-counter-set","counters":)" + counters(132, 0, 8) + "}]";

// Some of what the driver publishes for one H100: 1g.10gb at 0 to 6, 3g.40gb at 0 and 4.
std::string dynamic_devices() {
  std::string all = device("gpu-0", kWhole, consumes(counters(132, 0, 8)));
  for (int start = 0; start < 7; ++start) all += "," + mig("1g.10gb", 19, start, 1, 16);
  for (int start : {0, 4}) all += "," + mig("3g.40gb", 9, start, 4, 60);
  return all;
}

struct Told {
  Parser parser;
  DraSlices slices;
  DraClaims claims;
  Node node;
  Told() { claims.set_complete(true); }

  void slice(const std::string& body, const std::string& name = "s", int count = 1, int generation = 1) {
    auto read = parser.object<ResourceSliceObject>(
        R"({"metadata":{"name":")" + name +
        fmt::format(
            R"("}},"spec":{{"driver":"gpu.nvidia.com","nodeName":"a","pool":{{"name":"a","generation":{},)"
            R"("resourceSliceCount":{}}},)",
            generation, count) +
        body + "}}");
    ASSERT_TRUE(read) << to_line(read.error());
    slices.keep(std::move(*read));
  }
  void claim(const std::string& device, const std::string& more = "") {
    auto read = parser.object<ResourceClaimObject>(
        R"({"metadata":{"namespace":"team","name":"c-)" + device +
        R"("},"status":{"allocation":{"devices":{"results":[{"driver":"gpu.nvidia.com","pool":"a","device":")" +
        device + R"(")" + more + "}]}}}}");
    ASSERT_TRUE(read);
    claims.keep(std::move(*read));
  }
  DraWay way(std::optional<bool> gate = std::nullopt) {
    node = Node();
    node.name = NodeName("a");
    lay_devices(node, slices.pool_on("a"), "a", claims, gate, &test::catalogue(), {});
    return operators::way_of(node);
  }
};

TEST(DraCounters, TheCountersOfAnEmptyGpuAreWhatTheCatalogueHas) {
  Told told;
  told.slice(kSets + R"(,"devices":[)" + dynamic_devices() + "]");
  EXPECT_EQ(told.way(), DraWay::on_demand);
  ASSERT_EQ(told.node.gpus.size(), 1u);
  EXPECT_EQ(told.node.gpus[0].slices.at(0).kind, SliceKind::whole_gpu) << "nothing is cut now";
}

// Kubernetes 1.35 wants counters in slices of their own.
TEST(DraCounters, CountersMayStandInASliceWithoutDevices) {
  Told told;
  told.slice(kSets, "counters", 2);
  EXPECT_EQ(told.way(), DraWay::on_demand_dark) << "a part of the list is missing";
  told.slice(R"("devices":[)" + dynamic_devices() + "]", "devices", 2);
  EXPECT_EQ(told.way(), DraWay::on_demand);
}

TEST(DraCounters, V1beta1HasThemInABasicDevice) {
  Told told;
  std::string basic;
  for (const auto& [name, more] : {std::pair("gpu-0", kWhole)})
    basic = R"({"name":")" + std::string(name) + R"(","basic":{"attributes":{"productName":{"string":)" +
            R"("NVIDIA H100 80GB HBM3"},)" + more + "}" + consumes(counters(132, 0, 8)) + "}}";
  told.slice(kSets + R"(,"devices":[)" + basic + "]");
  EXPECT_EQ(told.way(), DraWay::on_demand);
}

TEST(DraCounters, AClaimedInstanceStandsAndItsMemoryIsTaken) {
  Told told;
  told.slice(kSets + R"(,"devices":[)" + dynamic_devices() + "]");
  told.claim("gpu-0-mig-1g10gb-19-4");
  EXPECT_EQ(told.way(), DraWay::on_demand);
  const Gpu& gpu = told.node.gpus.at(0);
  ASSERT_EQ(gpu.slices.size(), 1u);
  EXPECT_EQ(gpu.slices[0].placement, (Placement{4, 1}));
  EXPECT_EQ(gpu.slices[0].told_held, true);
}

TEST(DraCounters, AnAdministratorsLookTakesNothing) {
  Told told;
  told.slice(kSets + R"(,"devices":[)" + dynamic_devices() + "]");
  told.claim("gpu-0-mig-1g10gb-19-4", R"(,"adminAccess":true)");
  EXPECT_EQ(told.way(), DraWay::on_demand);
  EXPECT_EQ(told.node.gpus.at(0).slices.at(0).kind, SliceKind::whole_gpu);
  EXPECT_EQ(told.node.gpus.at(0).slices.at(0).told_held, false);
}

// Each would make more, or less, of the GPU than its driver does.
TEST(DraCounters, WhatIsMissingOrOtherThanTheCatalogueIsNotTold) {
  const std::string devices = R"(,"devices":[)" + dynamic_devices() + "]";
  const std::string less = R"("sharedCounters":[{"name":"gpu-0-counter-set","counters":)";
  for (const auto& [why, sets] :
       {std::pair("a counter is missing", less + counters(132, 0, 7) + "}]"),
        std::pair("its driver hands out fewer", less + counters(15, 0, 8) + "}]"),
        std::pair("a number cannot be read", less + R"({"multiprocessors":{"value":"many"}}}])"),
        std::pair("a number is below nothing", less + R"({"multiprocessors":{"value":"-1"}}}])"),
        std::pair("another set",
                  std::string(R"("sharedCounters":[{"name":"x","counters":)") + counters(132, 0, 8) + "}]"),
        std::pair("told twice", kSets.substr(0, kSets.size() - 1) + "," + kSets.substr(kSets.find('[') + 1)),
        std::pair("no sets", std::string(R"("sharedCounters":[])"))}) {
    Told told;
    told.slice(sets + devices);
    EXPECT_EQ(told.way(), DraWay::on_demand_dark) << why;
  }
  Told claims;
  claims.slice(kSets + devices);
  claims.claims.set_complete(false);
  EXPECT_EQ(claims.way(), DraWay::on_demand_dark) << "who has devices is not known";
}

TEST(DraCounters, OfAnOlderGenerationNothingCounts) {
  Told told;
  told.slice(kSets + R"(,"devices":[)" + dynamic_devices() + "]", "old", 1, 1);
  told.slice(R"("devices":[)" + device("gpu-0", kWhole) + "]", "new", 1, 2);
  EXPECT_EQ(told.way(), DraWay::at_start) << "the gate was turned off, and the driver started again";
}

TEST(DraWays, WhatThePublishedDevicesProve) {
  const std::string made = device(
      "gpu-0-mig-1g10gb-19-0", R"("type":{"string":"mig"},"profile":{"string":"1g.10gb"},"uuid":{"string":)"
                               R"("MIG-1"},"parentUUID":{"string":"GPU-0"})");
  const std::string unmade =
      device("gpu-0-mig-1g10gb-19-0", R"("type":{"string":"mig"},"profile":{"string":"1g.10gb"})");
  const std::string ampere =
      R"({"name":"gpu-0","attributes":{"productName":{"string":"NVIDIA A100-SXM4-80GB"},)" + kWhole + "}}";
  const std::string unknown =
      R"({"name":"gpu-0","attributes":{"productName":{"string":"NVIDIA Z1"},)" + kWhole + "}}";
  struct Case {
    const char* why;
    std::string devices;
    std::optional<bool> gate;
    DraWay way;
  };
  for (const Case& one : {
           Case{"an instance with a UUID is told by a driver that makes none", made, {}, DraWay::at_start},
           Case{"one without could be made", unmade, {}, DraWay::on_demand_dark},
           Case{"of a Hopper counters would be told", device("gpu-0", kWhole), {}, DraWay::at_start},
           Case{"of an Ampere without MIG they would not", ampere, {}, DraWay::not_told},
           Case{"its pod says so", ampere, false, DraWay::at_start},
           Case{"its pod says otherwise", ampere, true, DraWay::on_demand},
           Case{"a GPU that is not known", unknown, {}, DraWay::not_told},
           Case{"the gate is on, whatever else", made, true, DraWay::on_demand},
       }) {
    Told told;
    told.slice(R"("devices":[)" + one.devices + "]");
    EXPECT_EQ(told.way(one.gate), one.way) << one.why;
  }
  Told part;
  part.slice(R"("devices":[)" + made + "]", "s", 2);
  EXPECT_EQ(part.way(), DraWay::not_told) << "the other slice may hold what could be made";
}

TEST(DraWays, OnAmpereWithMigOnAGpuWithoutInstancesIsShown) {
  Told told;
  const std::string one =
      R"({"name":"gpu-0-mig-1g10gb-19-0","attributes":{"productName":{"string":)"
      R"("NVIDIA A100-SXM4-80GB"},"type":{"string":"mig"},"profile":{"string":"1g.10gb"},)"
      R"("parentUUID":{"string":"GPU-0"}})" +
      consumes(counters(14, 0, 1)) + "}";
  told.slice(kSets + R"(,"devices":[)" + one + "]");
  told.way();
  ASSERT_EQ(told.node.gpus.size(), 1u);
  EXPECT_EQ(told.node.gpus[0].uuid, "GPU-0");
  EXPECT_EQ(told.node.gpus[0].mig_mode, MigMode::enabled);
  EXPECT_TRUE(told.node.gpus[0].slices.empty());
}

TEST(DraWays, TheGateIsReadFromThePodsOwnWords) {
  EXPECT_EQ(gate_of("DynamicMIG=true,MPSSupport=false,"), true);
  EXPECT_EQ(gate_of("MPSSupport=true, DynamicMIG=false"), false);
  EXPECT_EQ(gate_of("MPSSupport=true"), std::nullopt) << "its version decides";
  EXPECT_EQ(gate_of("DynamicMIG=true,DynamicMIG=false"), std::nullopt) << "two containers that differ";
  EXPECT_EQ(gate_of("NotDynamicMIG=false,DynamicMIG=falsey"), std::nullopt);
  EXPECT_EQ(gate_of(""), std::nullopt);
  Parser parser;
  auto pod = parser.object<PodObject>(
      R"({"metadata":{"name":"d"},"spec":{"containers":[{"name":"gpus","env":[{"name":"FEATURE_GATES",)"
      R"("value":"DynamicMIG=true,"}]}]},"status":{}})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(gate_of(pod->feature_gates), true);
}

TEST(DraClaims, TheProfileOfAMigClaimIsReadWhereNothingElseIsAsked) {
  const auto wanted = [](const std::string& device_class, const std::string& selectors) {
    Parser parser;
    auto claim = parser.object<ResourceClaimObject>(
        R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":")" +
        device_class + R"(","selectors":[)" + selectors + "]}}]}}}");
    return claim && claim->wanted.size() == 1 ? claim->wanted[0].resource() : "none";
  };
  const auto cel = [](const std::string& expression) {
    return R"({"cel":{"expression":")" + expression + R"("}})";
  };
  const std::string one = cel("device.attributes['gpu.nvidia.com'].profile == '1g.10gb'");
  EXPECT_EQ(wanted("mig.nvidia.com", one), "mig.nvidia.com/1g.10gb");
  EXPECT_EQ(
      wanted("mig.nvidia.com", cel("device.attributes[\\\"gpu.nvidia.com\\\"].profile==\\\"1g.10gb+me\\\"")),
      "mig.nvidia.com/1g.10gb+me");
  EXPECT_EQ(wanted("mig.nvidia.com", one + "," + one), "mig.nvidia.com") << "more than one condition";
  EXPECT_EQ(wanted("gpu.nvidia.com", one), "gpu.nvidia.com");
  for (const char* other : {"device.attributes['gpu.nvidia.com'].profile == '1g.10gb' || true",
                            "device.attributes['gpu.nvidia.com'].profile == 'x' || 'a' == 'a'",
                            "device.attributes['gpu.nvidia.com'].profile != '1g.10gb'", "", "true"})
    EXPECT_EQ(wanted("mig.nvidia.com", cel(other)), "mig.nvidia.com") << other;
  EXPECT_EQ(wanted("mig.nvidia.com", cel(std::string(5000, ' '))), "mig.nvidia.com");
}

}  // namespace
}  // namespace tessera::kubernetes
