// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.PeState;
import java.util.Arrays;
import java.util.function.Consumer;

/** What all PEs of these tests do at the same time. */
enum ExtrasStep {
  /** Uses NVSHMEM's puts and all-to-all on a stream, and refuses wrong arguments. */
  ON_STREAM {
    @Override
    void run(PeState s, NvshmemExtras extras) throws Exception {
      int block = 64 << 10;
      int bytes = block * s.peCount;
      DeviceRange source = s.local(0, bytes);
      DeviceRange byPuts = s.local(4 << 20, bytes);
      DeviceRange byCollective = s.local(8 << 20, bytes);
      s.write(source, s.content(s.pe, bytes));
      s.barrier();
      extras.run(
          "puts and an all-to-all",
          PeState.LIMIT,
          calls -> {
            for (int pe = 0; pe < s.peCount; pe++) {
              calls.put(slice(byPuts, s.pe, block), slice(source, pe, block), pe, s.stream);
            }
            calls.quiet(s.stream);
            calls.allToAll(byCollective, source, s.stream);
          });
      s.stream.synchronize(PeState.LIMIT);
      s.barrier();
      for (int pe = 0; pe < s.peCount; pe++) {
        byte[] expected =
            Arrays.copyOfRange(s.content(pe, bytes), s.pe * block, (s.pe + 1) * block);
        assertArrayEquals(expected, s.read(slice(byPuts, pe, block)), "put by PE " + pe);
        assertArrayEquals(expected, s.read(slice(byCollective, pe, block)), "from PE " + pe);
      }
      DeviceRange outside = new DeviceRange(source.address() + PeState.BUFFER_BYTES, block);
      refuses(extras, calls -> calls.put(outside, slice(source, 0, block), 0, s.stream));
      refuses(extras, calls -> calls.put(source, source, s.peCount, s.stream));
      refuses(extras, calls -> calls.put(source, slice(source, 0, block - 1), 0, s.stream));
      refuses(extras, calls -> calls.allToAll(byCollective, slice(source, 0, bytes - 1), s.stream));
      assertThrows(IllegalStateException.class, () -> extras.quiet(s.stream));
      s.barrier();
    }
  };

  abstract void run(PeState s, NvshmemExtras extras) throws Exception;

  private static DeviceRange slice(DeviceRange range, int index, long bytes) {
    return range.slice(index * (64L << 10), bytes);
  }

  private static void refuses(NvshmemExtras extras, Consumer<NvshmemExtras> work) {
    assertThrows(
        IllegalArgumentException.class, () -> extras.run("a mistake", PeState.LIMIT, work));
  }
}
