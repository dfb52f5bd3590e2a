// Where a command writes: data to one stream, messages to the other.
// Threads: one thread at a time.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

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
  explicit DescriptorBuffer(int fd) : fd_(fd) {}
  ~DescriptorBuffer() override;
  int failure() const { return failure_; }  // errno of the first write that failed; 0: none

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  int fd_;
  int failure_ = 0;
  std::string waiting_;
};

}  // namespace tessera::cli
