#include "engine/sharing/platform.hpp"

#include <array>

#include "engine/text.hpp"

namespace tessera::sharing {

namespace {

struct Row {
  std::string_view word;
  std::string_view title;
  Scheduler scheduler;
};
constexpr std::array<Row, kPlatforms> kRows{{
    {"operator", "GPU operator", Scheduler::kubernetes},
    {"fpt", "FPT managed Kubernetes", Scheduler::kubernetes},
    {"ack", "Alibaba Cloud ACK", Scheduler::kubernetes},
    {"gke", "Google GKE", Scheduler::kubernetes},
    {"aks", "Azure AKS", Scheduler::kubernetes},
    {"eks", "Amazon EKS", Scheduler::kubernetes},
    {"hyperpod-eks", "SageMaker HyperPod on EKS", Scheduler::kubernetes},
    {"hyperpod-slurm", "SageMaker HyperPod with Slurm", Scheduler::slurm},
    {"parallel-cluster", "AWS ParallelCluster", Scheduler::slurm},
    {"slurm", "Slurm", Scheduler::slurm},
}};

const Row& row(Platform platform) { return kRows[static_cast<std::size_t>(platform)]; }

// Labels that one platform sets and no other. The order matters: HyperPod on EKS has EKS labels as well.
struct Mark {
  std::string_view prefix;
  Platform platform;
};
constexpr std::array<Mark, 7> kMarks{{
    {"sagemaker.amazonaws.com/", Platform::hyperpod_eks},
    {"ack.node.gpu.schedule=", Platform::ack},
    {"ack.aliyun.com", Platform::ack},
    {"alibabacloud.com/", Platform::ack},
    {"cloud.google.com/gke-", Platform::gke},
    {"kubernetes.azure.com/", Platform::aks},
    {"eks.amazonaws.com/", Platform::eks},
}};

}  // namespace

std::string_view word(Platform platform) { return row(platform).word; }
std::string_view title(Platform platform) { return row(platform).title; }
Scheduler scheduler_of(Platform platform) { return row(platform).scheduler; }

std::optional<Platform> parse_platform(std::string_view text) {
  const std::string folded = lower(text);
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].word == folded) return static_cast<Platform>(i);
  }
  return std::nullopt;
}

Recognised recognise(const Cluster& cluster) {
  if (cluster.scheduler == Scheduler::slurm)
    return {Platform::slurm, {}};  // the AWS shapes leave no mark that scontrol prints
  for (const Mark& mark : kMarks) {
    for (const Node& node : cluster.nodes.all()) {
      for (const std::string& feature : node.features) {
        if (feature.starts_with(mark.prefix)) {
          return {mark.platform, "label " + clean(feature, 128) + " on " + clean(node.name.text, 128)};
        }
      }
    }
  }
  return {Platform::gpu_operator, {}};
}

Recognised platform_of(const Cluster& cluster, std::optional<Platform> told_by_site) {
  if (!told_by_site || scheduler_of(*told_by_site) != cluster.scheduler) return recognise(cluster);
  return {*told_by_site, "set for this site"};
}

std::optional<std::string_view> label(const Node& node, std::string_view key) {
  for (const std::string& feature : node.features) {
    const std::string_view text = feature;
    if (text.size() > key.size() && text[key.size()] == '=' && text.starts_with(key)) {
      return text.substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace tessera::sharing
