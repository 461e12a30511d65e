// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "row_move.h"
#include "row_records.h"
#include "row_sort.h"
#include "threads.h"
#include "tuning.h"

// row_partition turns a staging buffer of records into a run, the same records stably sorted by partition,
// with a table of its blocks. The kernels are launched on one stream, without the host in between
// (io.symshuffle.kernel.RowPartition):
//
//     row_parse                                                      items in the order of staging
//     row_count, row_count_parts, row_count_entries, row_scatter     for each pass; `items` and `other` swap
//     row_place_parts, row_place_entries                             places and the table of blocks
//     row_move                                                       the run
//     row_crc32c                                                     its checksums; may be left out
//
// A stable sort has only one result, which does not depend on the launch shape. A step that finds an error
// reports it, and the steps after it do nothing; the run is then invalid.
//
// Expected performance. Bytes read and written in GPU memory per byte of staging, where s is the mean size of
// a record with its header, p is the number of passes (0 to 3), and 64 bytes is the smallest memory access:
//
//     parse    min(1, 64 / s) read, 8 / s written
//     sort     p x (16 / s read, 8 / s written)
//     place    16 / s read, 8 / s written
//     move     1 + 56 / s + 8 / s read (a record starts and ends anywhere), 1 written
//     crc32c   1 read
//
// With one pass the sum is 9.0 at s = 24, 4.8 at 104 and 3.2 at 1000 bytes. At the 4.8 TB/s of an H200 this
// gives 530, 1,000 and 1,500 GB/s of records, or 420, 800 and 1,200 at 80% of the bandwidth. Up to about 15
// MiB of staging, all data including temporary memory fits in the 50 MiB of L2, and launches dominate: 9
// launches of 2 to 3 us with one pass. PCIe delivers at most 55 GB/s, so the copy of staging to the GPU takes
// several times as long. These numbers are calculated. `gpu_check rows` measures each step: on an H200 with
// 128 MiB and 200 partitions, it reaches 154, 395 and 564 GB/s of records, since parse walks from record to
// record (0.24 ms at s = 24) and the reads of move are short.

#if defined(__CUDACC__)
// Launch: any number of CTAs up to max_ctas, kCtaThreads threads or fewer (whole warps), no dynamic shared
// memory; row_count_parts and row_count_entries with the same shape, also row_place_parts and
// row_place_entries.
extern "C" {
__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_parse(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ uint32_t stopped;
  symshuffle::row_parse(symshuffle::DeviceThread{}, arguments, &stopped);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_count(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowSortMemory memory;
  symshuffle::row_count(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_count_parts(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowScanMemory memory;
  symshuffle::row_count_parts(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_count_entries(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowScanMemory memory;
  symshuffle::row_count_entries(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_scatter(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowSortMemory memory;
  symshuffle::row_scatter(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_place_parts(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowScanMemory memory;
  symshuffle::row_place_parts(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_place_entries(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowScanMemory memory;
  symshuffle::row_place_entries(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_move(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowMoveMemory memory;
  symshuffle::row_move(symshuffle::DeviceThread{}, arguments, &memory);
}

__global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_crc32c(const __grid_constant__ symshuffle::RowArguments arguments) {
  __shared__ symshuffle::RowCrcMemory memory;
  symshuffle::row_crc32c(symshuffle::DeviceThread{}, arguments, &memory);
}
}
#endif
