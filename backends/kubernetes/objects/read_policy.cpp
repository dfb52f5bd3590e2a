// policy/v1 PodDisruptionBudget, core/v1 Event and ResourceQuota: what stands in the way of a node's work,
// and what has happened to it.
#include <algorithm>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostDemands = 32, kMostValues = 256;

void read_demand(JsonValue& value, LabelSelector::Demand& demand) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "key") demand.key = words(field, 320);
    if (key == "operator") demand.is = words(field, 32);
    if (key == "values")
      field.items([&](JsonValue& one) {
        if (demand.values.size() < kMostValues) demand.values.push_back(words(one));
      });
  });
}

LabelSelector read_selector(JsonValue& value) {
  LabelSelector selector;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "matchLabels") read_texts(field, selector.labels);
    if (key == "matchExpressions")
      field.items([&](JsonValue& item) {
        LabelSelector::Demand demand;
        read_demand(item, demand);
        if (selector.demands.size() < kMostDemands) selector.demands.push_back(std::move(demand));
      });
  });
  return selector;
}

void read_budget_status(JsonValue& value, BudgetObject& budget) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "disruptionsAllowed") budget.allowed = field.integer();
    if (key == "currentHealthy") budget.healthy = field.integer().value_or(0);
    if (key == "desiredHealthy") budget.needed = field.integer().value_or(0);
  });
}

// Of the older form (lastTimestamp, count) and the newer (eventTime, series) whichever is later.
void see(EventObject& event, std::optional<TimePoint> at) {
  if (at && (!event.last || *at > *event.last)) event.last = at;
}

// Of extended resources a quota may name the requests only.
void read_gpu_counts(JsonValue& value, Counts& counts, std::string& unread) {
  constexpr std::string_view kRequests = "requests.";
  value.fields([&](std::string_view key, JsonValue& field) {
    if (!key.starts_with(kRequests) || key.size() > 330) return;
    key.remove_prefix(kRequests.size());
    if (!sharing::parse_resource(key, Scheduler::kubernetes)) return;
    const auto number = whole_of(field);
    if (number && counts.size() < 64)
      counts[clean(key)] = *number;
    else if (unread.empty())
      unread = clean(key);
  });
}

}  // namespace

void read_object(JsonValue& value, BudgetObject& budget) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "apiVersion") budget.api = words(field, 64);
    if (key == "metadata") read_meta(field, budget.meta);
    if (key == "status") read_budget_status(field, budget);
    if (key == "spec")
      field.fields([&](std::string_view inner, JsonValue& selector) {
        if (inner == "selector") budget.selector = read_selector(selector);
      });
  });
}

void read_object(JsonValue& value, EventObject& event) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, event.meta);
    if (key == "type") event.type = words(field, 32);
    if (key == "reason") event.reason = words(field, 128);
    if (key == "message") event.message = words(field, 1024);
    if (key == "count") event.count = std::max<std::int64_t>(1, field.integer().value_or(1));
    if (key == "lastTimestamp" || key == "eventTime") see(event, time_of(field));
    if (key == "firstTimestamp" || key == "eventTime")
      if (const auto began = time_of(field); began && !event.first) event.first = began;
    if (key == "reportingComponent" && event.from.empty()) event.from = words(field, 128);
    if (key == "involvedObject")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "kind") event.kind = words(text, 64);
        if (inner == "name") event.name = words(text, 253);
      });
    if (key == "source")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "component" && event.from.empty()) event.from = words(text, 128);
      });
    if (key == "series")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "lastObservedTime") see(event, time_of(text));
        if (inner == "count") event.count = std::max(event.count, text.integer().value_or(1));
      });
  });
}

void read_object(JsonValue& value, QuotaObject& quota) {
  Counts wished;
  std::string wished_unread;  // counts only where the status has no limits of its own
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, quota.meta);
    if (key == "spec")
      field.fields([&](std::string_view inner, JsonValue& counts) {
        if (inner == "hard") read_gpu_counts(counts, wished, wished_unread);
      });
    if (key == "status")
      field.fields([&](std::string_view inner, JsonValue& counts) {
        if (inner == "hard") read_gpu_counts(counts, quota.limits, quota.unread);
        if (inner == "used") read_gpu_counts(counts, quota.used, quota.unread);
      });
  });
  if (!quota.limits.empty() || !quota.unread.empty()) return;
  quota.limits = std::move(wished);
  quota.unread = std::move(wished_unread);
}

}  // namespace tessera::kubernetes
