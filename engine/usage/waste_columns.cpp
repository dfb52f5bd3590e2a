// The columns over which a filter of exceptions speaks: rows of waste, named as --filter names those of
// lists.
#include <optional>
#include <span>
#include <string>

#include "engine/usage/exceptions.hpp"

namespace tessera::query {
namespace {

using usage::Waste;

Value told(const std::string& text) { return text.empty() ? Value(NotTold{}) : Value(text); }
Value number(const std::optional<double>& value) { return value ? Value(*value) : Value(NotTold{}); }

Value group_of(const Waste& one, const Context&) { return told(one.group); }

constexpr Column<Waste> kWaste[] = {
    {"kind", "KIND", Format::text, Align::left, Show::always, 4, "idle, parked, too-big and the rest",
     [](const Waste& one, const Context&) { return told(one.kind); }},
    {"cluster", "CLUSTER", Format::text, Align::left, Show::always, 4, "the cluster",
     [](const Waste& one, const Context&) { return told(one.cluster.text); }},
    {"user", "USER", Format::text, Align::left, Show::always, 4, "who held it",
     [](const Waste& one, const Context&) { return told(one.user); }},
    {"account", "ACCOUNT", Format::text, Align::left, Show::always, 4, "the account that paid for it",
     [](const Waste& one, const Context&) { return told(one.account); }},
    {"group", "GROUP", Format::text, Align::left, Show::always, 4, "partition or namespace", group_of},
    {"partition", "PARTITION", Format::text, Align::left, Show::always, 4, "the same", group_of},
    {"namespace", "NAMESPACE", Format::text, Align::left, Show::always, 4, "the same", group_of},
    {"workload", "JOB/POD", Format::text, Align::left, Show::always, 4, "job id, or namespace/pod",
     [](const Waste& one, const Context&) { return told(one.workload); }},
    {"profile", "PROFILE", Format::text, Align::left, Show::always, 4, "1g.10gb, whole, a share",
     [](const Waste& one, const Context&) { return told(one.profile); }},
    {"node", "NODE", Format::text, Align::left, Show::always, 4, "the node",
     [](const Waste& one, const Context&) { return told(one.node); }},
    {"slice_hours", "SLICE-HOURS", Format::count, Align::right, Show::always, 4, "wasted, in memory slices",
     [](const Waste& one, const Context&) { return number(one.slice_hours); }},
    {"hours", "HOURS", Format::count, Align::right, Show::always, 4, "for how long it was held",
     [](const Waste& one, const Context&) { return number(one.hours); }},
};

}  // namespace

template <>
std::span<const Column<Waste>> columns<Waste>() {
  return kWaste;
}

}  // namespace tessera::query
