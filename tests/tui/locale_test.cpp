#include "tui/terminal/locale.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace tessera::tui {
namespace {

TEST(Locale, TheBuiltInOneLeavesTheUsersLocpathAlone) {
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  setenv("LOCPATH", "/opt/site/locale", 1);
  take_builtin_locale();
  EXPECT_STREQ(std::getenv("LOCPATH"), "/opt/site/locale");
  unsetenv("LOCPATH");
  take_builtin_locale();
  EXPECT_EQ(std::getenv("LOCPATH"), nullptr);
  std::setlocale(LC_CTYPE, before.c_str());
}

}  // namespace
}  // namespace tessera::tui
