#include "postgres/server.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/assert.h"

namespace longshore::postgres_test {
namespace {

constexpr const char* script = "tests/postgres/server.sh";

// In memory if possible: durability of the disk is rarely tested here.
std::string usual_parent() {
  const std::filesystem::path memory = "/dev/shm";
  const bool has_memory = std::filesystem::is_directory(memory);
  return (has_memory ? memory : std::filesystem::temp_directory_path()).string();
}

std::string new_folder(const std::string& parent) {
  std::string path = (parent.empty() ? usual_parent() : parent) + "/longshore-pg-XXXXXX";
  LONGSHORE_ASSERT(::mkdtemp(path.data()) != nullptr, "tests can write to this directory");
  return path;
}

std::string url_of(const std::string& folder, const std::string& options) {
  return "postgres://postgres@/postgres?host=" + folder + (options.empty() ? "" : "&" + options);
}

pid_t start_script(const char* verb, const std::string& folder) {
  const pid_t child = ::fork();
  LONGSHORE_ASSERT(child >= 0, "tests can start a process");
  if (child == 0) {
    ::execlp("bash", "bash", script, verb, folder.c_str(), nullptr);
    ::_exit(127);
  }
  return child;
}

void run_script(const char* verb, const std::string& folder) {
  int status = 0;
  ::waitpid(start_script(verb, folder), &status, 0);
  LONGSHORE_ASSERT(status == 0, "the test's PostgreSQL server obeys");
}

// The server of a program that runs without ctest. It ends with the program, even if that crashes.
class PrivateServer {
 public:
  PrivateServer() : folder_(new_folder("")), script_(start_script("run", folder_)) {
    constexpr int pauses = 600;
    constexpr int pause_millis = 50;
    for (int i = 0; i < pauses && PQping(url_of(folder_, "").c_str()) != PQPING_OK; ++i) {
      ::poll(nullptr, 0, pause_millis);
    }
  }
  ~PrivateServer() {
    ::kill(script_, SIGINT);
    ::waitpid(script_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_;
  const pid_t script_;
};

PGconn* connect(const std::string& folder) {
  PGconn* connection = PQconnectdb(url_of(folder, "").c_str());
  if (PQstatus(connection) != CONNECTION_OK) std::fputs(PQerrorMessage(connection), stderr);
  LONGSHORE_ASSERT(PQstatus(connection) == CONNECTION_OK, "the test's PostgreSQL server answers");
  return connection;
}

}  // namespace

const std::string& server_folder() {
  static const char* given = std::getenv("LONGSHORE_TEST_POSTGRES");
  if (given != nullptr) {
    static const std::string folder = given;
    return folder;
  }
  static const PrivateServer own;
  return own.folder();
}

std::string server_url(const std::string& options) { return url_of(server_folder(), options); }

std::string run_sql(const std::string& text) {
  static const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(connect(server_folder()),
                                                                       &PQfinish);
  PGresult* result = PQexec(connection.get(), text.c_str());
  const ExecStatusType status = PQresultStatus(result);
  const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  if (!good) std::fputs(PQresultErrorMessage(result), stderr);
  LONGSHORE_ASSERT(good, "the test's own SQL is valid");
  std::string answer = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
  PQclear(result);
  return answer;
}

OwnServer::OwnServer(const std::string& parent) : folder_(new_folder(parent)) {
  run_script("start", folder_);
}
OwnServer::~OwnServer() { run_script("stop", folder_); }

std::string OwnServer::url(const std::string& options) const { return url_of(folder_, options); }
void OwnServer::restart() { run_script("restart", folder_); }
void OwnServer::copy() { run_script("copy", folder_); }
void OwnServer::set_back() { run_script("set_back", folder_); }

}  // namespace longshore::postgres_test
