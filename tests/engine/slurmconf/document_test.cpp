#include "engine/slurmconf/document.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {
namespace {

Line only(std::string text) {
  Document document = parse({"slurm.conf", std::move(text)});
  EXPECT_EQ(document.lines.size(), 1u);
  return document.lines.empty() ? Line{} : document.lines.front();
}

std::string told(const Line& line) {
  std::string text;
  for (const Pair& pair : line.pairs) text += pair.key + "=[" + pair.value + "] ";
  return text;
}

TEST(SlurmconfDocument, ReadsPairsAsSlurmDoes) {
  EXPECT_EQ(told(only("NodeName=gpu[01-16] CPUs=64 Gres=gpu:h100:8 # rack 3\n")),
            "NodeName=[gpu[01-16]] CPUs=[64] Gres=[gpu:h100:8] ");
  EXPECT_EQ(told(only("  NodeName = a\tReason=\"two words\" Port=1\r\n")),
            "NodeName=[a] Reason=[two words] Port=[1] ");
  EXPECT_EQ(told(only("MailProg=/bin/a\\#b\\\\c")), "MailProg=[/bin/a#b\\c] ");
  EXPECT_EQ(told(only("# all of it=a comment \\\n")), "");
  // An empty value takes the next word, as the real reader does.
  EXPECT_EQ(told(only("NodeName=a Gres= Feature=x")), "NodeName=[a] Gres=[Feature=x] ");
  EXPECT_EQ(told(only("NodeName=a Gres=\"\" Feature=x")), "NodeName=[a] Gres=[] Feature=[x] ");
  EXPECT_EQ(told(only("NodeName=a Reason=\"open end")), "NodeName=[a] Reason=[\"open] ");
}

TEST(SlurmconfDocument, JoinsLines) {
  Document document = parse({"f", "NodeName=a \\\n  CPUs=6\\ \r\n4 # more \\\nNodeName=b\n"});
  ASSERT_EQ(document.lines.size(), 2u);
  EXPECT_EQ(told(document.lines[0]), "NodeName=[a] CPUs=[64] ");
  EXPECT_EQ(document.lines[1].number, 4);
  EXPECT_TRUE(only("NodeName=a \\").open);
  EXPECT_TRUE(only("NodeName=a \\\n").open);
  EXPECT_FALSE(only("NodeName=a \\\\\n").open);
}

TEST(SlurmconfDocument, PairsKnowTheirPlaceInTheRawLine) {
  Line line = only("NodeName=a \\\n Gres=\"gpu:1\" X=a\\#b# end\n");
  const Pair* gres = line.find("gres");
  ASSERT_TRUE(gres);
  EXPECT_EQ(line.raw.substr(gres->begin, gres->end - gres->begin), "Gres=\"gpu:1\"");
  EXPECT_EQ(line.raw.substr(gres->value_begin, gres->end - gres->value_begin), "\"gpu:1\"");
  const Pair* x = line.find("X");
  EXPECT_EQ(line.raw.substr(x->value_begin, x->end - x->value_begin), "a\\#b");
}

TEST(SlurmconfDocument, OddLinesSayWhy) {
  EXPECT_EQ(only("KillWait=3 InactiveLimit=1").odd, "more than one setting on a line");
  EXPECT_EQ(only("NodeName=a some words here").odd, "cannot be read behind NodeName=");
  EXPECT_NE(only("just words\n").odd, "");
  EXPECT_NE(only(" Include nodes.conf\n").odd, "");
  EXPECT_NE(only("Include a b\n").odd, "");
  EXPECT_EQ(only(std::string("NodeName=a\0b\n", 13)).odd, "has a zero byte");
  EXPECT_EQ(only(" \t\r\n").odd, "");
}

RC_GTEST_PROP(SlurmconfDocument, AnyBytesComeBack, (const std::string& noise)) {
  // Half of it made of what the format is about.
  static const std::vector<std::string> kParts{"NodeName=", "a[1-3]", "\\", "\n", "\r\n",      "#",
                                               "\"",        " ",      "=",  "x",  "Include f", "\t"};
  std::string text = noise;
  for (const auto& part : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kParts)))
    text += part;
  Document document = parse({"f", text});
  RC_ASSERT(write(document) == text);
  for (const Line& line : document.lines) {
    RC_ASSERT(told(parse_line(line.raw)) == told(line));
    for (const Pair& pair : line.pairs) {
      RC_ASSERT(pair.begin <= pair.value_begin);
      RC_ASSERT(pair.value_begin < pair.end);
      RC_ASSERT(pair.end <= line.raw.size());
    }
  }
}

