// How each part of a site was last read: its value, that it is not there, or nothing at all.
//
// Only an answer of the API server counts: a list or an object is a value, 404 is absence, and everything
// else (403, 429, 500, a broken connection, an answer that cannot be read) leaves what was known before, with
// the time of that and the reason. Threads: plain values.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::operators {

// What may fail on its own.
enum class SitePart : std::uint8_t {
  policy,         // the ClusterPolicy
  gpu_cluster,    // the GPUCluster, which takes its place from operator v26.7 on
  name_space,     // where the operator's pods are
  fleet,          // labels of the GPU nodes
  mig_config,     // the ConfigMap of MIG configurations
  generated,      // those that MIG managers wrote for their own nodes
  plugin_config,  // the ConfigMap of device plugin configurations
  budgets,        // PodDisruptionBudgets
  devices         // ResourceSlices: whether a DRA driver hands out GPUs
};
std::string_view word(SitePart part);  // "the ClusterPolicy"

struct Reading {
  enum class Is : std::uint8_t { unknown, absent, value };
  Is is = Is::unknown;
  TimePoint at{};                // when it was read as it is kept; nothing while it is unknown
  std::optional<Error> failure;  // why the latest attempt told nothing; what is kept is older then
  friend bool operator==(const Reading&, const Reading&) = default;
};

class Readings {
 public:
  // A part that was never tried is unknown.
  const Reading& of(SitePart part) const;
  bool knows(SitePart part) const { return of(part).is != Reading::Is::unknown; }
  bool has(SitePart part) const { return of(part).is == Reading::Is::value; }

  void told(SitePart part, Reading::Is is, TimePoint at) { all_[part] = {is, at, std::nullopt}; }
  void failed(SitePart part, Error why) { all_[part].failure = std::move(why); }
  void forget(SitePart part) { all_.erase(part); }  // what was known was about something else

  // Why nothing may be concluded from one of these parts; nullopt: all are known, however old.
  std::optional<std::string> why_unknown(std::initializer_list<SitePart> parts) const;
  // The same, and the latest attempt to read each must have succeeded.
  std::optional<std::string> why_not_fresh(std::initializer_list<SitePart> parts) const;
  bool any_failed() const;
  const std::map<SitePart, Reading>& all() const { return all_; }

  friend bool operator==(const Readings&, const Readings&) = default;

 private:
  std::map<SitePart, Reading> all_;
};

// "... could not be read: REASON" and how old what is kept is. Precondition: unknown, or failed.
std::string why_untold(SitePart part, const Reading& reading);

}  // namespace tessera::operators
