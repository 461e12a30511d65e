// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import java.nio.ByteBuffer;

/**
 * The checksum of a TCP segment in a VXLAN packet. The kernel leaves it to the network device, and
 * there is none. Drawn in RFC 7348 (VXLAN), RFC 791 (IPv4) and RFC 9293 (TCP).
 */
final class TcpChecksum {
  private static final int ETHER_TYPE = 8 + 12;
  private static final int IP = ETHER_TYPE + 2;
  private static final int IPV4 = 0x0800;
  private static final int TCP = 6;
  private static final int IP_LENGTH = IP + 2;
  private static final int IP_PROTOCOL = IP + 9;
  private static final int IP_ADDRESSES = IP + 12;
  private static final int MIN_BYTES = IP + 20;
  private static final int CHECKSUM = 16;

  private TcpChecksum() {}

  /** Sets the checksum, if the packet contains a TCP segment over IPv4. */
  static void set(byte[] packet) {
    ByteBuffer fields = ByteBuffer.wrap(packet);
    if (packet.length < MIN_BYTES
        || fields.getShort(ETHER_TYPE) != IPV4
        || fields.get(IP_PROTOCOL) != TCP) {
      return;
    }
    int start = IP + (fields.get(IP) & 0xf) * 4;
    int end = IP + (fields.getShort(IP_LENGTH) & 0xffff);
    fields.putShort(start + CHECKSUM, (short) 0);
    long sum = TCP + end - start + words(fields, IP_ADDRESSES, IP_ADDRESSES + 8);
    sum += words(fields, start, end);
    while (sum > 0xffff) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    fields.putShort(start + CHECKSUM, (short) ~sum);
  }

  private static long words(ByteBuffer bytes, int start, int end) {
    long sum = 0;
    for (int i = start; i + 1 < end; i += 2) {
      sum += bytes.getShort(i) & 0xffff;
    }
    return (end - start) % 2 == 0 ? sum : sum + ((bytes.get(end - 1) & 0xff) << 8);
  }
}
