// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Bindings to C. This is the only package that uses the linker and restricted methods; the compiler
 * enforces it, since {@code @SuppressWarnings("restricted")} is allowed nowhere else.
 *
 * <p>A {@link NativeLibrary} (found, or absent with a reason) provides {@link NativeFunction}s
 * (bound, or missing with a reason). {@link Libc} and {@link LibcSockets} bind the C library and do
 * nothing else; {@link NativeFile}, {@link MappedFile}, {@link FileStatus}, {@link Descriptor} and
 * {@link UnixSocket} are built on them. {@link SystemCall} turns their failures into {@link
 * NativeCallException}s.
 */
package io.symshuffle.ffi;
