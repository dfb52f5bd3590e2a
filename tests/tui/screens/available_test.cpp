// The screens and JSON say of every slice what the engine says of it: free means that it can be had now.
#include "engine/insight/available.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/insight/both_sides.hpp"
#include "engine/insight/free_kinds.hpp"
#include "engine/model/gpu_numbers.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/query/filter.hpp"
#include "engine/why/demand.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_machines.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/session.hpp"
#include "tui/cli/json.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/boards.hpp"

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

// Numbers of different kinds are never added up: what can be had of each, as the slices say it.
std::string kinds_said_by(const std::vector<query::SliceRow>& slices, const Node& node) {
  insight::FreeKinds kinds;
  for (const query::SliceRow& row : slices) {
    if (row.node != &node) continue;
    const int shares = insight::available(insight::sight_of(*row.cluster, node), *row.slice).value_or(0);
    if (shares == 0) continue;
    if (row.slice->capacity > 1)
      kinds.shares[insight::share_label(*row.cluster, *row.node, *row.slice)] += shares;
    else
      kinds.slices[insight::slice_label(*row.slice)] += shares;
  }
  return insight::to_text(kinds);
}

// What the slices of a node say, counted.
struct Said {
  int free = 0;           // slices of which something can be had now
  bool all_known = true;  // of each slice
};
Said said_by(const nlohmann::json& slices, const std::string& node, int gpu = -1) {
  Said said;
  for (const auto& slice : slices) {
    if (slice["node"] != node || (gpu >= 0 && slice["gpu"] != gpu)) continue;
    if (slice["available"].is_null())
      said.all_known = false;
    else
      said.free += slice["available"].get<int>() > 0;
  }
  return said;
}

template <class Row>
std::string cell(const Row& row, std::string_view key, const query::Context& context) {
  for (const query::Column<Row>& column : query::columns<Row>())
    if (column.key == key) return query::to_text(column.value(row, context), column.format);
  ADD_FAILURE() << "no column " << key;
  return "";
}

bool has_any(const std::string& text, std::initializer_list<const char*> glyphs) {
  return std::any_of(glyphs.begin(), glyphs.end(),
                     [&](const char* glyph) { return text.find(glyph) != std::string::npos; });
}

// "▄" of "█▄·": the sign of one GPU in BY GPU.
std::string sign_at(const std::string& signs, std::size_t at) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  std::string sign;
  std::size_t seen = 0;
  for (char c : signs) {
    seen += starts(c);
    if (seen == at + 1) sign += c;
  }
  return sign;
}

// What BY GPU has to say of a GPU; empty: some of it is held.
std::string empty_sign_of(const query::GpuRow& row) {
  const insight::Sight sight = insight::sight_of(*row.cluster, *row.node);
  int free = 0, held = 0, closed = 0;
  for (const Slice& slice : row.gpu->slices) {
    if (slice.holding == Holding::unknown) return "?";
    const Availability state = insight::availability(sight, slice);
    free += state == Availability::free;
    held += state == Availability::held;
    closed += state == Availability::closed;
  }
  if (held > 0) return "";
  if (free > 0) return "·";
  return closed == static_cast<int>(row.gpu->slices.size()) ? "░" : "?";
}

// An unknown node was drawn as "········", in green, where the list was narrow.
TEST(AvailableOnScreens, ByGpuSaysOfEveryGpuWhatItsSlicesSay) {
  std::map<std::string, int> seen;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const query::Context context{at(0), &catalogue()};
    std::map<const Node*, std::string> signs;
    for (const query::NodeRow& row : query::node_rows(random.model()))
      signs[row.node] = cell(row, "boards", context);
    for (const query::GpuRow& row : query::gpu_rows(random.model())) {
      if (row.gpu->slices.empty()) continue;
      const auto at = static_cast<std::size_t>(row.gpu - row.node->gpus.data());
      const std::string sign = sign_at(signs.at(row.node), at), empty = empty_sign_of(row);
      ++seen[empty];
      if (empty.empty())
        EXPECT_FALSE(has_any(sign, {"·", "░", "?"})) << seed << " " << row.node->name.text << " " << sign;
      else
        EXPECT_EQ(sign, empty) << seed << " " << row.node->name.text << " " << at;
    }
  }
  for (const char* sign : {"", "·", "░", "?"}) EXPECT_GT(seen[sign], 50) << sign;
}

