// The filter language, as an admin types it.
#include "engine/query/filter.hpp"

#include <gtest/gtest.h>

#include "engine/model/kueue.hpp"
#include "engine/query/filter_text.hpp"
#include "engine/query/finders.hpp"
#include "engine/text.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_world.hpp"

namespace tessera::test {
namespace {

using namespace query;

// Four jobs: two run (alice since 1 h, bob since 1 h), one of bob and one of carol wait.
Story four_jobs() {
  Story story;
  story.tell(NodesListed{
      {node("gpu1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  Workload long_run = running("11", "bob", {holds("gpu1", {{1, 1}})});
  long_run.started = at(-3 * 86400);
  long_run.name = "sweep | part two";
  story.tell(WorkloadsListed{{running("2", "alice", {holds("gpu1", {{0, 1}})}), long_run,
                              waiting("3", "bob", "gpu:h100"), waiting("4", "Carol", "gpu:1g.10gb")}});
  return story;
}

std::string kept(const std::string& text, const std::string& sort = "id") {
  Story story = four_jobs();
  Result<Filter> filter = parse_filter<WorkloadRow>(text);
  if (!filter) return "error: " + filter.error().reason;
  std::vector<WorkloadRow> rows = workload_rows(story.model);
  filter_and_sort(rows, *filter, {*parse_sort<WorkloadRow>(sort)}, Context{at(0), nullptr});
  std::string ids;
  for (const WorkloadRow& row : rows) ids += (ids.empty() ? "" : " ") + row.workload->id.text;
  return ids;
}

TEST(Filter, NothingTypedKeepsEverything) { EXPECT_EQ(kept(""), "2 3 4 11"); }
TEST(Filter, AWordMatchesAnyTextColumnWhateverItsCase) {
  EXPECT_EQ(kept("carol"), "4");
  EXPECT_EQ(kept("PENDING"), "3 4");
}
TEST(Filter, AWordIsNotLookedForInPictures) {
  Story story = four_jobs();
  const auto rows = node_rows(story.model);
  const auto passes_with = [&](const char* text) {
    const auto filter = parse_filter<NodeRow>(text);
    return filter && passes(*filter, rows.at(0), Context{at(0), nullptr});
  };
  EXPECT_TRUE(passes_with("boards:█")) << "held GPUs are drawn so";
  EXPECT_FALSE(passes_with("█"));
  EXPECT_TRUE(passes_with("gpu1"));
}
// Free text looks into most cells where they stand in the model, without making them.
template <class Row>
int compare_with_cells(const std::vector<Row>& rows, unsigned seed) {
  int found = 0;
  const Context context{at(0), &catalogue()};
  const auto all = columns<Row>();
  const auto finders = query::finders<Row>();
  EXPECT_EQ(finders.size(), all.size());
  std::vector<std::string> words{"a", "-", "1", "0", ",", " ", "+", "whole", "closed"};
  for (std::size_t i = 0; i < rows.size(); i += 4)
    for (const Column<Row>& column : all) {
      const std::string cell = lower(to_text(column.value(rows[i], context), column.format));
      words.push_back(cell.substr(cell.size() / 3, 1 + seed % 7));
      words.push_back(cell);
    }
  std::erase(words, "");
  for (const Row& row : rows)
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!finders[i]) continue;
      const Value value = all[i].value(row, context);
      const auto* text = std::get_if<std::string>(&value);
      for (const std::string& word : words) {
        const std::optional<bool> has = finders[i](row, word);
        if (!has) continue;
        EXPECT_EQ(*has, text && contains_folded(*text, word)) << all[i].key << ": " << word;
        found += *has;
      }
    }
  return found;
}
TEST(Filter, AWordIsFoundInACellAsInItsText) {
  int found = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomWorld random(seed);
    found += compare_with_cells(node_rows(random.model()), seed);
    found += compare_with_cells(gpu_rows(random.model()), seed);
    found += compare_with_cells(slice_rows(random.model()), seed);
    found += compare_with_cells(workload_rows(random.model()), seed);
  }
  EXPECT_GT(found, 5000);
}
// The cell said "workload", and the search looked for "pod".
TEST(Filter, WorkThatKueueHoldsBackIsFoundByItsKindAsItIsShown) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Workload suspended = waiting("team/job-train", "ann", "nvidia.com/gpu");
  suspended.kind = WorkloadKind::pod, suspended.state_word = kSuspended;
  story.tell(WorkloadsListed{{suspended}});
  const auto rows = workload_rows(story.model);
  const auto finds = [&](const char* text) {
    return passes(*parse_filter<WorkloadRow>(text), rows.at(0), Context{at(0), nullptr});
  };
  EXPECT_TRUE(finds("workload"));
  EXPECT_FALSE(finds("pod"));
}
// The cell says HAMi, and the word was looked for in "shard".
TEST(Filter, FreeTextFindsAShareByThePlatformsName) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node hami = node("gpu1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 100, 0)})});
  hami.allocatable = {{"nvidia.com/gpu", 10}};
  story.tell(NodesListed{{hami}});
  const auto rows = slice_rows(story.model);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(passes(*parse_filter<SliceRow>("hami"), rows[0], Context{at(0), nullptr}));
  EXPECT_FALSE(passes(*parse_filter<SliceRow>("shard"), rows[0], Context{at(0), nullptr}));
}

// `/3g`: what an admin looks for is a node that has one to give, not one whose 3g is held or closed.
TEST(Filter, AWordFindsTheNodesWhereThatIsFree) {
  Story story;
  Node closed = node("closed", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)})});
  closed.health = Health::drained;
  story.tell(NodesListed{{node("has", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)})}),
                          node("gave", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)})}),
                          std::move(closed)}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("gave", {{0, 1}})})}});
  std::vector<NodeRow> rows = node_rows(story.model);
  filter_and_sort(rows, *parse_filter<NodeRow>("3g"), {*parse_sort<NodeRow>("node")},
                  Context{at(0), nullptr});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.front().node->name.text, "has");
}