RC_GTEST_PROP(SlurmconfDocument, AValueThatIsWrittenIsReadBack, ()) {
  const auto value = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1 #\\:,=[]'\t")));
  Line line = parse_line("NodeName=n X=" + written(value) + " Y=1 # end\n");
  RC_ASSERT(line.odd.empty());
  RC_ASSERT(line.find("X")->value == value);
  RC_ASSERT(line.find("Y")->value == "1");
}

Files document_site(std::string conf, Files more = {}) {
  Files files{{"/etc/slurm/slurm.conf", std::move(conf)}};
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

TEST(SlurmconfConfig, FollowsIncludesInOrder) {
  Files files =
      document_site("ClusterName=Big\nInclude nodes-%c.conf\nNodeName=z\n",
                    {{"/etc/slurm/nodes-big.conf", "NodeName=DEFAULT Gres=gpu:2\nNodeName=a\ninclude /x/y\n"},
                     {"/x/y", "NodeName=b Gres=gpu:1\n"}});
  Config config = read(files);
  EXPECT_TRUE(config.lost.empty());
  std::string order;
  for (const NodeLine& line : node_lines(config)) order += config.where(line.at) + ' ' + line.gres + '\n';
  EXPECT_EQ(order, "/etc/slurm/nodes-big.conf:2 gpu:2\n/x/y:1 gpu:1\n/etc/slurm/slurm.conf:3 gpu:2\n");
  EXPECT_EQ(effective(files),
            (std::map<std::string, std::string>{{"a", "gpu:2"}, {"b", "gpu:1"}, {"z", "gpu:2"}}));
}

TEST(SlurmconfConfig, IncludesThatCannotBeFollowedAreTold) {
  Config config = read(document_site("Include gone.conf\nInclude loop.conf\nInclude %c\n",
                                     {{"/etc/slurm/loop.conf", "Include loop.conf\n"}}));
  ASSERT_EQ(config.lost.size(), 3u);
  EXPECT_EQ(config.where(config.lost[0].at), "/etc/slurm/slurm.conf:1");
  EXPECT_EQ(config.lost[0].why, "the file /etc/slurm/gone.conf was not read");
  EXPECT_EQ(config.lost[1].why, "it includes itself");
  EXPECT_NE(config.lost[2].why.find("ClusterName"), std::string::npos);
}

TEST(SlurmconfConfig, LaterDefaultsReplaceEarlierOnes) {
  auto nodes = effective(
      document_site("NodeName=DEFAULT Gres=gpu:1 CPUs=2\nnodename=a\nNodeName=DEFAULT CPUs=4\n"
                    "NodeName=b\nNodeName=default gres=gpu:3\nNodeName=c[1-2]\nNodeName=d Gres=\"\"\n"));
  EXPECT_EQ(nodes["a"], "gpu:1");
  EXPECT_EQ(nodes["b"], "gpu:1");
  EXPECT_EQ(nodes["c2"], "gpu:3");
  EXPECT_EQ(nodes["d"], "");
}

TEST(SlurmconfConfig, NoFilesAreNoNodes) { EXPECT_TRUE(effective({}).empty()); }

}  // namespace
}  // namespace tessera::slurmconf
