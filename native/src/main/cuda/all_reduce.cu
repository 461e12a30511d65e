// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "granule.h"
#include "layout.h"
#include "platform.h"
#include "report.h"
#include "threads.h"
#include "tuning.h"

namespace symshuffle {

/// Bytes that all threads of a CTA see.
struct AllReduceMemory {
  uint32_t failed;
};

/// One PE's part of an all-reduce in place: element i of each PE's memory becomes the reduction of element i of
/// all, in the order of the PEs, so that all PEs get the same bits. PEs only read each other's memory; what they
/// write is their own, which no other PE can free or reuse.
///
/// Each CTA waits for the CTAs of the same number of other PEs, and for no others: it reads only what these have
/// written. A flag is a counter that only grows, so nothing is reset between launches.
template <class Thread, class Value>
class AllReduce {
 public:
  SYM_FN AllReduce(const Thread& t, const AllReduceArguments& a, AllReduceMemory* shared)
      : t_(t), a_(a), shared_(shared), end_(t.now() + a.limit_nanoseconds), next_flag_(a.generation) {
    const uint64_t bytes = a.count * sizeof(Value);
    first_byte_ = a.offset % sizeof(Granule);
    base_ = a.offset - first_byte_;
    last_byte_ = first_byte_ + bytes;
    granules_ = divide_up<uint64_t>(last_byte_, sizeof(Granule));
    if (t.thread() == 0) {
      shared->failed = 0;
    }
  }

  /// Each PE reads the elements of all PEs, as many at a time as fit in registers, and writes them once all PEs
  /// have read. Every PE reads everything: for few bytes.
  template <class Reduce>
  SYM_FN void one_shot(Reduce reduce) {
    if (!meet()) {
      return;
    }
    for (uint64_t from = 0; from < granules_; from += stride() * kReduceRows) {
      Granule sums[kReduceRows];
      load_reduced(sums, from + first(), granules_, reduce);
      if (!meet()) {
        return;
      }
      store_rows(sums, from + first(), granules_);
    }
  }

  /// PE i reduces part i in place, then each PE copies the other parts: every PE reads two times the data, for
  /// any number of PEs.
  template <class Reduce>
  SYM_FN void two_shots(Reduce reduce) {
    const uint64_t part = divide_up<uint64_t>(divide_up<uint64_t>(granules_, a_.pe_count), kLine) * kLine;
    Granule rows[kReduceRows];
    if (!meet()) {
      return;
    }
    const uint64_t own = a_.pe * part;
    const uint64_t own_end = smaller(own + part, granules_);
    for (uint64_t at = own; at < own_end; at += stride() * kReduceRows) {
      load_reduced(rows, at + first(), own_end, reduce);
      store_rows(rows, at + first(), own_end);
    }
    if (!meet()) {
      return;
    }
    for (uint32_t i = 1; i < a_.pe_count; ++i) {
      const uint32_t other = (a_.pe + i) % a_.pe_count;
      const uint64_t theirs = other * part;
      const uint64_t end = smaller(theirs + part, granules_);
      for (uint64_t at = theirs; at < end; at += stride() * kReduceRows) {
        load_rows(rows, memory_of(other), at + first(), end);
        store_rows(rows, at + first(), end);
      }
    }
    // The caller may change its elements once all PEs have copied them.
    meet();
  }

 private:
  static constexpr uint64_t kLine = 128 / sizeof(Granule);

  SYM_FN uint64_t first() const { return static_cast<uint64_t>(t_.cta()) * t_.threads() + t_.thread(); }
  SYM_FN uint64_t stride() const { return static_cast<uint64_t>(t_.ctas()) * t_.threads(); }
  SYM_FN uint64_t memory_of(uint32_t pe) const {
    return load_value<uint64_t>(a_.memories + pe * sizeof(uint64_t));
  }

