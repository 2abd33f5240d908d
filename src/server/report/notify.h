// Reports the server's state to a service manager, with systemd's protocol.
#pragma once

#include <string_view>

namespace longshore {

// Sends `state`, such as "READY=1", to $NOTIFY_SOCKET, if set. Errors are ignored.
void notify_manager(std::string_view state);

}  // namespace longshore
