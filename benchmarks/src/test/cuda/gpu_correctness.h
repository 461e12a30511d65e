// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <type_traits>

#include "gpu_device_pull.h"
#include "gpu_pes.h"

// Checks the kernels with random data against the host, for gpu_check.cu.
namespace symshuffle::gpu_check {

/// Copies pieces from one PE's memory to another's. The destination is a buffer of random bytes that is
/// compared as a whole, so that a store next to a piece is detected too.
inline void check_copy(Random& random, const std::vector<Pe>& pes, Kind kind, bool every_alignment) {
  const uint32_t me = static_cast<uint32_t>(below(random, pes.size()));
  const uint32_t other = static_cast<uint32_t>((me + 1 + below(random, pes.size() - 1)) % pes.size());
  const uint32_t from_pe = kind == Kind::kPush ? me : other;
  const uint32_t to_pe = kind == Kind::kPush ? other : me;
  const uint64_t grain = kind == Kind::kPullTma ? 16 : 1;
  struct Piece {
    uint64_t from, to, bytes;
  };
  std::vector<Piece> pieces;
  uint64_t to = 0;
  const auto add = [&](uint64_t from, uint64_t align_to, uint64_t bytes) {
    to = (to + 127) / 128 * 128 + align_to;
    pieces.push_back({from, to, bytes});
    to += bytes;
  };
  if (every_alignment) {
    for (uint64_t from = 0; from < 16; ++from) {
      for (uint64_t align_to = 0; align_to < 16; ++align_to) {
        const uint64_t sizes[] = {1 + below(random, 40), 1 + below(random, 700), 1 + below(random, 9000)};
        for (const uint64_t bytes : sizes) {
          add(128 * below(random, 100) + from, align_to, bytes);
        }
      }
    }
  } else {
    for (int i = 0; i < 300; ++i) {
      const uint64_t bytes = below(random, 10) == 0 ? 0 : grain * below(random, i % 30 == 0 ? 20000 : 300);
      add(grain * below(random, 1000), grain * below(random, 128 / grain), bytes);
    }
  }
  const uint64_t source_bytes = 400000;
  const uint64_t destination_bytes = to + 256;
  const std::vector<uint8_t> source = random_bytes(random, source_bytes);
  std::vector<uint8_t> expected = random_bytes(random, destination_bytes);
  Device<uint8_t> device_source(pes[from_pe], source);
  Device<uint8_t> device_destination(pes[to_pe], expected);
  std::vector<PullDescriptor> list;
  for (const Piece& p : pieces) {
    std::copy_n(&source[p.from], p.bytes, &expected[p.to]);
    list.push_back(
        {device_source.address() + p.from, device_destination.address() + p.to, p.bytes, 0, other});
  }
  const uint32_t units = number(list, kind);
  Device<PullDescriptor> device_list(pes[me], list);
  const uint32_t tile_units = static_cast<uint32_t>(1 + below(random, 8));
  const uint32_t spans = static_cast<uint32_t>(1 + below(random, 4));
  const int ctas = static_cast<int>(1 + below(random, 40));
  const int threads = static_cast<int>(32 * (1 + below(random, kCtaThreads / 32)));
  pes[me].clear_status();
  launch(kind, pes[me], ctas, threads,
         arguments_of(pes[me], me, device_list, list.size(), units, tile_units, spans));
  const std::string what = std::string(name_of(kind)) + " of " + std::to_string(list.size()) + " pieces, " +
                           std::to_string(ctas) + " CTAs of " + std::to_string(threads) + ", tiles of " +
                           std::to_string(tile_units);
  expect_ok(pes[me], what);
  const std::vector<uint8_t> actual = device_destination.read();
  const auto at = std::mismatch(actual.begin(), actual.end(), expected.begin()).first - actual.begin();
  expect(actual == expected, what + ": first difference at byte " + std::to_string(at));
}

inline void check_errors(Random& random, const std::vector<Pe>& pes) {
  const Pe& pe = pes[0];
  Device<uint8_t> memory(pe, random_bytes(random, 100000));
  std::vector<PullDescriptor> list;
  for (uint64_t i = 0; i < 10; ++i) {
    list.push_back({memory.address() + 4000 * i, memory.address() + 50000 + 4000 * i, 3000, 0, 0});
  }
  const uint32_t units = number(list, Kind::kPull);
  list[5].first_unit += 1;
  Device<PullDescriptor> device_list(pe, list);
  pe.clear_status();
  launch(Kind::kPull, pe, 4, 64, arguments_of(pe, 0, device_list, list.size(), units, 1, 1));
  KernelStatus s = pe.read_status();
  expect(s.code == static_cast<uint32_t>(Code::kInvalidPlan), "a broken list is reported");
  list[5].first_unit -= 1;
  list[6].bytes -= 1;
  Device<PullDescriptor> misaligned(pe, list);
  pe.clear_status();
  launch(Kind::kPullTma, pe, 4, 32, arguments_of(pe, 0, misaligned, list.size(), units, 1, 1));
  s = pe.read_status();
  expect(s.code == static_cast<uint32_t>(Code::kMisaligned), "pull_tma reports misaligned pieces");
}

inline uint32_t reference_crc32c(const uint8_t* data, uint64_t bytes) {
  static const std::vector<uint32_t> table = [] {
    std::vector<uint32_t> t(256);
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t c = n;
      for (int k = 0; k < 8; ++k) {
        c = (c & 1) != 0 ? (c >> 1) ^ 0x82f63b78U : c >> 1;
      }
      t[n] = c;
    }
    return t;
  }();
  uint32_t crc = ~0U;
  for (uint64_t i = 0; i < bytes; ++i) {
    crc = (crc >> 8) ^ table[(crc ^ data[i]) & 255];
  }
  return ~crc;
}

