// A cluster of one node and the jobs on it, for plans of node actions.
// Threads: one test at a time.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/reduce.hpp"

namespace tessera::test {

class OneNode : public testing::Test {
 protected:
  void tell(Node node, std::vector<Workload> jobs = {}) {
    cluster.name = ClusterName("hpc");
    cluster.loaded = true;
    for (const Workload& one : jobs) {
      node.workloads.push_back(one.id);
      cluster.workloads.upsert(one);
    }
    link_holders(node, cluster.workloads);
    cluster.nodes.upsert(std::move(node));
  }
  Cluster cluster;
};

}  // namespace tessera::test
