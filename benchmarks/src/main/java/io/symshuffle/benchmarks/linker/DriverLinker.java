// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The driver's linker (cuLink…), which supports code of the driver's CUDA version and of older
 * versions.
 */
public final class DriverLinker implements DeviceLinker {
  /** CUjitInputType of cuda.h, CUDA 13.0. */
  private static final int FATBINARY = 2;

  private static final int LIBRARY = 4;

  /** CUjit_option of cuda.h, CUDA 13.0: the buffer for error messages and its length. */
  private static final int ERROR_LOG_BUFFER = 5;

  private static final int ERROR_LOG_BUFFER_SIZE_BYTES = 6;

  private static final int LOG_BYTES = 16 << 10;

  /** Creates a linker, which uses the driver of its context. */
  public DriverLinker() {}

  @Override
  public String name() {
    return "the driver's linker";
  }

  @Override
  public Optional<String> absence() {
    return Optional.empty();
  }

  @Override
  public byte[] link(CudaContext context, byte[] fatbin, Path library) {
    requireNonNull(library, "library is null");
    LinkApi api =
        NativeInterface.bind(NativeLibrary.open(List.of(context.driver().library())), LinkApi.class)
            .calls();
    context.use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment log = arena.allocate(LOG_BYTES);
      MemorySegment options = arena.allocate(MemoryLayout.sequenceLayout(2, JAVA_INT));
      options.setAtIndex(JAVA_INT, 0, ERROR_LOG_BUFFER);
      options.setAtIndex(JAVA_INT, 1, ERROR_LOG_BUFFER_SIZE_BYTES);
      // Each value is a void *, even a number.
      MemorySegment values = arena.allocate(MemoryLayout.sequenceLayout(2, ADDRESS));
      values.setAtIndex(ADDRESS, 0, log);
      values.setAtIndex(JAVA_LONG, 1, LOG_BYTES);
      MemorySegment state = arena.allocate(JAVA_LONG);
      check(context, log, api.cuLinkCreate(2, options, values, state), "cuLinkCreate");
      long link = state.get(JAVA_LONG, 0);
      try {
        MemorySegment image = arena.allocate(fatbin.length, 16);
        MemorySegment.copy(fatbin, 0, image, JAVA_BYTE, 0, fatbin.length);
        MemorySegment none = MemorySegment.NULL;
        MemorySegment name = Segments.allocateString(arena, "kernels");
        check(
            context,
            log,
            api.cuLinkAddData(link, FATBINARY, image, fatbin.length, name, 0, none, none),
            "cuLinkAddData",
            "FATBINARY",
            fatbin.length + " bytes");
        MemorySegment path = Segments.allocateString(arena, library.toString());
        check(
            context,
            log,
            api.cuLinkAddFile(link, LIBRARY, path, 0, none, none),
            "cuLinkAddFile",
            "LIBRARY",
            library);
        MemorySegment cubin = arena.allocate(JAVA_LONG);
        MemorySegment bytes = arena.allocate(JAVA_LONG);
        check(context, log, api.cuLinkComplete(link, cubin, bytes), "cuLinkComplete", library);
        // The link owns the cubin.
        return NativeMemory.at(cubin.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, 0), arena)
            .toArray(JAVA_BYTE);
      } finally {
        api.cuLinkDestroy(link);
      }
    }
  }

  private static void check(
      CudaContext context, MemorySegment log, int code, String function, Object... arguments) {
    if (code != 0) {
      String words = Segments.getString(log, 0).strip();
      throw new NativeCallException(
          CallText.of(function, arguments),
          code,
          context.driver().describe(code) + (words.isEmpty() ? "" : "; " + words));
    }
  }
}
