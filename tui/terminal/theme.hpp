// Roles turned into colours: what a theme file says, for 256, 16 and 8 colours and for none.
//
// A file is YAML with every role, each with its colour at the three depths and its attributes; errors name
// file and line. The background is the terminal's own unless the theme has a `page`.
// Threads: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "tui/terminal/style.hpp"

namespace tessera::tui {

enum class Depth : std::uint8_t { none, eight, sixteen, indexed };

// A cell's look in palette indices; kDefault is the terminal's own colour.
struct Look {
  static constexpr short kDefault = -1;
  short foreground = kDefault;
  short background = kDefault;
  bool bold = false;
  bool dim = false;
  bool underline = false;
  bool reverse = false;
  friend bool operator==(const Look&, const Look&) = default;
};

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};
Rgb palette_rgb(int index);     // xterm's 256 colours
double contrast(Rgb a, Rgb b);  // WCAG 2 ratio, 1..21

class Theme {
 public:
  // Errors read "file:line: why".
  static Result<Theme> parse(std::string_view yaml, std::string_view file);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  // The background that the colours were chosen for.
  Rgb assumed_background() const { return background_; }
  Look look(Style style, Depth depth) const;
  Look page(Depth depth) const;

 private:
  friend class ThemeReader;
  // One colour at each depth.
  struct Paint {
    short indexed = Look::kDefault;
    short sixteen = Look::kDefault;
    short eight = Look::kDefault;
    short at(Depth depth) const;
  };
  struct Entry {
    Paint foreground;
    std::optional<Paint> background;
    Look attributes;  // at every depth with colour
    Look mono;        // without colour
  };
  Look plain(const Entry& entry, Depth depth) const;

  std::string name_;
  std::string title_;
  Rgb background_;
  std::array<Entry, static_cast<std::size_t>(Role::count_)> roles_;
  Entry page_;
  std::optional<Entry> selected_;  // how the selected row looks at 256 colours; else reverse
};

// Names of the shipped themes and of the NAME.yaml files in the directories, sorted, each once.
std::vector<std::string> theme_names(std::span<const std::filesystem::path> directories);
// A theme by name: the first directory that has NAME.yaml wins over the shipped ones.
Result<Theme> load_theme(std::string_view name, std::span<const std::filesystem::path> directories);

}  // namespace tessera::tui
