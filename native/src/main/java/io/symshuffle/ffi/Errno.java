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
  EPERM(1, "Operation not permitted"),
  ENOENT(2, "No such file or directory"),
  EINTR(4, "Interrupted system call"),
  EIO(5, "Input/output error"),
  ENXIO(6, "No such device or address"),
  EBADF(9, "Bad file descriptor"),
  /** For flock: another process has the lock. */
  EAGAIN(11, "Resource temporarily unavailable"),
  ENOMEM(12, "Cannot allocate memory"),
  EACCES(13, "Permission denied"),
  /** For madvise: touching the page would raise SIGBUS. */
  EFAULT(14, "Bad address"),
  EBUSY(16, "Device or resource busy"),
  EEXIST(17, "File exists"),
  ENODEV(19, "No such device"),
  ENOTDIR(20, "Not a directory"),
  EISDIR(21, "Is a directory"),
  EINVAL(22, "Invalid argument"),
  ENFILE(23, "Too many open files in system"),
  EMFILE(24, "Too many open files"),
  EFBIG(27, "File too large"),
  ENOSPC(28, "No space left on device"),
  EROFS(30, "Read-only file system"),
  EPIPE(32, "Broken pipe"),
  ENAMETOOLONG(36, "File name too long"),
  ENOLCK(37, "No locks available"),
  ENOSYS(38, "Function not implemented"),
  /** For open with O_NOFOLLOW: it is a symbolic link. */
  ELOOP(40, "Too many levels of symbolic links"),
  EOPNOTSUPP(95, "Operation not supported"),
  EADDRINUSE(98, "Address already in use"),
  ECONNRESET(104, "Connection reset by peer"),
  /** For a socket with a path: no process listens on it. */
  ECONNREFUSED(111, "Connection refused"),
  EDQUOT(122, "Disk quota exceeded"),
  EHWPOISON(133, "Memory page has hardware error");

  private final int number;
  private final String sentence;

  Errno(int number, String sentence) {
    this.number = number;
    this.sentence = sentence;
  }

  /** Returns its number. */
  public int number() {
    return number;
  }

  /** Returns the constant of a number; empty when it is not among those listed here. */
  public static Optional<Errno> of(int number) {
    for (Errno errno : values()) {
      if (errno.number == number) {
        return Optional.of(errno);
      }
    }
    return Optional.empty();
  }

  /** Returns a description, for example {@code ENOMEM (12), Cannot allocate memory}. */
  public static String describe(int number) {
    return of(number)
        .map(errno -> errno.name() + " (" + number + "), " + errno.sentence)
        .orElse("errno " + number);
  }
}
