#include "tests/support/slurm_tables.hpp"

#include <dlfcn.h>

namespace tessera::test {
namespace {

constexpr unsigned long kFoundRows = 2;  // CLIENT_FOUND_ROWS: rows count that an update leaves as they were

// What is used of libmariadb's C interface, whose header is in another package.
struct Library {
  void* (*init)(void*) = nullptr;
  void* (*connect)(void*, const char* host, const char* user, const char* password, const char* database,
                   unsigned port, const char* socket, unsigned long flags) = nullptr;
  int (*query)(void*, const char*) = nullptr;
  const char* (*error)(void*) = nullptr;
  unsigned long long (*rows)(void*) = nullptr;
  void (*close)(void*) = nullptr;

  // It stays loaded until the process ends.
  Library() {
    void* library = ::dlopen("libmariadb.so.3", RTLD_NOW | RTLD_LOCAL);
    const bool all = library && found(library, "mysql_init", init) &&
                     found(library, "mysql_real_connect", connect) && found(library, "mysql_query", query) &&
                     found(library, "mysql_error", error) && found(library, "mysql_affected_rows", rows) &&
                     found(library, "mysql_close", close);
    if (!all) init = nullptr;
  }
  bool ok() const { return init != nullptr; }

 private:
  template <typename Function>
  static bool found(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
  }
};

std::string ask(const Library& library, void* connection, const std::string& statement) {
  if (library.query(connection, statement.c_str()) != 0) return statement + ": " + library.error(connection);
  if (statement.starts_with("update ") && library.rows(connection) == 0)
    return statement + ": there is no such row";
  return "";
}

bool is_deadlock(const std::string& wrong) { return wrong.find("Deadlock found") != std::string::npos; }

}  // namespace

bool can_change_tables() { return Library().ok(); }

std::string change_tables(const std::string& socket, const std::vector<std::string>& statements) {
  const Library library;
  void* connection = library.ok() ? library.init(nullptr) : nullptr;
  if (!connection) return "libmariadb.so.3 cannot be used";
  // slurmdbd may have a row of them in its hands for a while.
  std::vector<std::string> all{"set innodb_lock_wait_timeout=120", "start transaction"};
  all.insert(all.end(), statements.begin(), statements.end());
  all.emplace_back("commit");
  std::string wrong;
  if (!library.connect(connection, nullptr, "root", nullptr, "slurm_acct_db", 0, socket.c_str(), kFoundRows))
    wrong = socket + ": " + library.error(connection);
  // Where both wait for each other, the database undoes one of them, which may be this one.
  for (int tries = 0; tries == 0 || (tries < 5 && is_deadlock(wrong)); ++tries) {
    if (tries > 0) wrong.clear();
    for (std::size_t i = 0; i < all.size() && wrong.empty(); ++i) wrong = ask(library, connection, all[i]);
  }
  library.close(connection);
  return wrong;
}

}  // namespace tessera::test
