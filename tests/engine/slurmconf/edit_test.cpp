#include "engine/slurmconf/edit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/diff.hpp"

namespace tessera::slurmconf {
namespace {

using Strings = std::vector<std::string>;

Files edit_site(std::string conf, std::optional<std::string> gres = std::nullopt) {
  Files files{{"/e/slurm.conf", std::move(conf)}};
  if (gres) files.push_back({"/e/gres.conf", std::move(*gres)});
  return files;
}

Files done(Result<Files> files) {
  EXPECT_TRUE(files) << to_line(files.error());
  return files ? *files : Files{};
}
std::string conf(Result<Files> files) { return done(std::move(files)).front().text; }
std::string gres(Result<Files> files) { return done(std::move(files)).back().text; }

TEST(SlurmconfEdit, ANodeWithItsOwnLineIsEditedInPlace) {
  EXPECT_EQ(conf(set_gres(edit_site("NodeName=a CPUs=1 Gres=gpu:8 Feature=x # keep\r\nNodeName=b\r\n"), "a",
                          "gpu:1g.5gb:7")),
            "NodeName=a CPUs=1 Gres=gpu:1g.5gb:7 Feature=x # keep\r\nNodeName=b\r\n");
  EXPECT_EQ(conf(set_gres(edit_site("NodeName=a CPUs=1# c\n"), "a", "gpu:8")),
            "NodeName=a CPUs=1 Gres=gpu:8# c\n");
  EXPECT_EQ(conf(set_gres(edit_site("NodeName=a gres=\"gpu:8\""), "a", "gpu:2")),
            "NodeName=a gres=\"gpu:2\"");
  EXPECT_EQ(conf(set_gres(edit_site("NodeName=a \\\n  Gres=gpu:8 \\\n  CPUs=1\n"), "a", "gpu:2")),
            "NodeName=a \\\n  Gres=gpu:2 \\\n  CPUs=1\n");
}

TEST(SlurmconfEdit, ANodeAmongOthersIsSplitOut) {
  EXPECT_EQ(
      conf(set_gres(edit_site("NodeName=node[01-16] CPUs=64 Gres=gpu:8\nPartitionName=p Nodes=node[01-16]\n"),
                    "node03", "gpu:1g.10gb:7")),
      "NodeName=node[01-02,04-16] CPUs=64 Gres=gpu:8\nNodeName=node03 CPUs=64 Gres=gpu:1g.10gb:7\n"
      "PartitionName=p Nodes=node[01-16]\n");
  // Lists that run along are split along; what one entry says for all is copied.
  EXPECT_EQ(
      conf(set_gres(
          edit_site("NodeName=n[1-3] NodeHostname=h[1-3] NodeAddr=10.0.0.[7-9] Port=[7001-7003] BcastAddr=b"),
          "n2", "gpu:1")),
      "NodeName=n[1,3] NodeHostname=h[1,3] NodeAddr=10.0.0.[7,9] Port=[7001,7003] BcastAddr=b\n"
      "NodeName=n2 NodeHostname=h2 NodeAddr=10.0.0.8 Port=7002 BcastAddr=b Gres=gpu:1\n");
  EXPECT_EQ(conf(set_gres(edit_site("NodeName=a,b Gres=gpu:1"), "b", "")),
            "NodeName=a Gres=gpu:1\nNodeName=b\n");
}

TEST(SlurmconfEdit, DefaultsGoOnCounting) {
  Files files = edit_site("NodeName=DEFAULT CPUs=4 Gres=gpu:8\nNodeName=n[1-3]\n");
  Files once = done(set_gres(files, "n2", "gpu:2"));
  EXPECT_EQ(once[0].text, "NodeName=DEFAULT CPUs=4 Gres=gpu:8\nNodeName=n[1,3]\nNodeName=n2 Gres=gpu:2\n");
  EXPECT_EQ(effective(done(set_gres(once, "n2", "gpu:8"))), effective(files));
  // A node without GRES among those that inherit one has to say so.
  EXPECT_EQ(conf(set_gres(once, "n2", "")),
            "NodeName=DEFAULT CPUs=4 Gres=gpu:8\nNodeName=n[1,3]\nNodeName=n2 Gres=\"\"\n");
}

TEST(SlurmconfEdit, ALineThatEndsOpenDoesNotSwallowTheNext) {
  for (const char* text : {"NodeName=n[1-2] \\", "NodeName=n[1-2] \\\n", "NodeName=n[1-2] \\\r\n"}) {
    Files files = done(set_gres(edit_site(text), "n1", "gpu:1"));
    EXPECT_EQ(effective(files), (std::map<std::string, std::string>{{"n1", "gpu:1"}, {"n2", ""}})) << text;
  }
}

TEST(SlurmconfEdit, RefusesWhatItCannotKeepRight) {
  auto reason = [](Result<Files> files) { return files ? "" : files.error().reason; };
  EXPECT_EQ(reason(set_gres(edit_site("NodeName=a\nNodeName=a\n"), "a", "gpu:1")),
            "a is defined twice: /e/slurm.conf:1 and /e/slurm.conf:2");
  EXPECT_EQ(reason(set_gres(edit_site("NodeName=a\n"), "b", "gpu:1")), "no NodeName line names b");
  EXPECT_EQ(reason(set_gres(edit_site("NodeName=a,b,a\n"), "a", "gpu:1")), "/e/slurm.conf:1 names a twice");
  EXPECT_EQ(reason(set_gres(edit_site("NodeName=\"a,b\n"), "b", "gpu:1")),
            "/e/slurm.conf:1: NodeName cannot be split");
  EXPECT_NE(set_gres(edit_site("Include more\nNodeName=a\n"), "b", "gpu:1").error().hint.find("more"),
            std::string::npos);
  EXPECT_NE(reason(set_gres(edit_site("NodeName=a[1-2\n"), "a1", "gpu:1")).find("/e/slurm.conf:1"),
            std::string::npos);
  EXPECT_EQ(reason(set_gres(edit_site("NodeName=n[1-3] NodeAddr=h[1-2]\n"), "n1", "gpu:1")),
            "/e/slurm.conf:1: NodeAddr lists 2 for 3 nodes");
  for (const char* bad : {"gpu:1 Feature=x", "gpu:1\nNodeName=x", "gpu:1#", "gpu\\", "\"gpu\""})
    EXPECT_FALSE(set_gres(edit_site("NodeName=a\n"), "a", bad)) << bad;
  EXPECT_FALSE(set_gres({}, "a", "gpu:1"));
}

TEST(SlurmconfEdit, TypesAreAddedNeverTakenAway) {
  EXPECT_EQ(conf(add_gres_types(edit_site("GresTypes=gpu # x\n"), {"gpu", "MPS", "shard"})),
            "GresTypes=gpu,MPS,shard # x\n");
  EXPECT_EQ(conf(add_gres_types(edit_site("ClusterName=c\nNodeName=a\n"), {"gpu"})),
            "ClusterName=c\nGresTypes=gpu\nNodeName=a\n");
  EXPECT_EQ(conf(add_gres_types(edit_site("ClusterName=c"), {"gpu"})), "ClusterName=c\nGresTypes=gpu\n");
  EXPECT_EQ(conf(add_gres_types(edit_site("grestypes=gpu\n"), {"GPU"})), "grestypes=gpu\n");
}

const char* const kLab =
    "NodeName=gpu0[1-2] Name=gpu Type=h100 File=/d/nvidia[0-3] Cores=0-31 # left\n"
    "NodeName=gpu0[1-2] Name=gpu Type=h100 File=/d/nvidia[4-7] Cores=32-63\n"
    "NodeName=gpu01 Name=nic File=/dev/mlx5\n"
    "NodeName=mig01 Name=gpu Type=1g.10gb File=/d/cap[0-6]\n";

TEST(SlurmconfEdit, LinesOfANodeAreReplacedAmongOthers) {
  Strings wanted{"NodeName=gpu01 Name=gpu Type=1g.10gb File=/d/cap[0-6]",
                 "Name=gpu Type=3g.40gb File=/d/cap[7-8]"};
  Files files = done(set_gres_lines(edit_site("", kLab), "gpu01", wanted));
  EXPECT_EQ(files[1].text,
            "NodeName=gpu02 Name=gpu Type=h100 File=/d/nvidia[0-3] Cores=0-31 # left\n"
            "NodeName=gpu01 Name=gpu Type=1g.10gb File=/d/cap[0-6]\n"
            "NodeName=gpu01 Name=gpu Type=3g.40gb File=/d/cap[7-8]\n"
            "NodeName=gpu02 Name=gpu Type=h100 File=/d/nvidia[4-7] Cores=32-63\n"
            "NodeName=gpu01 Name=nic File=/dev/mlx5\n"
            "NodeName=mig01 Name=gpu Type=1g.10gb File=/d/cap[0-6]\n");
  EXPECT_EQ(gres_lines_of(files, "gpu01"),
            (Strings{"name=gpu type=1g.10gb file=/d/cap[0-6]", "name=gpu type=3g.40gb file=/d/cap[7-8]"}));
  // The old lines taken from the old files restore what counts.
  Files back = done(set_gres_lines(files, "gpu01", gres_lines_of(edit_site("", kLab), "gpu01")));
  EXPECT_EQ(gres_lines_of(back, "gpu01"), gres_lines_of(edit_site("", kLab), "gpu01"));
  EXPECT_EQ(gres_lines_of(back, "gpu02"), gres_lines_of(edit_site("", kLab), "gpu02"));
}

TEST(SlurmconfEdit, ALineThatSaysTheSameKeepsItsComment) {
  std::string text =
      "NodeName=a Name=gpu File=/dev/nvidia0   # the good one\nNodeName=a Name=gpu File=/dev/nvidia1\n";
  EXPECT_EQ(gres(set_gres_lines(edit_site("", text), "a", {"Name=gpu File=/dev/nvidia0"})),
            "NodeName=a Name=gpu File=/dev/nvidia0   # the good one\n");
}

TEST(SlurmconfEdit, GresConfIsMadeAndDetectionIsTurnedOff) {
  Files files = done(set_gres_lines(edit_site("NodeName=a\n"), "a", {"Name=gpu File=/dev/nvidia0"}));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].path, "/e/gres.conf");
  EXPECT_EQ(files[1].text, "NodeName=a Name=gpu File=/dev/nvidia0\n");
  EXPECT_EQ(gres(set_gres_lines(edit_site("", "AutoDetect=nvml\n"), "a", {"Name=gpu File=/dev/nvidia0"})),
            "AutoDetect=nvml\nNodeName=a AutoDetect=off Name=gpu File=/dev/nvidia0\n");
  EXPECT_EQ(gres(set_gres_lines(edit_site("", "AutoDetect=nvml\n"), "a", {"NodeName=a\tName=gpu\tFile=/x"})),
            "AutoDetect=nvml\nNodeName=a AutoDetect=off\tName=gpu\tFile=/x\n");
  EXPECT_EQ(gres(set_gres_lines(edit_site("", "AutoDetect=off\n"), "a", {"AutoDetect=nvml"})),
            "AutoDetect=off\nNodeName=a AutoDetect=nvml\n");
}

