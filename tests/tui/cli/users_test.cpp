// tessera users: what scripts get, and when it refuses.
#include "tui/cli/users.hpp"

#include <gtest/gtest.h>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/over_standing.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::users_story {
namespace {

struct Asked {
  bool loads = true;
  std::optional<Error> failure;
  OutputFormat output = OutputFormat::json;
  Paper paper;
  std::string user = "alice", by;
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "users";
    options.output = output;
    options.paper = paper;
    options.by = by;
    options.timeout = Duration(1500);
    Workload held = test::running("1", user, {test::holds("n1", {{0}})});
    held.account = "physics";
    auto hpc = [&] {
      auto backend = std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})},
          std::vector<Workload>{held, test::waiting("2", "", "gpu:h100")});
      backend->loads = loads;
      backend->failure = failure;
      return backend;
    };
    return test::over_standing(run_users, options, hpc, out, err);
  }
};

TEST(UsersList, KeepsItsSchema) {
  Asked asked;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("users"), asked.out.str()), std::vector<std::string>{});
  EXPECT_NE(asked.out.str().find("\"gpus\": 1"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("\"user\": null"), std::string::npos) << asked.out.str();
}

TEST(UsersList, HasARowForEachAccountWhereThatIsAskedFor) {
  Asked asked;
  asked.by = "account";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("users"), asked.out.str()), std::vector<std::string>{});
  EXPECT_NE(asked.out.str().find("\"account\": \"physics\""), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("\"account\": null"), std::string::npos) << "of one it is not told";
  Asked table;
  table.by = "account", table.output = OutputFormat::table;
  EXPECT_EQ(table.run(), kDone);
  EXPECT_NE(table.out.str().find("ACCOUNT"), std::string::npos) << table.out.str();
  Asked other;
  other.by = "node";
  EXPECT_EQ(other.run(), kUsage) << "that is usage's";
  EXPECT_NE(other.err.str().find("--by user or account"), std::string::npos) << other.err.str();
}

TEST(UsersList, IsATableWithUnknownAsUnknown) {
  Asked asked;
  asked.output = OutputFormat::table;
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_NE(asked.out.str().find("alice"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("n/a"), std::string::npos) << "nothing measures its use\n"
                                                            << asked.out.str();
}

// "data-…" and "team-…" stood beside what they wait for.
TEST(UsersList, OnANarrowTerminalANameIsWholeBeforeWhatItWaitsFor) {
  Asked asked;
  asked.output = OutputFormat::table;
  asked.paper.columns = 60;
  asked.user = "data-science-team";
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_NE(asked.out.str().find("data-science-team "), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("HOLDS"), std::string::npos) << asked.out.str();
  EXPECT_EQ(asked.out.str().find("WAITS FOR"), std::string::npos) << asked.out.str();
}

TEST(UsersList, RefusesHalfAnAnswer) {
  Asked silent;
  silent.loads = false;
  EXPECT_EQ(silent.run(), kUnknown);
  EXPECT_EQ(silent.out.str(), "");
  Asked failing;
  failing.failure = Error{"cannot list jobs", "timeout", ""};
  EXPECT_EQ(failing.run(), kUnknown);
  EXPECT_EQ(failing.out.str(), "");
  EXPECT_NE(failing.err.str().find("hpc"), std::string::npos) << failing.err.str();
}

}  // namespace
}  // namespace tessera::cli::users_story
