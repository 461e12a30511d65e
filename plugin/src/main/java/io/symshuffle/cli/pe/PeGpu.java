// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.nvshmem.InitRequest;
import io.symshuffle.nvshmem.NvshmemEnvironment;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.UniqueId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A PE with a GPU on which NVSHMEM is running.
 *
 * @param context the GPU's primary context; PE n uses GPU n
 * @param runtime NVSHMEM, initialized
 */
public record PeGpu(CudaContext context, NvshmemRuntime runtime) {
  private static final long MAX_LIMIT_SECONDS = 60;
  private static final String LIMIT_PROPERTY = "symshuffle.pe.limit.seconds";

  /** How long to wait for other PEs. It ends before the job's limit, so that a PE can say why. */
  public static final Duration LIMIT =
      Duration.ofSeconds(Long.getLong(LIMIT_PROPERTY, MAX_LIMIT_SECONDS));

  /** Returns the limit of the PEs of a job with this limit. */
  static Duration limitIn(Duration jobLimit) {
    Duration most = Duration.ofSeconds(MAX_LIMIT_SECONDS);
    Duration inner = PeJob.innerLimit(jobLimit);
    return inner.compareTo(most) < 0 ? inner : most;
  }

  /** Returns the option of a PE's JVM that sets {@link #LIMIT}. */
  static String limitOption(Duration limit) {
    return "-D%s=%d".formatted(LIMIT_PROPERTY, limit.toSeconds());
  }

  /**
   * Starts NVSHMEM together with the other PEs of a job.
   *
   * @param bytes of symmetric memory that the job will allocate
   */
  public static PeGpu start(PeArguments arguments, long bytes)
      throws IOException, InterruptedException {
    CudaDriver driver = CudaDriver.system();
    CudaContext context = driver.device(arguments.pe()).openPrimaryContext();
    NvshmemRuntime runtime =
        NvshmemRuntime.open(
            Backend.nvshmem(), context, NvshmemEnvironment.recommended(bytes, Optional.empty()));
    byte[] id = shared(arguments, "nvshmem-id", () -> runtime.newUniqueId(LIMIT).bytes());
    runtime.start(new InitRequest(arguments.pe(), arguments.peCount(), new UniqueId(id), LIMIT));
    return new PeGpu(context, runtime);
  }

  /**
   * Shares bytes that PE 0 creates with all PEs of a job.
   *
   * @param name a name that is unique in the job
   * @param maker creates the bytes; called by PE 0 only
   */
  private static byte[] shared(PeArguments arguments, String name, Supplier<byte[]> maker)
      throws IOException, InterruptedException {
    Path file = arguments.folder().resolve(name);
    if (arguments.pe() == 0) {
      Path next = arguments.folder().resolve(name + ".next");
      Files.write(next, maker.get());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(file)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "PE 0 did not create %s within %d s".formatted(name, LIMIT.toSeconds()));
      }
      Thread.sleep(2);
    }
    return Files.readAllBytes(file);
  }

  /** Returns the name and number of the GPU. */
  public String name() {
    return context.device().name() + " " + context.device().ordinal();
  }
}
