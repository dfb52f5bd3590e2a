#include "backends/figures/ask_and_wait.hpp"

#include <future>
#include <memory>
#include <utility>

#include "backends/worker.hpp"

namespace tessera::figures {
namespace {

class Asking {
 public:
  Asking(SiteCommand command, std::string url) : command_(std::move(command)), url_(std::move(url)) {
    command_.deadline = kPastAnswer;
  }
  ~Asking() { worker_.stop(); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  Result<HttpResponse> operator()(const std::string& path) {
    std::promise<Result<HttpResponse>> answer;
    worker_.post([&] {
      ask_by_command(processes_, command_, url_ + path, "cannot ask Prometheus",
                     [&](Result<HttpResponse> came) { answer.set_value(std::move(came)); });
    });
    return answer.get_future().get();
  }

 private:
  SiteCommand command_;
  std::string url_;
  Worker worker_;
  Processes processes_{worker_};
};

}  // namespace

AskAndWait ask_by_command_and_wait(SiteCommand command, std::string url) {
  return [asking = std::make_shared<Asking>(std::move(command), std::move(url))](const std::string& path) {
    return (*asking)(path);
  };
}

std::unique_ptr<usage::KeptUse> past_by_command(SiteCommand command, std::string url, PastOf of) {
  PastRoundsOptions wanted;
  wanted.of = std::move(of);
  wanted.ask = ask_by_command_and_wait(std::move(command), std::move(url));
  wanted.node_of = node_by_short_name;
  return past_rounds(std::move(wanted));
}

}  // namespace tessera::figures
