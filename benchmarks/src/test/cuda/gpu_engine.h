// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_rates.h"

// Times an all-to-all in pieces with copy engines and with kernels, for gpu_check.cu. It shows from which
// piece size on an engine is faster, and which API call is fastest.
namespace symshuffle::gpu_check {

/// Copies that a PE queues before the host starts the next PE. A stream holds about 1,000.
inline constexpr size_t kMaxQueued = 400;

/// The API call that starts the copies.
enum class CopyCall { kPeer, kPlain, kBatch };

/// Additional streams of one PE for copy engines. The main stream waits for them.
struct EngineStreams {
  EngineStreams(const Pe& pe, int count) : pe(pe) {
    pe.use();
    CUDA(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
    for (int i = 0; i < count; ++i) {
      streams.emplace_back();
      done.emplace_back();
      CUDA(cudaStreamCreateWithFlags(&streams.back(), cudaStreamNonBlocking));
      CUDA(cudaEventCreateWithFlags(&done.back(), cudaEventDisableTiming));
    }
  }

  void fork() {
    CUDA(cudaEventRecord(begin, pe.stream));
    for (const cudaStream_t stream : streams) {
      CUDA(cudaStreamWaitEvent(stream, begin, 0));
    }
  }

  void join() {
    for (size_t i = 0; i < streams.size(); ++i) {
      CUDA(cudaEventRecord(done[i], streams[i]));
      CUDA(cudaStreamWaitEvent(pe.stream, done[i], 0));
    }
  }

  Pe pe;
  cudaEvent_t begin{};
  std::vector<cudaStream_t> streams;
  std::vector<cudaEvent_t> done;
};

/// Pieces of one PE in the form that the copy calls take.
struct EngineList {
  std::vector<const void*> to;
  std::vector<const void*> from;
  std::vector<size_t> bytes;
  std::vector<uint32_t> other;
};

inline EngineList engine_list(const AllToAll& work, uint32_t p, bool push, uint64_t piece_bytes) {
  EngineList list;
  // Take one piece from each peer in turn, so that a few streams keep all links busy.
  for (uint64_t at = 0; at < work.pair_bytes; at += piece_bytes) {
    for (uint32_t k = 0; k + 1 < work.n; ++k) {
      const uint32_t other = work.peer(p, k);
      const uint64_t from = push ? work.part_for(p, other) : work.part_for(other, p);
      const uint64_t to = push ? work.part_from(other, p) : work.part_from(p, other);
      list.to.push_back(reinterpret_cast<const void*>(to + at));
      list.from.push_back(reinterpret_cast<const void*>(from + at));
      list.bytes.push_back(piece_bytes);
      list.other.push_back(other);
    }
  }
  return list;
}

/// Queues copies on forked streams and joins the streams.
inline void queue_copies(const AllToAll& work, uint32_t p, bool push, CopyCall call, const EngineList& list,
                EngineStreams& streams) {
  const size_t count = streams.streams.size();
  if (call == CopyCall::kBatch) {
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    for (size_t s = 0; s < count; ++s) {
      const size_t begin = list.to.size() * s / count;
      const size_t end = list.to.size() * (s + 1) / count;
      size_t first = 0;
      if (begin < end) {
        CUDA(cudaMemcpyBatchAsync(list.to.data() + begin, list.from.data() + begin, list.bytes.data() + begin,
                                  end - begin, &attributes, &first, 1, streams.streams[s]));
      }
    }
  } else {
    for (size_t i = 0; i < list.to.size(); ++i) {
      void* to = const_cast<void*>(list.to[i]);
      const cudaStream_t stream = streams.streams[i % count];
      if (call == CopyCall::kPeer) {
        const int mine = work.pes[p].device;
        const int theirs = work.pes[list.other[i]].device;
        CUDA(cudaMemcpyPeerAsync(to, push ? theirs : mine, list.from[i], push ? mine : theirs, list.bytes[i],
                                 stream));
      } else {
        CUDA(cudaMemcpyAsync(to, list.from[i], list.bytes[i], cudaMemcpyDeviceToDevice, stream));
      }
    }
  }
  streams.join();
}

/// GB/s of the engines. If `own_bytes` is not 0, every PE concurrently copies that many bytes within its
/// memory, with a kernel or with an engine.
inline double rate_engine(AllToAll& work, bool push, CopyCall call, uint64_t piece_bytes, int stream_count,
                          uint64_t own_bytes = 0, bool own_by_kernel = false) {
  std::vector<EngineStreams> streams;
  std::vector<EngineStreams> own_streams;
  std::vector<EngineList> lists;
  std::vector<Device<uint64_t>> own;
  std::vector<Device<PullDescriptor>> own_lists;
  uint32_t own_units = 0;
  for (uint32_t p = 0; p < work.n; ++p) {
    streams.emplace_back(work.pes[p], stream_count);
    own_streams.emplace_back(work.pes[p], 1);
    lists.push_back(engine_list(work, p, push, piece_bytes));
    own.emplace_back(work.pes[p], 2 * own_bytes / 8);
    std::vector<PullDescriptor> list{{own[p].address(), own[p].address() + own_bytes, own_bytes, 0, p}};
    own_units = number(list, Kind::kPull);
    own_lists.emplace_back(work.pes[p], list);
  }
  const auto times = static_cast<int>(std::clamp<size_t>(kMaxQueued / lists[0].to.size(), 1, 5));
  const float ms = measure(work.pes, times, [&](uint32_t p) {
    const Pe& pe = work.pes[p];
    pe.use();
    if (own_bytes != 0 && !own_by_kernel) {
      own_streams[p].fork();
      CUDA(cudaMemcpyAsync(reinterpret_cast<void*>(own[p].address() + own_bytes),
                           reinterpret_cast<const void*>(own[p].address()), own_bytes,
                           cudaMemcpyDeviceToDevice, own_streams[p].streams[0]));
    }
    // The engines' streams wait for the work queued so far, not for the kernel after it.
    streams[p].fork();
    if (own_bytes != 0 && own_by_kernel) {
      launch(Kind::kPull, pe, 66, 512, arguments_of(pe, p, own_lists[p], 1, own_units, 8, 1));
    }
    queue_copies(work, p, push, call, lists[p], streams[p]);
    if (own_bytes != 0 && !own_by_kernel) {
      own_streams[p].join();
    }
  });
  work.verify("copy engine");
  for (uint32_t p = 0; p < work.n; ++p) {
    work.pes[p].use();
    for (EngineStreams* s : {&streams[p], &own_streams[p]}) {
      CUDA(cudaEventDestroy(s->begin));
      for (size_t i = 0; i < s->streams.size(); ++i) {
        CUDA(cudaStreamDestroy(s->streams[i]));
        CUDA(cudaEventDestroy(s->done[i]));
      }
    }
  }
  return gigabytes_per_second(work, ms);
}

inline void rate_engines(const std::vector<Pe>& pes, uint64_t pair_bytes) {
  AllToAll work(pes, pair_bytes);
  const auto mebibytes = static_cast<unsigned long long>(pair_bytes >> 20);
  for (const bool push : {false, true}) {
    std::printf("\n%s of %llu MiB per pair by piece size in KiB, GB/s per GPU (the slowest)\n",
                push ? "push" : "pull", mebibytes);
    std::printf("%10s %8s %8s %8s %8s %8s %8s %8s %8s\n", "KiB", "kernel", "1 strm", "2 strms", "4 strms",
                "peer 1", "peer 2", "batch 1", "batch 2");
    for (uint64_t piece = 1ULL << 20; piece <= pair_bytes;
         piece = piece < pair_bytes && piece * 4 > pair_bytes ? pair_bytes : piece * 4) {
      std::printf("%10llu", static_cast<unsigned long long>(piece >> 10));
      const auto cell = [](double rate) {
        std::printf(" %8.1f", rate);
        std::fflush(stdout);
      };
      cell(rate_pieces(work, push ? Kind::kPush : Kind::kPull, piece, 0, 1));
      for (const int streams : {1, 2, 4}) {
        cell(rate_engine(work, push, CopyCall::kPlain, piece, streams));
      }
      for (const CopyCall call : {CopyCall::kPeer, CopyCall::kBatch}) {
        for (const int streams : {1, 2}) {
          cell(rate_engine(work, push, call, piece, streams));
        }
      }
      std::printf("\n");
    }
    std::printf("GB/s without a local copy of %llu MiB: %.1f, with one by an engine: %.1f, by a kernel: %.1f\n",
                mebibytes, rate_engine(work, push, CopyCall::kPlain, pair_bytes, 1),
                rate_engine(work, push, CopyCall::kPlain, pair_bytes, 1, pair_bytes, false),
                rate_engine(work, push, CopyCall::kPlain, pair_bytes, 1, pair_bytes, true));
    std::fflush(stdout);
  }
}

/// Rates of launch shapes for pieces of a few mebibytes, where caches and launch times matter.
inline void rate_plans(const std::vector<Pe>& pes) {
  std::printf("\nall-to-all of a few MiB per pair by number of CTAs, GB/s per GPU (the slowest)\n");
  const std::vector<int> ctas{16, 32, 48, 66, 88, 132, 198, 264};
  std::printf("%6s %9s", "MiB", "kernel");
  for (const int c : ctas) {
    std::printf(" %7d", c);
  }
  std::printf("\n");
  for (const uint64_t mebibytes : {1, 4, 16, 64, 128}) {
    AllToAll work(pes, mebibytes << 20);
    for (const Kind kind : {Kind::kPull, Kind::kPullTma, Kind::kPush}) {
      const Lists lists(work, kind, work.pair_bytes, 0);
      std::printf("%6llu %9s", static_cast<unsigned long long>(mebibytes), name_of(kind));
      for (const int c : ctas) {
        const float ms = measure(pes, 20, [&](uint32_t p) {
          launch(kind, pes[p], c, 512, lists.arguments(pes, p, kind == Kind::kPullTma ? kTmaTileUnits : 8, work.n - 1));
        });
        std::printf(" %7.1f", gigabytes_per_second(work, ms));
      }
      work.verify(name_of(kind));
      expect_ok(pes[0], "plans");
      std::printf("\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace symshuffle::gpu_check
