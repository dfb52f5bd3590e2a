// What the HTTP API of Prometheus answers to a query (/api/v1/query, /api/v1/query_range): series with their
// samples.
//
// Format: https://prometheus.io/docs/prometheus/2.42/querying/api/. Written for texts of strangers: label
// values are clean, a value may be anything that a double can be, a series that makes no sense is passed by
// and counted. Threads: pure functions but for the document, which has one owner.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "backends/figures/metrics_text.hpp"
#include "backends/json.hpp"
#include "engine/model/units.hpp"

namespace tessera::figures {

struct PrometheusSample {
  TimePoint at{};
  double value = 0;  // NaN and infinite included
};

// The series without a value of its own, and its samples, the oldest first; one of an instant query. Texts
// live as long as the call.
using SeriesTold = std::function<void(const MetricLine& series, std::span<const PrometheusSample> samples)>;

// Errors: no JSON, an answer that breaks off, {"status":"error"} with what Prometheus says, a result of
// another type than series.
Result<MetricsRead> read_prometheus(JsonDocument& document, std::string_view text, const SeriesTold& told);

// What an answer that is no result says: "bad_data: invalid parameter"; empty: nothing that could be read.
std::string prometheus_complaint(JsonDocument& document, std::string_view text);

}  // namespace tessera::figures
