// The 256 colours as xterm has them, and how far apart two of them read.
#include <cmath>

#include "tui/terminal/theme.hpp"

namespace tessera::tui {
namespace {

constexpr std::array<Rgb, 16> kNamed{{
    {0, 0, 0},
    {205, 0, 0},
    {0, 205, 0},
    {205, 205, 0},
    {0, 0, 238},
    {205, 0, 205},
    {0, 205, 205},
    {229, 229, 229},
    {127, 127, 127},
    {255, 0, 0},
    {0, 255, 0},
    {255, 255, 0},
    {92, 92, 255},
    {255, 0, 255},
    {0, 255, 255},
    {255, 255, 255},
}};

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(Rgb colour) {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace

Rgb palette_rgb(int index) {
  if (index < 0 || index > 255) return {};
  if (index < 16) return kNamed[static_cast<std::size_t>(index)];
  if (index >= 232) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (index - 232));
    return {grey, grey, grey};
  }
  const auto level = [](int step) { return static_cast<std::uint8_t>(step == 0 ? 0 : 55 + 40 * step); };
  const int cube = index - 16;
  return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

double contrast(Rgb a, Rgb b) {
  const double one = luminance(a) + 0.05;
  const double two = luminance(b) + 0.05;
  return one > two ? one / two : two / one;
}

}  // namespace tessera::tui
