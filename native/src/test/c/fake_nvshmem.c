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

enum { MAX_PES = 16, MAX_TEAMS = 64, HEAP_BYTES = 256 << 20 };

/// State that all PEs of a start share.
struct session {
  atomic_int joined;
  atomic_int mapped;
  struct {
    atomic_int arrived;
    atomic_int round;
  } barriers[MAX_TEAMS];
};

struct team {
  int used, start, stride, size;
};

static struct session *session;
static char session_name[64];
static char *heaps[MAX_PES];
static struct team teams[MAX_TEAMS];
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
  memset(teams, 0, sizeof teams);
  for (int team = 0; team < 3; team++) {
    teams[team] = (struct team){1, 0, 1, pe_count};
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

static int team_pe(int team) {
  int distance = my_pe - teams[team].start;
  return distance % teams[team].stride == 0 && distance >= 0 &&
                 distance / teams[team].stride < teams[team].size
             ? distance / teams[team].stride
             : -1;
}

int nvshmem_barrier(int team) {
  require_started("nvshmem_barrier");
  if (fake_script("barrier_hang") != NULL) {
    hang();
  }
  int round = atomic_load(&session->barriers[team].round);
  if (atomic_fetch_add(&session->barriers[team].arrived, 1) + 1 == teams[team].size) {
    atomic_store(&session->barriers[team].arrived, 0);
    atomic_fetch_add(&session->barriers[team].round, 1);
  } else {
    while (atomic_load(&session->barriers[team].round) == round) {
      nap();
    }
  }
  return 0;
}

void nvshmem_barrier_all(void) { nvshmem_barrier(0); }

void nvshmemx_hostlib_finalize(void) {
  require_started("finalize");
  nvshmem_barrier(0);
  for (int pe = 0; pe < pe_count; pe++) {
    munmap(heaps[pe], HEAP_BYTES);
  }
  munmap(session, sizeof *session);
  status = 0;
}

void *nvshmem_align(size_t alignment, size_t bytes) {
  require_started("nvshmem_align");
  nvshmem_barrier(0);
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
  nvshmem_barrier(0);
}

void *nvshmem_ptr(const void *address, int pe) {
  if (fake_script("unreachable") != NULL && pe != my_pe) {
    return NULL;
  }
  return heaps[pe] + ((const char *)address - heaps[my_pe]);
}

void *nvshmemx_mc_ptr(int team, const void *address) {
  (void)team;
  (void)address;
  return NULL;
}

static char *there(void *address, int pe) { return heaps[pe] + ((char *)address - heaps[my_pe]); }

void nvshmem_putmem(void *to, const void *from, size_t bytes, int pe) {
  require_started("nvshmem_putmem");
  memcpy(there(to, pe), from, bytes);
}
void nvshmem_putmem_nbi(void *to, const void *from, size_t bytes, int pe) {
  nvshmem_putmem(to, from, bytes, pe);
}
void nvshmem_getmem(void *to, const void *from, size_t bytes, int pe) {
  require_started("nvshmem_getmem");
  memcpy(to, there((void *)(uintptr_t)from, pe), bytes);
}
void nvshmem_getmem_nbi(void *to, const void *from, size_t bytes, int pe) {
  nvshmem_getmem(to, from, bytes, pe);
}
void nvshmemx_putmem_on_stream(void *to, const void *from, size_t bytes, int pe, void *stream) {
  (void)stream;
  nvshmem_putmem(to, from, bytes, pe);
}
void nvshmemx_putmem_nbi_on_stream(void *to, const void *from, size_t bytes, int pe, void *stream) {
  (void)stream;
  nvshmem_putmem(to, from, bytes, pe);
}
void nvshmemx_getmem_on_stream(void *to, const void *from, size_t bytes, int pe, void *stream) {
  (void)stream;
  nvshmem_getmem(to, from, bytes, pe);
}

void nvshmemx_signal_op_on_stream(uint64_t *signal, uint64_t value, int operation, int pe,
                                  void *stream) {
  (void)stream;
  _Atomic uint64_t *target = (_Atomic uint64_t *)there(signal, pe);
  if (operation == 9) {
    atomic_store(target, value);
  } else {
    atomic_fetch_add(target, value);
  }
}

void nvshmemx_putmem_signal_on_stream(void *to, const void *from, size_t bytes, uint64_t *signal,
                                      uint64_t value, int operation, int pe, void *stream) {
  nvshmem_putmem(to, from, bytes, pe);
  nvshmemx_signal_op_on_stream(signal, value, operation, pe, stream);
}

void nvshmemx_signal_wait_until_on_stream(uint64_t *signal, int comparison, uint64_t value,
                                          void *stream) {
  (void)stream;
  for (;;) {
    uint64_t seen = atomic_load((_Atomic uint64_t *)signal);
    int met[] = {seen == value, seen != value, seen > value,
                 seen <= value, seen < value,  seen >= value};
    if (met[comparison]) {
      return;
    }
    nap();
  }
}

void nvshmem_fence(void) { atomic_thread_fence(memory_order_seq_cst); }
void nvshmem_quiet(void) { atomic_thread_fence(memory_order_seq_cst); }
void nvshmemx_quiet_on_stream(void *stream) {
  (void)stream;
  nvshmem_quiet();
}
int nvshmemx_barrier_on_stream(int team, void *stream) {
  (void)stream;
  return nvshmem_barrier(team);
}

static int world_pe(int team, int pe) { return teams[team].start + pe * teams[team].stride; }

int nvshmemx_alltoallmem_on_stream(int team, void *to, const void *from, size_t bytes,
                                   void *stream) {
  if (fake_script("alltoall_exit") != NULL) {
    fprintf(stderr, "fake NVSHMEM: fatal in alltoallmem\n");
    exit(-1);
  }
  nvshmem_barrier(team);
  for (int pe = 0; pe < teams[team].size; pe++) {
    nvshmemx_putmem_on_stream((char *)to + team_pe(team) * bytes, (const char *)from + pe * bytes,
                              bytes, world_pe(team, pe), stream);
  }
  return nvshmem_barrier(team);
}

int nvshmemx_broadcastmem_on_stream(int team, void *to, const void *from, size_t bytes, int root,
                                    void *stream) {
  nvshmem_barrier(team);
  nvshmemx_getmem_on_stream(to, from, bytes, world_pe(team, root), stream);
  return nvshmem_barrier(team);
}

int nvshmem_team_my_pe(int team) { return team_pe(team); }
int nvshmem_team_n_pes(int team) { return teams[team].size; }

int nvshmem_team_translate_pe(int team, int pe, int to) {
  int distance = world_pe(team, pe) - teams[to].start;
  int within = distance >= 0 && distance % teams[to].stride == 0;
  return within && distance / teams[to].stride < teams[to].size ? distance / teams[to].stride : -1;
}

int nvshmem_team_split_strided(int parent, int start, int stride, int size, const void *config,
                               long mask, int *team) {
  (void)mask;
  if (*(const int32_t *)config != 131136 || ((const int32_t *)config)[1] != -1) {
    return 1;
  }
  int handle = 6;
  while (teams[handle].used) {
    handle++;
  }
  teams[handle] = (struct team){1, world_pe(parent, start), teams[parent].stride * stride, size};
  *team = team_pe(handle) < 0 ? -1 : handle;
  return nvshmem_barrier(parent);
}

void nvshmem_team_destroy(int team) {
  nvshmem_barrier(team);
  teams[team].used = 0;
}

int nvshmemx_cumodule_init(void *module) {
  require_started("nvshmemx_cumodule_init");
  ((struct fake_module *)module)->pointer = nvshmem_ptr;
  ((struct fake_module *)module)->get = nvshmem_getmem;
  return (int)fake_number("module_rc", 0);
}
int nvshmemx_cumodule_finalize(void *module) {
  ((struct fake_module *)module)->pointer = NULL;
  ((struct fake_module *)module)->get = NULL;
  return 0;
}
