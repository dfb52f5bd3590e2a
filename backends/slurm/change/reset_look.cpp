#include "backends/slurm/change/reset_look.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/parse_query.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr const char* kHint =
    "the node stays drained. Reset it once more by carrying on, or go back, reboot the node, and replace the "
    "GPU where it stays so";

// nvidia-smi lists GPUs in the order of their numbers.
const nvidia::QueriedGpu* find(const nvidia::Query& query, const Node& seen, GpuIndex index) {
  const Gpu* known = plan::find_gpu(seen, index);
  if (known && known->uuid.starts_with("GPU-")) {
    auto found = std::find_if(query.gpus.begin(), query.gpus.end(),
                              [&](const nvidia::QueriedGpu& one) { return one.uuid == known->uuid; });
    return found == query.gpus.end() ? nullptr : &*found;
  }
  const auto at = static_cast<std::size_t>(index.value);
  return at < query.gpus.size() ? &query.gpus[at] : nullptr;
}

}  // namespace

std::optional<Error> why_unsound(const Node& seen, const std::string& gpus, const NodeAnswer& answer) {
  const std::string what = fmt::format("cannot give GPU {} of {} back", gpus, seen.name.text);
  const auto numbers = plan::parse_gpus(gpus);
  if (!numbers) return Error{what, "that is no list of GPUs", ""};
  if (answer.exit_code != 0 && answer.out.empty())
    return Error{what, "nvidia-smi does not answer: " + clean(answer.err, 400), kHint};
  auto query = nvidia::parse_query(answer.out);
  if (!query) return Error{what, to_line(query.error()), kHint};
  for (GpuIndex gpu : *numbers) {
    const nvidia::QueriedGpu* one = find(*query, seen, gpu);
    if (!one) return Error{what, fmt::format("GPU {} was reset, and does not answer", gpu.value), kHint};
    const std::string why =
        plan::why_unsound(gpu, {one->remap_pending, one->remap_failed, one->reset_required, one->recovery});
    if (!why.empty()) return Error{what, why, kHint};
  }
  return std::nullopt;
}

void read_reset_back(Hands& hands, const plan::Order& order, const plan::Special& act,
                     std::function<void(Status)> done) {
  const std::string gpus = plan::argument_of(act, "gpus");
  look_at(hands.eyes, {order.node, false, false, true},
          [&hands, order, gpus, done = std::move(done)](const Result<Seen>& seen) {
            if (!seen) return done(seen.error());
            if (!seen->facts.known)
              return done(Error{"cannot ask " + order.node.text, "Slurm does not list this node", ""});
            NodeCommand command;
            command.node = order.node;
            command.argv = nvidia::query();
            command.deadline = hands.eyes.said.look_deadline;
            if (seen->reservation) command.reservation = seen->reservation->name;
            hands.runner.run(command, [&hands, order, gpus, done,
                                       node = seen->facts.node](const Result<NodeAnswer>& answer) {
              auto why = answer ? why_unsound(node, gpus, *answer) : std::optional<Error>(answer.error());
              if (why) {
                hands.unseen.erase(order.node);
                return done(std::move(*why));
              }
              hands.remember(order, plan::resets::kSound, gpus);
              done(Done{});
            });
          });
}

}  // namespace tessera::slurm
