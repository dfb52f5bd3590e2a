// Data files compiled into the binary, one function a set (see embed.cmake).
// Threads: constant data.
#pragma once

#include <span>
#include <string_view>

namespace tessera::embedded {

struct File {
  std::string_view name;  // "h100.yaml"
  std::string_view text;
};

std::span<const File> catalogue();     // engine/mig/data
std::span<const File> sharing();       // engine/sharing/data: presets and platforms
std::span<const File> guide();         // engine/guide/data: flowchart, glossary, tables, handouts
std::span<const File> scenarios();     // backends/sim/scenarios
std::span<const File> themes();        // themes/*.yaml, colours
std::span<const File> keymaps();       // themes/keys-*.yaml
std::span<const File> terminals();     // terminfo entries of the building machine, base64
std::span<const File> locales();       // LC_CTYPE of C.UTF-8, from the same machine
std::span<const File> translations();  // po/*.po as msgfmt compiles them: ja.mo

}  // namespace tessera::embedded
