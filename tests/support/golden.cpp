#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

std::string as_file(const tui::Canvas& canvas) {
  std::string text = canvas.text(), roles = canvas.roles(), attributes = canvas.attributes();
  auto ended = [](std::string part) { return part.ends_with('\n') ? part : part + '\n'; };
  return ended(std::move(text)) + "==== roles\n" + ended(std::move(roles)) + "==== attributes\n" +
         ended(std::move(attributes));
}

}  // namespace

void expect_golden(const std::string& name, const tui::Canvas& canvas) {
  std::string path = test::source_dir() + "/tests/tui/golden/" + name + ".txt";
  std::string now = as_file(canvas);
  if (std::getenv("TESSERA_UPDATE_GOLDEN")) {
    std::ofstream(path) << now;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; TESSERA_UPDATE_GOLDEN=1 writes it";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(now, expected.str()) << "screen " << name << " differs; it is now\n" << canvas.text();
}

}  // namespace tessera::test
