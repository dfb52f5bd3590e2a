// The documents that `-o json` and `-o yaml` print; docs/json.md describes them.
//
// nlohmann-json is in the .cpp only. Field names and order are a promise; fields may be added, none changes
// its meaning. Unknown is null, times are ISO 8601 in UTC.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/json.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/query/tables.hpp"
#include "tui/cli/list_notes.hpp"

namespace tessera::cli {

Json text_or_null(const std::string& text);  // null: empty
// ISO 8601 in UTC; null: not known.
Json time_or_null(const std::optional<TimePoint>& at);
// Hours, GPU-hours, percents, seconds: to three decimals. null: not known.
Json rounded(double value);
Json rounded(const std::optional<double>& value);

enum class Markup : std::uint8_t { json, json_line, yaml };

// notes: what is known of the rows beside themselves.
std::string document(const std::vector<query::NodeRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes = {});
std::string document(const std::vector<query::GpuRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes = {});
std::string document(const std::vector<query::SliceRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes = {});
std::string document(const std::vector<query::WorkloadRow>& rows, const query::Context& context,
                     Markup markup, const ListNotes& notes = {});

struct LayoutsAnswer {
  const mig::Product* product = nullptr;
  mig::Which which = mig::Which::undominated;
  std::vector<mig::Layout> layouts;
};
std::string document(const LayoutsAnswer& answer, Markup markup);

struct CheckAnswer {
  const mig::Product* product = nullptr;
  std::optional<mig::Layout> layout;  // when it is legal
  std::string reason;                 // when it is not
};
std::string document(const CheckAnswer& answer, Markup markup);

std::string document(std::span<const mig::Product> products, Markup markup);

// Any document of the engine's, in the same words.
std::string document(const Json& json, Markup markup);

std::string_view word(mig::Which which);

}  // namespace tessera::cli
