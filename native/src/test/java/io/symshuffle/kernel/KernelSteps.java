// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.symshuffle.cuda.DeviceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** Steps that use the other kernels. */
final class KernelSteps {
  private KernelSteps() {}

  /** Computes checksums of pieces of all PEs. */
  static void crc32cOfPieces(PeState s) throws Exception {
    int bytes = 4 << 20;
    s.write(s.local(0, bytes), s.content(s.pe, bytes));
    s.barrier();
    Random random = new Random(s.seed + s.pe);
    List<DeviceRange> pieces = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    byte[][] contents = new byte[s.peCount][];
    for (int pe = 0; pe < s.peCount; pe++) {
      contents[pe] = s.content(pe, bytes);
    }
    for (int i = 0; i < 64; i++) {
      int pe = random.nextInt(s.peCount);
      int length = i == 0 ? 0 : 1 + random.nextInt(i % 8 == 0 ? bytes / 2 : 5000);
      int offset = random.nextInt(bytes - length);
      pieces.add(length == 0 ? new DeviceRange(0, 0) : s.peer(pe, offset, length));
      CRC32C crc = new CRC32C();
      crc.update(contents[pe], offset, length);
      expected.add((int) crc.getValue());
    }
    try (CrcLaunch launch = s.kernels.crc32c(pieces);
        CrcLaunch reversed = s.kernels.crc32c(pieces.reversed())) {
      for (int round = 0; round < 2; round++) {
        launch.queue(s.stream);
        launch.await(s.stream, PeState.LIMIT);
        assertArrayEquals(integers(expected), launch.results());
      }
      // One wait for both.
      for (CrcLaunch each : List.of(launch, reversed)) {
        each.queue(s.stream);
        each.queueResults(s.stream);
      }
      s.stream.synchronize(PeState.LIMIT);
      launch.check();
      reversed.check();
      assertArrayEquals(integers(expected), launch.results());
      assertArrayEquals(integers(expected.reversed()), reversed.results());
    }
    s.barrier();
  }

  private static int[] integers(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Packs and unpacks tables of all kinds and compares them with those that the CPU decodes. */
  static void packedTables(PeState s) throws Exception {
    new PackCheck(s).run();
    s.barrier();
  }
}
