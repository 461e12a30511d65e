// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.GpuSymmetricMemory;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.apache.spark.BarrierTaskContext;

/**
 * Random calls on random data. Each PE keeps copies of the buffers of all PEs, and computes on them
 * what each call does, with plain loops. After each call its buffer must have the same bits.
 */
public final class RandomCollectives {
  private final Collectives memory;
  private final Random random;
  private final List<MemorySegment> copies = new ArrayList<>();

  private RandomCollectives(Collectives memory, long seed) {
    this.memory = memory;
    this.random = new Random(seed);
    for (int pe = 0; pe < memory.peCount(); pe++) {
      copies.add(MemorySegment.ofArray(new long[(int) (memory.bytes() / Long.BYTES)]));
    }
  }

  /**
   * Runs in a task.
   *
   * @return the calls after which this PE's buffer was wrong; empty if none was
   */
  public static String run(BarrierTaskContext task, long seed, long bytes, int calls) {
    return run(Collectives.of(SymmetricMemory.open(task, bytes)), seed, calls);
  }

  /** The same with buffers of GPUs, on the thread's default stream. */
  public static String runOnGpus(BarrierTaskContext task, long seed, long bytes, int calls) {
    return run(Collectives.of(GpuSymmetricMemory.open(task, bytes, 2)), seed, calls);
  }

  private static String run(Collectives opened, long seed, int calls) {
    List<String> wrong = new ArrayList<>();
    try (opened) {
      MemorySegment result = MemorySegment.ofArray(new long[(int) (opened.bytes() / Long.BYTES)]);
      RandomCollectives collectives = new RandomCollectives(opened, seed);
      for (int i = 0; i < calls; i++) {
        collectives.fill(seed + i);
        String call = collectives.call();
        opened.read(result);
        long at = result.mismatch(collectives.copies.get(opened.pe()));
        if (at >= 0) {
          wrong.add("PE %d, byte %d, after %s".formatted(opened.pe(), at, call));
        }
      }
    }
    return String.join("; ", wrong);
  }

  /** New content: floats of both signs, of which two are also a double and integers. No NaN. */
  private void fill(long seed) {
    for (int pe = 0; pe < copies.size(); pe++) {
      SplittableRandom values = new SplittableRandom(seed * 31 + pe);
      MemorySegment copy = copies.get(pe);
      for (long at = 0; at < copy.byteSize(); at += Float.BYTES) {
        copy.set(JAVA_FLOAT, at, (float) values.nextDouble(-1e3, 1e3));
      }
    }
    memory.write(copies.get(memory.pe()));
    memory.barrier();
  }

  private String call() {
    int kind = random.nextInt(6);
    int n = copies.size();
    long words = memory.bytes() / Long.BYTES;
    long offset = random.nextLong(words / 4) * Long.BYTES;
    long bytes = 1 + random.nextLong(memory.bytes() / 4 / n);
    return switch (kind) {
      case 0 -> {
        memory.allGather(offset, bytes);
        for (int to = 0; to < n; to++) {
          for (int from = 0; from < n; from++) {
            copy(from, offset + from * bytes, to, offset + from * bytes, bytes);
          }
        }
        yield "allGather";
      }
      case 1 -> {
        long to = memory.bytes() / 2 + offset;
        memory.allToAll(offset, to, bytes);
        for (int pe = 0; pe < n; pe++) {
          for (int from = 0; from < n; from++) {
            copy(from, offset + pe * bytes, pe, to + from * bytes, bytes);
          }
        }
        yield "allToAll";
      }
      case 2 -> {
        int root = random.nextInt(n);
        memory.broadcast(root, offset, bytes);
        for (int pe = 0; pe < n; pe++) {
          copy(root, offset, pe, offset, bytes);
        }
        yield "broadcast";
      }
      case 3 -> {
        int shift = random.nextInt(n);
        long to = memory.bytes() / 2 + offset;
        memory.put((memory.pe() + shift) % n, to, memory.local().asSlice(offset, bytes));
        memory.barrier();
        for (int pe = 0; pe < n; pe++) {
          copy(pe, offset, (pe + shift) % n, to, bytes);
        }
        yield "put";
      }
      case 4 -> {
        int shift = random.nextInt(n);
        long to = memory.bytes() / 2 + offset;
        memory.get((memory.pe() + shift) % n, offset, memory.local().asSlice(to, bytes));
        memory.barrier();
        for (int pe = 0; pe < n; pe++) {
          copy((pe + shift) % n, offset, pe, to, bytes);
        }
        yield "get";
      }
      default -> {
        Reduction reduction = any(List.of(Reduction.values()));
        ElementType type = any(List.of(ElementType.values()));
        long most = (memory.bytes() - offset) / type.bytes();
        long count = random.nextBoolean() ? random.nextLong(20) : random.nextLong(most + 1);
        memory.allReduce(reduction, type, offset, count);
        reduce(reduction, type, offset, count);
        yield "allReduce(%s, %s, %d, %d)".formatted(reduction, type, offset, count);
      }
    };
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void copy(int from, long fromOffset, int to, long toOffset, long bytes) {
    MemorySegment.copy(copies.get(from), fromOffset, copies.get(to), toOffset, bytes);
  }

  private void reduce(Reduction reduction, ElementType type, long offset, long count) {
    for (long at = offset; at < offset + count * type.bytes(); at += type.bytes()) {
      for (int pe = 1; pe < copies.size(); pe++) {
        reduce(reduction, type, copies.get(0), copies.get(pe), at);
      }
      for (int pe = 1; pe < copies.size(); pe++) {
        copy(0, at, pe, at, type.bytes());
      }
    }
  }

  private static void reduce(
      Reduction reduction, ElementType type, MemorySegment a, MemorySegment b, long at) {
    switch (type) {
      case FLOAT -> {
        float x = a.get(JAVA_FLOAT, at);
        float y = b.get(JAVA_FLOAT, at);
        float sum = reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        a.set(JAVA_FLOAT, at, reduction == Reduction.SUM ? x + y : sum);
      }
      case DOUBLE -> {
        double x = a.get(JAVA_DOUBLE, at);
        double y = b.get(JAVA_DOUBLE, at);
        double sum = reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        a.set(JAVA_DOUBLE, at, reduction == Reduction.SUM ? x + y : sum);
      }
      case INT -> {
        int x = a.get(JAVA_INT, at);
        int y = b.get(JAVA_INT, at);
        int sum = reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        a.set(JAVA_INT, at, reduction == Reduction.SUM ? x + y : sum);
      }
      case LONG -> {
        long x = a.get(JAVA_LONG, at);
        long y = b.get(JAVA_LONG, at);
        long sum = reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        a.set(JAVA_LONG, at, reduction == Reduction.SUM ? x + y : sum);
      }
    }
  }
}
