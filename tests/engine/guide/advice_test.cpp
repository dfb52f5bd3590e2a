// Texts to hand out: which there are on which platform, whole enough to be copied, and nothing hostile in
// them.
#include "engine/guide/advice.hpp"

#include <gtest/gtest.h>

#include "engine/yaml.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using sharing::Platform;

constexpr std::array kAllLeaves{Strategy::mig, Strategy::vgpu, Strategy::mps, Strategy::time_slicing};

std::vector<Advice> given(Strategy strategy, Platform platform, const Proposal* proposal = nullptr,
                          const AdviceAbout& about = {}) {
  return advice(test::handouts(), strategy, platform, proposal, about);
}

// All texts of one id, one below the other.
std::string text_of(const std::vector<Advice>& all, std::string_view id) {
  std::string text;
  for (const Advice& one : all)
    if (one.id == id) text += one.text + "\n";
  return text;
}

std::vector<std::string> missing(const std::string& text, const std::vector<std::string>& parts) {
  std::vector<std::string> all;
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos) all.push_back(part);
  return all;
}
using Nothing = std::vector<std::string>;

Proposal shares(Strategy strategy, int replicas, std::map<std::string, std::int64_t> advertised) {
  Proposal one;
  one.strategy = strategy, one.replicas = replicas, one.advertised = std::move(advertised);
  one.memory_share = Mib{40960 / replicas};
  for (int gpu : {0, 1}) one.boards.push_back({NodeName("n1"), GpuIndex{gpu}, std::nullopt, {}, 0, {}});
  return one;
}

TEST(Handouts, EveryLeafHasSomeOnEveryPlatformAndNoneHasAHoleInIt) {
  for (Strategy strategy : kAllLeaves)
    for (int i = 0; i < sharing::kPlatforms; ++i) {
      const auto platform = static_cast<Platform>(i);
      const auto all = given(strategy, platform);
      EXPECT_FALSE(all.empty()) << word(strategy) << " " << sharing::word(platform);
      for (const Advice& one : all) {
        EXPECT_FALSE(one.text.empty()) << one.id;
        EXPECT_EQ((one.title + one.text).find("{{"), std::string::npos) << one.id;
        EXPECT_FALSE(one.text.ends_with('\n')) << one.id;
      }
    }
}

TEST(Handouts, APodAsksByTheNamesThatTheProposalOffers) {
  Proposal cut;
  cut.advertised = {{"nvidia.com/mig-1g.10gb", 2}, {"nvidia.com/mig-3g.40gb", 1}, {"nvidia.com/gpu", 0}};
  const std::string pods = text_of(given(Strategy::mig, Platform::gpu_operator, &cut), "pod");
  EXPECT_EQ(missing(pods, {"nvidia.com/mig-1g.10gb: 1", "nvidia.com/mig-3g.40gb: 1"}), Nothing{});
  EXPECT_EQ(pods.find("nvidia.com/gpu"), std::string::npos);
  EXPECT_EQ(pods.find("hostIPC"), std::string::npos);
  EXPECT_TRUE(parse_yaml(given(Strategy::mig, Platform::gpu_operator, &cut).front().text, "pod").ok());
  EXPECT_NE(text_of(given(Strategy::mps, Platform::gpu_operator), "pod").find("hostIPC: true"),
            std::string::npos);
}

TEST(Handouts, OnAckAPodAsksForMemoryAndNothingIsToldOfTheDevicePlugin) {
  const auto all = given(Strategy::mps, Platform::ack);
  EXPECT_NE(text_of(all, "pod").find("aliyun.com/gpu-mem: 4"), std::string::npos);
  EXPECT_EQ(text_of(all, "pod").find("hostIPC"), std::string::npos);
  EXPECT_EQ(text_of(all, "sharing-config"), "");
  EXPECT_NE(text_of(all, "node-pool").find("ack.node.gpu.schedule=mps"), std::string::npos);
}

// 19 of 78 GiB is what the pod asks for: so much the process may take, not one GiB.
TEST(Handouts, OnAckFrameworksAreHeldToTheGibThatThePodAsksFor) {
  const Proposal one = shares(Strategy::mps, 78, {{"aliyun.com/gpu-mem", 156}});
  const auto all = given(Strategy::mps, Platform::ack, &one);
  EXPECT_NE(text_of(all, "pod").find("aliyun.com/gpu-mem: 19"), std::string::npos);
  EXPECT_EQ(missing(text_of(all, "pytorch"), {"memory_fraction(0.2436)  # 19/78"}), Nothing{});
  EXPECT_EQ(missing(text_of(all, "tensorflow"), {"memory_limit=19456"}), Nothing{});
  for (const Advice& each : all) EXPECT_EQ(each.title.find("share of 78"), std::string::npos) << each.title;
  EXPECT_EQ(text_of(given(Strategy::mps, Platform::ack), "pytorch"), "")
      << "of a GPU whose GiB are not reported";
}

