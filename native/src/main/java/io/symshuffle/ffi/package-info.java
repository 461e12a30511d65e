// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Bindings to C. This is the only package that uses the linker and restricted methods; the compiler
 * enforces it, since {@code @SuppressWarnings("restricted")} is allowed nowhere else.
 *
 * <p>A {@link NativeInterface} calls the functions of a {@link NativeLibrary}, both of which may be
 * missing with a reason. {@link Libc} binds the C library and does nothing else; {@link
 * NativeFile}, {@link MappedFile}, {@link FileStatus}, {@link Descriptor} and {@link UnixSocket}
 * are built on it. {@link SystemCall} turns their failures into {@link NativeCallException}s.
 */
package io.symshuffle.ffi;
