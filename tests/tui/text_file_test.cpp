// Files that users write, as the console and the command line read them: whole and bounded, or refused.
#include "tui/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  EXPECT_EQ(why(folder_.string(), 10), "not a file");
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(why(fifo, 10), "not a file");
}

// Settings behind a file server that is away were taken for none.
TEST_F(TextFile, ALinkToNothingOrToItselfIsNoMissingFile) {
  const std::string nowhere = (folder_ / "nowhere").string(), circle = (folder_ / "circle").string();
  fs::create_symlink(folder_ / "none", nowhere);
  fs::create_symlink(circle, circle);
  EXPECT_EQ(why(nowhere, 10), "a link to nothing");
  EXPECT_EQ(why(circle, 10), "Too many levels of symbolic links");
}

}  // namespace
}  // namespace tessera::tui
