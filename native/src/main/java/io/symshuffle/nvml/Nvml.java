// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntBiFunction;

/**
 * NVIDIA's management library, which is usable or absent with a reason; using an absent one throws
 * an {@link IllegalStateException}. Thread-safe.
 */
public final class Nvml {
  private static final List<String> CANDIDATES =
      List.of("libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1");

  private static final int TEXT_BYTES = 256;

  private static final class Usual {
    static final Nvml NVML = open(CANDIDATES);
  }

  private final NvmlApi api;
  private final Optional<String> absence;

  private Nvml(NativeLibrary library) {
    NativeInterface<NvmlApi> bound = NativeInterface.bind(library, NvmlApi.class);
    this.api = bound.calls();
    this.absence = absence(library, bound);
  }

  /** Returns the library of this process; searched for on the first call. */
  public static Nvml system() {
    return Usual.NVML;
  }

  /**
   * Loads the library from the first of these places that has it.
   *
   * @param candidates file names for the dynamic loader, or absolute paths
   */
  public static Nvml open(List<String> candidates) {
    return new Nvml(NativeLibrary.open(candidates));
  }

  /** Returns why it cannot be used, a sentence; empty when it can. */
  public Optional<String> absence() {
    return absence;
  }

  /** Returns the driver's version, for example {@code 580.95.05}. */
  public String driverVersion() {
    requireUsable();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      check(api.driverVersion(text, TEXT_BYTES), "nvmlSystemGetDriverVersion");
      return Segments.getString(text, 0);
    }
  }

  /**
   * Returns a GPU.
   *
   * @param uuid {@link io.symshuffle.cuda.CudaDevice#uuid}, {@code GPU-…}
   * @throws NativeCallException when there is no such GPU, or this process cannot access it
   */
  public NvmlDevice device(String uuid) {
    return device(api::deviceByUuid, "nvmlDeviceGetHandleByUUID", uuid);
  }

  /**
   * Returns the GPU with a PCI bus id: the whole GPU, even where CUDA sees only a MIG instance.
   *
   * @param pciBusId for example {@code 0000:1b:00.0}
   * @throws NativeCallException when there is no such GPU, or this process cannot access it
   */
  public NvmlDevice deviceAt(String pciBusId) {
    return device(api::deviceByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2", pciBusId);
  }

  private NvmlDevice device(
      ToIntBiFunction<MemorySegment, MemorySegment> call, String function, String id) {
    requireUsable();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment device = arena.allocate(JAVA_LONG);
      check(call.applyAsInt(Segments.allocateString(arena, id), device), function, id);
      return new NvmlDevice(this, device.get(JAVA_LONG, 0));
    }
  }

  NvmlApi api() {
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

  private void requireUsable() {
    if (absence.isPresent()) {
      throw new IllegalStateException("NVML cannot be used: " + absence.get());
    }
  }

  private Optional<String> absence(NativeLibrary library, NativeInterface<NvmlApi> bound) {
    if (library.absence().isPresent()) {
      return Optional.of(
          "NVIDIA's management library was not found (%s)".formatted(library.absence().get()));
    }
    if (!bound.missing().isEmpty()) {
      return Optional.of(
          "%s lacks %s".formatted(library.name(), String.join(", ", bound.missing().keySet())));
    }
    int code = api.initialize();
    return code == 0
        ? Optional.empty()
        : Optional.of(
            "nvmlInit_v2() failed: %s (%d)"
                .formatted(NativeMemory.string(api.errorString(code)), code));
  }

  /** Reads an int from an out parameter. */
  static int number(MemorySegment out) {
    return out.get(JAVA_INT, 0);
  }
}
