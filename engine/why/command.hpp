// Commands for the admin to copy. Threads: pure.
#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/why/details.hpp"

namespace tessera::why {

// Empty where a shell would not take each of the parts without quotes: no command is better than one that
// does something else.
template <class... Parts>
std::string command(fmt::format_string<const Parts&...> form, const Parts&... parts) {
  if (!(is_plain(parts) && ...)) return {};
  return fmt::format(form, parts...);
}

}  // namespace tessera::why
