#include "engine/pack/sizing.hpp"

#include <algorithm>
#include <cmath>

#include "engine/pack/model_program.hpp"
#include "engine/pack/pack.hpp"

namespace tessera::pack {
namespace {

constexpr int kMaxSizingNodes = 5000;
constexpr int kMostForInstances = 100;  // fewer instances are a comfort: as few GPUs were found before

std::size_t demand_of(Problem& problem, const ProfileName& profile) {
  const auto at = std::find_if(problem.demand.begin(), problem.demand.end(),
                               [&](const Demand& one) { return one.profile == profile; });
  if (at != problem.demand.end()) return static_cast<std::size_t>(at - problem.demand.begin());
  problem.demand.push_back({profile, std::nullopt, 0});
  return problem.demand.size() - 1;
}

// The model's program with a column for each profile that a service may take, and a row for its rate.
class Sized {
 public:
  Sized(const ModelProgram& model, Problem& problem, const Services& services)
      : program_(model.program()),
        gpus_(model.objective(Cost::gpus)),
        evicted_(model.objective(Cost::evicted)),
        first_(program_.columns.size()),
        services_(services) {
    for (const Service& service : services_) {
      const int row = static_cast<int>(program_.rows.size());
      program_.rows.push_back({service.rate, kFree});
      for (const Service::Gives& gives : service.gives)
        program_.columns.push_back(
            {std::ceil(service.rate / gives.rate),
             {{static_cast<int>(demand_of(problem, gives.profile)), -1}, {row, gives.rate}}});
    }
  }

  const Program& program() const { return program_; }
  std::vector<double> fewest_gpus() const { return of_all(gpus_); }
  std::vector<double> fewest_evicted() const { return of_all(evicted_); }
  std::vector<double> fewest_instances() const {
    std::vector<double> weights(program_.columns.size(), 0);
    std::fill(weights.begin() + static_cast<std::ptrdiff_t>(first_), weights.end(), 1);
    return weights;
  }
  void limit_gpus(std::int64_t most) { limit(gpus_, most); }
  void limit_evicted(std::int64_t most) { limit(evicted_, most); }

  // nullopt: rounding hides that a rate is not reached.
  std::optional<std::vector<std::vector<int>>> counts(const Solution& solution) const {
    std::vector<std::vector<int>> all;
    std::size_t at = first_;
    for (const Service& service : services_) {
      double rate = 0;
      for (const Service::Gives& gives : service.gives) {
        const std::int64_t count = solution.values[at++];
        if (&gives == &service.gives.front()) all.emplace_back();
        all.back().push_back(static_cast<int>(count));
        rate += static_cast<double>(count) * gives.rate;
      }
      if (rate < service.rate * (1 - 1e-9)) return std::nullopt;
    }
    return all;
  }

 private:
  std::vector<double> of_all(std::vector<double> weights) const {
    weights.resize(program_.columns.size(), 0);
    return weights;
  }
  void limit(const std::vector<double>& weights, std::int64_t most) {
    const int row = static_cast<int>(program_.rows.size());
    program_.rows.push_back({-kFree, static_cast<double>(most)});
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 0) program_.columns[i].entries.push_back({row, weights[i]});
  }

  Program program_;
  std::vector<double> gpus_, evicted_;
  std::size_t first_;
  const Services& services_;
};

Error no_sizes(const std::string& why) {
  return {"no sizes are chosen", why, "name more GPUs, or lower a rate or the demand"};
}

// nullopt: nothing serves them all, or given up.
Result<std::optional<Sizes>> chosen(const Problem& problem, const Services& services, bool evict,
                                    const Stop& stop) {
  Problem asked = problem;
  for (const Service& service : services)
    for (const Service::Gives& gives : service.gives) demand_of(asked, gives.profile);
  const Result<Classes> classes = classify(asked, evict, false);
  if (!classes) return classes.error();
  const Nodes nodes = nodes_of(asked);
  const Model model = by_class(*classes, nodes, std::vector<bool>(nodes.boards.size(), true));
  ModelProgram met(model, *classes);
  met.limit(Cost::unmet, 0);
  Sized sized(met, asked, services);
  // Where parts of instances would do, whole ones may, too: that there are none is not proven.
  const auto none = [&](const std::vector<double>& cost) -> Result<std::optional<Sizes>> {
    if (relax(sized.program(), cost, stop))
      return no_sizes("the search ended before it found sizes that serve every service");
    return std::optional<Sizes>();
  };
  int evicted = 0;
  if (evict) {
    const auto fewest = minimise(sized.program(), sized.fewest_evicted(), kMaxSizingNodes, stop);
    if (!fewest) return none(sized.fewest_evicted());
    evicted = static_cast<int>(fewest->value);
    sized.limit_evicted(fewest->value);
  }
  auto found = minimise(sized.program(), sized.fewest_gpus(), kMaxSizingNodes, stop);
  if (!found) return none(sized.fewest_gpus());
  Sizes sizes{{}, evicted, static_cast<int>(found->value), static_cast<int>(found->bound)};
  // Of as few GPUs those with the fewest instances.
  sized.limit_gpus(found->value);
  if (auto fewer = minimise(sized.program(), sized.fewest_instances(), kMostForInstances, stop))
    found = std::move(fewer);
  auto counts = sized.counts(*found);
  if (!counts)
    return no_sizes("the sizes that were found do not reach a rate: the numbers are too far apart");
  sizes.counts = std::move(*counts);
  return std::optional(std::move(sizes));
}

}  // namespace

Result<Sizes> choose_sizes(const Problem& problem, const Services& services, const Stop& stop) {
  Result<std::optional<Sizes>> sizes = chosen(problem, services, false, stop);
  if ((!sizes || !*sizes) && problem.evict && !(stop && stop()))
    sizes = chosen(problem, services, true, stop);
  if (stop && stop()) return Error{"no sizes are chosen", "the search was given up", "ask again"};
  if (!sizes) return sizes.error();
  if (!*sizes)
    return no_sizes(problem.evict
                        ? "these GPUs cannot serve every service beside the demand, even where running "
                          "instances are moved"
                        : "these GPUs cannot serve every service beside the demand");
  return std::move(**sizes);
}

Problem with_sizes(Problem problem, const Services& services, const Sizes& sizes) {
  for (std::size_t i = 0; i < services.size(); ++i)
    for (std::size_t size = 0; size < services[i].gives.size(); ++size)
      problem.demand[demand_of(problem, services[i].gives[size].profile)].count += sizes.counts[i][size];
  return problem;
}

}  // namespace tessera::pack
