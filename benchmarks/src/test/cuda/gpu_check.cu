// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// Checks and times the kernels on the GPUs of this machine, with one process and one PE per GPU. Memory is
// allocated with cudaMalloc and accessed through peer access. A fake of NVSHMEM's device library serves
// device_pull. The multimem kernels are not covered. Maven does not build this program. Compile it by hand:
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -rdc=true -I native/src/main/cuda \
//       -I native/src/test/cuda -I benchmarks/src/main/cuda -o gpu_check benchmarks/src/test/cuda/gpu_check.cu
//   ./gpu_check                      correctness, then rates, on all GPUs (with one GPU, PEs share it)
//   ./gpu_check check [SEED]         correctness only; small enough for compute-sanitizer
//   ./gpu_check rate [MIB]           rates only, MIB mebibytes per pair of PEs (256)
//   ./gpu_check rows [SEED]          row_partition only: correctness, then the time of each step
//   ./gpu_check engine [MIB]         copy engines and kernels by piece size, and launch shapes (128)
//
// The exit status is 0 if all checks pass. The last lines are a table of the best rates.

#include <cstdlib>

#include "gpu_correctness.h"
#include "gpu_engine.h"
#include "gpu_pes.h"
#include "gpu_rates.h"
#include "gpu_row_partition.h"

int main(int count, char** arguments) {
  using namespace symshuffle::gpu_check;
  // One process drives all GPUs. With lazy loading, a kernel that waits for a peer could wait forever: the
  // peer's kernel is loaded at its first launch, and loading waits for running kernels.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const std::string mode = count > 1 ? arguments[1] : "all";
  const uint64_t number = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  if (mode != "all" && mode != "check" && mode != "rate" && mode != "engine" && mode != "rows") {
    std::printf("usage: gpu_check [check [SEED] | rate [MIB] | engine [MIB] | rows [SEED]]\n");
    return 2;
  }
  const std::vector<Pe> pes = make_pes();
  if (mode == "engine") {
    rate_engines(pes, (number != 0 ? number : 128) << 20);
    rate_plans(pes);
  } else if (mode != "rate") {
    const uint64_t seed = number != 0 ? number : 1;
    if (mode != "rows") {
      check_all(pes, seed);
    }
    Random random(seed);
    check_step("row_partition", [&] { check_row_partition(random, pes); });
  }
  if (mode == "all" || mode == "rate") {
    rate_all(pes, (mode == "rate" && number != 0 ? number : 256) << 20);
  }
  if (mode == "all" || mode == "rows") {
    rate_row_partition(pes);
  }
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}