TEST(Filter, AWordThatGoesOverTheEndOfAPartIsFoundInTheWholeCell) {
  Story story;
  Node two = node("gpu1", {gpu(0, Strategy::whole, {whole(0)})});
  two.partitions = {"main", "long"};
  story.tell(NodesListed{{two}});
  const auto rows = node_rows(story.model);
  for (const char* text : {"main", "long", "n,l", "main,long"})
    EXPECT_TRUE(passes(*parse_filter<NodeRow>(text), rows.at(0), Context{at(0), nullptr})) << text;
  EXPECT_FALSE(passes(*parse_filter<NodeRow>("nl"), rows.at(0), Context{at(0), nullptr}));
}
TEST(Filter, AnExclamationMarkTurnsItRound) { EXPECT_EQ(kept("!pending"), "2 11"); }
TEST(Filter, WordsNarrowAndBarsWiden) {
  EXPECT_EQ(kept("bob pending"), "3");
  EXPECT_EQ(kept("bob pending | carol"), "3 4");
}
TEST(Filter, EqualsIsExactAndColonIsPart) {
  EXPECT_EQ(kept("user=bo"), "");
  EXPECT_EQ(kept("user:bo"), "3 11");
  EXPECT_EQ(kept("user!=bob"), "2 4");
}
TEST(Filter, DurationsCompareWithUnits) {
  EXPECT_EQ(kept("since>2h"), "11");
  EXPECT_EQ(kept("since<=1h"), "2 3 4");
  EXPECT_EQ(kept("since>=3d"), "11");
}
TEST(Filter, ARegexSpeaksOfOneColumn) { EXPECT_EQ(kept("user~^(alice|carol)$"), "2 4"); }
TEST(Filter, QuotesHoldBlanksAndBars) { EXPECT_EQ(kept("name=\"sweep | part two\""), "11"); }
TEST(Filter, UnknownIsAValueOneCanAskFor) {
  EXPECT_EQ(kept("ends_in=?"), "2 3 4 11");
  EXPECT_EQ(kept("restarts=unknown"), "2 3 4 11");
  EXPECT_EQ(kept("restarts!=unknown"), "");
}
// What is not known is not equal to anything that is asked for.
TEST(Filter, AValueThatIsNotKnownDiffersFromEveryKnownOne) {
  EXPECT_EQ(kept("restarts=yes"), "");
  EXPECT_EQ(kept("restarts!=yes"), "2 3 4 11");
  EXPECT_EQ(kept("ends_in!=1h"), "2 3 4 11");
  EXPECT_EQ(kept("ends_in<1h"), "") << "an order says nothing of it";
}
TEST(Filter, ATextIsNeitherLessNorMoreThanANumber) {
  EXPECT_EQ(kept("user>5"), "");
  EXPECT_EQ(kept("user<5"), "");
}
TEST(Filter, APercentageIsComparedAsItIsShown) {
  Story story;
  Gpu busy = gpu(0, Strategy::whole, {whole(0)});
  busy.telemetry.use = Percent{31.4F};
  story.tell(NodesListed{{node("n1", {busy})}});
  auto kept_of = [&](const char* text) {
    std::vector<GpuRow> rows = gpu_rows(story.model);
    filter_and_sort(rows, *parse_filter<GpuRow>(text), {}, Context{at(0), nullptr});
    return rows.size();
  };
  EXPECT_EQ(kept_of("use=31"), 1u) << "31.4 is shown as 31%";
  EXPECT_EQ(kept_of("use!=31"), 0u);
  EXPECT_EQ(kept_of("use=32"), 0u);
  EXPECT_EQ(kept_of("use>31"), 1u) << "an order takes the exact figure";
}
TEST(Filter, NumbersSortAsNumbersAndUnknownComesLastEitherWay) {
  EXPECT_EQ(kept("", "-id"), "11 4 3 2");
  EXPECT_EQ(kept("", "since"), "3 4 2 11");
  EXPECT_EQ(kept("", "-since"), "11 2 3 4");
}
// A sort takes numbers out of their cells: what has none keeps its rank, and what is alike its order.
TEST(Filter, SeveralSortKeysOfNumbersTextsAndUnknownDecideOneAfterAnother) {
  Story story;
  std::vector<Node> nodes;
  const int cpus[] = {64, 0, 128, 64, 0, 128};
  for (int i = 0; i < 6; ++i) {
    nodes.push_back(node("n" + std::to_string(i), {}));
    nodes.back().cpus.reset();
    if (cpus[i] > 0) nodes.back().cpus = cpus[i];
    nodes.back().driver = i % 2 == 0 ? "570" : "1000";
  }
  story.tell(NodesListed{nodes});
  const auto sorted = [&](std::initializer_list<const char*> by) {
    std::vector<Sort> sorts;
    for (const char* one : by) sorts.push_back(*parse_sort<NodeRow>(one));
    std::vector<NodeRow> rows = node_rows(story.model);
    filter_and_sort(rows, {}, sorts, Context{at(0), nullptr});
    std::string names;
    for (const NodeRow& row : rows) names += row.node->name.text.substr(1);
    return names;
  };
  EXPECT_EQ(sorted({"cpus"}), "032514") << "alike: in their order; not told: last";
  EXPECT_EQ(sorted({"-cpus"}), "250314") << "last either way";
  EXPECT_EQ(sorted({"driver", "-cpus"}), "204531") << "570 before 1000";
  EXPECT_EQ(sorted({"-driver", "cpus"}), "351024");
}
TEST(Filter, RowsKeepTheirOrderWhenOneInTheMiddleGoes) {
  // The model fills a gap with its last row; a table must not show that.
  Story story;
  story.tell(NodesListed{{node("n1", {}), node("n2", {}), node("n10", {})}});
  story.tell(NodeGone{NodeName("n1")});
  std::vector<NodeRow> rows = node_rows(story.model);
  filter_and_sort(rows, {}, {}, Context{at(0), nullptr});
  EXPECT_EQ(rows[0].node->name.text, "n2");
  EXPECT_EQ(rows[1].node->name.text, "n10");
}
TEST(Filter, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(kept("usr=bob"), "error: there is no column \"usr\"");
  EXPECT_EQ(kept("since>soon"), "error: since: \"soon\" is not a time (2h, 30min, 1d)");
  EXPECT_EQ(kept("user="), "error: at character 6: a value is missing");
  EXPECT_EQ(kept("bob |"), "error: at character 6: there is nothing after |");
  EXPECT_EQ(kept("| bob"), "error: at character 1: there is nothing before |");
  EXPECT_EQ(kept("name=\"x"), "error: at character 6: the quote is not closed");
  EXPECT_EQ(kept("user~(").substr(0, 6), "error:");
}
TEST(Filter, ARegexCannotBeMadeToEatTheMachine) {
  EXPECT_FALSE(parse_filter<WorkloadRow>("user~((a{200}){200}){200}").ok());
  EXPECT_FALSE(parse_filter<WorkloadRow>(std::string(2000, 'a')).ok());
}
TEST(Filter, AnUnknownSortColumnListsTheKnownOnes) {
  Result<Sort> sort = parse_sort<NodeRow>("colour");
  ASSERT_FALSE(sort.ok());
  EXPECT_NE(sort.error().hint.find("partitions"), std::string::npos);
}

TEST(Quantity, UnitsBelongToTheColumn) {
  EXPECT_EQ(parse_quantity("2h", Format::duration), 7200);
  EXPECT_EQ(parse_quantity("1.5d", Format::duration), 129600);
  EXPECT_EQ(parse_quantity("40gib", Format::mib), 40960);
  EXPECT_EQ(parse_quantity("40", Format::mib), 40960) << "a bare number is in GiB, as it is shown";
  EXPECT_EQ(parse_quantity("512MiB", Format::mib), 512);
  EXPECT_EQ(parse_quantity("2h", Format::mib), std::nullopt);
  EXPECT_EQ(parse_quantity("", Format::count), std::nullopt);
}

}  // namespace
}  // namespace tessera::test