TEST(AvailableOnScreens, NodesGpusMosaicAndJsonCountTheSlicesThatCanBeHad) {
  const query::Filter some_free = *query::parse_filter<query::NodeRow>("free>0"),
                      none_free = *query::parse_filter<query::NodeRow>("free=0");
  int gpus_free = 0, gpus_closed = 0, closed = 0, several = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const Model& model = random.model();
    const query::Context context{at(0), &catalogue()};
    const auto slices =
        nlohmann::json::parse(cli::document(query::slice_rows(model), context, cli::Markup::json));
    const std::vector<query::SliceRow> slice_rows = query::slice_rows(model);
    const std::vector<query::NodeRow> nodes = query::node_rows(model);
    const auto json = nlohmann::json::parse(cli::document(nodes, context, cli::Markup::json));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Said said = said_by(slices, nodes[i].node->name.text);
      const auto& sum = json[i]["slices_available"];
      EXPECT_EQ(cell(nodes[i], "free", context), sum.is_null() ? "?" : std::to_string(sum.get<int>()))
          << seed;
      if (said.all_known) EXPECT_EQ(sum, said.free) << seed << " " << nodes[i].node->name.text;
      const std::string kinds = cell(nodes[i], "free_kinds", context);
      EXPECT_EQ(kinds == "?", sum.is_null()) << seed << " " << kinds;
      if (said.all_known && !sum.is_null()) {
        EXPECT_EQ(kinds, kinds_said_by(slice_rows, *nodes[i].node)) << seed;
        several += kinds.find(", ") != std::string::npos;
      }
      EXPECT_EQ(query::passes(some_free, nodes[i], context), !sum.is_null() && sum.get<int>() > 0) << seed;
      EXPECT_EQ(query::passes(none_free, nodes[i], context), sum == 0) << seed << ": unknown is not zero";
      closed += sum == 0 && !insight::takes_work(*nodes[i].node);
      if (!sum.is_null()) EXPECT_GE(sum.get<int>(), said.free) << seed;
    }
    const std::vector<tui::Strips> mosaic = tui::mosaic_nodes({model, catalogue(), at(0)}, false);
    for (const query::GpuRow& row : query::gpu_rows(model)) {
      const std::string& name = row.node->name.text;
      const std::string strip = cell(row, "strip", context);
      const auto drawn = std::find_if(mosaic.begin(), mosaic.end(),
                                      [&](const tui::Strips& one) { return one.name == name; });
      ASSERT_NE(drawn, mosaic.end());
      EXPECT_EQ(drawn->gpus.at(static_cast<std::size_t>(row.gpu->index.value)), strip) << seed;
      if (!numbers_told(*row.node)) {
        EXPECT_EQ(cell(row, "gpu", context), "?") << seed << " " << name;
        continue;
      }
      const Said said = said_by(slices, name, row.gpu->index.value);
      const bool mig = row.gpu->strategy == Strategy::mig;
      const bool green = mig ? has_any(strip, {"○", "─"}) : has_any(strip, {"·"});
      if (green) EXPECT_GT(said.free, 0) << seed << " " << name << " " << strip;
      // One free share of a hundred is less than a cell.
      if (mig || row.gpu->slices.at(0).holders.empty())
        EXPECT_EQ(green, said.free > 0) << seed << " " << strip;
      if (drawn->access != insight::Access::open) EXPECT_FALSE(has_any(strip, {"○", "─", "·"})) << strip;
      gpus_free += green;
      gpus_closed += has_any(strip, {"░"});
    }
  }
  EXPECT_GT(gpus_free, 60);
  EXPECT_GT(gpus_closed, 100);
  EXPECT_GT(closed, 100) << "nodes that take no work";
  EXPECT_GT(several, 30) << "nodes with several kinds that can be had";
}

