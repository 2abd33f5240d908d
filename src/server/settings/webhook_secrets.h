// The secrets that sign webhooks, from the option `secrets` and the tables [secrets.NAME].
#pragma once

#include "client/delivery/webhook.h"
#include "longshore/error.h"
#include "server/settings/settings.h"

namespace longshore {

// Reads the files that the tables name. Errc::refused for one that others can read or that is not
// there, Errc::invalid for one that holds no secret, or for two secrets of one name.
Result<Secrets> webhook_secrets(const Settings& settings);

}  // namespace longshore
