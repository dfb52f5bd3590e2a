#include "backends/record/zstd_stream.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr std::uint32_t kSkippable = 0x184D2A57;  // one of sixteen that decoders pass over (RFC 8878, 3.1.2)
constexpr std::uint32_t kZstd = 0xFD2FB528;
constexpr std::string_view kMark = "tessera-recording ";  // then the milliseconds since the epoch, 15 digits
constexpr std::size_t kDigits = 15;
constexpr std::size_t kUsualRatio = 12;  // of a frame's text to its bytes, at most; a day of 1,000 nodes: 10
static_assert(kMarkBytes == 8 + kMark.size() + kDigits);

void put_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}
std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

Error broken(std::string reason) { return {"cannot read the recording", std::move(reason), ""}; }

std::optional<TimePoint> mark_at(std::string_view bytes, std::size_t at) {
  if (bytes.size() - at < kMarkBytes) return std::nullopt;
  if (u32_at(bytes, at) != kSkippable || u32_at(bytes, at + 4) != kMarkBytes - 8) return std::nullopt;
  if (bytes.substr(at + 8, kMark.size()) != kMark) return std::nullopt;
  std::int64_t time = 0;
  for (char c : bytes.substr(at + 8 + kMark.size(), kDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    time = time * 10 + (c - '0');
  }
  return TimePoint(Duration(time));
}

std::string mark_begin() {
  std::string begin;
  put_u32(begin, kSkippable);
  put_u32(begin, kMarkBytes - 8);
  return begin.append(kMark);
}

// Of the next mark at or behind `from`; the end of the bytes: there is none.
std::size_t next_mark(std::string_view bytes, std::size_t from) {
  static const std::string begin = mark_begin();
  for (std::size_t at = bytes.find(begin, from); at != std::string_view::npos; at = bytes.find(begin, at + 1))
    if (mark_at(bytes, at)) return at;
  return bytes.size();
}

// RFC 8878, 3.1.1.1: of the frame's header; 0: it is cut off, or none.
std::size_t header_size(std::string_view data) {
  if (data.size() < 5 || u32_at(data, 0) != kZstd) return 0;
  const auto flags = static_cast<unsigned char>(data[4]);
  const bool single = (flags >> 5 & 1) != 0;
  constexpr std::size_t kDictionary[] = {0, 1, 2, 4}, kContent[] = {0, 2, 4, 8};
  const std::size_t content = flags >> 6 == 0 && single ? 1 : kContent[flags >> 6];
  const std::size_t size = 5 + (single ? 0 : 1) + kDictionary[flags & 3] + content;
  return size <= data.size() ? size : 0;
}

// RFC 8878, 3.1.1.2.
constexpr std::size_t kBlockHeader = 3, kLargestBlock = 128 << 10, kChecksum = 4;
struct Block {
  bool last = false;
  int type = 0;
  std::size_t size = 0;
};
Block block_at(std::string_view data, std::size_t at) {
  std::uint32_t header = 0;
  for (std::size_t i = 0; i < kBlockHeader; ++i)
    header |= static_cast<std::uint32_t>(static_cast<unsigned char>(data[at + i])) << (8 * i);
  return {(header & 1) != 0, static_cast<int>(header >> 1 & 3), header >> 3};
}
// No compressor writes such a block: the reserved type, one that is too large, or an empty one in the middle,
// which is what zeros would be read as.
bool is_odd(std::string_view data, std::size_t at) {
  const Block block = block_at(data, at);
  return block.type == 3 || block.size > kLargestBlock || (block.size == 0 && !block.last);
}
// Of the block that begins there; 0: it is not whole, or none.
std::size_t block_end(std::string_view data, std::size_t at) {
  if (data.size() - at < kBlockHeader || is_odd(data, at)) return 0;
  const Block block = block_at(data, at);
  const std::size_t size = block.type == 1 ? 1 : block.size;
  return data.size() - at - kBlockHeader < size ? 0 : at + kBlockHeader + size;
}

std::string too_large(std::size_t most) {
  return "one of its frames is larger than " + std::to_string(most >> 20) + " MiB";
}

class Decompressor {
 public:
  Decompressor() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, Compressor::kWindowLog + 2);
  }
  ~Decompressor() { ZSTD_freeDCtx(context_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Adds what those bytes give. What is wrong with them; null: nothing. Gives up beyond `most`.
  const char* feed(std::string_view data, std::string& text, std::size_t most = kLargestFrame) {
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    for (;;) {
      if (text.size() > most) return nullptr;
      // A piece that stays in the cache: a text that grows by itself would be written as zeros first.
      ZSTD_outBuffer to{piece_.data(), piece_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context_, &to, &in);
      text.append(piece_.data(), to.pos);
      if (ZSTD_isError(left)) return ZSTD_getErrorName(left);
      if (left == 0 || (in.pos == in.size && to.pos < to.size)) return nullptr;
    }
  }

 private:
  ZSTD_DCtx* context_;
  std::vector<char> piece_ = std::vector<char>(ZSTD_DStreamOutSize());
};

// Behind a mark. What ends before another mark, or the file, begins is told apart: the one is damage, the
// other what a recorder that was killed leaves.
Frame frame_at(std::string_view bytes, std::size_t at) {
  Frame frame;
  frame.at = *mark_at(bytes, at);
  frame.begin = at;
  frame.data = at + kMarkBytes;
  const std::size_t next = next_mark(bytes, frame.data);
  const std::string_view rest = bytes.substr(frame.data, next - frame.data);
  const std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
  frame.end = ZSTD_isError(size) ? next : frame.data + size;
  if (!rest.empty() && rest.size() >= 4 && u32_at(rest, 0) != kZstd)
    frame.damage = "byte " + std::to_string(frame.data) + " is not compressed with zstd", frame.end = next;
  else if (ZSTD_isError(size) && next < bytes.size())
    frame.damage = "its frame of " + utc_text(frame.at) + " is damaged";
  else
    frame.torn = ZSTD_isError(size);
  return frame;
}

// When its first line was written; TimePoint{}: it has none.
TimePoint first_time(std::string_view text) {
  constexpr std::string_view kBegin = "{\"at\":\"";
  if (!text.starts_with(kBegin)) return {};
  const auto at = parse_utc(text.substr(kBegin.size(), text.find('"', kBegin.size()) - kBegin.size()));
  return at ? *at : TimePoint{};
}

// Up to the next mark. Where no more than its own mark is damaged, the frame has its time in its lines.
Frame unmarked_at(std::string_view bytes, std::size_t at) {
  Frame frame;
  frame.begin = at;
  frame.end = next_mark(bytes, at + 1);
  frame.unmarked = true;
  const std::string_view whole = bytes.substr(at, frame.end - at);
  if (whole.size() > kMarkBytes + 4 && u32_at(whole, kMarkBytes) == kZstd) {
    frame.data = at + kMarkBytes;
    const std::size_t size =
        ZSTD_findFrameCompressedSize(whole.data() + kMarkBytes, whole.size() - kMarkBytes);
    frame.torn = ZSTD_isError(size) && frame.end == bytes.size();
    if (frame.torn || (!ZSTD_isError(size) && size == whole.size() - kMarkBytes))
      if (const auto text = text_of(bytes, frame)) frame.at = first_time(*text);
    if (frame.at != TimePoint{}) return frame;
  }
  frame.data = frame.end;
  frame.torn = frame.end == bytes.size() && begins_mark(whole);
  if (!frame.torn) frame.damage = "byte " + std::to_string(at) + " does not begin a frame of a recording";
  return frame;
}

}  // namespace

