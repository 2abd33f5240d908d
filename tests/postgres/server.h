// A real PostgreSQL server for tests. Under ctest all tests share one, which is named in the
// environment; a program that is run without ctest starts its own, which ends with it.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace longshore::postgres_test {

// The folder of the server and of its socket.
const std::string& server_folder();

// postgres://... of the server with further options, such as "schema=x&lanes=2".
std::string server_url(const std::string& options);

// Runs one or more statements on a separate connection, and aborts if they fail. Returns the first
// column of the first row, or nothing.
std::string run_sql(const std::string& text);

// A separate server for tests that damage it.
class OwnServer {
 public:
  // In memory if possible, or in a folder below `parent`.
  explicit OwnServer(const std::string& parent = "");
  ~OwnServer();
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  const std::string& folder() const { return folder_; }
  std::string url(const std::string& options) const;
  // Like a power cut, except for the disk; returns when it answers again.
  void restart();
  // Stops it at once, copies its data or restores the copy, and starts it again.
  void copy();
  void set_back();

 private:
  std::string folder_;
};

}  // namespace longshore::postgres_test
