#include "tui/terminal/style.hpp"

#include <array>

namespace tessera::tui {
namespace {

struct Row {
  std::string_view word;
  char letter;
};
constexpr std::array<Row, static_cast<std::size_t>(Role::count_)> kRoles{{
    {"text", '.'},    {"dim", 'd'},       {"title", 't'},      {"heading", 'h'},  {"rule", '-'},
    {"accent", 'a'},  {"key", 'k'},       {"held", 'H'},       {"free", 'f'},     {"stranded", 'x'},
    {"created", '+'}, {"destroyed", '~'}, {"kept", '='},       {"changing", 'c'}, {"unknown", '?'},
    {"good", 'g'},    {"warning", 'w'},   {"danger", '!'},     {"stale", 's'},    {"changed", '*'},
    {"input", 'i'},   {"read_only", 'r'}, {"read_write", 'W'},
}};

}  // namespace

std::string_view word(Role role) { return kRoles[static_cast<std::size_t>(role)].word; }

std::optional<Role> role_of(std::string_view text) {
  for (std::size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].word == text) return static_cast<Role>(i);
  return std::nullopt;
}

char letter(Role role) { return kRoles[static_cast<std::size_t>(role)].letter; }

}  // namespace tessera::tui
