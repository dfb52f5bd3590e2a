// What a reconfigure would make true, told from two texts or from a text and what scontrol shows.
#include "engine/slurmconf/pending.hpp"

#include <gtest/gtest.h>

namespace tessera::slurmconf {
namespace {

Meaning meaning(const std::string& text) {
  auto all = meaning_of({{"/e/slurm.conf", text}});
  EXPECT_TRUE(all) << (all ? "" : to_line(all.error()));
  return all ? *all : Meaning{};
}

std::string told(const std::vector<Pending>& all) {
  std::string text;
  for (const Pending& one : all) text += (text.empty() ? "" : "; ") + to_text(one);
  return text;
}

const char* const kText =
    "ClusterName=lab\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nMinJobAge=300\n"
    "SlurmUser=root\nTaskPlugin=task/affinity,task/cgroup\n"
    "NodeName=DEFAULT Sockets=2 CoresPerSocket=32 RealMemory=2000\n"
    "NodeName=gpu0[1-2] NodeAddr=10.0.0.[1-2] Gres=gpu:h100:8 Feature=h100,nvl\n"
    "NodeName=shard01 Gres=gpu:4,shard:16\n"
    "NodeSet=cut Feature=nvl\n"
    "PartitionName=DEFAULT MaxTime=1-0 State=UP\n"
    "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE\n"
    "PartitionName=fast Nodes=cut,shard01 OverSubscribe=YES\n";

Running running() {
  Running now;
  Keys gpu{{"cputot", "64"},
           {"sockets", "2"},
           {"corespersocket", "32"},
           {"realmemory", "2000"},
           {"availablefeatures", "nvl,h100"},
           {"gres", "gpu:h100:8(S:0-1)"},
           {"state", "MIXED"},
           {"nodeaddr", "10.0.0.1"}};
  now.nodes["gpu01"] = gpu;
  gpu["nodeaddr"] = "10.0.0.2";
  now.nodes["gpu02"] = gpu;
  now.nodes["shard01"] = {
      {"sockets", "2"}, {"corespersocket", "32"}, {"realmemory", "2000"}, {"state", "IDLE"}};
  now.partitions["main"] = {
      {"nodes", "gpu[01-02],shard01"}, {"maxtime", "UNLIMITED"}, {"default", "YES"}, {"state", "UP"}};
  now.partitions["fast"] = {{"nodes", "gpu[01-02],shard01"},
                            {"maxtime", "1-00:00:00"},
                            {"oversubscribe", "YES:4"},
                            {"state", "UP"}};
  now.settings = {{"selecttypeparameters", "CR_CORE_MEMORY"},
                  {"minjobage", "300 sec"},
                  {"slurmuser", "root(0)"},
                  {"taskplugin", "task/affinity,task/cgroup"}};
  return now;
}

std::string edited(std::string_view from, std::string_view to) {
  std::string text = kText;
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SlurmPending, FilesThatSayWhatRunsChangeNothingHoweverTheyWriteIt) {
  EXPECT_EQ(told(changes(running(), meaning(kText))), "");
  EXPECT_EQ(told(changes(running(), meaning(edited("gpu0[1-2] NodeAddr=10.0.0.[1-2]",
                                                   "gpu02,gpu01 NodeAddr=10.0.0.[2,1]")))),
            "");
  EXPECT_EQ(told(changes(running(), meaning(edited("MaxTime=1-0", "MaxTime=1440")))), "");
}

TEST(SlurmPending, ValuesAreTheSameInSlurmsOwnForms) {
  for (auto [written, shown] : {std::pair{"jobacct_gather/none", "(null)"},
                                {"INFINITE", "UNLIMITED"},
                                {"-1", "UNLIMITED"},
                                {"01:30:00", "01:30:00"},
                                {"90", "01:30:00"},
                                {"1-12", "1-12:00:00"},
                                {"no", "NO"},
                                {"a,B", "b,a"},
                                {"007", "7"}})
    EXPECT_TRUE(same_value(written, shown)) << written << " " << shown;
  for (auto [written, shown] : {std::pair{"90", "00:90:01"}, {"a", "a,b"}, {"yes", "no"}, {"", "main"}})
    EXPECT_FALSE(same_value(written, shown)) << written << " " << shown;
}

TEST(SlurmPending, EachEditOfAnotherAdminIsNamedWithWhatItChanges) {
  struct Case {
    const char *from, *to, *told;
  };
  for (const Case& one : {
           Case{"PartitionName=fast Nodes=cut,shard01 OverSubscribe=YES\n", "", "partition fast goes"},
           Case{"NodeName=shard01 ", "NodeName=shard01 Sockets=1 CoresPerSocket=1 RealMemory=50 ",
                "node shard01 CoresPerSocket 32 -> 1; node shard01 Sockets 2 -> 1; "
                "node shard01 RealMemory 2000 -> 50"},
           Case{"NodeName=shard01 ", "NodeName=shard01 State=DOWN ", "node shard01 State IDLE -> DOWN"},
           Case{"CR_Core_Memory", "CR_Core", "SelectTypeParameters CR_CORE_MEMORY -> CR_Core"},
           Case{"Nodes=cut,shard01", "Nodes=cut", "partition fast loses node shard01"},
           Case{"NodeName=DEFAULT Sockets=2", "NodeName=DEFAULT Sockets=1",
                "node gpu01 Sockets 2 -> 1; node gpu02 Sockets 2 -> 1; node shard01 Sockets 2 -> 1"},
           Case{"State=UP", "State=DRAIN",
                "partition fast State UP -> DRAIN; partition main State UP -> DRAIN"},
           Case{"PartitionName=fast", "PartitionName=more Nodes=gpu01\nPartitionName=fast",
                "partition more is new"},
           Case{"shard:16", "shard:16,fpga:2", "node shard01 Gres nothing -> fpga:2"},
       })
    EXPECT_EQ(told(changes(running(), meaning(edited(one.from, one.to)))), one.told);
}

TEST(SlurmPending, ANodeThatTheFilesGiveToAPartitionComesToIt) {
  Running now = running();
  now.partitions["main"]["nodes"] = "gpu[01-02]";  // by scontrol update
  EXPECT_EQ(told(changes(now, meaning(kText))), "partition main gets node shard01");
}

TEST(SlurmPending, APartitionMadeByScontrolIsLostByAReconfigure) {
  Running now = running();
  now.partitions["night"] = {{"nodes", "gpu01"}};
  EXPECT_EQ(told(changes(now, meaning(kText))), "partition night goes");
  now = running();
  now.partitions["main"]["state"] = "DRAIN";
  EXPECT_EQ(told(changes(now, meaning(kText))), "partition main State DRAIN -> UP");
}

TEST(SlurmPending, BetweenTwoTextsEveryKeyCountsEvenOneThatSlurmShowsNowhere) {
  const Meaning read = meaning(kText);
  EXPECT_EQ(told(changes(read, meaning(edited("NodeName=gpu0[1-2] NodeAddr=10.0.0.[1-2] Gres=gpu:h100:8 ",
                                              "# split\nNodeName=gpu01 NodeAddr=10.0.0.1 Gres=gpu:h100:8 "
                                              "Feature=h100,nvl\nNodeName=gpu02 NodeAddr=10.0.0.2 "
                                              "Gres=gpu:h100:8 ")))),
            "");
  EXPECT_EQ(told(changes(read, meaning(edited("NodeName=shard01", "NodeName=shard01 CpuSpecList=0-3")))),
            "node shard01 CpuSpecList nothing -> 0-3");
  EXPECT_EQ(told(changes(read, meaning(edited("MinJobAge=300", "MinJobAge=2\nNoSuchKey=1")))),
            "MinJobAge 300 -> 2; NoSuchKey nothing -> 1");
  EXPECT_EQ(told(changes(read, meaning(edited("NodeName=shard01 Gres=gpu:4,shard:16\n", "")))),
            "node shard01 goes");
  EXPECT_EQ(told(changes(read, meaning(edited("NodeSet=cut Feature=nvl", "NodeSet=cut Feature=x")))),
            "NodeSet cut -> another");
}

// What is new in the files would be made true as well as what is gone.
TEST(SlurmPending, BetweenTwoTextsWhatIsNewCountsToo) {
  const Meaning read = meaning(kText);
  auto with = [&](const std::string& line) { return told(changes(read, meaning(kText + line))); };
  EXPECT_EQ(with("NodeName=new01 Gres=gpu:2\n"), "node new01 is new");
  EXPECT_EQ(with("PartitionName=night Nodes=shard01\n"), "partition night is new");
  EXPECT_NE(with("DownNodes=gpu01 State=DOWN Reason=x\n"), "");
}

TEST(SlurmPending, ALineThatCannotBeReadLeavesNothingToBeTold) {
  for (const char* text :
       {"Include gone.conf\n", "NodeName=a[1-\n", "NodeName=a\nNodeName=a\n", "Nonsense\n"}) {
    auto all = meaning_of({{"/e/slurm.conf", text}});
    ASSERT_FALSE(all) << text;
    EXPECT_NE(all.error().reason.find("/e/slurm.conf:"), std::string::npos);
  }
}

// Held against a real scontrol by SlurmEdits.* in tests/e2e.
TEST(SlurmPending, TheHashIsSlurmsOwnOverTheTextAsItIsRead) {
  const Files files{{"/e/slurm.conf", "A=1\nInclude more.conf\n# last\n"}, {"/e/more.conf", "B=2\n"}};
  EXPECT_EQ(text_as_read(files), "A=1\nInclude more.conf\nB=2\n# last\n");
  EXPECT_EQ(hash_of(""), 0u);
  EXPECT_NE(hash_of("a\n"), hash_of("b\n"));
  EXPECT_EQ(hash_of("# comment \xc3\xa9\n"), 0xab77b597u);
  EXPECT_EQ(hash_of(text_as_read(files)), 0xc22e67eeu);
}

}  // namespace
}  // namespace tessera::slurmconf
