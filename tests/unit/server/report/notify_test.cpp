#include "server/report/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace longshore {
namespace {

TEST(Notify, SendsTheStateToTheSocket) {
  std::string folder = (std::filesystem::temp_directory_path() / "longshore-notify-XXXXXX");
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/socket";
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  ASSERT_EQ(::bind(socket, reinterpret_cast<struct sockaddr*>(&address), sizeof(address)), 0);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
  std::array<char, 64> text{};
  EXPECT_EQ(::recv(socket, text.data(), text.size(), MSG_DONTWAIT), 7);
  EXPECT_STREQ(text.data(), "READY=1");
  ::close(socket);
  std::filesystem::remove_all(folder);
}

TEST(Notify, DoesNothingWithoutASocket) {
  ::unsetenv("NOTIFY_SOCKET");
  notify_manager("READY=1");
  ::setenv("NOTIFY_SOCKET", "no path", 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace longshore
