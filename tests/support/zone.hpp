// The clocks of another place, until the end of the scope. Where the machine does not have them the test
// fails: with the clocks of UTC it would prove nothing.
// Threads: the test's.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace tessera::test {

class InZone {
 public:
  explicit InZone(const std::string& name) {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
    setenv("TZ", name.c_str(), 1);
    tzset();
    std::error_code ignored;
    const bool has_its_rules = name.find(',') != std::string::npos;  // "EST5EDT,M3.2.0,M11.1.0"
    EXPECT_TRUE(name == "UTC" || has_its_rules ||
                std::filesystem::exists("/usr/share/zoneinfo/" + name, ignored))
        << "there is no time zone " << name << ": install tzdata";
  }
  ~InZone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  InZone(const InZone&) = delete;
  InZone& operator=(const InZone&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace tessera::test
