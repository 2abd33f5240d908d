// The disk's tables as one: a record and its places in every index are written together. The
// caller holds the store's mutex.
#pragma once

#include <optional>
#include <string>

#include "longshore/job.h"
#include "longshore/rules.h"
#include "store/memory/disk.h"

namespace longshore::memory {

using StoredJob = MemoryDisk::StoredJob;

// Null if there is no such job, or not in this namespace.
StoredJob* find(MemoryDisk& disk, const JobId& id);
StoredJob* find(MemoryDisk& disk, const std::string& ns, const JobId& id);
StoredJob* find_live(MemoryDisk& disk, const MemoryDisk::JobKey& key);
// The live job of the key, else the latest one.
StoredJob* find_by_key(MemoryDisk& disk, const MemoryDisk::JobKey& key);

// Enters the job into every index it belongs to, or takes it out of them again. Jobs are
// unindexed as they were indexed, before they change.
void index(MemoryDisk& disk, const Job& job, const Rules& rules);
void unindex(MemoryDisk& disk, const Job& job, const Rules& rules);

// Writes a whole record, or removes it, with all its index entries.
void put(MemoryDisk& disk, StoredJob stored, const Rules& rules);
void remove(MemoryDisk& disk, const JobId& id, const Rules& rules);

// When the clock has something to say to a scheduled or backing-off job.
Instant due_at(const Job& job);

MemoryDisk::IdempotencyKey idempotency_key(const std::string& ns, const std::string& type,
                                           const std::string& key);
// What the key stands for, with the job's status as it is now.
std::optional<KeyView> find_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key);
void bind_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key, const KeyView& view);
void forget_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key);

}  // namespace longshore::memory
