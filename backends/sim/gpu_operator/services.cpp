#include "backends/sim/gpu_operator/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/sim/apiserver/api.hpp"
#include "engine/number.hpp"

namespace tessera::sim::kube {
namespace {

// What a real API server says where the program gives no answer.
HttpAnswer not_reached(const Error& error) {
  return refuse({503, "ServiceUnavailable", "error trying to reach service: " + to_line(error)}).http;
}

}  // namespace

Status Services::lead(std::string_view order) {
  const std::size_t blank = std::min(order.find(' '), order.size());
  auto place = figures::parse_service_place(order.substr(0, blank));
  if (!place) return place.error();
  const auto port = whole_number<std::uint16_t>(order.substr(std::min(blank + 1, order.size())));
  if (!port || *port == 0)
    return Error{"cannot lead to that service", "no port of this machine stands behind it",
                 "NAMESPACE/SERVICE:PORT and a port: monitoring/prometheus-k8s:9090 19090"};
  std::erase_if(services_, [&](const Service& service) { return service.place.target() == place->target(); });
  services_.push_back(
      {std::move(*place), std::make_unique<HttpClient>(worker_, HttpEndpoint{"", "127.0.0.1", *port})});
  return Done{};
}

bool Services::hand_on(const User& user, const HttpRequest& request, const HttpReply& reply) {
  const auto found = std::find_if(services_.begin(), services_.end(), [&](const Service& service) {
    return request.target.starts_with(service.place.target() + "/");
  });
  if (found == services_.end()) return false;
  const figures::ServicePlace& place = found->place;
  HttpReply later = reply;
  const Access access{
      "get", "", "services", "proxy", place.name_space, fmt::format("{}:{}", place.service, place.port)};
  if (request.method != "GET") {
    later.send(refuse(method_not_allowed()).http);
  } else if (!user.allows(access)) {
    later.send(refuse(forbidden(user, access)).http);
  } else {
    HttpCall call;
    call.target = request.target.substr(place.target().size());
    found->program->request(std::move(call), [later](Result<HttpResponse> answer) mutable {
      if (!answer) return later.send(not_reached(answer.error()));
      later.send({answer->status, {{"Content-Type", "application/json"}}, std::move(answer->body)});
    });
  }
  return true;
}

}  // namespace tessera::sim::kube
