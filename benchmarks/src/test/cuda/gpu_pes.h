// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "all_kernels.h"

// PEs, their memory and their lists, for gpu_check.cu.
namespace symshuffle::gpu_check {

using Random = std::mt19937_64;

#define CUDA(call)                                                                                  \
  do {                                                                                              \
    const cudaError_t cuda_code = (call);                                                           \
    if (cuda_code != cudaSuccess) {                                                                 \
      std::printf("FAIL %s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(cuda_code)); \
      std::exit(2);                                                                                 \
    }                                                                                               \
  } while (false)

inline uint64_t below(Random& random, uint64_t bound) {
  return random() % bound;
}
inline uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

inline int failures = 0;

inline void expect(bool good, const std::string& what) {
  if (!good) {
    ++failures;
    std::printf("FAIL %s\n", what.c_str());
  }
}

/// One PE: a GPU, a stream and a status on that GPU. If there are fewer GPUs than PEs, PEs share a GPU.
struct Pe {
  int device;
  cudaStream_t stream;
  KernelStatus* status;
  int multiprocessors;

  void use() const { CUDA(cudaSetDevice(device)); }

  void synchronize() const {
    use();
    CUDA(cudaGetLastError());
    CUDA(cudaStreamSynchronize(stream));
  }

  void clear_status() const {
    use();
    CUDA(cudaMemsetAsync(status, 0, sizeof(KernelStatus), stream));
  }

  KernelStatus read_status() const {
    synchronize();
    KernelStatus copy;
    CUDA(cudaMemcpy(&copy, status, sizeof(copy), cudaMemcpyDeviceToHost));
    return copy;
  }
};

inline void expect_ok(const Pe& pe, const std::string& what) {
  const KernelStatus s = pe.read_status();
  expect(s.code == 0, what + ": code " + std::to_string(s.code) + " pe " + std::to_string(s.pe) + " peer " +
                          std::to_string(s.peer) + " expected " + std::to_string(s.expected) + " seen " +
                          std::to_string(s.seen) + " address " + std::to_string(s.address));
}

/// Device memory of one PE.
template <class T>
struct Device {
  Device(const Pe& pe, uint64_t count) : count_(count) {
    pe.use();
    // Allocate whole granules, because checksums load the last bytes with whole granules.
    const uint64_t bytes = std::max<uint64_t>(1, count) * sizeof(T);
    CUDA(cudaMalloc(&data_, (bytes + 15) / 16 * 16));
  }
  Device(const Pe& pe, const std::vector<T>& values) : Device(pe, values.size()) {
    CUDA(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());  // the PEs' streams do not wait for the default stream
  }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&& other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }

  std::vector<T> read() const {
    std::vector<T> values(count_);
    CUDA(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  uint64_t address() const { return address_of(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  uint64_t count_;
};

inline std::vector<Pe> make_pes() {
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  const int count = devices == 1 ? 3 : devices;
  std::vector<Pe> pes;
  for (int i = 0; i < count; ++i) {
    Pe pe{};
    pe.device = i % devices;
    pe.use();
    CUDA(cudaStreamCreateWithFlags(&pe.stream, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&pe.status, sizeof(KernelStatus)));
    CUDA(cudaMemset(pe.status, 0, sizeof(KernelStatus)));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaDeviceGetAttribute(&pe.multiprocessors, cudaDevAttrMultiProcessorCount, pe.device));
    for (int other = 0; other < devices; ++other) {
      if (other != pe.device) {
        const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
        if (error == cudaErrorPeerAccessAlreadyEnabled) {
          static_cast<void>(cudaGetLastError());
        } else {
          CUDA(error);
        }
      }
    }
    pes.push_back(pe);
  }
  for (int d = 0; d < devices; ++d) {
    CUDA(cudaSetDevice(d));
    CUDA(cudaFuncSetAttribute(symshuffle_pull_tma, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              sizeof(BulkMemory)));
  }
  std::printf("%d PEs on %d GPUs\n", count, devices);
  return pes;
}

enum class Kind { kPull, kPush, kPullTma };

inline const char* name_of(Kind kind) {
  return kind == Kind::kPull ? "pull" : kind == Kind::kPush ? "push" : "pull_tma";
}

/// Numbers the units of a list; returns their sum.
inline uint32_t number(std::vector<PullDescriptor>& list, Kind kind) {
  uint32_t units = 0;
  for (PullDescriptor& d : list) {
    d.first_unit = units;
    units += copy_shape(d.source, d.destination, d.bytes,
                        kind == Kind::kPush ? Remote::kDestination : Remote::kSource)
                 .units();
  }
  return units;
}

inline void launch(Kind kind, const Pe& pe, int ctas, int threads, const PullArguments& a) {
  pe.use();
  switch (kind) {
    case Kind::kPull:
      symshuffle_pull<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Kind::kPush:
      symshuffle_push<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Kind::kPullTma:
      symshuffle_pull_tma<<<ctas, kTmaCtaThreads, sizeof(BulkMemory), pe.stream>>>(a);
      break;
  }
}

inline PullArguments arguments_of(const Pe& pe, uint32_t index, const Device<PullDescriptor>& list,
                                  size_t count, uint32_t units, uint32_t tile_units, uint32_t spans) {
  PullArguments a{};
  a.descriptors = list.address();
  a.status = address_of(pe.status);
  a.descriptor_count = static_cast<uint32_t>(count);
  a.unit_count = units;
  a.tile_units = tile_units;
  a.spans = spans;
  a.pe = index;
  return a;
}

inline std::vector<uint8_t> random_bytes(Random& random, uint64_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint64_t i = 0; i < count; i += 8) {
    const uint64_t word = random();
    std::memcpy(&bytes[i], &word, std::min<uint64_t>(8, count - i));
  }
  return bytes;
}

/// Numbers the units of a list; returns their sum.
inline uint32_t number(std::vector<CrcDescriptor>& list) {
  uint32_t units = 0;
  for (CrcDescriptor& d : list) {
    d.first_unit = units;
    units += copy_shape(d.address, d.address, d.bytes, Remote::kSource).units();
  }
  return units;
}

/// The arrival arrays of all PEs, and a table of their addresses for each PE.
struct Barriers {
  explicit Barriers(const std::vector<Pe>& pes) : pes(pes) {
    std::vector<uint64_t> addresses;
    for (const Pe& pe : pes) {
      arrays.emplace_back(pe, std::vector<uint64_t>(pes.size()));
      addresses.push_back(arrays.back().address());
    }
    for (const Pe& pe : pes) {
      tables.emplace_back(pe, addresses);
    }
  }

  void launch(uint32_t pe, uint64_t round, uint64_t timeout_nanoseconds) {
    BarrierArguments a{};
    a.arrivals = tables[pe].address();
    a.status = address_of(pes[pe].status);
    a.timeout_nanoseconds = timeout_nanoseconds;
    a.round = round;
    a.pe_count = static_cast<uint32_t>(pes.size());
    a.pe = pe;
    pes[pe].use();
    symshuffle_barrier<<<1, 32, 0, pes[pe].stream>>>(a);
  }

  const std::vector<Pe>& pes;
  std::vector<Device<uint64_t>> arrays;
  std::vector<Device<uint64_t>> tables;
};

}  // namespace symshuffle::gpu_check
