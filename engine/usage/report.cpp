#include "engine/usage/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/hours.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/rogue_rows.hpp"
#include "engine/usage/too_big.hpp"

namespace tessera::usage {
namespace {

constexpr std::size_t kWorst = 3;  // nodes that are named
constexpr double kEnough = 0.95;   // of a time that is asked for: a recorder that was restarted hides nothing

bool in_days(double hours) { return hours >= 48; }

// Units stand in the sentence, so that each language has its own.
std::string free_text(double hours) {
  return in_days(hours)
             ? fmt::format("free for {:.1f} days, and no waiting job or pod asks for it", hours / 24)
             : fmt::format("free for {:.1f} h, and no waiting job or pod asks for it", hours);
}
std::string recorded_text(double hours, double wanted) {
  if (in_days(hours))
    return fmt::format("{:.1f} days of {:.1f} days are recorded and looked at", hours / 24, wanted / 24);
  if (in_days(wanted))
    return fmt::format("{:.1f} h of {:.1f} days are recorded and looked at", hours, wanted / 24);
  return fmt::format("{:.1f} h of {:.1f} h are recorded and looked at", hours, wanted);
}

std::string name_of(const Hold& hold, By by) {
  switch (by) {
    case By::user: return hold.user;
    case By::account: return hold.account;
    case By::group: return hold.group;
    case By::profile: return hold.profile;
    case By::node: return hold.node.text;
    case By::workload: return hold.workload.text;
  }
  return {};
}
// nullopt: what waits has no profile and no node.
std::optional<std::string> name_of(const Waited& one, By by) {
  switch (by) {
    case By::user: return one.user;
    case By::account: return one.account;
    case By::group: return one.group;
    case By::workload: return one.workload.text;
    case By::profile:
    case By::node: break;
  }
  return std::nullopt;
}

struct Adding {
  Sum sum;
  double use = 0;
  Spread spread;
};

// slices: that were wasted for so many hours; nullopt: the product is not counted in them.
Waste of_hold(const Hold& hold, std::string kind, double hours, std::optional<double> slices,
              std::string advice) {
  Waste one{hold.cluster,      std::move(kind), hold.user, hold.workload.text,
            hold.node.text,    hold.profile,    {},        hours,
            std::move(advice), hold.account,    hold.group};
  if (slices) one.slice_hours = hours * *slices;
  return one;
}

// One row a cluster, with the nodes on which most of it is.
Waste stranded(const ClusterName& cluster, const std::map<NodeName, double>& nodes) {
  std::vector<std::pair<double, NodeName>> worst;
  double sum = 0;
  for (const auto& [node, hours] : nodes)
    if (hours > 1e-9) worst.emplace_back(-hours, node), sum += hours;
  std::sort(worst.begin(), worst.end());
  Waste row;
  row.cluster = cluster, row.kind = "stranded", row.slice_hours = sum;
  row.advice = "no further instance fits there: tessera layouts, or the editor (L)";
  if (worst.size() == 1) row.node = worst.front().second.text;
  if (worst.size() < 2) return row;
  std::string named;
  for (std::size_t i = 0; i < std::min(worst.size(), kWorst); ++i)
    named += fmt::format("{}{} ({:.1f})", i > 0 ? ", " : "", worst[i].second.text, -worst[i].first);
  row.advice =
      fmt::format("most on {}: no further instance fits there: tessera layouts, or the editor (L)", named);
  return row;
}

Waste unasked(const Spare& spare) {
  Waste one{spare.cluster, "unasked", "", "", "", spare.profile, {}, {}, free_text(spare.since)};
  if (spare.slice_hours > 1e-9) one.slice_hours = spare.slice_hours;
  return one;
}

// One row a node and profile.
std::vector<Waste> rogues(const Ledger& ledger) {
  struct OfRogue {
    Waste row;
    std::string gpus;
    float use = 0;
    std::int64_t memory = 0;
  };
  std::map<std::pair<NodeName, std::string>, OfRogue> all;
  for (const Rogue& one : ledger.rogues()) {
    OfRogue& adding = all[{one.node, one.cluster.text + '\x1f' + one.profile}];
    Waste& row = adding.row;
    row.cluster = one.cluster, row.kind = "rogue", row.node = one.node.text, row.profile = one.profile;
    row.hours = row.hours.value_or(0) + one.hours;
    if (one.slices) row.slice_hours = row.slice_hours.value_or(0) + one.hours * *one.slices;
    const std::string gpu = std::to_string(one.gpu.value);
    if (!(", " + adding.gpus + ",").ends_with(", " + gpu + ","))
      adding.gpus += (adding.gpus.empty() ? "" : ", ") + gpu;
    if (one.use) adding.use = std::max(adding.use, one.use->value);
    if (one.memory) adding.memory = std::max(adding.memory, one.memory->value);
  }
  std::vector<Waste> rows;
  for (auto& [key, adding] : all) {
    const Waste& row = adding.row;
    const std::string named = rogues_on(ledger, row.cluster, NodeName(row.node), row.profile);
    adding.row.advice =
        named.empty()
            ? fmt::format(
                  "used by no job or pod that is known, up to {:.0f} % and {} MiB: nvidia-smi there "
                  "lists its processes (GPU {})",
                  adding.use, adding.memory, adding.gpus)
            : fmt::format("used by no job or pod that is known, up to {:.0f} % and {} MiB: {} (GPU {})",
                          adding.use, adding.memory, named, adding.gpus);
    rows.push_back(std::move(adding.row));
  }
  return rows;
}

}  // namespace

std::optional<By> by_of(std::string_view word) {
  constexpr std::pair<std::string_view, By> kWords[] = {
      {"user", By::user},       {"account", By::account}, {"group", By::group}, {"partition", By::group},
      {"namespace", By::group}, {"profile", By::profile}, {"node", By::node},   {"workload", By::workload}};
  for (const auto& [known, by] : kWords)
    if (known == word) return by;
  return std::nullopt;
}

namespace {

// Use and hours of a GPU are those of its parts, each times what part it is.
void add_by_part(Adding& adding, const Hold& hold) {
  if (!hold.part) {
    adding.sum.unvalued += hold.hours;
    return;
  }
  const double part = *hold.part;
  adding.sum.gpu_hours += hold.gpu_hours();
  adding.sum.measured += hold.measured * part;
  adding.sum.idle += hold.idle * part;
  adding.use += hold.use * part;
  Spread weighed = hold.spread;
  for (double& hours : weighed.hours) hours *= part;
  adding.spread.add(weighed);
}

}  // namespace

std::vector<Sum> sums(const Ledger& ledger, By by) {
  std::map<std::pair<ClusterName, std::string>, Adding> all;
  for (const Hold& hold : ledger.holds()) {
    Adding& adding = all[{hold.cluster, name_of(hold, by)}];
    Sum& sum = adding.sum;
    sum.slice_hours += hold.slice_hours();
    add_by_part(adding, hold);
    if (hold.memory_peak && (!sum.memory_peak || *sum.memory_peak < *hold.memory_peak))
      sum.memory_peak = hold.memory_peak;
  }
  for (const Waited& one : ledger.waited())
    if (const auto name = name_of(one, by)) all[{one.cluster, *name}].sum.waited += one.hours;
  std::vector<Sum> result;
  for (auto& [key, adding] : all) {
    adding.sum.cluster = key.first;
    adding.sum.name = key.second;
    if (adding.sum.measured > 0) adding.sum.mean_use = adding.use / adding.sum.measured;
    adding.sum.p95_use = adding.spread.percentile(0.95);
    result.push_back(std::move(adding.sum));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Sum& a, const Sum& b) { return a.gpu_hours > b.gpu_hours; });
  return result;
}

