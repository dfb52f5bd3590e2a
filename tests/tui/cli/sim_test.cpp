// `tessera-sim`: which words it takes, and what it says to the others.
#include "tui/cli/sim.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tessera::cli {
namespace {

struct Said {
  int code = -1;
  std::string out, err;
  std::vector<std::string> words;  // what reached the simulator
};

Said say(std::vector<std::string> words, Result<SimAnswer> answer = SimAnswer{"done\n"},
         std::string state = "/tmp/w") {
  std::ostringstream out, err;
  Options options;
  options.command = "sim";
  options.words = std::move(words);
  options.sim_state = std::move(state);
  Said said;
  auto act = [&](const Options& asked, const mig::Catalogue&) {
    said.words = asked.words;
    return answer;
  };
  said.code = run_sim(options, mig::Catalogue::built_in().value(), {"demo", "huge"}, act, {out, err});
  said.out = out.str(), said.err = err.str();
  return said;
}

TEST(SimCommand, PassesOnWhatMakesSense) {
  Said said = say({"drain", "n1", "fan", "is", "broken"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "done\n");
  EXPECT_EQ(said.words.size(), 5u);
  EXPECT_EQ(say({"check"}, SimAnswer{"held twice\n", true}).code, 1);
  EXPECT_EQ(say({"open", "n9"}, Error{"no such node", "n9", ""}).code, 2);
}

TEST(SimCommand, SaysWhatIsMissing) {
  EXPECT_NE(say({}).err.find("advance|drain|open"), std::string::npos);
  EXPECT_NE(say({"advanced", "1h"}).err.find("did you mean advance?"), std::string::npos);
  EXPECT_NE(say({"drain"}).err.find("drain needs NODE [REASON]"), std::string::npos);
  EXPECT_NE(say({"open", "a", "b"}).err.find("unexpected word \"b\""), std::string::npos);
  Said stateless = say({"check"}, SimAnswer{}, "");
  EXPECT_EQ(stateless.code, 2);
  EXPECT_NE(stateless.err.find("add --sim-state FILE"), std::string::npos);
  EXPECT_TRUE(stateless.words.empty());
}

TEST(SimCommand, ListsScenariosWithoutAWorld) {
  EXPECT_EQ(say({"scenarios"}, SimAnswer{}, "").out, "demo\nhuge\n");
}

}  // namespace
}  // namespace tessera::cli