TEST(SlurmconfEdit, LinesForEveryNodeAreRefusedWithTheWayOut) {
  Files files =
      edit_site("NodeName=a Gres=gpu:8\nNodeName=b[1-2] Gres=craynetwork:1,gpu:h100:8\nNodeName=c\n",
                "Name=gpu Type=h100 File=/dev/nvidia[0-7]\n");
  auto refused = set_gres_lines(files, "b1", {"Name=gpu File=/dev/nvidia0"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("/e/gres.conf:1 has no NodeName="), std::string::npos);
}

TEST(SlurmconfEdit, AWholeNodeIsIdempotent) {
  Files files = edit_site("GresTypes=gpu\nNodeName=gpu0[1-2] Gres=gpu:h100:8\n", kLab);
  Wanted wanted{"gpu01",
                "gpu:h100:2,mps:200",
                {"gpu", "mps"},
                {"Name=gpu Type=h100 File=/d/nvidia[0-1]", "Name=mps Count=200"}};
  Files once = done(set_node(files, wanted)), twice = done(set_node(once, wanted));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].text, twice[i].text);
  EXPECT_EQ(
      unified_diff(files, once),
      "--- /e/slurm.conf\n+++ /e/slurm.conf\n@@ -1,2 +1,3 @@\n-GresTypes=gpu\n-NodeName=gpu0[1-2] "
      "Gres=gpu:h100:8\n"
      "+GresTypes=gpu,mps\n+NodeName=gpu02 Gres=gpu:h100:8\n+NodeName=gpu01 Gres=gpu:h100:2,mps:200\n"
      "--- /e/gres.conf\n+++ /e/gres.conf\n@@ -1,4 +1,6 @@\n"
      "-NodeName=gpu0[1-2] Name=gpu Type=h100 File=/d/nvidia[0-3] Cores=0-31 # left\n"
      "-NodeName=gpu0[1-2] Name=gpu Type=h100 File=/d/nvidia[4-7] Cores=32-63\n"
      "+NodeName=gpu02 Name=gpu Type=h100 File=/d/nvidia[0-3] Cores=0-31 # left\n"
      "+NodeName=gpu01 Name=gpu Type=h100 File=/d/nvidia[0-1]\n+NodeName=gpu01 Name=mps Count=200\n"
      "+NodeName=gpu02 Name=gpu Type=h100 File=/d/nvidia[4-7] Cores=32-63\n"
      " NodeName=gpu01 Name=nic File=/dev/mlx5\n NodeName=mig01 Name=gpu Type=1g.10gb File=/d/cap[0-6]\n");
}

