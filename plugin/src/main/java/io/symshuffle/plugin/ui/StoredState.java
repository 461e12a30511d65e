// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.spark.util.kvstore.KVIndex;
import org.apache.spark.util.kvstore.KVStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the History Server stores of an application, on disk if so configured: the page's content as
 * JSON, written once when the event log has been replayed.
 */
public final class StoredState {
  private static final Logger LOG = LoggerFactory.getLogger(StoredState.class);
  private static final String ID = "symshuffle";
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

  /** The only key. */
  @KVIndex public String id = ID;

  /** A {@link Snapshot}. */
  public String json = "";

  static void write(Snapshot snapshot, KVStore store) {
    try {
      StoredState state = new StoredState();
      state.json = JSON.writeValueAsString(snapshot);
      store.write(state);
    } catch (Exception e) {
      LOG.warn("SymShuffle's page cannot be stored", e);
    }
  }

  static Optional<Snapshot> read(KVStore store) {
    try {
      return Optional.of(JSON.readValue(store.read(StoredState.class, ID).json, Snapshot.class));
    } catch (NoSuchElementException e) {
      // An application without SymShuffle.
      return Optional.empty();
    } catch (Exception e) {
      LOG.warn("SymShuffle's page cannot be read", e);
      return Optional.empty();
    }
  }
}
