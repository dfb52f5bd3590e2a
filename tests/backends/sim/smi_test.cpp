// The stand-in for nvidia-smi, read through the parsers that read the real one.
#include "backends/sim/smi/smi.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/sim/mig_parted.hpp"
#include "backends/sim/smi/parted.hpp"
#include "backends/sim/smi/print.hpp"
#include "engine/operators/mig_parted.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/driver_tables.hpp"
#include "tests/support/words.hpp"

namespace tessera::sim {
namespace {

using nvidia::Change;
using test::words;
using Refusal = Change::Refusal;

Machine machine_of(std::string_view spec, int driver = 580) {
  return make_machine(spec, driver, test::catalogue(), "a node").value();
}

// As a node runs it: the name of the program goes first.
SmiAnswer call(Machine& machine, const nvidia::Argv& argv) {
  return answer(machine, {argv.begin() + 1, argv.end()});
}
Change change(Machine& machine, std::string_view text) {
  SmiAnswer said = answer(machine, words(text));
  return nvidia::parse_change(said.out, said.err, said.exit_code);
}

Result<nvidia::NodeGpus> look(Machine& machine) {
  nvidia::NodeAnswers answers{call(machine, nvidia::list_gpus()).out, call(machine, nvidia::query()).out,
                              call(machine, nvidia::list_instances()).out,
                              call(machine, nvidia::list_compute()).out};
  return nvidia::node_gpus(answers, &test::catalogue(), TimePoint{});
}

// What the parsers see is what stands.
void expect_seen(Machine& machine) {
  auto node = look(machine);
  ASSERT_TRUE(node) << to_line(node.error());
  ASSERT_EQ(node->gpus.size(), machine.cards.size());
  for (std::size_t i = 0; i < machine.cards.size(); ++i) {
    const Card& card = machine.cards[i];
    const Gpu& gpu = node->gpus[i];
    ASSERT_EQ(gpu.uuid, card.uuid);
    ASSERT_EQ(gpu.mig_mode, card.product->mig_capable ? std::optional(card.board.mode) : std::nullopt);
    if (!card.board.cut()) {
      ASSERT_EQ(gpu.slices.size(), 1u);
      ASSERT_EQ(gpu.slices[0].kind, SliceKind::whole_gpu);
      ASSERT_EQ(gpu.slices[0].told_held.value_or(false), card.board.hidden);
      continue;
    }
    ASSERT_EQ(gpu.slices.size(), card.board.instances.size());
    for (std::size_t k = 0; k < gpu.slices.size(); ++k) {
      const Instance& stands = card.board.instances[k];
      const Slice& seen = gpu.slices[k];
      const mig::Profile& profile = card.product->profiles[static_cast<std::size_t>(stands.profile)];
      ASSERT_EQ(seen.profile, profile.name);
      ASSERT_EQ(seen.placement, (Placement{stands.start, profile.memory_slices}));
      ASSERT_EQ(seen.instance_id, stands.id);
      ASSERT_EQ(seen.told_held.value_or(false), stands.hidden && !stands.compute.empty());
      ASSERT_EQ(seen.compute.size(), stands.compute.size());
      for (std::size_t c = 0; c < seen.compute.size(); ++c)
        ASSERT_EQ(seen.compute[c].id, stands.compute[c].id);
    }
    auto layout = mig::observed_layout(*card.product, gpu);
    ASSERT_TRUE(layout);
    ASSERT_EQ(*layout, layout_of(card.board));
  }
  for (const nvidia::MigDevice& device : node->devices) ASSERT_TRUE(device.uuid.starts_with("MIG-"));
  auto restored = parse_machine(to_text(machine), "state", test::catalogue());
  ASSERT_TRUE(restored) << to_line(restored.error());
  ASSERT_EQ(to_text(*restored), to_text(machine));
}

// Every product of the catalogue, in all generations: profiles, places, and each layout worth choosing.
TEST(Smi, EveryProductReadsBackThroughTheParsers) {
  for (const mig::Product& product : test::catalogue().products()) {
    for (int driver : {535, 570, 580}) {
      Machine machine = machine_of(product.key.text, driver);
      expect_seen(machine);
      if (!product.mig_capable || !product.placements_known) continue;
      change(machine, "-mig 1");
      if (!machine.cards[0].board.cut()) change(machine, "--gpu-reset");
      ASSERT_TRUE(machine.cards[0].board.cut()) << product.key.text;
      const auto profiles = test::profile_rows(call(machine, {"nvidia-smi", "mig", "-lgip"}).out);
      ASSERT_EQ(profiles.size(), product.profiles.size());
      for (std::size_t i = 0; i < profiles.size(); ++i) {
        const mig::Profile& profile = product.profiles[i];
        EXPECT_EQ(profiles[i].profile, profile.name.text);
        EXPECT_EQ(profiles[i].total, profile.max);
        if (profile.id) {
          EXPECT_EQ(profiles[i].id, *profile.id);
        }
        if (profile.sm) {
          EXPECT_EQ(profiles[i].sm, *profile.sm);
        }
      }
      const auto places = test::placement_rows(call(machine, {"nvidia-smi", "mig", "-lgipp"}).out);
      std::size_t row = 0;
      for (const mig::Profile& profile : product.profiles) {
        if (profile.starts.empty() || profile.memory_slices == 0) continue;
        ASSERT_LT(row, places.size());
        EXPECT_EQ(places[row].starts, profile.starts);
        EXPECT_EQ(places[row].size, profile.memory_slices);
        ++row;
      }
      for (std::size_t i = 0; i < product.profiles.size(); ++i) {
        std::string name = product.profiles[i].name.text;
        while (change(machine, "mig -cgi " + name + " -C").refusal == Refusal::none) expect_seen(machine);
        ASSERT_FALSE(machine.cards[0].board.instances.empty()) << product.key.text << " " << name;
        change(machine, "mig -dci");
        expect_seen(machine);
        EXPECT_EQ(change(machine, "mig -dgi").refusal, Refusal::none);
        expect_seen(machine);
      }
    }
  }
}

TEST(Smi, AnythingThatHappensReadsBack) {
  rc::check([] {
    const auto& products = test::catalogue().products();
    std::vector<const mig::Product*> able;
    for (const mig::Product& product : products)
      if (product.placements_known) able.push_back(&product);
    const mig::Product& product = **rc::gen::elementOf(able);
    Machine machine = machine_of(product.key.text + ":2", *rc::gen::element(535, 570, 580));
    change(machine, "-mig 1");
    change(machine, "--gpu-reset");
    for (int step = 0; step < 12; ++step) {
      int gpu = *rc::gen::inRange(0, 2);
      std::string on = "-i " + std::to_string(gpu);
      Board& board = machine.cards[static_cast<std::size_t>(gpu)].board;
      Board before = board;
      Change said;
      switch (*rc::gen::inRange(0, 6)) {
        case 0:
        case 1: {
          const mig::Profile& profile = *rc::gen::elementOf(product.profiles);
          said =
              change(machine, "mig " + on + " -cgi " + profile.name.text + "," + profile.name.text + " -C");
          // What it says was made is what is new.
          std::size_t made = 0;
          for (const auto& one : said.created) made += one.compute ? 0 : 1;
          RC_ASSERT(board.instances.size() == before.instances.size() + made);
          break;
        }
        case 2: said = change(machine, "mig " + on + " -dgi"); break;
        case 3: said = change(machine, "mig " + on + " -dci"); break;
        case 4:
          if (!board.instances.empty()) {
            auto which = *rc::gen::inRange<std::size_t>(0, board.instances.size());
            board.instances[which].hidden = !board.instances[which].hidden;
          }
          break;
        default: said = change(machine, on + " -mig " + (*rc::gen::element(0, 1) == 0 ? "0" : "1"));
      }
      for (const Instance& one : before.instances)
        if (one.hidden && !one.compute.empty()) RC_ASSERT(board.find(one.id) != nullptr);
      expect_seen(machine);
      RC_ASSERT(!::testing::Test::HasFatalFailure());
    }
  });
}

class SmiTest : public testing::Test {
 protected:
  void SetUp() override {
    machine = machine_of("h100:2");
    ASSERT_EQ(change(machine, "-mig 1").switched.size(), 2u);
  }
  Machine machine;
};

TEST_F(SmiTest, PrintsAsRealDriversDo) {
  change(machine, "mig -i 0 -cgi 9,14 -C");
  EXPECT_EQ(answer(machine, words("mig -lgi")).out,
            "+---------------------------------------------------------+\n"
            "| GPU instances:                                          |\n"
            "| GPU   Name               Profile  Instance   Placement  |\n"
            "|                            ID       ID       Start:Size |\n"
            "|=========================================================|\n"
            "|   0  MIG 2g.20gb           14        3          0:2     |\n"
            "+---------------------------------------------------------+\n"
            "|   0  MIG 3g.40gb            9        2          4:4     |\n"
            "+---------------------------------------------------------+\n");
  machine.driver = 535;
  EXPECT_EQ(answer(machine, words("mig -lgi")).out,
            "+-------------------------------------------------------+\n"
            "| GPU instances:                                        |\n"
            "| GPU   Name             Profile  Instance   Placement  |\n"
            "|                          ID       ID       Start:Size |\n"
            "|=======================================================|\n"
            "|   0  MIG 2g.20gb         14        3          0:2     |\n"
            "+-------------------------------------------------------+\n"
            "|   0  MIG 3g.40gb          9        2          4:4     |\n"
            "+-------------------------------------------------------+\n");
  EXPECT_EQ(answer(machine, words("mig -lci")).out,
            "+-------------------------------------------------------+\n"
            "| Compute instances:                                    |\n"
            "| GPU     GPU       Name             Profile   Instance |\n"
            "|       Instance                       ID        ID     |\n"
            "|         ID                                            |\n"
            "|=======================================================|\n"
            "|   0      3       MIG 2g.20gb          1         0     |\n"
            "+-------------------------------------------------------+\n"
            "|   0      2       MIG 3g.40gb          2         0     |\n"
            "+-------------------------------------------------------+\n");
  std::string profiles = answer(machine, words("mig -i 1 -lgip")).out;
  EXPECT_EQ(profiles.substr(0, profiles.find("|   1  MIG 1g.10gb+me")),
            "+-----------------------------------------------------------------------------+\n"
            "| GPU instance profiles:                                                      |\n"
            "| GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC  |\n"
            "|                              Free/Total   GiB              CE    JPEG  OFA  |\n"
            "|=============================================================================|\n"
            "|   1  MIG 1g.10gb       19     7/7        9.75       No     16     1     0   |\n"
            "|                                                             1     1     0   |\n"
            "+-----------------------------------------------------------------------------+\n");
  machine.driver = 570;
  EXPECT_NE(answer(machine, words("mig -lci"))
                .out.find("|   0      2       MIG 3g.40gb          2         0          0:4     |\n"),
            std::string::npos);
  EXPECT_NE(answer(machine, words("mig -lgipp")).out.find("GPU  1 Profile ID  9 Placements: {0,4}:4\n"),
            std::string::npos);
  EXPECT_NE(answer(machine, words("mig -lgipp")).out.find("GPU  1 Profile ID  0 Placement : {0}:8\n"),
            std::string::npos);
  EXPECT_NE(answer(machine, words("-L")).out.find("  MIG 3g.40gb     Device  0: (UUID: MIG-"),
            std::string::npos);
}

TEST_F(SmiTest, CreatesInOrderAndStopsHalfWay) {
  Change said = change(machine, "mig -i 0 -cgi 19,19,14,9 -C");
  EXPECT_EQ(said.refusal, Refusal::insufficient);
  EXPECT_EQ(said.created.size(), 6u) << "three instances with their compute instances stay";
  EXPECT_EQ(machine.cards[0].board.instances.size(), 3u);
  EXPECT_TRUE(machine.cards[1].board.instances.empty());
  EXPECT_EQ(change(machine, "mig -i 1 -cgi 9,19,14,19 -C").refusal, Refusal::none);
}

TEST_F(SmiTest, TheNewerGenerationTakesPlaces) {
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 19:3,9:4 -C").refusal, Refusal::none);
  EXPECT_EQ(mig::to_text(*machine.cards[0].product, layout_of(machine.cards[0].board)),
            "1g.10gb@3,3g.40gb@4");
  machine.driver = 535;
  EXPECT_EQ(change(machine, "mig -i 1 -cgi 19:3 -C").refusal, Refusal::invalid);
  EXPECT_TRUE(machine.cards[1].board.instances.empty());
}

TEST_F(SmiTest, WhatIsHeldOrStillHasComputeInstancesIsNotDestroyed) {
  change(machine, "mig -i 0 -cgi 9,9 -C");
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -dgi").refusal, Refusal::in_use);
  machine.cards[0].board.find(2)->hidden = true;
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -dci").refusal, Refusal::in_use);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 1 -dci").destroyed.size(), 1u);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 1 -dgi").destroyed.size(), 1u);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 1 -dgi").refusal, Refusal::none_found);
  EXPECT_EQ(answer(machine, words("mig -i 1 -dgi")).exit_code, 6);
  EXPECT_EQ(change(machine, "-i 0 -mig 0").refusal, Refusal::in_use);
}

