#include "backends/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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
  for (const std::string& path : {fifo, std::string("/dev/zero"), folder.path()}) {
    auto file = read_config(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().reason, path + ": not a regular file");
  }
}

}  // namespace
}  // namespace tessera
