// A small HTTP server that does what a test says: whole answers, streams that the test feeds, and bad
// manners.
//
// One thread for each connection, on a Unix socket in a folder of its own. The handler runs on those threads;
// everything else may be called from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

class HttpScript {
 public:
  struct Asked {
    std::string method;
    std::string target;
    std::string body;
    std::map<std::string, std::string> headers;  // names in lower case
  };
  struct Answer {
    int status = 200;
    std::string body;
    std::vector<std::string> headers;  // "Retry-After: 1"
    bool stream = false;               // stays open; feed() and close_streams() act on it
    std::string raw;                   // sent as it is instead, then the connection is closed
    bool silent = false;               // no answer at all; the connection stays open
  };
  using Handler = std::function<Answer(const Asked&)>;

  explicit HttpScript(Handler handler);
  ~HttpScript();
  HttpScript(const HttpScript&) = delete;
  HttpScript& operator=(const HttpScript&) = delete;

  const std::string& socket() const;
  std::vector<Asked> asked() const;
  std::size_t connections() const;  // accepted so far

  // To every open stream whose target starts so, as one chunk.
  void feed(std::string_view target, std::string_view bytes);
  // How many are open now.
  std::size_t streams(std::string_view target) const;
  std::size_t streams_begun(std::string_view target) const;  // those that have ended, too
  // Ends them: properly, or by cutting the connection.
  void close_streams(std::string_view target, bool properly = true);

  void stop();   // closes everything; the socket's file stays, so that no client can connect
  void start();  // again

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::test