TEST_F(SmiTest, ComputeInstancesCanBeParts) {
  change(machine, "mig -i 0 -cgi 9");
  expect_seen(machine);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -cci 0,0").created.size(), 2u);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -cci 1").refusal, Refusal::insufficient);
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -cci 1c.3g.40gb").refusal, Refusal::none);
  auto node = look(machine);
  ASSERT_TRUE(node) << to_line(node.error());
  ASSERT_EQ(node->devices.size(), 3u);
  EXPECT_EQ(node->devices[2].profile, ProfileName("1c.3g.40gb"));
  EXPECT_EQ(change(machine, "mig -i 0 -gi 2 -ci 1 -dci").destroyed.size(), 1u);
  expect_seen(machine);
}

TEST_F(SmiTest, ModesWaitOnAmpereAndNotOnHopper) {
  Machine ampere = machine_of("A100-SXM4-40GB");
  Change said = change(ampere, "-i 0 -mig 1");
  ASSERT_EQ(said.pending.size(), 1u);
  EXPECT_EQ(said.pending[0].gpu, ampere.cards[0].pci);
  auto node = look(ampere);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->gpus[0].mig_mode, MigMode::enable_pending);
  EXPECT_EQ(change(ampere, "mig -cgi 9").refusal, Refusal::mig_off);
  EXPECT_EQ(change(ampere, "-i 0 --gpu-reset").reset, (std::vector<std::string>{ampere.cards[0].pci}));
  EXPECT_EQ(ampere.cards[0].board.mode, MigMode::enabled);
  EXPECT_EQ(change(machine, "-i 1 -mig 0").switched, (std::vector<std::string>{machine.cards[1].pci}));
}