struct Compressor::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  State(int level, int window_log) {
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~State() { ZSTD_freeCCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Compressor::Compressor(int level, int window_log) : state_(std::make_unique<State>(level, window_log)) {}
Compressor::~Compressor() = default;

std::string Compressor::begin(TimePoint at) {
  ZSTD_CCtx_reset(state_->context, ZSTD_reset_session_only);
  // As the lines tell it, or a moment within that second would lie before its frame.
  const TimePoint second = std::chrono::floor<std::chrono::seconds>(at);
  std::string mark;
  put_u32(mark, kSkippable);
  put_u32(mark, kMarkBytes - 8);
  mark += kMark;
  std::string digits = std::to_string(std::max<std::int64_t>(0, second.time_since_epoch().count()));
  mark += std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
  return mark;
}

std::string Compressor::run(std::string_view text, int how) {
  std::string out;
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + ZSTD_CStreamOutSize());
    ZSTD_outBuffer to{out.data() + before, out.size() - before, 0};
    const std::size_t left =
        ZSTD_compressStream2(state_->context, &to, &in, static_cast<ZSTD_EndDirective>(how));
    out.resize(before + to.pos);
    // Only memory can fail here: the input is any text.
    if (ZSTD_isError(left)) throw std::bad_alloc();
    if (left == 0 && in.pos == in.size) return out;
  }
}
std::string Compressor::add(std::string_view text) { return run(text, ZSTD_e_flush); }
std::string Compressor::end(std::string_view text) { return run(text, ZSTD_e_end); }

