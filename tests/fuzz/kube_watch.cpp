// Lines of a watch, one after the other, as a hostile server may send them: the store stays in order.
#include <cstdint>
#include <iterator>
#include <string_view>

#include "backends/kubernetes/store.hpp"

int fuzz_kube_watch(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  kubernetes::ClusterStore store(
      nullptr, [](kubernetes::ClusterStore::What) {}, [] { return TimePoint{}; });
  kubernetes::ClusterStore::Handler handlers[] = {
      store.nodes(),      store.pods(),       store.budgets(),        store.events(),
      store.dra_slices(), store.dra_claims(), store.kueue_workloads()};
  for (std::size_t i = 0; !text.empty(); ++i) {
    std::size_t end = std::min(text.find('\n'), text.size());
    (void)handlers[i % std::size(handlers)].line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (auto& handler : handlers) handler.listed();
  store.look_again();
  return 0;
}
