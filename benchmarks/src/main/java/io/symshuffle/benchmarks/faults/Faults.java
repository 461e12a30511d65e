// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import static java.util.Objects.requireNonNull;

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
 * Strikes on purpose, as a {@link FaultSpec} says. Whether a fault strikes follows from the seed,
 * the PE, the point and how often that point was passed before on this PE: the same seed brings the
 * same faults, as far as the tasks come in the same order.
 *
 * <p>Thread-safe.
 */
public final class Faults {
  /** How a process ends that is killed by SIGKILL. */
  private static final int KILLED = 137;

  private static final int PAGE_BYTES = 4096;
  private static final Logger LOG = LoggerFactory.getLogger(Faults.class);

  private final FaultSpec spec;
  private final String pe;
  private final boolean mayKill;
  private final AtomicLong damages = new AtomicLong();
  private final Map<FaultPoint, AtomicLong> passed = new EnumMap<>(FaultPoint.class);

  /**
   * Faults of one PE.
   *
   * @param pe what tells this PE from others, the same in each run of a test
   * @param mayKill false where the process is the driver, too: KILL then fails instead
   */
  public Faults(FaultSpec spec, String pe, boolean mayKill) {
    this.spec = requireNonNull(spec, "spec is null");
    this.pe = requireNonNull(pe, "pe is null");
    this.mayKill = mayKill;
    for (FaultPoint point : FaultPoint.values()) {
      passed.put(point, new AtomicLong());
    }
  }

  /**
   * Passes a point: perhaps waits, fails or ends the process.
   *
   * @param point which
   * @return what the caller has to do to its own data; null if nothing
   * @throws IOException if that is the fault
   */
  public FaultKind strike(FaultPoint point) throws IOException {
    long number = passed.get(point).getAndIncrement();
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
   * Passes a point at which nothing can fail.
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
      // Never by chance what was there before.
      flip(memory, offset, at);
    } else {
      flip(memory, offset, at);
    }
  }

  /** What strikes at a point when it is passed for the {@code number}-th time; null: nothing. */
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
    return "fault on purpose: %s.%s, seed %d, PE %s, passage %d"
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
      LOG.warn("The fault is not in {}", spec.log().get(), e);
    }
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(spec.delayMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SplitMix64's finalizer: every bit of the argument changes half of the result's. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