// Slashed lines that are indented, as a terminal prints them, part a word in two.
TEST(Handouts, NoWordIsContinuedOnTheNextLine) {
  for (Strategy strategy : kAllLeaves)
    for (int i = 0; i < sharing::kPlatforms; ++i)
      for (const Advice& one : given(strategy, static_cast<Platform>(i)))
        for (std::size_t at = one.text.find("\\\n"); at != std::string::npos;
             at = one.text.find("\\\n", at + 1))
          EXPECT_EQ(one.text.at(at - 1), ' ') << one.text;
}

TEST(Handouts, APodOfGkeFindsItsPoolAndAsksByThePlainName) {
  const auto shared = text_of(given(Strategy::mps, Platform::gke, nullptr), "pod");
  EXPECT_EQ(
      missing(shared, {"    cloud.google.com/gke-gpu-sharing-strategy: mps\n",
                       "    cloud.google.com/gke-max-shared-clients-per-gpu: \"4\"\n", "nvidia.com/gpu: 1"}),
      Nothing{})
      << shared;
  Proposal cut;
  cut.layout = "1g.10gb,1g.10gb", cut.advertised = {{"nvidia.com/gpu", 2}};
  const auto pod = text_of(given(Strategy::mig, Platform::gke, &cut), "pod");
  EXPECT_NE(pod.find("    cloud.google.com/gke-gpu-partition-size: 1g.10gb\n"), std::string::npos) << pod;
  EXPECT_TRUE(parse_yaml(pod, "pod").ok());
}

TEST(Handouts, ANodeThatSharesIsToldOfBothLabelsBeforeItIsCut) {
  Proposal cut;
  cut.layout = "1g.10gb,1g.10gb", cut.preset = "all-1g.10gb";
  const auto labels = [&] {
    return text_of(given(Strategy::mig, Platform::gpu_operator, &cut), "mig-config");
  };
  EXPECT_EQ(labels().find("device-plugin.config"), std::string::npos);
  cut.ends_sharing = true;
  EXPECT_EQ(missing(labels(), {"nvidia.com/device-plugin.config=KEY nvidia.com/mig.config=all-1g.10gb"}),
            Nothing{})
      << labels();
  cut.unshared_config = "plain";
  EXPECT_EQ(missing(labels(), {"nvidia.com/device-plugin.config=plain nvidia.com/mig.config=all-1g.10gb",
                               "# plain is the site's configuration"}),
            Nothing{})
      << labels();
  EXPECT_EQ(labels().find("KEY"), std::string::npos);
}

TEST(Handouts, TheKeyOfAConfigurationIsWholeAndLeavesTheOthersOfItsMap) {
  Proposal one = shares(Strategy::time_slicing, 4, {{"nvidia.com/gpu", 0}, {"nvidia.com/gpu.shared", 8}});
  one.mig_strategy = sharing::MigStrategy::mixed;
  const auto all = given(Strategy::time_slicing, Platform::gpu_operator, &one);
  const std::string config = text_of(all, "sharing-config");
  EXPECT_EQ(missing(config, {"leave its", "  ts4: |-", "migStrategy: mixed",
                             "timeSlicing:", "renameByDefault: true", "failRequestsGreaterThanOne: true",
                             "          - name: nvidia.com/gpu\n", "            replicas: 4"}),
            Nothing{})
      << config;
  EXPECT_EQ(config.find("kind: ConfigMap"), std::string::npos) << "it would take the other keys away";
  EXPECT_EQ(text_of(all, "sharing-choice").find("clusterpolicies.nvidia.com/cluster-policy --type"),
            std::string::npos)
      << "the policy goes on naming the ConfigMap that it names";
  const auto outer = parse_yaml(config, "config");
  ASSERT_TRUE(outer.ok()) << to_line(outer.error());
  EXPECT_TRUE(parse_yaml(outer->find("data")->find("ts4")->scalar, "inner").ok());
  EXPECT_NE(text_of(all, "sharing-choice")
                .find("kubectl label node n1 --overwrite "
                      "nvidia.com/device-plugin.config=ts4"),
            std::string::npos);
}