TEST_F(SmiTest, TheGenerationsDifferOnABoardThatIsNotCut) {
  Machine whole = machine_of("h100", 570);
  EXPECT_EQ(answer(whole, words("mig -lgip")).exit_code, 0);
  EXPECT_EQ(answer(whole, words("mig -lgi")).out, "No MIG-enabled devices found.\n");
  EXPECT_EQ(answer(whole, words("mig -lgi")).exit_code, 6);
  whole.driver = 580;
  EXPECT_EQ(answer(whole, words("mig -lgi")).exit_code, 0);
  whole.driver = 535;
  EXPECT_EQ(answer(whole, words("mig -lgip")).out, "No MIG-enabled devices found.\n");
}

TEST_F(SmiTest, TellsModesAsCsvAndRefusesWhatItDoesNotKnow) {
  EXPECT_EQ(answer(machine, words("--query-gpu=index,mig.mode.current --format=csv")).out,
            "index, mig.mode.current\n0, Enabled\n1, Enabled\n");
  EXPECT_EQ(answer(machine, words("--query-gpu=memory.total --format=csv,noheader,nounits -i 0")).out,
            "81152\n");
  EXPECT_EQ(answer(machine, words("--query-gpu=nonsense --format=csv")).exit_code, 2);
  EXPECT_EQ(answer(machine, words("-i 7 -q -x")).exit_code, 6);
  EXPECT_EQ(answer(machine, words("--no-such-option")).exit_code, 255);
  EXPECT_EQ(answer(machine, words("mig -cgi")).exit_code, 2);
  EXPECT_EQ(answer(machine, {"-i", "", "--gpu-reset"}).exit_code, 6) << "no list is not the same as all";
  EXPECT_EQ(answer(machine, {}).exit_code, 2);
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 77").refusal, Refusal::invalid);
  auto policies = [&] { return answer(machine, words("compute-policy -l")).out; };
  EXPECT_EQ(policies().find("Long"), std::string::npos);
  EXPECT_EQ(answer(machine, words("compute-policy -i 1 --set-timeslice=3")).exit_code, 0);
  EXPECT_NE(policies().find("|   1   Timeslice       Long          |"), std::string::npos) << policies();
  EXPECT_EQ(answer(machine, words("-i 1 -c EXCLUSIVE_PROCESS")).exit_code, 0);
  EXPECT_EQ(look(machine)->boards[1].compute_mode, "Exclusive_Process");
}

