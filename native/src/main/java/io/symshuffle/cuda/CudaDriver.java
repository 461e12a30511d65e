// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CUDA driver of this machine, which is usable or absent with a reason. Looking it up never
 * throws; using an absent driver throws an {@link IllegalStateException} with the reason.
 *
 * <p>Only this class turns failed calls into {@link NativeCallException}s: {@code
 * cuMemAlloc(0x7f.., 1099511627776) failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory}. Threads:
 * any.
 */
public final class CudaDriver {
  private static final Logger LOG = LoggerFactory.getLogger(CudaDriver.class);

  /** The name for the dynamic loader, then the paths used by containers and WSL. */
  private static final List<String> CANDIDATES =
      List.of(
          "libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1");

  /** CUDA 12.0 (driver 525), the oldest version that has all functions. */
  private static final int OLDEST = 12000;

  /** The code of CUDA_ERROR_OUT_OF_MEMORY. */
  public static final int OUT_OF_MEMORY = 2;

  private static final int SUCCESS = 0;

  /** CUDA_ERROR_NO_DEVICE. */
  private static final int NO_DEVICE = 100;

  /** Remedies by CUresult; cuda.h, CUDA 13.0. */
  private static final Map<Integer, String> REMEDIES =
      Map.of(
          34,
          "replace the stub library of the CUDA toolkit with the driver's libcuda.so.1",
          NO_DEVICE,
          "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES, and start containers"
              + " with GPUs",
          803,
          "the driver library and the kernel module have different versions: reboot, or reinstall"
              + " the driver",
          804,
          "remove CUDA's compatibility libraries from LD_LIBRARY_PATH");

  private static final class Usual {
    static final CudaDriver DRIVER = open(CANDIDATES);
  }

  /** Null without a library; callers check {@link #requireUsable} first. */
  private final CudaApi api;

  private final String library;
  private final Optional<String> absence;
  private boolean withoutGpu;

  private CudaDriver(NativeLibrary library) {
    this.library = library.name();
    if (library.absence().isPresent()) {
      // Without a library there is nothing to bind.
      LOG.debug("{}", library.absence().get());
      this.api = null;
      this.withoutGpu = true;
      this.absence =
          Optional.of(
              "the CUDA driver's library %s cannot be loaded: install the NVIDIA driver, and start"
                      .formatted(CANDIDATES.getFirst())
                  + " containers with GPUs");
      return;
    }
    NativeInterface<CudaApi> bound = NativeInterface.bind(library, CudaApi.class);
    this.api = bound.calls();
    this.absence = absence(bound);
  }

  /** Returns the driver of this process; searched for on the first call. */
  public static CudaDriver system() {
    return Usual.DRIVER;
  }

  /**
   * Loads the driver from the first of these places that has it.
   *
   * @param candidates file names for the dynamic loader, or absolute paths
   */
  public static CudaDriver open(List<String> candidates) {
    return new CudaDriver(NativeLibrary.open(candidates));
  }

  /** Returns why CUDA cannot be used here, a sentence with its remedy; empty when it can. */
  public Optional<String> absence() {
    return absence;
  }

  /** Returns whether this machine has no GPU: no driver is installed, or it reports no device. */
  public boolean isWithoutGpu() {
    return withoutGpu;
  }

  /** Returns the newest CUDA version that the driver supports: 13000 for 13.0. */
  public int version() {
    requireUsable();
    return readVersion();
  }

  /** Returns the number of devices that this process sees. */
  public int deviceCount() {
    requireUsable();
    return readInt(api::cuDeviceGetCount, "cuDeviceGetCount");
  }

  /**
   * Returns a device.
   *
   * @param ordinal its ordinal among the devices that this process sees, from 0
   * @throws IndexOutOfBoundsException when there is no such device
   */
  public CudaDevice device(int ordinal) {
    int count = deviceCount();
    if (ordinal < 0 || ordinal >= count) {
      throw new IndexOutOfBoundsException(
          "there is no CUDA device %d: this process sees %d".formatted(ordinal, count));
    }
    return new CudaDevice(
        this, ordinal, readInt(to -> api.cuDeviceGet(to, ordinal), "cuDeviceGet", ordinal));
  }

  CudaApi api() {
    return api;
  }

  void requireUsable() {
    if (absence.isPresent()) {
      throw new IllegalStateException("CUDA cannot be used: " + absence.get());
    }
  }

  /** Throws if a code is not 0. For infrequent calls, since it allocates the arguments' array. */
  void check(int code, String function, Object... arguments) {
    if (code != SUCCESS) {
      throw failure(code, function, arguments);
    }
  }

  /** A call that writes its result to the location it is passed. */
  @FunctionalInterface
  interface Query {
    int into(MemorySegment to);
  }

  /** Makes a call and returns the int that it wrote; all platforms of CUDA are little-endian. */
  int readInt(Query call, String function, Object... arguments) {
    return (int) readLong(call, function, arguments);
  }

  /** Makes a call and returns the handle, address or number that it wrote. */
  long readLong(Query call, String function, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(JAVA_LONG);
      check(call.into(to), function, arguments);
      return to.get(JAVA_LONG, 0);
    }
  }

  /** Returns the exception for a code that is not 0. */
  NativeCallException failure(int code, String function, Object... arguments) {
    return new NativeCallException(CallText.of(function, arguments), code, describe(code));
  }

  /**
   * Describes a CUresult.
   *
   * @return its name and description: {@code CUDA_ERROR_NO_DEVICE (100), no CUDA-…}
   */
  public String describe(int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(JAVA_LONG);
      boolean named = api.cuGetErrorName(code, text) == SUCCESS;
      String name = named ? NativeMemory.string(text.get(JAVA_LONG, 0)) : "an unknown CUresult";
      boolean told = api.cuGetErrorString(code, text) == SUCCESS;
      return name
          + " ("
          + code
          + ")"
          + (told ? ", " + NativeMemory.string(text.get(JAVA_LONG, 0)) : "");
    }
  }

  private int readVersion() {
    return readInt(api::cuDriverGetVersion, "cuDriverGetVersion");
  }

  private Optional<String> absence(NativeInterface<CudaApi> bound) {
    if (bound
        .absence("cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString")
        .isPresent()) {
      return Optional.of(
          "%s is not a CUDA driver: it lacks %s"
              .formatted(library, String.join(", ", bound.missing().keySet())));
    }
    int code = api.cuInit(0);
    if (code != SUCCESS) {
      withoutGpu = code == NO_DEVICE;
      String remedy = Optional.ofNullable(REMEDIES.get(code)).map(r -> ": " + r).orElse("");
      return Optional.of(failure(code, "cuInit", 0).getMessage() + remedy);
    }
    int version = readVersion();
    if (version < OLDEST) {
      return Optional.of(
          "the NVIDIA driver is too old: it supports CUDA %s, but %s is required; install driver 525 or newer"
              .formatted(text(version), text(OLDEST)));
    }
    return bound.missing().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s, a driver for CUDA %s, lacks %s"
                .formatted(library, text(version), String.join(", ", bound.missing().keySet())));
  }

  private static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
