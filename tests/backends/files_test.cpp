#include "backends/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace
}  // namespace tessera
