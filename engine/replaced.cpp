#include "engine/replaced.hpp"

namespace tessera {

std::string replaced(std::string text, std::string_view place, std::string_view with) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + with.size()))
    text.replace(at, place.size(), with);
  return text;
}

}  // namespace tessera
