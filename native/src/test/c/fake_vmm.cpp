// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The virtual memory calls of the fake CUDA driver. Device memory that processes share is a memfd: exporting it
// duplicates its descriptor, importing duplicates what came, and mapping it is mmap. So processes really share
// memory, a write to a read-only mapping is a real SIGSEGV, and /proc shows what has leaked. Like the driver, it
// refuses to export imported memory, to map over a mapping, and to free addresses that are still mapped.
//
// Words of the script: `vmm_bytes=<n>` is how much this process can create, `vmm_access_rc=<n>` refuses access to
// imported memory with that CUresult, as between GPUs without a connection, and `refuse_<call>=<n>` lets the n-th
// call fail.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "fake_queue.h"
#include "fake_script.h"

namespace {

constexpr uint64_t GRANULE = 2 << 20;
constexpr int INVALID = 1;
constexpr int OUT_OF_MEMORY = 2;
constexpr int OPERATING_SYSTEM = 304;
constexpr int LAUNCH_FAILED = 719;
constexpr int NOT_PERMITTED = 800;
constexpr int FILE_DESCRIPTOR = 1;
constexpr int FABRIC = 8;

struct Memory {
  int fd;
  uint64_t bytes;
  bool imported;
};

struct Mapping {
  uint64_t bytes;
  bool imported;
};

struct Properties {
  int type;
  int handle_types;
  int location_type;
  int location_id;
  void *win32;
  char flags[8];
};

struct Access {
  int location_type;
  int location_id;
  int flags;
};

std::mutex vmm_lock;
std::map<uint64_t, Memory> memories;
std::map<uint64_t, uint64_t> reserved;
std::map<uint64_t, Mapping> mapped;
uint64_t next_memory = 0x7000;
uint64_t created_bytes = 0;

bool is_reserved(uint64_t address, uint64_t bytes) {
  auto next = reserved.upper_bound(address);
  return next != reserved.begin() && address + bytes <= std::prev(next)->first + std::prev(next)->second;
}

bool overlaps_mapping(uint64_t address, uint64_t bytes) {
  auto next = mapped.lower_bound(address + bytes);
  return next != mapped.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address;
}

void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

uint64_t add(Memory memory) {
  memories[next_memory] = memory;
  return next_memory++;
}

}  // namespace

uint64_t fake_created_bytes() {
  const std::lock_guard<std::mutex> guard(vmm_lock);
  return created_bytes;
}

