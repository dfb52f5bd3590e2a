// Which clusters a person's kubeconfig names, before anybody is asked. Only kubectl uses what is in it.
//
// Merged as kubectl does (kubernetes.io, "Organizing cluster access using kubeconfig files"): of several
// files in KUBECONFIG the first to name something counts; files that are not there are passed by.
// Threads: reads files; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::kubernetes {

struct Context {
  std::string name;
  std::string cluster;
  std::string server;  // "https://10.0.0.1:6443"; empty: the file names none for it
};

struct Kubeconfig {
  std::vector<std::string> files;  // those that were read
  std::string current;             // current-context; empty: none is chosen
  std::vector<Context> contexts;
  bool in_cluster = false;  // no file: we run in a pod, with its service account

  const Context* find(std::string_view name) const;
};

// given: --kubeconfig; else KUBECONFIG (variable), else HOME/.kube/config, else the service account of a pod.
// Errors: no file, one that cannot be read, or that is no kubeconfig.
struct KubeconfigPlace {
  std::string given;
  std::string variable;
  std::string home;
  bool service_account = false;  // KUBERNETES_SERVICE_HOST is set
};
Result<Kubeconfig> read_kubeconfig(const KubeconfigPlace& place);

// The contexts to open: those that are asked for by name, else the current one.
Result<std::vector<Context>> choose_contexts(const Kubeconfig& config,
                                             const std::vector<std::string>& wanted);

// The name under which a context's cluster is shown: its own, clean; where one of `taken` has that already (a
// Slurm cluster, or a context that only looks alike), with " (kubernetes)", " (kubernetes 2)" behind it. The
// same set of clusters in the same order gives the same names.
std::string shown_name(const Context& context, const std::vector<std::string>& taken);

}  // namespace tessera::kubernetes
