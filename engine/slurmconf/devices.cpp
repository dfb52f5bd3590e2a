#include "engine/slurmconf/devices.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

constexpr std::size_t kMostOnALine = 4096;

// Where the file is among the others.
Files::const_iterator devices_file(const Files& files) {
  const std::string path = allowed_devices_path(files);
  return std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
}

std::vector<std::string> patterns_of(std::string_view text) {
  if (!text.empty() && text.back() != '\n') text.remove_suffix(1);
  auto lines = lines_in(text);
  return {lines.begin(), lines.end()};
}

}  // namespace

bool reads_allowed_devices(const SlurmSetup& site) {
  return site.major > 0 && (site.major < 22 || (site.major == 22 && site.minor < 5));
}

std::string allowed_devices_path(const Files& files) {
  if (files.empty()) return "";
  const std::string& conf = files.front().path;
  const std::string folder = conf.substr(0, conf.rfind('/') + 1);
  std::string name = "cgroup_allowed_devices_file.conf";
  if (auto cgroup = file_named(files, "cgroup.conf"))
    for (const Line& line : parse(files[*cgroup]).lines)
      if (line.is("AllowedDevicesFile")) name = line.find("AllowedDevicesFile")->value;
  return name.starts_with('/') ? name : folder + name;
}

std::vector<std::string> devices_of(const Line& gres_line) {
  std::vector<std::string> devices;
  for (const char* key : {"File", "MultipleFiles"})
    if (const Pair* list = gres_line.find(key))
      if (auto files = expand_hosts(list->value, kMostOnALine))
        devices.insert(devices.end(), files->begin(), files->end());
  return devices;
}

std::vector<std::string> devices_of_gres(const std::vector<std::string>& gres_lines) {
  std::vector<std::string> devices{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"};
  std::set<std::string> known(devices.begin(), devices.end());
  for (const std::string& text : gres_lines)
    for (std::string& device : devices_of(parse_line(text)))
      if (known.insert(device).second) devices.push_back(std::move(device));
  return devices;
}

const std::string* allowed_devices_text(const Files& files) {
  auto found = devices_file(files);
  return found == files.end() ? nullptr : &found->text;
}

std::vector<std::string> not_allowed(std::string_view text, const std::vector<std::string>& devices) {
  const std::vector<std::string> patterns = patterns_of(text);
  const std::set<std::string_view> plain(patterns.begin(), patterns.end());
  std::vector<const std::string*> globs;
  for (const std::string& pattern : patterns)
    if (pattern.find_first_of("*?[\\") != std::string::npos) globs.push_back(&pattern);
  std::vector<std::string> missing;
  for (const std::string& device : devices) {
    bool listed =
        plain.count(device) || std::any_of(globs.begin(), globs.end(), [&](const std::string* glob) {
          return ::fnmatch(glob->c_str(), device.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
        });
    if (!listed) missing.push_back(device);
  }
  return missing;
}

Files allow_devices(Files files, const std::vector<std::string>& devices) {
  auto found = devices_file(files);
  if (found == files.end()) return files;
  std::string& text = files[static_cast<std::size_t>(found - files.begin())].text;
  for (const std::string& device : not_allowed(text, devices)) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += device + '\n';
  }
  return files;
}

}  // namespace tessera::slurmconf
