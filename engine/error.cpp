#include "engine/error.hpp"

namespace tessera {

std::string to_line(const Error& error) {
  std::string line = error.what;
  if (!error.reason.empty()) line += ": " + error.reason;
  if (!error.hint.empty()) line += " (" + error.hint + ")";
  return line;
}

}  // namespace tessera
