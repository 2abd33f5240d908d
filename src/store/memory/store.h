// The reference store: the simplest code that keeps every promise of longshore/store.h, in
// memory. Other stores are compared with it, and the simulator uses its disk.
#pragma once

#include <memory>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "store/memory/disk.h"

namespace longshore {

// `disk` and `clock` must outlive the store, and no two stores may be open on one disk. The first
// store opened on a disk records its rules there and uses those recorded; Errc::refused if what a
// profile fixes differs.
Result<std::unique_ptr<Backend>> open_memory(MemoryDisk& disk, Clock& clock, const Rules& rules);

}  // namespace longshore
