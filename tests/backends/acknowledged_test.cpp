// The file of acknowledged findings, on a real disk.
#include "backends/acknowledged.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/build.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::at;

TEST(AcknowledgedFile, WhatIsKeptIsReadBackByTheNextConsole) {
  const test::Scratch folder;
  const std::string path = folder.path() + "/state/tessera/acknowledged";
  EXPECT_EQ(read_acknowledged(path)->size(), 0u) << "no file yet";
  ASSERT_TRUE(keep_acknowledged(path, {"a", {"n1"}, at(3600)}, at(0)));
  ASSERT_TRUE(keep_acknowledged(path, {"b", {}, at(60)}, at(0)));
  EXPECT_EQ(read_acknowledged(path)->size(), 2u);
  struct stat about {};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  ASSERT_TRUE(keep_acknowledged(path, {"a", {}, at(0)}, at(0)));
  const auto left = read_acknowledged(path);
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().cause, "b");
}

TEST(AcknowledgedFile, AFileThatCannotBeReadSaysSoAndIsReplacedByTheNextNote) {
  const test::Scratch folder;
  const std::string path = folder.path() + "/acknowledged";
  std::ofstream(path) << "not json\n";
  EXPECT_FALSE(read_acknowledged(path));
  ASSERT_TRUE(keep_acknowledged(path, {"a", {"n1"}, at(3600)}, at(0)));
  EXPECT_EQ(read_acknowledged(path)->size(), 1u);
}

TEST(AcknowledgedFile, AFolderThatCannotBeMadeIsAnError) {
  const Status kept = keep_acknowledged("/dev/null/tessera/acknowledged", {"a", {}, at(60)}, at(0));
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().reason.find("/dev/null"), std::string::npos);
  EXPECT_FALSE(keep_acknowledged("", {"a", {}, at(60)}, at(0)));
}

}  // namespace
}  // namespace tessera
