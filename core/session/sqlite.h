// SQLite, as a database and statements that clean up after themselves and throw Error naming the file.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stele {

class Database {
 public:
  // `flags` as sqlite3_open_v2 takes them; `target` may be a file: URI where they hold SQLITE_OPEN_URI.
  Database(const std::string& target, int flags, std::string shown_path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql);
  int64_t last_row() const { return sqlite3_last_insert_rowid(connection_); }
  sqlite3* connection() const { return connection_; }
  [[noreturn]] void fail_here(const char* doing) const;

 private:
  sqlite3* connection_ = nullptr;
  std::string path_;  // for messages
};

// A prepared statement. bind… count from 1, column… from 0, as SQLite does.
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int at, int64_t value);
  Statement& bind(int at, double value);
  Statement& bind(int at, std::string_view value);              // not copied: must live until run() or the last step()
  Statement& bind(int at, std::span<const std::byte> value);    // likewise
  bool step();  // true: a row is there
  void run();   // steps once and resets
  void reset();

  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;
  std::span<const std::byte> bytes(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

// BEGIN IMMEDIATE … commit(); rolls back where commit() was not reached.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace stele
