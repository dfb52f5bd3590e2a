// Where a command writes: data to one stream, messages to the other.
// Threads: one thread at a time.
#pragma once

#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "engine/error.hpp"

namespace tessera::cli {

struct Streams {
  std::ostream& out;  // data; once its reader is gone every write fails, quietly
  std::ostream& err;  // messages
  int out_fd = -1;    // watched for a reader that goes away; -1: nothing to watch
};

// A message the way every command puts it: "tessera: what: reason (hint)".
void complain(const Streams& streams, const Error& error);

// A stream over a descriptor that remembers why a write failed, as std::cout does not.
// Expects SIGPIPE to be ignored.
class DescriptorBuffer final : public std::streambuf {
 public:
  // `give_up`, asked when a write ends short: true when it is time to leave and the reader stalls.
  explicit DescriptorBuffer(int fd, std::function<bool()> give_up = {})
      : fd_(fd), give_up_(std::move(give_up)) {}
  ~DescriptorBuffer() override;
  int failure() const { return failure_; }  // errno of the first write that failed, EINTR: given up; 0: none

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  int fd_;
  std::function<bool()> give_up_;
  int failure_ = 0;
  std::string waiting_;
};

}  // namespace tessera::cli