TEST(Handouts, SlurmsFilesNameEveryShareOfEveryGpu) {
  const Proposal one = shares(Strategy::mps, 4, {{"gpu:a100", 2}, {"mps", 200}});
  const auto all = given(Strategy::mps, Platform::slurm, &one);
  EXPECT_EQ(missing(text_of(all, "slurm-files"),
                    {"GresTypes=gpu,mps", "NodeName=n1 Gres=gpu:a100:2,mps:200",
                     "NodeName=n1 Name=gpu Type=a100 File=/dev/nvidia1",
                     "NodeName=n1 Name=mps Count=100 File=/dev/nvidia0", "ConstrainDevices=yes"}),
            Nothing{})
      << text_of(all, "slurm-files");
  EXPECT_NE(text_of(all, "sbatch").find("sbatch --gres=mps:25 job.sh"), std::string::npos);
  const auto turns = shares(Strategy::time_slicing, 4, {{"gpu:a100", 2}, {"shard", 8}});
  EXPECT_EQ(
      missing(text_of(given(Strategy::time_slicing, Platform::slurm, &turns), "slurm-files"),
              {"GresTypes=gpu,shard", "Gres=gpu:a100:2,shard:8", "Name=shard Count=4 File=/dev/nvidia1"}),
      Nothing{});
  EXPECT_EQ(text_of(given(Strategy::mps, Platform::slurm, &one, {"", true}), "slurm-files"), "")
      << "the node's other GPUs would be missing in it";
}

TEST(Handouts, ACutNodeOfSlurmIsFoundByNvml) {
  Proposal cut;
  cut.layout = "3g.20gb,3g.20gb", cut.advertised = {{"gpu:3g.20gb", 4}};
  for (const char* node : {"n1", "n2"})
    cut.boards.push_back({NodeName(node), GpuIndex{0}, std::nullopt, {}, 0, {}});
  EXPECT_EQ(missing(text_of(given(Strategy::mig, Platform::slurm, &cut), "slurm-files"),
                    {"NodeName=n1 Gres=gpu:3g.20gb:2", "AutoDetect=nvml"}),
            Nothing{});
}

TEST(Handouts, AJobRunsInAContainerByEnrootAndPyxis) {
  EXPECT_EQ(missing(text_of(given(Strategy::time_slicing, Platform::slurm), "container"),
                    {"enroot import -o myimage.sqsh",
                     "sbatch --gres=shard:1 --container-image=myimage.sqsh job.sh"}),
            Nothing{});
}

TEST(Handouts, AnMpsJobHasItsOwnFoldersAndCleansUp) {
  const auto all = given(Strategy::mps, Platform::slurm);
  EXPECT_EQ(missing(text_of(all, "mps-job"),
                    {"#SBATCH --gres=mps:25", "CUDA_MPS_PIPE_DIRECTORY=\"$base/pipe\"",
                     "CUDA_MPS_LOG_DIRECTORY=\"$base/log\"", "SLURM_JOB_ID", "trap clean_up EXIT",
                     "echo quit | nvidia-cuda-mps-control", "rm -rf -- \"$base\"",
                     "Slurm has set CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"}),
            Nothing{});
  EXPECT_EQ(text_of(all, "mps-job").find("export CUDA_MPS_ACTIVE"), std::string::npos);
  EXPECT_NE(text_of(all, "mps-variables").find("Slurm itself sets\n# CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"),
            std::string::npos);
  EXPECT_NE(text_of(all, "mps-daemon").find("tessera config mps-prolog"), std::string::npos);
}

TEST(Handouts, FrameworksAreHeldToTheirShareAndWhatHappensAboveItIsSaid) {
  const Proposal one = shares(Strategy::time_slicing, 4, {{"nvidia.com/gpu", 8}});
  for (Platform platform : {Platform::gpu_operator, Platform::slurm}) {
    const auto all = given(Strategy::time_slicing, platform, &one);
    EXPECT_EQ(missing(text_of(all, "pytorch"), {"set_per_process_memory_fraction(0.25)", "OutOfMemoryError"}),
              Nothing{});
    EXPECT_EQ(missing(text_of(all, "tensorflow"), {"memory_limit=10240", "ResourceExhaustedError"}),
              Nothing{});
    EXPECT_EQ(missing(text_of(all, "application-peak"), {"max_memory_allocated", "get_memory_info"}),
              Nothing{});
    EXPECT_EQ(missing(text_of(all, "peak-memory"),
                      {"max_over_time(DCGM_FI_DEV_FB_USED[7d])", "DCGM_FI_DEV_GPU_UTIL", "12239"}),
              Nothing{});
  }
}

