// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libnvJitLink.so.13 that the benchmarks call, with their prototypes from
 * nvJitLink.h of CUDA 13.0, by their unversioned names, which the library exports for the newest
 * version. Each returns an nvJitLinkResult, 0 for success; a handle is a pointer.
 */
interface NvJitLinkApi {
  // nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor);
  @Symbol("nvJitLinkVersion")
  int version(MemorySegment major, MemorySegment minor);

  // nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t numOptions,
  //                                 const char **options);
  @Symbol("nvJitLinkCreate")
  int create(MemorySegment handle, int count, MemorySegment options);

  // nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle);
  @Symbol("nvJitLinkDestroy")
  int destroy(MemorySegment handle);

  // nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType,
  //                                  const void *data, size_t size, const char *name);
  @Symbol("nvJitLinkAddData")
  int addData(long handle, int type, MemorySegment data, long bytes, MemorySegment name);

  // nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType,
  //                                  const char *fileName);
  @Symbol("nvJitLinkAddFile")
  int addFile(long handle, int type, MemorySegment path);

  // nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle);
  @Symbol("nvJitLinkComplete")
  int complete(long handle);

  // nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size);
  @Symbol("nvJitLinkGetLinkedCubinSize")
  int cubinSize(long handle, MemorySegment bytes);

  // nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin);
  @Symbol("nvJitLinkGetLinkedCubin")
  int cubin(long handle, MemorySegment cubin);

  // nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size);
  @Symbol("nvJitLinkGetErrorLogSize")
  int errorLogSize(long handle, MemorySegment bytes);

  // nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log);
  @Symbol("nvJitLinkGetErrorLog")
  int errorLog(long handle, MemorySegment log);
}
