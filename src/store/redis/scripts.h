// The scripts that Redis runs for the store; each says in its first lines what it takes and gives.
#pragma once

#include "store/redis/script.h"

namespace longshore::redis {

const Script& fetch_script();    // what a batch has to know
const Script& apply_script();    // does what was decided, whole or not at all
const Script& ahead_script();    // how many stand before a queued job
const Script& balance_script();  // what is counted and what is listed

}  // namespace longshore::redis
