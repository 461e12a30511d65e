// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * How we bind C: the only package that uses the linker and restricted methods, so that the compiler
 * watches this boundary ({@code @SuppressWarnings("restricted")} is allowed nowhere else).
 *
 * <p>The way in: {@link NativeLibrary} (found, or absent with a reason) gives {@link
 * NativeFunction}s (bound, or missing with a reason). {@link Libc} binds the C library and does
 * nothing else; {@link NativeFile}, {@link MappedFile} and {@link FileStatus} make sense of it. A
 * failed call becomes a {@link NativeCallException}, made in {@link SystemCall} alone.
 */
package io.symshuffle.ffi;
