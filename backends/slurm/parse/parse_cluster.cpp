#include "backends/slurm/parse/parse_cluster.hpp"

#include "backends/slurm/parse/lines.hpp"
#include "backends/slurm/parse/record.hpp"
#include "backends/slurm/parse/times.hpp"
#include "engine/ascii.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

enum Field : int {
  kRowName,
  kRowState,
  kRowHidden,
  kRowDefault,
  kRowNodes,
  kRowMaxTime,
  kRowSharing,
  kRowFlags,
  kRowUsers,
  kRowStart,
  kRowEnd
};

constexpr Key kPartitionKeys[] = {
    {"PartitionName=", kRowName},    {"Default=", kRowDefault}, {"Hidden=", kRowHidden},
    {"MaxTime=", kRowMaxTime},       {"Nodes=", kRowNodes},     {"State=", kRowState},
    {"OverSubscribe=", kRowSharing},
};
constexpr Key kReservationKeys[] = {
    {"ReservationName=", kRowName}, {"StartTime=", kRowStart}, {"EndTime=", kRowEnd}, {"Nodes=", kRowNodes},
    {"Flags=", kRowFlags},          {"Users=", kRowUsers},     {"State=", kRowState},
};

// Calls with each record of a list; complains about what is none.
template <class Value, class Read>
Parsed<Value> read_list(std::string_view text, Records::Begins begins, const Schema& schema,
                        std::string_view nothing, Read read) {
  Parsed<Value> parsed;
  for (Records records(text, begins); records.next();) {
    if (!records.led()) {
      if (!records.record().starts_with(nothing))
        parsed.complain(records.line(), "unexpected: \"" + clean(records.record(), 80) + "\"");
      continue;
    }
    Value value;
    for (Fields fields(records.record(), schema); fields.next();) read(fields.id(), fields.value(), value);
    if (value.name.empty())
      parsed.complain(records.line(), "a record without a name");
    else
      parsed.values.push_back(std::move(value));
  }
  return parsed;
}

std::string_view without_blanks(std::string_view text) { return tessera::trimmed(text, " \t\r"); }

}  // namespace

Parsed<Partition> parse_partitions(std::string_view text) {
  const Schema schema{kPartitionKeys};
  return read_list<Partition>(
      text, [](std::string_view line) { return line.starts_with("PartitionName="); }, schema, "No partitions",
      [](int field, std::string_view value, Partition& partition) {
        switch (field) {
          case kRowName: partition.name = clean(value, 256); break;
          case kRowState: partition.state = clean(value, 64); break;
          case kRowHidden: partition.hidden = value == "YES"; break;
          case kRowDefault: partition.is_default = value == "YES"; break;
          case kRowNodes: partition.nodes = clean(told(value), 65536); break;
          case kRowMaxTime: partition.max_time = clean(value, 64); break;
          case kRowSharing: partition.sharing = clean(value, 64); break;
          default: break;
        }
      });
}

Parsed<Reservation> parse_reservations(std::string_view text) {
  const Schema schema{kReservationKeys};
  LocalTimes times;
  return read_list<Reservation>(
      text, [](std::string_view line) { return line.starts_with("ReservationName="); }, schema,
      "No reservations",
      [&](int field, std::string_view value, Reservation& reservation) {
        switch (field) {
          case kRowName: reservation.name = clean(value, 256); break;
          case kRowState: reservation.state = clean(value, 64); break;
          case kRowNodes: reservation.nodes = clean(told(value), 65536); break;
          case kRowFlags: reservation.flags = clean(told(value), 1024); break;
          case kRowUsers: reservation.users = clean(told(value), 4096); break;
          case kRowStart: reservation.start = times.read(value); break;
          case kRowEnd: reservation.end = times.read(value); break;
          default: break;
        }
      });
}

std::vector<Daemon> parse_ping(std::string_view text) {
  constexpr std::size_t kMostControllers = 16;
  std::vector<Daemon> daemons;
  while (!text.empty() && daemons.size() < kMostControllers) {
    std::string_view line = without_blanks(next_line(text));
    std::size_t at = line.find(") at "), is = line.rfind(" is ");
    if (!line.starts_with("Slurmctld(") || at == std::string_view::npos || is == std::string_view::npos ||
        is < at + 5)
      continue;
    Daemon daemon;
    daemon.name = "slurmctld";
    daemon.detail = clean(line.substr(10, at - 10), 64);  // "primary", "backup1"
    daemon.host = clean(line.substr(at + 5, is - at - 5), 256);
    daemon.up = line.substr(is + 4) == "UP";
    daemons.push_back(std::move(daemon));
  }
  return daemons;
}

std::string config_value(std::string_view text, std::string_view key) {
  std::string value;
  std::string wanted = lower(key);
  while (!text.empty()) {
    std::string_view line = without_blanks(next_line(text));
    if (line.size() <= key.size() || lower(line.substr(0, key.size())) != wanted) continue;
    std::string_view rest = without_blanks(line.substr(key.size()));
    if (!rest.starts_with("=")) continue;
    rest = without_blanks(
        rest.substr(1, rest.find('#') == std::string_view::npos ? rest.npos : rest.find('#') - 1));
    value = clean(told(rest), 4096);
  }
  return value;
}

// As SlurmctldHost[0], [1] ...: the primary and its backups.
static std::string id_of(std::string_view text) {
  std::string id = config_value(text, "ClusterName") + "@";
  std::string first = config_value(text, "SlurmctldHost[0]");
  if (id == "@" || first.empty()) return "";
  for (int i = 0; i < 16; ++i) {
    std::string host = config_value(text, "SlurmctldHost[" + std::to_string(i) + "]");
    if (!host.empty()) id += (i > 0 ? "," : "") + host;
  }
  return id;
}

ClusterFacts parse_config(std::string_view text) {
  return {config_value(text, "ClusterName"),
          config_value(text, "SLURM_VERSION"),
          config_value(text, "SLURM_CONF"),
          config_value(text, "PrivateData"),
          config_value(text, "AuthType"),
          config_value(text, "AuthAltTypes"),
          config_value(text, "AccountingStorageType"),
          config_value(text, "AccountingStorageHost"),
          config_value(text, "AccountingStorageEnforce"),
          config_value(text, "PriorityType"),
          config_value(text, "SelectTypeParameters"),
          id_of(text)};
}

}  // namespace tessera::slurm
