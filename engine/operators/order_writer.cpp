#include "engine/operators/order_writer.hpp"

#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::operators {

std::string writer_text(std::string_view manager, const std::optional<TimePoint>& at) {
  const std::string name = clean(manager, 100);
  return (name.empty() ? "a client without a name" : name) + (at ? ", " + utc_text(*at) : "");
}

}  // namespace tessera::operators
