// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.util.Optional;

/**
 * Constants of the Linux system call interface. The values never change; the two that depend on the
 * architecture are for x86-64 (asm-generic/fcntl.h) and aarch64 (asm/fcntl.h).
 */
final class LinuxAbi {
  // asm-generic/fcntl.h
  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;
  static final int O_EXCL = 0x80;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;
  static final int O_DIRECTORY = isAarch64() ? 0x4000 : 0x10000;
  static final int O_NOFOLLOW = isAarch64() ? 0x8000 : 0x20000;

  // asm-generic/fcntl.h, flock
  static final int LOCK_SH = 1;
  static final int LOCK_EX = 2;
  static final int LOCK_NB = 4;
  static final int LOCK_UN = 8;

  // linux/falloc.h
  static final int FALLOC_FL_KEEP_SIZE = 1;
  static final int FALLOC_FL_PUNCH_HOLE = 2;

  // linux/fs.h; the requests are those of 64-bit systems
  static final long FS_IOC_GETFLAGS = 0x80086601L;
  static final long FS_IOC_SETFLAGS = 0x40086602L;
  static final int FS_NOCOW_FL = 0x800000;

  // asm-generic/mman-common.h, linux/mman.h
  static final int PROT_NONE = 0;
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 1;
  static final int MAP_PRIVATE = 2;
  static final int MAP_FIXED = 0x10;
  static final int MAP_ANONYMOUS = 0x20;
  static final int MAP_NORESERVE = 0x4000;
  static final long MAP_FAILED = -1;
  static final int MADV_DONTNEED = 4;
  static final int MADV_HUGEPAGE = 14;

  /** Since Linux 5.14. */
  static final int MADV_POPULATE_READ = 22;

  static final int MADV_POPULATE_WRITE = 23;

  // linux/stat.h
  static final int S_IFMT = 0xf000;
  static final int S_IFDIR = 0x4000;
  static final int S_IFREG = 0x8000;
  static final int S_IFLNK = 0xa000;

  // fcntl.h
  static final int F_DUPFD_CLOEXEC = 1030;

  // bits/socket.h, asm-generic/socket.h
  static final int AF_UNIX = 1;
  static final int SOCK_SEQPACKET = 5;
  static final int SOCK_CLOEXEC = 0x80000;
  static final int SOL_SOCKET = 1;
  static final int SO_RCVTIMEO = 20;
  static final int SO_SNDTIMEO = 21;
  static final int SCM_RIGHTS = 1;
  static final int MSG_CTRUNC = 8;
  static final int MSG_TRUNC = 0x20;
  static final int MSG_NOSIGNAL = 0x4000;
  static final int MSG_CMSG_CLOEXEC = 0x40000000;

  // bits/dlfcn.h
  static final int RTLD_LAZY = 1;

  private LinuxAbi() {}

  /** Returns why the constants above are not valid here; empty on Linux on x86-64 and aarch64. */
  static Optional<String> absence() {
    String system = System.getProperty("os.name", "");
    String processor = System.getProperty("os.arch", "");
    boolean known = processor.equals("amd64") || processor.equals("x86_64") || isAarch64();
    return system.equals("Linux") && known
        ? Optional.empty()
        : Optional.of(
            "shared memory is supported on Linux on x86-64 and aarch64 only, but this is %s on %s"
                .formatted(system, processor));
  }

  private static boolean isAarch64() {
    return System.getProperty("os.arch", "").equals("aarch64");
  }
}
