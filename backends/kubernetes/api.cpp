#include "backends/kubernetes/api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostAnswerBytes = 32u << 20;
constexpr int kMostTries = 5;
constexpr Duration kLongestBusy{10000};
// Far beyond what a cluster holds (Kubernetes is made for 5,000 nodes and 150,000 pods): a server that sends
// more is out of order.
constexpr std::size_t kMostObjects = 500'000;
constexpr int kMostPages = 5000;
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

Error refused(const std::string& method, const std::string& target, const HttpResponse& response,
              const Json& body) {
  std::string path = clean(target.substr(0, target.find('?')), 300);
  std::string message = text_at(body, {"message"});
  // Of the proxy itself: a line of text.
  if (message.empty()) message = clean(response.body.substr(0, response.body.find('\n')), 300);
  Error error{fmt::format("{} {} was refused", method, path),
              fmt::format("{} ({})", message, response.status), ""};
  // A budget's refusal names it in details.causes.
  if (const Json* causes = at(body, {"details", "causes"}))
    for (const Json& cause : causes->items)
      if (std::string more = text_at(cause, {"message"}); !more.empty()) error.reason += "; " + more;
  error.reason = clean(error.reason, 1000);
  if (response.status == 403)
    error.hint =
        "tessera doctor --rbac --write prints the role that changing nodes needs; start tessera with --write";
  if (response.status == 409) error.hint = "someone else changed it meanwhile: it is looked at again";
  return error;
}

}  // namespace

void Api::call(std::string method, std::string target, std::string_view type, std::string body, Then then) {
  bool json = method != "READ", partial = method == "LIST";
  HttpCall request;
  request.method = json && !partial ? method : "GET";
  request.target = target;
  request.body = std::move(body);
  request.limit = kMostAnswerBytes;
  if (json) request.headers.emplace_back("Accept", partial ? kMetadataOnly : "application/json");
  if (!type.empty()) request.headers.emplace_back("Content-Type", std::string(type));
  ask(std::move(request), json, 1, std::move(then));
}

ApiPtr Api::for_at_most(Duration most) const {
  auto same = std::make_shared<Api>(worker_, client_);
  same->until_ = until_;
  if (most > Duration(0))
    same->until_ = std::min(until_.value_or(Steady::time_point::max()), Steady::now() + most);
  return same;
}

std::optional<Duration> Api::left() const {
  if (!until_) return std::nullopt;
  return std::chrono::ceil<Duration>(*until_ - Steady::now());
}

void Api::ask(HttpCall request, bool json, int tries, Then then) {
  if (auto left = this->left()) {
    if (*left <= Duration(0)) {
      Answer late;
      late.error = {fmt::format("{} {} was not sent", request.method, clean(request.target, 300)),
                    "the time of the step is over", ""};
      return worker_.post([late, then = std::move(then)] { then(late); });
    }
    request.deadline = std::min(request.deadline, *left);
  }
  HttpCall copy = request;
  client_.request(std::move(copy), [self = shared_from_this(), request = std::move(request), json, tries,
                                    then = std::move(then)](Result<HttpResponse> result) mutable {
    bool evicts = request.target.ends_with("/eviction");
    if (result && result->status == 429 && result->retry_after && !evicts && tries < kMostTries) {
      Duration wait = std::min(*result->retry_after, kLongestBusy);
      if (auto left = self->left(); !left || wait < *left) {
        self->worker_.after(
            wait, [self, request = std::move(request), json, tries, then = std::move(then)]() mutable {
              self->ask(std::move(request), json, tries + 1, std::move(then));
            });
        return;
      }
    }
    const std::string& verb = request.method;
    const std::string& target = request.target;
    Answer answer;
    if (!result) {
      answer.error = result.error();
      return then(std::move(answer));
    }
    answer.status = result->status;
    answer.date = result->date;
    if (json || !answer.ok()) {
      Result<Json> parsed = parse_json(result->body, "the API server's answer");
      if (parsed) answer.body = std::move(*parsed);
      if (!parsed && answer.ok()) {
        answer.status = 0;
        answer.error = parsed.error();
      }
    } else {
      answer.text = std::move(result->body);
    }
    if (answer.status != 0 && !answer.ok()) answer.error = refused(verb, target, *result, answer.body);
    then(std::move(answer));
  });
}

