// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// A libcuda.so.1 that needs no GPU: device memory is host memory, streams run their work immediately, and
// calls fail as its script says. Kernels are functions of fake_kernels.cpp. Prototypes as in cuda.h of CUDA
// 13.0.
//
// While the script has the word `hold`, work on streams is only queued. Afterwards it runs in order, at the next
// call for its stream. As with CUDA, copies from pageable memory read it immediately, and copies to pageable
// memory wait for the stream. With the word `pinned_only`, the latter fail. Handle 2 is a separate stream for each
// thread. `alloc_most=<n>` refuses allocations of more bytes, `gpu_bytes=<n>` is the memory of the GPU; see
// fake_refuses for others.
//
// It is stricter than CUDA: until an operation is done, its memory must not be freed, unmapped, or used by an
// operation of another stream that does not wait for it, unless both read; and the source of a copy from pinned
// memory must not change. See fake_error.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fake_queue.h"
#include "fake_script.h"

extern "C" int fake_launch(const char *name, const void *argument);
extern "C" const void *fake_variable(const char *name, size_t *bytes);

namespace {

std::mutex lock;
std::map<uint64_t, size_t> allocations;
std::set<uint64_t> pinned;
uint64_t allocated_bytes = 0;
std::map<std::string, std::pair<std::string, long>> refusals;

std::atomic<uint64_t> next_handle{0x1000};

/// How far a stream has come that others may wait for: its operations, by number, that come before.
using Clock = std::map<uint64_t, uint64_t>;

/// An operation that is queued or runs.
struct Operation {
  std::string name;
  uint64_t stream;
  uint64_t number;
  std::vector<fake_use> uses;
  std::function<int()> work;
  const void *pinned_source = nullptr;
  size_t pinned_bytes = 0;
  size_t pinned_hash = 0;
  bool waiting = false;

