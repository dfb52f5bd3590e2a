// One object at a time out of the JSON, field by field; for the parsers of this folder only.
// Threads: as JsonValue.
#pragma once

#include "backends/json.hpp"
#include "backends/kubernetes/objects/objects.hpp"

namespace tessera::kubernetes {

void read_object(JsonValue& value, NodeObject& node);
void read_object(JsonValue& value, PodObject& pod);
// A pod that is to be made, as its owner has it. True: it has claims that are made from templates.
bool read_template(JsonValue& value, PodObject& pod);
void read_object(JsonValue& value, DaemonSetObject& set);
void read_object(JsonValue& value, ClusterPolicyObject& policy);
void read_object(JsonValue& value, ResourceSliceObject& slice);
void read_object(JsonValue& value, ResourceClaimObject& claim);
void read_object(JsonValue& value, DeviceTaintRuleObject& rule);
void read_object(JsonValue& value, BudgetObject& budget);
void read_object(JsonValue& value, EventObject& event);
void read_object(JsonValue& value, QuotaObject& quota);

enum class KeepLabels : std::uint8_t { worthwhile, of_node, all };
void read_meta(JsonValue& value, Meta& meta, KeepLabels keep = KeepLabels::worthwhile,
               Written* written = nullptr);
void read_conditions(JsonValue& value, std::vector<Condition>& conditions);
// A map of texts; more than `most` entries are left out.
void read_texts(JsonValue& value, Texts& texts, std::size_t most = 256);
// A string, cleaned; empty: it is none.
std::string words(JsonValue& value, std::size_t limit = 256);
std::optional<TimePoint> time_of(JsonValue& value);
// A quantity, which may stand as a number, too; nullopt: it is none, or less than nothing.
std::optional<std::int64_t> whole_of(JsonValue& value);
std::optional<std::int64_t> thousandths_of(JsonValue& value);

}  // namespace tessera::kubernetes
