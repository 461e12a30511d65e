// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** One GPU that this process sees. A plain value; threads: any. */
public final class CudaDevice {
  private static final int UUID_BYTES = 16;
  private static final int TEXT_BYTES = 256;

  private final CudaDriver driver;
  private final int ordinal;
  private final int handle;

  CudaDevice(CudaDriver driver, int ordinal, int handle) {
    this.driver = driver;
    this.ordinal = ordinal;
    this.handle = handle;
  }

  /** Returns its ordinal among the devices that this process sees. */
  public int ordinal() {
    return ordinal;
  }

  /** Returns its name, for example {@code NVIDIA H200}. */
  public String name() {
    return text(to -> driver.api().cuDeviceGetName(to, TEXT_BYTES, handle), "cuDeviceGetName");
  }

  /** Returns its unique id as nvidia-smi prints it: {@code GPU-…}. */
  public String uuid() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(UUID_BYTES);
      driver.check(driver.api().cuDeviceGetUuid(bytes, handle), "cuDeviceGetUuid", handle);
      String hex = HexFormat.of().formatHex(bytes.toArray(JAVA_BYTE));
      return "GPU-"
          + String.join(
              "-",
              hex.substring(0, 8),
              hex.substring(8, 12),
              hex.substring(12, 16),
              hex.substring(16, 20),
              hex.substring(20));
    }
  }

  /** Returns its PCI bus id, for example {@code 0000:1b:00.0}. */
  public String pciBusId() {
    return text(
        to -> driver.api().cuDeviceGetPCIBusId(to, TEXT_BYTES, handle), "cuDeviceGetPCIBusId");
  }

  private String text(CudaDriver.Query call, String function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      driver.check(call.into(text), function, handle);
      return Segments.getString(text, 0);
    }
  }

  /** Returns the size of its memory in bytes. */
  public long memoryBytes() {
    return driver.readLong(
        to -> driver.api().cuDeviceTotalMem(to, handle), "cuDeviceTotalMem", handle);
  }

  /** Reads an attribute. */
  public int attribute(CudaAttribute attribute) {
    return driver.readInt(
        to -> driver.api().cuDeviceGetAttribute(to, attribute.number(), handle),
        "cuDeviceGetAttribute",
        attribute,
        handle);
  }

  /** Returns whether its kernels can load from and store to another device's memory. */
  public boolean canAccess(CudaDevice other) {
    int can =
        driver.readInt(
            to -> driver.api().cuDeviceCanAccessPeer(to, handle, other.handle),
            "cuDeviceCanAccessPeer",
            handle,
            other.handle);
    return can != 0;
  }

  /**
   * Retains the device's primary context, creating it if necessary.
   *
   * @return the context; the caller closes it
   */
  public CudaContext openPrimaryContext() {
    long context =
        driver.readLong(
            to -> driver.api().cuDevicePrimaryCtxRetain(to, handle),
            "cuDevicePrimaryCtxRetain",
            handle);
    return new CudaContext(driver, this, handle, context);
  }

  @Override
  public String toString() {
    return "CUDA device " + ordinal;
  }
}
