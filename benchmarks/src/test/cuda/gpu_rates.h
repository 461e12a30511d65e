// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "gpu_pes.h"

// Times the kernels, for gpu_check.cu.
namespace symshuffle::gpu_check {

// Variants of the kernels with other values than those of tuning.h, for comparison.

struct LoadOnceWide {
  static __device__ __forceinline__ Granule load(uint64_t address) { return load_once_wide(address); }
};

struct LoadCached {
  static __device__ __forceinline__ Granule load(uint64_t address) {
    const uint4 v = *reinterpret_cast<const uint4*>(address);
    return Granule{{v.x, v.y, v.z, v.w}};
  }
};

template <int kRows, class Load>
__global__ void __launch_bounds__(kCtaThreads) pull_variant(const __grid_constant__ PullArguments arguments) {
  transfer<Remote::kSource, kRows, Load>(DeviceThread{}, arguments);
}

template <int kRows>
__global__ void __launch_bounds__(kCtaThreads) push_variant(const __grid_constant__ PullArguments arguments) {
  transfer<Remote::kDestination, kRows, LoadOnce>(DeviceThread{}, arguments);
}

// The rates are those of an all-to-all that all PEs run concurrently.

__global__ void count_differences(const uint64_t* a, const uint64_t* b, uint64_t words,
                                  unsigned long long* count) {
  unsigned long long mine = 0;
  for (uint64_t i = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; i < words;
       i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
    mine += a[i] != b[i];
  }
  if (mine != 0) {
    atomicAdd(count, mine);
  }
}

__global__ void fill(uint64_t* a, uint64_t words, uint64_t seed) {
  for (uint64_t i = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; i < words;
       i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
    a[i] = (i + seed) * 0x9e3779b97f4a7c15ULL;
  }
}

/// The source and destination of every PE, with a part of `pair_bytes` bytes for each other PE. Part k of PE
/// p's source is for PE (p + 1 + k) % n. Part k of its destination is from that PE.
struct AllToAll {
  AllToAll(const std::vector<Pe>& pes, uint64_t pair_bytes) : pes(pes), pair_bytes(pair_bytes) {
    n = static_cast<uint32_t>(pes.size());
    for (uint32_t p = 0; p < n; ++p) {
      // Allocate 256 bytes more than needed, so that parts can be shifted.
      sources.emplace_back(pes[p], ((n - 1) * pair_bytes + 256) / 8);
      destinations.emplace_back(pes[p], ((n - 1) * pair_bytes + 256) / 8);
      fill<<<1024, 256, 0, pes[p].stream>>>(sources[p].data(), (n - 1) * pair_bytes / 8 + 32, p * 1000003ULL);
      pes[p].synchronize();
    }
  }

  uint32_t peer(uint32_t p, uint32_t k) const { return (p + 1 + k) % n; }
  uint64_t part_for(uint32_t owner, uint32_t reader) const {
    return sources[owner].address() + pair_bytes * ((reader + n - owner - 1) % n);
  }
  uint64_t part_from(uint32_t reader, uint32_t owner) const {
    return destinations[reader].address() + pair_bytes * ((owner + n - reader - 1) % n);
  }

  /// The list of PE p. The pieces of each part are in scattered order. Sources are `shift` bytes further into
  /// their part than destinations.
  std::vector<PullDescriptor> list_of(uint32_t p, Kind kind, uint64_t piece_bytes, uint64_t shift) const {
    std::vector<PullDescriptor> list;
    const uint64_t pieces = pair_bytes / piece_bytes;
    for (uint32_t k = 0; k + 1 < n; ++k) {
      const uint32_t other = peer(p, k);
      const uint64_t from = kind == Kind::kPush ? part_for(p, other) : part_for(other, p);
      const uint64_t to = kind == Kind::kPush ? part_from(other, p) : part_from(p, other);
      for (uint64_t i = 0; i < pieces; ++i) {
        const uint64_t at = i * 2654435761ULL % pieces * piece_bytes;
        list.push_back({from + at + shift, to + at, piece_bytes, 0, other});
      }
    }
    return list;
  }

