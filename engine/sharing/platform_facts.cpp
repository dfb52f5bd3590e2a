#include <fmt/format.h>

#include <set>

#include "engine/embedded.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/read_yaml.hpp"

namespace tessera::sharing {

namespace {

constexpr std::size_t kMaxRemarks = 100;

std::optional<Strategy> parse_about(std::string_view text) {
  for (Strategy strategy :
       {Strategy::whole, Strategy::mig, Strategy::mps, Strategy::time_slicing, Strategy::vgpu}) {
    if (word(strategy) == text) return strategy;
  }
  return std::nullopt;
}

Remark read_remark(FieldReader& in, const Yaml& yaml) {
  Remark remark;
  if (!in.map(yaml, "remark", {"id", "text", "about"})) return remark;
  remark.id = in.text(yaml, "id", 64);
  remark.text = in.text(yaml, "text");
  for (const std::string& about : in.texts(yaml, "about")) {
    if (const auto strategy = parse_about(about)) {
      remark.about.push_back(*strategy);
    } else {
      in.fail(yaml.line, fmt::format("about: \"{}\" is no strategy", about));
    }
  }
  return remark;
}

PlatformFacts read_platform(FieldReader& in, const Yaml& yaml) {
  PlatformFacts facts;
  if (!in.map(yaml, "platform", {"platform", "labels", "resources", "remarks"})) return facts;
  const std::string name = in.text(yaml, "platform", 64);
  if (in.failed()) return facts;
  if (const auto platform = parse_platform(name)) {
    facts.platform = *platform;
  } else {
    in.fail(yaml.line, fmt::format("\"{}\" is no platform", name));
  }
  facts.labels = in.texts(yaml, "labels");
  facts.resources = in.texts(yaml, "resources");
  for (const Yaml& remark : in.list(yaml, "remarks", kMaxRemarks)) {
    facts.remarks.push_back(read_remark(in, remark));
  }
  return facts;
}

}  // namespace

Result<std::vector<PlatformFacts>> parse_platforms(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the platforms", file);
  std::vector<PlatformFacts> all;
  std::set<std::string> ids;
  if (in.map(*root, "file", {"platforms"})) {
    for (const Yaml& yaml : in.list(*root, "platforms", kPlatforms)) {
      all.push_back(read_platform(in, yaml));
      for (const Remark& remark : all.back().remarks) {
        if (!ids.insert(remark.id).second) {
          in.fail(yaml.line, fmt::format("id \"{}\" is listed twice", remark.id));
        }
      }
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i].platform == all.back().platform) in.fail(yaml.line, "this platform is listed twice");
      }
    }
  }
  if (in.failed()) return *in.error();
  return all;
}

Result<std::vector<PlatformFacts>> built_in_platforms() {
  for (const embedded::File& file : embedded::sharing()) {
    if (file.name == "platforms.yaml") return parse_platforms(file.text, file.name);
  }
  return Error{"cannot read the platforms", "platforms.yaml is not part of this binary", {}};
}

}  // namespace tessera::sharing
