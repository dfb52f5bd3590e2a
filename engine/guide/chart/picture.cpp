#include "engine/guide/chart/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/text.hpp"

namespace tessera::guide {
namespace {

constexpr std::size_t kMostRows = 60;
constexpr int kMostColumns = 300;

enum class Way : std::uint8_t { down, left, right };

// Where a line goes on that enters a cell; nullopt: it does not. Where lines meet they go on downwards.
std::optional<Way> onward(char32_t glyph, Way way) {
  const bool down = way == Way::down, left = way == Way::left;
  switch (glyph) {
    case U'│': return down ? std::optional(Way::down) : std::nullopt;
    case U'─': return down ? std::nullopt : std::optional(way);
    case U'┼': return way;
    case U'╯': return down ? std::optional(Way::left) : std::nullopt;
    case U'╰': return down ? std::optional(Way::right) : std::nullopt;
    case U'╭': return left ? std::optional(Way::down) : std::nullopt;
    case U'╮': return way == Way::right ? std::optional(Way::down) : std::nullopt;
    case U'├': return way == Way::right ? std::nullopt : std::optional(Way::down);
    case U'┤': return left ? std::nullopt : std::optional(Way::down);
    case U'┬': return down ? std::nullopt : std::optional(Way::down);
    default: return std::nullopt;
  }
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

int width_of(char32_t c) { return c >= 0x300 && c <= 0x36F ? 0 : is_wide(c) ? 2 : 1; }

class Drawing {
 public:
  explicit Drawing(std::string_view text) {
    while (!text.empty() && rows_.size() <= kMostRows) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      rows_.push_back(glyphs(text.substr(0, end)));
      text.remove_prefix(std::min(text.size(), end + 1));
    }
  }

  Result<Picture> read() {
    if (rows_.empty() || rows_.size() > kMostRows)
      return Error{"", fmt::format("it has no row, or more than {}", kMostRows), ""};
    for (int y = 0; y < height() && !error_; ++y) read_row(y);
    for (int y = 0; y < height() && !error_; ++y)
      if (picture_.rows[static_cast<std::size_t>(y)] == Picture::Row::ports) read_ports(y);
    if (error_) return *error_;
    check_cells();
    if (error_) return *error_;
    return std::move(picture_);
  }

 private:
  static std::u32string glyphs(std::string_view line) {
    std::u32string all;
    for (std::size_t at = 0; at < line.size();) {
      const Decoded one = decode_utf8(line, at);
      all += one.code;
      at += std::max<std::size_t>(one.length, 1);
    }
    return all;
  }
  int height() const { return static_cast<int>(rows_.size()); }
  char32_t at(int x, int y) const {
    if (y < 0 || y >= height() || x < 0) return U' ';
    const std::u32string& row = rows_[static_cast<std::size_t>(y)];
    return static_cast<std::size_t>(x) < row.size() ? row[static_cast<std::size_t>(x)] : U' ';
  }
  void fail(int x, int y, std::string_view why) {
    if (!error_) error_ = Error{"", fmt::format("row {}, column {}: {}", y + 1, x + 1, why), ""};
  }

  void read_row(int y) {
    const std::u32string& row = rows_[static_cast<std::size_t>(y)];
    const auto columns = static_cast<int>(row.size());
    if (columns > kMostColumns) return fail(kMostColumns, y, "too wide");
    picture_.width = std::max(picture_.width, columns);
    const bool boxes = row.find(U'[') != std::u32string::npos;
    const bool ports = row.find_first_of(U"yn") != std::u32string::npos;
    picture_.rows.push_back(boxes ? Picture::Row::boxes : ports ? Picture::Row::ports : Picture::Row::lines);
    for (int x = 0; boxes && x < columns && !error_; ++x)
      if (at(x, y) == U'[') x = read_box(x, y);
  }

  // The column of its end.
  int read_box(int x, int y) {
    Picture::Box box{"", x, y, 0};
    int end = x + 1;
    for (; at(end, y) != U']'; ++end) {
      const char32_t one = at(end, y);
      if (one >= 0x80 || one == U'[' ||
          static_cast<std::size_t>(end) >= rows_[static_cast<std::size_t>(y)].size()) {
        fail(x, y, "a box without its end");
        return end;
      }
      box.id += static_cast<char>(one);
    }
    box.id.erase(box.id.find_last_not_of(' ') + 1);
    box.width = end - x + 1;
    picture_.boxes.push_back(std::move(box));
    return end;
  }

  const Picture::Box* box_at(int x, int y) const {
    for (const Picture::Box& box : picture_.boxes)
      if (box.row == y && x >= box.x && x < box.x + box.width) return &box;
    return nullptr;
  }

  void read_ports(int y) {
    const auto columns = static_cast<int>(rows_[static_cast<std::size_t>(y)].size());
    for (int x = 0; x < columns && !error_; ++x) {
      const char32_t port = at(x, y);
      if (port != U'y' && port != U'n') continue;
      const Picture::Box* from = box_at(x, y - 1);
      if (from == nullptr) return fail(x, y, "there is no box above this port");
      follow(*from, port == U'y', x, y);
    }
  }

  // It ends: a line never goes up, and never turns on one row.
  void follow(const Picture::Box& from, bool yes, int x, int y) {
    Picture::Line line{from.id, "", yes, {{x, y}}};
    Way way = Way::down;
    used_[{x, y}] = true;
    while (true) {
      const ChartPoint here{x, y};
      (way == Way::down ? y : x) += way == Way::left ? -1 : 1;
      if (const Picture::Box* to = box_at(x, y); to != nullptr && way == Way::down) {
        line.points.push_back(here);
        line.to = to->id;
        picture_.lines.push_back(std::move(line));
        return;
      }
      const std::optional<Way> next = onward(at(x, y), way);
      if (!next) return fail(x, y, fmt::format("the line from {} does not go on here", from.id));
      if (*next != way) line.points.push_back({x, y});
      used_[{x, y}] = true;
      way = *next;
    }
  }

  // What belongs to no line would be a line that leads nowhere.
  void check_cells() {
    for (int y = 0; y < height(); ++y)
      for (int x = 0; x < static_cast<int>(rows_[static_cast<std::size_t>(y)].size()); ++x)
        if (at(x, y) != U' ' && box_at(x, y) == nullptr && !used_[{x, y}])
          return fail(x, y, "this belongs to no line and to no box");
  }

  std::vector<std::u32string> rows_;
  Picture picture_;
  std::map<std::pair<int, int>, bool> used_;
  std::optional<Error> error_;
};

}  // namespace

int text_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_utf8(text, at);
    width += width_of(one.code);
    at += one.length;
  }
  return width;
}

Result<Picture> parse_picture(std::string_view text) { return Drawing(text).read(); }

}  // namespace tessera::guide
