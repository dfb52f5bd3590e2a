// What to do where a reason or a message tells of a broken GPU: an Xid of the driver, ECC errors, remapped
// rows. Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::insight {

// The number behind the first "Xid" of a text: "NVRM: Xid (PCI:0000:3b:00): 79, …", "XID 79", "xid=79".
std::optional<int> xid_in(std::string_view text);
// The same from a place on, and where its digits stand.
struct XidPlace {
  int number = 0;
  std::size_t begin = 0, end = 0;
};
std::optional<XidPlace> next_xid(std::string_view text, std::size_t from);

// An error of the program that ran, and none of the GPU, as far as the number tells.
bool is_of_a_program(int xid);

// Whether a reset of the GPU is the way out of what a text tells of; the GPU that it names, nullopt: none, or
// several.
bool reset_helps(std::string_view text);
std::optional<int> gpu_in(std::string_view text);

// The way out for a text that names an Xid, ECC errors or row remapping; empty: it names none. Meanings as in
// NVIDIA's Xid catalog and GPU memory error management.
std::string hardware_advice(std::string_view text);

}  // namespace tessera::insight