// With no cluster at hand, and on a node whose source tells no memory.
TEST(Handouts, EveryGpuWithoutMigHasTheLimitsOfOneShareAsNumbers) {
  for (const char* key : {"A10", "L4", "L40S", "T4", "A40", "H100-80GB-SXM5"})
    for (Platform platform : {Platform::gpu_operator, Platform::slurm})
      for (Strategy leaf : {Strategy::mps, Strategy::time_slicing}) {
        const auto all = propose(scope_of(test::product(key)), leaf, platform);
        ASSERT_FALSE(all.empty());
        const auto texts = given(leaf, platform, &all.front());
        const std::string at = std::string(key) + " " + std::string(word(leaf));
        const std::string tensorflow = text_of(texts, "tensorflow"), limits = text_of(texts, "mps-variables");
        const auto number_behind = [](const std::string& text, std::string_view mark) {
          const std::size_t found = text.find(mark);
          return found != std::string::npos && std::isdigit(text.at(found + mark.size())) != 0;
        };
        EXPECT_TRUE(number_behind(tensorflow, "memory_limit=")) << at << ": " << tensorflow;
        if (leaf == Strategy::mps) EXPECT_TRUE(number_behind(limits, "MEM_LIMIT=0=")) << at << ": " << limits;
        EXPECT_EQ(limits.find("..."), std::string::npos) << at;
      }
}

// Of a GPU whose memory is not known the texts ask the driver, in the place where they run.
TEST(Handouts, OfAGpuOfUnknownMemoryTheTextsAskTheDriver) {
  Proposal one;
  one.strategy = Strategy::mps;
  const auto texts = given(Strategy::mps, Platform::slurm, &one);
  EXPECT_EQ(missing(text_of(texts, "mps-variables"), {"--query-gpu=memory.total", "0=$((mib * 25 / 100))M"}),
            Nothing{});
  EXPECT_EQ(missing(text_of(texts, "tensorflow"), {"--query-gpu=memory.total", "// 4", "memory_limit=mib"}),
            Nothing{});
}

TEST(Handouts, TheLengthOfATurnComesWithItsCaution) {
  const std::string text = text_of(given(Strategy::time_slicing, Platform::slurm), "time-slice");
  EXPECT_EQ(missing(text, {"compute-policy --set-timeslice=1", "not documented", "Not Supported"}),
            Nothing{});
  const auto geforce = given(Strategy::time_slicing, Platform::slurm, nullptr, {"GeForce-30", false});
  EXPECT_EQ(text_of(geforce, "time-slice").find("--set-timeslice"), std::string::npos);
}

TEST(Handouts, WhereAPoolFixesItThePlatformsOwnCommandIsHandedOut) {
  Proposal cut;
  cut.layout = "1g.10gb,1g.10gb", cut.advertised = {{"nvidia.com/gpu", 2}};
  EXPECT_NE(
      text_of(given(Strategy::mig, Platform::gke, &cut), "node-pool").find("gpu-partition-size=1g.10gb"),
      std::string::npos);
  EXPECT_NE(
      text_of(given(Strategy::mig, Platform::aks, &cut), "node-pool").find("--gpu-instance-profile MIG1g"),
      std::string::npos);
  EXPECT_NE(text_of(given(Strategy::time_slicing, Platform::gke), "node-pool")
                .find("gpu-sharing-strategy=time-sharing,max-shared-clients-per-gpu=4"),
            std::string::npos);
}

TEST(Handouts, HostileNamesAreRefused) {
  Proposal one = shares(Strategy::time_slicing, 4, {{"a: b\n  c", 2}, {"gpu;rm -rf ~", 1}});
  one.boards = {{NodeName("n1;reboot"), GpuIndex{0}, std::nullopt, {}, 0, {}}};
  one.preset = "x\"y";
  for (Platform platform : {Platform::gpu_operator, Platform::slurm})
    for (Strategy strategy : kAllLeaves)
      for (const Advice& each : given(strategy, platform, &one))
        EXPECT_EQ(missing(each.text, {"a: b", "reboot", "rm -rf ~", "x\"y"}).size(), 4u) << each.text;
}

TEST(Handouts, AFileThatNamesNoFactIsRefusedWithItsLine) {
  const auto read = Handouts::parse(
      "handouts:\n  - {id: a, title: t, for: [mig], on: [slurm], text: \"{{colour}}\"}\n", "own.yaml");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(to_line(read.error()).find("own.yaml:2"), std::string::npos) << to_line(read.error());
  EXPECT_FALSE(
      Handouts::parse("handouts:\n  - {id: a, title: t, for: [x], on: [slurm], text: b}\n", "f").ok());
  EXPECT_FALSE(Handouts::parse("handouts:\n  - {id: a, title: t, for: [mig], on: [x], text: b}\n", "f").ok());
}

TEST(Handouts, LinesOfAFactKeepTheirPlace) {
  EXPECT_EQ(filled("a:\n  {{x}}\nb {{x}}", {{"x", "1\n2"}}), "a:\n  1\n  2\nb 1\n2");
  EXPECT_EQ(filled("{{y}}", {}), std::nullopt);
}

}  // namespace
}  // namespace tessera::guide
