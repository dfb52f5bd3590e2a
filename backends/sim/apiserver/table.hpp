// Lists as `kubectl get` shows them: metav1.Table, worked out by the server.
// Threads: pure functions of values.
#pragma once

#include <span>

#include "backends/sim/apiserver/kinds.hpp"
#include "backends/sim/apiserver/store.hpp"

namespace tessera::sim::kube {

enum class RowObject : std::uint8_t { none, metadata, whole };

// Without its list metadata. columns: the first event of a watch has them, the others need none.
Json to_table(const ResourceKind& kind, std::span<const ObjectPtr> objects, TimePoint now, RowObject include,
              bool columns = true);
// kind, apiVersion and metadata only.
Json partial_metadata(const Json& object);
// "5s", "3m20s", "42d", as kubectl tells ages.
std::string age_text(Duration age);

}  // namespace tessera::sim::kube
