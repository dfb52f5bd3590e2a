// Questions about the past, between the thread that owns the model and a backend's own.
// Threads: ask() and take() on the thread that owns the model; Prometheus on the worker's.
#pragma once

#include <functional>
#include <future>
#include <vector>

#include "backends/figures/prometheus.hpp"
#include "engine/history/keeps_figures.hpp"

namespace tessera::figures {

class LookBack {
 public:
  // of: on the worker's thread; nullptr: there is none (any more). here: called there when the answer is.
  void ask(Worker& worker, std::function<Prometheus*()> of, const NodeName& node, TimePoint since,
           const mig::Catalogue* catalogue, std::function<void()> here);
  void ask_sums(Worker& worker, std::function<Prometheus*()> of, TimePoint since,
                const mig::Catalogue* catalogue, std::function<void()> here);
  std::vector<history::KeptFigures> take();
  std::vector<history::SumsBefore> take_sums();  // those that tell anything

 private:
  std::vector<std::future<history::KeptFigures>> asked_;
  std::vector<std::future<history::SumsBefore>> asked_sums_;
};

}  // namespace tessera::figures
