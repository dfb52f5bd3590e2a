// Where a command writes: data to one stream, messages to the other.
// Threads: one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "engine/error.hpp"
#include "tui/cli/paper.hpp"
#include "tui/language/words.hpp"

namespace tessera::cli {

struct Streams {
  std::ostream& out;               // data; once its reader is gone every write fails, quietly
  std::ostream& err;               // messages
  int out_fd = -1;                 // watched for a reader that goes away; -1: nothing to watch
  int in_fd = -1;                  // standard input: a plan, or a person's answers; -1: none
  bool asks = false;               // a person sits there: standard input and the messages are on a terminal
  Paper paper;                     // what the data is printed on
  tui::WordsPtr reader = nullptr;  // the language of messages; null: English
  std::string_view program = "tessera";  // as messages call it
};

// The terminal behind a descriptor, by its size and the name that the environment gives it (TERM).
Paper paper_of(int fd, std::string_view type);

// What a person types, line by line, without ever blocking.
// Threads: one thread.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}
  int fd() const { return fd_; }  // to wait for; -1 when nothing more comes
  // Throws away what was typed or pasted before a question stood there.
  void forget();
  // The next complete line, without its end; nullopt: not yet. Reads only what is there.
  std::optional<std::string> take();

 private:
  int fd_;
  std::string typed_;
};

// Everything until the end of the input. Errors: it cannot be read, or is longer than `limit`.
Result<std::string> read_all(int fd, std::size_t limit);

// A sentence for a person, in the reader's language.
std::string told(const Streams& streams, std::string_view english);

// A message the way every command puts it, in the reader's language: "tessera: what: reason (hint)".
void complain(const Streams& streams, const Error& error);

// Why a command ends here, and with which exit code.
struct Refusal {
  Error error;
  int code = 0;
};
// Complains, and gives the exit code back.
int refuse(const Streams& streams, const Refusal& refusal);
int refuse(const Streams& streams, const Error& error, int code);

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
