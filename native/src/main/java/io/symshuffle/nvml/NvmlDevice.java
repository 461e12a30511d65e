// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A GPU as NVML sees it. Thread-safe. */
public final class NvmlDevice {

  /** NVML_NVLINK_MAX_LINKS of CUDA 13.0. */
  private static final int MAX_LINKS = 18;

  private final Nvml nvml;
  private final long handle;

  NvmlDevice(Nvml nvml, long handle) {
    this.nvml = nvml;
    this.handle = handle;
  }

  /** Kinds of access between two GPUs; nvmlGpuP2PCapsIndex_t. */
  public enum Reach {
    /** Loads. */
    READ(0),
    /** Over NVLink. */
    NVLINK(2);

    private final int number;

    Reach(int number) {
      this.number = number;
    }
  }

  /** Returns whether MIG is enabled; false if the GPU does not support it. */
  public boolean isMigEnabled() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment current = arena.allocate(JAVA_INT);
      MemorySegment pending = arena.allocate(JAVA_INT);
      return nvml.api().migMode(handle, current, pending) == 0 && Nvml.number(current) != 0;
    }
  }

  /** Returns its NVLinks; none if the driver does not report any. */
  public NvLinks links() {
    int active = 0;
    long slowest = Long.MAX_VALUE;
    for (int link = 0; link < MAX_LINKS; link++) {
      if (isActive(link)) {
        active++;
        slowest = Math.min(slowest, megabytesPerSecond(link));
      }
    }
    return new NvLinks(active, active == 0 ? 0 : slowest * 1_000_000);
  }

  private boolean isActive(int link) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(JAVA_INT);
      return nvml.api().linkState(handle, link, state) == 0 && Nvml.number(state) == 1;
    }
  }

  /** Returns the bandwidth of a link in one direction; 0 when the driver does not report it. */
  private long megabytesPerSecond(int link) {
    try (Arena arena = Arena.ofConfined()) {
      long own = FieldValue.read(query(FieldValue.LINK_SPEED, link, arena)).orElse(0);
      return own > 0
          ? own
          : FieldValue.read(query(FieldValue.COMMON_LINK_SPEED, 0, arena)).orElse(0);
    }
  }

  private MemorySegment query(int field, int link, Arena arena) {
    MemorySegment value = arena.allocate(FieldValue.LAYOUT);
    value.set(JAVA_INT, FieldValue.offset("fieldId"), field);
    value.set(JAVA_INT, FieldValue.offset("scopeId"), link);
    int code = nvml.api().fieldValues(handle, 1, value);
    if (code != 0) {
      value.set(JAVA_INT, FieldValue.offset("nvmlReturn"), code);
    }
    return value;
  }

  /** Returns whether this GPU can access another GPU's memory. */
  public boolean reaches(NvmlDevice other, Reach reach) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      return nvml.api().peerStatus(handle, other.handle, reach.number, status) == 0
          && Nvml.number(status) == 0;
    }
  }
}