std::optional<double> coverage(const std::vector<Sum>& sums) {
  double held = 0, measured = 0;
  for (const Sum& sum : sums) held += sum.gpu_hours, measured += sum.measured;
  if (held <= 0) return std::nullopt;
  return 100 * measured / held;
}

namespace {

struct HoursTold {
  double all = 0, held = 0, told = 0, shared = 0, unplaced = 0;
  void add(const Hold& hold, bool left_out, const Limits& limits);
  UseTold sum() const;
};

// Until work is measured for the first time a round may pass, and of jobs of a few minutes that is most of
// their time. What is held for less than counts as idle is never wasted; of what is never measured it may be
// that its figures are missing.
double too_early_for_figures(const Hold& hold, const Limits& limits) {
  const bool brief = hold.measured > 0 && hold.hours < hours_of(limits.idle_after);
  return brief ? std::min(hold.before_first, std::max(0.0, hold.hours - hold.measured)) : 0;
}

void HoursTold::add(const Hold& hold, bool left_out, const Limits& limits) {
  const double part = hold.part.value_or(1);
  all += hold.hours * part;
  if (left_out) return;
  const bool whole = hold.most || (hold.measured <= 0 && hold.idle > 0);
  const double known = whole ? hold.hours : std::min(hold.measured, hold.hours);
  const double counted = hold.hours - too_early_for_figures(hold, limits);
  held += counted * part, told += known * part;
  (hold.gpu ? shared : unplaced) +=
      (hold.gpu ? std::min(hold.together, counted - known) : counted - known) * part;
}

UseTold HoursTold::sum() const {
  UseTold sum;
  sum.left_out = held <= 0;
  if (sum.left_out) return sum;
  sum.percent = 100 * told / held;
  const double rest = held - told - shared - unplaced;
  if (shared > rest && shared >= unplaced)
    sum.mostly = UseTold::Missing::own_use;
  else if (unplaced > rest)
    sum.mostly = UseTold::Missing::place;
  return sum;
}

// Whatever its use would be found to be.
bool is_left_out(const Hold& hold, const Exceptions* except) {
  if (!except) return false;
  const auto passes = [&](const char* kind) {
    Waste row = of_hold(hold, kind, hold.hours, hold.slices, "");
    row.slice_hours.reset(), row.hours.reset();  // how much of it is wasted is not known
    return query::passes(except->filter, row, query::Context{});
  };
  return passes("idle") && passes("parked") && passes("too-big");
}

}  // namespace

