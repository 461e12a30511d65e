// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.util.Optional;

/**
 * The error numbers that the functions bound here set, with the C library's description of each.
 * The numbers are those of Linux on x86-64 and aarch64 (asm-generic/errno-base.h,
 * asm-generic/errno.h).
 */
public enum Errno {
  /** Operation not permitted. */
  EPERM(1, "Operation not permitted"),
  /** No such file or directory. */
  ENOENT(2, "No such file or directory"),
  /** Interrupted system call. */
  EINTR(4, "Interrupted system call"),
  /** Input/output error. */
  EIO(5, "Input/output error"),
  /** No such device or address. */
  ENXIO(6, "No such device or address"),
  /** Bad file descriptor. */
  EBADF(9, "Bad file descriptor"),
  /** Resource temporarily unavailable; for flock: another process has the lock. */
  EAGAIN(11, "Resource temporarily unavailable"),
  /** Cannot allocate memory. */
  ENOMEM(12, "Cannot allocate memory"),
  /** Permission denied. */
  EACCES(13, "Permission denied"),
  /** Bad address; for madvise: touching the page would raise SIGBUS. */
  EFAULT(14, "Bad address"),
  /** Device or resource busy. */
  EBUSY(16, "Device or resource busy"),
  /** File exists. */
  EEXIST(17, "File exists"),
  /** No such device. */
  ENODEV(19, "No such device"),
  /** Not a directory. */
  ENOTDIR(20, "Not a directory"),
  /** Is a directory. */
  EISDIR(21, "Is a directory"),
  /** Invalid argument. */
  EINVAL(22, "Invalid argument"),
  /** Too many open files in system. */
  ENFILE(23, "Too many open files in system"),
  /** Too many open files. */
  EMFILE(24, "Too many open files"),
  /** File too large. */
  EFBIG(27, "File too large"),
  /** No space left on device. */
  ENOSPC(28, "No space left on device"),
  /** Read-only file system. */
  EROFS(30, "Read-only file system"),
  /** Broken pipe. */
  EPIPE(32, "Broken pipe"),
  /** File name too long. */
  ENAMETOOLONG(36, "File name too long"),
  /** No locks available. */
  ENOLCK(37, "No locks available"),
  /** Function not implemented. */
  ENOSYS(38, "Function not implemented"),
  /** Too many levels of symbolic links; for open with O_NOFOLLOW: it is a symbolic link. */
  ELOOP(40, "Too many levels of symbolic links"),
  /** Operation not supported. */
  EOPNOTSUPP(95, "Operation not supported"),
  /** Address already in use. */
  EADDRINUSE(98, "Address already in use"),
  /** Connection reset by peer. */
  ECONNRESET(104, "Connection reset by peer"),
  /** Connection refused; for a socket with a path: no process listens on it. */
  ECONNREFUSED(111, "Connection refused"),
  /** Disk quota exceeded. */
  EDQUOT(122, "Disk quota exceeded"),
  /** Memory page has hardware error. */
  EHWPOISON(133, "Memory page has hardware error");

  private final int number;
  private final String sentence;

  Errno(int number, String sentence) {
    this.number = number;
    this.sentence = sentence;
  }

  /** {@return its number} */
  public int number() {
    return number;
  }

  /**
   * Looks up a number.
   *
   * @return the constant; empty when it is not among those listed here
   */
  public static Optional<Errno> of(int number) {
    for (Errno errno : values()) {
      if (errno.number == number) {
        return Optional.of(errno);
      }
    }
    return Optional.empty();
  }

  /**
   * Describes a number.
   *
   * @return for example {@code ENOMEM (12), Cannot allocate memory}
   */
  public static String describe(int number) {
    return of(number)
        .map(errno -> errno.name() + " (" + number + "), " + errno.sentence)
        .orElse("errno " + number);
  }
}
