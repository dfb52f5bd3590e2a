// The unit for systemd that runs tessera fleet run: it must let a run do its work.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tui/cli/fleet/fleet.hpp"
#include "tui/cli/record/record.hpp"

namespace tessera::cli {
namespace {

// "KEY=VALUE" without comments.
std::set<std::string> unit_settings(const std::string& unit) {
  std::set<std::string> all;
  std::istringstream lines(unit);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.front() != '#' && line.front() != '[') all.insert(line);
  return all;
}
bool sets(const std::set<std::string>& settings, const std::string& key) {
  const auto at = settings.lower_bound(key + "=");
  return at != settings.end() && at->starts_with(key + "=");
}

// slurm.conf and gres.conf in /etc/slurm could not be written: each run on Slurm stopped at its first step.
TEST(FleetUnit, LeavesSlurmsFilesWritableAndSudoUsable) {
  const auto settings = unit_settings(fleet_unit());
  for (const char* key : {"ProtectSystem", "ReadOnlyPaths", "NoNewPrivileges", "RestrictSUIDSGID"})
    EXPECT_FALSE(sets(settings, key)) << key;
  EXPECT_TRUE(sets(settings, "ExecStart"));
}

// systemd gives a state folder as a whole to the unit's user at its start: the recorder lost its files.
TEST(FleetUnit, SharesNoStateFolderWithTheRecorder) {
  const auto fleet = unit_settings(fleet_unit()), recorder = unit_settings(record_unit());
  ASSERT_TRUE(recorder.contains("StateDirectory=tessera"));
  EXPECT_FALSE(fleet.contains("StateDirectory=tessera"));
  EXPECT_TRUE(fleet.contains("StateDirectory=tessera-fleet"));
  EXPECT_TRUE(fleet.contains("Environment=XDG_STATE_HOME=/var/lib/tessera-fleet"));
}

}  // namespace
}  // namespace tessera::cli
