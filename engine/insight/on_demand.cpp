#include "engine/insight/on_demand.hpp"

#include <fmt/format.h>

#include "engine/mig/product_of.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::insight {

std::optional<std::vector<mig::CouldBe>> could_be(const Node& node, const Gpu& gpu,
                                                  const mig::Catalogue& catalogue) {
  if (!sharing::by_claims(node) || operators::way_of(node) != operators::DraWay::on_demand)
    return std::nullopt;
  const mig::Product* product = mig::product_of(gpu, catalogue);
  return product && product->mig_capable ? mig::could_be(*product, gpu) : std::nullopt;
}

std::string could_be_text(const Node& node, const Gpu& gpu, const mig::Catalogue& catalogue) {
  const auto all = could_be(node, gpu, catalogue);
  if (!all) return {};
  const mig::Product& product = *mig::product_of(gpu, catalogue);
  std::vector<std::string> kinds;  // from the largest on
  for (auto one = all->rbegin(); one != all->rend(); ++one) {
    if (one->together == 0) continue;
    const std::string& name = product.profiles[static_cast<std::size_t>(one->profile)].name.text;
    kinds.push_back(one->together > 1 ? fmt::format("{}×{}", one->together, name) : name);
  }
  if (kinds.empty()) return "nothing more can be cut";
  return "could be " + kinds.front() + (kinds.size() > 1 ? " to " + kinds.back() : "");
}

std::string in_way_text(const Gpu& gpu, const mig::CouldBe::Blocked& place) {
  std::string text;
  for (const std::size_t index : place.by) {
    const Slice& slice = gpu.slices.at(index);
    text += text.empty() ? "" : ", ";
    text += slice.placement ? fmt::format("{}@{}", slice.profile.text, slice.placement->start)
                            : std::string(word(slice.kind));
    if (!slice.holders.empty()) text += fmt::format(" ({})", slice.holders.front().workload.text);
  }
  return text;
}

}  // namespace tessera::insight
