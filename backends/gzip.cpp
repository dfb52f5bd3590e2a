#include "backends/gzip.hpp"

#include <zlib.h>

#include <algorithm>

namespace tessera {

std::optional<std::string> gunzip(std::string_view bytes, std::size_t most) {
  constexpr int kGzipAlone = 15 + 16;  // the largest window, and no zlib header instead
  if (bytes.size() > most) return std::nullopt;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipAlone) != Z_OK) return std::nullopt;
  // zlib reads and does not write there.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int code = Z_OK;
  while (code == Z_OK && text.size() <= most) {
    const std::size_t before = text.size();
    text.resize(std::min(most + 1, std::max<std::size_t>(4096, before * 2)));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(text.size() - before);
    code = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
    if (text.size() == before && code == Z_OK) break;
  }
  const bool whole = code == Z_STREAM_END && stream.avail_in == 0 && text.size() <= most;
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return text;
}

}  // namespace tessera
