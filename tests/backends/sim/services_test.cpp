// A service of a simulated cluster behind which a real program listens.
#include "backends/sim/gpu_operator/services.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

namespace tessera::sim::kube {
namespace {

constexpr const char* kBelow = "/api/v1/namespaces/monitoring/services/prom:9090/proxy";

// The program tells which path it was asked for; the front hands on or says 404.
class SimulatedServices : public testing::Test {
 protected:
  ~SimulatedServices() override { worker_.stop(); }

  std::unique_ptr<HttpServer> listen(HttpServer::Handler handler) {
    auto server = HttpServer::listen(worker_, {}, std::move(handler));
    EXPECT_TRUE(server) << to_line(server.error());
    return std::move(*server);
  }
  HttpResponse asked(const std::string& target, const std::string& method = "GET") {
    std::promise<Result<HttpResponse>> answer;
    worker_.post([&] {
      HttpCall call;
      call.method = method, call.target = target;
      client_.request(std::move(call), [&](Result<HttpResponse> came) { answer.set_value(std::move(came)); });
    });
    auto came = answer.get_future().get();
    EXPECT_TRUE(came) << to_line(came.error());
    return came ? *came : HttpResponse{};
  }
  Status lead(const std::string& order) {
    std::promise<Status> led;
    worker_.post([&] { led.set_value(services_.lead(order)); });
    return led.get_future().get();
  }
  std::string leads_to(int port) const { return "monitoring/prom:9090 " + std::to_string(port); }

  Worker worker_;
  Services services_{worker_};
  User user_;
  std::unique_ptr<HttpServer> program_ = listen([](const HttpRequest& request, HttpReply reply) {
    reply.send({request.target == "/missing" ? 422 : 200, {}, "asked for " + request.target});
  });
  std::unique_ptr<HttpServer> front_ = listen([this](const HttpRequest& request, HttpReply reply) {
    if (!services_.hand_on(user_, request, reply)) reply.send({404, {}, "not ours"});
  });
  HttpClient client_{worker_, {"", "127.0.0.1", front_->port()}};
};

TEST_F(SimulatedServices, HandOnWhatIsAskedBelowThemWithStatusAndText) {
  EXPECT_EQ(asked(std::string(kBelow) + "/api/v1/query?query=up").status, 404) << "no program is named yet";
  ASSERT_TRUE(lead(leads_to(program_->port())));
  EXPECT_EQ(asked(std::string(kBelow) + "/api/v1/query?query=up").body, "asked for /api/v1/query?query=up");
  EXPECT_EQ(asked(std::string(kBelow) + "/missing").status, 422);
  EXPECT_EQ(asked("/api/v1/nodes").status, 404);
  EXPECT_EQ(asked("/api/v1/namespaces/other/services/prom:9090/proxy/x").status, 404);
}

TEST_F(SimulatedServices, AreForThoseWhoMayGetTheirProxyAndForReadingAlone) {
  ASSERT_TRUE(lead(leads_to(program_->port())));
  EXPECT_EQ(asked(std::string(kBelow) + "/x", "POST").status, 405);
  user_ = {"reader", *parse_rules("get,list:nodes")};
  const HttpResponse refused = asked(std::string(kBelow) + "/x");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("services/proxy"), std::string::npos) << refused.body;
  user_ = {"reader", *parse_rules("get:services/proxy@monitoring")};
  EXPECT_EQ(asked(std::string(kBelow) + "/x").status, 200);
}

TEST_F(SimulatedServices, SayThatAProgramWhichDoesNotListenIsNotReached) {
  const int gone = program_->port();
  std::promise<void> ended;
  worker_.post([&] { program_.reset(), ended.set_value(); });
  ended.get_future().get();
  ASSERT_TRUE(lead(leads_to(gone)));
  const HttpResponse answer = asked(std::string(kBelow) + "/x");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("error trying to reach service"), std::string::npos) << answer.body;
}

TEST_F(SimulatedServices, AreNamedWithAPlaceAndAPort) {
  for (const char* wrong : {"", "monitoring/prom:9090", "monitoring/prom:9090 0",
                            "monitoring/prom:9090 70000", "prom:9090 1", "monitoring/prom:9090 x"})
    EXPECT_FALSE(lead(wrong)) << wrong;
}

}  // namespace
}  // namespace tessera::sim::kube
