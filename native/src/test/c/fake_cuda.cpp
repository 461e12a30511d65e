// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// A libcuda.so.1 that needs no GPU: device memory is host memory, streams run their work immediately, and
// calls fail as its script says. Kernels are functions of fake_kernels.cpp. Prototypes as in cuda.h of CUDA
// 13.0.
//
// While the script has the word `hold`, work on streams is only queued. Afterwards it runs in order, at the next
// call for its stream. As with CUDA, copies from pageable memory read it immediately, and copies to pageable
// memory wait for the stream. With the word `pinned_only`, the latter fail. `alloc_most=<n>` refuses allocations
// of more bytes.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "fake_queue.h"
#include "fake_script.h"

extern "C" int fake_launch(const char *name, const void *argument, const fake_module *module);
extern "C" const void *fake_variable(const char *name, size_t *bytes, const fake_module *module);

namespace {

std::mutex lock;
std::map<uint64_t, size_t> allocations;

/// Recursive, since work that waits for an event runs another stream's work.
std::recursive_mutex queue_lock;
std::map<uint64_t, std::deque<std::function<int()>>> queues;
thread_local uint64_t launch_stream;

/// How often this library was asked whether a stream is done.
std::atomic<int> stream_queries;

struct Event {
  double milliseconds;
  uint64_t stream;
};
using EventHandle = std::shared_ptr<Event>;

struct Function {
  std::string name;
  fake_module *module;
};
std::map<std::pair<fake_module *, std::string>, Function> functions;

std::atomic<uint64_t> next_handle{0x1000};
thread_local uint64_t current;

int need_context() { return current == 0 ? 201 : 0; }

int out(void *to, uint64_t value) {
  *static_cast<uint64_t *>(to) = value;
  return 0;
}

int out32(void *to, int32_t value) {
  *static_cast<int32_t *>(to) = value;
  return 0;
}

/// Which kernels an image has: 0 the product's, 1 others; see fake_module. Tests without nvcc have images of one
/// byte; a fatbin has the names of its kernels as text.
int image_of(const void *image) {
  struct Header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t bytes;
  } header;
  if (*static_cast<const unsigned char *>(image) != 0x50) {
    return *static_cast<const unsigned char *>(image);
  }
  memcpy(&header, image, sizeof header);
  const std::string_view text(static_cast<const char *>(image), header.header_bytes + header.bytes);
  return header.magic == 0xba55ed50 && text.find("symshuffle_row_move") != text.npos ? 0 : 1;
}

double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool held() { return fake_script("hold") != nullptr; }

/// Runs the work that is queued on a stream, unless it is held. Returns whether none is left.
bool drain(uint64_t stream) {
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  auto &queue = queues[stream];
  while (!queue.empty() && !held()) {
    const auto work = std::move(queue.front());
    queue.pop_front();
    work();
  }
  return queue.empty();
}

bool runs_now(uint64_t stream) { return drain(stream) && !held(); }

int submit(uint64_t stream, std::function<int()> work) {
  if (need_context() != 0) {
    return 201;
  }
  if (runs_now(stream)) {
    return work();
  }
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  queues[stream].push_back(std::move(work));
  return 0;
}

