// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FieldValueTest {

  @Test
  void structHasTheLayoutOfC() {
    assertEquals(40, FieldValue.LAYOUT.byteSize());
    assertEquals(8, FieldValue.LAYOUT.byteAlignment());
    assertEquals(4, FieldValue.offset("scopeId"));
    assertEquals(8, FieldValue.offset("timestamp"));
    assertEquals(16, FieldValue.offset("latencyUsec"));
    assertEquals(24, FieldValue.offset("valueType"));
    assertEquals(28, FieldValue.offset("nvmlReturn"));
    assertEquals(32, FieldValue.offset("value"));
  }

  @Test
  void readsResultsByType() {
    assertEquals(OptionalLong.of(26_562), FieldValue.read(answer(1, 0, 26_562)));
    assertEquals(OptionalLong.of(0xffff_fff0L), FieldValue.read(answer(1, 0, 0xffff_fff0L)));
    assertEquals(OptionalLong.of(1L << 40), FieldValue.read(answer(3, 0, 1L << 40)));
    assertEquals(OptionalLong.empty(), FieldValue.read(answer(0, 0, 1)), "a double");
    assertEquals(OptionalLong.empty(), FieldValue.read(answer(1, 3, 1)), "not supported");
  }

  @Test
  void describesLinksWithTheirRate() {
    assertEquals("18 NVLinks of 26.6 GB/s", new NvLinks(18, 26_562_000_000L).toString());
    assertEquals(18 * 26_562_000_000L, new NvLinks(18, 26_562_000_000L).totalBytesPerSecond());
    assertEquals("18 NVLinks of unknown rate", new NvLinks(18, 0).toString());
    assertEquals("no NVLink", new NvLinks(0, 0).toString());
  }

  private static MemorySegment answer(int type, int code, long value) {
    MemorySegment field = Arena.ofAuto().allocate(FieldValue.LAYOUT);
    field.set(JAVA_INT, FieldValue.offset("valueType"), type);
    field.set(JAVA_INT, FieldValue.offset("nvmlReturn"), code);
    field.set(JAVA_LONG, FieldValue.offset("value"), value);
    return field;
  }
}
