#include <fmt/format.h>

#include <set>

#include "engine/embedded.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/read_yaml.hpp"

namespace tessera::sharing {

namespace {

constexpr std::size_t kMaxTables = 100;
constexpr std::size_t kMaxRows = 100;

void read_instances(FieldReader& in, const Yaml& yaml, PresetRow& row) {
  if (yaml.kind != Yaml::Kind::map) {
    in.fail(yaml.line, "instances: a map of profile to count is expected here");
    return;
  }
  for (const auto& [key, value] : yaml.fields) {
    const std::optional<ProfileName> profile = mig::canonical_profile(key);
    const std::optional<std::int64_t> count = value.as_int();
    if (!profile) {
      in.fail(value.key_line, fmt::format("instances: \"{}\" is no profile", key));
    } else if (!count || *count < 1 || *count > 99) {
      in.fail(value.line, "instances: a count from 1 to 99 is expected here");
    } else {
      row.instances.emplace_back(*profile, static_cast<int>(*count));
    }
  }
}

std::vector<ProfileName> read_profiles(FieldReader& in, const Yaml& yaml, const char* field) {
  std::vector<ProfileName> all;
  if (!yaml.find(field)) return all;
  for (const Yaml& one : in.list(yaml, field, 9)) {
    const std::string printed = in.scalar(one, field, 32);
    if (const auto profile = mig::canonical_profile(printed))
      all.push_back(*profile);
    else
      in.fail(one.line, fmt::format("{}: \"{}\" is no profile", field, printed));
  }
  return all;
}

PresetRow read_row(FieldReader& in, const Yaml& yaml) {
  PresetRow row;
  if (!in.map(yaml, "layout",
              {"name", "strategy", "instances", "note", "misprints", "of_others", "offers_nothing"}))
    return row;
  row.name = in.text(yaml, "name", 63);
  const std::string strategy = in.text(yaml, "strategy", 64);
  row.note = in.optional_text(yaml, "note");
  if (const Yaml* offers_nothing = yaml.find("offers_nothing")) {
    const std::optional<bool> told = offers_nothing->as_bool();
    if (!told) in.fail(offers_nothing->line, "offers_nothing: true or false is expected here");
    row.offers_nothing = told.value_or(false);
  }
  if (in.failed()) return row;
  if (const auto parsed = parse_strategy(strategy)) {
    row.strategy = *parsed;
  } else {
    in.fail(yaml.line,
            fmt::format("strategy: \"{}\" is none of: none, single, mixed, none with operator", strategy));
  }
  if (const Yaml* instances = yaml.find("instances")) read_instances(in, *instances, row);
  row.misprints = read_profiles(in, yaml, "misprints");
  row.of_others = read_profiles(in, yaml, "of_others");
  if (!row.misprints.empty() && row.instances.size() != 1)
    in.fail(yaml.line, "misprints: the layout needs one profile");
  if (row.offers_nothing && row.strategy != MigStrategy::none)
    in.fail(yaml.line, "offers_nothing: only the strategy none offers nothing");
  const bool cuts = row.strategy == MigStrategy::single || row.strategy == MigStrategy::mixed;
  if (cuts == row.instances.empty()) {
    in.fail(yaml.line,
            cuts ? "a layout with this strategy needs instances" : "a layout without MIG has no instances");
  } else if (row.strategy == MigStrategy::single && row.instances.size() > 1) {
    in.fail(yaml.line, "the strategy single has one profile only");
  }
  return row;
}

PresetTable read_table(FieldReader& in, const Yaml& yaml) {
  PresetTable table;
  if (!in.map(yaml, "table", {"platform", "title", "products", "layouts"})) return table;
  const std::string platform = in.text(yaml, "platform", 64);
  table.title = in.text(yaml, "title", 100);
  if (in.failed()) return table;
  if (const auto parsed = parse_platform(platform)) {
    table.platform = *parsed;
  } else {
    in.fail(yaml.line, fmt::format("platform: \"{}\" is not known", platform));
  }
  for (const Yaml& product : in.list(yaml, "products", kMaxRows)) {
    table.products.emplace_back(in.scalar(product, "products", 100));
  }
  std::set<std::string> names;
  for (const Yaml& row : in.list(yaml, "layouts", kMaxRows)) {
    table.rows.push_back(read_row(in, row));
    if (!names.insert(table.rows.back().name).second) {
      in.fail(row.line, fmt::format("\"{}\" is listed twice", table.rows.back().name));
    }
  }
  return table;
}

}  // namespace

Result<std::vector<PresetTable>> parse_presets(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the presets", file);
  std::vector<PresetTable> tables;
  if (in.map(*root, "file", {"tables"})) {
    for (const Yaml& yaml : in.list(*root, "tables", kMaxTables)) tables.push_back(read_table(in, yaml));
  }
  if (in.failed()) return *in.error();
  return tables;
}

Result<std::vector<PresetTable>> built_in_presets() {
  for (const embedded::File& file : embedded::sharing()) {
    if (file.name == "presets.yaml") return parse_presets(file.text, file.name);
  }
  return Error{"cannot read the presets", "presets.yaml is not part of this binary", {}};
}

}  // namespace tessera::sharing