TEST(SlurmconfEdit, AllowedDevicesAreAddedNeverTakenAway) {
  Files files{{"/e/slurm.conf", "GresTypes=gpu\nNodeName=n1\n"},
              {"/e/gres.conf", ""},
              {"/e/cgroup.conf", "AllowedDevicesFile=/site/allowed # ours\n"},
              {"/site/allowed", "/dev/null\n/dev/nvidia?\n/dev/nvidia-caps/old\n/dev/pts/*"}};
  Wanted wanted{"n1",
                "gpu:1g.10gb:1",
                {"gpu"},
                {"Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66"},
                {}};
  wanted.devices = devices_of_gres(wanted.lines);
  Files once = done(set_node(files, wanted)), twice = done(set_node(once, wanted));
  // A pattern's star stops at a slash, and no pattern of the file lets a capability's file through.
  EXPECT_EQ(once[3].text,
            "/dev/null\n/dev/nvidia?\n/dev/nvidia-caps/old\n/dev/pts/*\n/dev/nvidiactl\n/dev/nvidia-uvm\n"
            "/dev/nvidia-uvm-tools\n/dev/nvidia-caps/nvidia-cap66\n");
  EXPECT_EQ(once[3].text, twice[3].text);
  // Without its line end Slurm reads a last line without its last letter.
  EXPECT_EQ(not_allowed("/dev/nvidia12", {"/dev/nvidia1", "/dev/nvidia12"}), Strings{"/dev/nvidia12"});
  EXPECT_EQ(not_allowed("/dev/*\n", {"/dev/nvidia0", "/dev/nvidia-caps/x"}), Strings{"/dev/nvidia-caps/x"});
  // No such file: none is made.
  files.pop_back();
  EXPECT_EQ(done(set_node(files, wanted)).size(), 3u);
}

