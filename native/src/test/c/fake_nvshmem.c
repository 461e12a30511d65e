// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// A libnvshmem_host.so.3 that needs no GPU: symmetric memory is files in /dev/shm, mapped by every PE, and
// calls hang, fail or return wrong values when its script says so. PEs may be processes, or copies of this
// library in one process. Prototypes as in NVSHMEM 3.4.5.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake_script.h"

enum { MAX_PES = 16, HEAP_BYTES = 256 << 20 };

/// State that all PEs of a start share.
struct session {
  atomic_int joined;
  atomic_int mapped;
  atomic_int arrived;
  atomic_int round;
};

static struct session *session;
static char session_name[64];
static char *heaps[MAX_PES];
static int32_t my_pe = -1, pe_count, status;
static size_t used;
static int id_counter;

static void nap(void) {
  struct timespec time = {0, 100000};
  nanosleep(&time, NULL);
}

static void hang(void) {
  for (;;) {
    sleep(1000);
  }
}

static void *map(const char *name, int pe, size_t bytes) {
  char path[160];
  snprintf(path, sizeof path, "/dev/shm/%s-%d", name, pe);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
    exit(-1);
  }
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  return memory;
}

static void unlink_all(void) {
  char path[160];
  for (int pe = -1; pe < pe_count; pe++) {
    snprintf(path, sizeof path, "/dev/shm/%s-%d", session_name, pe);
    unlink(path);
  }
}

static void require_started(const char *call) {
  if (status < 2) {
    fprintf(stderr, "%s: NVSHMEM API called before NVSHMEM initialization has completed\n", call);
    exit(-1);
  }
}

void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch) {
  const char *version = fake_script("version");
  *major = 3, *minor = 4, *patch = 5;
  if (version != NULL) {
    sscanf(version, "%d.%d.%d", major, minor, patch);
  }
}

int nvshmemx_get_uniqueid(void *id) {
  char *bytes = (char *)id;
  memset(bytes, 0, 128);
  *(int32_t *)bytes = 65664;
  snprintf(bytes + 4, 64, "symshuffle-fake-%d-%p-%d", getpid(), (void *)&session, id_counter++);
  return (int)fake_number("id_rc", 0);
}

int nvshmemx_set_attr_uniqueid_args(int pe, int count, const void *id, void *attributes) {
  char *attr = (char *)attributes;
  if (*(int32_t *)attr != 65680 || *(int32_t *)(attr + 16) != 65664 ||
      *(int32_t *)(attr + 24) != 65560 || *(const int32_t *)id != 65664) {
    return 1;
  }
  *(const void **)(attr + 32) = id;
  *(int32_t *)(attr + 40) = pe;
  *(int32_t *)(attr + 44) = count;
  return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, void *attributes) {
  char *attr = (char *)attributes;
  if (flags != 8) {
    return 1;
  }
  if (fake_script("init_hang") != NULL) {
    hang();
  }
  if (fake_script("init_exit") != NULL) {
    fprintf(stderr, "fake NVSHMEM: fatal in init\n");
    exit(-1);
  }
  int rc = (int)fake_number("init_rc", 0);
  if (rc != 0) {
    return rc;
  }
  my_pe = *(int32_t *)(attr + 40);
  pe_count = *(int32_t *)(attr + 44);
  snprintf(session_name, sizeof session_name, "%s", *(const char **)(attr + 32) + 4);
  session = (struct session *)map(session_name, -1, sizeof *session);
  atomic_fetch_add(&session->joined, 1);
  while (atomic_load(&session->joined) < pe_count) {
    nap();
  }
  for (int pe = 0; pe < pe_count; pe++) {
    heaps[pe] = (char *)map(session_name, pe, HEAP_BYTES);
  }
  if (atomic_fetch_add(&session->mapped, 1) + 1 == pe_count) {
    unlink_all();  // so that nothing stays behind, however the PEs end
  }
  used = 4096;
  status = (int32_t)fake_number("status", 2);
  pe_count = (int32_t)fake_number("n_pes", pe_count);
  my_pe = (int32_t)fake_number("my_pe", my_pe);
  return 0;
}

int nvshmemx_init_status(void) { return status; }
int nvshmem_my_pe(void) { return my_pe; }
int nvshmem_n_pes(void) { return pe_count; }

void nvshmem_barrier_all(void) {
  require_started("nvshmem_barrier_all");
  if (fake_script("barrier_hang") != NULL) {
    hang();
  }
  int round = atomic_load(&session->round);
  if (atomic_fetch_add(&session->arrived, 1) + 1 == pe_count) {
    atomic_store(&session->arrived, 0);
    atomic_fetch_add(&session->round, 1);
  } else {
    while (atomic_load(&session->round) == round) {
      nap();
    }
  }
}

void nvshmemx_hostlib_finalize(void) {
  require_started("finalize");
  nvshmem_barrier_all();
  for (int pe = 0; pe < pe_count; pe++) {
    munmap(heaps[pe], HEAP_BYTES);
  }
  munmap(session, sizeof *session);
  status = 0;
}

void *nvshmem_align(size_t alignment, size_t bytes) {
  require_started("nvshmem_align");
  nvshmem_barrier_all();
  size_t begin = (used + alignment - 1) / alignment * alignment;
  if (fake_script("malloc_null") != NULL || begin + bytes > HEAP_BYTES) {
    return NULL;
  }
  used = begin + bytes;
  return heaps[my_pe] + begin;
}

void nvshmem_free(void *memory) {
  (void)memory;
  require_started("nvshmem_free");
  nvshmem_barrier_all();
}

void *nvshmem_ptr(const void *address, int pe) {
  if (fake_script("unreachable") != NULL && pe != my_pe) {
    return NULL;
  }
  return heaps[pe] + ((const char *)address - heaps[my_pe]);
}

static char *there(void *address, int pe) { return heaps[pe] + ((char *)address - heaps[my_pe]); }

int nvshmemx_alltoallmem_on_stream(int team, void *to, const void *from, size_t bytes,
                                   void *stream) {
  (void)team;
  (void)stream;
  require_started("nvshmemx_alltoallmem_on_stream");
  nvshmem_barrier_all();
  for (int pe = 0; pe < pe_count; pe++) {
    memcpy(there((char *)to + my_pe * bytes, pe), (const char *)from + pe * bytes, bytes);
  }
  nvshmem_barrier_all();
  return 0;
}
int nvshmemx_float_sum_reduce_on_stream(int team, float *to, const float *from, size_t count,
                                        void *stream) {
  (void)team;
  (void)stream;
  require_started("nvshmemx_float_sum_reduce_on_stream");
  float *sums = calloc(count, sizeof *sums);
  nvshmem_barrier_all();
  for (int pe = 0; pe < pe_count; pe++) {
    const float *data = (const float *)there((void *)from, pe);
    for (size_t i = 0; i < count; i++) {
      sums[i] += data[i];
    }
  }
  nvshmem_barrier_all();
  memcpy(to, sums, count * sizeof *sums);
  free(sums);
  nvshmem_barrier_all();
  return 0;
}