void wait_for(uint64_t stream) {
  while (!drain(stream)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool is_pinned(const void *memory, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  const std::lock_guard<std::mutex> guard(lock);
  auto next = allocations.upper_bound(address);
  return next != allocations.begin() && address + bytes <= std::prev(next)->first + std::prev(next)->second;
}

/// Copies from or to memory that is not pinned wait for all work on the stream.
void before_copy(const void *host, size_t bytes, uint64_t stream) {
  while (!is_pinned(host, bytes) && !runs_now(stream)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Event &event_of(uint64_t handle) { return **reinterpret_cast<EventHandle *>(handle); }

}  // namespace

int fake_enqueue(std::function<int()> work) { return submit(launch_stream, std::move(work)); }

extern "C" {

int cuInit(unsigned) { return static_cast<int>(fake_number("init_rc", 0)); }
int cuDriverGetVersion(int *version) {
  return out32(version, static_cast<int>(fake_number("driver", 13000)));
}

int cuGetErrorName(int code, const char **text) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                    {500, "CUDA_ERROR_NOT_FOUND"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(code);
  *text = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : 0;
}
int cuGetErrorString(int code, const char **text) {
  static const std::map<int, const char *> sentences = {
      {2, "out of memory"}, {100, "no CUDA-capable device is detected"}};
  const auto found = sentences.find(code);
  *text = found == sentences.end() ? nullptr : found->second;
  return found == sentences.end() ? 1 : 0;
}

int cuDeviceGetCount(int *count) {
  return out32(count, static_cast<int>(fake_number("devices", 4)));
}
int cuDeviceGet(int *device, int ordinal) { return out32(device, ordinal); }
int cuDeviceGetName(char *name, int length, int) {
  snprintf(name, static_cast<size_t>(length), "Fake GPU");
  return 0;
}
int cuDeviceGetUuid_v2(char *uuid, int device) {
  for (int i = 0; i < 16; i++) {
    uuid[i] = static_cast<char>(i * 16 + device);
  }
  return 0;
}
int cuDeviceGetPCIBusId(char *id, int length, int device) {
  snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", device);
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { return out(bytes, 1ULL << 30); }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  return out32(value, attribute == 16 ? 4 : attribute == 75 ? 9 : attribute == 97 ? 232448 : 1);
}
int cuDeviceCanAccessPeer(int *can, int, int) { return out32(can, 1); }

int cuDevicePrimaryCtxRetain(uint64_t *context, int device) {
  return out(context, 0x100 + static_cast<uint64_t>(device));
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(uint64_t context) {
  current = context;
  return 0;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  out(available, 1ULL << 29);
  return out(total, 1ULL << 30);
}

int cuStreamCreateWithPriority(uint64_t *stream, unsigned, int) {
  return need_context() ? 201 : out(stream, next_handle++);
}
int cuStreamDestroy_v2(uint64_t) { return 0; }
int fake_stream_queries() { return stream_queries; }
int cuStreamQuery(uint64_t stream) {
  stream_queries++;
  if (need_context() != 0) {
    return 201;
  }
  const int code = static_cast<int>(fake_number("stream_rc", 0));
  return code != 0 ? code : drain(stream) ? 0 : 600;
}
int cuStreamSynchronize(uint64_t stream) {
  wait_for(stream);
  return need_context();
}
int cuStreamWaitEvent(uint64_t stream, uint64_t event, unsigned) {
  const EventHandle of = *reinterpret_cast<EventHandle *>(event);
  return submit(stream, [=] {
    if (of->stream != stream) {
      drain(of->stream);
    }
    return 0;
  });
}
int cuStreamWriteValue32_v2(uint64_t stream, uint64_t address, uint32_t value, unsigned) {
  const int code = static_cast<int>(fake_number("write_value_rc", 0));
  return code != 0 ? code : submit(stream, [=] {
    if (fake_script("lose_marks") == nullptr) {
      __atomic_store_n(reinterpret_cast<uint32_t *>(address), value, __ATOMIC_RELEASE);
    }
    return 0;
  });
}
int cuEventCreate(uint64_t *event, unsigned) {
  return need_context() ? 201
                        : out(event, reinterpret_cast<uint64_t>(new EventHandle(new Event{0, 0})));
}
int cuEventDestroy_v2(uint64_t event) {
  delete reinterpret_cast<EventHandle *>(event);
  return 0;
}
int cuEventRecord(uint64_t event, uint64_t stream) {
  const EventHandle recorded = *reinterpret_cast<EventHandle *>(event);
  recorded->stream = stream;
  return submit(stream, [=] {
    recorded->milliseconds = now();
    return 0;
  });
}
int cuEventElapsedTime(float *milliseconds, uint64_t start, uint64_t end) {
  *milliseconds = static_cast<float>(event_of(end).milliseconds - event_of(start).milliseconds);
  return 0;
}

int cuModuleLoadData(uint64_t *module, const void *image) {
  const int code = need_context() ? 201 : static_cast<int>(fake_number("load_rc", 0));
  return code != 0 ? code
                   : out(module, reinterpret_cast<uint64_t>(
                                     new fake_module{nullptr, nullptr, image_of(image)}));
}
int cuModuleUnload(uint64_t module) {
  delete reinterpret_cast<fake_module *>(module);
  return 0;
}
int cuModuleGetFunction(uint64_t *function, uint64_t handle, const char *name) {
  auto *module = reinterpret_cast<fake_module *>(handle);
  if (fake_launch(name, nullptr, module) != 0) {
    return 500;
  }
  const std::lock_guard<std::mutex> guard(lock);
  Function &made = functions[{module, name}];
  made = {name, module};
  return out(function, reinterpret_cast<uint64_t>(&made));
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, uint64_t module, const char *name) {
  const void *variable = fake_variable(name, bytes, reinterpret_cast<const fake_module *>(module));
  return variable == nullptr ? 500 : out(address, reinterpret_cast<uint64_t>(variable));
}
int cuFuncGetAttribute(int *value, int, uint64_t) { return out32(value, 32); }
int cuFuncSetAttribute(uint64_t, int, int) { return 0; }
int cuLaunchKernel(uint64_t function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, uint64_t stream, void **parameters, void **) {
  const auto *f = reinterpret_cast<const Function *>(function);
  launch_stream = stream;
  return need_context() ? 201 : fake_launch(f->name.c_str(), parameters[0], f->module);
}
// Links by putting the image and the file one after the other.
int cuLinkCreate_v2(unsigned, void *, void **values, uint64_t *state) {
  if (fake_number("link_rc", 0) != 0) {
    snprintf(static_cast<char *>(values[0]), 64, "the fake linker was told to fail");
    return static_cast<int>(fake_number("link_rc", 0));
  }
  return out(state, reinterpret_cast<uint64_t>(new std::string()));
}
int cuLinkAddData_v2(uint64_t state, int type, const char *data, size_t size, const char *, unsigned, void *,
                     void *) {
  reinterpret_cast<std::string *>(state)->append(data, size);
  return type == 2 ? 0 : 1;
}
int cuLinkAddFile_v2(uint64_t state, int type, const char *path, unsigned, void *, void *) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return 301;
  }
  reinterpret_cast<std::string *>(state)->append(std::istreambuf_iterator<char>(file), {});
  return type == 4 ? 0 : 1;
}
int cuLinkComplete(uint64_t state, const void **cubin, size_t *size) {
  auto *linked = reinterpret_cast<std::string *>(state);
  *cubin = linked->data();
  return out(size, linked->size());
}
int cuLinkDestroy(uint64_t state) {
  delete reinterpret_cast<std::string *>(state);
  return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (need_context() != 0) {
    return 201;
  }
  const auto most = static_cast<uint64_t>(fake_number("alloc_most", 1L << 30));
  void *memory = bytes > most ? nullptr : aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) {
    return 2;
  }
  const std::lock_guard<std::mutex> guard(lock);
  allocations[reinterpret_cast<uint64_t>(memory)] = bytes;
  return out(address, reinterpret_cast<uint64_t>(memory));
}
int cuMemFree_v2(uint64_t address) {
  const std::lock_guard<std::mutex> guard(lock);
  if (allocations.erase(address) == 0) {
    return 1;
  }
  free(reinterpret_cast<void *>(address));
  return 0;
}
int cuMemHostAlloc(uint64_t *address, size_t bytes, unsigned) { return cuMemAlloc_v2(address, bytes); }
int cuMemFreeHost(uint64_t address) { return cuMemFree_v2(address); }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, uint64_t stream) {
  before_copy(from, bytes, stream);
  return submit(stream, [=] {
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
  });
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream) {
  if (fake_script("pinned_only") != nullptr && !is_pinned(to, bytes)) {
    return 1;
  }
  before_copy(to, bytes, stream);
  return submit(stream, [=] {
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return 0;
  });
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, uint64_t stream) {
  return submit(stream, [=] {
    memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return 0;
  });
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, uint64_t stream) {
  return submit(stream, [=] {
    memset(reinterpret_cast<void *>(to), value, bytes);
    return 0;
  });
}

}  // extern "C"
