// Files that users write, as the console and the command line read them: whole and bounded, or refused.
#include "tui/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tessera::tui {
namespace {

namespace fs = std::filesystem;

class TextFile : public testing::Test {
 protected:
  TextFile() { fs::remove_all(folder_), fs::create_directories(folder_); }
  ~TextFile() override { fs::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  const fs::path folder_ = fs::path(testing::TempDir()) / "tessera-text-file";
};

std::string why(const std::string& path, std::uintmax_t most) {
  auto text = read_text_file(path, most);
  return text ? "read" : text.error().reason;
}

TEST_F(TextFile, AllOfItIsReadUpToTheBound) {
  const std::string text = std::string(40'000, 'x') + std::string(1, '\0') + "\n";
  const std::string path = file("whole", text);
  EXPECT_EQ(**read_text_file(path, text.size()), text);
  EXPECT_EQ(why(path, text.size() - 1), "larger than 39 KiB");
  EXPECT_EQ(why(file("large", std::string((2u << 20) + 1, ' ')), 2u << 20), "larger than 2 MiB");
  // It was to be made readable.
  EXPECT_EQ(read_text_file(path, 16).error().hint, "name another file, or make this one smaller");
}

TEST_F(TextFile, AMissingOneIsNoErrorAndAnEmptyOneIsThere) {
  EXPECT_FALSE(read_text_file((folder_ / "none").string(), 10)->has_value());
  EXPECT_FALSE(read_text_file(file("empty", "") + "/below", 10)->has_value());
  EXPECT_EQ(**read_text_file(file("empty", ""), 10), "");
}

// Its size is reported as 0, and it has more than that.
TEST_F(TextFile, AFileOfProcIsBoundedByWhatItHolds) {
  EXPECT_EQ(why("/proc/self/maps", 16), "larger than 0 KiB");
  EXPECT_EQ(why("/proc/self/maps", 1u << 20), "read");
}

TEST_F(TextFile, AFolderAndAFifoAreRefusedWithoutWaiting) {
  EXPECT_EQ(why(folder_.string(), 10), "it is a folder");
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(why(fifo, 10), "not a regular file");
}

// They were to be made readable.
TEST_F(TextFile, ForAFolderOrAFifoAnotherFileIsToBeNamed) {
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {folder_.string(), fifo})
    EXPECT_EQ(read_text_file(path, 10).error().hint, "name a file, or put one in its place") << path;
}

// Settings behind a file server that is away were taken for none.
TEST_F(TextFile, ALinkToNothingOrToItselfIsNoMissingFile) {
  const std::string nowhere = (folder_ / "nowhere").string(), circle = (folder_ / "circle").string();
  fs::create_symlink(folder_ / "none", nowhere);
  fs::create_symlink(circle, circle);
  EXPECT_EQ(why(nowhere, 10), "a link to nothing");
  EXPECT_EQ(why(circle, 10), "Too many levels of symbolic links");
}

// It was looked for at the file itself only, and a site links the folder.
TEST_F(TextFile, AFolderThatIsALinkToNothingHidesWhatLiesBehindIt) {
  fs::create_symlink(folder_ / "server" / "site", folder_ / "away");
  EXPECT_EQ(why((folder_ / "away" / "config.yaml").string(), 10), "a link to nothing");
  EXPECT_EQ(why((folder_ / "away" / "below" / "config.yaml").string(), 10), "a link to nothing");
  fs::create_directories(folder_ / "server" / "site");
  EXPECT_EQ(why((folder_ / "away" / "config.yaml").string(), 10), "read") << "it is there, without the file";
  EXPECT_EQ(why((folder_ / "away" / "below" / "config.yaml").string(), 10), "read");
  EXPECT_EQ(why((folder_ / "none" / "config.yaml").string(), 10), "read") << "no link";
}

std::string why_not_ours(const fs::path& path) {
  const Status ours = not_everyones(path.string());
  return ours ? "ours" : ours.error().reason;
}

constexpr const char* kReplaceable =
    "everyone on this machine can replace it, and it names commands that are run";

// Only the bits of the file itself were looked at: who renames it away puts his own there.
TEST_F(TextFile, AFileInAFolderThatIsOpenToAllIsNotOurs) {
  fs::create_directories(folder_ / "open" / "tessera");
  const fs::path path = file("open/tessera/config.yaml", "");
  EXPECT_EQ(why_not_ours(path), "ours");
  for (const fs::path& open : {folder_ / "open" / "tessera", folder_ / "open"}) {
    ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
    EXPECT_EQ(why_not_ours(path), kReplaceable) << open;
    EXPECT_EQ(not_everyones(path.string()).error().hint, "chmod o-w " + open.string());
    ASSERT_EQ(::chmod(open.c_str(), 01777), 0);
    EXPECT_EQ(why_not_ours(path), "ours") << "as /tmp is: each renames what is his";
    ASSERT_EQ(::chmod(open.c_str(), 0775), 0);
    EXPECT_EQ(why_not_ours(path), "ours") << "whom its group trusts is the site's choice";
  }
  ASSERT_EQ(::chmod((folder_ / "open").c_str(), 0777), 0);
  EXPECT_EQ(why_not_ours(folder_ / "open" / "none.yaml"), "ours") << "there is none";
}

TEST_F(TextFile, ALinkIsNotOursByTheFolderWhereItStandsAndByThatOfItsFile) {
  fs::create_directories(folder_ / "open"), fs::create_directories(folder_ / "kept");
  const fs::path in_open = file("open/a.yaml", ""), kept = file("kept/b.yaml", "");
  fs::create_symlink(kept, folder_ / "open" / "link.yaml");
  fs::create_symlink(in_open, folder_ / "kept" / "link.yaml");
  ASSERT_EQ(::chmod((folder_ / "open").c_str(), 0777), 0);
  EXPECT_EQ(why_not_ours(folder_ / "open" / "link.yaml"), kReplaceable);
  EXPECT_EQ(why_not_ours(folder_ / "kept" / "link.yaml"), kReplaceable);
  EXPECT_EQ(why_not_ours(kept), "ours");
}

TEST_F(TextFile, WhatAnotherUserHasPutIntoAFolderOfAllIsNotOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  fs::create_directories(folder_ / "sticky" / "tessera");
  const fs::path path = file("sticky/tessera/config.yaml", "");
  ASSERT_EQ(::chmod((folder_ / "sticky").c_str(), 01777), 0);
  EXPECT_EQ(why_not_ours(path), "ours");
  ASSERT_EQ(::chown((folder_ / "sticky" / "tessera").c_str(), 4711, 4711), 0);
  EXPECT_EQ(why_not_ours(path),
            "another user has put it into a folder that is open to all, and it names commands that are run");
}

}  // namespace
}  // namespace tessera::tui
