// The screens and JSON say of every slice what the engine says of it: free means that it can be had now.
#include "engine/insight/available.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/query/filter.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/session.hpp"
#include "tui/cli/json.hpp"
#include "tui/screens/boards.hpp"

namespace tessera::test {
namespace {

using insight::Availability;
using tui::TileKind;

TileKind kind_of(Availability state) {
  switch (state) {
    case Availability::free: return TileKind::free;
    case Availability::held: return TileKind::held;
    case Availability::closed: return TileKind::closed;
    case Availability::unknown: break;
  }
  return TileKind::unknown;
}

TEST(AvailableOnScreens, TilesTablesFiltersAndJsonSayTheSameOfEverySlice) {
  const mig::Catalogue& products = catalogue();
  const query::Filter free = *query::parse_filter<query::SliceRow>("state=free");
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const Model& model = random.model();
    const tui::UiContext world{model, products, at(0)};
    const query::Context context{at(0), &products};
    const std::vector<query::SliceRow> rows = query::slice_rows(model);
    const auto json = nlohmann::json::parse(cli::document(rows, context, cli::Markup::json));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const query::SliceRow& row = rows[i];
      const insight::Sight sight = insight::sight_of(*row.cluster, *row.node);
      const Availability state = insight::availability(sight, *row.slice);
      const std::optional<int> shares = insight::available(sight, *row.slice);
      EXPECT_EQ(json[i]["state"], std::string(insight::word(state))) << seed;
      EXPECT_EQ(json[i]["available"], shares ? nlohmann::json(*shares) : nlohmann::json()) << seed;
      EXPECT_EQ(query::passes(free, row, context), state == Availability::free) << seed;
      for (const tui::Board& board : tui::boards_of(world, *row.cluster, *row.node))
        for (const tui::Tile& tile : board.tiles) {
          if (tile.id != query::row_id(row)) continue;
          // Beside holders a tile of a shared GPU is the rest of it.
          if (row.slice->holders.empty())
            EXPECT_EQ(tile.kind, kind_of(state)) << seed << " " << tile.label;
          else
            EXPECT_EQ(tile.kind == TileKind::free, shares.value_or(0) > 0) << seed << " " << tile.label;
        }
    }
  }
}

// MPS 100/100 in the head of a GPU whose tiles said free.
TEST(AvailableOnScreens, SharesOfAnUnnamedHolderAreDrawnAsHeld) {
  Slice hidden = shared(SliceKind::mps, 100, 0);
  hidden.told_held = true;
  Story story;
  story.tell(NodesListed{{node("hidden-01", {gpu(0, Strategy::mps, {hidden})})}});
  const mig::Catalogue& products = catalogue();
  const tui::UiContext world{story.model, products, at(0)};
  const std::vector<tui::Board> boards = tui::boards_of(world, story.cluster(), story.node("hidden-01"));
  ASSERT_EQ(boards.at(0).tiles.size(), 1u);
  EXPECT_EQ(boards[0].strategy, "MPS 100/100");
  EXPECT_EQ(boards[0].tiles[0].kind, TileKind::held);
  EXPECT_EQ(boards[0].tiles[0].lines.at(0), "holder ?");
}

Model with_a_dead_cluster() {
  Model model;
  auto tell = [&](const char* cluster, auto what, int seconds) {
    reduce(model, Event{ClusterName(cluster), 0, at(seconds), std::move(what)});
  };
  for (const char* name : {"alive", "dead"}) {
    tell(name, ClusterSeen{Scheduler::slurm, false, "", ""}, -300);
    tell(name, NodesListed{{node(std::string(name) + "-1", {gpu(0, Strategy::whole, {whole(0)})})}}, -300);
    tell(name, SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}}, -300);
    tell(name, SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}}, -300);
    tell(name, Loaded{}, -300);
  }
  tell("alive", SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}}, 0);
  tell("alive", SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}}, 0);
  tell("dead",
       SourceReport{Source::slurm_nodes, Error{"does not answer", "no route to host", ""}, Duration{5}},
       -180);
  return model;
}

TEST(AvailableOnScreens, ADeadClustersGpusAreNotOnOfferOnTheFrontPage) {
  Session session(with_a_dead_cluster(), {120, 40});
  const std::string text = session.screen();
  EXPECT_NE(text.find("FREE NOW   whole 1 "), std::string::npos) << text;
  EXPECT_NE(text.find("not known: dead"), std::string::npos) << text;
  EXPECT_NE(text.find("????????"), std::string::npos) << "its tiles\n" << text;
}

TEST(AvailableOnScreens, ADeadClusterDoesNotAgeTheOthers) {
  Session session(with_a_dead_cluster(), {120, 40});
  const std::string title = session.screen().substr(0, session.screen().find('\n'));
  EXPECT_NE(title.find("dead 5 min old"), std::string::npos) << title;
  EXPECT_EQ(title.find("2 clusters  5 min old"), std::string::npos) << title;
}

}  // namespace
}  // namespace tessera::test
