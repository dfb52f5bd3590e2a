// Recordings of a real Slurm's answers, and small helpers to read them.
#pragma once

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/model/units.hpp"
#include "tests/support/paths.hpp"

namespace tessera::slurm {

// name: "node", "job", …; version: "22.05", "24.11" or "26.05".
inline std::string recording(const std::string& version, const std::string& name) {
  std::string file = test::source_dir() + "/tests/fixtures/slurm-" + version + "/" + name + ".txt";
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The same instant as Slurm's "2026-11-21T02:36:31", worked out another way.
inline TimePoint local(const char* text) {
  std::tm parts{};
  EXPECT_NE(strptime(text, "%Y-%m-%dT%H:%M:%S", &parts), nullptr) << text;
  parts.tm_isdst = -1;
  return TimePoint(std::chrono::seconds(std::mktime(&parts)));
}

}  // namespace tessera::slurm
