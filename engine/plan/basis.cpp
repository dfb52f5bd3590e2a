#include "engine/plan/basis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::plan {
namespace {

using Kind = BasisPart::Kind;

std::string digest_of(const std::vector<std::string>& texts) {
  Digest all;
  for (const std::string& text : texts) all.add(text);
  return all.text();
}

std::string digest_of(const std::map<std::string, std::string>& texts) {
  Digest all;
  for (const auto& [key, text] : texts) all.add(key).add(text);
  return all.text();
}

template <class Number>
std::string digest_of_number(Number number) {
  return digest(std::to_string(static_cast<int>(number)));
}

// All fields by name, so that a new one does not compile until it is decided here what it means for a plan.
Basis of_slurm(const slurmconf::SlurmSetup& site) {
  const auto& [major, minor, files, unapplied, in_pods, writer, config_host, cannot_write, configless, reach,
               mig_tool, runner, restart_controller, restart_node, stop_clients, start_clients, boot_file,
               boot_unit, without_systemd, look_deadline, autodetect, mig_prefix, mig_minors, gpu_file,
               instance_file, reboot_program] = site;
  (void)reboot_program;   // Slurm itself refuses a reboot where it has none
  (void)look_deadline;    // no step depends on it
  (void)without_systemd;  // grows as nodes are asked; steps that depend on it are compared themselves
  (void)cannot_write;     // depends on who asks; a run looks before it writes
  Basis all;
  for (const slurmconf::File& file : files) all.push_back({Kind::file, file.path, digest(file.text)});
  auto setting = [&](const char* name, std::string value) {
    all.push_back({Kind::setting, name, std::move(value)});
  };
  auto fact = [&](const char* name, std::string value) {
    all.push_back({Kind::fact, name, std::move(value)});
  };
  setting("slurm-files", Digest().add(digest_of_number(writer)).add(config_host).text());
  setting("slurm-runner", Digest().add(digest_of_number(reach)).add(digest_of(runner)).text());
  setting("slurm-mig-tool", digest_of_number(mig_tool));
  setting("slurm-restart-controller", digest_of(restart_controller));
  setting("slurm-restart-node", digest_of(restart_node));
  setting("slurm-stop-clients", digest_of(stop_clients));
  setting("slurm-start-clients", digest_of(start_clients));
  setting("slurm-boot-file", digest(boot_file));
  setting("slurm-boot-unit", digest(boot_unit));
  setting("slurm-devices", digest_of({autodetect ? "nvml" : "", gpu_file, instance_file}));
  fact("Slurm's version", digest(fmt::format("{}.{}", major, minor)));
  fact("which nodes Slurm runs otherwise than its files say", digest_of(unapplied));
  fact("which nodes run in pods (Slinky)", digest_of(in_pods));
  fact("whether slurmd gets its files from the controller", digest_of_number(configless));
  fact("how GRES types are named", digest(mig_prefix));
  fact("the driver's list of MIG devices", digest(mig_minors));
  return all;
}

std::string of_file(const operators::MigFilePtr& file) { return digest(file ? "=" + file->text : ""); }

// What the manager writes while it works is left out.
std::string of_labels(std::map<std::string, std::string> labels) {
  for (std::string_view state : {operators::kMigState, operators::kVgpuState})
    labels.erase(std::string(state));
  return digest_of(labels);
}

std::string named(const std::string& map) { return map.empty() ? "" : " " + map; }

bool is_named(const std::vector<NodeName>& nodes, const std::string& name) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const NodeName& node) { return node.text == name; });
}

constexpr const char* kFilesOutside = "the MIG manager's file on a node outside the plan";
constexpr const char* kLabelsOutside = "the GPU labels of a node outside the plan";

// One part for each node of the plan, and what others have to do with it.
template <class Told, class NameOf, class DigestOf>
void add_by_node(Basis& all, const std::map<std::string, Told>& told, const std::vector<NodeName>& nodes,
                 Outside outside, NameOf name_of, const char* together, DigestOf digest_of_it) {
  Digest others;
  for (const auto& [node, one] : told) {
    const bool ours = is_named(nodes, node);
    if (ours || outside == Outside::each)
      all.push_back({Kind::object, name_of(ours ? node : node + " (outside the plan)"), digest_of_it(one)});
    else
      others.add(node).add(digest_of_it(one));
  }
  if (outside == Outside::together) all.push_back({Kind::object, together, others.text()});
}