TEST_F(SmiTest, FaultsStrikeWhenTheyAreDueAndNoOftener) {
  auto arm = [&](std::string_view text) {
    auto fault = parse_smi_fault(text);
    ASSERT_TRUE(fault) << to_line(fault.error());
    EXPECT_EQ(to_text(*fault), text);
    machine.faults.push_back(*fault);
  };
  arm("insufficient nth=2");
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 19,19 -C").refusal, Refusal::none);
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 19,19 -C").refusal, Refusal::insufficient);
  EXPECT_EQ(machine.cards[0].board.instances.size(), 3u) << "half of the list is made";
  EXPECT_TRUE(machine.faults.empty());
  arm("in-use times=2");
  EXPECT_EQ(change(machine, "mig -i 0 -dci").refusal, Refusal::in_use);
  EXPECT_EQ(change(machine, "mig -i 0 -dci").refusal, Refusal::in_use);
  EXPECT_EQ(change(machine, "mig -i 0 -dci").destroyed.size(), 3u);
  EXPECT_EQ(change(machine, "mig -i 0 -dgi").destroyed.size(), 3u);
  arm("no-device");
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 9 -C").created.size(), 2u);
  EXPECT_TRUE(machine.cards[0].board.instances.empty());
  arm("answer-lost verb=-cgi");
  EXPECT_EQ(change(machine, "mig -i 0 -cgi 9 -C").refusal, Refusal::unknown);
  EXPECT_EQ(machine.cards[0].board.instances.size(), 1u);
  arm("unknown verb=-lgi times=always");
  EXPECT_EQ(answer(machine, words("mig -lgi")).exit_code, 255);
  EXPECT_FALSE(look(machine)) << "an error is no empty list";
  machine.faults.clear();
  arm("hang");
  EXPECT_TRUE(answer(machine, words("mig -i 0 -dci")).hangs);
  EXPECT_FALSE(answer(machine, words("mig -i 0 -dci")).hangs);
  EXPECT_EQ(change(machine, "mig -i 0 -dgi").destroyed.size(), 1u);
  arm("pending");
  EXPECT_EQ(change(machine, "-i 0 -mig 0").pending.size(), 1u);
  EXPECT_EQ(machine.cards[0].board.mode, MigMode::disable_pending);
  EXPECT_EQ(change(machine, "-i 0 --gpu-reset").reset.size(), 1u);
  EXPECT_EQ(machine.cards[0].board.mode, MigMode::disabled);
  for (const char* bad :
       {"", "nonsense", "hang nth=0", "hang verb=cgi", "hang times=x", "hang a=b", "hang x"})
    EXPECT_FALSE(parse_smi_fault(bad)) << bad;
}

