// Labels that name configurations, held against those that exist: who says so, and what is not known.
#include "backends/kubernetes/objects/config_judge.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/objects/parse.hpp"
#include "tests/backends/kubernetes/texts.hpp"

namespace tessera::kubernetes {
namespace {

using operators::Reading;
using operators::SitePart;

constexpr const char* kMig = R"(version: v1
mig-configs:
  all-disabled:
    - devices: all
      mig-enabled: false
  all-1g.10gb:
    - devices: all
      mig-enabled: true
      mig-devices: {1g.10gb: 7}
)";
constexpr const char* kShared = R"(version: v1
sharing:
  timeSlicing:
    resources:
      - name: nvidia.com/gpu
        replicas: 4
)";

class Judged : public testing::Test {
 protected:
  Judged() {
    site.ns = "gpu-operator";
    site.mig_config = operators::mig_file(kMig);
    site.plugin_configs = {{"ts-4", kShared}, {"whole", "version: v1\n"}};
    site.plugin_default = "whole";
    for (SitePart part : {SitePart::mig_config, SitePart::plugin_config})
      site.readings.told(part, Reading::Is::value, {});
    site.readings.told(SitePart::generated, Reading::Is::absent, {});
  }
  NodeObject node() const {
    Parser parser;
    return parser.object<NodeObject>(node_json("n1", labels, offered)).value();
  }
  ConfigJudge judge() const { return ConfigJudge(std::make_shared<const operators::OperatorSetup>(site)); }
  std::string names() const {
    std::string text;
    for (const Remark& one : judge().unknown_names(node())) {
      EXPECT_TRUE(one.is_node);
      EXPECT_EQ(one.subject, "n1");
      text += one.text + " | " + one.hint + "\n";
    }
    return text;
  }
  std::string stale() const {
    const ConfigJudge judge = this->judge();
    const auto found = judge.not_taken_up(node());
    if (!found) return "";
    const Remark told = judge.remark_not_taken_up(node(), *found, std::chrono::minutes(25));
    EXPECT_TRUE(told.restarts_plugin);
    EXPECT_EQ(told.commands.size(), 1u);
    EXPECT_TRUE(told.commands.at(0).starts_with("kubectl delete pod --namespace ")) << told.commands.at(0);
    return told.text;
  }

  operators::OperatorSetup site;
  Labels labels{{"nvidia.com/gpu.count", "2"}}, offered{{"nvidia.com/gpu", "2"}};
};

TEST_F(Judged, ALayoutThatNothingDefinesIsToldWithThoseThatAre) {
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  EXPECT_EQ(names(), "");
  labels["nvidia.com/mig.config"] = "all-1g.10bg";
  EXPECT_NE(names().find("the MIG layout all-1g.10bg, which no configuration defines"), std::string::npos);
  EXPECT_NE(names().find("all-1g.10gb, all-disabled"), std::string::npos) << names();
  EXPECT_EQ(judge().unknown_names(node()).at(0).commands,
            std::vector<std::string>{"tessera plan --node n1 --layout LAYOUT"});
}

TEST_F(Judged, AnEntryThatTheNodesOwnManagerGeneratedCounts) {
  labels["nvidia.com/mig.config"] = "own";
  site.node_config["n1"] = operators::mig_file(
      "version: v1\nmig-configs:\n  own:\n    - devices: all\n"
      "      mig-enabled: false\n");
  EXPECT_EQ(names(), "");
}

TEST_F(Judged, NothingIsSaidOfWhatWasNotRead) {
  labels["nvidia.com/mig.config"] = "all-1g.10bg";
  labels["nvidia.com/device-plugin.config"] = "ts-8";
  site.readings.forget(SitePart::mig_config);
  site.readings.forget(SitePart::plugin_config);
  EXPECT_EQ(names(), "");
  EXPECT_EQ(stale(), "");
  EXPECT_TRUE(ConfigJudge().unknown_names(node()).empty());
}

TEST_F(Judged, APluginConfigurationThatNothingDefinesIsTold) {
  labels["nvidia.com/device-plugin.config"] = "ts-8\\u001b[31m";
  const std::string told = names();
  EXPECT_NE(told.find("the device plugin's configuration ts-8"), std::string::npos) << told;
  EXPECT_NE(told.find("ts-4, whole"), std::string::npos) << told;
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
}

TEST_F(Judged, CountsThatAreNotThoseOfTheConfigurationAreAnEditThatWasNotTakenUp) {
  EXPECT_EQ(stale(), "");
  labels["nvidia.com/device-plugin.config"] = "ts-4";
  EXPECT_EQ(
      stale(),
      "the device plugin hands out 2 nvidia.com/gpu, and its configuration ts-4 sets 8, for 25 min at least");
  offered["nvidia.com/gpu"] = "8";
  EXPECT_EQ(stale(), "");
  offered["nvidia.com/gpu"] = "0";
  EXPECT_EQ(stale(), "") << "no plugin runs there: that is said elsewhere";
  const Remark remark = judge().remark_not_taken_up(node(), {}, Duration(0));
  EXPECT_NE(remark.hint.find("kubectl delete pod --namespace gpu-operator"), std::string::npos);
}

// The edit was weeks old, and so was what was said of a node that had joined a minute ago.
TEST_F(Judged, ANodeThatJoinedAfterTheEditHasNotLeftItForLonger) {
  const TimePoint edited{std::chrono::hours(1'000)};
  site.plugin_configs_written = edited;
  EXPECT_EQ(judge().written(node()), edited);
  NodeObject joined = node();
  joined.meta.created = edited + std::chrono::hours(500);
  EXPECT_EQ(judge().written(joined), joined.meta.created);
  joined.meta.created = edited - std::chrono::hours(500);
  EXPECT_EQ(judge().written(joined), edited);
}

TEST_F(Judged, SlicesAndConfigurationsThatCannotBeReadAreNotCompared) {
  labels["nvidia.com/device-plugin.config"] = "ts-4";
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  EXPECT_EQ(stale(), "");
  labels.erase("nvidia.com/mig.config");
  site.plugin_configs["ts-4"] = "sharing: [";
  EXPECT_EQ(stale(), "");
  site.plugin_configs["ts-4"] = kShared;
  labels["nvidia.com/gpu.count"] = "many";
  EXPECT_EQ(stale(), "");
}

TEST_F(Judged, FiguresThatNameNoPodSayHowTheExporterIsSet) {
  figures::DcgmReadings readings;
  readings.from = "gpu-operator/exporter-1";
  readings.parts.resize(2);
  EXPECT_TRUE(names_no_pod(readings));
  EXPECT_NE(remark_no_pod(node(), readings).hint.find("DCGM_EXPORTER_KUBERNETES=true"), std::string::npos);
  readings.parts[1].shared = true;  // several are named
  EXPECT_FALSE(names_no_pod(readings));
  readings.parts[1] = {};
  readings.parts[0].pod = "ml/train-0";
  EXPECT_FALSE(names_no_pod(readings));
}

}  // namespace
}  // namespace tessera::kubernetes
