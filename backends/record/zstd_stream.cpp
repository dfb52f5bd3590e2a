#include "backends/record/zstd_stream.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace tessera::record {
namespace {

constexpr std::uint32_t kSkippable = 0x184D2A57;  // one of sixteen that decoders pass over (RFC 8878, 3.1.2)
constexpr std::uint32_t kZstd = 0xFD2FB528;
constexpr std::string_view kMark = "tessera-recording ";  // then the milliseconds since the epoch, 15 digits
constexpr std::size_t kDigits = 15;
static_assert(kMarkBytes == 8 + kMark.size() + kDigits);
constexpr int kWindowLog = 23;  // 8 MiB: a key frame is found again in the hour that follows it

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
  if (u32_at(bytes, at) != kSkippable || u32_at(bytes, at + 4) != kMarkBytes - 8) return std::nullopt;
  if (bytes.substr(at + 8, kMark.size()) != kMark) return std::nullopt;
  std::int64_t time = 0;
  for (char c : bytes.substr(at + 8 + kMark.size(), kDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    time = time * 10 + (c - '0');
  }
  return TimePoint(Duration(time));
}

}  // namespace

struct Compressor::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  explicit State(int level) {
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, kWindowLog);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~State() { ZSTD_freeCCtx(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Compressor::Compressor(int level) : state_(std::make_unique<State>(level)) {}
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
std::string Compressor::end() { return run({}, ZSTD_e_end); }

Result<std::vector<Frame>> frames_in(std::string_view bytes) {
  std::vector<Frame> frames;
  std::size_t at = 0;
  while (at < bytes.size()) {
    Frame frame;
    frame.begin = at;
    frame.end = bytes.size();
    // A mark or the first bytes of a frame may be what was being written.
    if (bytes.size() - at < kMarkBytes) {
      frame.torn = true;
      frame.data = bytes.size();
      if (at == 0) return broken("it holds no frame");
      frames.push_back(frame);
      break;
    }
    const auto time = mark_at(bytes, at);
    if (!time) return broken("byte " + std::to_string(at) + " does not begin a frame of a recording");
    frame.at = *time;
    frame.data = at + kMarkBytes;
    const std::string_view rest = bytes.substr(frame.data);
    if (rest.size() >= 4 && u32_at(rest, 0) != kZstd)
      return broken("byte " + std::to_string(frame.data) + " is not compressed with zstd");
    const std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    frame.torn = ZSTD_isError(size);
    frame.end = frame.torn ? bytes.size() : frame.data + size;
    frames.push_back(frame);
    at = frame.end;
  }
  return frames;
}

Result<std::string> text_of(std::string_view bytes, const Frame& frame, std::size_t most) {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  if (!context) return broken("no memory to decompress it");
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kWindowLog + 2);
  const std::string_view data = bytes.substr(frame.data, frame.end - frame.data);
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  std::string text;
  std::optional<Error> wrong;
  while (in.pos < in.size) {
    const std::size_t before = text.size();
    if (before > most) {
      wrong = broken("one of its frames is larger than " + std::to_string(most >> 20) + " MiB");
      break;
    }
    text.resize(before + ZSTD_DStreamOutSize());
    ZSTD_outBuffer to{text.data() + before, text.size() - before, 0};
    const std::size_t left = ZSTD_decompressStream(context, &to, &in);
    text.resize(before + to.pos);
    if (ZSTD_isError(left)) {
      if (!frame.torn) wrong = broken(ZSTD_getErrorName(left));
      break;
    }
    if (left == 0 && !frame.torn) break;
    if (to.pos == 0 && in.pos == in.size) break;
  }
  ZSTD_freeDCtx(context);
  if (wrong) return *wrong;
  text.erase(text.rfind('\n') + 1);
  return text;
}

}  // namespace tessera::record