// Random files of nodes: an edit changes what counts for one node and nothing else.
RC_GTEST_PROP(SlurmconfEdit, OnlyTheNodeChanges, ()) {
  static const Strings kLines{"NodeName=n[1-4] CPUs=2 Gres=gpu:8",
                              "NodeName=m1,m3 \\\n Gres=gpu:2 # c",
                              "NodeName=DEFAULT Gres=gpu:4",
                              "# a comment",
                              "KillWait=3",
                              "NodeName=k[01-12]",
                              "bad line",
                              "NodeName=z Gres=\"gpu:1\"",
                              "NodeName=y \\"};
  Strings lines = *rc::gen::unique<Strings>(rc::gen::elementOf(kLines));
  std::string text;
  for (const std::string& line : lines) text += line + (*rc::gen::element(0, 1) ? "\n" : "\r\n");
  if (*rc::gen::arbitrary<bool>() && !text.empty()) text.pop_back();
  Files files = edit_site(text);
  auto before = effective(files);
  RC_PRE(!before.empty());
  auto node = std::next(before.begin(), *rc::gen::inRange<int>(0, static_cast<int>(before.size())));
  std::string wish = *rc::gen::element<std::string>("gpu:1g.5gb:7", "", "gpu:8");
  Files after = done(set_gres(files, node->first, wish));
  auto expected = before;
  expected[node->first] = wish;
  RC_ASSERT(effective(after) == expected);
  RC_ASSERT(done(set_gres(after, node->first, wish))[0].text == after[0].text);
  RC_ASSERT(effective(done(set_gres(after, node->first, node->second))) == before);
}

