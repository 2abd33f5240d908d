// Checks the machine: clock, disk space and process limits.
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>

#include <filesystem>
#include <fstream>

#include "cli/doctor/diagnosis.h"
#include "cli/terminal/figures.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

constexpr std::uint64_t mebibyte = 1024 * 1024;
constexpr std::uint64_t space_problem = 64 * mebibyte;
constexpr std::uint64_t space_warning = 1024 * mebibyte;
constexpr std::uint64_t other_descriptors = 256;  // files, and connections to a database
constexpr std::int64_t backlog_wanted = 1024;

Diagnosis clock_synchronization() {
  timex state{};
  const int answer = ::adjtimex(&state);
  if (answer < 0) {
    return {Level::good, "clock", "cannot tell whether this machine's clock is synchronized"};
  }
  if ((static_cast<unsigned>(state.status) & STA_UNSYNC) == 0) {
    return {Level::good, "clock", "this machine's clock is synchronized"};
  }
  return {Level::warning, "clock", "this machine's clock is not synchronized",
          "run a time service, such as systemd-timesyncd or chrony; leases and schedules depend "
          "on the clock"};
}

Diagnosis accept_backlog() {
  std::ifstream file("/proc/sys/net/core/somaxconn");
  std::int64_t allowed = 0;
  if (!(file >> allowed) || allowed >= backlog_wanted) {
    return {Level::good, "limits", "the backlog of connections is large enough"};
  }
  return {Level::warning, "limits",
          "the backlog is limited to " + std::to_string(allowed) + " connections",
          "raise net.core.somaxconn to 1024 or more"};
}

Diagnosis file_size() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY)
    return {Level::good, "limits", "the size of files is not limited"};
  return {Level::warning, "limits", "files are limited to " + bytes_text(limit.rlim_cur),
          "remove the limit (ulimit -f unlimited): a store that cannot grow rejects new jobs"};
}

// The folder of the store's file; the working directory for other stores.
std::string folder_of(const Settings& settings) {
  constexpr std::string_view sqlite = "sqlite:";
  const std::string url = settings.text("store");
  if (!url.starts_with(sqlite)) return ".";
  const auto parent = std::filesystem::path(url.substr(sqlite.size())).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

Diagnosis diagnose_space(const std::string& folder, std::uint64_t free, std::uint64_t all) {
  const std::string what = bytes_text(free) + " of " + bytes_text(all) + " free in " + folder;
  if (free < space_problem) {
    return {Level::problem, "disk", what,
            "free space or move the store: when the disk is full, new jobs are rejected with 507"};
  }
  if (free < space_warning || free < all / 20) {
    return {Level::warning, "disk", what,
            "free space soon: shorten the retention, or use a larger disk"};
  }
  return {Level::good, "disk", what};
}

Diagnosis diagnose_descriptors(std::uint64_t allowed, std::int64_t connections) {
  const std::uint64_t wanted = static_cast<std::uint64_t>(connections) + other_descriptors;
  const std::string what = "a process may open " + count_text(static_cast<std::int64_t>(allowed)) +
                           " files, for up to " + count_text(connections) + " connections";
  if (allowed >= wanted) return {Level::good, "limits", what};
  return {Level::warning, "limits", what,
          "raise the limit (LimitNOFILE in the unit, ulimit -n in a shell) to " +
              std::to_string(wanted) + ", or lower limits.connections"};
}

void examine_machine(const Settings& settings, Diagnoses& found) {
  found.push_back(clock_synchronization());
  const std::string folder = folder_of(settings);
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) == 0) {
    found.push_back(
        diagnose_space(folder, disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize));
  } else {
    found.push_back({Level::problem, "disk", "folder " + folder + " does not exist",
                     "create it, or change --store"});
  }
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  found.push_back(diagnose_descriptors(files.rlim_cur, settings.natural("limits.connections")));
  found.push_back(accept_backlog());
  found.push_back(file_size());
}

}  // namespace longshore
