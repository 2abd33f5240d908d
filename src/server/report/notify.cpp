#include "server/report/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace longshore {

void notify_manager(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path, length);
  // '@' means the zero byte of an abstract socket address.
  if (path[0] == '@') address.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + length);
  [[maybe_unused]] const ssize_t sent =
      ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const struct sockaddr*>(&address), size);
  ::close(socket);
}

}  // namespace longshore
