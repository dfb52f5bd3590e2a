// Where the folder for sockets may be made, and what is cleaned up beside it.
#include "backends/private_folder.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

// A socket as a killed process leaves it.
void listen_at(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  ::close(fd);
}

// Folders of tesseras that were killed, and such as only look like them.
TEST(PrivateFolderTest, WhatKilledTesserasLeftIsRemovedAndNothingElse) {
  namespace fs = std::filesystem;
  test::Scratch base;
  auto folder = [&](const std::string& name, bool lock, fs::perms mode = fs::perms::owner_all) {
    fs::create_directory(base.path() + "/" + name);
    if (lock) base.write(name + "/lock", "");
    base.write(name + "/api", "");
    listen_at(base.path() + "/" + name + "/ssh-1");
    fs::permissions(base.path() + "/" + name, mode);
  };
  folder("tessera-dead01", true);
  folder("tessera-dead02", true);
  folder("tessera-nolock", false);
  folder("tessera-open00", true, fs::perms::owner_all | fs::perms::group_read);
  folder("tessera-toolong", true);
  folder("somebody-else1", true);
  fs::create_directory(base.path() + "/real");
  base.write("real/lock", "");
  fs::create_directory_symlink(base.path() + "/real", base.path() + "/tessera-links1");
  auto first = PrivateFolder::make({base.path()}, "a test");
  ASSERT_TRUE(first) << to_line(first.error());
  auto is_there = [&](const std::string& name) { return fs::exists(base.path() + "/" + name); };
  EXPECT_FALSE(is_there("tessera-dead01"));
  EXPECT_FALSE(is_there("tessera-dead02"));
  for (const char* name : {"tessera-nolock/api", "tessera-open00/lock", "tessera-toolong/lock",
                           "somebody-else1/lock", "real/lock"})
    EXPECT_TRUE(is_there(name)) << name;
  auto second = PrivateFolder::make({base.path()}, "a test");
  ASSERT_TRUE(second);
  EXPECT_TRUE(fs::exists(first->path())) << "it is in use";
  EXPECT_NE(first->path(), second->path());
  EXPECT_EQ(remove_stale_folders(base.path()), 0);
  EXPECT_EQ(remove_stale_folders(base.path() + "/nowhere"), 0);
}

// sudo -E brings the runtime folder of another user, who could put a socket of theirs in ours' place.
TEST(PrivateFolderTest, AFolderOfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  test::Scratch base;
  const std::string theirs = base.path() + "/theirs", below = theirs + "/below";
  std::filesystem::create_directories(below);
  ASSERT_EQ(::chown(theirs.c_str(), 1234, 1234), 0);
  EXPECT_EQ(why_unsafe(theirs), "belongs to another user (uid 1234)");
  EXPECT_EQ(why_unsafe(below), "below " + theirs + ", which belongs to another user (uid 1234)");
  auto made = PrivateFolder::make({theirs, base.path()}, "a test");
  ASSERT_TRUE(made) << to_line(made.error());
  EXPECT_EQ(made->path().find(base.path() + "/tessera-"), 0u) << "the next one is taken";
  auto none = PrivateFolder::make({theirs}, "a test");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, theirs + ": belongs to another user (uid 1234)");
}

TEST(PrivateFolderTest, AFolderThatOthersCanChangeIsNotUsed) {
  namespace fs = std::filesystem;
  test::Scratch base;
  const std::string open = base.path() + "/open";
  fs::create_directory(open);
  EXPECT_EQ(why_unsafe(open), "");
  fs::permissions(open, fs::perms::all);
  EXPECT_EQ(why_unsafe(open), "can be written by others");
  fs::permissions(open, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_EQ(why_unsafe(open), "") << "as /tmp is";
  EXPECT_EQ(why_unsafe("/tmp"), "");
}

TEST(PrivateFolderTest, ALinkOrATooLongNameIsNotUsed) {
  test::Scratch base;
  const std::string link = base.path() + "/link", deep = base.path() + "/" + std::string(100, 'x');
  std::filesystem::create_directory_symlink("/etc", link);
  std::filesystem::create_directory(deep);
  EXPECT_EQ(why_unsafe(link), "a link");
  EXPECT_EQ(why_unsafe(deep).find("too long for the name of a socket"), 0u);
  EXPECT_EQ(why_unsafe("run"), "not an absolute path");
  EXPECT_EQ(why_unsafe(base.write("file", "")), "not a folder");
  EXPECT_NE(why_unsafe(base.path() + "/absent"), "");
  auto made = PrivateFolder::make({link, deep, base.path()}, "a test");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->path().find(base.path() + "/tessera-"), 0u);
}

}  // namespace
}  // namespace tessera
