#include "engine/insight/free_kinds.hpp"

#include <fmt/core.h>

#include <string_view>

namespace tessera::insight {
namespace {

std::map<std::string, int> some_of(std::map<std::string, int> counts) {
  std::erase_if(counts, [](const auto& one) { return one.second <= 0; });
  return counts;
}

}  // namespace

std::optional<FreeKinds> free_kinds(const Totals& totals) {
  if (!totals.free) return std::nullopt;
  return FreeKinds{some_of(totals.free_by_profile), some_of(totals.free_shares)};
}

std::string to_text(const FreeKinds& free) {
  std::string text;
  const auto add = [&](const std::string& kind, int number, std::string_view between) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", number, between, kind);
  };
  constexpr std::string_view kWhole = "whole";
  if (const auto whole = free.slices.find(std::string(kWhole)); whole != free.slices.end())
    add(whole->first, whole->second, " ");
  for (const auto& [kind, number] : free.slices)
    if (kind != kWhole) add(kind, number, "×");  // "3 1g.10gb" would read as one number
  for (const auto& [kind, number] : free.shares) add(kind, number, " ");
  return text.empty() ? "0" : text;
}

}  // namespace tessera::insight
