#include "backends/kubernetes/explain.hpp"

#include <algorithm>
#include <vector>

#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

struct Known {
  std::string_view words;
  std::string_view what;
  std::string_view hint;
};
// Most telling first.
constexpr Known kKnown[] = {
    {"getting credentials: exec", "kubectl cannot log in: its credential program fails",
     "run it by hand, or log in again: kubectl get nodes shows the same error"},
    {"executable", "kubectl cannot log in: its credential program is not there",
     "install the program that the kubeconfig names under exec"},
    {"no Auth Provider found", "kubectl cannot log in: it knows no such auth provider",
     "newer versions of kubectl use exec plugins: renew the kubeconfig"},
    {"token has expired", "the login has expired", "log in again as for kubectl"},
    {"certificate has expired", "a certificate has expired",
     "renew the kubeconfig's client certificate, or the server's"},
    {"x509", "the server's certificate is not trusted",
     "the kubeconfig's certificate authority must be the server's"},
    {"does not exist", "kubectl finds no such context", "kubectl config get-contexts lists them"},
    {"no such host", "the API server's name is not known here",
     "is a VPN needed? the kubeconfig names the server"},
    {"connection refused", "the API server does not answer", "is it up? kubectl cluster-info asks the same"},
    {"no route to host", "the API server cannot be reached", "is a VPN needed?"},
    {"i/o timeout", "the API server cannot be reached", "is a VPN needed? a firewall may drop what we send"},
    {"unable to load root certificates", "kubectl cannot read a certificate", "look at the kubeconfig"},
    {"invalid configuration", "kubectl cannot use the kubeconfig", "kubectl config view shows it"},
    {"no configuration has been provided", "kubectl has no kubeconfig", "name one with --kubeconfig"},
};

const Known* find_known(std::string_view words) {
  for (const Known& known : kKnown)
    if (words.find(known.words) != std::string_view::npos) return &known;
  return nullptr;
}

constexpr std::size_t kMostLines = 4;  // of a login program

// What kubectl adds to an installHint.
bool is_boilerplate(std::string_view line) {
  return line.starts_with("It looks like you are trying to use a client-go credential plugin") ||
         line.starts_with("To learn more about this feature, consult the documentation") ||
         line.find("authentication/#client-go-credential-plugins") != std::string_view::npos;
}

std::string cannot(std::string_view doing) { return "cannot " + std::string(doing); }

}  // namespace

std::string last_complaint(std::string_view text) {
  std::string own;
  std::vector<std::string> others;
  for (std::string_view line : lines_in(text)) {
    // "E1121 02:46:10.123456    4711 proxy_server.go:147] Error while proxying request: …"
    bool is_own = line.size() > 20 && std::string_view("IWEF").find(line[0]) != std::string_view::npos &&
                  line[1] >= '0' && line[1] <= '9';
    if (std::size_t bracket = line.find("] "); is_own && bracket != std::string_view::npos)
      line.remove_prefix(bracket + 2);
    for (std::string_view prefix : {"error: ", "Error while proxying request: ", "Error: "}) {
      if (!line.starts_with(prefix)) continue;
      line.remove_prefix(prefix.size());
      is_own = true;
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || is_boilerplate(line)) continue;
    std::string said = clean(line, 600);
    if (is_own)
      own = std::move(said);
    else if (std::find(others.begin(), others.end(), said) == others.end())
      others.push_back(std::move(said));
  }
  std::string besides;
  for (std::size_t i = others.size() - std::min(others.size(), kMostLines); i < others.size(); ++i)
    besides += (besides.empty() ? "" : "; ") + others[i];
  if (own.empty()) return besides;
  return besides.empty() ? own : own + " (it reports: " + besides + ")";
}

Error explain_kubectl(std::string_view words) {
  std::string complaint = last_complaint(words);
  if (const Known* known = find_known(complaint))
    return {std::string(known->what), complaint, std::string(known->hint)};
  return {"kubectl proxy does not serve", complaint.empty() ? "it printed nothing" : complaint,
          "kubectl get nodes, with the same kubeconfig and context, shows whether kubectl works"};
}

Error explain_silence(std::string_view doing, const Error& silence, std::string_view proxy_words) {
  if (const Known* known = find_known(proxy_words))
    return {std::string(known->what), std::string(proxy_words), std::string(known->hint)};
  std::string reason = silence.what + ": " + silence.reason;
  if (!proxy_words.empty()) reason += "; kubectl reports: " + std::string(proxy_words);
  return {cannot(doing), reason,
          silence.hint.empty() ? "the API server or kubectl proxy hangs" : silence.hint};
}

Error explain_response(std::string_view doing, const HttpResponse& response, Parser& parser,
                       std::string_view proxy_words) {
  auto status = parser.status(response.body);
  std::string reason = status && !status->message.empty()
                           ? status->message
                           : clean(std::string_view(response.body).substr(0, 400), 400);
  std::string code = "HTTP " + std::to_string(response.status);
  reason = reason.empty() ? code : reason + " (" + code + ")";
  switch (response.status) {
    case 401:
      return {"the cluster refuses the login", reason, "log in again as for kubectl: kubectl auth whoami"};
    case 403:
      return {"not allowed to " + std::string(doing), reason,
              "tessera doctor --rbac prints the role that tessera needs"};
    case 404: return {cannot(doing), reason, "this cluster does not serve it"};
    case 429:
      return {cannot(doing), reason, "the API server is busy; tessera asks again by itself, more slowly"};
    default: break;
  }
  if (const Known* known = find_known(proxy_words); known && response.status >= 500)
    return {std::string(known->what), std::string(proxy_words), std::string(known->hint)};
  if (response.status >= 500)
    return {cannot(doing), reason, "the API server is in trouble; tessera asks again by itself"};
  return {cannot(doing), reason, ""};
}

}  // namespace tessera::kubernetes