class PartedTest : public SmiTest {
 protected:
  // "0: 1g.10gb=7": GPU 0 is to be cut so; "0:": MIG off.
  static std::string config(std::initializer_list<std::string_view> boards) {
    std::string text = "version: v1\nmig-configs:\n  c:\n";
    for (std::string_view board : boards) {
      std::vector<std::string> parts = words(board);
      text += "    - devices: [" + parts[0].substr(0, parts[0].size() - 1) + "]\n      mig-enabled: ";
      text += parts.size() > 1 ? "true\n      mig-devices:\n" : "false\n";
      for (std::size_t i = 1; i < parts.size(); ++i) {
        std::size_t is = parts[i].find('=');
        text += "        \"" + parts[i].substr(0, is) + "\": " + parts[i].substr(is + 1) + "\n";
      }
    }
    return text;
  }
  SmiAnswer parted(std::string_view text, const std::string& file = "") {
    return parted_answer(
        machine, words(text), [&](const std::string&) { return Result<std::string>(file); }, TimePoint{});
  }
  SmiAnswer apply(const std::string& file) { return parted("apply -f - -c c", file); }
  // In the admin's words.
  static std::string why(const SmiAnswer& said) {
    auto refused = nvidia::parted_refusal(said.out, said.err, said.exit_code, "");
    return refused ? refused->reason : "";
  }
  void arm(std::string_view text) { machine.faults.push_back(parse_smi_fault(text).value()); }
};

