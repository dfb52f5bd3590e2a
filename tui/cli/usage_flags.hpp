// The flags of `tessera usage` and `tessera waste`, a part of the table of command_table.cpp.
// Threads: constant data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tui/cli/command_table.hpp"

namespace tessera::cli {

inline constexpr Flag kUsageFlags[] = {
    {"since", 0, "TIME", false, "", Section::past, kUsed | kWaste | kAdvise, "", false, "7d",
     Completes::nothing, "", "how far back to look (7d)"},
    {"by", 0, "WHAT", false, "", Section::past, kUsed | kUsers, "", false, "", Completes::words,
     "user account group profile node workload", "what to sum up by (user; from Prometheus workload)"},
    {"source", 0, "WHERE", false, "", Section::past, kUsed | kWaste | kPack | kAdvise, "", true, "",
     Completes::words, "recording accounting prometheus",
     "where the past is read from; without it a recording if one is named, else Prometheus"},
    {"accounting", 0, "", false, "", Section::past, kUsed | kWaste | kPack | kAdvise, "", false, "",
     Completes::nothing, "", "ask Slurm's accounting (sacct) instead of a recording"},
    {"no-cache", 0, "", false, "", Section::past, kUsed | kWaste | kPack | kAdvise, "", false, "",
     Completes::nothing, "", "with --accounting: ask again about days whose answers are kept"},
    {"demand", 0, "", false, "", Section::past, kUsed, "", false, "", Completes::nothing, "",
     "the peaks of what was needed at the same time, by profile, instead of sums"},
    {"right-sized", 0, "", false, "", Section::past, kUsed | kPack | kAdvise, "", false, "",
     Completes::nothing, "",
     "what was held counts as the smaller profile that would have done (too-big of tessera waste)"},
    {"idle-after", 0, "TIME", false, "", Section::past, kWaste | kUsed | kPack | kAdvise, "", true, "15m",
     Completes::nothing, "", "how long a held slice must be unused to count as idle (15m)"},
    {"idle-below", 0, "PERCENT", false, "", Section::past, kWaste | kUsed | kPack | kAdvise, "", true, "1",
     Completes::nothing, "", "below which use a held slice counts as idle (1)"},
    {"parked-from", 0, "PERCENT", false, "", Section::past, kWaste, "", true, "30", Completes::nothing, "",
     "from how much of its memory an idle slice counts as parked (30)"},
    {"too-big-spare", 0, "PERCENT", false, "", Section::past, kWaste | kUsed | kPack | kAdvise, "", true,
     "20", Completes::nothing, "",
     "how much a smaller profile must have to spare for a slice to count as too big (20)"},
    {"too-big-percentile", 0, "PERCENT", false, "", Section::past, kWaste | kUsed | kPack | kAdvise, "", true,
     "95", Completes::nothing, "", "which percentile of use it must have room for (95)"},
    {"unasked-after", 0, "TIME", false, "", Section::past, kWaste, "", true, "7d", Completes::nothing, "",
     "how long a profile must be free, and not asked for, to count as unasked (7d)"},
    {"rogue-after", 0, "TIME", false, "", Section::past, kWaste, "", true, "15m", Completes::nothing, "",
     "how long a slice that is free must be in use to count as rogue (15m)"},
    {"rogue-memory", 0, "PERCENT", false, "", Section::past, kWaste, "", true, "10", Completes::nothing, "",
     "from how much of its memory a slice that is free counts as in use (10)"},
    {"waste-except", 0, "FILTER", false, "", Section::past, kWaste | kUsed | kPack | kAdvise, "", true, "",
     Completes::nothing, "",
     "rows that do not count as wasted: user=ci | partition=interactive; they are told as left out"},
    {"more-than", 0, "HOURS", false, "", Section::past, kWaste, "", true, "", Completes::nothing, "",
     "exit code 1 from so many wasted slice-hours on; 0: from the first"},
    {"owner-command", 0, "CMD", false, "", Section::past, kWaste, "", true, "", Completes::nothing, "",
     "hands a text to an owner: mail -s 'GPUs held and not used' {user}; it reads the text from its standard "
     "input"},
    {"send", 0, "", false, "", Section::past, kWaste, "", false, "", Completes::nothing, "",
     "with --messages: run owner-command for each owner, instead of printing"},
};

// One table after the other.
template <std::size_t First, std::size_t Second>
constexpr std::array<Flag, First + Second> joined(const Flag (&first)[First], const Flag (&second)[Second]) {
  std::array<Flag, First + Second> all{};
  std::copy(std::begin(second), std::end(second), std::copy(std::begin(first), std::end(first), all.begin()));
  return all;
}

}  // namespace tessera::cli
