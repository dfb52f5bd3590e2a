// The GPUs of one node as the stand-in for nvidia-smi keeps them, and its text form.
//
// GPUs and their habits are sim/gpu; here they get what a driver tells beside: names, addresses, device
// numbers, the faults that are armed. The text is YAML, so that a test or a person may edit it.
// Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/gpu.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/yaml.hpp"

namespace tessera::sim {

enum class SmiFault : std::uint8_t {
  in_use,        // "In use by another client", and nothing is done
  insufficient,  // "Insufficient Resources" after half of the list is made
  pending,       // a changed MIG mode waits for a reset
  no_device,     // success is reported, and nothing is done
  answer_lost,   // it is done, and the answer is an unknown error
  unknown,       // Unknown Error, exit code 255, and nothing is done
  hang,          // no answer, ever, and nothing is done
};

struct ArmedFault {
  SmiFault kind = SmiFault::unknown;
  std::string verb;             // "-cgi"; empty: any verb that it is about
  int nth = 1;                  // the first matching call that it strikes
  std::optional<int> times{1};  // so many in a row; nullopt: always
  int seen = 0;
  friend bool operator==(const ArmedFault&, const ArmedFault&) = default;
};
// "insufficient verb=-cgi nth=2 times=always seen=1". Errors say what was expected.
Result<ArmedFault> parse_smi_fault(std::string_view text);
std::string to_text(const ArmedFault& fault);

struct Card {
  const mig::Product* product = nullptr;
  std::string name;  // as nvidia-smi prints it
  std::string uuid;
  std::string pci;  // "00000000:1B:00.0"
  Board board;      // a client is `hidden` of the GPU or of an instance
  std::string compute_mode = "Default";
  bool persistence = true;
  int timeslice = 0;
};

struct Machine {
  int driver = 580;     // 535, 570 or 580: which generation's words are printed
  std::string devices;  // folder of the device files; empty: none are made
  std::vector<Card> cards;
  std::vector<ArmedFault> faults;
};

// "h100:8", "H100-80GB-SXM5:2,A30:1": any name of the catalogue; a word for several products means the first.
// `salt` makes the UUIDs of one node differ from another's.
Result<Machine> make_machine(std::string_view spec, int driver, const mig::Catalogue& catalogue,
                             std::string_view salt);
// The machine keeps pointers into the catalogue. Errors name the place in the file.
Result<Machine> parse_machine(std::string_view text, std::string_view file, const mig::Catalogue& catalogue);
// The same in two steps, with no more of the built-in catalogue than the file names: a lab starts the
// stand-in for each call, hundreds of times.
Result<mig::Catalogue> products_of(const Yaml& root);
Result<Machine> read_machine(const Yaml& root, std::string_view file, const mig::Catalogue& catalogue);
std::string to_text(const Machine& machine);

// Numbers of the capability devices, as /proc/driver/nvidia-caps/mig-minors has them: 15 GPU instances with 8
// compute instances each a GPU.
int instance_minor(int gpu, int instance);
int compute_minor(int gpu, int instance, int compute);
std::string minors_text(const Machine& machine);
// Makes the device folder show what stands: links to /dev/null named as in /dev, and the text mig-minors.
// Nothing happens without a folder.
Status show_devices(const Machine& machine);

}  // namespace tessera::sim