// A patch by the rules of the format, applied without help of the code that wrote it.
std::string patched(const std::string& before, const std::string& patch) {
  auto lines_of = [](const std::string& text) {
    Strings lines;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      lines.push_back(text.substr(at, end - at));
      at = end;
    }
    return lines;
  };
  Strings old = lines_of(before), out, diff = lines_of(patch);
  std::size_t at = 0;
  for (std::size_t i = 2; i < diff.size(); ++i) {
    std::string& line = diff[i];
    if (i + 1 < diff.size() && diff[i + 1].starts_with('\\')) line.pop_back();
    if (line.starts_with("@@")) {
      int start = 0, count = 1;
      std::string place = line.substr(4, line.find(' ', 4) - 4);
      sscanf(place.c_str(), "%d,%d", &start, &count);
      for (std::size_t to = static_cast<std::size_t>(count ? start - 1 : start); at < to;)
        out.push_back(old.at(at++));
    } else if (line.starts_with('+')) {
      out.push_back(line.substr(1));
    } else if (line.starts_with(' ') || line.starts_with('-')) {
      if (old.at(at) != line.substr(1)) return "does not apply at " + line;
      if (line.starts_with(' ')) out.push_back(old[at]);
      ++at;
    }
  }
  for (; at < old.size(); ++at) out.push_back(old[at]);
  std::string text;
  for (const std::string& line : out) text += line;
  return text;
}

RC_GTEST_PROP(SlurmconfDiff, ThePatchMakesTheNewText, ()) {
  auto texts = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n', '\n', '\n'));
  std::string before = *texts, after = *texts;
  std::string patch = unified_diff(File{"old", before}, File{"new", after});
  RC_ASSERT(patch.empty() == (before == after));
  RC_ASSERT(patched(before, patch) == after);
}

TEST(SlurmconfDiff, IsAsShortAsItCanBe) {
  std::string before, after;
  for (int i = 0; i < 40; ++i) before += std::to_string(i) + "\n";
  after = before;
  after.replace(after.find("5\n"), 2, "five\n");
  after.erase(after.find("30\n"), 3);
  EXPECT_EQ(unified_diff(File{"a", before}, File{"b", after}),
            "--- a\n+++ b\n@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
            "@@ -28,7 +28,6 @@\n 27\n 28\n 29\n-30\n 31\n 32\n 33\n");
  EXPECT_EQ(unified_diff(File{"a", ""}, File{"b", "x"}),
            "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n");
  // A thousand lines of another kind do not end in quadratic time or memory.
  std::string many, others;
  for (int i = 0; i < 20'000; ++i)
    many += "a" + std::to_string(i) + "\n", others += "b" + std::to_string(i) + "\n";
  EXPECT_EQ(patched(many, unified_diff(File{"a", many}, File{"b", others})), others);
}

}  // namespace
}  // namespace tessera::slurmconf
