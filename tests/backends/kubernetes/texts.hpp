// Recordings of a real API server's answers, and objects made by hand.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace tessera::kubernetes {

inline std::string recording(const std::string& name) {
  std::string file = test::source_dir() + "/tests/fixtures/kubernetes/" + name;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What follows the empty line behind the headers.
inline std::string body_of(const std::string& answer) {
  for (const char* gap : {"\r\n\r\n", "\n\n"})
    if (std::size_t at = answer.find(gap); at != std::string::npos)
      return answer.substr(at + std::string(gap).size());
  return answer;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

using Labels = std::map<std::string, std::string>;

inline std::string map_json(const Labels& entries) {
  std::string text = "{";
  for (const auto& [key, value] : entries)
    text += (text.size() > 1 ? ",\"" : "\"") + key + "\":\"" + value + "\"";
  return text + "}";
}

// capacity is offered in full; spec: more fields, "\"unschedulable\":true".
inline std::string node_json(const std::string& name, const Labels& labels, const Labels& capacity,
                             const std::string& spec = "", const std::string& ready = "True",
                             const std::string& version = "1") {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" + version + R"(","labels":)" +
         map_json(labels) + R"(},"spec":{)" + spec + R"(},"status":{"capacity":)" + map_json(capacity) +
         R"(,"allocatable":)" + map_json(capacity) + R"(,"conditions":[{"type":"Ready","status":")" + ready +
         R"(","reason":"NodeStatus","message":"kubelet says so","lastTransitionTime":"2026-11-20T00:00:00Z"}],)"
         R"("nodeInfo":{"kubeletVersion":"v1.31.2"}}})";
}

inline std::string list_json(const std::vector<std::string>& items, const std::string& version,
                             const std::string& next = "") {
  std::string text =
      R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + next + R"("},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i ? "," : "") + items[i];
  return text + "]}";
}

}  // namespace tessera::kubernetes
