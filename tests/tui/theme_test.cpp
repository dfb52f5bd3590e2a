#include "tui/terminal/theme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/embedded.hpp"

namespace tessera::tui {
namespace theme_test {

constexpr Depth kDepths[] = {Depth::none, Depth::eight, Depth::sixteen, Depth::indexed};

std::vector<Role> all_roles() {
  std::vector<Role> out;
  for (int i = 0; i < static_cast<int>(Role::count_); ++i) out.push_back(static_cast<Role>(i));
  return out;
}

Theme shipped(std::string_view name) {
  auto theme = load_theme(name, {});
  EXPECT_TRUE(theme) << to_line(theme.error());
  return *theme;
}

std::string problem(std::string_view yaml) {
  const auto theme = Theme::parse(yaml, "t.yaml");
  return theme ? "" : theme.error().reason;
}

// What a person without green-sensitive cones sees (Machado, Oliveira and Fernandes 2009, severity 1).
Rgb deuteranope(Rgb c) {
  const auto mix = [&](double r, double g, double b) {
    return static_cast<std::uint8_t>(std::clamp(std::lround(r * c.red + g * c.green + b * c.blue), 0L, 255L));
  };
  return {mix(0.367322, 0.860646, -0.227968), mix(0.280085, 0.672501, 0.047413),
          mix(-0.011820, 0.042940, 0.968881)};
}

double distance(Rgb a, Rgb b) { return std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue); }

class ShippedTheme : public testing::TestWithParam<std::string> {};

TEST_P(ShippedTheme, IsReadAndNamedLikeItsFile) {
  const Theme theme = shipped(GetParam());
  EXPECT_EQ(theme.name(), GetParam());
  EXPECT_FALSE(theme.title().empty());
}

// WCAG asks for 4.5 to 1 for text; lines need not be read.
TEST_P(ShippedTheme, TextCanBeReadOnItsBackground) {
  const Theme theme = shipped(GetParam());
  for (const Role role : all_roles()) {
    const Look look = theme.look(role, Depth::indexed);
    if (look.foreground == Look::kDefault || role == Role::rule) continue;
    const Rgb ground =
        look.background == Look::kDefault ? theme.assumed_background() : palette_rgb(look.background);
    EXPECT_GE(contrast(palette_rgb(look.foreground), ground), 4.5) << word(role);
  }
}

TEST_P(ShippedTheme, TheSelectedRowCanBeRead) {
  const Theme theme = shipped(GetParam());
  for (const Role role : all_roles()) {
    const Look look = theme.look(Style(role).with_reverse(), Depth::indexed);
    if (look.reverse || role == Role::rule) continue;
    ASSERT_NE(look.foreground, Look::kDefault) << word(role);
    EXPECT_GE(contrast(palette_rgb(look.foreground), palette_rgb(look.background)), 4.5) << word(role);
  }
}

TEST_P(ShippedTheme, TheSelectedRowDiffersAtEveryDepth) {
  const Theme theme = shipped(GetParam());
  for (const Depth depth : kDepths)
    for (const Role role : all_roles())
      EXPECT_NE(theme.look(role, depth), theme.look(Style(role).with_reverse(), depth))
          << word(role) << " at depth " << static_cast<int>(depth);
}

// A "!!" was a bar as long as its words, as the selected row is one.
TEST_P(ShippedTheme, WithoutColourABarIsTheSelectedRowAndNothingThatIsWrong) {
  const Theme theme = shipped(GetParam());
  for (const Role role : {Role::danger, Role::warning}) {
    const Look plain = theme.look(role, Depth::none),
               selected = theme.look(Style(role).with_reverse(), Depth::none);
    EXPECT_FALSE(plain.reverse) << word(role);
    EXPECT_TRUE(selected.reverse) << word(role);
    EXPECT_NE(plain, theme.look(Role::text, Depth::none)) << word(role);
    EXPECT_NE(selected, theme.look(Style(Role::text).with_reverse(), Depth::none)) << word(role);
  }
}

TEST_P(ShippedTheme, NeverAsksForAColourThatTheTerminalLacks) {
  const Theme theme = shipped(GetParam());
  for (const Role role : all_roles()) {
    EXPECT_LT(theme.look(role, Depth::sixteen).foreground, 16);
    EXPECT_LT(theme.look(role, Depth::eight).foreground, 8);
    EXPECT_EQ(theme.look(role, Depth::none).foreground, Look::kDefault);
    EXPECT_EQ(theme.look(role, Depth::none).background, Look::kDefault);
  }
}

TEST_P(ShippedTheme, ForegroundAndBackgroundNeverFallTogether) {
  const Theme theme = shipped(GetParam());
  for (const Depth depth : {Depth::eight, Depth::sixteen, Depth::indexed})
    for (const Role role : all_roles())
      for (const Style style : {Style(role), Style(role).with_reverse()}) {
        const Look look = theme.look(style, depth);
        if (look.foreground != Look::kDefault) {
          EXPECT_NE(look.foreground, look.background) << word(role);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Themes, ShippedTheme,
                         testing::Values("dark", "light", "high-contrast", "colour-blind", "mono"),
                         [](const auto& name) {
                           std::string out = name.param;
                           std::replace(out.begin(), out.end(), '-', '_');
                           return out;
                         });

TEST(Theme, HighContrastIsSevenToOne) {
  const Theme theme = shipped("high-contrast");
  for (const Role role : all_roles())
    EXPECT_GE(contrast(palette_rgb(theme.look(role, Depth::indexed).foreground), theme.assumed_background()),
              7)
        << word(role);
}

TEST(Theme, ColourBlindSafePairsStayApartWithoutGreen) {
  const Theme theme = shipped("colour-blind");
  const auto seen = [&](Role role) {
    return deuteranope(palette_rgb(theme.look(role, Depth::indexed).foreground));
  };
  const std::pair<Role, Role> pairs[] = {{Role::held, Role::free},     {Role::free, Role::stranded},
                                         {Role::held, Role::stranded}, {Role::created, Role::destroyed},
                                         {Role::good, Role::danger},   {Role::good, Role::warning}};
  for (const auto& [a, b] : pairs) EXPECT_GE(distance(seen(a), seen(b)), 60) << word(a) << " and " << word(b);
}

TEST(Theme, MonoHasNoColourAnywhere) {
  const Theme theme = shipped("mono");
  for (const Depth depth : kDepths)
    for (const Role role : all_roles()) {
      EXPECT_EQ(theme.look(role, depth).foreground, Look::kDefault);
      EXPECT_EQ(theme.look(role, depth).background, Look::kDefault);
    }
}

TEST(Theme, ContrastIsTheOneOfWcag) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21.0, 0.01);
  EXPECT_NEAR(contrast({118, 118, 118}, {255, 255, 255}), 4.54, 0.01);
  EXPECT_EQ(palette_rgb(196), (Rgb{255, 0, 0}));
  EXPECT_EQ(palette_rgb(244), (Rgb{128, 128, 128}));
}

TEST(Theme, MistakesAreToldWithTheirPlace) {
  const std::string head = "name: t\nbackground: \"#000000\"\n";
  EXPECT_EQ(problem("- a\n"), "t.yaml:1: a theme is a map");
  EXPECT_EQ(problem(head), "t.yaml:1: roles is missing");
  EXPECT_EQ(problem(head + "roles: {text: {colour: default}}\n"), "t.yaml:3: the role 'dim' is missing");
  EXPECT_EQ(problem(head + "roles:\n  txt: {colour: 1}\n"), "t.yaml:4: there is no role 'txt'");
  EXPECT_EQ(problem(head + "roles:\n  text: {color: 1}\n"), "t.yaml:4: there is no setting 'color' here");
  EXPECT_EQ(problem(head + "roles:\n  text: {like: dim}\n"), "t.yaml:4: 'dim' must stand above");
  EXPECT_EQ(problem(head + "roles:\n  text: {colour: 256}\n"),
            "t.yaml:4: a colour is default, a number below 256, or a name like blue or bright-blue");
  EXPECT_EQ(problem(head + "roles:\n  text: {colour: [75, 75, 4]}\n"),
            "t.yaml:4: a colour is default, a number below 16, or a name like blue or bright-blue");
  EXPECT_EQ(problem(head + "roles:\n  text: {colour: [75, 4]}\n"),
            "t.yaml:4: colours are a list of three: for 256, 16 and 8 colours");
  EXPECT_EQ(problem(head + "roles:\n  text: {mono: [blink]}\n"),
            "t.yaml:4: an attribute is bold, dim, underline or reverse");
  EXPECT_EQ(problem("name: t\nbackground: black\n"), "t.yaml:2: background is a colour like \"#1e1e1e\"");
  EXPECT_EQ(problem(head + "blink: yes\n"), "t.yaml:3: there is no setting 'blink'");
}

TEST(ThemeFiles, AUsersFileComesBeforeTheShippedOne) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "tessera-themes";
  std::filesystem::create_directories(folder);
  std::string text;
  for (const embedded::File& file : embedded::themes())
    if (file.name == "mono.yaml") text = file.text;
  text.replace(text.find("title: Mono"), 11, "title: Mine");
  std::ofstream(folder / "dark.yaml") << text;
  std::ofstream(folder / "own.yaml") << text;
  const std::filesystem::path folders[] = {"/nonexistent", folder};
  EXPECT_EQ(load_theme("dark", folders)->title(), "Mine");
  EXPECT_EQ(load_theme("own", folders)->title(), "Mine");
  EXPECT_EQ(load_theme("light", folders)->title(), "Light");
  EXPECT_EQ(theme_names(folders),
            (std::vector<std::string>{"colour-blind", "dark", "high-contrast", "light", "mono", "own"}));
  std::filesystem::remove_all(folder);
}

TEST(ThemeFiles, AnUnknownNameSaysWhichThereAre) {
  for (const std::string_view name : {"solarised", "../../etc/passwd", "keys-default", ""}) {
    const auto theme = load_theme(name, {});
    ASSERT_FALSE(theme) << name;
    EXPECT_EQ(theme.error().hint, "themes are colour-blind, dark, high-contrast, light, mono");
  }
}

}  // namespace theme_test
}  // namespace tessera::tui