inline void check_crc32c(Random& random, const std::vector<Pe>& pes) {
  const Pe& pe = pes[0];
  const uint64_t total = 3 << 20;
  const std::vector<uint8_t> bytes = random_bytes(random, total + 64);
  Device<uint8_t> memory(pes[pes.size() - 1], bytes);  // on another GPU if there is one
  std::vector<CrcDescriptor> list;
  std::vector<uint32_t> expected;
  for (int i = 0; i < 400; ++i) {
    const uint64_t most = i < 3 ? total : i < 100 ? 20000 : 300;
    const uint64_t length = i == 5 ? 0 : below(random, most);
    const uint64_t at = below(random, total - length + 1);
    list.push_back({memory.address() + at, length, 0, 1});
    expected.push_back(reference_crc32c(&bytes[at], length));
  }
  const uint32_t units = number(list);
  Device<CrcDescriptor> device_list(pe, list);
  Device<uint32_t> results(pe, std::vector<uint32_t>(list.size()));
  CrcArguments a{};
  a.descriptors = device_list.address();
  a.results = results.address();
  a.status = address_of(pe.status);
  a.descriptor_count = static_cast<uint32_t>(list.size());
  a.unit_count = units;
  a.tile_units = static_cast<uint32_t>(1 + below(random, 16));
  pe.clear_status();
  pe.use();
  symshuffle_crc32c<<<static_cast<int>(1 + below(random, 100)), 256, 0, pe.stream>>>(a);
  expect_ok(pe, "crc32c");
  expect(results.read() == expected, "crc32c of 400 pieces");
}

/// Writes `value` to a word of every PE after a delay, like a slow kernel.
__global__ void write_slowly(uint64_t* const* words, uint32_t count, uint64_t value, uint64_t nanoseconds) {
  const DeviceThread t;
  const uint64_t start = t.now_nanoseconds();
  while (t.now_nanoseconds() - start < nanoseconds) {
  }
  for (uint32_t i = 0; i < count; ++i) {
    *words[i] = value;
  }
}

__global__ void read_word(const uint64_t* word, uint64_t* result) {
  *result = *word;
}

