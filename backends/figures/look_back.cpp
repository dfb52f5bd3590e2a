#include "backends/figures/look_back.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace tessera::figures {
namespace {

bool is_here(const std::future<history::KeptFigures>& one) {
  return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

void LookBack::ask(Worker& worker, std::function<Prometheus*()> of, const NodeName& node, TimePoint since,
                   const mig::Catalogue* catalogue, std::function<void()> here) {
  auto promise = std::make_shared<std::promise<history::KeptFigures>>();
  asked_.push_back(promise->get_future());
  worker.post([promise, of = std::move(of), node, since, catalogue, here = std::move(here)] {
    Prometheus* prometheus = of();
    if (!prometheus) return promise->set_value({node, {}});
    prometheus->look_back(node, since,
                          [promise, node, catalogue, here](const std::vector<DcgmReadings>& rounds) {
                            history::KeptFigures kept{node, {}};
                            for (const DcgmReadings& one : rounds)
                              kept.rounds.push_back(measured_of(node, one, catalogue));
                            promise->set_value(std::move(kept));
                            here();
                          });
  });
}

// A promise that went with its question is broken: it is taken out, and nothing is told.
std::vector<history::KeptFigures> LookBack::take() {
  const auto waits = [](const std::future<history::KeptFigures>& one) { return !is_here(one); };
  const auto ready = std::stable_partition(asked_.begin(), asked_.end(), waits);
  std::vector<history::KeptFigures> taken;
  for (auto one = ready; one != asked_.end(); ++one) {
    try {
      taken.push_back(one->get());
    } catch (const std::future_error&) {
      continue;
    }
  }
  asked_.erase(ready, asked_.end());
  return taken;
}

}  // namespace tessera::figures
