// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * nvshmemx_init_attr_t version 1 (nvshmem_types.h, nvshmem_uniqueid.h; sizes asserted there), which
 * every 3.x accepts. Version 2 (3.5) adds a device id, which a current context makes unnecessary.
 *
 * <pre>
 *   0        8          16            24           32        40       44       48                144
 *  +--------+----------+-------------+------------+---------+--------+--------+-----------------+
 *  |version | mpi_comm | args.version| uid.version| uid.id  |uid.rank|uid.size| args.content    |
 *  | (int)  | (void *) | (int)       | (int)      | (void *)| (int)  | (int)  | (char[96])      |
 *  +--------+----------+-------------+------------+---------+--------+--------+-----------------+
 * </pre>
 *
 * A version word is the version, shifted by 16, plus the size of its struct.
 */
final class InitAttributes {
  static final StructLayout UNIQUE_ID_ARGUMENTS =
      MemoryLayout.structLayout(
          JAVA_INT.withName("version"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("id"),
          JAVA_INT.withName("pe"),
          JAVA_INT.withName("pes"));

  static final StructLayout ARGUMENTS =
      MemoryLayout.structLayout(
          JAVA_INT.withName("version"),
          MemoryLayout.paddingLayout(4),
          UNIQUE_ID_ARGUMENTS.withName("uid"),
          MemoryLayout.sequenceLayout(96, JAVA_BYTE).withName("content"));

  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT.withName("version"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("mpi_comm"),
          ARGUMENTS.withName("args"));

  private static final PathElement VERSION_FIELD = PathElement.groupElement("version");
  private static final PathElement ARGS = PathElement.groupElement("args");
  private static final PathElement UID = PathElement.groupElement("uid");
  private static final long VERSION = LAYOUT.byteOffset(VERSION_FIELD);
  private static final long ARGS_VERSION = LAYOUT.byteOffset(ARGS, VERSION_FIELD);
  private static final long UID_VERSION = LAYOUT.byteOffset(ARGS, UID, VERSION_FIELD);

  private InitAttributes() {}

  static int versionWord(StructLayout layout) {
    return (1 << 16) + (int) layout.byteSize();
  }

  /**
   * Allocates a struct with its version words set and zeros elsewhere, for set_attr_uniqueid_args.
   */
  static MemorySegment allocate(Arena arena) {
    MemorySegment attributes = arena.allocate(LAYOUT);
    attributes.set(JAVA_INT, VERSION, versionWord(LAYOUT));
    attributes.set(JAVA_INT, ARGS_VERSION, versionWord(ARGUMENTS));
    attributes.set(JAVA_INT, UID_VERSION, versionWord(UNIQUE_ID_ARGUMENTS));
    return attributes;
  }
}
