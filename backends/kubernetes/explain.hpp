// From what went wrong on the way to an API server to an error that an admin can act on: the words of kubectl
// or of the API as the reason, the next step as the hint.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "backends/http_client.hpp"
#include "backends/kubernetes/objects/parse.hpp"

namespace tessera::kubernetes {

// "list nodes", "watch pods", "patch node gpu-3": what could not be done.
// proxy_words: kubectl's last complaint, which tells why the proxy answered 502; may be empty.
Error explain_response(std::string_view doing, const HttpResponse& response, Parser& parser,
                       std::string_view proxy_words);
// There was no answer at all.
Error explain_silence(std::string_view doing, const Error& silence, std::string_view proxy_words);
// kubectl itself gave up, or says why it cannot serve.
Error explain_kubectl(std::string_view words);

// The last line that kubectl wrote itself, without the prefix of klog ("E1121 02:46:10.1 12 file.go:1] "),
// and what a login program wrote between its lines: "getting credentials: exec: ... failed (it says: SSO
// session expired; run: foo sso login)". Cleaned.
std::string last_complaint(std::string_view text);

}  // namespace tessera::kubernetes
