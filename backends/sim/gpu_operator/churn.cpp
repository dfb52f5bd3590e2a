#include "backends/sim/gpu_operator/churn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/sim/scenario/scenario.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::size_t kMostGuests = 1000;
constexpr std::string_view kComeAndGo = " come-and-go";

Key key_of_pod(const Json& pod) {
  return {"pods", text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})};
}

bool is_work(const Json& pod) {
  const Json* owners = at(pod, {"metadata", "ownerReferences"});
  bool by_set = owners && !owners->items.empty() && view_at(owners->items.front(), {"kind"}) == "DaemonSet";
  return !by_set && view_at(pod, {"metadata", "namespace"}) != "gpu-operator";
}

}  // namespace

Status Churn::begin(std::string_view order) {
  bool comes_and_goes = order.ends_with(kComeAndGo);
  if (comes_and_goes) order.remove_suffix(kComeAndGo.size());
  std::size_t blank = std::min(order.find(' '), order.size());
  int each_second = 0;
  std::from_chars(order.data(), order.data() + blank, each_second);
  std::optional<Duration> lasts = parse_duration(order.substr(std::min(blank + 1, order.size())));
  if (each_second < 1 || each_second > 1'000'000 || !lasts || *lasts > std::chrono::minutes(10))
    return Error{"cannot churn", "so many pods a second, for so long", "10000 20s, or 10000 20s come-and-go"};
  std::vector<Key> pods;
  for (const ObjectPtr& pod : objects_.all("pods"))
    if (!comes_and_goes || is_work(*pod)) pods.push_back(key_of_pod(*pod));
  if (pods.empty()) return Error{"cannot churn", "there are no such pods", ""};
  bool runs = Steady::now() < ends_;
  pods_ = std::move(pods);
  comes_and_goes_ = comes_and_goes;
  each_second_ = each_second;
  begun_ = Steady::now();
  ends_ = begun_ + *lasts;
  made_ = 0;
  if (!runs) go_on();
  return Done{};
}

void Churn::go_on() {
  Steady::time_point now = Steady::now();
  double due = std::chrono::duration<double>(std::min(now, ends_) - begun_).count() * each_second_;
  // No more at once than ten ms of it, so that requests are answered in between.
  for (int most = static_cast<int>(each_second_ / 100) + 1; most > 0 && static_cast<double>(made_) < due;
       --most)
    change_one();
  if (now >= ends_) {
    for (; !guests_.empty(); guests_.pop_front()) objects_.erase(guests_.front());
    return;
  }
  if (static_cast<double>(made_) < due) return worker_.post([this] { go_on(); });
  worker_.after(Duration(10), [this] { go_on(); });
}

void Churn::change_one() {
  comes_and_goes_ ? come_or_go() : rewrite_one();
  ++made_;
}

void Churn::rewrite_one() {
  objects_.edit(pods_[made_ % pods_.size()], [&](Json& pod) {
    put_at(pod, {"metadata", "annotations", "tessera.sim/touched"}, text(std::to_string(made_ + 1)));
  });
}

void Churn::come_or_go() {
  if (guests_.size() >= kMostGuests) {
    objects_.erase(guests_.front());
    return guests_.pop_front();
  }
  Key key = pods_[copies_ % pods_.size()];
  ObjectPtr like = objects_.find(key);
  if (!like) return;
  Json copy = *like;
  key.name = fmt::format("{}-{}", key.name.substr(0, 200), ++copies_);
  put_at(copy, {"metadata", "uid"}, text(""));
  put_at(copy, {"metadata", "name"}, text(key.name));
  if (objects_.create(key, std::move(copy)).ok()) guests_.push_back(std::move(key));
}

}  // namespace tessera::sim::kube
