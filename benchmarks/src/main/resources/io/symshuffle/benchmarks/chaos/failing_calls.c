// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// Fails the first call of some functions of the C library, and each n-th after it, in a process that preloads this
// library:
//
//   reserve    madvise with MADV_POPULATE_WRITE: EFAULT, and fallocate: ENOSPC, as if shared memory were full
//   mmap       of a file, but not of the process's own heap: ENOMEM
//   sendmsg    EPIPE
//   recvmsg    ECONNRESET
//   pread      of a file of map outputs (*.runs): EIO
//
// The variable FAIL_CALLS contains pairs such as "reserve=3,pread=60"; calls that it does not name work, and so do
// those that a process needs to start. Each failure appends a line to the file FAIL_LOG.
//
// If FAIL_CLOCK is a number of seconds, the wall clock steps so often: an hour ahead, back, an hour behind, back.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POPULATE_WRITE 23
#define STEP_SECONDS 3600

typedef struct {
  const char *name;
  long first;  // number of calls without which a process cannot start
  long every;  // 0: none fails
  atomic_long calls;
} call_t;

static call_t reserve = {.name = "reserve", .first = 3};
static call_t map = {.name = "mmap"};
static call_t send_message = {.name = "sendmsg"};
static call_t receive_message = {.name = "recvmsg"};
static call_t positioned_read = {.name = "pread"};

static long step_every;
static time_t started;
static atomic_long last_step;

static long number_of(const char *pairs, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = pairs; at != NULL && *at != 0; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && at[length] == '=') {
      return atol(at + length + 1);
    }
  }
  return 0;
}

static time_t monotonic_seconds(void) {
  struct timespec now = {0};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

__attribute__((constructor)) static void start(void) {
  call_t *all[] = {&reserve, &map, &send_message, &receive_message, &positioned_read};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    all[i]->every = number_of(getenv("FAIL_CALLS"), all[i]->name);
  }
  const char *steps = getenv("FAIL_CLOCK");
  step_every = steps == NULL ? 0 : atol(steps);
  started = monotonic_seconds();
}

static void log_fault(const char *fault, long number) {
  const int error = errno;
  const char *path = getenv("FAIL_LOG");
  int file = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    char line[80];
    int length = snprintf(line, sizeof line, "%s %d %ld\n", fault, (int)getpid(), number);
    if (write(file, line, (size_t)length) < 0) {
      // The fault is not counted.
    }
    close(file);
  }
  errno = error;
}

static int fails(call_t *call, int error) {
  if (call->every <= 0) {
    return 0;
  }
  const long number = atomic_fetch_add(&call->calls, 1) + 1 - call->first;
  if (number <= 0 || (number - 1) % call->every != 0) {
    return 0;
  }
  char fault[32];
  snprintf(fault, sizeof fault, "call.%s", call->name);
  log_fault(fault, number);
  errno = error;
  return 1;
}

static int holds_runs(int file) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path);
  return length > 5 && memcmp(path + length - 5, ".runs", 5) == 0;
}

static int failing_madvise(void *address, size_t bytes, int advice) {
  return advice == POPULATE_WRITE && fails(&reserve, EFAULT) ? -1 : madvise(address, bytes, advice);
}

static int failing_fallocate(int file, int mode, off_t offset, off_t bytes) {
  return mode == 0 && fails(&reserve, ENOSPC) ? -1 : fallocate(file, mode, offset, bytes);
}

static void *failing_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  // Without its own heap a process cannot start. It maps those of others for reading, and parts of a file anew.
  const int own = (protection & PROT_WRITE) != 0 && offset == 0;
  return file >= 0 && !own && fails(&map, ENOMEM) ? MAP_FAILED : mmap(address, bytes, protection, flags, file, offset);
}

static ssize_t failing_sendmsg(int socket, const struct msghdr *message, int flags) {
  return fails(&send_message, EPIPE) ? -1 : sendmsg(socket, message, flags);
}

static ssize_t failing_recvmsg(int socket, struct msghdr *message, int flags) {
  return fails(&receive_message, ECONNRESET) ? -1 : recvmsg(socket, message, flags);
}

// Java's own library calls these two.

ssize_t pread64(int file, void *to, size_t bytes, off64_t offset) {
  if (positioned_read.every > 0 && holds_runs(file) && fails(&positioned_read, EIO)) {
    return -1;
  }
  return syscall(SYS_pread64, file, to, bytes, offset);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME && step_every > 0) {
    static const int steps[] = {0, STEP_SECONDS, 0, -STEP_SECONDS};
    const long step = (monotonic_seconds() - started) / step_every;
    if (atomic_exchange(&last_step, step) != step) {
      log_fault("clock.step", step);
    }
    now->tv_sec += steps[step % 4];
  }
  return result;
}

// Java looks other functions up in the C library itself, where it would not find those of this library.
void *dlsym(void *handle, const char *name) {
  static void *(*next)(void *, const char *);
  if (next == NULL) {
    *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  }
  if (next == NULL) {
    *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  }
  const struct {
    const char *name;
    void *function;
  } failing[] = {{"madvise", (void *)failing_madvise},
                 {"fallocate", (void *)failing_fallocate},
                 {"mmap", (void *)failing_mmap},
                 {"sendmsg", (void *)failing_sendmsg},
                 {"recvmsg", (void *)failing_recvmsg}};
  for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
    if (strcmp(name, failing[i].name) == 0) {
      return failing[i].function;
    }
  }
  return next(handle, name);
}
