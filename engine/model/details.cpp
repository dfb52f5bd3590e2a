#include "engine/model/details.hpp"

namespace tessera {

std::string_view word(Teller teller) {
  switch (teller) {
    case Teller::job: return "scontrol show job";
    case Teller::limits: return "scontrol show assoc_mgr";
    case Teller::licences: return "scontrol show licenses";
    case Teller::priority: return "sprio";
    case Teller::pod: return "pods (API)";
    case Teller::events: return "events (API)";
    case Teller::volumes: return "volume claims (API)";
    case Teller::claims: return "resource claims (API)";
    case Teller::admission: return "admission (API)";
    case Teller::qos: return "sacctmgr show qos";
  }
  return "none";
}

}  // namespace tessera
