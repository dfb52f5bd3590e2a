// A way back that leaves the bytes that were found, and no other's edit behind.
#include "engine/slurmconf/restore.hpp"

#include <gtest/gtest.h>

#include "engine/slurmconf/edit.hpp"

namespace tessera::slurmconf {
namespace {

const Files kFound{
    {"/e/slurm.conf", "GresTypes=gpu\nNodeName=gpu0[1-2] Gres=gpu:h100:8 # two\nNodeName=s Gres=gpu:2\n"},
    {"/e/gres.conf",
     "NodeName=gpu0[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-31\n"
     "NodeName=gpu0[1-2] Name=gpu Type=h100 File=/dev/nvidia[4-7] Cores=32-63\n"
     "NodeName=s Name=gpu File=/dev/nvidia[0-1]\n"}};

Files with(const Files& files, Wanted wanted) {
  auto made = set_node(files, wanted);
  EXPECT_TRUE(made) << (made ? "" : to_line(made.error()));
  return made ? *made : Files{};
}
const Wanted kShared{"gpu01",
                     "gpu:h100:8,mps:800",
                     {"gpu", "mps"},
                     {"Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-31",
                      "Name=gpu Type=h100 File=/dev/nvidia[4-7] Cores=32-63", "Name=mps Count=800"}};
const Wanted kWhole{"gpu01",
                    "gpu:h100:8",
                    {"gpu"},
                    {"Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-31",
                     "Name=gpu Type=h100 File=/dev/nvidia[4-7] Cores=32-63"}};

TEST(SlurmRestore, LinesThatNodesSharedAreOneAgain) {
  const Files now = with(kFound, kShared), after = with(now, kWhole);
  ASSERT_NE(after, kFound) << "the line of two nodes was split";
  EXPECT_EQ(restored(now, after, kFound), kFound);
}

TEST(SlurmRestore, WhatAnotherHasWrittenSinceStays) {
  auto edited = [](std::size_t file, const std::string& from, const std::string& to) {
    Files now = with(kFound, kShared);
    std::size_t at = now[file].text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    now[file].text.replace(at, from.size(), to);
    return now;
  };
  for (const Files& now :
       {edited(0, "NodeName=s", "# theirs\nNodeName=s"),
        edited(0, "NodeName=s Gres=gpu:2", "NodeName=s Gres=gpu:1"),
        edited(0, "NodeName=s", "NodeName=s Weight=7"), edited(0, "NodeName=s", "NodeName=t"),
        edited(0, "GresTypes=", "MinJobAge=2\nGresTypes=")}) {
    const Files after = with(now, kWhole);
    EXPECT_EQ(restored(now, after, kFound)[0], after[0]) << after[0].text;
  }
  const Files now =
      edited(1, "NodeName=s Name=gpu File=/dev/nvidia[0-1]", "NodeName=s Name=gpu File=/dev/nvidia[2-3]");
  const Files after = with(now, kWhole);
  EXPECT_EQ(restored(now, after, kFound), after);
}

// A file that the run has not changed was found as it is now: what is to be written there stays to be
// written.
TEST(SlurmRestore, AFileThatIsAsItWasFoundGetsWhatIsNew) {
  Files now = with(kFound, kShared), found = kFound;
  now.push_back({"/e/devices.conf", "/dev/null\n"});
  found.push_back(now.back());
  Files after = with(now, kWhole);
  after.back().text += "/dev/nvidiactl\n";
  EXPECT_EQ(restored(now, after, found).back(), after.back());
}

TEST(SlurmRestore, AnotherLayoutIsNotWhatWasFound) {
  const Files now = with(kFound, kShared);
  EXPECT_EQ(restored(now, now, kFound), now);
  EXPECT_EQ(restored(now, now, {}), now);
}

// Another node has got a type meanwhile that was not listed then.
TEST(SlurmRestore, TypesThatANodeNeedsNowStayListed) {
  Wanted other = kShared;
  other.node = "gpu02";
  const Files now = with(with(kFound, kShared), other), after = with(now, kWhole);
  EXPECT_EQ(restored(now, after, kFound), after);
}

// Slurm ran with a type that no file listed; now it is listed, and stays so.
TEST(SlurmRestore, WhatWasFoundWithoutATypeThatANodeHasIsNotPutBack) {
  Files found = kFound;
  found[0].text += "NodeName=m Gres=gpu:1,mps:100\n";
  const Files now = with(found, kShared), after = with(now, kWhole);
  ASSERT_NE(after[0].text.find("GresTypes=gpu,mps"), std::string::npos) << after[0].text;
  EXPECT_EQ(restored(now, after, found), after);
}

}  // namespace
}  // namespace tessera::slurmconf