extern "C" {

int cuMemGetInfo_v2(size_t *available, size_t *total);

int cuMemGetAllocationGranularity(size_t *granularity, const Properties *, int) {
  *granularity = GRANULE;
  return 0;
}

int cuMemCreate(uint64_t *handle, size_t bytes, const Properties *wanted, unsigned long long) {
  const auto gpu = static_cast<uint64_t>(fake_number("gpu_bytes", 0));
  size_t available = 0;
  size_t total = 0;
  cuMemGetInfo_v2(&available, &total);
  if (fake_refuses("cuMemCreate") || (gpu != 0 && bytes > available)) {
    return OUT_OF_MEMORY;
  }
  const std::lock_guard<std::mutex> guard(vmm_lock);
  if (wanted->type != 1 || wanted->location_type != 1 || bytes == 0 || bytes % GRANULE != 0) {
    return INVALID;
  }
  if ((wanted->handle_types & FABRIC) != 0) {
    return NOT_PERMITTED;
  }
  if (created_bytes + bytes > static_cast<uint64_t>(fake_number("vmm_bytes", 1L << 40))) {
    return OUT_OF_MEMORY;
  }
  const int fd = memfd_create("symshuffle-fake-gpu", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    return OUT_OF_MEMORY;
  }
  created_bytes += bytes;
  *handle = add({fd, bytes, false});
  return 0;
}

int cuMemRelease(uint64_t handle) {
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = memories.find(handle);
  if (found == memories.end()) {
    return INVALID;
  }
  close(found->second.fd);
  created_bytes -= found->second.imported ? 0 : found->second.bytes;
  memories.erase(found);
  return 0;
}

int cuMemExportToShareableHandle(int *fd, uint64_t handle, int type, unsigned long long) {
  if (fake_refuses("cuMemExportToShareableHandle")) {
    return OPERATING_SYSTEM;
  }
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = memories.find(handle);
  if (found == memories.end() || type != FILE_DESCRIPTOR || found->second.imported) {
    return INVALID;
  }
  // Like CUDA, which does not promise that children do not inherit it.
  *fd = dup(found->second.fd);
  return *fd < 0 ? INVALID : 0;
}

int cuMemImportFromShareableHandle(uint64_t *handle, void *os_handle, int type) {
  if (fake_refuses("cuMemImportFromShareableHandle")) {
    return OUT_OF_MEMORY;
  }
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const int fd = static_cast<int>(reinterpret_cast<intptr_t>(os_handle));
  char link[64];
  char name[64] = {};
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  struct stat status;
  if (type != FILE_DESCRIPTOR || readlink(link, name, sizeof name - 1) < 0 ||
      strncmp(name, "/memfd:symshuffle-fake-gpu", 26) != 0 || fstat(fd, &status) != 0) {
    return INVALID;
  }
  *handle = add({fcntl(fd, F_DUPFD_CLOEXEC, 0), static_cast<uint64_t>(status.st_size), true});
  return 0;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t, uint64_t, unsigned long long) {
  const std::lock_guard<std::mutex> guard(vmm_lock);
  if (bytes == 0 || bytes % GRANULE != 0) {
    return INVALID;
  }
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *start = mmap(nullptr, bytes + GRANULE, PROT_NONE, flags, -1, 0);
  if (start == MAP_FAILED) {
    return OUT_OF_MEMORY;
  }
  const auto begin = reinterpret_cast<uint64_t>(start);
  *address = (begin + GRANULE - 1) / GRANULE * GRANULE;
  if (*address > begin) {
    munmap(start, *address - begin);
  }
  munmap(at(*address + bytes), begin + GRANULE - *address);
  reserved[*address] = bytes;
  return 0;
}

int cuMemAddressFree(uint64_t address, size_t bytes) {
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = reserved.find(address);
  if (found == reserved.end() || found->second != bytes || overlaps_mapping(address, bytes)) {
    return INVALID;
  }
  reserved.erase(found);
  munmap(at(address), bytes);
  return 0;
}

int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, unsigned long long) {
  if (fake_refuses("cuMemMap")) {
    return OUT_OF_MEMORY;
  }
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = memories.find(handle);
  if (found == memories.end() || offset != 0 || bytes != found->second.bytes || address % GRANULE != 0 ||
      !is_reserved(address, bytes) || overlaps_mapping(address, bytes)) {
    return INVALID;
  }
  if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.fd, 0) == MAP_FAILED) {
    return OUT_OF_MEMORY;
  }
  mapped[address] = {bytes, found->second.imported};
  return 0;
}

int cuMemSetAccess(uint64_t address, size_t bytes, const Access *access, size_t count) {
  if (fake_refuses("cuMemSetAccess")) {
    return OUT_OF_MEMORY;
  }
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = mapped.find(address);
  if (found == mapped.end() || found->second.bytes != bytes || count != 1 || access->location_type != 1) {
    return INVALID;
  }
  const long refusal = found->second.imported ? fake_number("vmm_access_rc", 0) : 0;
  if (refusal != 0) {
    return static_cast<int>(refusal);
  }
  const int protection = access->flags == 3 ? PROT_READ | PROT_WRITE : access->flags == 1 ? PROT_READ : PROT_NONE;
  return mprotect(at(address), bytes, protection) == 0 ? 0 : INVALID;
}

int cuMemUnmap(uint64_t address, size_t bytes) {
  if (fake_refuses("cuMemUnmap")) {
    return LAUNCH_FAILED;
  }
  const int taken = fake_take("cuMemUnmap", address, bytes);
  const std::lock_guard<std::mutex> guard(vmm_lock);
  const auto found = mapped.find(address);
  if (found == mapped.end() || found->second.bytes != bytes) {
    return INVALID;
  }
  mapped.erase(found);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(at(address), bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED ? OUT_OF_MEMORY : taken;
}

}  // extern "C"
