// What a ledger is given by sources that add up themselves, and what it tells.
#include <algorithm>
#include <utility>

#include "engine/hours.hpp"
#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

// In one order whatever the hashes: sums of doubles are then the same each time.
template <class Value>
std::vector<Value> by_key(const std::unordered_map<std::string, Value>& values) {
  std::vector<const std::pair<const std::string, Value>*> places;
  places.reserve(values.size());
  for (const auto& place : values) places.push_back(&place);
  std::sort(places.begin(), places.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::vector<Value> all;
  all.reserve(places.size());
  for (const auto* place : places) all.push_back(place->second);
  return all;
}

}  // namespace

void Ledger::add(Hold hold) {
  // Each is one more: a job may hold several GPUs of one profile, and of several types that are called whole.
  std::string key = hold.cluster.text + '\x1f' + hold.workload.text + '\x1f' + hold.node.text + '\x1f' +
                    hold.profile + '\x1f' + std::to_string(holds_.size());
  holds_.emplace(std::move(key), std::move(hold));
}

void Ledger::add(Waited waited) {
  // A job that was requeued waited once more.
  const auto [known, first] =
      waited_.try_emplace(waited.cluster.text + '\x1f' + waited.workload.text, waited);
  if (!first) known->second.hours += waited.hours;
}

double Ledger::hours() const {
  double most = 0;
  for (const auto& [cluster, hours] : covered_) most = std::max(most, hours);
  return most;
}

std::vector<Hold> Ledger::holds() const { return by_key(holds_); }
std::vector<Waited> Ledger::waited() const { return by_key(waited_); }
std::vector<Rogue> Ledger::rogues() const {
  std::vector<Rogue> all;
  for (const auto& [key, one] : rogues_)
    if (one.hours > 0) all.push_back(one);
  return all;
}
std::vector<RogueProcess> Ledger::rogue_processes() const {
  std::vector<RogueProcess> all;
  for (const auto& [key, one] : rogue_processes_) all.push_back(one);
  return all;
}
std::map<std::string, double> Ledger::rogue_hours() const {
  std::map<std::string, double> all;
  for (const auto& [place, listed] : rogue_times_) {
    auto times = listed;
    std::sort(times.begin(), times.end());
    TimePoint until = times.front().first;
    for (const auto& [begin, end] : times) {
      if (end <= until) continue;
      all[place] += hours_of(end - std::max(begin, until));
      until = end;
    }
  }
  return all;
}

std::vector<Spare> Ledger::spare() const {
  std::vector<Spare> all;
  for (const auto& [key, one] : spare_) all.push_back(one);
  return all;
}

}  // namespace tessera::usage