inline void check_barrier(const std::vector<Pe>& pes) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint32_t count = static_cast<uint32_t>(pes.size());
  Barriers barriers(pes);
  // In round r, every PE writes r to its word on every PE, waits at the barrier, and reads all words on
  // itself.
  std::vector<Device<uint64_t>> words;
  std::vector<Device<uint64_t*>> targets;
  std::vector<Device<uint64_t>> seen;
  constexpr uint64_t kRounds = 20;
  for (const Pe& pe : pes) {
    words.emplace_back(pe, std::vector<uint64_t>(count));
    seen.emplace_back(pe, std::vector<uint64_t>(count * kRounds));
  }
  for (uint32_t p = 0; p < count; ++p) {
    std::vector<uint64_t*> addresses;
    for (uint32_t q = 0; q < count; ++q) {
      addresses.push_back(words[q].data() + p);
    }
    targets.emplace_back(pes[p], addresses);
    pes[p].clear_status();
  }
  for (uint64_t round = 1; round <= kRounds; ++round) {
    for (uint32_t p = 0; p < count; ++p) {
      pes[p].use();
      write_slowly<<<1, 1, 0, pes[p].stream>>>(targets[p].data(), count, round, (p + round) % 4 * 20000);
      barriers.launch(p, 2 * round - 1, 10 * kSecond);
      for (uint32_t q = 0; q < count; ++q) {
        read_word<<<1, 1, 0, pes[p].stream>>>(words[p].data() + q, seen[p].data() + (round - 1) * count + q);
      }
      barriers.launch(p, 2 * round, 10 * kSecond);
    }
  }
  for (uint32_t p = 0; p < count; ++p) {
    expect_ok(pes[p], "barrier of PE " + std::to_string(p));
    const std::vector<uint64_t> values = seen[p].read();
    for (uint64_t i = 0; i < values.size(); ++i) {
      expect(values[i] == i / count + 1, "writes before a barrier are visible after it");
    }
  }
  // All but the last PE enter a barrier. Each names the missing one soon after the deadline.
  for (uint32_t p = 0; p + 1 < count; ++p) {
    pes[p].clear_status();
    barriers.launch(p, 2 * kRounds + 1, kSecond / 20);
  }
  for (uint32_t p = 0; p + 1 < count; ++p) {
    const KernelStatus s = pes[p].read_status();
    expect(s.code == static_cast<uint32_t>(Code::kTimeout) && s.pe == p && s.peer == count - 1 &&
               s.missing == 1ULL << (count - 1) && s.waited_nanoseconds >= kSecond / 20 &&
               s.waited_nanoseconds < 10 * kSecond,
           "a barrier names the missing PE: code " + std::to_string(s.code) + " peer " +
               std::to_string(s.peer) + " after " + std::to_string(s.waited_nanoseconds) + " ns");
  }
}