bool begins_mark(std::string_view bytes) {
  const std::string begin = mark_begin();
  return bytes.size() < kMarkBytes &&
         (bytes.size() < begin.size() ? begin.starts_with(bytes) : bytes.starts_with(begin));
}

Result<std::vector<Frame>> frames_in(std::string_view bytes) {
  if (!bytes.empty() && bytes.size() < kMarkBytes) return broken("it holds no frame");
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at = frames.back().end)
    frames.push_back(mark_at(bytes, at) ? frame_at(bytes, at) : unmarked_at(bytes, at));
  const auto timed = [](const Frame& frame) { return !frame.unmarked || frame.at != TimePoint{}; };
  const auto first = std::find_if(frames.begin(), frames.end(), timed);
  if (!frames.empty() && first == frames.end()) return broken("byte 0 does not begin a frame of a recording");
  // What has no time of its own lies between the others.
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (!timed(frames[i])) frames[i].at = i > 0 ? frames[i - 1].at : first->at;
  return frames;
}

bool holds_nothing(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

std::string first_line_of(std::string_view bytes, const Frame& frame) {
  if (frame.data >= frame.end) return {};
  const std::string_view data = bytes.substr(frame.data, frame.end - frame.data);
  const std::size_t header = header_size(data);
  const std::size_t end = header == 0 ? 0 : block_end(data, header);
  std::string text;
  if (end == 0 || Decompressor().feed(data.substr(0, end), text)) return {};
  return text.substr(0, text.find('\n'));
}

std::optional<TimePoint> first_time_of(std::string_view first_line) {
  const TimePoint at = first_time(first_line);
  return at == TimePoint{} ? std::nullopt : std::optional(at);
}

Salvaged salvage(std::string_view bytes, const Frame& frame, std::size_t most) {
  Salvaged found;
  Decompressor context;
  const std::string_view data = bytes.substr(frame.data, frame.end - frame.data);
  std::size_t at = 0;
  bool last = false;
  while (!last) {
    const std::size_t end = at == 0 ? header_size(data) : block_end(data, at);
    if (end == 0) break;
    last = at > 0 && block_at(data, at).last;
    // Fed by whole blocks: what is in them is given out before the next one is looked at.
    if (const char* wrong = context.feed(data.substr(at, end - at), found.text)) {
      found.wrong = wrong;
      break;
    }
    at = end;
    if (found.text.size() > most) {
      found.wrong = too_large(most);
      break;
    }
  }
  const std::size_t left = data.size() - at;
  if (found.wrong.empty() && !last && at > 0 && left >= kBlockHeader && is_odd(data, at))
    found.wrong = "a block of it is not as zstd writes it";
  // The checksum behind the last block holds nothing of the recording.
  found.lost = last && found.wrong.empty() && left <= kChecksum ? 0 : left;
  const std::size_t whole = found.text.rfind('\n') + 1;
  if (whole < found.text.size() && found.wrong.empty() && left == 0) found.wrong = "its last line is cut off";
  found.cut = found.text.size() - whole;
  found.text.erase(whole);
  return found;
}

std::string_view lost_of(std::string_view bytes, const Frame& frame, const Salvaged& read) {
  return bytes.substr(frame.end - read.lost, read.lost);
}

Result<std::string> text_of(std::string_view bytes, const Frame& frame, std::size_t most) {
  if (!frame.damage.empty()) return broken(frame.damage);
  if (frame.torn) {
    Salvaged found = salvage(bytes, frame, most);
    if (found.text.size() > most) return broken(too_large(most));
    return std::move(found.text);
  }
  Decompressor context;
  std::string text;
  // Room that is not written to takes no memory, and a text that outgrows its room is copied.
  text.reserve(std::min(most, (frame.end - frame.data) * kUsualRatio));
  const char* wrong = context.feed(bytes.substr(frame.data, frame.end - frame.data), text, most);
  if (text.size() > most) return broken(too_large(most));
  if (wrong) return broken(wrong);
  text.erase(text.rfind('\n') + 1);
  return text;
}

}  // namespace tessera::record