  /// Checks that every destination equals its source. Lists must have no shift.
  void verify(const std::string& what) {
    for (uint32_t p = 0; p < n; ++p) {
      Device<unsigned long long> count(pes[p], std::vector<unsigned long long>(1));
      for (uint32_t k = 0; k + 1 < n; ++k) {
        const uint32_t other = peer(p, k);
        count_differences<<<1024, 256, 0, pes[p].stream>>>(
            reinterpret_cast<const uint64_t*>(part_for(other, p)),
            reinterpret_cast<const uint64_t*>(part_from(p, other)), pair_bytes / 8, count.data());
      }
      pes[p].synchronize();
      expect(count.read()[0] == 0, what + ": wrong words at PE " + std::to_string(p));
      CUDA(cudaMemset(destinations[p].data(), 0, (n - 1) * pair_bytes));
      CUDA(cudaDeviceSynchronize());
    }
  }

  const std::vector<Pe>& pes;
  uint64_t pair_bytes;
  uint32_t n;
  std::vector<Device<uint64_t>> sources;
  std::vector<Device<uint64_t>> destinations;
};

/// Milliseconds per call on the slowest PE, over `times` calls after a warm-up call. All PEs start together.
inline float measure(const std::vector<Pe>& pes, int times, const std::function<void(uint32_t)>& call) {
  static Barriers* barriers = nullptr;
  static uint64_t round = 0;
  const bool separate_gpus = pes[0].device != pes[pes.size() - 1].device;
  if (barriers == nullptr) {
    barriers = new Barriers(pes);
  }
  // All work behind a barrier must fit into the streams. Otherwise the host would wait for the barrier and
  // never queue that of the next PE.
  std::vector<cudaEvent_t> starts(pes.size());
  std::vector<cudaEvent_t> ends(pes.size());
  for (uint32_t p = 0; p < pes.size(); ++p) {
    pes[p].use();
    CUDA(cudaEventCreate(&starts[p]));
    CUDA(cudaEventCreate(&ends[p]));
    call(p);
  }
  for (const Pe& pe : pes) {
    pe.synchronize();
  }
  ++round;
  for (uint32_t p = 0; p < pes.size(); ++p) {
    pes[p].use();
    if (separate_gpus) {
      barriers->launch(p, round, 1'000'000'000);
    }
    CUDA(cudaEventRecord(starts[p], pes[p].stream));
    for (int i = 0; i < times; ++i) {
      call(p);
    }
    CUDA(cudaEventRecord(ends[p], pes[p].stream));
  }
  float slowest = 0;
  for (uint32_t p = 0; p < pes.size(); ++p) {
    pes[p].synchronize();
    float milliseconds = 0;
    CUDA(cudaEventElapsedTime(&milliseconds, starts[p], ends[p]));
    slowest = std::max(slowest, milliseconds / static_cast<float>(times));
    CUDA(cudaEventDestroy(starts[p]));
    CUDA(cudaEventDestroy(ends[p]));
  }
  return slowest;
}

struct Best {
  std::string what;
  double rate = 0;
  std::string how;

  void offer(double candidate, const std::string& candidate_how) {
    if (candidate > rate) {
      rate = candidate;
      how = candidate_how;
    }
  }
};

using Kernel = void (*)(PullArguments);

/// The lists of all PEs on their GPUs.
struct Lists {
  Lists(const AllToAll& work, Kind kind, uint64_t piece_bytes, uint64_t shift) {
    for (uint32_t p = 0; p < work.n; ++p) {
      std::vector<PullDescriptor> list = work.list_of(p, kind, piece_bytes, shift);
      units.push_back(number(list, kind));
      count = list.size();
      lists.emplace_back(work.pes[p], list);
    }
  }

  PullArguments arguments(const std::vector<Pe>& pes, uint32_t p, uint32_t tile_units, uint32_t spans) const {
    return arguments_of(pes[p], p, lists[p], count, units[p], tile_units, spans);
  }

  std::vector<Device<PullDescriptor>> lists;
  std::vector<uint32_t> units;
  size_t count = 0;
};

inline double gigabytes_per_second(const AllToAll& work, float milliseconds) {
  return static_cast<double>(work.n - 1) * static_cast<double>(work.pair_bytes) / milliseconds / 1e6;
}

/// Times one kernel with several launch shapes and offers each rate to `best`.
inline void rate_shapes(AllToAll& work, const char* name, Kernel kernel, Kind kind,
                        const std::vector<int>& ctas, const std::vector<int>& threads,
                        const std::vector<uint32_t>& tiles, const std::vector<uint32_t>& spans, Best& best) {
  const Lists lists(work, kind, work.pair_bytes, 0);
  bool verified = false;
  for (const int c : ctas) {
    for (const int t : threads) {
      for (const uint32_t tile : tiles) {
        for (const uint32_t span : spans) {
          const size_t shared = kernel == symshuffle_pull_tma ? sizeof(BulkMemory) : 0;
          const float ms = measure(work.pes, 5, [&](uint32_t p) {
            work.pes[p].use();
            kernel<<<c, t, shared, work.pes[p].stream>>>(lists.arguments(work.pes, p, tile, span));
          });
          const double rate = gigabytes_per_second(work, ms);
          for (const Pe& pe : work.pes) {
            expect_ok(pe, name);
          }
          const std::string how = std::to_string(c) + " CTAs of " + std::to_string(t) + ", tiles of " +
                                  std::to_string(tile) + ", " + std::to_string(span) + " spans";
          std::printf("%-16s %-48s %8.1f GB/s\n", name, how.c_str(), rate);
          best.offer(rate, how);
          if (!verified) {
            work.verify(std::string(name) + " " + how);
            verified = true;
          }
        }
      }
    }
  }
  std::fflush(stdout);
}

inline void rate_copy_engine(AllToAll& work, bool push, Best& best) {
  // One stream per pair, which suits the copy engines. The main stream waits for all of them.
  std::vector<std::vector<cudaStream_t>> streams(work.n);
  std::vector<cudaEvent_t> begin(work.n);
  std::vector<std::vector<cudaEvent_t>> done(work.n);
  for (uint32_t p = 0; p < work.n; ++p) {
    work.pes[p].use();
    CUDA(cudaEventCreateWithFlags(&begin[p], cudaEventDisableTiming));
    for (uint32_t k = 0; k + 1 < work.n; ++k) {
      streams[p].emplace_back();
      done[p].emplace_back();
      CUDA(cudaStreamCreateWithFlags(&streams[p].back(), cudaStreamNonBlocking));
      CUDA(cudaEventCreateWithFlags(&done[p].back(), cudaEventDisableTiming));
    }
  }
  const float ms = measure(work.pes, 5, [&](uint32_t p) {
    work.pes[p].use();
    CUDA(cudaEventRecord(begin[p], work.pes[p].stream));
    for (uint32_t k = 0; k + 1 < work.n; ++k) {
      const uint32_t other = work.peer(p, k);
      const uint64_t from = push ? work.part_for(p, other) : work.part_for(other, p);
      const uint64_t to = push ? work.part_from(other, p) : work.part_from(p, other);
      CUDA(cudaStreamWaitEvent(streams[p][k], begin[p], 0));
      CUDA(cudaMemcpyPeerAsync(reinterpret_cast<void*>(to), work.pes[push ? other : p].device,
                               reinterpret_cast<const void*>(from), work.pes[push ? p : other].device,
                               work.pair_bytes, streams[p][k]));
      CUDA(cudaEventRecord(done[p][k], streams[p][k]));
      CUDA(cudaStreamWaitEvent(work.pes[p].stream, done[p][k], 0));
    }
  });
  work.verify("copy engine");
  const double rate = gigabytes_per_second(work, ms);
  std::printf("%-16s %-48s %8.1f GB/s\n", push ? "engine push" : "engine pull", "cudaMemcpyPeerAsync", rate);
  best.offer(rate, "cudaMemcpyPeerAsync");
}

/// The rate of many pieces of one size in scattered order. Sources are `shift` bytes off their destinations'
/// alignment.
inline double rate_pieces(AllToAll& work, Kind kind, uint64_t piece_bytes, uint64_t shift,
                          int ctas_per_multiprocessor = 4) {
  const Lists lists(work, kind, piece_bytes, shift);
  const float ms = measure(work.pes, 3, [&](uint32_t p) {
    launch(kind, work.pes[p], ctas_per_multiprocessor * work.pes[p].multiprocessors, 512,
           lists.arguments(work.pes, p, kind == Kind::kPullTma ? kTmaTileUnits : 8, work.n - 1));
  });
  expect_ok(work.pes[0], "pieces");
  if (shift == 0) {
    work.verify(std::string(name_of(kind)) + " of pieces of " + std::to_string(piece_bytes));
  }
  return gigabytes_per_second(work, ms);
}

inline void rate_small_transfers(const std::vector<Pe>& pes) {
  std::printf("\nmicroseconds per launch with few bytes per pair\n%12s", "bytes");
  const std::vector<int> shapes{8, 32, 132};
  for (const int c : shapes) {
    std::printf("  pull %3d CTAs", c);
  }
  std::printf("   push 32 CTAs   tma 32 CTAs\n");
  for (const uint64_t bytes : {uint64_t{256}, uint64_t{4096}, uint64_t{65536}, uint64_t{1} << 20}) {
    AllToAll work(pes, bytes);
    std::printf("%12llu", static_cast<unsigned long long>(bytes));
    const auto time = [&](Kind kind, int ctas) {
      const Lists lists(work, kind, bytes, 0);
      const float ms = measure(pes, 50, [&](uint32_t p) {
        launch(kind, pes[p], ctas, 512, lists.arguments(pes, p, 1, work.n - 1));
      });
      std::printf("  %13.2f", ms * 1000);
    };
    for (const int c : shapes) {
      time(Kind::kPull, c);
    }
    time(Kind::kPush, 32);
    time(Kind::kPullTma, 32);
    std::printf("\n");
  }
}

inline void rate_crc32c(const std::vector<Pe>& pes) {
  const Pe& pe = pes[0];
  const uint64_t bytes = 1ULL << 30;
  Device<uint64_t> memory(pe, bytes / 8);
  Device<uint32_t> results(pe, std::vector<uint32_t>(bytes / 256));
  std::printf("\ncrc32c of 1 GiB in this GPU's memory\n");
  for (const uint64_t piece : {uint64_t{256}, uint64_t{4096}, uint64_t{65536}, bytes}) {
    std::vector<CrcDescriptor> list;
    for (uint64_t at = 0; at < bytes; at += piece) {
      list.push_back({memory.address() + at, piece, 0, 0});
    }
    const uint32_t units = number(list);
    Device<CrcDescriptor> device_list(pe, list);
    for (const uint32_t tile : {8U, 32U}) {
      CrcArguments a{};
      a.descriptors = device_list.address();
      a.results = results.address();
      a.status = address_of(pe.status);
      a.descriptor_count = static_cast<uint32_t>(list.size());
      a.unit_count = units;
      a.tile_units = tile;
      const float ms = measure(pes, 5, [&](uint32_t p) {
        if (p == 0) {
          pe.use();
          symshuffle_crc32c<<<2 * pe.multiprocessors, kCtaThreads, 0, pe.stream>>>(a);
        }
      });
      std::printf("pieces of %10llu, tiles of %2u  %8.1f GB/s\n", static_cast<unsigned long long>(piece),
                  tile, static_cast<double>(bytes) / ms / 1e6);
    }
  }
}

inline void rate_all(const std::vector<Pe>& pes, uint64_t pair_bytes) {
  AllToAll work(pes, pair_bytes);
  const uint32_t others = work.n - 1;
  std::printf("\nall-to-all of %llu MiB per pair, GB/s per GPU (the slowest)\n",
              static_cast<unsigned long long>(pair_bytes >> 20));
  std::vector<Best> best;
  const auto add = [&](const char* what) -> Best& {
    best.push_back({what, 0, ""});
    return best.back();
  };
  best.reserve(32);
  rate_copy_engine(work, false, add("engine pull"));
  rate_copy_engine(work, true, add("engine push"));
  const std::vector<int> ctas{8, 16, 32, 64, 132, 264};
  const std::vector<uint32_t> both = others > 1 ? std::vector<uint32_t>{1, others} : std::vector<uint32_t>{1};
  rate_shapes(work, "pull", symshuffle_pull, Kind::kPull, ctas, {512}, {16}, {others}, add("pull"));
  rate_shapes(work, "pull tiles", symshuffle_pull, Kind::kPull, {32, 132}, {256, 512}, {4, 32, 128}, both,
              add("pull, tiles"));
  rate_shapes(work, "pull 8 rows", pull_variant<8, LoadOnce>, Kind::kPull, {16, 32, 132}, {256, 512}, {16},
              {others}, add("pull, 8 loads"));
  rate_shapes(work, "pull 2 rows", pull_variant<2, LoadOnce>, Kind::kPull, {32, 132, 264}, {512}, {16},
              {others}, add("pull, 2 loads"));
  rate_shapes(work, "pull L2 256", pull_variant<4, LoadOnceWide>, Kind::kPull, {32, 132}, {512}, {16},
              {others}, add("pull, L2::256B"));
  rate_shapes(work, "pull cached", pull_variant<4, LoadCached>, Kind::kPull, {32, 132}, {512}, {16}, {others},
              add("pull, plain loads"));
  rate_shapes(work, "push", symshuffle_push, Kind::kPush, ctas, {512}, {16}, {others}, add("push"));
  rate_shapes(work, "push 8 rows", push_variant<8>, Kind::kPush, {16, 32, 132}, {512}, {16}, {others},
              add("push, 8 loads"));
  rate_shapes(work, "pull_tma", symshuffle_pull_tma, Kind::kPullTma, ctas, {32}, {2, 8}, {others},
              add("pull_tma"));
  rate_shapes(work, "push by TMA", symshuffle_pull_tma, Kind::kPush, {8, 16, 32, 64, 132}, {32}, {2, 8},
              {others}, add("push by TMA"));

  std::printf("\npieces in scattered order, 4 CTAs of 512 threads per multiprocessor, GB/s per GPU\n");
  std::printf("%12s %12s %12s %12s %12s %12s\n", "bytes", "pull", "pull +8", "pull +1", "push", "pull_tma");
  const uint64_t small_pair = std::min<uint64_t>(pair_bytes, 32ULL << 20);
  AllToAll small(pes, small_pair);
  for (const uint64_t piece : {64, 256, 1024, 4096, 16384, 65536, 1 << 20}) {
    std::printf("%12llu %12.1f %12.1f %12.1f %12.1f %12.1f\n", static_cast<unsigned long long>(piece),
                rate_pieces(small, Kind::kPull, piece, 0), rate_pieces(small, Kind::kPull, piece, 8),
                rate_pieces(small, Kind::kPull, piece, 1), rate_pieces(small, Kind::kPush, piece, 0),
                rate_pieces(small, Kind::kPullTma, piece, 0));
    std::fflush(stdout);
  }
  rate_small_transfers(pes);
  rate_crc32c(pes);

  std::printf("\nbest rates, %llu MiB per pair, %u PEs\n", static_cast<unsigned long long>(pair_bytes >> 20),
              work.n);
  for (const Best& b : best) {
    std::printf("%-18s %8.1f GB/s  %s\n", b.what.c_str(), b.rate, b.how.c_str());
  }
}

}  // namespace symshuffle::gpu_check
