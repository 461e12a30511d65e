// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Compression of blocks that are sent to other hosts. A block is cut into packets. In each packet
 * the bytes of rows are transposed, so that the n-th bytes of a column are adjacent, and then
 * compressed with LZ4 or zstd from the libraries that Spark ships.
 *
 * <p>{@link io.symshuffle.shuffle.compress.BlockCompressor} writes packets and {@link
 * io.symshuffle.shuffle.compress.BlockDecompressor} reads them. {@link
 * io.symshuffle.shuffle.layout.PacketDescriptor} describes their bytes.
 */
package io.symshuffle.shuffle.compress;