// Every layout that a GPU can have, one after the other, as multisets: nothing is said of places.
TEST_F(PartedTest, MakesEveryLayoutOfABoardOverAnyOther) {
  const mig::Product& product = *machine.cards[0].product;
  std::map<std::string, int> seen;
  for (const mig::Layout& layout :
       mig::enumerate(product, mig::Which::maximal, mig::base_profiles(product, false))) {
    std::map<std::string, int> counts;
    for (const mig::Placed& one : layout)
      ++counts[product.profiles[static_cast<std::size_t>(one.profile)].name.text];
    std::string board = "1:";
    for (const auto& [name, count] : counts) board += " " + name + "=" + std::to_string(count);
    if (!seen.emplace(board, 1).second) continue;
    SmiAnswer said = apply(config({board}));
    ASSERT_EQ(said.exit_code, 0) << board << said.err;
    EXPECT_EQ(said.out, "MIG configuration applied successfully\n");
    expect_seen(machine);
    std::map<std::string, int> made;
    const auto now = look(machine);
    ASSERT_TRUE(now);
    for (const Slice& slice : now->gpus[1].slices) ++made[slice.profile.text];
    EXPECT_EQ(made, counts) << board;
    EXPECT_EQ(parted("assert -f - -c c", config({board})).exit_code, 0) << board;
    // What it exports is what it would make of a fresh GPU.
    auto told = operators::parse_mig_document(parted("export -o yaml").out, "exported");
    ASSERT_TRUE(told) << to_line(told.error());
    auto target = operators::evaluate(*told->find("current"), {&product, &product});
    ASSERT_TRUE(target) << to_line(target.error());
    EXPECT_TRUE(all_stands({machine.cards[0].board, machine.cards[1].board}, *target));
  }
  EXPECT_GT(seen.size(), 5u);
  EXPECT_TRUE(machine.cards[0].board.instances.empty()) << "no row was about it";
}

