// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/** The CUDA driver's linker functions, with their prototypes from cuda.h of CUDA 13.0. */
interface LinkApi {
  // CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options,
  //                          void **optionValues, CUlinkState *stateOut);
  @Symbol("cuLinkCreate_v2")
  int cuLinkCreate(int count, MemorySegment options, MemorySegment values, MemorySegment state);

  // CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
  //     const char *name, unsigned int numOptions, CUjit_option *options, void **optionValues);
  @Symbol("cuLinkAddData_v2")
  int cuLinkAddData(
      long state,
      int type,
      MemorySegment data,
      long bytes,
      MemorySegment name,
      int count,
      MemorySegment options,
      MemorySegment values);

  // CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
  //     unsigned int numOptions, CUjit_option *options, void **optionValues);
  @Symbol("cuLinkAddFile_v2")
  int cuLinkAddFile(
      long state,
      int type,
      MemorySegment path,
      int count,
      MemorySegment options,
      MemorySegment values);

  // CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut);
  int cuLinkComplete(long state, MemorySegment cubin, MemorySegment bytes);

  // CUresult cuLinkDestroy(CUlinkState state);
  int cuLinkDestroy(long state);
}
