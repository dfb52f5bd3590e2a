#include "tui/looks.hpp"

#include "engine/looks_into.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kAgain{60'000};

}  // namespace

void Looks::ask(std::span<const BackendPtr> backends, const ClusterName& cluster, const WorkloadId& work,
                Duration now) {
  std::pair page(cluster, work);
  if (asked_ == page && now - at_ < kAgain) return;
  asked_ = std::move(page);
  at_ = now;
  for (const BackendPtr& backend : backends) {
    LooksInto* looks = backend->name() == cluster ? backend->looks_into() : nullptr;
    if (!looks) continue;
    looks->look_into(work, [box = box_, cluster](Details details) {
      const std::lock_guard lock(box->mutex);
      box->told.push_back({cluster, std::move(details)});
    });
  }
}

std::vector<WorkDetails> Looks::take() {
  const std::lock_guard lock(box_->mutex);
  return std::exchange(box_->told, {});
}

}  // namespace tessera::tui
