// Work that reaches GPUs without having asked for one says so on its page, in the list and in a plan.
#include <gtest/gtest.h>

#include "engine/query/tables.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::test {
namespace {

Workload privileged_pod() {
  Workload pod = running("ml/debug", "alice", {holds_some("n1", "", 0)});
  pod.kind = WorkloadKind::pod;
  pod.unasked = "privileged";
  return pod;
}

// The page said "asks for no GPU" and nothing else.
TEST(Unasked, StandsOnThePageOfTheWorkload) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{privileged_pod()}});
  tui::UiState state;
  state.stack = {tui::Screen{}};
  state.top().kind = tui::ScreenKind::workload;
  state.top().cluster = ClusterName("hpc");
  state.top().subject = "ml/debug";
  std::string page;
  for (const tui::DocLine& line : tui::workload_document({story.model, catalogue(), at(0)}, state, 80)) {
    for (const tui::Span& span : line.spans) page += span.text + " ";
    page += "\n";
  }
  EXPECT_NE(page.find("uses unasked"), std::string::npos) << page;
  EXPECT_NE(page.find("privileged"), std::string::npos) << page;
  EXPECT_NE(page.find("may use any GPU there"), std::string::npos) << page;
}

TEST(Unasked, StandsInTheListBesideWhatWaits) {
  Story story;
  story.tell(WorkloadsListed{{privileged_pod()}});
  const mig::Catalogue& products = catalogue();
  const query::Context context{at(0), &products};
  const auto rows = query::workload_rows(story.model, ClusterName("hpc"));
  ASSERT_EQ(rows.size(), 1u);
  for (const auto& column : query::columns<query::WorkloadRow>())
    if (column.key == "reason") {
      EXPECT_EQ(query::to_text(column.value(rows[0], context), column.format),
                "uses GPUs unasked: privileged");
    }
}

TEST(Unasked, AndWhatComesBackAtOnceIsNotSaidToEnd) {
  plan::Disturbed one;
  one.id = WorkloadId("monitoring/agent");
  one.stays = true;
  EXPECT_EQ(tui::fate_text(one, plan::Way::cancel), "waited for");
  one.unasked = "runtimeClassName nvidia";
  EXPECT_EQ(tui::fate_text(one, plan::Way::cancel), "left alone");
}

}  // namespace
}  // namespace tessera::test
