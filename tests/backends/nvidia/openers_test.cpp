// Who has GPUs open by /proc: what one find prints, whole, cut off, forged, and without rights.
#include "backends/nvidia/openers.hpp"

#include <gtest/gtest.h>

#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

using namespace std::string_literals;

// As GNU find 4.9 prints it; "|" stands for the end of a record.
std::string records(std::string text) {
  for (char& c : text)
    if (c == '|') c = '\0';
  return text;
}
const std::string kTwo = records(
    "/proc/1/exe /usr/lib/systemd/systemd|/proc/640/fd/3 /dev/nvidia0|/proc/640/fd/4 /dev/nvidia1|"
    "/proc/640/fd/5 /dev/nvidia1|/proc/640/exe /usr/bin/nvidia-persistenced|"
    "/proc/700/fd/9 /dev/nvidia-uvm|/proc/700/exe /usr/bin/python3.11 (deleted)|"
    "/proc/700/fd/12 /dev/nvidia1|/proc/900/exe /usr/bin/find|");

std::string why(std::string_view out, std::string_view err = "", int code = 0) {
  const auto told = parse_openers(out, err, code);
  if (told) return "";
  EXPECT_EQ(clean(told.error().reason), told.error().reason);
  return told.error().reason;
}

TEST(Openers, EachProgramIsToldWithTheGpusThatItHasOpen) {
  const auto told = parse_openers(kTwo, "find: '/proc/701/fd': No such file or directory\n", 1);
  ASSERT_TRUE(told) << to_line(told.error());
  ASSERT_EQ(told->size(), 2u) << "systemd and find have none open";
  EXPECT_EQ((*told)[0].pid, 640);
  EXPECT_EQ((*told)[0].program, "/usr/bin/nvidia-persistenced");
  EXPECT_EQ((*told)[0].minors, (std::set<int>{0, 1}));
  EXPECT_EQ((*told)[1].program, "/usr/bin/python3.11") << "replaced while it runs";
  EXPECT_EQ((*told)[1].minors, (std::set<int>{1}));
}

TEST(Openers, ThatNobodyHasAnyOpenIsAnAnswer) {
  const auto told = parse_openers(records("/proc/1/exe /sbin/init|/proc/9/exe /usr/bin/find|"), "", 0);
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_TRUE(told->empty());
}

TEST(Openers, WhatCouldNotBeReadWholeIsNoAnswer) {
  EXPECT_EQ(why(kTwo, "find: '/proc/1/fd': Permission denied\n", 1), "find: '/proc/1/fd': Permission denied");
  EXPECT_EQ(why("", "BusyBox v1.36.1\nfind: unrecognized: -regextype\n", 1), "BusyBox v1.36.1");
  EXPECT_EQ(why("", "", 127), "find listed no process, and ended with 127");
  EXPECT_EQ(why(records("/proc/640/fd/3 /dev/nvidia0|")), "find listed no process, and ended with 0")
      << "find itself is a process";
  EXPECT_EQ(why(std::string_view(kTwo).substr(0, kTwo.size() - 1)), "the answer of find is cut off");
}

TEST(Openers, HostileNamesStayNames) {
  const auto told = parse_openers(
      "/proc/7/exe /tmp/\x1b[2Jx\n/proc/1/fd/3 /dev/nvidia0\0/proc/7/fd/3 /dev/nvidia0\0"s, "", 0);
  ASSERT_TRUE(told) << to_line(told.error());
  ASSERT_EQ(told->size(), 1u) << "a line end in a path begins no record";
  EXPECT_EQ((*told)[0].pid, 7);
  EXPECT_EQ(clean((*told)[0].program), (*told)[0].program);
  EXPECT_LE((*told)[0].program.size(), 256u);
  for (const char* bad :
       {"x", "/proc/", "/proc/0/exe /x", "/proc/-1/exe /x", "/proc/99999999999999/exe /x", "/proc/7/exe",
        "/proc/7/maps /x", "/proc/7/fd/x /dev/nvidia0", "/proc/7/fd/3 /dev/null"})
    EXPECT_NE(why(kTwo + bad + "\0"s), "") << bad;
  const auto far = parse_openers(kTwo + "/proc/8/fd/3 /dev/nvidia99999\0"s, "", 0);
  ASSERT_TRUE(far);
  EXPECT_EQ(far->size(), 2u) << "no GPU has that number";
  std::string many = kTwo;
  for (std::size_t i = 0; i < kMostRecords; ++i) many += "/proc/8/exe /x\0"s;
  EXPECT_EQ(why(many), "too many open files");
}

}  // namespace
}  // namespace tessera::nvidia
