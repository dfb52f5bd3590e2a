// A pod as an API server tells it, from the parts that a test is about.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "backends/kubernetes/objects/parse.hpp"

namespace tessera::kubernetes {

inline PodObject pod(const std::string& spec, const std::string& status = R"("phase":"Running")",
                     const std::string& meta = "") {
  auto object = Parser().object<PodObject>(R"({"metadata":{"name":"p","namespace":"team")" +
                                           (meta.empty() ? "" : "," + meta) + R"(},"spec":{)" + spec +
                                           R"(},"status":{)" + status + "}}");
  EXPECT_TRUE(object);
  return object ? *object : PodObject{};
}

}  // namespace tessera::kubernetes
