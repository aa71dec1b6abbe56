#include "core/session/sqlite.h"

#include "core/ir/error.h"

namespace stele {

Database::Database(const std::string& target, int flags, std::string shown_path) : path_(std::move(shown_path)) {
  const int status = sqlite3_open_v2(target.c_str(), &connection_, flags, nullptr);
  if (status != SQLITE_OK) {
    const std::string why = connection_ ? sqlite3_errmsg(connection_) : "out of memory";
    sqlite3_close_v2(connection_);
    fail("{}: cannot be opened: {}", path_, why);
  }
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_busy_timeout(connection_, 5000);
  // A session may come from anyone: its schema may not run functions, and damaged pages are to be noticed.
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

Database::~Database() { sqlite3_close_v2(connection_); }

void Database::execute(const char* sql) {
  if (sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail_here("writing");
}

void Database::fail_here(const char* doing) const { fail("{}: {}: {}", path_, doing, sqlite3_errmsg(connection_)); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v3(database.connection(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) {
    database.fail_here("not a session that can be read");
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int at, int64_t value) {
  sqlite3_bind_int64(statement_, at, value);
  return *this;
}

Statement& Statement::bind(int at, double value) {
  sqlite3_bind_double(statement_, at, value);
  return *this;
}

Statement& Statement::bind(int at, std::string_view value) {
  sqlite3_bind_text64(statement_, at, value.data() ? value.data() : "", value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int at, std::span<const std::byte> value) {
  sqlite3_bind_blob64(statement_, at, value.data() ? static_cast<const void*>(value.data()) : "", value.size(), SQLITE_STATIC);
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  sqlite3_reset(statement_);
  database_.fail_here("reading or writing");
}

void Statement::run() {
  step();
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

std::string Statement::text(int column) const {
  const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return start ? std::string(start, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* start = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {start, start ? static_cast<size_t>(sqlite3_column_bytes(statement_, column)) : 0};
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.connection(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace stele
