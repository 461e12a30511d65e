// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "granule.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

// A GPU on one host thread: every emulated thread is a fiber that runs until it waits for others (a warp or
// CTA operation); then the next fiber runs, in a random order from a seed. If every fiber waits and none
// can continue (a warp operation that not all lanes reach), the test fails with a message. Warps may be
// narrower than 32 lanes, which is faster and covers other edge cases.
namespace symshuffle::emulation {

class Machine {
 public:
  explicit Machine(uint64_t seed) : random_(seed) {}

  /// Adds a fiber; `body` runs once Machine::run is called.
  void add(std::function<void()> body) {
    auto fiber = std::make_unique<Fiber>();
    fiber->body = std::move(body);
    fiber->stack.reset(new char[kStackBytes]);
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.get();
    fiber->context.uc_stack.ss_size = kStackBytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, reinterpret_cast<void (*)()>(&Machine::enter), 0);
    fibers_.push_back(std::move(fiber));
  }

  /// Runs all fibers to their end, then forgets them.
  void run() {
    running_ = this;
    std::vector<size_t> order(fibers_.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random_);
    size_t left = fibers_.size();
    while (left != 0) {
      progress_ = false;
      for (const size_t i : order) {
        if (!fibers_[i]->done) {
          switch_to(*fibers_[i]);
          left -= fibers_[i]->done ? 1 : 0;
        }
      }
      if (!progress_) {
        std::fprintf(stderr, "deadlock: %zu emulated threads wait for others that never arrive\n", left);
        std::abort();
      }
    }
    fibers_.clear();
    running_ = nullptr;
  }

  /// Lets other fibers run. `progress`: this fiber can continue later without help from others.
  void yield(bool progress) {
    progress_ |= progress;
    Fiber* self = current_;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&self->fake_stack, main_stack_, main_stack_bytes_);
#endif
    leave(*self);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(self->fake_stack, &main_stack_, &main_stack_bytes_);
#endif
  }

  static Machine& running() { return *running_; }

 private:
  static constexpr size_t kStackBytes = 256 * 1024;

  struct Fiber {
    ucontext_t context;
    std::function<void()> body;
    std::unique_ptr<char[]> stack;
    void* here[5];  // where it waits, once it runs
    void* fake_stack = nullptr;
    bool running = false;
    bool done = false;
  };

  // A switch in a few instructions: swapcontext() takes two system calls, which were most of a test's time.
  // Functions of their own, since they save no register that a caller may use.

  __attribute__((noinline)) void resume(Fiber& fiber) {
    if (__builtin_setjmp(main_) != 0) {
      return;
    }
    if (fiber.running) {
      __builtin_longjmp(fiber.here, 1);
    }
    fiber.running = true;
    setcontext(&fiber.context);
  }

  __attribute__((noinline)) void leave(Fiber& fiber) {
    if (__builtin_setjmp(fiber.here) == 0) {
      end();
    }
  }

  /// Continues in switch_to(), and never returns.
  __attribute__((noinline)) void end() { __builtin_longjmp(main_, 1); }

  void switch_to(Fiber& fiber) {
    current_ = &fiber;
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, fiber.stack.get(), kStackBytes);
#endif
    resume(fiber);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  }

  static void enter() {
    Machine& machine = *running_;
    Fiber& self = *machine.current_;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &machine.main_stack_, &machine.main_stack_bytes_);
#endif
    self.body();
    self.done = true;
    machine.progress_ = true;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, machine.main_stack_, machine.main_stack_bytes_);
#endif
    machine.end();
  }

  /// Of this thread: as on a GPU, several streams run at the same time.
  static inline thread_local Machine* running_ = nullptr;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* current_ = nullptr;
  void* main_[5]{};
  const void* main_stack_ = nullptr;
  size_t main_stack_bytes_ = 0;
  bool progress_ = false;
};

/// A barrier of threads. The last one to arrive releases all.
struct Meeting {
  uint32_t members = 0;
  uint32_t arrived = 0;
  uint64_t generation = 0;

  void wait() {
    const uint64_t mine = generation;
    if (++arrived == members) {
      arrived = 0;
      ++generation;
    }
    while (generation == mine) {
      Machine::running().yield(false);
    }
    // Completing a barrier is progress even if nothing else happens in this round.
    Machine::running().yield(true);
  }
};

