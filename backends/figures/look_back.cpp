#include "backends/figures/look_back.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace tessera::figures {
namespace {

// The answers that are here. A promise that went with its question is broken: it is taken out, and nothing is
// told.
template <class Answer>
std::vector<Answer> take_ready(std::vector<std::future<Answer>>& asked) {
  const auto ready = std::stable_partition(asked.begin(), asked.end(), [](const std::future<Answer>& one) {
    return one.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  });
  std::vector<Answer> taken;
  for (auto one = ready; one != asked.end(); ++one) {
    try {
      taken.push_back(one->get());
    } catch (const std::future_error&) {
      continue;
    }
  }
  asked.erase(ready, asked.end());
  return taken;
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

void LookBack::ask_sums(Worker& worker, std::function<Prometheus*()> of, TimePoint since,
                        const mig::Catalogue* catalogue, std::function<void()> here) {
  auto promise = std::make_shared<std::promise<history::SumsBefore>>();
  asked_sums_.push_back(promise->get_future());
  worker.post([promise, of = std::move(of), since, catalogue, here = std::move(here)] {
    Prometheus* prometheus = of();
    if (!prometheus) return promise->set_value({});
    prometheus->look_back_at_sums(since, catalogue, [promise, here](history::SumsBefore kept) {
      const bool tells = !kept.sums.empty();
      promise->set_value(std::move(kept));
      if (tells) here();
    });
  });
}

std::vector<history::KeptFigures> LookBack::take() { return take_ready(asked_); }

std::vector<history::SumsBefore> LookBack::take_sums() {
  std::vector<history::SumsBefore> taken = take_ready(asked_sums_);
  std::erase_if(taken, [](const history::SumsBefore& one) { return one.sums.empty(); });
  return taken;
}

}  // namespace tessera::figures
