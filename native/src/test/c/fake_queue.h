// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What an operation on a stream does with memory of the GPU or with pinned memory of the host.
struct fake_use {
  enum Kind {
    kReads,
    kWrites,
    kSome  ///< some part of it, in a way that the driver does not know
  };
  uint64_t address;
  uint64_t bytes;
  Kind kind;
};

/// Runs a kernel on the stream of the launch in progress: immediately, or later if the stream is held.
int fake_enqueue(std::vector<fake_use> uses, std::function<int()> work);

/// The same for a kernel that waits for others: it runs in a thread, and what is queued after it waits.
int fake_enqueue_waiting(std::vector<fake_use> uses, std::function<int()> work);

/// Where the bytes are now that a kernel of the launch in progress will find at an address of the GPU: in the
/// source of a queued copy, or there.
const void *fake_future(uint64_t address, size_t bytes);

/// The allocation that an address is in; 0 bytes if there is none.
fake_use fake_region_of(uint64_t address);

/// Bytes of the GPU that shared memory takes.
uint64_t fake_created_bytes();

/// The error of this driver, which no call clears: 0, or 700 once an operation that is not done uses memory that
/// something else frees, unmaps, reads or writes. The text of error 700 and the file `violation` in the library's
/// folder name both.
int fake_error();

/// Checks that no operation that is not done uses memory which a call, with this description, takes away.
int fake_take(const std::string &by, uint64_t address, uint64_t bytes);

/// Whether the script refuses this call, for lack of memory: `refuse_<call>=<n>` refuses the n-th since the script
/// says so, `refuse_<call>=<n>+` that one and all later ones.
bool fake_refuses(const char *call);
