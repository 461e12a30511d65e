// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.Gpus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All-reduces on one real GPU. */
@Tag("gpu")
class GpuAllReduceIT extends AllReduceSuite {
  private static final int ROUNDS = 50;

  @Override
  CudaDriver driver() {
    CudaDriver driver = Gpus.assume();
    KernelImage image = KernelImage.find();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    return driver;
  }

  @Override
  int elements() {
    return 3_000_001;
  }

  /** Reports medians of the time of a kernel, of two PEs that share the GPU. */
  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {8, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20})
  void measuresOneShotAndTwoShots(long bytes, TestReporter reporter) throws Exception {
    addPes(2, bytes);
    StringBuilder line = new StringBuilder("all-reduce of %d bytes, 2 PEs:".formatted(bytes));
    for (boolean oneShot : new boolean[] {true, false}) {
      List<Double> times = new ArrayList<>();
      try (CudaEvent start = context.newEvent();
          CudaEvent end = context.newEvent()) {
        for (int round = 0; round < ROUNDS; round++) {
          List<AllReduceLaunch> all =
              launches(
                  List.of(0, 1),
                  AllReduce.Type.INT,
                  AllReduce.Operation.SUM,
                  0,
                  bytes / Integer.BYTES,
                  oneShot,
                  LIMIT);
          all.get(1).queue(streams.get(1));
          // PE 1 waits for PE 0, whose kernel is measured.
          streams.get(0).record(start);
          all.get(0).queue(streams.get(0));
          streams.get(0).record(end);
          for (int pe = 0; pe < 2; pe++) {
            all.get(pe).await(streams.get(pe), LIMIT);
            all.get(pe).close();
          }
          times.add(start.microsecondsTo(end));
        }
      }
      Collections.sort(times);
      line.append(
          " %s %.1f us".formatted(oneShot ? "one shot" : "two shots", times.get(ROUNDS / 2)));
    }
    reporter.publishEntry("time", line.toString());
  }
}
