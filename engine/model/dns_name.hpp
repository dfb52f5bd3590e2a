// Names as Kubernetes takes them. Threads: pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tessera {

// Of an object or a namespace: DNS labels, with dots between them.
inline bool is_dns_name(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

}  // namespace tessera