TEST(AvailableOnScreens, TheOverviewOffersWhatTheSlicesSayOfThemselves) {
  int seen = 0, lines = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const Session session(random.model(), {300, 15});
    std::map<std::string, int> sums;
    int slices = 0;
    bool all_known =
        insight::nodes_are_current(random.cluster()) && insight::work_is_current(random.cluster());
    for (const query::SliceRow& row : query::slice_rows(session.model)) {
      const auto shares = insight::available(insight::sight_of(*row.cluster, *row.node), *row.slice);
      all_known = all_known && shares;
      if (shares.value_or(0) == 0) continue;
      const bool shared = row.slice->capacity > 1;
      sums[shared ? insight::share_label(*row.cluster, *row.node, *row.slice)
                  : insight::slice_label(*row.slice)] += *shares;
      ++slices;
    }
    if (!all_known) continue;
    ++seen;
    EXPECT_EQ(insight::totals(random.cluster()).free, slices) << seed;
    if (!session.shows("FREE NOW")) continue;  // the table of demand has room instead
    ++lines;
    const std::string line = session.line_with("FREE NOW");
    for (const auto& [label, shares] : sums)
      EXPECT_NE((line + " ").find(fmt::format(" {} {} ", label, shares)), std::string::npos)
          << seed << ": " << label << " " << shares << " in " << line;
    if (sums.empty()) EXPECT_NE(line.find("nothing"), std::string::npos) << line;
  }
  EXPECT_GT(seen, 50);
  EXPECT_GT(lines, 30);
}

// What can be had in one cluster, as the slices' JSON says it.
struct Offered {
  std::map<std::string, std::int64_t> units;  // by the names that the scheduler hands them out under
  std::int64_t slices = 0;                    // of which something can be had
  bool all_known = true;
};
Offered offered_by(const Model& model, const Cluster& cluster) {
  std::map<const Slice*, std::string> names;
  for (const Node& node : cluster.nodes.all())
    plan::each_named_slice(cluster, node, catalogue(),
                           [&](const Slice& slice, const std::string& name) { names[&slice] = name; });
  const std::vector<query::SliceRow> rows = query::slice_rows(model);
  const query::Context context{at(0), &catalogue()};
  const auto json = nlohmann::json::parse(cli::document(rows, context, cli::Markup::json));
  Offered all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& said = json[i]["available"];
    all.all_known = all.all_known && !said.is_null();
    if (said.is_null() || said.get<int>() == 0) continue;
    ++all.slices;
    all.units[names[rows[i].slice]] += said.get<int>();
  }
  return all;
}

// The table of demand stands in for FREE NOW where there is room for it, and groups of nodes for the tiles of
// many.
TEST(AvailableOnScreens, TheTableOfDemandAndTheGroupsOfNodesCountWhatTheSlicesSay) {
  int rows = 0, offered = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomWorld random(seed);
    const Cluster& cluster = random.cluster();
    const Offered said = offered_by(random.model(), cluster);
    const bool current = insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
    for (const why::Demand& row : why::demand(cluster, catalogue())) {
      EXPECT_EQ(row.free.has_value(), current) << seed << " " << row.resource;
      // A job's MPS is of one GPU: what several have is not added up.
      if (!row.free || !said.all_known || row.resource == "mps") continue;
      std::int64_t units = 0;
      for (const auto& [name, count] : said.units)
        units += plan::answers(row.resource, name, cluster.scheduler) ? count : 0;
      EXPECT_EQ(*row.free, units) << seed << " " << row.resource;
      ++rows;
    }
    if (!current || !said.all_known) continue;
    std::int64_t free = 0;
    for (const tui::NodeGroup& group : tui::node_groups(random.model(), 0))
      free += group.free + group.in_part;
    EXPECT_EQ(free, said.slices) << seed;
    offered += free > 0;
  }
  EXPECT_GT(rows, 30);
  EXPECT_GT(offered, 10) << "worlds in which something can be had";
}

