#include "backends/runs/room.hpp"

#include <utility>

namespace tessera::runs {
namespace {

class Room final : public plan::Runs {
 public:
  Room(RunsOptions options, EventSink& sink) : options_(std::move(options)), sink_(sink) {}

  void list() override { tell(RunsListed{}); }
  void read(const std::string& run) override { refuse(run); }
  void start(plan::Plan /*plan*/, std::string /*undoes*/) override { refuse(""); }
  void resume(const std::string& run, plan::Onward /*onward*/, bool /*accept_harm*/) override { refuse(run); }
  void demand(const std::string& run, const NodeName& /*node*/, plan::Demand /*what*/) override {
    refuse(run);
  }
  void answer(const std::string& run, const NodeName& /*node*/, plan::Ask /*what*/, bool /*go_on*/) override {
    refuse(run);
  }
  void park_all(const std::string& /*why*/) override { tell(RunsAtRest{}); }

 private:
  template <class News>
  void tell(News news) {
    sink_.post(Event{{}, 0, options_.wall(), std::move(news)});
  }
  void refuse(const std::string& run) {
    tell(RunRefused{run, {"cannot drive runs", "this version keeps no journals yet", ""}});
  }

  RunsOptions options_;
  EventSink& sink_;
};

}  // namespace

std::string journal_folder(std::string_view xdg_state_home, std::string_view home, std::string_view name) {
  std::string folder(xdg_state_home);
  // The specification wants an absolute path; anything else counts as not set.
  if (!folder.starts_with('/')) folder = home.starts_with('/') ? std::string(home) + "/.local/state" : "";
  return folder.empty() ? folder : folder + "/tessera/" + std::string(name);
}

std::unique_ptr<plan::Runs> make_runs(RunsOptions options, std::vector<Changeable> /*clusters*/,
                                      EventSink& sink) {
  return std::make_unique<Room>(std::move(options), sink);
}

}  // namespace tessera::runs
