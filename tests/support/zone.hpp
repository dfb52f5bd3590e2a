// The clocks of another place, until the end of the scope.
// Threads: the test's.
#pragma once

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace tessera::test {

class InZone {
 public:
  explicit InZone(const std::string& name) {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
    setenv("TZ", name.c_str(), 1);
    tzset();
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
