// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Delays and drops the packets between hosts, also on kernels without {@code sch_netem}. The
 * addresses of the hosts move to VXLAN devices, which send each Ethernet frame in a UDP packet to
 * this JVM. It passes them on to the other hosts, late or not at all. So the TCP of the kernel sees
 * a real delay and real losses, one packet at a time and in order.
 */
final class BadLinks implements AutoCloseable {
  private static final int PORT = 4789;
  private static final int MAX_PACKET_BYTES = 64 << 10;

  /** By how much the last number of a host's address for UDP is higher than that of the host. */
  private static final int BELOW = 100;

  private final List<InetSocketAddress> below;
  private final long delayNanos;
  private final double loss;
  private final DatagramChannel channel;
  private final BlockingQueue<Packet> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong passed = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final Thread receiver;
  private final Thread sender;

  private record Packet(long due, SocketAddress from, byte[] bytes) {}

  /** Returns why this machine cannot have such links; empty if it can. */
  public static Optional<String> obstacle() {
    ChildProcess.Result result =
        ChildProcess.of(
                "sh",
                "-c",
                "ip link add symp$$ type vxlan id 1 remote 127.0.0.1 dstport 4789 dev lo"
                    + " && ip link del symp$$")
            .run(Await.LIMIT);
    return result.status() == 0
        ? Optional.empty()
        : Optional.of("the kernel has no VXLAN: " + result.output().strip());
  }

  /**
   * Puts itself between hosts whose links have no other shape. Connections between them must be
   * opened later.
   *
   * @param delay of each packet
   * @param loss the share of packets that are dropped, from 0 to 1
   * @param seed decides which ones
   */
  public static BadLinks between(Hosts hosts, Duration delay, double loss, long seed) {
    try {
      return new BadLinks(hosts, delay, loss, new SplittableRandom(seed));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BadLinks(Hosts hosts, Duration delay, double loss, SplittableRandom random)
      throws IOException {
    this.delayNanos = delay.toNanos();
    this.loss = loss;
    this.below =
        IntStream.range(0, hosts.count())
            .mapToObj(host -> new InetSocketAddress(below(hosts.address(host)), PORT))
            .toList();
    this.channel = DatagramChannel.open().bind(new InetSocketAddress(hosts.outside(), PORT));
    this.receiver = Thread.ofPlatform().daemon().start(() -> receive(random));
    this.sender = Thread.ofPlatform().daemon().start(this::send);
    for (int host = 0; host < hosts.count(); host++) {
      ChildProcess.Result moved =
          ChildProcess.of(
                  hosts.on(host, List.of("sh", "-ec", move(hosts.address(host), hosts.outside()))))
              .run(Await.LIMIT);
      if (moved.status() != 0) {
        close();
        throw new IllegalStateException("host " + host + ": " + moved.output());
      }
    }
  }

  private static String below(String address) {
    int dot = address.lastIndexOf('.') + 1;
    return address.substring(0, dot) + (Integer.parseInt(address.substring(dot)) + BELOW);
  }

  /** The script that moves a host's address; one TCP segment per packet. */
  private static String move(String address, String outside) {
    return """
    ip addr flush dev eth0
    ip addr add %2$s/32 dev eth0
    ip route add %3$s/32 dev eth0
    ip link add vxlan0 type vxlan id 1 local %2$s remote %3$s dstport %4$d dev eth0
    ip link set vxlan0 gso_max_segs 1 up
    ip addr add %1$s/24 dev vxlan0
    """
        .formatted(address, below(address), outside, PORT);
  }

  private void receive(SplittableRandom random) {
    ByteBuffer buffer = ByteBuffer.allocate(MAX_PACKET_BYTES);
    try {
      while (true) {
        SocketAddress from = channel.receive(buffer.clear());
        if (random.nextDouble() < loss) {
          dropped.incrementAndGet();
          continue;
        }
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        TcpChecksum.set(bytes);
        waiting.add(new Packet(System.nanoTime() + delayNanos, from, bytes));
      }
    } catch (AsynchronousCloseException e) {
      // The end.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void send() {
    try {
      while (true) {
        Packet packet = waiting.take();
        TimeUnit.NANOSECONDS.sleep(packet.due() - System.nanoTime());
        passed.incrementAndGet();
        for (InetSocketAddress host : below) {
          if (!host.getAddress().equals(((InetSocketAddress) packet.from()).getAddress())) {
            channel.send(ByteBuffer.wrap(packet.bytes()), host);
          }
        }
      }
    } catch (InterruptedException | AsynchronousCloseException e) {
      // The end.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the number of packets that were passed on so far. */
  public long passed() {
    return passed.get();
  }

  /** Returns the number of packets that were dropped so far. */
  public long dropped() {
    return dropped.get();
  }

  /** Stops passing on packets. */
  @Override
  public void close() {
    sender.interrupt();
    try {
      channel.close();
      receiver.join(Await.LIMIT);
      sender.join(Await.LIMIT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
