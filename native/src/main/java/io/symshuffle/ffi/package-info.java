// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Bindings to C. This is the only package that uses the linker and restricted methods; the compiler
 * enforces it, since {@code @SuppressWarnings("restricted")} is allowed nowhere else.
 *
 * <p>A {@link NativeLibrary} (found, or absent with a reason) provides {@link NativeFunction}s
 * (bound, or missing with a reason). {@link Libc} binds the C library and does nothing else; {@link
 * NativeFile}, {@link MappedFile} and {@link FileStatus} are built on it. {@link SystemCall} turns
 * its failures into {@link NativeCallException}s.
 */
package io.symshuffle.ffi;
