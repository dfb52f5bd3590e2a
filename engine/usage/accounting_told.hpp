// What is told of an accounting beside the jobs. Threads: values.
#pragma once

#include <string>

namespace tessera::usage {

struct AccountingTold {
  int unread = 0;             // lines that could not be understood
  int days = 0;               // of UTC that were looked at
  int kept_days = 0;          // of these whose answer was kept from an earlier question
  std::string cache_trouble;  // why answers are not kept; empty: nothing stands in the way
};

}  // namespace tessera::usage
