// Who wrote a label last, as the simulated API server notes it: it was silent about all but the operator's
// own parts, so that no test could tell who had changed a node behind tessera's back.
#include "backends/sim/apiserver/managed_fields.hpp"

#include <gtest/gtest.h>

namespace tessera::sim::kube {
namespace {

constexpr TimePoint kNine{std::chrono::milliseconds(1772442000000)};  // 2026-03-02T09:00:00Z
constexpr TimePoint kLater = kNine + std::chrono::minutes(1);

Json node_with(const std::string& labels) {
  return *parse_json(R"({"metadata":{"name":"n","labels":{)" + labels + "}}}", "test");
}
// "kubectl-label 2026-03-02T09:00:00Z;" of each entry that has the label.
std::string writers_of(const Json& node, std::string_view label) {
  std::string all;
  const Json* entries = at(node, {"metadata", "managedFields"});
  for (const Json& entry : entries ? entries->items : std::vector<Json>())
    if (at(entry, {"fieldsV1", "f:metadata", "f:labels", "f:" + std::string(label)}))
      all += text_at(entry, {"manager"}) + " " + text_at(entry, {"time"}) + ";";
  return all;
}

TEST(KubeManagedFields, ALabelIsItsLastWritersAloneAndOneThatIsGoneHasNone) {
  Json first = node_with(R"("k":"1","x":"2")");
  note_write(node_with(""), first, manager_of("kubectl-label", "kubectl/v1.20.2 (linux/amd64)"), kNine);
  EXPECT_EQ(writers_of(first, "k"), "kubectl-label 2026-03-02T09:00:00Z;");
  Json second = first;
  put_at(second, {"metadata", "labels", "k"}, text("9"));
  note_write(first, second, manager_of("", "argocd/2.9"), kLater);
  EXPECT_EQ(writers_of(second, "k"), "argocd 2026-03-02T09:01:00Z;");
  EXPECT_EQ(writers_of(second, "x"), "kubectl-label 2026-03-02T09:00:00Z;") << "the other one is not its";
  Json third = second;
  for (const char* label : {"k", "x"}) drop(child(child(third, "metadata"), "labels"), label);
  note_write(second, third, "kubectl", kLater);
  EXPECT_EQ(at(third, {"metadata", "managedFields"}), nullptr);
}

TEST(KubeManagedFields, WhatChangesNothingHasNoWriterAndWhoLeavesTheEntriesOutKeepsThem) {
  Json first = node_with(R"("k":"1")");
  note_write(node_with(""), first, "kubectl-label", kNine);
  Json same = first;
  note_write(first, same, "Mozilla", kLater);
  EXPECT_EQ(to_line(same), to_line(first));
  Json without = first;
  drop(child(without, "metadata"), "managedFields");
  note_write(first, without, "kubectl-replace", kLater);
  EXPECT_EQ(to_line(without), to_line(first));
}

}  // namespace
}  // namespace tessera::sim::kube
