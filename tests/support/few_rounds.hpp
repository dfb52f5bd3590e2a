// A recording of one node of the cluster hpc: rounds that are a minute apart, and how reading them ends.
// Threads: one test.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "engine/record/recording.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

class FewRounds final : public record::Recording {
 public:
  // told: how many rounds were told, where a test counts.
  explicit FewRounds(std::vector<Node> rounds, Status end = Done{}, int* told = nullptr)
      : rounds_(std::move(rounds)), end_(std::move(end)), told_(told) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(-3600), test::at(0)}; }
  Result<Model> at(TimePoint) override { return Error{"cannot go back", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    const std::set<std::string> none;
    TimePoint now = test::at(-3600);
    for (const Node& node : rounds_) {
      test::Story story;
      story.tell(NodesListed{{node}});
      if (now >= from && now <= to && told_) ++*told_;
      if (now >= from && now <= to && !see({story.cluster(), now, none})) return Done{};
      now += std::chrono::minutes(1);
    }
    return end_;
  }

 private:
  ClusterName name_{"hpc"};
  std::vector<Node> rounds_;
  Status end_;
  int* told_;
};

}  // namespace tessera::test
