#include "tui/cli/streams.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/text.hpp"
#include "tui/cli/help/help.hpp"

namespace tessera::cli {

Paper paper_of(int fd, std::string_view type) {
  Paper paper;
  if (isatty(fd) == 0) return paper;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0) paper.columns = size.ws_col;
  paper.colour = !type.empty() && type != "dumb" && !type.starts_with("vt");
  return paper;
}

std::string told(const Streams& streams, std::string_view english) {
  return tui::told(streams.reader, english);
}

void complain(const Streams& streams, const Error& error) {
  const auto shown = [&](const std::string& text) { return as_called(told(streams, text), streams.program); };
  // The readers clean what they tell; this holds whatever one of them forgets.
  std::string line = clean_lines(to_line(Error{shown(error.what), shown(error.reason), shown(error.hint)}));
  std::erase(line, '\r');
  streams.err << streams.program << ": " << line << std::endl;
}

int refuse(const Streams& streams, const Refusal& refusal) {
  return refuse(streams, refusal.error, refusal.code);
}
int refuse(const Streams& streams, const Error& error, int code) {
  complain(streams, error);
  return code;
}

void Lines::forget() {
  typed_.clear();
  ::tcflush(fd_, TCIFLUSH);
}

std::optional<std::string> Lines::take() {
  pollfd waiting{fd_, POLLIN, 0};
  while (fd_ >= 0 && typed_.find('\n') == std::string::npos && ::poll(&waiting, 1, 0) > 0) {
    char bytes[512];
    ssize_t n = ::read(fd_, bytes, sizeof bytes);
    if (n > 0) typed_.append(bytes, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) fd_ = -1;
  }
  std::size_t end = typed_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = typed_.substr(0, end);
  typed_.erase(0, end + 1);
  return line;
}

Result<std::string> read_all(int fd, std::size_t limit) {
  std::string text;
  for (;;) {
    char bytes[65536];
    ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n == 0) return text;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{"cannot read standard input", std::strerror(errno), ""};
    text.append(bytes, static_cast<std::size_t>(n));
    if (text.size() > limit) return Error{"cannot read standard input", "it does not end", ""};
  }
}

DescriptorBuffer::~DescriptorBuffer() { sync(); }

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize size) {
  if (failure_ != 0) return 0;
  waiting_.append(text, static_cast<std::size_t>(size));
  constexpr std::size_t enough = 64 * 1024;
  if (waiting_.size() >= enough && sync() != 0) return 0;
  return size;
}

int DescriptorBuffer::sync() {
  std::size_t done = 0;
  while (done < waiting_.size() && failure_ == 0) {
    ssize_t n = ::write(fd_, waiting_.data() + done, waiting_.size() - done);
    if (n >= 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      failure_ = errno;
    // Into a full pipe a write first ends short when a signal comes, and is interrupted from then on.
    if (done < waiting_.size() && failure_ == 0 && give_up_ && give_up_()) failure_ = EINTR;
  }
  waiting_.clear();
  return failure_ == 0 ? 0 : -1;
}

}  // namespace tessera::cli
