// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.Segments;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Words in pinned host memory that the GPU sets when a stream reaches a mark. Waiting threads read
 * them instead of polling the driver: each poll takes a lock of the context, which all tasks need
 * to launch their kernels.
 *
 * <p>A mark only says when to poll the driver. One that is set late, or never, makes a wait longer,
 * not wrong. Thread-safe.
 */
final class CompletionFlags implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionFlags.class);
  private static final VarHandle WORD = Segments.varHandle(JAVA_INT);

  /** If more threads than this wait at the same time, the others poll the driver. */
  private static final int WORDS = 256;

  /** A cache line for each word, so that waiting threads do not disturb each other. */
  private static final int STRIDE = 64;

  /** Marks are not used after work has ended this often before its mark was set. */
  private static final int MAX_MISSES = 8;

  private final CudaContext context;

  /** Null if there is no memory. */
  private final PinnedBuffer words;

  private final Queue<Integer> free = new ConcurrentLinkedQueue<>();
  private final AtomicInteger tickets = new AtomicInteger();
  private final AtomicInteger misses = new AtomicInteger();
  private volatile boolean usable = true;

  /** Whether a stream may still write to a word that no thread waits for. */
  private volatile boolean late;

  CompletionFlags(CudaContext context) {
    this.context = context;
    this.words = allocate(context);
    if (words == null) {
      usable = false;
    } else {
      words.memory().fill((byte) 0);
      IntStream.range(0, WORDS).forEach(free::add);
    }
  }

  private static PinnedBuffer allocate(CudaContext context) {
    try {
      return context.allocatePinned((long) WORDS * STRIDE);
    } catch (NativeCallException e) {
      LOG.info("Waiting threads poll the CUDA driver: {}", e.getMessage());
      return null;
    }
  }

  /** A place in a stream. Used by one thread. */
  final class Mark implements AutoCloseable {
    private final int ticket;
    private final Integer word;

    /** Without a word, which counts as reached at any time. */
    private Mark() {
      this.ticket = 0;
      this.word = null;
    }

    private Mark(int ticket, Integer word) {
      this.ticket = ticket;
      this.word = word;
    }

    /** Returns whether the stream may have reached the mark; poll the driver only then. */
    boolean isReached() {
      return word == null || (int) WORD.getAcquire(words.memory(), offset(word)) == ticket;
    }

    /** Records that the driver has reported the stream as done. */
    void done() {
      if (!isReached() && misses.incrementAndGet() == MAX_MISSES) {
        usable = false;
        LOG.info(
            "{} does not mark the end of work in host memory, so waiting threads poll the driver",
            context.device());
      }
    }

    /**
     * Lets others use the word. If the stream has not reached the mark, it may later overwrite the
     * ticket of another mark, which is then set late.
     */
    @Override
    public void close() {
      if (word != null) {
        if (!isReached()) {
          late = true;
        }
        free.add(word);
      }
    }
  }

  /** Queues a mark after all work of a stream. The context is current. */
  Mark queue(long stream) {
    Integer word = usable ? free.poll() : null;
    if (word == null) {
      return new Mark();
    }
    int ticket = tickets.incrementAndGet();
    int code =
        context
            .driver()
            .api()
            .cuStreamWriteValue32(stream, words.handle() + offset(word), ticket, 0);
    if (code == 0) {
      return new Mark(ticket, word);
    }
    usable = false;
    free.add(word);
    LOG.info(
        "{} cannot mark the end of work in host memory ({}), so waiting threads poll the driver",
        context.device(),
        context.driver().describe(code));
    return new Mark();
  }

  private static long offset(int word) {
    return (long) word * STRIDE;
  }

  /** Frees the words, unless a stream may still write to one. */
  @Override
  public void close() {
    if (words != null && !late) {
      words.close();
    }
  }
}