// A machine of two schedulers: what is free on it is free once, on every screen.
TEST(AvailableOnScreens, MachinesOfTwoSchedulersOfferEachGpuOnceEverywhere) {
  int lines = 0, offered = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const RandomMachines world(seed);
    const Session session(world.model, {300, 15});
    const query::Context context{session.wall, &catalogue()};
    const auto nodes = query::node_rows(session.model);
    const auto json = nlohmann::json::parse(cli::document(nodes, context, cli::Markup::json));
    const query::Filter none_free = *query::parse_filter<query::NodeRow>("free=0");
    const auto mosaic = tui::mosaic_nodes({session.model, catalogue(), session.wall}, false);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string free = cell(nodes[i], "free", context);
      EXPECT_EQ(json[i]["slices_available"].dump(), free) << seed;
      EXPECT_EQ(query::passes(none_free, nodes[i], context), free == "0") << seed;
      const auto drawn = std::find_if(mosaic.begin(), mosaic.end(), [&](const tui::Strips& one) {
        return one.name == nodes[i].node->name.text;
      });
      ASSERT_NE(drawn, mosaic.end());
      const auto green = std::count_if(drawn->gpus.begin(), drawn->gpus.end(),
                                       [](const std::string& strip) { return has_any(strip, {"·"}); });
      EXPECT_LE(green, std::stoi(free)) << seed << ": no tile shines that cannot be had";
    }
    int sum = 0;
    for (const Cluster& cluster : session.model.clusters)
      sum += insight::totals(session.model, cluster).free.value_or(0);
    EXPECT_EQ(sum, world.free) << seed;
    offered += sum;
    if (!session.shows("FREE NOW")) continue;
    ++lines;
    const std::string line = session.line_with("FREE NOW") + " ";
    EXPECT_NE(line.find(sum > 0 ? fmt::format(" whole {} ", sum) : "nothing"), std::string::npos)
        << seed << ": " << line;
  }
  EXPECT_GT(lines, 10);
  EXPECT_GT(offered, 100);
}

// A device that the scheduler does not hand out stood green on the page of its node, which takes jobs.
TEST(AvailableOnScreens, ASliceThatIsOutOfUseIsClosedOnEveryPicture) {
  Slice out = shared(SliceKind::mps, 100, 0);
  out.told_out = true;
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {out})})}});
  const mig::Catalogue& products = catalogue();
  const tui::UiContext world{story.model, products, at(0)};
  const std::vector<tui::Board> boards = tui::boards_of(world, story.cluster(), story.node("n1"));
  ASSERT_EQ(boards.at(0).tiles.size(), 1u);
  EXPECT_EQ(boards[0].tiles[0].kind, TileKind::closed);
  EXPECT_EQ(boards[0].tiles[0].lines.at(0), "closed");
  EXPECT_EQ(tui::mosaic_nodes(world, false).at(0).gpus.at(0), "░░░░░░░░");
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 25}}, Family::mps)})}});
  EXPECT_EQ(tui::mosaic_nodes(world, false).at(0).gpus.at(0), "mm░░░░░░")
      << "alice runs on, and no other follows";
}

// A job of which it is not told where it runs kept a GPU that is not handed out among the free ones of its
// group.
TEST(AvailableOnScreens, ASliceThatIsOutOfUseIsClosedInItsGroupOfNodesToo) {
  Slice used = whole(0), out = whole(1);
  used.told_held = true;
  out.told_held = false, out.told_out = true;
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {used}), gpu(1, Strategy::whole, {out})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds_some("n1", "", 1, Family::gpu)})}});
  const std::vector<tui::NodeGroup> groups = tui::node_groups(story.model, 0);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].slices, 2);
  EXPECT_EQ(groups[0].held, 1);
  EXPECT_EQ(groups[0].free + groups[0].in_part, 0);
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
  // The whole table of demand was missing: of the living one, too.
  EXPECT_NE(text.find("COULD BE CUT"), std::string::npos) << text;
  EXPECT_NE(text.find("\n not known: dead"), std::string::npos) << "the table says whose rows it lacks\n"
                                                                << text;
  EXPECT_NE(text.find("????????"), std::string::npos) << "its tiles\n" << text;
}

TEST(AvailableOnScreens, WhatADeadClusterHeldAndLetWaitIsNotToldAsNow) {
  for (const tui::Size size : {tui::Size{120, 40}, tui::Size{80, 24}, tui::Size{200, 60}}) {
    Model model = with_a_dead_cluster();
    reduce(model,
           Event{ClusterName("dead"), 0, at(-170),
                 SourceReport{Source::slurm_jobs, Error{"does not answer", "no route", ""}, Duration{5}}});
    Session session(std::move(model), size);
    const std::string dead = session.line_with("dead "), alive = session.line_with("alive ");
    const int unknown = size.columns >= 120 ? 4 : 3;  // 80 columns have none for what is used
    EXPECT_EQ(std::count(dead.begin(), dead.end(), '?'), unknown) << "held, used, free, waiting\n" << dead;
    EXPECT_EQ(dead.find('%'), std::string::npos) << dead;
    EXPECT_NE(alive.find("0%"), std::string::npos) << alive;
    EXPECT_NE(session.line_with("WAITING  ").find("not known: dead"), std::string::npos) << session.screen();
    EXPECT_FALSE(session.shows("WAITING    nothing")) << session.screen();
    EXPECT_FALSE(session.shows(" Nothing waits for a GPU.")) << session.screen();
    EXPECT_FALSE(session.shows(" No workload holds or waits")) << session.screen();
  }
}

