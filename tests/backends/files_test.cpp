#include "backends/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

// What comes through a pipe that holds this and is closed.
std::optional<std::string> through_pipe(const std::string& text, std::size_t most) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Descriptor read_end(ends[0]);
  {
    Descriptor write_end(ends[1]);
    EXPECT_TRUE(write_all(write_end.get(), text));  // below what a pipe holds
  }
  return read_to_end(read_end.get(), most);
}

TEST(Files, WhatHasNoSizeIsReadToItsEndUnlessItIsTooMuch) {
  const std::string text(20000, 'x');
  EXPECT_EQ(through_pipe(text, text.size()), text);
  EXPECT_EQ(through_pipe("", 0), "");
  errno = 0;
  EXPECT_EQ(through_pipe(text, text.size() - 1), std::nullopt);
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(read_to_end(-1, 10), std::nullopt);
  EXPECT_EQ(errno, EBADF);
}

// What was not written must not pass for written: the caller renames the file then.
TEST(Files, ADiskThatIsFullOrAClosedDescriptorIsAFailure) {
  Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.ok());
  EXPECT_FALSE(write_all(full.get(), "text"));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_FALSE(write_all(-1, "text"));
  EXPECT_TRUE(write_all(-1, "")) << "nothing to write";
}

Result<std::optional<WholeFile>> read_config(const std::string& path, std::size_t most = 100) {
  return read_whole_file("cannot read the configuration", path, most);
}

TEST(Files, ARegularFileIsReadWholeAndOneThatIsMissingIsNoError) {
  test::Scratch folder;
  const std::string path = folder.write("config", "a: 1\n");
  auto file = read_config(path, 5);
  ASSERT_TRUE(file && *file) << "exactly as large as is allowed";
  EXPECT_EQ((*file)->text, "a: 1\n");
  EXPECT_EQ((*file)->about.st_size, 5);
  auto absent = read_config(folder.path() + "/absent");
  ASSERT_TRUE(absent);
  EXPECT_FALSE(absent->has_value());
  auto large = read_config(path, 4);
  ASSERT_FALSE(large);
  EXPECT_EQ(to_line(large.error()).find("cannot read the configuration"), 0u);
  EXPECT_NE(large.error().reason.find(path + ": larger than 4 bytes"), std::string::npos);
}

// Without the mend this test hangs in open().
TEST(Files, AFifoADeviceAndAFolderAreRefusedAndNotWaitedFor) {
  test::Scratch folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, std::string("/dev/zero")}) {
    auto file = read_config(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().reason, path + ": not a regular file");
  }
  const auto inside = read_config(folder.path());
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().reason, folder.path() + ": it is a folder");
  EXPECT_EQ(inside.error().hint, "name a file, or put one in its place")
      << "its permissions are not the matter";
}

TEST(Files, AFileIsReplacedAsAWholeForItsOwnerAloneAndItsFolderIsMade) {
  const test::Scratch folder;
  const std::string path = folder.path() + "/deep/er/file";
  ASSERT_TRUE(replace_file("cannot keep it", path, "one", 0600));
  const auto before = read_whole_file("", path, 100);
  ASSERT_TRUE(before && *before);
  EXPECT_EQ((*before)->text, "one");
  EXPECT_EQ((*before)->about.st_mode & 0777, 0600U);
  ASSERT_TRUE(replace_file("cannot keep it", path, "two"));
  const auto after = read_whole_file("", path, 100);
  EXPECT_EQ((*after)->text, "two");
  EXPECT_NE((*after)->about.st_ino, (*before)->about.st_ino) << "whoever has the old one open reads on in it";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/deep/er"))
    files += entry.exists();
  EXPECT_EQ(files, 1);
}

TEST(Files, ALinkIsReplacedAndWhatItNamesStays) {
  const test::Scratch folder;
  const std::string path = folder.path() + "/file", other = folder.path() + "/other";
  ASSERT_TRUE(replace_file("", other, "of another"));
  ASSERT_EQ(::symlink(other.c_str(), path.c_str()), 0);
  ASSERT_TRUE(replace_file("", path, "ours"));
  EXPECT_EQ((*read_whole_file("", other, 100))->text, "of another");
  EXPECT_EQ((*read_whole_file("", path, 100))->text, "ours");
}

TEST(Files, WhatDoesNotFitLeavesWhatWasThereAndNothingBeside) {
  const test::Scratch folder;
  const std::string path = folder.path() + "/file";
  ASSERT_TRUE(replace_file("", path, "old"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &tight);
  const Status full = replace_file("cannot keep it", path, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().what, "cannot keep it");
  EXPECT_TRUE(full.error().reason.starts_with(path)) << full.error().reason;
  EXPECT_EQ((*read_whole_file("", path, 100))->text, "old");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.exists();
  EXPECT_EQ(files, 1);
  EXPECT_FALSE(replace_file("", "/dev/null/folder/file", "x"));
}

}  // namespace
}  // namespace tessera
