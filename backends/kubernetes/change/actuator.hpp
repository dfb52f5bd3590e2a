// Changes nodes that the GPU operator looks after: by labels, annotations, cordons and evictions, and by
// ConfigMaps that are added to. docs/kubernetes.md lists every write.
//
// Each write to a node is made on what was just read of it (metadata.resourceVersion), so that whoever was
// quicker is not overwritten; and none but the lock itself is made on a node that carries no mark of the run.
// Threads: as plan::Actuator; work is done on the backend's worker. What is under way when
// the backend goes ends with an Error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/http_client.hpp"
#include "backends/worker.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::kubernetes {

struct ActuatorOptions {
  const mig::Catalogue* catalogue = nullptr;
  std::function<TimePoint()> clock;
  // On the worker, each time that the operator's settings were read.
  std::function<void(std::shared_ptr<const operators::OperatorSetup>)> told;
  // On the worker: what is asked for from time to time is asked for now. May be empty.
  std::function<void()> look_again;
};

class KubernetesActuator final : public plan::Actuator {
 public:
  KubernetesActuator(Worker& worker, ActuatorOptions options);
  ~KubernetesActuator() override;

  plan::Means means() const override;
  std::string cluster_id() const override;
  void observe(NodeName node, Told<plan::NodeFacts> told) override;
  void perform(plan::Order order, Told<Done> told) override;
  void marks(Told<std::vector<plan::MarkedNode>> told) override;
  void look_again() override;

  // The way to the API server; before that everything is refused. On the worker; the client outlives this.
  void connect(HttpClient& client);
  // Reads how the operator is set up, for means(), now and every few minutes. On the worker, once it
  // is connected.
  void read_site();
  // Reads the uid of the namespace kube-system, which no two clusters share, for cluster_id(); then calls
  // `then`, also where it is not reported. On the worker, once it is connected.
  void read_cluster_id(std::function<void()> then);
  // By pod: why it could not be evicted now (OperatorSetup::kept_back), and why the budgets could not be
  // read, if so; and those that run slurmd (OperatorSetup::slurmd_pods). On the worker.
  void set_pods(const std::map<std::string, std::string>& kept, const std::optional<Error>& untold,
                const std::map<std::string, operators::SlurmdPod>& slurmd);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::kubernetes
