#include "backends/kubernetes/api.hpp"

#include <fmt/format.h>

#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostAnswerBytes = 32u << 20;
constexpr int kMostTries = 5;
constexpr Duration kLongestBusy{10000};
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
        "docs/kubernetes.md has the role that changing nodes needs; kubectl proxy must run with --write";
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

void Api::ask(HttpCall request, bool json, int tries, Then then) {
  HttpCall copy = request;
  client_.request(std::move(copy), [this, request = std::move(request), json, tries,
                                    then = std::move(then)](Result<HttpResponse> result) mutable {
    bool evicts = request.target.ends_with("/eviction");
    if (result && result->status == 429 && result->retry_after && !evicts && tries < kMostTries) {
      worker_.after(std::min(*result->retry_after, kLongestBusy),
                    [this, request = std::move(request), json, tries, then = std::move(then)]() mutable {
                      ask(std::move(request), json, tries + 1, std::move(then));
                    });
      return;
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

void Api::list(const std::string& target, bool metadata, Each each, Then then) {
  next_page(target, metadata, "", std::move(each), std::move(then));
}

void Api::next_page(const std::string& target, bool metadata, const std::string& token, Each each,
                    Then then) {
  std::string page = target + (target.find('?') == std::string::npos ? "?" : "&") + "limit=500";
  if (!token.empty()) page += "&continue=" + url_escape(token);
  call(metadata ? "LIST" : "GET", page, {}, "",
       [this, target, metadata, each = std::move(each), then = std::move(then)](Answer told) mutable {
         if (!told.ok()) return then(std::move(told));
         if (const Json* items = told.body.find("items"))
           for (const Json& item : items->items) each(item);
         std::string next = text_at(told.body, {"metadata", "continue"});
         told.body = Json();
         if (next.empty()) return then(std::move(told));
         next_page(target, metadata, next, std::move(each), std::move(then));
       });
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
