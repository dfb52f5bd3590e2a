// Label and field selectors, and what a label may look like.
//
// The grammar is that of apimachinery 1.20 (`a=b,c!=d,e in (f,g),!h`). Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backends/sim/apiserver/refusal.hpp"

namespace tessera::sim::kube {

struct Requirement {
  enum class Is : std::uint8_t { in, not_in, exists, absent };
  Is is = Is::in;
  std::string key;
  std::vector<std::string> values;
};

// All requirements hold. Empty: everything matches.
struct Selector {
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;  // in and not_in, one value each

  bool empty() const { return labels.empty() && fields.empty(); }
  bool matches(const Json& object) const;
};

// resource: "pods", for the fields that it knows. Refuses with 400.
std::variant<Selector, Refusal> parse_selector(std::string_view labels, std::string_view fields,
                                               std::string_view resource);

// matchLabels and matchExpressions of a metav1.LabelSelector; an absent one matches nothing.
bool label_selector_matches(const Json* selector, const Json& labels);

// Why the server would refuse these labels, one cause for each bad key or value; empty: it would not.
std::vector<Cause> bad_labels(const Json& labels);

}  // namespace tessera::sim::kube