// What its users held when it answered last stood there like that of all others.
TEST(AvailableOnScreens, WhatUsersOfADeadClusterHoldIsToldToBeOld) {
  Model model = with_a_dead_cluster();
  const auto tell = [&](const char* cluster, auto what, int seconds) {
    reduce(model, Event{ClusterName(cluster), 0, at(seconds), std::move(what)});
  };
  tell("dead", WorkloadsListed{{running("1", "zoe", {holds("dead-1", {{0}})})}}, -290);
  tell("alive", WorkloadsListed{{running("2", "ann", {holds("alive-1", {{0}})})}}, -290);
  tell("dead", SourceReport{Source::slurm_jobs, Error{"does not answer", "no route", ""}, Duration{5}}, -170);
  Session session(std::move(model), {120, 40});
  EXPECT_NE(session.line_with("zoe").find("5 min old: 1 running"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("ann").find("old"), std::string::npos) << session.screen();
  session.press("8");
  EXPECT_NE(session.line_with("zoe").find("5 min old: 1 × whole"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("ann").find("old"), std::string::npos) << session.screen();
}

// "≥67%" stood beside 100 free slices of 150, where of the other 50 nothing is known.
TEST(AvailableOnScreens, TheLeastThatAGroupOfNodesHasIsNotRoundedUp) {
  const auto line_where_fifty_are = [](Health health) {
    std::vector<Node> many;
    for (int i = 0; i < 150; ++i) {
      many.push_back(node("a" + std::to_string(1000 + i), {gpu(0, Strategy::whole, {whole(0)})}));
      many.back().gpus.front().model = "h100";
      if (i < 50) many.back().health = health;
    }
    Story story;
    story.tell(ClusterSeen{Scheduler::slurm, false, "", "", ""});
    story.tell(NodesListed{many});
    story.tell(WorkloadsListed{});
    story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    story.tell(Loaded{});
    return Session(story.model, {120, 40}).line_with("h100  ");
  };
  const std::string least = line_where_fifty_are(Health::unknown);
  EXPECT_NE(least.find("≥66%"), std::string::npos) << least;
  EXPECT_EQ(least.find("67%"), std::string::npos) << least;
  const std::string known = line_where_fifty_are(Health::drained);
  EXPECT_NE(known.find(" 67%"), std::string::npos) << "it is known of all, and rounded\n" << known;
}

TEST(AvailableOnScreens, ADeadClusterDoesNotAgeTheOthers) {
  Session session(with_a_dead_cluster(), {120, 40});
  const std::string title = session.screen().substr(0, session.screen().find('\n'));
  EXPECT_NE(title.find("dead 5 min old"), std::string::npos) << title;
  EXPECT_EQ(title.find("2 clusters  5 min old"), std::string::npos) << title;
}

// The console ended with a crash: of two clusters the one that is asked each hour was the older one.
TEST(AvailableOnScreens, ASilentClusterIsNamedBesideAnOlderOneThatIsAskedSeldom) {
  Model model = with_a_dead_cluster();
  reduce(model, Event{ClusterName("alive"), 0, at(0), PaceReport{1, std::chrono::hours(1)}});
  reduce(model, Event{ClusterName("dead"), 0, at(600), SourceReport{Source::slurm_nodes, std::nullopt, {}}});
  reduce(model, Event{ClusterName("dead"), 0, at(600), SourceReport{Source::slurm_jobs, std::nullopt, {}}});
  Session session(std::move(model), {120, 40});
  session.pass(std::chrono::seconds(660));
  const std::string title = session.screen().substr(0, session.screen().find('\n'));
  EXPECT_NE(title.find("dead 1 min old"), std::string::npos) << title;
}

}  // namespace
}  // namespace tessera::test
