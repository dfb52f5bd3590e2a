// DeviceTaintRules: an admin closes a device of a DRA driver, which the driver itself offers.
#include "backends/kubernetes/objects/dra.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

std::string rule_json(const std::string& selector, const std::string& effect = "NoSchedule") {
  return R"({"metadata":{"name":"r"},"spec":{)" +
         (selector.empty() ? "" : R"("deviceSelector":)" + selector + ",") +
         R"("taint":{"key":"ops","value":"repair","effect":")" + effect + R"("}}})";
}
DeviceTaintRuleObject rule_of(const std::string& selector, const std::string& effect = "NoSchedule") {
  auto rule = Parser().object<DeviceTaintRuleObject>(rule_json(selector, effect));
  EXPECT_TRUE(rule) << selector;
  return rule ? *rule : DeviceTaintRuleObject{};
}
ResourceSliceObject two_gpus() {
  ResourceSliceObject slice;
  slice.meta.name = "s";
  slice.driver = kDraDriver;
  slice.node = slice.pool = "a";
  for (const char* name : {"gpu-0", "gpu-1"}) slice.devices.emplace_back().name = name;
  return slice;
}

TEST(DeviceTaintRules, CloseTheDevicesThatTheySelectAndNoOthers) {
  struct Case {
    const char* selector;
    const char* effect;
    std::vector<std::string> closed;
  };
  for (const Case& one :
       {Case{R"({"device":"gpu-1"})", "NoSchedule", {"gpu-1"}},
        Case{R"({"driver":"gpu.nvidia.com","pool":"a"})", "NoExecute", {"gpu-0", "gpu-1"}},
        Case{"{}", "NoSchedule", {"gpu-0", "gpu-1"}}, Case{"", "NoSchedule", {}},
        Case{R"({"pool":"b"})", "NoSchedule", {}}, Case{R"({"driver":"dra.net"})", "NoSchedule", {}},
        Case{R"({"device":"gpu-1"})", "None", {}},
        Case{R"({"device":"gpu-1","selectors":[{"cel":{"expression":"false"}}]})", "NoSchedule", {}},
        Case{R"({"deviceClassName":"gpu.nvidia.com"})", "NoSchedule", {}}}) {
    for (const bool rules_first : {true, false}) {
      DraSlices slices;
      if (rules_first) slices.set_rules({rule_of(one.selector, one.effect)});
      slices.keep(two_gpus());
      (void)slices.take_touched();
      if (!rules_first) slices.set_rules({rule_of(one.selector, one.effect)});
      EXPECT_EQ(slices.take_touched().empty(), rules_first || one.closed.empty()) << one.selector;
      std::vector<std::string> closed;
      for (const DraDevice* device : slices.devices_of("a"))
        if (!device->closed_by().empty()) closed.push_back(device->name);
      EXPECT_EQ(closed, one.closed) << one.selector << " " << one.effect;
      slices.set_rules({});
      for (const DraDevice* device : slices.devices_of("a"))
        EXPECT_EQ(device->closed_by(), "") << one.selector;
    }
  }
}

TEST(DeviceTaintRules, ADeviceThatOneClosesIsNotFreeAndSaidSo) {
  LabApi api;
  api.nodes = {{"a", node_json("a", {}, {})}};
  const std::string devices =
      R"({"name":"gpu-0","attributes":{"type":{"string":"gpu"},"uuid":{"string":"GPU-0"}}},)"
      R"({"name":"gpu-1","attributes":{"type":{"string":"gpu"},"uuid":{"string":"GPU-1"}}})";
  const std::string slice =
      R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"a","pool":{"name":"a",)"
      R"("generation":1},"devices":[)" +
      devices + "]}}";
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (query.find("watch=1") != std::string::npos) return std::nullopt;
    if (path == "/apis/resource.k8s.io/v1/resourceslices")
      return LabApi::Answer{200, list_json({slice}, "100"), {}};
    if (path == "/apis/resource.k8s.io/v1beta2/devicetaintrules")  // an older server
      return LabApi::Answer{
          200,
          list_json({rule_json(R"({"device":"gpu-1"})"), rule_json(R"({"deviceClassName":"x"})")}, "100"),
          {}};
    return std::nullopt;
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->gpus.size() == 2; }));
  auto usable = [](const Cluster& c, std::size_t gpu) {
    return c.nodes.find(NodeName("a"))->gpus[gpu].slices.at(0).usable;
  };
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return usable(c, 1) == false; }));
  EXPECT_NE(usable(watch.cluster(), 0), false);
  EXPECT_EQ(watch.cluster().nodes.find(NodeName("a"))->counts.free, 1);
  auto told = [](const Cluster& c, const std::string& words) {
    auto found = c.remarks.find(Source::kubernetes_operator);
    return found != c.remarks.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Remark& one) { return one.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(watch.until([&](const Cluster& c) { return told(c, "gpu-1 (ops=repair:NoSchedule)"); }));
  EXPECT_TRUE(
      watch.until([&](const Cluster& c) { return told(c, "selects devices by class or CEL expression"); }));
}

}  // namespace
}  // namespace tessera::kubernetes
