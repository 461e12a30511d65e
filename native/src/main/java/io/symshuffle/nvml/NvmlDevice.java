// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A GPU as the management library sees it. Threads: any. */
public final class NvmlDevice {
  static final int TEXT_BYTES = 256;

  /** NVML_NVLINK_MAX_LINKS of CUDA 13.0. */
  private static final int MOST_LINKS = 18;

  private final Nvml nvml;
  private final long handle;

  NvmlDevice(Nvml nvml, long handle) {
    this.nvml = nvml;
    this.handle = handle;
  }

  /** What two GPUs can do with each other's memory; nvmlGpuP2PCapsIndex_t. */
  public enum Reach {
    /** Loads. */
    READ(0),
    /** Stores. */
    WRITE(1),
    /** Over NVLink. */
    NVLINK(2),
    /** Atomic operations. */
    ATOMICS(3);

    private final int number;

    Reach(int number) {
      this.number = number;
    }
  }

  /** {@return for example {@code NVIDIA H200}} */
  public String name() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      nvml.check(nvml.api().name(handle, text, TEXT_BYTES), "nvmlDeviceGetName");
      return text.getString(0);
    }
  }

  /** {@return its NVLinks; none where it has none or the driver does not say} */
  public NvLinks links() {
    try (Arena arena = Arena.ofConfined()) {
      int active = 0;
      MemorySegment state = arena.allocate(JAVA_INT);
      for (int link = 0; link < MOST_LINKS; link++) {
        boolean known = nvml.api().linkState(handle, link, state) == 0;
        active += known && Nvml.number(state) == 1 ? 1 : 0;
      }
      MemorySegment field = arena.allocate(FieldValue.LAYOUT);
      field.set(JAVA_INT, FieldValue.offset("fieldId"), FieldValue.LINK_SPEED);
      boolean answered = nvml.api().fieldValues(handle, 1, field) == 0;
      long megabytes = answered ? FieldValue.read(field).orElse(0) : 0;
      return new NvLinks(active, megabytes * 1_000_000);
    }
  }

  /**
   * Whether a GPU can do something with another's memory.
   *
   * @param other the other GPU
   * @param reach what
   * @return true when the driver says so
   */
  public boolean reaches(NvmlDevice other, Reach reach) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      return nvml.api().peerStatus(handle, other.handle, reach.number, status) == 0
          && Nvml.number(status) == 0;
    }
  }
}
