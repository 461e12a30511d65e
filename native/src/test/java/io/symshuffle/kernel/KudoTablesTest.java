// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.kernel.TableSchema.Column;
import io.symshuffle.kernel.TableSchema.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class KudoTablesTest {
  private static final Column INT = new Column(Kind.FIXED, 4, 0);
  private static final Column LIST = new Column(Kind.LIST, 0, 1);

  @Test
  void tablesHaveTheLayoutOfTheFormat() {
    List<KudoTables.Column> columns =
        List.of(
            KudoTables.bytes((byte) 1, (byte) 2, (byte) 3)
                .withNulls(BitSet.valueOf(new long[] {2})),
            KudoTables.strings("a", "bc", "def"),
            KudoTables.lists(KudoTables.ints(7, 8, 9), 0, 2, 2, 3),
            KudoTables.struct(KudoTables.longs(4, 5, 6)));
    String expected =
        """
        4b554430 00000001 00000002 00000003 00000018 00000037 00000006
        01 05 0000
        01000000 03000000 06000000 02000000 02000000 03000000
        0203 6263646566 09000000 0500000000000000 0600000000000000 00
        """;
    assertEquals(
        expected.replaceAll("\\s", ""),
        HexFormat.of().formatHex(KudoTables.serialize(columns, 1, 3)));
    assertEquals(
        "4b554430 00000003 00000000 00000003 00000000 00000003 00000006 00 000000".replace(" ", ""),
        HexFormat.of().formatHex(KudoTables.serialize(columns, 3, 3)));
  }

  @Test
  void schemasThatDoNotExistAreRefused() {
    refused();
    refused(LIST);
    refused(new Column(Kind.STRUCT, 0, 2), INT);
    refused(LIST, new Column(Kind.STRUCT, 0, 0));
    new TableSchema(List.of(new Column(Kind.STRUCT, 0, 0), INT));
    List<Column> nested = new ArrayList<>(Collections.nCopies(TableSchema.MAX_DEPTH - 1, LIST));
    nested.add(INT);
    new TableSchema(nested);
    nested.addFirst(LIST);
    refused(nested.toArray(Column[]::new));
    for (int width : new int[] {-4, 0, 3, 32}) {
      assertThrows(IllegalArgumentException.class, () -> new Column(Kind.FIXED, width, 0));
    }
    for (Kind kind : List.of(Kind.STRING, Kind.LIST, Kind.STRUCT)) {
      assertThrows(IllegalArgumentException.class, () -> new Column(kind, 4, 1));
      assertThrows(IllegalArgumentException.class, () -> new Column(kind, 0, -1));
    }
    assertThrows(IllegalArgumentException.class, () -> new Column(Kind.LIST, 0, 2));
  }

  private static void refused(Column... columns) {
    assertThrows(IllegalArgumentException.class, () -> new TableSchema(List.of(columns)));
  }
}
