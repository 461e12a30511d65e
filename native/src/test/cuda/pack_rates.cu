// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// Packs and unpacks tables on this machine's GPU, compares them, and prints sizes and rates. Maven does not build
// this program. Compile it by hand:
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -I native/src/main/cuda -o pack_rates native/src/test/cuda/pack_rates.cu
//   ./pack_rates [MIB [CTAS]]   MIB mebibytes of each kind (256), CTAS CTAs per multiprocessor (4)
//
// With 1 MiB it is small enough for compute-sanitizer. The exit status is 0 if all tables are equal.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "pack.cu"
#include "unpack.cu"

namespace symshuffle::pack_rates {

constexpr int kRounds = 9;
constexpr uint64_t kTableBytes = 1 << 20;

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class T>
struct Device {
  T* data = nullptr;
  uint64_t count;

  explicit Device(uint64_t count) : count(count) {
    check(cudaMalloc(&data, std::max<uint64_t>(1, count) * sizeof(T)), "cudaMalloc");
    check(cudaMemset(data, 0, count * sizeof(T)), "cudaMemset");
  }
  explicit Device(const std::vector<T>& content) : Device(content.size()) {
    check(cudaMemcpy(data, content.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copy to the GPU");
  }
  ~Device() { cudaFree(data); }

  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }
  std::vector<T> read() const {
    std::vector<T> content(count);
    check(cudaMemcpy(content.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from the GPU");
    return content;
  }
};

/// Milliseconds of the fastest of several calls.
template <class Work>
float fastest(Work work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  float best = 1e9;
  for (int i = 0; i < kRounds; ++i) {
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    check(cudaDeviceSynchronize(), "kernels");
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
    best = std::min(best, time);
  }
  return best;
}

/// Packs and unpacks `bytes` as tables of kTableBytes; returns whether they are equal.
bool run(const char* name, const std::vector<uint8_t>& bytes, uint32_t ctas) {
  std::vector<PackDescriptor> list;
  const Device<uint8_t> plain(bytes);
  uint32_t units = 0;
  uint64_t room = 0;
  for (uint64_t at = 0; at < bytes.size(); at += kTableBytes) {
    const uint64_t length = std::min<uint64_t>(kTableBytes, bytes.size() - at);
    list.push_back({plain.address() + at, length, units, 0});
    units += packed::units_of(length);
    room += kPackedHeaderBytes + (packed::blocks_of(length) + 2) * kPackedEntryBytes + length + 16;
  }
  const Device<PackDescriptor> tables(list);
  const Device<PackResult> results(list.size());
  const Device<uint64_t> entries(units);
  const Device<uint8_t> to(room);
  const Device<KernelStatus> status(1);
  PackArguments a{};
  a.tables = tables.address();
  a.results = results.address();
  a.to = to.address();
  a.to_bytes = room;
  a.entries = entries.address();
  a.status = status.address();
  a.table_count = static_cast<uint32_t>(list.size());
  a.block_count = units;
  const float pack_time = fastest([&] {
    symshuffle_pack_measure<<<ctas, kPackThreads>>>(a);
    symshuffle_pack_place<<<ctas, kPackThreads>>>(a);
    symshuffle_pack_starts<<<1, kPackThreads>>>(a);
    symshuffle_pack_write<<<ctas, kPackThreads>>>(a);
  });
  const Device<uint8_t> back(bytes.size());
  const std::vector<PackResult> places = results.read();
  std::vector<UnpackDescriptor> forms;
  uint64_t packed_bytes = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    forms.push_back({to.address() + places[i].offset, places[i].bytes,
                     back.address() + (list[i].plain - plain.address()), list[i].bytes, list[i].first_block, 0});
    packed_bytes += places[i].bytes;
  }
  const Device<UnpackDescriptor> unpacked(forms);
  const Device<uint32_t> damaged(list.size());
  UnpackArguments u{};
  u.tables = unpacked.address();
  u.results = damaged.address();
  u.status = status.address();
  u.table_count = a.table_count;
  u.block_count = units;
  const float unpack_time = fastest([&] { symshuffle_unpack<<<ctas, kPackThreads>>>(u); });
  const std::vector<uint32_t> verdicts = damaged.read();
  const bool equal = back.read() == bytes && status.read()[0].code == 0 &&
                     std::count(verdicts.begin(), verdicts.end(), 0U) == static_cast<long>(verdicts.size());
  std::printf("%-20s %.3f %9.0f %9.0f  %s\n", name, static_cast<double>(packed_bytes) / bytes.size(),
              bytes.size() / pack_time / 1e6, bytes.size() / unpack_time / 1e6, equal ? "equal" : "DIFFERENT");
  return equal;
}

/// Integers of type T: value_of(i).
template <class T, class ValueOf>
std::vector<uint8_t> integers(uint64_t bytes, ValueOf value_of) {
  std::vector<uint8_t> column(bytes);
  for (uint64_t i = 0; i < bytes / sizeof(T); ++i) {
    const T value = static_cast<T>(value_of(i));
    std::memcpy(&column[i * sizeof(T)], &value, sizeof(T));
  }
  return column;
}

}  // namespace symshuffle::pack_rates

int main(int count, char** arguments) {
  using namespace symshuffle::pack_rates;
  const uint64_t bytes = (count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 256) << 20;
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const int per_multiprocessor = count > 2 ? std::atoi(arguments[2]) : 4;
  const auto ctas = static_cast<uint32_t>(per_multiprocessor * properties.multiProcessorCount);
  std::printf("%s\n%-20s %s\n", properties.name, "", "size  pack GB/s  unpack GB/s");
  std::mt19937_64 random(1);
  const char* words[] = {"furiously ", "regular ", "deposits ", "sleep ", "carefully ", "final ", "ironic ", "the "};
  std::string text;
  while (text.size() < bytes) {
    text += words[random() % 8];
  }
  uint64_t key = 0;
  const std::vector<std::pair<const char*, std::vector<uint8_t>>> columns = {
      {"ascending keys", integers<uint64_t>(bytes, [&](uint64_t) { return key += random() % 100; })},
      {"keys", integers<uint64_t>(bytes, [&](uint64_t) { return random() % 20'000'000; })},
      {"keys of four files", integers<uint64_t>(bytes, [&](uint64_t) {
         return (random() % 4 * 73 << 20) + random() % (1 << 20);
       })},
      {"whole amounts", integers<uint64_t>(bytes, [&](uint64_t) { return 100 * (random() % 50); })},
      {"dates", integers<uint32_t>(bytes, [&](uint64_t) { return 8000 + random() % 2500; })},
      {"decimals", integers<__int128>(bytes, [&](uint64_t) { return random() % 10'000'000; })},
      {"text", std::vector<uint8_t>(text.begin(), text.begin() + static_cast<long>(bytes))},
      {"random bytes", integers<uint64_t>(bytes, [&](uint64_t) { return random(); })},
  };
  bool equal = true;
  std::vector<uint8_t> mixed;
  for (const auto& [name, column] : columns) {
    equal &= run(name, column, ctas);
    mixed.insert(mixed.end(), column.begin(), column.begin() + static_cast<long>(bytes / columns.size()));
  }
  return run("all of them", mixed, ctas) && equal ? 0 : 1;
}