  /// Waits for the same CTA of all PEs. What they wrote before is visible then, and what they read before will
  /// not change under them. Returns false, on all threads, if one did not arrive in time.
  SYM_FN bool meet() {
    const uint64_t flag = ++next_flag_;
    t_.sync_cta();
    if (t_.thread() == 0) {
      store_release_system(memory_of(a_.pe) + t_.cta() * kFlagBytes, flag);
    }
    for (uint32_t pe = t_.thread(); pe < a_.pe_count; pe += t_.threads()) {
      if (pe != a_.pe && !await(pe, flag)) {
        shared_->failed = 1;
      }
    }
    t_.sync_cta();
    return shared_->failed == 0;
  }

  SYM_FN bool await(uint32_t pe, uint64_t flag) const {
    const uint64_t at = memory_of(pe) + t_.cta() * kFlagBytes;
    for (uint32_t look = 1;; ++look) {
      const uint64_t seen = load_acquire_system(at);
      if (seen >= flag) {
        return true;
      }
      // The host's word is behind the bus of the host: rarely.
      const bool stopped = look % kLooksPerStop == 0 && load_acquire_system(a_.stop) != 0;
      if (stopped || t_.now() > end_) {
        Reporter{a_.status, a_.pe}.report(Code::kLatePe, pe, flag, seen, t_.cta());
        return false;
      }
      t_.pause();
    }
  }

  SYM_FN uint64_t row(uint64_t at, int r) const { return at + r * stride(); }

  template <class Reduce>
  SYM_FN void load_reduced(Granule (&sums)[kReduceRows], uint64_t at, uint64_t end, Reduce reduce) const {
    load_rows(sums, memory_of(0), at, end);
    for (uint32_t pe = 1; pe < a_.pe_count; ++pe) {
      Granule rows[kReduceRows];
      load_rows(rows, memory_of(pe), at, end);
      SYM_UNROLL
      for (int r = 0; r < kReduceRows; ++r) {
        sums[r] = combine(sums[r], rows[r], reduce);
      }
    }
  }

  SYM_FN void load_rows(Granule (&rows)[kReduceRows], uint64_t memory, uint64_t at, uint64_t end) const {
    SYM_UNROLL
    for (int r = 0; r < kReduceRows; ++r) {
      const uint64_t i = row(at, r);
      rows[r] = i < end ? load_granule(memory + base_ + i * sizeof(Granule), i) : Granule{};
    }
  }

  SYM_FN void store_rows(const Granule (&rows)[kReduceRows], uint64_t at, uint64_t end) const {
    SYM_UNROLL
    for (int r = 0; r < kReduceRows; ++r) {
      const uint64_t i = row(at, r);
      if (i < end) {
        store_granule(memory_of(a_.pe) + base_ + i * sizeof(Granule), i, rows[r]);
      }
    }
  }

  /// Whether all bytes of a granule are elements.
  SYM_FN bool is_whole(uint64_t i) const {
    return i * sizeof(Granule) >= first_byte_ && (i + 1) * sizeof(Granule) <= last_byte_;
  }

  SYM_FN bool has_word(uint64_t i, uint32_t word) const {
    const uint64_t byte = i * sizeof(Granule) + word * sizeof(uint32_t);
    return byte >= first_byte_ && byte < last_byte_;
  }

  SYM_FN Granule load_granule(uint64_t address, uint64_t i) const {
    if (is_whole(i)) {
      return load_value<Granule>(address);
    }
    Granule g{};
    SYM_UNROLL
    for (uint32_t w = 0; w < 4; ++w) {
      if (has_word(i, w)) {
        g.word[w] = load_value<uint32_t>(address + w * sizeof(uint32_t));
      }
    }
    return g;
  }

  SYM_FN void store_granule(uint64_t address, uint64_t i, const Granule& g) const {
    if (is_whole(i)) {
      store(address, g);
      return;
    }
    SYM_UNROLL
    for (uint32_t w = 0; w < 4; ++w) {
      if (has_word(i, w)) {
        store_value<uint32_t>(address + w * sizeof(uint32_t), g.word[w]);
      }
    }
  }

  template <class Reduce>
  SYM_FN static Granule combine(const Granule& a, const Granule& b, Reduce reduce) {
    constexpr int kValues = sizeof(Granule) / sizeof(Value);
    Value left[kValues];
    Value right[kValues];
    memcpy(left, &a, sizeof a);
    memcpy(right, &b, sizeof b);
    SYM_UNROLL
    for (int i = 0; i < kValues; ++i) {
      left[i] = reduce(left[i], right[i]);
    }
    Granule result;
    memcpy(&result, left, sizeof result);
    return result;
  }

