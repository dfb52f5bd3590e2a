#include "backends/slurm/calls.hpp"

#include <memory>
#include <utility>

#include "backends/slurm/commands.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kMostNodes = 64;  // of one call

}  // namespace

void Calls::run(Command command, Processes::Finished finished, Kind kind) {
  Waiting call{std::move(command), {}, nullptr, false};
  call.asked.push_back({"", std::move(finished)});
  (kind == Kind::change ? changes_ : looks_).push_back(std::move(call));
  next();
}

void Calls::change_node(const std::string& node, Make make, Processes::Finished finished) {
  Asked asked{node, std::move(finished)};
  const std::vector<std::string> alike = make("").argv;
  for (Waiting& call : changes_) {
    if (!call.joins || !call.make || call.asked.size() >= kMostNodes || call.make("").argv != alike) continue;
    return call.asked.push_back(std::move(asked));
  }
  Waiting call{make(node), {}, std::move(make), true};
  call.asked.push_back(std::move(asked));
  changes_.push_back(std::move(call));
  next();
}

void Calls::change_all(Command command, Processes::Finished finished) {
  Asked asked{"", std::move(finished)};
  for (Waiting& call : changes_)
    if (call.joins && !call.make && call.command.argv == command.argv)
      return call.asked.push_back(std::move(asked));
  Waiting call{std::move(command), {}, nullptr, true};
  call.asked.push_back(std::move(asked));
  changes_.push_back(std::move(call));
  next();
}

void Calls::next() {
  std::deque<Waiting>& line = changes_.empty() ? looks_ : changes_;
  if (under_way_ || line.empty()) return;
  under_way_ = true;
  auto call = std::make_shared<Waiting>(std::move(line.front()));
  line.pop_front();
  Command command = call->command;
  if (call->make && call->asked.size() > 1) {
    std::string nodes;
    for (const Asked& one : call->asked) nodes += (nodes.empty() ? "" : ",") + one.node;
    command = call->make(nodes);
  }
  const Source source = source_asked(command);
  pacer_.called(Pacer::Instant::clock::now(), source);
  processes_.run(std::move(command), [this, call, source](const Result<Outcome>& outcome) {
    under_way_ = false;
    if (outcome) pacer_.came(outcome->out.size() + outcome->err.size(), Pacer::Instant::clock::now(), source);
    ended(*call, outcome);
    next();
  });
}

void Calls::ended(Waiting& call, const Result<Outcome>& outcome) {
  const bool several = call.make && call.asked.size() > 1;
  if (!several || (outcome && outcome->succeeded())) {
    for (Asked& one : call.asked) one.finished(outcome);
    return;
  }
  for (auto one = call.asked.rbegin(); one != call.asked.rend(); ++one) {
    Waiting alone{call.make(one->node), {}, nullptr, false};
    alone.asked.push_back(std::move(*one));
    changes_.push_front(std::move(alone));
  }
}

}  // namespace tessera::slurm
