#include "backends/figures/ask_and_wait.hpp"

#include <future>
#include <memory>
#include <utility>

#include "backends/wait_unless.hpp"
#include "backends/worker.hpp"

namespace tessera::figures {
namespace {

class Asking {
 public:
  Asking(SiteCommand command, std::string url, std::function<bool()> stopped)
      : command_(std::move(command)), url_(std::move(url)), stopped_(std::move(stopped)) {
    command_.deadline = kPastAnswer;
  }
  ~Asking() { worker_.stop(); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  Result<HttpResponse> operator()(const std::string& path) {
    constexpr const char* kDoing = "cannot ask Prometheus";
    const auto answer = std::make_shared<std::promise<Result<HttpResponse>>>();
    std::future<Result<HttpResponse>> came = answer->get_future();
    worker_.post([this, answer, place = url_ + path] {
      ask_by_command(processes_, command_, place, kDoing,
                     [answer](Result<HttpResponse> told) { answer->set_value(std::move(told)); });
    });
    if (auto told = wait_unless(came, stopped_)) return std::move(*told);
    return Error{kDoing, "it was given up", ""};
  }

 private:
  SiteCommand command_;
  std::string url_;
  std::function<bool()> stopped_;
  Worker worker_;
  Processes processes_{worker_};
};

}  // namespace

AskAndWait ask_by_command_and_wait(SiteCommand command, std::string url, std::function<bool()> stopped) {
  const auto asking = std::make_shared<Asking>(std::move(command), std::move(url), std::move(stopped));
  return [asking](const std::string& path) { return (*asking)(path); };
}

std::unique_ptr<usage::KeptUse> past_by_command(SiteCommand command, std::string url, PastOf of) {
  PastRoundsOptions wanted;
  wanted.ask = ask_by_command_and_wait(std::move(command), std::move(url), of.stopped);
  wanted.of = std::move(of);
  wanted.node_of = node_by_short_name;
  return past_rounds(std::move(wanted));
}

}  // namespace tessera::figures
