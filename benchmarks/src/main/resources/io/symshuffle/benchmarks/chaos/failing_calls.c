// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// Fails every n-th call of some functions of the C library in a process that preloads this library:
//
//   madvise   with MADV_POPULATE_WRITE: EFAULT, as if shared memory were full; n is FAIL_POPULATE
//   fallocate that reserves memory: ENOSPC; n is FAIL_FALLOCATE
//   pread     of a file of map outputs (*.runs): EIO; n is FAIL_PREAD
//
// A variable that is not set, or 0, fails no call. The first calls of a process work. Each failure appends a line to the file FAIL_LOG.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POPULATE_WRITE 23
#define FIRST_CALLS 10

typedef struct {
  const char *variable;
  const char *name;
  long every;
  atomic_long calls;
} call_t;

static call_t populate = {"FAIL_POPULATE", "call.populate", 0, 0};
static call_t reserve = {"FAIL_FALLOCATE", "call.fallocate", 0, 0};
static call_t positioned_read = {"FAIL_PREAD", "call.pread", 0, 0};

static void start(call_t *call) {
  const char *value = getenv(call->variable);
  call->every = value == NULL ? 0 : atol(value);
  // A process cannot start without its first calls. How many work depends on the process.
  atomic_store(&call->calls, call->every > 0 ? -FIRST_CALLS - getpid() % call->every : 0);
}

__attribute__((constructor)) static void start_all(void) {
  start(&populate);
  start(&reserve);
  start(&positioned_read);
}

static void log_failure(const call_t *call, long number) {
  const char *path = getenv("FAIL_LOG");
  int file = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    char line[80];
    int length = snprintf(line, sizeof line, "%s %d %ld\n", call->name, (int)getpid(), number);
    if (write(file, line, (size_t)length) < 0) {
      // The fault is not counted.
    }
    close(file);
  }
}

static int fails(call_t *call) {
  if (call->every <= 0) {
    return 0;
  }
  long number = atomic_fetch_add(&call->calls, 1) + 1;
  if (number <= 0 || number % call->every != 0) {
    return 0;
  }
  log_failure(call, number);
  return 1;
}

static int holds_runs(int file) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path);
  return length > 5 && memcmp(path + length - 5, ".runs", 5) == 0;
}

int madvise(void *address, size_t bytes, int advice) {
  if (advice == POPULATE_WRITE && fails(&populate)) {
    errno = EFAULT;
    return -1;
  }
  return (int)syscall(SYS_madvise, address, bytes, advice);
}

int fallocate(int file, int mode, off_t offset, off_t bytes) {
  if (mode == 0 && fails(&reserve)) {
    errno = ENOSPC;
    return -1;
  }
  return (int)syscall(SYS_fallocate, file, mode, offset, bytes);
}

ssize_t pread64(int file, void *to, size_t bytes, off64_t offset) {
  if (positioned_read.every > 0 && holds_runs(file) && fails(&positioned_read)) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, file, to, bytes, offset);
}

// Java looks functions up in the C library itself, where it would not find those of this library.
void *dlsym(void *handle, const char *name) {
  static void *(*next)(void *, const char *);
  if (next == NULL) {
    *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  }
  if (next == NULL) {
    *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  }
  if (strcmp(name, "madvise") == 0) {
    return (void *)madvise;
  }
  if (strcmp(name, "fallocate") == 0) {
    return (void *)fallocate;
  }
  return next(handle, name);
}
