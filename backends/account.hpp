// What accounts and this machine are called, without the C library's name service: a static binary cannot
// load its modules, and ends with an abort where a site keeps its users in SSSD or LDAP. Threads: no shared
// state; any thread but a worker's own. Waits for one program, two seconds at most.
#pragma once

#include <sys/types.h>

#include <string>

namespace tessera {

// Where accounts are looked up; others in tests.
struct AccountSources {
  std::string passwd = "/etc/passwd";
  std::string getent = "getent";  // asks whatever nsswitch.conf names; searched in PATH
};

// From the file; else from getent, which knows the site's directory too; else "uid-1000". Text from elsewhere
// is made harmless.
std::string account_name(uid_t uid, const AccountSources& sources = {});

// What this machine calls itself; "?": it does not say.
std::string host_name();

}  // namespace tessera
