#include "backends/slurm/calls.hpp"

namespace tessera::slurm {

void Calls::run(Command command, Processes::Finished finished, Kind kind) {
  (kind == Kind::change ? changes_ : looks_).push_back({std::move(command), std::move(finished)});
  next();
}

void Calls::next() {
  std::deque<Waiting>& line = changes_.empty() ? looks_ : changes_;
  if (under_way_ || line.empty()) return;
  under_way_ = true;
  Waiting call = std::move(line.front());
  line.pop_front();
  pacer_.called(Pacer::Instant::clock::now());
  processes_.run(std::move(call.command),
                 [this, finished = std::move(call.finished)](Result<Outcome> outcome) {
                   under_way_ = false;
                   finished(std::move(outcome));
                   next();
                 });
}

}  // namespace tessera::slurm
