// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Injects faults as a {@link FaultSpec} defines. The decision depends only on the seed, the PE, the
 * point, and how often this PE has reached that point before. The same seed injects the same
 * faults, as far as tasks run in the same order.
 *
 * <p>Thread-safe.
 */
public final class Faults {
  /** The exit status of a process that was killed by SIGKILL. */
  private static final int KILLED = 137;

  private static final int PAGE_BYTES = 4096;
  private static final Logger LOG = LoggerFactory.getLogger(Faults.class);

  private final FaultSpec spec;
  private final String pe;
  private final boolean mayKill;
  private final AtomicLong damages = new AtomicLong();
  private final Map<FaultPoint, AtomicLong> reached = new EnumMap<>(FaultPoint.class);

  /**
   * @param pe identifies this PE; the same in each run of a test
   * @param mayKill false if the process is also the driver: KILL then fails instead
   */
  public Faults(FaultSpec spec, String pe, boolean mayKill) {
    this.spec = spec;
    this.pe = pe;
    this.mayKill = mayKill;
    for (FaultPoint point : FaultPoint.values()) {
      reached.put(point, new AtomicLong());
    }
  }

  /**
   * Reaches a point: may wait, fail or end the process.
   *
   * @param point which
   * @return what the caller must do to its own data; null if nothing
   * @throws IOException if the fault is a failure
   */
  public FaultKind strike(FaultPoint point) throws IOException {
    long number = reached.get(point).getAndIncrement();
    FaultKind kind = drawn(point, number);
    if (kind == null) {
      return null;
    }
    record(point, kind, number);
    return switch (kind) {
      case DELAY -> {
        pause();
        yield null;
      }
      case FAIL -> throw new IOException(text(point, kind, number));
      case KILL -> {
        if (!mayKill) {
          throw new IOException(text(point, kind, number));
        }
        Runtime.getRuntime().halt(KILLED);
        yield null;
      }
      case BIT, PAGE, FULL, TRUNCATE -> kind;
    };
  }

  /**
   * Reaches a point at which nothing can fail.
   *
   * @return as {@link #strike}
   */
  public FaultKind strikeUnfailing(FaultPoint point) {
    try {
      return strike(point);
    } catch (IOException e) {
      LOG.debug("Nothing fails at {}", point, e);
      return null;
    }
  }

  /**
   * Damages bytes: one bit for BIT, up to a page for PAGE.
   *
   * @param memory at least one byte
   */
  public void damage(MemorySegment memory, FaultKind kind) {
    long at = mix(mix(spec.seed() ^ pe.hashCode()) ^ damages.getAndIncrement());
    long offset = Math.floorMod(at, memory.byteSize());
    if (kind == FaultKind.PAGE) {
      long bytes = Math.min(PAGE_BYTES, memory.byteSize() - offset);
      memory.asSlice(offset, bytes).fill((byte) at);
      // Ensure that the bytes differ from those before.
      flip(memory, offset, at);
    } else {
      flip(memory, offset, at);
    }
  }

  /** The fault when a point has been reached {@code number} times before; null if none. */
  FaultKind drawn(FaultPoint point, long number) {
    long bits = mix(mix(mix(spec.seed() ^ pe.hashCode()) ^ point.label().hashCode()) ^ number);
    double draw = (bits >>> 11) * 0x1.0p-53;
    for (FaultRule rule : spec.rules()) {
      if (rule.point() == point) {
        if (draw < rule.probability()) {
          return rule.kind();
        }
        draw -= rule.probability();
      }
    }
    return null;
  }

  private static void flip(MemorySegment memory, long offset, long bits) {
    byte old = memory.get(ValueLayout.JAVA_BYTE, offset);
    memory.set(ValueLayout.JAVA_BYTE, offset, (byte) (old ^ 1 << (bits >>> 60 & 7)));
  }

  private String text(FaultPoint point, FaultKind kind, long number) {
    return "injected fault: %s.%s, seed %d, PE %s, occurrence %d"
        .formatted(point.label(), kind.label(), spec.seed(), pe, number);
  }

  private void record(FaultPoint point, FaultKind kind, long number) {
    LOG.info(text(point, kind, number));
    if (spec.log().isEmpty()) {
      return;
    }
    byte[] line =
        "%s.%s %s %d%n"
            .formatted(point.label(), kind.label(), pe, number)
            .getBytes(StandardCharsets.UTF_8);
    // One write to a file opened for appending: lines of several processes do not mix.
    try (FileChannel log =
        FileChannel.open(spec.log().get(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      log.write(ByteBuffer.wrap(line));
    } catch (IOException e) {
      LOG.warn("Cannot write the fault to {}", spec.log().get(), e);
    }
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(spec.delayMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SplitMix64's finalizer: each bit of the argument changes half of the bits of the result. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
