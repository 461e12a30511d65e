// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.ffi.ProcessEnvironment;
import io.symshuffle.ffi.PythonPackages;
import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** NCCL, which is usable or absent with a reason. Thread-safe. */
public final class NcclLibrary {
  /** sizeof(ncclUniqueId). */
  public static final int UNIQUE_ID_BYTES = 128;

  private static final String FILE = "libnccl.so.2";

  private final NcclApi api;
  private final String name;
  private final Optional<String> absence;

  private NcclLibrary(NativeLibrary library) {
    NativeInterface<NcclApi> bound = NativeInterface.bind(library, NcclApi.class);
    this.api = bound.calls();
    this.name = library.name();
    this.absence =
        library
            .absence()
            .map(reason -> "NCCL was not found (" + reason + ")")
            .or(
                () ->
                    bound.missing().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                            name + " lacks " + String.join(", ", bound.missing().keySet())));
  }

  /** {@return NCCL from a Python wheel or the dynamic loader's search path, usable or absent} */
  public static NcclLibrary system() {
    List<String> candidates = new ArrayList<>();
    new PythonPackages(System.getenv(), Path.of("/"))
        .find("nvidia/nccl/lib/" + FILE)
        .forEach(path -> candidates.add(path.toString()));
    candidates.add(FILE);
    return new NcclLibrary(NativeLibrary.open(candidates));
  }

  /** {@return why it cannot be used; empty when it can} */
  public Optional<String> absence() {
    return absence;
  }

  /** {@return byte[128], a new token with which PEs find each other} */
  public byte[] newUniqueId() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment id = arena.allocate(UNIQUE_ID_BYTES);
      check(api.getUniqueId(id), "ncclGetUniqueId");
      return id.toArray(JAVA_BYTE);
    }
  }

  /**
   * Connects with all other PEs. There is no timeout: it waits for the slowest PE.
   *
   * @param id the token, the same on all PEs
   */
  public NcclCommunicator connect(CudaContext context, byte[] id, int pe, int peCount) {
    // Multicast objects can make the GPUs of a shared machine unusable.
    ProcessEnvironment.setIfUnset("NCCL_NVLS_ENABLE", "0");
    context.use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment token = Segments.allocateCopy(arena, MemorySegment.ofArray(id));
      MemorySegment communicator = arena.allocate(JAVA_LONG);
      check(
          api.initialize(communicator, peCount, token, pe), "ncclCommInitRank", peCount, "id", pe);
      return new NcclCommunicator(this, context, communicator.get(JAVA_LONG, 0), peCount);
    }
  }

  NcclApi api() {
    return api;
  }

  void check(int code, String function, Object... arguments) {
    if (code != 0) {
      throw new NativeCallException(
          CallText.of(function, arguments),
          code,
          NativeMemory.string(api.errorString(code)) + " (" + code + ")");
    }
  }
}
