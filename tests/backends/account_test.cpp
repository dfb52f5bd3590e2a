#include "backends/account.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

struct Accounts : testing::Test {
  test::Scratch folder;
  AccountSources sources{folder.path() + "/passwd", folder.path() + "/getent"};

  void passwd(const std::string& text) { folder.write("passwd", text); }
  void getent(const std::string& script) {
    const std::string path = folder.write("getent", "#!/bin/sh\n" + script);
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  }
};

TEST_F(Accounts, TheFileIsAskedFirst) {
  passwd("root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n");
  getent("echo other:x:1000:1000::/:/bin/sh");
  EXPECT_EQ(account_name(1000, sources), "ada");
  EXPECT_EQ(account_name(0, sources), "root");
}

TEST_F(Accounts, WhomTheFileDoesNotKnowGetentDoes) {
  passwd("root:x:0:0:root:/root:/bin/sh\n");
  getent("[ \"$1 $2\" = 'passwd 70001' ] && echo 'grace:*:70001:70001:Grace:/home/grace:/bin/bash'");
  EXPECT_EQ(account_name(70001, sources), "grace");
}

TEST_F(Accounts, WhoIsNowhereIsANumber) {
  passwd("root:x:0:0:root:/root:/bin/sh\n");
  EXPECT_EQ(account_name(70001, sources), "uid-70001") << "no getent at all";
  getent("exit 2");
  EXPECT_EQ(account_name(70001, sources), "uid-70001");
  getent("echo 'grace:*:70002:1:::'");
  EXPECT_EQ(account_name(70001, sources), "uid-70001") << "the answer is about another user";
}

TEST_F(Accounts, WithoutAFileGetentIsAsked) {
  getent("echo 'grace:*:70001:70001:Grace:/home/grace:/bin/bash'");
  EXPECT_EQ(account_name(70001, sources), "grace");
}

TEST_F(Accounts, BrokenLinesAndHostileNamesDoNoHarm) {
  passwd("\n:\nx\n:x:1000:\nx:1000\n\x1b[31mred:x:1000:1000:::");
  EXPECT_EQ(account_name(1000, sources).find('\x1b'), std::string::npos);
  EXPECT_NE(account_name(1000, sources).find("red"), std::string::npos);
  passwd(std::string(300, 'n') + ":x:1000:1000:::\n");
  EXPECT_LE(account_name(1000, sources).size(), 70u);
}

}  // namespace
}  // namespace tessera