std::map<ClusterName, UseTold> use_told(const Ledger& ledger, const Exceptions* except) {
  std::map<ClusterName, HoursTold> all;
  for (const Hold& hold : ledger.holds())
    all[hold.cluster].add(hold, is_left_out(hold, except), ledger.limits());
  std::map<ClusterName, UseTold> told;
  for (const auto& [cluster, hours] : all)
    if (hours.all > 0) told[cluster] = hours.sum();
  return told;
}

const std::pair<const ClusterName, UseTold>* least_told(const std::map<ClusterName, UseTold>& all) {
  const auto least = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.percent < b.second.percent;
  });
  return least == all.end() || least->second.percent >= kLeastTold ? nullptr : &*least;
}

double unvalued(const std::vector<Sum>& sums) {
  double hours = 0;
  for (const Sum& sum : sums) hours += sum.unvalued;
  return hours;
}

std::optional<double> known_gpu_hours(const Sum& sum) {
  if (sum.unvalued > 0 && sum.gpu_hours <= 0) return std::nullopt;
  return sum.gpu_hours;
}

std::vector<Waste> waste(const Ledger& ledger, const mig::Catalogue& catalogue) {
  const Limits& limits = ledger.limits();
  std::vector<Waste> all;
  for (const Hold& hold : ledger.holds()) {
    if (hold.parked > 0)
      all.push_back(of_hold(hold, "parked", hold.parked, hold.slices, "memory kept, no use"));
    if (const double idle = hold.idle - hold.parked; idle > 1e-9)
      all.push_back(of_hold(hold, "idle", idle, hold.slices, "no use"));
    // Idle hours are counted in full already, and of what was not measured it is not known.
    if (const auto found = too_big(hold, catalogue, limits))
      all.push_back(of_hold(hold, "too-big", found->hours,
                            hold.slices.value_or(0) - found->would_do->memory_slices, found->why));
  }
  for (const auto& [cluster, nodes] : ledger.stranded())
    if (Waste row = stranded(cluster, nodes); row.slice_hours > 0) all.push_back(std::move(row));
  for (const Spare& spare : ledger.spare())
    if (spare.hours > 1e-9 && spare.since >= kEnough * hours_of(limits.unasked_after))
      all.push_back(unasked(spare));
  for (Waste& one : rogues(ledger)) all.push_back(std::move(one));
  for (Waste& one : rogue_process_rows(ledger)) all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(), [](const Waste& a, const Waste& b) {
    return std::pair(a.slice_hours.value_or(0), a.hours.value_or(0)) >
           std::pair(b.slice_hours.value_or(0), b.hours.value_or(0));
  });
  return all;
}