struct Warp {
  Meeting meeting;
  Granule slots[2][32];  // indexed by the operation's parity: a lane is at most one operation ahead
};

struct Cta {
  Meeting meeting;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
};

/// The calling thread; the counterpart of DeviceThread on the GPU.
template <uint32_t kLaneCount>
struct EmulatedThread {
  static constexpr uint32_t kLanes = kLaneCount;

  Cta* home;
  uint32_t thread_number;
  uint32_t cta_number;
  uint32_t cta_count;
  uint32_t thread_count;
  uint64_t* operations;  // number of warp operations that this thread has done

  uint32_t lane() const { return thread_number % kLanes; }
  uint32_t thread() const { return thread_number; }
  uint32_t threads() const { return thread_count; }
  uint32_t cta() const { return cta_number; }
  uint32_t ctas() const { return cta_count; }
  Warp& warp() const { return home->warps[thread_number / kLanes]; }

  uint64_t now() const {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  }

  /// Other fibers run, then other threads: those of other GPUs.
  void pause() const {
    Machine::running().yield(true);
    std::this_thread::yield();
  }

  void sync_warp() const { warp().meeting.wait(); }
  void sync_cta() const { home->meeting.wait(); }

  /// Publishes `value` to the warp. Slot l then holds the value of lane l.
  const Granule* publish(const Granule& value) const {
    Granule* slots = warp().slots[(*operations)++ % 2];
    slots[lane()] = value;
    warp().meeting.wait();
    return slots;
  }

  uint32_t ballot(bool predicate) const {
    const Granule* slots = publish(Granule{{predicate ? 1U : 0U}});
    uint32_t votes = 0;
    for (uint32_t l = 0; l < kLanes; ++l) {
      votes |= slots[l].word[0] << l;
    }
    return votes;
  }

  uint32_t same_value(uint32_t value) const {
    const Granule* slots = publish(Granule{{value}});
    uint32_t votes = 0;
    for (uint32_t l = 0; l < kLanes; ++l) {
      votes |= (slots[l].word[0] == value ? 1U : 0U) << l;
    }
    return votes;
  }

  uint64_t from_lower_lane(uint64_t value, uint32_t distance) const {
    const Granule* slots =
        publish(Granule{{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}});
    const Granule& slot = slots[lane() < distance ? lane() : lane() - distance];
    return static_cast<uint64_t>(slot.word[1]) << 32 | slot.word[0];
  }

  uint32_t exchange(uint32_t value, uint32_t mask) const {
    return publish(Granule{{value}})[lane() ^ mask].word[0];
  }

  uint32_t from_lane(uint32_t value, uint32_t lane) const { return publish(Granule{{value}})[lane].word[0]; }

  Granule from_next_lane(const Granule& value) const { return publish(value)[(lane() + 1) % kLanes]; }
};

/// Runs one launch: `kernel(thread, shared)` for every thread of `ctas` CTAs.
template <uint32_t kLanes>
void launch(uint64_t seed, uint32_t ctas, uint32_t threads, size_t shared_bytes,
            const std::function<void(const EmulatedThread<kLanes>&, unsigned char*)>& kernel) {
  Machine machine(seed);
  std::vector<Cta> all(ctas);
  std::vector<uint64_t> operations(static_cast<size_t>(ctas) * threads);
  for (uint32_t c = 0; c < ctas; ++c) {
    Cta& cta = all[c];
    cta.meeting.members = threads;
    cta.warps.resize((threads + kLanes - 1) / kLanes);
    for (uint32_t w = 0; w < cta.warps.size(); ++w) {
      cta.warps[w].meeting.members = std::min(kLanes, threads - w * kLanes);
    }
    cta.shared.resize(shared_bytes + 128);
    for (uint32_t i = 0; i < threads; ++i) {
      const EmulatedThread<kLanes> thread{&cta, i, c, ctas, threads, &operations[c * threads + i]};
      machine.add([thread, &kernel, &cta] {
        const auto address = reinterpret_cast<uintptr_t>(cta.shared.data());
        kernel(thread, cta.shared.data() + (128 - address % 128) % 128);
      });
    }
  }
  machine.run();
}

}  // namespace symshuffle::emulation
