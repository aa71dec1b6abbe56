#include "core/session/session_file.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "core/session/schema.h"

namespace stele {
namespace {

namespace fs = std::filesystem;

std::string now_iso8601() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// Beside the target, so that the rename stays within a file system.
std::string building_name(const std::string& path) {
  const fs::path target(path);
  return (target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), ::getpid())).string();
}

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

bool has_log(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path + "-wal", error);
  return !error && size > 0;
}

// A file: URI; everything but letters, digits and a few marks is escaped.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const unsigned char c : fs::absolute(path).string()) {
    if (std::isalnum(c) || c == '/' || c == '.' || c == '-' || c == '_') {
      uri += static_cast<char>(c);
    } else {
      uri += fmt::format("%{:02x}", c);
    }
  }
  return uri + "?immutable=1";
}

std::unique_ptr<Database> open_existing(const std::string& path) {
  const std::string folder = fs::absolute(path).parent_path().string();
  const bool writable = ::access(path.c_str(), W_OK) == 0 && ::access(folder.c_str(), W_OK) == 0;
  if (writable) return std::make_unique<Database>(path, SQLITE_OPEN_READWRITE, path);
  // SQLite wants to make files beside a database in WAL mode, unless it is told that nobody writes it.
  if (has_log(path)) return std::make_unique<Database>(path, SQLITE_OPEN_READONLY, path);
  return std::make_unique<Database>(immutable_uri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path);
}

}  // namespace

SessionFile::SessionFile(Fresh, const std::string& path, const std::string& title, const std::string& stack)
    : path_(path), building_(building_name(path)) {
  remove_quietly(building_);
  if (fs::is_directory(path)) fail("{}: is a folder, expected a file to write", path);
  database_ = std::make_unique<Database>(building_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path);
  // If this is cut short the file is thrown away: no journal is needed yet.
  database_->execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;");
  Transaction transaction(*database_);
  database_->execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", session_application_id, session_version).c_str());
  database_->execute(session_schema);
  set_meta("title", title);
  set_meta("stack", stack);
  set_meta("complete", "0");
  set_meta("created", now_iso8601());
  transaction.commit();
}

SessionFile::SessionFile(const std::string& path) : path_(path) {
  check_session_header(path);
  database_ = open_existing(path);
  database_->execute("PRAGMA cell_size_check=ON;");
  if (!meta("stack")) fail("{}: not a session that can be read: it does not say which stack wrote it", path);
}

SessionFile::~SessionFile() {
  store_.reset();
  database_.reset();
  if (!building_.empty()) remove_quietly(building_);
}

std::optional<std::string> SessionFile::meta(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  Statement select(*database_, "SELECT value FROM meta WHERE key=?");
  if (!select.bind(1, key).step()) return std::nullopt;
  return select.text(0);
}

void SessionFile::set_meta(const std::string& key, const std::string& value) {
  const std::lock_guard lock(mutex_);
  Statement(*database_, "INSERT OR REPLACE INTO meta VALUES(?,?)").bind(1, key).bind(2, value).run();
}

void SessionFile::add(const NewSnapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  try {
    if (!store_) store_ = std::make_unique<SessionStore>(*database_);
    Transaction transaction(*database_);
    store_->add(snapshot);
    transaction.commit();
  } catch (...) {
    store_.reset();  // what it remembers as written was rolled back
    throw;
  }
  // An older session stays at the path until this one is whole.
  if (!building_.empty() && !fs::exists(path_)) publish();
}

void SessionFile::publish() {
  store_.reset();
  database_.reset();
  // A log left beside an older file would be taken for the new one's.
  remove_quietly(path_ + "-wal");
  remove_quietly(path_ + "-shm");
  if (::rename(building_.c_str(), path_.c_str()) != 0) fail("{}: cannot be written: {}", path_, std::strerror(errno));
  building_.clear();
  database_ = std::make_unique<Database>(path_, SQLITE_OPEN_READWRITE, path_);
  // What a killed process has written is safe with the system. Only a failing machine can lose it, and then the compile
  // that is lost can be repeated: not worth waiting for the disk, which takes longer than many a compile.
  database_->execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL;");
}

void SessionFile::finish() {
  const std::lock_guard lock(mutex_);
  if (!building_.empty()) publish();
  Transaction transaction(*database_);
  database_->execute(session_indexes);
  set_meta("complete", "1");
  transaction.commit();
}

std::unique_ptr<Session> Session::create(const std::string& path, const std::string& title, const std::string& stack) {
  return std::make_unique<SessionFile>(SessionFile::Fresh{}, path, title, stack);
}

std::unique_ptr<Session> Session::open(const std::string& path) { return std::make_unique<SessionFile>(path); }

}  // namespace stele
