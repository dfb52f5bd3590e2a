#include "engine/model/sources.hpp"

#include "engine/model/telemetry.hpp"

namespace tessera {

std::string_view word(Source source) {
  switch (source) {
#define TESSERA_SOURCE(name, word, rank) \
  case Source::name: return word;
    TESSERA_SOURCES(TESSERA_SOURCE)
#undef TESSERA_SOURCE
  }
  return "none";
}

int rank_of(Source source) {
  switch (source) {
#define TESSERA_SOURCE(name, word, rank) \
  case Source::name: return rank;
    TESSERA_SOURCES(TESSERA_SOURCE)
#undef TESSERA_SOURCE
  }
  return 0;
}

}  // namespace tessera
