#include "tui/terminal/theme.hpp"

#include <charconv>
#include <set>

#include "engine/number.hpp"
#include "engine/yaml.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kReadingTheme = "cannot read the theme";
constexpr std::array<std::string_view, 8> kColours{"black", "red",     "green", "yellow",
                                                   "blue",  "magenta", "cyan",  "white"};

constexpr short kBlack = 16;
constexpr short kWhite = 231;

std::size_t index(Role role) { return static_cast<std::size_t>(role); }

// "default", "blue", "bright-blue", or a number below 256.
std::optional<short> colour_of(std::string_view text) {
  if (text == "default") return Look::kDefault;
  const bool bright = text.starts_with("bright-");
  if (bright) text.remove_prefix(7);
  for (std::size_t i = 0; i < kColours.size(); ++i)
    if (kColours[i] == text) return static_cast<short>(i + (bright ? 8 : 0));
  return bright ? std::nullopt : whole_number<short>(text, 255);
}

std::optional<Rgb> rgb_of(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data() + 1, text.data() + 7, value, 16);
  if (problem != std::errc{} || end != text.data() + 7) return std::nullopt;
  return Rgb{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
             static_cast<std::uint8_t>(value)};
}

// The limit of colours at each depth: what a file may name there.
constexpr short kLimits[] = {256, 16, 8};

}  // namespace

// Reads one file; the first mistake stays in error_ and ends the reading.
class ThemeReader {
 public:
  explicit ThemeReader(std::string_view file) : file_(file) {}

  Result<Theme> read(const Yaml& document) {
    if (document.kind != Yaml::Kind::map) return fail(document, "a theme is a map"), *error_;
    for (const auto& [key, value] : document.fields) {
      if (key == "name")
        theme_.name_ = value.scalar;
      else if (key == "title")
        theme_.title_ = value.scalar;
      else if (key == "background")
        background(value);
      else if (key == "page")
        theme_.page_ = entry(value);
      else if (key == "selected")
        theme_.selected_ = entry(value);
      else if (key == "roles")
        roles(value);
      else
        fail(value, "there is no setting '" + key + "'");
      if (error_) return *error_;
    }
    if (theme_.name_.empty()) fail(document, "the theme has no name");
    if (!document.find("background")) fail(document, "background is missing: the colour it is made for");
    if (!document.find("roles")) fail(document, "roles is missing");
    if (error_) return *error_;
    return theme_;
  }

 private:
  void fail(const Yaml& at, std::string_view why) {
    if (!error_) error_ = yaml_error(kReadingTheme, file_, at, why);
  }

  void background(const Yaml& at) {
    const auto colour = rgb_of(at.scalar);
    if (!colour) return fail(at, "background is a colour like \"#1e1e1e\"");
    theme_.background_ = *colour;
  }

  void roles(const Yaml& at) {
    if (at.kind != Yaml::Kind::map) return fail(at, "roles is a map");
    std::set<std::size_t> given;
    for (const auto& [key, value] : at.fields) {
      const auto role = role_of(key);
      if (!role) return fail(value, "there is no role '" + key + "'");
      if (const Yaml* like = value.find("like"))
        inherit(*role, *like, value, given);
      else
        theme_.roles_[index(*role)] = entry(value);
      if (error_) return;
      given.insert(index(*role));
    }
    for (std::size_t i = 0; i < theme_.roles_.size(); ++i)
      if (!given.contains(i))
        return fail(at, "the role '" + std::string(word(static_cast<Role>(i))) + "' is missing");
  }

  // Only from roles further up, so that a circle cannot be written.
  void inherit(Role role, const Yaml& like, const Yaml& at, const std::set<std::size_t>& given) {
    const auto from = role_of(like.scalar);
    if (!from) return fail(like, "there is no role '" + like.scalar + "'");
    if (!given.contains(index(*from))) return fail(like, "'" + like.scalar + "' must stand above");
    if (at.fields.size() > 1) return fail(at, "'like' stands alone");
    theme_.roles_[index(role)] = theme_.roles_[index(*from)];
  }

