// Tells a service manager (systemd's protocol) how the server is doing.
#pragma once

#include <string_view>

namespace longshore {

// Sends `state`, such as "READY=1", to the socket that $NOTIFY_SOCKET names. Does nothing if there
// is none; what cannot be delivered is nobody's concern.
void notify_manager(std::string_view state);

}  // namespace longshore
