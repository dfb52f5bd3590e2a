#include "backends/slurm/change/reset_look.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/parse.hpp"
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
  // By its place in the list a GPU is known only where none is missing.
  if (query->gpus.size() < seen.gpus.size())
    return Error{what, fmt::format("the driver lists {} of {} GPUs", query->gpus.size(), seen.gpus.size()),
                 kHint};
  for (GpuIndex gpu : *numbers) {
    const nvidia::QueriedGpu* one = find(*query, seen, gpu);
    if (!one) return Error{what, fmt::format("GPU {} was reset, and does not answer", gpu.value), kHint};
    const std::string why =
        plan::why_unsound(gpu, {one->remap_pending, one->remap_failed, one->reset_required, one->recovery});
    if (!why.empty()) return Error{what, why, kHint};
  }
  return std::nullopt;
}

std::string uuids_of(const Node& node) {
  std::string text;
  for (const Gpu& gpu : node.gpus)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", gpu.index.value, gpu.uuid);
  return text;
}

std::function<std::optional<Error>(const NodeAnswer&)> reset_judge(std::size_t gpus,
                                                                   const std::string& node) {
  return [gpus, what = std::string("cannot reset the GPUs") + " on " +
                       node](const NodeAnswer& answer) -> std::optional<Error> {
    const auto change = nvidia::parse_change(answer.out, answer.err, answer.exit_code);
    if (auto refused = nvidia::refusal_of(change, what)) return refused;
    if (change.reset.size() >= gpus) return std::nullopt;
    return Error{what,
                 "nvidia-smi did not say of each that it was reset: " + clean(answer.out + answer.err, 400),
                 "carry on to ask once more"};
  };
}

namespace {

// The node with the GPUs that were there before the reset: after it one may be missing, and the next one has
// its place in the driver's list.
Node as_before(const Hands& hands, const plan::Order& order, Node node) {
  const auto of_node = hands.unseen.find(order.node);
  if (of_node == hands.unseen.end() || of_node->second.run != order.mark.run) return node;
  const auto told = of_node->second.words.find(std::string(plan::resets::kBefore));
  if (told == of_node->second.words.end()) return node;
  for (std::string_view rest = told->second; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t sign = one.find('=');
    if (sign == std::string_view::npos) continue;
    for (Gpu& gpu : node.gpus)
      if (std::to_string(gpu.index.value) == one.substr(0, sign)) gpu.uuid = one.substr(sign + 1);
  }
  return node;
}

}  // namespace

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
            hands.runner.run(
                command, [&hands, order, gpus, done, node = as_before(hands, order, seen->facts.node)](
                             const Result<NodeAnswer>& answer) {
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
