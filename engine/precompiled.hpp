// What most files include, read once for each program (TESSERA_PRECOMPILE in CMakeLists.txt): headers of
// others, and our own model and plan, whose variants take a compiler a second in each file. No file includes
// this one, and each file includes what it names. Threads: nothing here.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "engine/model/event.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/run/run.hpp"