TEST_F(PartedTest, ClearsABoardThatDiffersAndLeavesTheOthersAlone) {
  change(machine, "mig -i 0 -cgi 9 -C");
  change(machine, "mig -i 1 -cgi 19 -C");
  const int kept = machine.cards[1].board.instances[0].id;
  EXPECT_EQ(apply(config({"0: 1g.10gb=2 3g.40gb=1", "1: 1g.10gb=1"})).exit_code, 0);
  EXPECT_EQ(machine.cards[0].board.instances.size(), 3u);
  EXPECT_EQ(machine.cards[1].board.instances[0].id, kept);
  EXPECT_EQ(parted("assert -f - -c c", config({"0:"})).exit_code, 1);
  EXPECT_EQ(apply(config({"0:"})).exit_code, 0);
  EXPECT_EQ(machine.cards[0].board.mode, MigMode::disabled);
  expect_seen(machine);
}

TEST_F(PartedTest, FailsAsTheDriverDoesAndSaysSo) {
  change(machine, "mig -i 0 -cgi 9 -C");
  machine.cards[0].board.instances[0].hidden = true;
  EXPECT_NE(why(apply(config({"0: 1g.10gb=7"}))).find("error destroying Compute instance"),
            std::string::npos);
  EXPECT_EQ(machine.cards[0].board.instances.size(), 1u);
  machine.cards[0].board.instances[0].hidden = false;
  arm("insufficient verb=apply");
  EXPECT_NE(why(apply(config({"0: 1g.10gb=6"}))).find("all orderings failed"), std::string::npos);
  EXPECT_EQ(machine.cards[0].board.instances.size(), 3u) << "half of the list is made";
  arm("no-device");
  EXPECT_EQ(why(apply(config({"0: 1g.10gb=6"}))), "");
  EXPECT_EQ(machine.cards[0].board.instances.size(), 3u);
  arm("answer-lost");
  EXPECT_NE(why(apply(config({"0: 1g.10gb=6"}))), "");
  EXPECT_EQ(machine.cards[0].board.instances.size(), 6u);
  arm("unknown");
  EXPECT_NE(why(apply(config({"0:"}))).find("Unknown Error"), std::string::npos);
  arm("hang");
  EXPECT_TRUE(apply(config({"0:"})).hangs);
  EXPECT_EQ(apply(config({"0:"})).exit_code, 0);
}

TEST_F(PartedTest, OnAmpereAPendingModeResetsEveryGpuOfTheNode) {
  machine = machine_of("A100-40GB:2");
  change(machine, "-i 1 -mig 1");
  change(machine, "-i 1 --gpu-reset");
  change(machine, "mig -i 1 -cgi 19 -C");
  machine.cards[1].board.instances[0].hidden = true;
  std::string held = why(apply(config({"0: 1g.5gb=7"})));
  EXPECT_NE(held.find("could not be reset"), std::string::npos) << held;
  EXPECT_EQ(machine.cards[0].board.mode, MigMode::enable_pending);
  machine.cards[1].board.instances[0].hidden = false;
  EXPECT_EQ(why(apply(config({"0: 1g.5gb=7"}))), "");
  EXPECT_EQ(machine.cards[0].board.instances.size(), 7u);
  EXPECT_TRUE(machine.cards[1].board.instances.empty()) << "its neighbour's reset took it along";
  expect_seen(machine);
}

TEST_F(PartedTest, RefusesWhatItIsNotOrCannotBeTold) {
  EXPECT_EQ(why(parted("apply -c c")), "missing required flags 'config-file' (exit code 1)");
  for (const char* text :
       {"", "checkpoint", "apply -f", "apply -f - --hooks-file x", "export -o json", "apply apply"})
    EXPECT_EQ(parted(text).exit_code, 1) << text;
  EXPECT_NE(why(parted("apply -f - -c d", config({"0:"}))).find("not present: d"), std::string::npos);
  EXPECT_EQ(parted("apply -f -", config({"0:"})).exit_code, 0) << "the only one";
  for (const char* file : {"", "version: v2\n", "\"",
                           "version: v1\nmig-configs: {c: [{devices: [0], mig-enabled: true, "
                           "mig-devices: {9g.10gb: 1}}]}\n"})
    EXPECT_NE(why(apply(file)), "") << file;
}

}  // namespace
}  // namespace tessera::sim