inline void check_signals(Random& random, const std::vector<Pe>& pes) {
  const uint32_t from = 0;
  const uint32_t to = static_cast<uint32_t>(pes.size() - 1);
  const uint32_t count = static_cast<uint32_t>(1 + below(random, 700));
  Device<uint64_t> words(pes[to], std::vector<uint64_t>(count));
  std::vector<SignalDescriptor> list;
  for (uint32_t i = 0; i < count; ++i) {
    list.push_back({words.address() + 8 * i, 100 + i, i % 7, 0});
  }
  Device<SignalDescriptor> at_sender(pes[from], list);
  Device<SignalDescriptor> at_receiver(pes[to], list);
  uint32_t* abort = nullptr;
  CUDA(cudaHostAlloc(&abort, sizeof(*abort), cudaHostAllocPortable | cudaHostAllocMapped));
  *abort = 0;
  const auto wait = [&](uint64_t timeout_nanoseconds) {
    pes[to].clear_status();
    const WaitArguments a{
        at_receiver.address(), address_of(pes[to].status), address_of(abort), timeout_nanoseconds, count, to};
    symshuffle_wait<<<1, kCtaThreads, 0, pes[to].stream>>>(a);
  };
  wait(30'000'000);
  KernelStatus s = pes[to].read_status();
  expect(s.code == static_cast<uint32_t>(Code::kTimeout), "a wait without a signal ends at its deadline");
  wait(20'000'000'000);
  *abort = 1;
  s = pes[to].read_status();
  expect(s.code == static_cast<uint32_t>(Code::kAborted), "a wait ends when the host sets the abort word");
  *abort = 0;
  const SignalArguments a{at_sender.address(), address_of(pes[from].status), count, from};
  const auto signal_all = [&] {
    pes[from].use();
    symshuffle_signal<<<1, kCtaThreads, 0, pes[from].stream>>>(a);
    pes[from].synchronize();
  };
  // On one GPU a sanitizer may run one kernel at a time, so signal first.
  if (pes[from].device == pes[to].device) {
    signal_all();
    wait(10'000'000'000);
  } else {
    wait(10'000'000'000);
    signal_all();
  }
  expect_ok(pes[to], "wait for signals");
  const std::vector<uint64_t> values = words.read();
  for (uint32_t i = 0; i < count; ++i) {
    expect(values[i] == 100 + i, "the value of a signal");
  }
  CUDA(cudaFreeHost(abort));
}

template <class T>
T combine_on_host(ReduceOperation operation, T a, T b) {
  if (operation == ReduceOperation::kSum) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
    }
  }
  return operation == ReduceOperation::kMin ? std::min(a, b) : std::max(a, b);
}

/// One all-reduce of `count` elements that start `shift` elements past a granule.
template <class T>
inline void check_reduce(Random& random, const std::vector<Pe>& pes, ElementType type,
                         ReduceOperation operation, bool two_steps, uint64_t count, uint64_t shift) {
  const uint32_t n = static_cast<uint32_t>(pes.size());
  std::vector<std::vector<T>> inputs(n);
  std::vector<Device<T>> in;
  std::vector<Device<T>> out;
  std::vector<uint64_t> in_addresses;
  std::vector<uint64_t> out_addresses;
  for (uint32_t p = 0; p < n; ++p) {
    for (uint64_t i = 0; i < count + shift; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        inputs[p].push_back(static_cast<T>(static_cast<double>(random()) / 1e12 - 9e6));
      } else {
        inputs[p].push_back(static_cast<T>(random()));
      }
    }
    in.emplace_back(pes[p], inputs[p]);
    out.emplace_back(pes[p], std::vector<T>(count + shift));
    in_addresses.push_back(in.back().address() + shift * sizeof(T));
    out_addresses.push_back(out.back().address() + shift * sizeof(T));
  }
  std::vector<T> expected(count + shift);
  for (uint64_t i = shift; i < expected.size(); ++i) {
    expected[i] = inputs[0][i];
    for (uint32_t p = 1; p < n; ++p) {
      expected[i] = combine_on_host(operation, expected[i], inputs[p][i]);
    }
  }
  std::vector<Device<uint64_t>> tables;
  for (uint32_t p = 0; p < n; ++p) {
    ReduceArguments a{};
    tables.emplace_back(pes[p], in_addresses);
    a.inputs = tables.back().address();
    tables.emplace_back(pes[p], two_steps ? out_addresses : std::vector<uint64_t>{out_addresses[p]});
    a.outputs = tables.back().address();
    a.status = address_of(pes[p].status);
    a.first_element = two_steps ? count * p / n : 0;
    a.element_count = two_steps ? count * (p + 1) / n - count * p / n : count;
    a.input_count = n;
    a.output_count = two_steps ? n : 1;
    a.type = static_cast<uint32_t>(type);
    a.operation = static_cast<uint32_t>(operation);
    a.pe = p;
    pes[p].clear_status();
    symshuffle_reduce<<<64, kCtaThreads, 0, pes[p].stream>>>(a);
  }
  const std::string what = "reduce of type " + std::to_string(static_cast<int>(type)) + " operation " +
                           std::to_string(static_cast<int>(operation)) + (two_steps ? " in two steps" : "");
  for (uint32_t p = 0; p < n; ++p) {
    expect_ok(pes[p], what);
  }
  for (uint32_t p = 0; p < n; ++p) {
    expect(out[p].read() == expected, what + ": result of PE " + std::to_string(p));
  }
}

