// zstd, as recordings use it: frames that any zstdcat reads, each behind a skippable one with its time, so
// that a moment is found without reading what lies before it. Home of zstd.h. Threads: an object belongs to
// one thread; the functions have no state.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::record {

class Compressor {
 public:
  static constexpr int kSmallest = 15;  // a level of zstd: what is written once and kept for weeks
  // 8 MiB: a key frame is found again in the two hours that follow it.
  static constexpr int kWindowLog = 23;
  explicit Compressor(int level = kSmallest, int window_log = kWindowLog);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // The bytes of a new frame's mark; what is given to add() from now on belongs to that frame.
  std::string begin(TimePoint at);
  // Compressed so far that a reader gets all of it, whatever comes after.
  std::string add(std::string_view text);
  // The frame's end, behind that text. One that is given no other takes no more memory than its text does.
  std::string end(std::string_view text = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string run(std::string_view text, int how);
};

// Where frames lie in a file's bytes: one behind the other, from the first byte to the last.
struct Frame {
  TimePoint at{};                      // of one that is damaged with its mark: that of the one before it
  std::size_t begin = 0;               // of its mark
  std::size_t data = 0;                // of the compressed bytes; not before `end`: there are none
  std::size_t end = 0;                 // behind them; for a torn one: the end of the file
  bool torn = false;                   // the file ends within it, and no mark follows
  bool unmarked = false;               // its mark is damaged
  std::string damage{};                // why it cannot be read, where that is known without decompressing it
  TimePoint until = TimePoint::max();  // its rounds from then on were written again (sound.hpp)
  bool overtaken = false;              // all of it was, as a day before tells: it counts no more
};
// Of the mark that each frame begins with: what is shorter is not even that.
inline constexpr std::size_t kMarkBytes = 41;
// Looks at headers; where one is damaged it goes on at the next mark, since each frame can be read by itself.
// What is only between two frames stands for one that is damaged. Errors: none of it is a recording.
Result<std::vector<Frame>> frames_in(std::string_view bytes);
// Whether that may be a mark that was being written.
bool begins_mark(std::string_view bytes);
// Zeros: room that was never written to, as a power cut leaves it.
bool holds_nothing(std::string_view bytes);

// Its first line without the newline, where its beginning can be read; else empty.
std::string first_line_of(std::string_view bytes, const Frame& frame);
// When that was written.
std::optional<TimePoint> first_time_of(std::string_view first_line);

// The text of one frame, of which a torn one gives what is whole, up to its last newline. More than `most`
// bytes are an error, and so are bytes that are no zstd.
inline constexpr std::size_t kLargestFrame = 1u << 30;
Result<std::string> text_of(std::string_view bytes, const Frame& frame, std::size_t most = kLargestFrame);

// What can be read of a frame that is torn or damaged: all up to the first block that is not whole or not
// sound.
struct Salvaged {
  std::string text;      // up to its last newline
  std::size_t cut = 0;   // of a line behind that which is not whole
  std::size_t lost = 0;  // bytes behind it. Where the file just ends there, which a kill leaves, a block
                         // whose length is damaged looks alike
  std::string wrong{};   // with these; empty: the file just ends there
};
Salvaged salvage(std::string_view bytes, const Frame& frame, std::size_t most = kLargestFrame);
// What that lost: the last bytes of the frame.
std::string_view lost_of(std::string_view bytes, const Frame& frame, const Salvaged& read);

}  // namespace tessera::record