  std::string text() const {
    std::ostringstream out;
    out << name << ", operation " << number << " of stream 0x" << std::hex << stream;
    return out.str();
  }
};

/// Recursive, since work that waits for an event runs another stream's work.
std::recursive_mutex queue_lock;
std::map<uint64_t, std::deque<std::shared_ptr<Operation>>> queues;
std::list<std::shared_ptr<Operation>> unfinished;

/// Streams with a kernel that runs in a thread.
std::set<uint64_t> waiting;
std::map<uint64_t, Clock> clocks;
std::string violation;
std::atomic<bool> violated{false};

thread_local uint64_t launch_stream;
thread_local const char *launch_name;

constexpr uint64_t PER_THREAD = 2;

/// The queue of a handle: the default stream of a thread is another one in each thread.
uint64_t queue_of(uint64_t handle) {
  thread_local const uint64_t own = next_handle++;
  return handle == PER_THREAD ? own : handle;
}

/// How often this library was asked whether a stream is done.
std::atomic<int> stream_queries;

/// How many operations were queued on streams.
std::atomic<int> stream_operations;

struct Event {
  double milliseconds = 0;
  uint64_t stream = 0;
  uint64_t recorded = 0;
  uint64_t reached = 0;
  Clock clock;
};
using EventHandle = std::shared_ptr<Event>;

/// The names of functions; a handle points to one.
std::set<std::string> functions;

thread_local uint64_t current;

int need_context() { return violated ? 700 : current == 0 ? 201 : 0; }

int out(void *to, uint64_t value) {
  *static_cast<uint64_t *>(to) = value;
  return 0;
}

int out32(void *to, int32_t value) {
  *static_cast<int32_t *>(to) = value;
  return 0;
}

double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool held() { return fake_script("hold") != nullptr; }

std::string range_text(uint64_t address, uint64_t bytes) {
  std::ostringstream out;
  out << bytes << " bytes at 0x" << std::hex << address;
  return out.str();
}

int violate(const std::string &text) {
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  if (!violated) {
    violation = text;
    violated = true;
    fprintf(stderr, "fake CUDA driver: %s\n", text.c_str());
    std::ofstream(std::string(fake_folder()) + "/violation") << text << '\n';
  }
  return 700;
}

bool overlap(const fake_use &a, const fake_use &b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

size_t hash_of(const void *memory, size_t bytes) {
  return std::hash<std::string_view>()({static_cast<const char *>(memory), bytes});
}

/// Checks that an operation does not use what others use that it does not wait for.
int check_conflicts(const Operation &next) {
  Clock &seen = clocks[next.stream];
  for (const auto &other : unfinished) {
    if (other->stream == next.stream || seen[other->stream] >= other->number) {
      continue;
    }
    for (const fake_use &mine : next.uses) {
      for (const fake_use &theirs : other->uses) {
        if ((mine.kind == fake_use::kWrites || theirs.kind == fake_use::kWrites) && mine.kind != fake_use::kSome &&
            theirs.kind != fake_use::kSome && overlap(mine, theirs)) {
          return violate(next.text() + " uses " + range_text(mine.address, mine.bytes) + " but does not wait for " +
                         other->text() + ", which uses " + range_text(theirs.address, theirs.bytes));
        }
      }
    }
  }
  return 0;
}

int finish(const std::shared_ptr<Operation> &operation) {
  if (operation->waiting && !violated) {
    {
      const std::lock_guard<std::recursive_mutex> guard(queue_lock);
      waiting.insert(operation->stream);
    }
    std::thread([operation] {
      operation->work();
      const std::lock_guard<std::recursive_mutex> guard(queue_lock);
      unfinished.remove(operation);
      waiting.erase(operation->stream);
    }).detach();
    return 0;
  }
  int code = 0;
  if (operation->pinned_source != nullptr &&
      hash_of(operation->pinned_source, operation->pinned_bytes) != operation->pinned_hash) {
    code = violate(range_text(reinterpret_cast<uint64_t>(operation->pinned_source), operation->pinned_bytes) +
                   " in pinned memory were changed before they were read by " + operation->text());
  } else {
    // After an error its memory may be gone.
    code = violated ? 700 : operation->work();
  }
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  unfinished.remove(operation);
  return code;
}

/// Runs the work that is queued on a stream, unless it is held. Returns whether none is left.
bool drain(uint64_t stream) {
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  auto &queue = queues[stream];
  while (!queue.empty() && !held() && waiting.count(stream) == 0) {
    const auto operation = queue.front();
    queue.pop_front();
    finish(operation);
  }
  return queue.empty() && waiting.count(stream) == 0;
}

bool runs_now(uint64_t stream) { return drain(stream) && !held(); }

/// Queues an operation. `pinned` is the source of a copy from pinned memory, which must not change, or null.
int submit(const char *name, uint64_t handle, std::vector<fake_use> uses, std::function<int()> work,
           const void *pinned_source = nullptr, size_t pinned_bytes = 0, bool waiting_kernel = false) {
  stream_operations++;
  if (need_context() != 0) {
    return need_context();
  }
  const uint64_t stream = queue_of(handle);
  const bool now = runs_now(stream);
  auto operation = std::make_shared<Operation>();
  operation->name = name;
  operation->stream = stream;
  operation->uses = std::move(uses);
  operation->work = std::move(work);
  operation->waiting = waiting_kernel;
  {
    const std::lock_guard<std::recursive_mutex> guard(queue_lock);
    operation->number = ++clocks[stream][stream];
    if (check_conflicts(*operation) != 0) {
      return 700;
    }
    unfinished.push_back(operation);
    if (!now) {
      operation->pinned_source = pinned_source;
      operation->pinned_bytes = pinned_bytes;
      operation->pinned_hash = pinned_source == nullptr ? 0 : hash_of(pinned_source, pinned_bytes);
      queues[stream].push_back(operation);
      return 0;
    }
  }
  return finish(operation);
}

fake_use reads(const void *address, size_t bytes) {
  return {reinterpret_cast<uint64_t>(address), bytes, fake_use::kReads};
}
fake_use reads(uint64_t address, size_t bytes) { return {address, bytes, fake_use::kReads}; }
fake_use writes(const void *address, size_t bytes) {
  return {reinterpret_cast<uint64_t>(address), bytes, fake_use::kWrites};
}
fake_use writes(uint64_t address, size_t bytes) { return {address, bytes, fake_use::kWrites}; }

void wait_for(uint64_t stream) {
  while (!drain(stream)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool is_pinned(const void *memory, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  const fake_use region = fake_region_of(address);
  return region.bytes != 0 && address + bytes <= region.address + region.bytes;
}

/// Copies from or to memory that is not pinned wait for all work on the stream.
void before_copy(const void *host, size_t bytes, uint64_t stream) {
  while (!is_pinned(host, bytes) && !runs_now(stream)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Event &event_of(uint64_t handle) { return **reinterpret_cast<EventHandle *>(handle); }

}  // namespace

int fake_enqueue(std::vector<fake_use> uses, std::function<int()> work) {
  return submit(launch_name, launch_stream, std::move(uses), std::move(work));
}

int fake_enqueue_waiting(std::vector<fake_use> uses, std::function<int()> work) {
  return submit(launch_name, launch_stream, std::move(uses), std::move(work), nullptr, 0, true);
}

const void *fake_future(uint64_t address, size_t bytes) {
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  const auto &queue = queues[queue_of(launch_stream)];
  for (auto next = queue.rbegin(); next != queue.rend(); ++next) {
    const fake_use &to = (*next)->uses.empty() ? fake_use{0, 0, fake_use::kSome} : (*next)->uses.front();
    if ((*next)->pinned_source != nullptr && to.address <= address && address + bytes <= to.address + to.bytes) {
      return static_cast<const char *>((*next)->pinned_source) + (address - to.address);
    }
  }
  return reinterpret_cast<const void *>(address);
}

fake_use fake_region_of(uint64_t address) {
  const std::lock_guard<std::mutex> guard(lock);
  const auto next = allocations.upper_bound(address);
  if (next == allocations.begin() || address >= std::prev(next)->first + std::prev(next)->second) {
    return {0, 0, fake_use::kSome};
  }
  return {std::prev(next)->first, std::prev(next)->second, fake_use::kSome};
}

int fake_error() { return violated ? 700 : 0; }

int fake_take(const std::string &by, uint64_t address, uint64_t bytes) {
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  const fake_use all = {address, bytes, fake_use::kWrites};
  for (const auto &other : unfinished) {
    for (const fake_use &use : other->uses) {
      if (overlap(use, all)) {
        return violate(by + " takes " + range_text(address, bytes) + " away from " + other->text() + ", which uses " +
                       range_text(use.address, use.bytes));
      }
    }
  }
  return 0;
}

bool fake_refuses(const char *call) {
  const char *said = fake_script((std::string("refuse_") + call).c_str());
  const std::lock_guard<std::mutex> guard(lock);
  auto &[text, count] = refusals[call];
  if (said == nullptr || text != said) {
    text = said == nullptr ? "" : said;
    count = 0;
  }
  if (said == nullptr) {
    return false;
  }
  count++;
  const long first = std::stol(text);
  return count == first || (text.back() == '+' && count > first);
}

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
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(code);
  *text = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : 0;
}
int cuGetErrorString(int code, const char **text) {
  static const std::map<int, const char *> sentences = {
      {2, "out of memory"}, {100, "no CUDA-capable device is detected"}};
  if (code == 700) {
    *text = violation.c_str();
    return 0;
  }
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
  const auto bytes = static_cast<uint64_t>(fake_number("gpu_bytes", 0));
  const std::lock_guard<std::mutex> guard(lock);
  const uint64_t used = allocated_bytes + fake_created_bytes();
  out(available, bytes == 0 ? 1ULL << 29 : bytes - std::min(bytes, used));
  return out(total, bytes == 0 ? 1ULL << 30 : bytes);
}

int cuStreamCreateWithPriority(uint64_t *stream, unsigned, int) {
  return need_context() ? need_context() : out(stream, next_handle++);
}
int cuStreamDestroy_v2(uint64_t) { return 0; }
int fake_stream_queries() { return stream_queries; }
int fake_stream_operations() { return stream_operations; }
int cuStreamQuery(uint64_t stream) {
  if (need_context() != 0) {
    return need_context();
  }
  const int code = static_cast<int>(fake_number("stream_rc", 0));
  const int answer = code != 0 ? code : drain(queue_of(stream)) ? fake_error() : 600;
  // Counted when it is answered, so that tests which release the work then know the answer.
  stream_queries++;
  return answer;
}
int cuStreamSynchronize(uint64_t stream) {
  wait_for(queue_of(stream));
  return need_context();
}
int cuStreamWaitEvent(uint64_t stream, uint64_t event, unsigned) {
  const EventHandle of = *reinterpret_cast<EventHandle *>(event);
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  for (const auto &[other, number] : of->clock) {
    uint64_t &seen = clocks[queue_of(stream)][other];
    seen = std::max(seen, number);
  }
  return submit("cuStreamWaitEvent", stream, {}, [of, waits = queue_of(stream)] {
    if (of->stream != 0 && of->stream != waits) {
      drain(of->stream);
    }
    return 0;
  });
}
int cuStreamWriteValue32_v2(uint64_t stream, uint64_t address, uint32_t value, unsigned) {
  const int code = static_cast<int>(fake_number("write_value_rc", 0));
  return code != 0 ? code : submit("cuStreamWriteValue32", stream, {{address, 4, fake_use::kSome}}, [=] {
    if (fake_script("lose_marks") == nullptr) {
      __atomic_store_n(reinterpret_cast<uint32_t *>(address), value, __ATOMIC_RELEASE);
    }
    return 0;
  });
}
int cuEventCreate(uint64_t *event, unsigned) {
  return need_context() ? need_context()
                        : out(event, reinterpret_cast<uint64_t>(new EventHandle(new Event())));
}
int cuEventDestroy_v2(uint64_t event) {
  delete reinterpret_cast<EventHandle *>(event);
  return 0;
}
int cuEventRecord(uint64_t event, uint64_t stream) {
  const EventHandle recorded = *reinterpret_cast<EventHandle *>(event);
  uint64_t number;
  {
    const std::lock_guard<std::recursive_mutex> guard(queue_lock);
    recorded->stream = queue_of(stream);
    recorded->clock = clocks[recorded->stream];
    number = ++recorded->recorded;
  }
  return submit("cuEventRecord", stream, {}, [=] {
    recorded->milliseconds = now();
    recorded->reached = number;
    return 0;
  });
}
int cuEventQuery(uint64_t event) {
  if (need_context() != 0) {
    return need_context();
  }
  const EventHandle of = *reinterpret_cast<EventHandle *>(event);
  const std::lock_guard<std::recursive_mutex> guard(queue_lock);
  if (of->stream != 0) {
    drain(of->stream);
  }
  return of->reached == of->recorded ? fake_error() : 600;
}
int cuEventElapsedTime(float *milliseconds, uint64_t start, uint64_t end) {
  *milliseconds = static_cast<float>(event_of(end).milliseconds - event_of(start).milliseconds);
  return 0;
}

int cuModuleLoadData(uint64_t *module, const void *) {
  const int code = need_context() ? need_context() : static_cast<int>(fake_number("load_rc", 0));
  return code != 0 ? code : out(module, 1);
}
int cuModuleUnload(uint64_t) { return 0; }
int cuModuleGetFunction(uint64_t *function, uint64_t, const char *name) {
  if (fake_launch(name, nullptr) != 0) {
    return 500;
  }
  const std::lock_guard<std::mutex> guard(lock);
  return out(function, reinterpret_cast<uint64_t>(&*functions.insert(name).first));
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, uint64_t, const char *name) {
  const void *variable = fake_variable(name, bytes);
  return variable == nullptr ? 500 : out(address, reinterpret_cast<uint64_t>(variable));
}
int cuFuncGetAttribute(int *value, int, uint64_t) { return out32(value, 32); }
int cuLaunchKernel(uint64_t function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, uint64_t stream, void **parameters, void **) {
  launch_stream = stream;
  launch_name = reinterpret_cast<const std::string *>(function)->c_str();
  return need_context() ? need_context() : fake_launch(launch_name, parameters[0]);
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

}  // extern "C"

namespace {

int allocate(const char *call, uint64_t *address, size_t bytes, bool on_gpu) {
  if (need_context() != 0) {
    return need_context();
  }
  const auto most = static_cast<uint64_t>(fake_number("alloc_most", 1L << 30));
  const auto gpu = static_cast<uint64_t>(fake_number("gpu_bytes", 0));
  if (fake_refuses(call) || bytes > most) {
    return 2;
  }
  const std::lock_guard<std::mutex> guard(lock);
  if (on_gpu && gpu != 0 && allocated_bytes + fake_created_bytes() + bytes > gpu) {
    return 2;
  }
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) {
    return 2;
  }
  allocations[reinterpret_cast<uint64_t>(memory)] = bytes;
  if (on_gpu) {
    allocated_bytes += bytes;
  } else {
    pinned.insert(reinterpret_cast<uint64_t>(memory));
  }
  return out(address, reinterpret_cast<uint64_t>(memory));
}

int release(const char *call, uint64_t address) {
  const fake_use region = fake_region_of(address);
  if (region.bytes == 0 || region.address != address) {
    return 1;
  }
  if (fake_take(call, address, region.bytes) != 0) {
    return 700;
  }
  const std::lock_guard<std::mutex> guard(lock);
  allocations.erase(address);
  if (pinned.erase(address) == 0) {
    allocated_bytes -= region.bytes;
  }
  free(reinterpret_cast<void *>(address));
  return 0;
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(uint64_t *address, size_t bytes) { return allocate("cuMemAlloc", address, bytes, true); }
int cuMemFree_v2(uint64_t address) { return release("cuMemFree", address); }
int cuMemHostAlloc(uint64_t *address, size_t bytes, unsigned) {
  return allocate("cuMemHostAlloc", address, bytes, false);
}
int cuMemFreeHost(uint64_t address) { return release("cuMemFreeHost", address); }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, uint64_t stream) {
  before_copy(from, bytes, queue_of(stream));
  return submit(
      "cuMemcpyHtoDAsync", stream, {writes(to, bytes), reads(from, bytes)},
      [=] {
        memcpy(reinterpret_cast<void *>(to), from, bytes);
        return 0;
      },
      from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream) {
  if (fake_script("pinned_only") != nullptr && !is_pinned(to, bytes)) {
    return 1;
  }
  before_copy(to, bytes, queue_of(stream));
  return submit("cuMemcpyDtoHAsync", stream, {writes(to, bytes), reads(from, bytes)}, [=] {
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return 0;
  });
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, uint64_t stream) {
  return submit("cuMemcpyDtoDAsync", stream, {writes(to, bytes), reads(from, bytes)}, [=] {
    memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return 0;
  });
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, uint64_t stream) {
  return submit("cuMemsetD8Async", stream, {writes(to, bytes)}, [=] {
    memset(reinterpret_cast<void *>(to), value, bytes);
    return 0;
  });
}

}  // extern "C"