inline void check_reductions(Random& random, const std::vector<Pe>& pes) {
  for (const ReduceOperation o : {ReduceOperation::kSum, ReduceOperation::kMin, ReduceOperation::kMax}) {
    for (const bool two_steps : {false, true}) {
      for (const uint64_t count : {1, 7, 4096, 50001}) {
        const uint64_t shift = below(random, 4);
        check_reduce<int32_t>(random, pes, ElementType::kI32, o, two_steps, count, shift);
        check_reduce<int64_t>(random, pes, ElementType::kI64, o, two_steps, count, shift);
        check_reduce<float>(random, pes, ElementType::kF32, o, two_steps, count, shift);
        check_reduce<double>(random, pes, ElementType::kF64, o, two_steps, count, shift);
      }
    }
  }
}

inline void check_broadcast(Random& random, const std::vector<Pe>& pes) {
  const uint64_t bytes = below(random, 300000);
  const uint64_t from = below(random, 32);
  const std::vector<uint8_t> source = random_bytes(random, bytes + 64);
  Device<uint8_t> device_source(pes[0], source);
  std::vector<std::vector<uint8_t>> expected;
  std::vector<Device<uint8_t>> destinations;
  std::vector<uint64_t> addresses;
  for (const Pe& pe : pes) {
    const uint64_t to = below(random, 32);
    expected.push_back(random_bytes(random, bytes + 64));
    destinations.emplace_back(pe, expected.back());
    addresses.push_back(destinations.back().address() + to);
    std::copy_n(&source[from], bytes, &expected.back()[to]);
  }
  Device<uint64_t> table(pes[0], addresses);
  const BroadcastArguments a{device_source.address() + from,    table.address(),
                             address_of(pes[0].status),         bytes,
                             static_cast<uint32_t>(pes.size()), 0};
  pes[0].clear_status();
  symshuffle_broadcast<<<16, kCtaThreads, 0, pes[0].stream>>>(a);
  expect_ok(pes[0], "broadcast");
  for (size_t i = 0; i < pes.size(); ++i) {
    expect(destinations[i].read() == expected[i], "broadcast of " + std::to_string(bytes) + " bytes");
  }
}

inline void check_layout(const std::vector<Pe>& pes) {
  pes[0].use();
  const auto expected = make_layout_table(kCtaThreads, kBenchmarkLayoutWords, kBenchmarkNumbers);
  auto table = expected;
  CUDA(cudaMemcpyFromSymbol(&table, symshuffle_layout, sizeof(table)));
  expect(std::memcmp(&table, &expected, sizeof(table)) == 0, "the exported layout");
}

/// Runs a check and prints whether it passed.
inline void check_step(const char* name, const std::function<void()>& body) {
  const int before = failures;
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%s %s %.2f s\n", failures == before ? "pass" : "FAIL", name, seconds.count());
  std::fflush(stdout);
}

inline void check_all(const std::vector<Pe>& pes, uint64_t seed) {
  std::printf("check, seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  check_step("layout", [&] { check_layout(pes); });
  for (const Kind kind : {Kind::kPull, Kind::kPush, Kind::kPullTma}) {
    check_step(name_of(kind), [&] {
      for (int i = 0; i < 6; ++i) {
        check_copy(random, pes, kind, i % 2 == 0 && kind != Kind::kPullTma);
      }
    });
  }
  check_step("device_pull", [&] {
    for (int i = 0; i < 6; ++i) {
      check_device_pull(random, pes);
    }
  });
  check_step("errors", [&] { check_errors(random, pes); });
  check_step("crc32c", [&] {
    for (int i = 0; i < 3; ++i) {
      check_crc32c(random, pes);
    }
  });
  // A sanitizer may run kernels of different streams one after the other, so PEs that share a GPU could wait
  // for each other forever. Checks in which kernels wait for each other need one GPU per PE.
  check_step("signal and wait", [&] { check_signals(random, pes); });
  if (pes[0].device != pes[pes.size() - 1].device) {
    check_step("barrier", [&] { check_barrier(pes); });
  } else {
    std::printf("skip barrier: one GPU\n");
  }
  check_step("reduce", [&] { check_reductions(random, pes); });
  check_step("broadcast", [&] {
    for (int i = 0; i < 10; ++i) {
      check_broadcast(random, pes);
    }
  });
}

}  // namespace symshuffle::gpu_check