namespace {

// What is known of the use of all that was held in a cluster.
struct UseKnown {
  bool own = false;     // of some of it by itself
  bool untold = false;  // of some of it nothing
  // Of some of it only what so many, at most, used together; 0: of none. Beside it those of which nothing
  // was measured by itself: where others were, they would be left out without a word.
  std::size_t sharers = 0, only_together = 0;
};

std::map<ClusterName, UseKnown> use_known(const Ledger& ledger) {
  std::map<ClusterName, UseKnown> all;
  for (const Hold& hold : ledger.holds()) {
    UseKnown& known = all[hold.cluster];
    const bool own = hold.measured > 0 || hold.idle > 0 || hold.most.has_value();
    known.own |= own;
    known.untold |= !own && hold.together <= 0;
    known.sharers = std::max(known.sharers, hold.sharers);
    if (!own && hold.together > 0) known.only_together = std::max(known.only_together, hold.sharers);
  }
  return all;
}

std::string together_text(std::size_t sharers) {
  return fmt::format(
      "GPUs were measured as shared by up to {} jobs or pods: what each used by itself is not told", sharers);
}

std::string missing_text(const UseKnown& known) {
  if (known.sharers == 0) return "no use of what was held was measured";
  return known.untold
             ? fmt::format(
                   "GPUs were measured as shared by up to {} jobs or pods: what each used by itself is not "
                   "told, and of the rest no use was measured",
                   known.sharers)
             : together_text(known.sharers);
}

}  // namespace

std::string not_known_line(const NotKnown& one, std::string_view missing) {
  // These two come from the figures that idle comes from, and are known or not with it: its line tells them.
  if (one.kind == "parked" || one.kind == "too-big") return {};
  if (one.kind != "idle") return fmt::format("{} is n/a in {}: {}", one.kind, one.cluster.text, missing);
  if (!one.partly)
    return fmt::format("idle, parked and too-big are n/a in {}: {}", one.cluster.text, missing);
  return fmt::format("idle, parked and too-big are known of a part only in {}: {}", one.cluster.text,
                     missing);
}

std::vector<NotKnown> not_known(const Ledger& ledger) {
  std::vector<NotKnown> all;
  for (const auto& [cluster, known] : use_known(ledger))
    for (const char* kind : {"idle", "parked", "too-big"})
      if (!known.own)
        all.push_back({cluster, kind, missing_text(known)});
      else if (known.only_together > 0)
        all.push_back({cluster, kind, together_text(known.only_together), true});
  const double wanted = hours_of(ledger.limits().unasked_after);
  for (const auto& [cluster, hours] : ledger.known())
    if (hours < kEnough * wanted) all.push_back({cluster, "unasked", recorded_text(hours, wanted)});
  for (const auto& [cluster, measured] : ledger.free_measured())
    if (!measured)
      all.push_back({cluster, "rogue",
                     ledger.free_seldom().contains(cluster)
                         ? "GPUs that are free are measured more than ten minutes apart"
                         : "no source measures GPUs that are free"});
  return all;
}

}  // namespace tessera::usage
