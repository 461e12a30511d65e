// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The check of results, with collectives of plain loops in one process. */
class CollectiveTest {

  static Stream<Arguments> calls() {
    return Provider.GPU.collectives().stream()
        .flatMap(
            collective ->
                Stream.of(4, 20, 4096, 5 << 20)
                    .flatMap(
                        bytes ->
                            Stream.of(1, 2, 3).map(pes -> Arguments.of(collective, bytes, pes))));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void acceptsRightResultsAndNoOthers(Collective collective, int bytes, int pes) {
    List<Loops> all =
        Stream.iterate(0, pe -> pe + 1).limit(pes).map(pe -> new Loops(pe, pes, bytes)).toList();
    all.forEach(each -> collective.write(each, bytes));
    int block = Math.ceilDiv(bytes / Float.BYTES, pes);
    Random random = new Random(bytes + pes);
    List<float[]> sent = all.stream().map(each -> each.floats.clone()).toList();
    for (Loops each : all) {
      boolean before = collective.isRight(each, bytes);
      assertTrue(!before || (pes == 1 && collective != Collective.ALL_TO_ALL), "nothing was done");
      each.receive(collective, sent, block);
      assertTrue(collective.isRight(each, bytes));
      int begin = collective == Collective.ALL_TO_ALL ? block * pes : 0;
      int end = collective == Collective.ALL_REDUCE ? bytes / Float.BYTES : begin + block * pes;
      for (int wrong : new int[] {begin, end - 1, random.nextInt(begin, end)}) {
        float right = each.floats[wrong];
        each.floats[wrong] = right + 1;
        assertFalse(collective.isRight(each, bytes), () -> "element " + wrong);
        each.floats[wrong] = right;
      }
    }
  }

  /** Memory of a PE in an array. */
  private static final class Loops implements TaskMemory {
    private final int pe;
    private final int peCount;
    private final float[] floats;

    Loops(int pe, int peCount, int bytes) {
      this.pe = pe;
      this.peCount = peCount;
      this.floats = new float[2 * (bytes / Float.BYTES + peCount)];
    }

    /** Does a PE's part of a collective. */
    void receive(Collective collective, List<float[]> sent, int block) {
      if (collective == Collective.ALL_REDUCE) {
        Arrays.fill(floats, 0);
        for (float[] data : sent) {
          for (int i = 0; i < floats.length; i++) {
            floats[i] += data[i];
          }
        }
        return;
      }
      boolean toAll = collective == Collective.ALL_TO_ALL;
      for (int from = 0; from < peCount; from++) {
        System.arraycopy(
            sent.get(from),
            (toAll ? pe : from) * block,
            floats,
            (toAll ? peCount + from : from) * block,
            block);
      }
    }

    @Override
    public int pe() {
      return pe;
    }

    @Override
    public int peCount() {
      return peCount;
    }

    @Override
    public void allReduce(long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void allGather(long blockBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void allToAll(long blockBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(long offset, MemorySegment from) {
      part(offset, from.byteSize()).copyFrom(from);
    }

    @Override
    public void read(long offset, MemorySegment to) {
      to.copyFrom(part(offset, to.byteSize()));
    }

    private MemorySegment part(long offset, long bytes) {
      return MemorySegment.ofArray(floats).asSlice(offset, bytes);
    }

    @Override
    public void close() {}
  }
}
