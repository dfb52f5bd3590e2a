// The command line's words as options, without an environment or files.
// Threads: the test's.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tui/cli/settings.hpp"

namespace tessera::cli {

inline Options options_from(const std::vector<std::string>& arguments) {
  auto parsed = parse_arguments(arguments);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : to_line(parsed.error()));
  auto settings = gather(*parsed, {}, {});
  auto options = to_options(*parsed, *settings);
  EXPECT_TRUE(options.ok()) << (options.ok() ? "" : to_line(options.error()));
  return *options;
}

}  // namespace tessera::cli