// As above: all fields by name.
Basis of_operator(const operators::OperatorSetup& site, const std::vector<NodeName>& nodes, Outside outside) {
  const auto& [readings, gpu_cluster, ns, dra_api, rules_api, dra_ns, version, strategy, mig_config_map,
               mig_config, node_config, plugin_config_map, plugin_default, plugin_configs, configs_written,
               labels, plugin_version, policy, vm_nodes, owned_by_others, kept_back, slurmd_pods] = site;
  (void)readings;         // when and how often a part was read says nothing of its value
  (void)configs_written;  // what stands there counts, whoever has written it again
  (void)kept_back;        // budgets change by themselves, and a run asks again
  (void)slurmd_pods;      // made again under other names; steps that depend on them are compared themselves
  Basis all;
  auto object = [&](std::string name, std::string value) {
    all.push_back({Kind::object, std::move(name), std::move(value)});
  };
  object("ClusterPolicy", digest_of({policy, strategy, mig_config_map, plugin_config_map, plugin_default,
                                     plugin_version, vm_nodes ? (*vm_nodes ? "vm" : "no vm") : "not told"}));
  object("the MIG manager's configuration" + named(mig_config_map), of_file(mig_config));
  object("the device plugin's configuration" + named(plugin_config_map), digest_of(plugin_configs));
  object("the GPUCluster", digest(gpu_cluster));
  all.push_back({Kind::fact, "the GPU operator's namespace", digest(ns)});
  all.push_back({Kind::fact, "the GPU operator's version", digest(version)});
  if (!dra_api.empty())  // most clusters have no such devices
    all.push_back({Kind::fact, "where the DRA driver is", digest(dra_api + " " + rules_api + " " + dra_ns)});
  all.push_back({Kind::fact, "who else manages the operator's objects", digest_of(owned_by_others)});
  add_by_node(
      all, node_config, nodes, outside,
      [](const std::string& node) { return "the MIG manager's file on " + node; }, kFilesOutside, of_file);
  add_by_node(
      all, labels, nodes, outside, [](const std::string& node) { return "the GPU labels of " + node; },
      kLabelsOutside, of_labels);
  return all;
}

const BasisPart* find(const Basis& basis, const BasisPart& like) {
  for (const BasisPart& part : basis)
    if (part.kind == like.kind && part.name == like.name) return &part;
  return nullptr;
}

bool is_plural(const BasisPart& part) { return part.name.starts_with("the GPU labels of"); }

std::string sentence(const BasisPart& part, const char* file, const char* other) {
  if (part.kind == Kind::setting) return fmt::format("setting {} differs", part.name);
  return fmt::format("{} {}", part.name, part.kind == Kind::file ? file : other);
}

}  // namespace

Basis basis_of(const Setup& setup, const std::vector<NodeName>& nodes, Outside outside) {
  if (setup.slurm) return of_slurm(*setup.slurm);
  if (setup.gpu_operator) return of_operator(*setup.gpu_operator, nodes, outside);
  return {};
}

bool told_together(const Basis& basis) {
  return std::any_of(basis.begin(), basis.end(), [](const BasisPart& part) {
    return part.name == kFilesOutside || part.name == kLabelsOutside;
  });
}

std::vector<std::string> what_changed(const Basis& then, const Basis& now) {
  std::vector<std::string> changed;
  for (const BasisPart& part : then) {
    const BasisPart* same = find(now, part);
    if (!same)
      changed.push_back(sentence(part, "is no longer read",
                                 is_plural(part) ? "are no longer reported" : "is no longer reported"));
    else if (same->digest != part.digest)
      changed.push_back(sentence(part, "was edited", "changed"));
  }
  for (const BasisPart& part : now)
    if (!find(then, part))
      changed.push_back(sentence(part, "was not read then",
                                 is_plural(part) ? "were not reported then" : "was not reported then"));
  return changed;
}

std::string_view word(BasisPart::Kind kind) {
  switch (kind) {
    case Kind::setting: return "setting";
    case Kind::file: return "file";
    case Kind::object: return "object";
    case Kind::fact: return "fact";
  }
  return "fact";
}

}  // namespace tessera::plan
