// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PE's folders for the DISK tier, one per local disk. The file of a map output is in one of them.
 * The ids of map outputs spread the files, so that a reader usually finds a file where it looks
 * first. A folder whose disk is full or fails is not used for a minute, as long as another one
 * works. Thread-safe.
 */
public final class DiskFolders {
  private static final Logger LOG = LoggerFactory.getLogger(DiskFolders.class);

  /** How long a folder is not used after a failure. */
  static final Duration PAUSE = Duration.ofMinutes(1);

  /** Value of {@link #resume} for a folder that has not failed. */
  private static final long NEVER_FAILED = 0;

  private final List<Path> folders;
  private final Optional<DiskEncryption> encryption;
  private final Codec codec;

  /** Those that no task uses; at most as many as tasks. */
  private final ConcurrentLinkedQueue<RunPacker> packers = new ConcurrentLinkedQueue<>();

  /** Whether there has been memory for all packers. */
  private volatile boolean packs;

  private final LongSupplier clock;
  private final long start;

  /** Per folder, when it can be used again: nanoseconds since {@link #start}, at least 1. */
  private final AtomicLongArray resume;

  /**
   * @param folders private folders of this PE, which exist, at least one
   * @param encryption of the files, if they are encrypted
   * @param codec of the runs in them
   */
  public DiskFolders(List<Path> folders, Optional<DiskEncryption> encryption, Codec codec) {
    this(folders, encryption, codec, System::nanoTime);
  }

  DiskFolders(
      List<Path> folders, Optional<DiskEncryption> encryption, Codec codec, LongSupplier clock) {
    this.folders = List.copyOf(folders);
    this.codec = codec;
    this.packs = codec != Codec.NONE;
    this.encryption = encryption;
    if (folders.isEmpty()) {
      throw new IllegalArgumentException("there is no folder for the DISK tier");
    }
    this.clock = clock;
    this.start = clock.getAsLong();
    this.resume = new AtomicLongArray(folders.size());
  }

  /**
   * Takes a packer for a run, to be returned by {@link #give}.
   *
   * @return empty if runs are not compressed, or the JVM has no direct memory left
   */
  Optional<RunPacker> takePacker() {
    if (!packs) {
      return Optional.empty();
    }
    RunPacker idle = packers.poll();
    try {
      return Optional.of(idle == null ? new RunPacker(codec) : idle);
    } catch (OutOfMemoryError | LinkageError e) {
      // Zstandard cannot be loaded from a temporary folder without execute permission.
      packs = false;
      LOG.warn("Disabling compression of runs on disk: {}", e.toString());
      return Optional.empty();
    }
  }

  void give(RunPacker packer) {
    packers.add(packer);
  }

  /** Returns where the file of a map output can be created, one path per folder, best first. */
  List<Path> candidates(MapOutputId id) {
    List<Path> best = new ArrayList<>();
    List<Path> last = new ArrayList<>();
    for (int i = 0; i < folders.size(); i++) {
      int folder = (home(id, folders.size()) + i) % folders.size();
      (isPaused(folder) ? last : best).add(DiskFile.path(folders.get(folder), id));
    }
    best.addAll(last);
    return best;
  }

  /**
   * Creates the file of a map output.
   *
   * @param path one of {@link #candidates}
   * @throws IOException if it exists or cannot be created
   */
  DiskFile create(Path path) throws IOException {
    return DiskFile.create(path, encryption);
  }

  /**
   * Finds the file of a map output. If it was moved and the first file could not be deleted, it is
   * the longest one: a file moves when a run does not fit, and the run is then appended.
   *
   * @param folders the folders of its owner
   * @return its path; any path where it could be, if it does not exist
   */
  static Path find(List<Path> folders, MapOutputId id) {
    Path longest = DiskFile.path(folders.get(home(id, folders.size())), id);
    long most = -1;
    for (int i = 0; folders.size() > 1 && i < folders.size(); i++) {
      Path path = DiskFile.path(folders.get(i), id);
      long bytes = bytes(path);
      if (bytes > most) {
        most = bytes;
        longest = path;
      }
    }
    return longest;
  }

  /** Size of a file; -1 if it does not exist, or its disk fails. */
  private static long bytes(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .size();
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * Avoids the folder of a file for {@link #PAUSE}.
   *
   * @param file a path of {@link #candidates} that could not be written
   */
  void pause(Path file, IOException reason) {
    int folder = folders.indexOf(file.getParent());
    if (folders.size() > 1) {
      if (!isPaused(folder)) {
        LOG.warn(
            "Not writing shuffle data to {} for {} s: {}",
            folders.get(folder),
            PAUSE.toSeconds(),
            reason.toString());
      }
      resume.set(folder, Math.max(1, clock.getAsLong() - start + PAUSE.toNanos()));
    }
  }

  private boolean isPaused(int folder) {
    long until = resume.get(folder);
    return until != NEVER_FAILED && clock.getAsLong() - start < until;
  }

  /** The folder where a map output's file is if that folder works. */
  private static int home(MapOutputId id, int folders) {
    // Fibonacci hashing, since an executor's map tasks may all have even ids.
    long product = (id.mapId() + 31L * id.shuffleId()) * 0x9E3779B97F4A7C15L;
    return (int) ((product >>> 33) % folders);
  }

  @Override
  public String toString() {
    return folders.toString();
  }
}