  const Thread& t_;
  const AllReduceArguments& a_;
  AllReduceMemory* shared_;
  uint64_t end_;
  uint64_t next_flag_;
  uint64_t base_;        // of granule 0, from the beginning of a PE's memory
  uint64_t first_byte_;  // of the elements, from base_
  uint64_t last_byte_;
  uint64_t granules_;
};

struct AddValues {
  SYM_FN float operator()(float a, float b) const { return a + b; }
  SYM_FN double operator()(double a, double b) const { return a + b; }
  // Overflow is undefined for signed numbers.
  SYM_FN uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
  SYM_FN uint64_t operator()(uint64_t a, uint64_t b) const { return a + b; }
};

/// The smaller or larger one as Java's Math.min and Math.max: NaN if one is, and -0.0 is less than 0.0.
template <bool kLarger>
struct ChooseValue {
  SYM_FN int32_t operator()(int32_t a, int32_t b) const { return (a < b) == kLarger ? b : a; }
  SYM_FN int64_t operator()(int64_t a, int64_t b) const { return (a < b) == kLarger ? b : a; }
  SYM_FN float operator()(float a, float b) const { return choose<float, uint32_t>(a, b); }
  SYM_FN double operator()(double a, double b) const { return choose<double, uint64_t>(a, b); }

 private:
  template <class Value, class Bits>
  SYM_FN static Value choose(Value a, Value b) {
    if (a == b) {
      // Only zeros that are equal have different bits.
      Bits left;
      Bits right;
      memcpy(&left, &a, sizeof a);
      memcpy(&right, &b, sizeof b);
      left = kLarger ? left & right : left | right;
      memcpy(&a, &left, sizeof a);
      return a;
    }
    const bool second = a != a ? false : b != b || (a < b) == kLarger;
    return second ? b : a;
  }
};

template <class Value, class Thread, class Reduce>
SYM_FN void all_reduce_values(const Thread& t, const AllReduceArguments& a, AllReduceMemory* shared, Reduce reduce) {
  AllReduce<Thread, Value> work(t, a, shared);
  if (a.shots == 1) {
    work.one_shot(reduce);
  } else {
    work.two_shots(reduce);
  }
}

template <class Value, class Sum, class Thread>
SYM_FN void all_reduce_type(const Thread& t, const AllReduceArguments& a, AllReduceMemory* shared) {
  switch (static_cast<ReductionKind>(a.reduction)) {
    case ReductionKind::kSum:
      return all_reduce_values<Sum>(t, a, shared, AddValues{});
    case ReductionKind::kMin:
      return all_reduce_values<Value>(t, a, shared, ChooseValue<false>{});
    case ReductionKind::kMax:
      return all_reduce_values<Value>(t, a, shared, ChooseValue<true>{});
  }
}

/// Reduces the elements of all PEs. All PEs launch it with the same shape and arguments but `pe`, `memories`,
/// `status` and `stop`.
template <class Thread>
SYM_FN void all_reduce(const Thread& t, const AllReduceArguments& a, AllReduceMemory* shared) {
  switch (static_cast<ReducedType>(a.type)) {
    case ReducedType::kFloat:
      return all_reduce_type<float, float>(t, a, shared);
    case ReducedType::kDouble:
      return all_reduce_type<double, double>(t, a, shared);
    case ReducedType::kInt:
      return all_reduce_type<int32_t, uint32_t>(t, a, shared);
    case ReducedType::kLong:
      return all_reduce_type<int64_t, uint64_t>(t, a, shared);
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: up to kMaxReduceCtas CTAs, which run at the same time; kCtaThreads threads; no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 1)
    symshuffle_all_reduce(const __grid_constant__ symshuffle::AllReduceArguments arguments) {
  __shared__ symshuffle::AllReduceMemory shared;
  symshuffle::all_reduce(symshuffle::DeviceThread{}, arguments, &shared);
}
#endif