struct Api::Listing {
  std::string target;
  bool metadata = false;
  Each each;
  Then then;
  std::size_t objects = 0;
  int pages = 0;
};

void Api::list(const std::string& target, bool metadata, Each each, Then then) {
  auto listing = std::make_shared<Listing>();
  listing->target = target;
  listing->metadata = metadata;
  listing->each = std::move(each);
  listing->then = std::move(then);
  next_page(std::move(listing), "");
}

void Api::next_page(std::shared_ptr<Listing> listing, const std::string& token) {
  std::string page =
      listing->target + (listing->target.find('?') == std::string::npos ? "?" : "&") + "limit=500";
  if (!token.empty()) page += "&continue=" + url_escape(token);
  auto heard = [self = shared_from_this(), listing, token](Answer told) {
    if (!told.ok()) return listing->then(std::move(told));
    auto fails = [&](std::string why) {
      Answer none;
      none.error = {"cannot list " + clean(listing->target.substr(0, listing->target.find('?')), 300),
                    std::move(why), "the API server, or a proxy before it, is out of order"};
      listing->then(std::move(none));
    };
    const Json* items = told.body.find("items");
    bool is_list = items && (items->kind == Json::Kind::list || items->is_null());
    if (!is_list) return fails("the answer is no list: it has no items");
    listing->objects += items->items.size();
    std::string next = text_at(told.body, {"metadata", "continue"});
    if (listing->objects > kMostObjects || ++listing->pages > kMostPages)
      return fails(
          fmt::format("it does not end: {} objects on {} pages so far", listing->objects, listing->pages));
    if (!next.empty() && next == token)
      return fails("it does not go on: one page refers to itself as the next");
    for (const Json& item : items->items) listing->each(item);
    told.body = Json();
    if (next.empty()) return listing->then(std::move(told));
    self->next_page(listing, next);
  };
  call(listing->metadata ? "LIST" : "GET", page, {}, "", std::move(heard));
}

void Api::post(std::string target, const Json& body, Then then) {
  call("POST", std::move(target), "application/json", to_line(body), std::move(then));
}
void Api::patch(std::string target, const Json& body, Then then) {
  call("PATCH", std::move(target), "application/merge-patch+json", to_line(body), std::move(then));
}
void Api::erase(std::string target, const Json& options, Then then) {
  call("DELETE", std::move(target), "application/json", to_line(options), std::move(then));
}

Json nested(std::initializer_list<std::string_view> path, Json value) {
  for (const auto* key = path.end(); key != path.begin();) {
    Json map = Json::map();
    map.add(std::string(*--key), std::move(value));
    value = std::move(map);
  }
  return value;
}

Json texts_or_null(const std::map<std::string, std::string>& texts) {
  Json map = Json::map();
  for (const auto& [key, value] : texts) map.add(key, value.empty() ? Json() : Json::of(value));
  return map;
}

Json& child(Json& map, const std::string& key) {
  for (auto& [name, value] : map.fields)
    if (name == key) return value;
  return map.add(key, Json::map());
}

const Json* at(const Json& root, std::initializer_list<std::string_view> path) {
  const Json* here = &root;
  for (std::string_view key : path) {
    here = here->find(key);
    if (!here) return nullptr;
  }
  return here;
}

std::string text_at(const Json& root, std::initializer_list<std::string_view> path) {
  const Json* value = at(root, path);
  return value && value->kind == Json::Kind::text ? value->text : std::string();
}

}  // namespace tessera::kubernetes
