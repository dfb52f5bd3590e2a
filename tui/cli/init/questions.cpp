#include "tui/cli/init/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/sharing/platform.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"

namespace tessera::cli {
namespace {

const Cluster* cluster_of(const Model& found, Scheduler scheduler) {
  for (const Cluster& cluster : found.clusters)
    if (cluster.scheduler == scheduler) return &cluster;
  return nullptr;
}

// "slurm 22.05.8": whether a reconfigure is enough for new nodes and GPUs (docs/slurm.md).
bool needs_restarts(const std::string& version) {
  const std::size_t digits = version.find_first_of("0123456789");
  if (digits == std::string::npos) return true;
  int major = 0, minor = 0;
  const char* end = version.data() + version.size();
  auto [dot, problem] = std::from_chars(version.data() + digits, end, major);
  if (problem != std::errc{}) return true;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  return major < 23 || (major == 23 && minor < 11);
}

void ask_which_clusters(std::vector<Question>& list, const Surroundings& here) {
  const auto named = [&](const char* setting) {
    auto it = here.named.find(setting);
    return it == here.named.end() ? std::string() : it->second;
  };
  if (!named("slurm-conf").empty())
    list.push_back({"slurm-conf", "Which slurm.conf describes the Slurm cluster?",
                    "Left out: tessera looks in /etc/slurm, /etc/slurm-llnl and /run/slurm/conf.",
                    named("slurm-conf"), named("slurm-conf")});
  if (!named("kubeconfig").empty())
    list.push_back(
        {"kubeconfig", "Which kubeconfig leads to the Kubernetes clusters?",
         "Left out: KUBECONFIG, or ~/.kube/config of each user. A file with credentials should not be "
         "shared.",
         named("kubeconfig"), named("kubeconfig")});
  if (here.contexts.size() > 1 || !named("context").empty())
    list.push_back(
        {"context", "Which Kubernetes clusters are shown (contexts, separated by commas)?",
         "Each is opened as a cluster of that name, and a change acts on the one whose node it names. Left "
         "out: the current context of each user.",
         fmt::format("{}", fmt::join(here.contexts, ", ")), named("context")});
}

void ask_about_slurm(std::vector<Question>& list, const Cluster& cluster, const Surroundings& here) {
  list.push_back(
      {"slurm-runner", "How are commands run on a node?",
       "GPUs and their instances are read and changed there, as root. ssh needs a key that works without a "
       "password; srun needs a job on the node; a command of your own has {node} in it.",
       here.ssh ? "ssh is in PATH" : "ssh is not in PATH", here.ssh ? "ssh" : ""});
  list.push_back(
      {"slurm-files", "Who writes slurm.conf and gres.conf?",
       "A new layout changes what a node offers. here: this user writes them; host:NAME: they are written on "
       "that "
       "host; site: a patch is printed, and plans wait until your own automation has applied it.",
       here.writes_conf ? "this user may write slurm.conf here" : "this user may not write slurm.conf here",
       here.writes_conf ? "here" : "site"});
  if (needs_restarts(cluster.version)) {
    list.push_back({"slurm-restart-controller", "Which command restarts slurmctld?",
                    "Before Slurm 23.11 a reconfigure does not take new GPUs of a node. Without this, plans "
                    "that need it are "
                    "refused.",
                    cluster.version, ""});
    list.push_back({"slurm-restart-node", "Which command restarts a node's slurmd? {node} in it is the node.",
                    "Before Slurm 23.11 slurmd counts its GPUs only when it starts. Without this, plans that "
                    "need it are "
                    "refused.",
                    cluster.version, ""});
  }
  list.push_back(
      {"slurm-mig-tool", "What applies a MIG layout on a node?",
       "nvidia-smi makes instance by instance and touches only what differs; nvidia-mig-parted clears a GPU "
       "whose layout differs.",
       "", "nvidia-smi"});
  list.push_back(
      {"slurm-boot-file", "Where does a node keep its layout for the next boot?",
       "MIG instances are gone after a reboot. With a path tessera keeps a file for nvidia-mig-parted there.",
       "", ""});
  list.push_back({"slurm-boot-unit", "Which systemd unit applies that file before slurmd starts?",
                  "Each run that changes MIG verifies that it is enabled.", "", ""});
  list.push_back(
      {"slurm-stop-clients", "Which commands stop the GPU clients of this site on a node (separated by ;)?",
       "A monitoring agent that has the GPU open makes a change fail with \"In use by another client\".", "",
       ""});
  list.push_back({"slurm-start-clients", "Which commands start them again?",
                  "They run when the change is over.", "", ""});
}

void ask_about_kubernetes(std::vector<Question>& list, const Cluster& cluster) {
  const auto seen = sharing::platform_of(cluster, std::nullopt);
  list.push_back({"platform", "Which platform is the Kubernetes cluster?",
                  "Managed platforms have rules of their own: layouts that they allow, and who may change "
                  "them. Left out: "
                  "as the labels of the nodes show.",
                  fmt::format("{}: {}", cluster.name.text, sharing::title(seen.platform)), ""});
}

std::string yaml_quoted(std::string_view answer) {
  std::string out = "\"";
  for (char c : answer) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

Result<std::string> settings_text_of(const std::map<std::string, std::string>& answers) {
  std::string text;
  for (const auto& [name, answer] : answers) {
    if (std::any_of(answer.begin(), answer.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      return Error{"cannot use this answer", name + ": it has a control character", "write it on one line"};
    if (!answer.empty()) text += fmt::format("{}: {}\n", name, yaml_quoted(answer));
  }
  return text;
}

std::vector<Question> questions(const Model& found, const Surroundings& here) {
  std::vector<Question> list;
  ask_which_clusters(list, here);
  if (const Cluster* slurm = cluster_of(found, Scheduler::slurm)) ask_about_slurm(list, *slurm, here);
  if (const Cluster* kubernetes = cluster_of(found, Scheduler::kubernetes))
    ask_about_kubernetes(list, *kubernetes);
  list.push_back({"runs", "Which folder do the admins of this site share for journals?",
                  "A colleague can then resume a run that another admin left. Its group is trusted with the "
                  "nodes. Left out: "
                  "each has a folder of their own.",
                  "", ""});
  list.push_back({"isolation", "Must users be kept apart on one GPU (yes or no)?",
                  "The guide then answers that question of its flowchart by itself. Left out: it asks.", "",
                  ""});
  list.push_back({"licence", "Does this site have a vGPU licence (yes or no)?",
                  "The guide then answers that question, too. Left out: it asks.", "", ""});
  return list;
}

std::string configuration(const std::vector<Question>& asked,
                          const std::map<std::string, std::string>& answers) {
  std::string text =
      "# Settings of tessera, written by tessera init. man 5 tessera-config explains them all.\n";
  for (const Question& question : asked) {
    const auto it = answers.find(std::string(question.setting));
    if (it == answers.end() || it->second.empty()) continue;
    std::string help = wrapped(find_flag(question.setting)->help, 2, 110);
    for (std::size_t at = 0; at < help.size(); at = help.find('\n', at) + 1) help[at] = '#';
    text += fmt::format("\n{}{}: {}\n", help, question.setting, yaml_quoted(it->second));
  }
  return text;
}

}  // namespace tessera::cli
