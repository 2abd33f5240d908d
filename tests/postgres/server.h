// A real PostgreSQL server for tests. Under ctest one is started for all of them and named in the
// environment; a program that is run by hand starts one of its own, which ends with it.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace longshore::postgres_test {

// The folder of the server, which is also where its socket is.
const std::string& server_folder();

// postgres://... of the server with further options, such as "schema=x&lanes=2".
std::string server_url(const std::string& options);

// Runs one or more statements on a connection that the test keeps for itself, and aborts if they
// fail. Answers the first column of the first row, or nothing.
std::string run_sql(const std::string& text);

// A new server, apart from the shared one, for tests that ill-treat it.
class OwnServer {
 public:
  // In memory where the machine offers it, or in a folder below `parent`.
  explicit OwnServer(const std::string& parent = "");
  ~OwnServer();
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  const std::string& folder() const { return folder_; }
  std::string url(const std::string& options) const;
  // As after a power cut, but for the disk; back when it answers again.
  void restart();
  // Stops it at once, keeps a copy of its data, or puts the copy in the place of the data, and
  // starts it again.
  void copy();
  void set_back();

 private:
  std::string folder_;
};

}  // namespace longshore::postgres_test
