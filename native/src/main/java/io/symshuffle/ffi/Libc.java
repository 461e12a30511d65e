// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.MemorySegment;

/**
 * The functions of the C library that SymShuffle calls, with their prototypes from glibc 2.36 on
 * Linux; musl has the same. Addresses of mappings are {@code long}. Constants are in {@link
 * LinuxAbi}.
 */
interface Libc {
  /** The C library of this process. */
  Libc C = NativeInterface.bind(NativeLibrary.ofProcess(), Libc.class).calls();

  // ---- files

  // fcntl.h: int open(const char *pathname, int flags, ... /* mode_t mode */);
  @SetsErrno(fixedParameters = 2)
  int open(MemorySegment errno, MemorySegment path, int flags, int mode);

  // unistd.h: int close(int fd);
  @SetsErrno
  int close(MemorySegment errno, int fd);

  // unistd.h: ssize_t pread(int fd, void *buf, size_t count, off_t offset);
  @SetsErrno
  long pread(MemorySegment errno, int fd, MemorySegment to, long count, long offset);

  // unistd.h: ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset);
  @SetsErrno
  long pwrite(MemorySegment errno, int fd, MemorySegment from, long count, long offset);

  // unistd.h: int ftruncate(int fd, off_t length);
  @SetsErrno
  int ftruncate(MemorySegment errno, int fd, long length);

  // fcntl.h: int fallocate(int fd, int mode, off_t offset, off_t len);
  @SetsErrno
  int fallocate(MemorySegment errno, int fd, int mode, long offset, long length);

  // sys/file.h: int flock(int fd, int operation);
  @SetsErrno
  int flock(MemorySegment errno, int fd, int operation);

  // sys/ioctl.h: int ioctl(int fd, unsigned long request, ...);
  @SetsErrno(fixedParameters = 2)
  int ioctl(MemorySegment errno, int fd, long request, MemorySegment argument);

  // fcntl.h: int fcntl(int fd, int op, ... /* arg */);
  @SetsErrno(fixedParameters = 2)
  int fcntl(MemorySegment errno, int fd, int operation, int argument);

  // ---- mappings

  // sys/mman.h: void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
  @SetsErrno
  long mmap(
      MemorySegment errno, long address, long length, int prot, int flags, int fd, long offset);

  // sys/mman.h: int munmap(void *addr, size_t length);
  @SetsErrno
  int munmap(MemorySegment errno, long address, long length);

  // sys/mman.h: int madvise(void *addr, size_t length, int advice);
  @SetsErrno
  int madvise(MemorySegment errno, long address, long length, int advice);

  // ---- sockets; Java's own Unix sockets cannot pass descriptors

  // sys/socket.h: int socket(int domain, int type, int protocol);
  @SetsErrno
  int socket(MemorySegment errno, int domain, int type, int protocol);

  // sys/socket.h: int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen);
  @SetsErrno
  int bind(MemorySegment errno, int fd, MemorySegment address, int length);

  // sys/socket.h: int listen(int sockfd, int backlog);
  @SetsErrno
  int listen(MemorySegment errno, int fd, int backlog);

  // sys/socket.h: int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags);
  @SetsErrno
  int accept4(MemorySegment errno, int fd, long address, long length, int flags);

  // sys/socket.h: int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen);
  @SetsErrno
  int connect(MemorySegment errno, int fd, MemorySegment address, int length);

  // sys/socket.h: int setsockopt(int sockfd, int level, int optname, const void *optval,
  //                              socklen_t optlen);
  @SetsErrno
  int setsockopt(
      MemorySegment errno, int fd, int level, int option, MemorySegment value, int length);

  // sys/socket.h: ssize_t sendmsg(int sockfd, const struct msghdr *msg, int flags);
  @SetsErrno
  long sendmsg(MemorySegment errno, int fd, MemorySegment message, int flags);

  // sys/socket.h: ssize_t recvmsg(int sockfd, struct msghdr *msg, int flags);
  @SetsErrno
  long recvmsg(MemorySegment errno, int fd, MemorySegment message, int flags);

  // ---- the process

  // unistd.h: uid_t geteuid(void); never fails
  int geteuid();

  // stdlib.h: char *getenv(const char *name);
  long getenv(MemorySegment name);

  // stdlib.h: int setenv(const char *name, const char *value, int overwrite);
  int setenv(MemorySegment name, MemorySegment value, int overwrite);

  // dlfcn.h: void *dlopen(const char *filename, int flags);
  long dlopen(MemorySegment name, int flags);

  // dlfcn.h: char *dlerror(void);
  long dlerror();
}
