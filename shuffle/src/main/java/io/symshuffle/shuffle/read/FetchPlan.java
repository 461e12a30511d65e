// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a reduce task asks executors on other hosts for. It asks each of them once for its
 * partitions of all map outputs, unless they are large: then it asks for some of them at a time, so
 * that neither side needs memory for all.
 *
 * <p>Spark's tracker estimates sizes, and may know only an average. So each request limits its
 * answer, and Spark's fetcher, which limits what is in flight, gets these limits. What an answer
 * leaves out is asked for again, when its size is known.
 *
 * @param request what the task reads
 * @param requests for Spark's fetcher, by address: a block id with the code of a range of map
 *     tasks, the most bytes that the answer can have, and the index of one of the map tasks
 * @param asked what each of these block ids asks for, by the code
 */
record FetchPlan(
    ReadRequest request,
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> requests,
    Map<Long, OutputRequest> asked) {
  /** Size of the data in an answer, in bytes; more only if a single map output is larger. */
  static final long ANSWER_BYTES = 4L << 20;

  /** Most map outputs in an answer. */
  static final int MAX_OUTPUTS = 4096;

  /** How much larger than its estimate an answer may be. */
  private static final double MARGIN = 1.5;

  /**
   * Plans the first requests of a reduce task, by the sizes that Spark's tracker has.
   *
   * @param remote the map outputs that it fetches
   * @param ratio bytes of data for each byte that Spark's tracker has
   * @param all the ids of all map tasks with data for the task's partitions that an executor
   *     answers, also those that the task does not read: ranges leave them out
   */
  static FetchPlan of(
      ReadRequest request,
      List<RemoteOutputs> remote,
      double ratio,
      Function<Server, NavigableSet<Long>> all) {
    return of(request, remote, ratio, MARGIN, all);
  }

  /**
   * Plans the requests for map outputs that answers have left out.
   *
   * @param leftOut these map outputs, with the sizes that the answers told
   * @param all as above
   */
  static FetchPlan ofLeftOut(
      ReadRequest request, List<RemoteOutputs> leftOut, Function<Server, NavigableSet<Long>> all) {
    return of(request, leftOut, 1, 1, all);
  }

  private static FetchPlan of(
      ReadRequest request,
      List<RemoteOutputs> remote,
      double ratio,
      double margin,
      Function<Server, NavigableSet<Long>> all) {
    FetchPlan plan = new FetchPlan(request, new ArrayList<>(), new HashMap<>());
    for (RemoteOutputs ofServer : remote) {
      Server server = ofServer.server();
      List<Tuple3<BlockId, Object, Object>> blocks = new ArrayList<>();
      for (Group group : groups(ofServer, ratio, all.apply(server))) {
        OutputRequest asked = group.asked(server);
        long limit = AnswerLimit.atLeast((long) (group.bytes * margin));
        long code = asked.range().code(server.ofHost(), limit);
        plan.asked.put(code, asked);
        blocks.add(
            new Tuple3<>(
                new ShuffleBlockBatchId(
                    request.shuffleId(), code, request.startPartition(), request.endPartition()),
                limit + AnswerDescriptor.bytes(0, group.maps.size()),
                asked.first().mapIndex()));
      }
      plan.requests.add(
          new Tuple2<>(server.address(), CollectionConverters.asScala(blocks).toSeq()));
    }
    return plan;
  }

  /**
   * The requests, sent to others than planned.
   *
   * @param living whom to ask instead of the executor of one of its requests
   */
  List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> requests(
      Function<OutputRequest, BlockManagerId> living) {
    return requests.stream()
        .map(
            ofServer -> {
              long code = ((ShuffleBlockBatchId) ofServer._2().head()._1()).mapId();
              return new Tuple2<>(living.apply(asked.get(code)), ofServer._2());
            })
        .toList();
  }

  /** Map outputs of one answer. */
  private static final class Group {
    private final List<MapSource> maps = new ArrayList<>();
    private long bytes;

    /** Whether another map output, the next one by id, belongs to the same answer. */
    boolean accepts(MapSource next, long nextBytes, NavigableSet<Long> all) {
      if (maps.isEmpty()) {
        return true;
      }
      long last = maps.getLast().mapId();
      Long following = all.higher(last);
      return bytes + nextBytes <= ANSWER_BYTES
          && maps.size() < MAX_OUTPUTS
          && next.mapId() - maps.getFirst().mapId() <= MapIdRange.MAX_SPAN
          && (following == null || following >= next.mapId());
    }

    void add(MapSource map, long mapBytes) {
      maps.add(map);
      bytes += mapBytes;
    }

    OutputRequest asked(Server server) {
      return new OutputRequest(
          server,
          new MapIdRange(maps.getFirst().mapId(), maps.getLast().mapId()),
          maps.stream().collect(Collectors.toMap(MapSource::mapId, map -> map)));
    }
  }

  private static List<Group> groups(RemoteOutputs ofServer, double ratio, NavigableSet<Long> all) {
    List<RemoteOutputs.Sized> ascending = new ArrayList<>(ofServer.maps());
    ascending.sort(Comparator.comparingLong(sized -> sized.map().mapId()));
    List<Group> groups = new ArrayList<>();
    for (RemoteOutputs.Sized sized : ascending) {
      long bytes = Math.max(1, (long) (sized.bytes() * ratio));
      if (groups.isEmpty() || !groups.getLast().accepts(sized.map(), bytes, all)) {
        groups.add(new Group());
      }
      groups.getLast().add(sized.map(), bytes);
    }
    return groups;
  }
}