  Theme::Entry entry(const Yaml& at) {
    Theme::Entry out;
    if (at.kind != Yaml::Kind::map) {
      fail(at, "this is a map: colour, on, bold, mono");
      return out;
    }
    for (const auto& [key, value] : at.fields) {
      if (key == "colour")
        out.foreground = paint(value);
      else if (key == "on")
        out.background = paint(value);
      else if (key == "attributes")
        attributes(value, out.attributes);
      else if (key == "mono")
        attributes(value, out.mono);
      else
        fail(value, "there is no setting '" + key + "' here");
    }
    return out;
  }

  // One word for all depths, or [256 colours, 16 colours, 8 colours].
  Theme::Paint paint(const Yaml& at) {
    Theme::Paint out;
    short* const places[] = {&out.indexed, &out.sixteen, &out.eight};
    if (at.kind == Yaml::Kind::list && at.items.size() != 3) {
      fail(at, "colours are a list of three: for 256, 16 and 8 colours");
      return out;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Yaml& item = at.kind == Yaml::Kind::list ? at.items[i] : at;
      const auto colour = item.kind == Yaml::Kind::scalar ? colour_of(item.scalar) : std::nullopt;
      if (!colour || *colour >= kLimits[i]) {
        fail(item, "a colour is default, a number below " + std::to_string(kLimits[i]) +
                       ", or a name like blue" + (i == 2 ? "" : " or bright-blue"));
        return out;
      }
      *places[i] = *colour;
    }
    return out;
  }

  void attributes(const Yaml& at, Look& look) {
    if (at.kind != Yaml::Kind::list) return fail(at, "attributes are a list: [bold, underline]");
    for (const Yaml& item : at.items) {
      if (item.scalar == "bold")
        look.bold = true;
      else if (item.scalar == "dim")
        look.dim = true;
      else if (item.scalar == "underline")
        look.underline = true;
      else if (item.scalar == "reverse")
        look.reverse = true;
      else
        return fail(item, "an attribute is bold, dim, underline or reverse");
    }
  }

  std::string file_;
  Theme theme_;
  std::optional<Error> error_;
};

Result<Theme> Theme::parse(std::string_view yaml, std::string_view file) {
  auto document = parse_yaml(yaml, file);
  if (!document) return document.error();
  return ThemeReader(file).read(*document);
}

short Theme::Paint::at(Depth depth) const {
  switch (depth) {
    case Depth::indexed: return indexed;
    case Depth::sixteen: return sixteen;
    case Depth::eight: return eight;
    case Depth::none: break;
  }
  return Look::kDefault;
}

Look Theme::plain(const Entry& entry, Depth depth) const {
  if (depth == Depth::none) return entry.mono;
  Look out = entry.attributes;
  out.foreground = entry.foreground.at(depth);
  if (out.foreground == Look::kDefault) out.foreground = page_.foreground.at(depth);
  if (const auto& ground = entry.background ? entry.background : page_.background)
    out.background = ground->at(depth);
  return out;
}

Look Theme::page(Depth depth) const { return plain(page_, depth); }

Look Theme::look(Style style, Depth depth) const {
  Look out = plain(roles_[index(style.role)], depth);
  out.bold = out.bold || style.bold;
  out.underline = out.underline || style.underline;
  if (!style.reverse) return out;
  if (depth == Depth::indexed && selected_) {
    // A calm bar: the roles keep their colours on another ground.
    out.background = selected_->background ? selected_->background->indexed : out.background;
    if (selected_->foreground.indexed != Look::kDefault) out.foreground = selected_->foreground.indexed;
    // The terminal's own foreground was chosen for its own background, not for this one.
    if (out.foreground == Look::kDefault && out.background != Look::kDefault) {
      const Rgb ground = palette_rgb(out.background);
      out.foreground =
          contrast(palette_rgb(kWhite), ground) > contrast(palette_rgb(kBlack), ground) ? kWhite : kBlack;
    }
    out.bold = out.bold || selected_->attributes.bold;
    out.dim = false;
    out.reverse = out.reverse || selected_->attributes.reverse;
    return out;
  }
  // Few colours: one bar of one colour, since the roles' own would make stripes of it.
  const bool already = out.reverse;
  if (depth != Depth::none) {
    const Look text = plain(roles_[index(Role::text)], depth);
    out.foreground = text.foreground;
    out.background = text.background;
  }
  out.dim = false;
  out.reverse = true;
  out.bold = out.bold || already;  // what was reversed by itself must still stand out
  return out;
}

}  // namespace tessera::tui
