// JSON as tests look at it: against a schema, one value at a time, and against the same thing in YAML.
// Threads: functions of values; schema_text reads a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

// docs/json/NAME.schema.json; empty: there is none.
std::string schema_text(const std::string& name);

// What in the document breaks the schema, one sentence each with its place; empty: nothing.
// Knows type (one or a list), required, properties, additionalProperties, items, enum, minimum, pattern
// and $ref to #/$defs; any other keyword is itself reported, so that no rule is silently skipped.
std::vector<std::string> check_schema(std::string_view schema, std::string_view document);

// The value at a JSON pointer ("/0/free/memory_slices"), as JSON; "missing" where there is none.
std::string json_at(std::string_view document, const std::string& pointer);
// The same of a text, without its quotes and with its escapes as they stand.
std::string text_at(std::string_view document, const std::string& pointer);
std::size_t json_size(std::string_view document);  // entries of the outer array or object

// Whether both texts say the same. Errors in either are reported as a difference.
std::string difference(std::string_view json, std::string_view yaml);

}  // namespace tessera::test
