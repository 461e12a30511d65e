/*
 * Copyright 2026 SymShuffle developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * How map outputs in the host heap are published, found, read and freed by executors (PEs) of one host, which start and
 * die at any step. docs/models/README.md explains how to read and run it. One shuffle runs twice under the same id: its
 * first run has map task 1, its second one map task 2. Each step models the Java method that its comment names; what a
 * comment does not name belongs to Spark, Linux or the checks.
 *
 * With -D and one of the names below, a step is wrong, and SPIN must find the consequence:
 *
 *   LEASE_AFTER_LOOKUP   ReduceTaskReader.read        looks map outputs up, then acquires its lease
 *   LEASE_STORED_LATE    LeaseTable.add               stores the lease without a fence
 *   HIDDEN_BEFORE_ERASED MapOutputStore.hide          lists a map output as hidden, then erases its entry
 *   LEASES_READ_FIRST    MapOutputStore.reclaim       reads leases, then looks which map outputs are hidden
 *   HIDDEN_NOT_COMPARED  MapOutputStore.reclaim       frees what was hidden after it has read leases
 *   NO_VERSION           DirectoryEntryDescriptor.next keeps the version of an entry
 *   STATE_BEFORE_FIELDS  Directory.publish            says PUBLISHED, then writes the fields
 *   NO_SECOND_LOOK       ControlView.find             trusts the fields without comparing the state again
 *   CACHED_FOR_EVER      MapOutputs.find              uses a cached index without isCurrent
 *   CHAIN_CUT            Directory.shortenChain       empties an entry in the middle of a chain
 *   COMMITS_AFTER_END    MapOutputStore.publish       publishes though endWriting says that the shuffle has ended
 *   STARTS_AFTER_END     MapOutputStore.begin         starts a map task whose shuffle has ended
 *   ENDS_LATER_RUNS      MapOutputStore.hide          does not compare map tasks with the last one
 *   RELEASE_AFTER_FREE   SlabAllocator.release        releases memory that it can already allocate again
 *   DEAD_ARE_LEASED      HostPeMonitor.leasedShuffles counts the leases of dead PEs
 *   REAPER_IGNORES_LEASES OrphanHeapReaper.reap       frees what it has erased at once
 *   LISTED_AFTER_LEASES  OrphanHeapReaper.reap        reads leases, then lists what is published
 *   REAPER_IS_DONE       OrphanHeapReaper.reap        keeps its progress when entries were erased
 *   NEW_PE_NOT_TOLD      MembershipPusher             does not tell a new executor which shuffles have ended
 */

#define PES 3
#define SLABS 2
#define ENTRIES 2

/* How much happens in one execution: deaths, reduce tasks, rounds of the reclaimers before everything is at rest. */
#ifndef TASKS
#define TASKS 2
#endif
/* PEs with this number or a higher one start at any time; the others are there from the beginning. */
#ifndef LATE
#define LATE 2
#endif
/* Only this PE starts at any time. */
#ifdef ONLY_LATE
#define isLate(p) ((p) == ONLY_LATE)
#else
#define isLate(p) ((p) >= LATE)
#endif
/* -DONLY_KILLED=0: only this PE is killed. */
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef READS
#define READS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

/* DirectoryEntryDescriptor: the state in the lower two bits of a word, and the version above it. */
#define EMPTY 0
#define BUSY 1
#define PUBLISHED 2
#define ERASED 3
#define state(word) ((word) & 3)
#ifdef NO_VERSION
#define next(word, to) (to)
#else
#define next(word, to) ((((word) >> 2) + 1) << 2 | (to))
#endif

#define bit(n) (1 << (n))
#define has(set, n) (((set) & bit(n)) != 0)
/* The map tasks up to one, as a set. */
#define upTo(last) (bit((last) + 1) - 1)

/* The heap file of a PE, which other PEs map. It outlives the PE. */
typedef Window {
  byte word[ENTRIES];
  byte id[ENTRIES];
  byte slab[ENTRIES];
  byte leases;
  /* Which map task's bytes are in a slab; 0: none, its pages are released. */
  byte memory[SLABS]
}

/* What only the PE's own threads know. */
typedef Process {
  /* Monitors of MapOutputStore (with that of Directory) and LeaseTable. */
  bool storeLocked;
  bool leasesLocked;
  /* MapOutputStore, EndedShuffles: sets of map tasks, and the last task of the run that has ended. */
  byte ended;
  byte writing;
  byte published;
  byte hiddenMaps;
  /* SlabAllocator: which slabs are allocated, and for whom. */
  byte used;
  byte slabOf[TASKS + 1];
  /* HostHeap: whose windows are mapped; HostPeMonitor: who is known to be dead. */
  byte mapped;
  byte dead;
  /* OrphanHeapReaper.progress: of whom everything is freed that was erased, and which entries were published then. */
  byte reaped;
  byte kept[PES];
  /* MapOutputs: the index that was found last. */
  byte cachedTask;
  byte cachedSlot;
  byte cachedWord;
  byte cachedSlab;
#ifdef LEASE_STORED_LATE
  bool unstored;
#endif
}

Window window[PES];
Process pe[PES];

/* The file exists; its PE has locked it; it has a header and an empty directory. */
bool listed[PES];
bool locked[PES];
bool created[PES];
bool dead[PES];
byte deaths;

/* The driver: the last task of the run that has ended, whom it has still to tell, and Spark's map output tracker. */
byte ended;
byte untold;
byte registered;
byte startedMaps;
byte committed;
byte owner[TASKS + 1];
byte reads;

/* Tokens for rounds after everything else has come to rest. */
byte rounds;
bool atRest;
byte finalRounds[PES];

/* Directory.erase and shortenChain, by the owner. */
inline eraseEntry(p, k) {
  d_step {
    slot = 0;
    do
    :: slot < ENTRIES && !(state(window[p].word[slot]) == PUBLISHED && window[p].id[slot] == k) -> slot++
    :: else -> break
    od;
    assert(slot < ENTRIES);
    window[p].word[slot] = next(window[p].word[slot], ERASED)
  }
  /* Erased entries at the end of the chain become empty, the last one first. */
#ifdef CHAIN_CUT
  d_step { window[p].word[slot] = next(window[p].word[slot], EMPTY) }
#else
  d_step {
    slot = ENTRIES;
    do
    :: slot > 0 && state(window[p].word[slot - 1]) == ERASED ->
      slot--;
      window[p].word[slot] = next(window[p].word[slot], EMPTY)
    :: slot > 0 && state(window[p].word[slot - 1]) == EMPTY -> slot--
    :: else -> break
    od;
    slot = 0 }
#endif
}

/* MapOutputStore.end: a message of the driver. One is handled at a time; those of several PEs are independent. */
proctype Messages() {
  byte p, k, hiding, last, slot;
end:
  do
  :: atomic {
      if
      :: has(untold, 0) -> p = 0
      :: has(untold, 1) -> p = 1
      :: has(untold, 2) -> p = 2
      fi;
      untold = untold & ~bit(p);
      last = ended }
    {
      atomic { !pe[p].storeLocked && !dead[p] ->
        pe[p].ended = last;
#ifdef ENDS_LATER_RUNS
        hiding = pe[p].published;
        pe[p].writing = 0;
#else
        hiding = pe[p].published & upTo(last);
        pe[p].writing = pe[p].writing & ~upTo(last);
#endif
        pe[p].published = pe[p].published & ~hiding;
        if
        :: hiding == 0 -> k = TASKS + 1
        :: else ->
          k = 1;
#ifdef HIDDEN_BEFORE_ERASED
          pe[p].hiddenMaps = pe[p].hiddenMaps | hiding
#else
          pe[p].storeLocked = true
#endif
        fi }
      do
      :: k <= TASKS && has(hiding, k) -> eraseEntry(p, k); k++
      :: k <= TASKS && !has(hiding, k) -> k++
      :: atomic { k > TASKS && hiding != 0 ->
#ifndef HIDDEN_BEFORE_ERASED
          pe[p].hiddenMaps = pe[p].hiddenMaps | hiding;
          pe[p].storeLocked = false;
#endif
          hiding = 0 }
      :: k > TASKS && hiding == 0 -> break
      od
    } unless { dead[p] };
    atomic { last = 0; hiding = 0; p = 0; k = 0; slot = 0 }
  od
}

/* MembershipPusher.ended: each run ends at some time, also while tasks of it run: a job may be canceled. */
proctype Driver() {
  do
  :: d_step { ended < TASKS ->
      ended++;
      /* PE 1 has no map outputs and needs it only as a reaper: at once. */
      untold = registered & ~bit(1);
      pe[1].ended = (has(registered, 1) -> ended : 0)
    }
  :: ended == TASKS -> break
  od
}

/* The writer of one map task: MapOutputStore.buildRows to MapOutputBuilder.commit. */
inline mapTask(p) {
  /* MapOutputStore.begin */
  atomic { !pe[p].storeLocked ->
    if
#ifndef STARTS_AFTER_END
    :: k <= pe[p].ended -> k = 0
#endif
    :: else -> pe[p].writing = pe[p].writing | bit(k)
    fi }
  if
  :: k == 0 -> skip
  :: else ->
    /* SlabAllocator.allocate, and the task's bytes; without memory the run goes to disk, which is not modeled. */
    d_step {
      slab = 0;
      do
      :: slab < SLABS && has(pe[p].used, slab) -> slab++
      :: else -> break
      od;
      if
      :: slab < SLABS ->
        pe[p].used = pe[p].used | bit(slab);
        pe[p].slabOf[k] = slab;
        window[p].memory[slab] = k
      :: else -> skip
      fi }
    if
    :: slab == SLABS -> atomic { !pe[p].storeLocked -> pe[p].writing = pe[p].writing & ~bit(k) }
    :: else ->
      /* MapOutputStore.publish: endWriting; Directory.publish: claim, and the state BUSY */
      atomic { !pe[p].storeLocked ->
        if
#ifndef COMMITS_AFTER_END
        :: !has(pe[p].writing, k) -> k = 0
#endif
        :: else ->
          pe[p].writing = pe[p].writing & ~bit(k);
          pe[p].storeLocked = true;
          slot = 0;
          do
          :: slot < ENTRIES && state(window[p].word[slot]) == PUBLISHED -> slot++
          :: else -> break
          od;
          assert(slot < ENTRIES);
          window[p].word[slot] = next(window[p].word[slot], BUSY)
        fi }
      if
      :: k == 0 ->
        /* MapOutputBuilder.abort */
        d_step { window[p].memory[slab] = 0; pe[p].used = pe[p].used & ~bit(slab) }
      :: else ->
#ifdef STATE_BEFORE_FIELDS
        d_step { window[p].word[slot] = window[p].word[slot] - BUSY + PUBLISHED }
#endif
        d_step { window[p].id[slot] = k }
        d_step { window[p].slab[slot] = slab }
        d_step {
#ifndef STATE_BEFORE_FIELDS
          window[p].word[slot] = window[p].word[slot] - BUSY + PUBLISHED;
#endif
          pe[p].published = pe[p].published | bit(k);
          pe[p].storeLocked = false }
        /* Spark's driver registers the map output. */
        d_step { owner[k] = p; committed = committed | bit(k) }
      fi
    fi
  fi
}

/* LeaseTable.add */
inline acquire(p) {
#ifdef LEASE_STORED_LATE
  atomic { !pe[p].leasesLocked -> pe[p].unstored = true }
#else
  atomic { !pe[p].leasesLocked -> window[p].leases++ }
#endif
}

inline release(p) {
#ifdef LEASE_STORED_LATE
  atomic { !pe[p].leasesLocked ->
    if
    :: pe[p].unstored -> pe[p].unstored = false
    :: else -> window[p].leases--
    fi }
#else
  atomic { !pe[p].leasesLocked -> window[p].leases-- }
#endif
}

#ifdef CACHED_FOR_EVER
#define isCurrent(o, p) true
#else
#define isCurrent(o, p) (window[o].word[pe[p].cachedSlot] == pe[p].cachedWord)
#endif

/* A reduce task that reads map output k of PE o in place: ReduceTaskReader.read. */
inline reduceTask(p) {
#ifndef LEASE_AFTER_LOOKUP
  acquire(p);
#endif
  /* HostHeap.peer */
  d_step {
    found = false;
    slot = ENTRIES;
    if
    :: o == p || has(pe[p].mapped, o) -> slot = 0
    :: else ->
      if
      :: listed[o] && created[o] -> pe[p].mapped = pe[p].mapped | bit(o); slot = 0
      :: else -> skip
      fi
    fi }
  /* MapOutputs.find, ControlView.isCurrent */
  d_step {
    if
    :: slot == 0 && pe[p].cachedTask == k && isCurrent(o, p) ->
      slab = pe[p].cachedSlab; found = true; slot = ENTRIES
    :: else -> skip
    fi }
  /* ControlView.find */
  do
  :: slot == ENTRIES -> break
  :: slot < ENTRIES ->
    d_step { assert(o == p || has(pe[p].mapped, o)); word = window[o].word[slot] }
    if
    :: state(word) == EMPTY -> slot = ENTRIES
    :: state(word) == PUBLISHED ->
      if
      :: window[o].id[slot] == k ->
        d_step { slab = window[o].slab[slot] }
#ifdef NO_SECOND_LOOK
        found = true
#else
        d_step { found = (window[o].word[slot] == word) }
#endif
        if
        :: found ->
          d_step {
            pe[p].cachedTask = k;
            pe[p].cachedSlot = slot;
            pe[p].cachedWord = word;
            pe[p].cachedSlab = slab;
            slot = ENTRIES }
        :: else -> skip
        fi
      :: else -> slot++
      fi
    :: else -> slot++
    fi
  od;
#ifdef LEASE_AFTER_LOOKUP
  acquire(p);
#endif
  if
  :: found ->
    /* HostCursor: rows are read in place. */
    d_step {
      assert(o == p || has(pe[p].mapped, o));
      assert(window[o].memory[slab] == k) }
  :: else ->
    /* A map output that Spark knows is there until its shuffle has ended. */
    assert(ended >= k)
  fi;
  release(p)
}

/* An executor: it opens its heap, then runs tasks one after the other. */
proctype Executor(byte p) {
  byte k, o, slot, word, slab;
  bool found;
  {
    if
    :: !isLate(p) -> skip
    :: else ->
    /* HeapFile.create: the file, its lock, its header; ControlView.create */
    d_step { listed[p] = true }
    d_step { locked[p] = true }
    d_step { created[p] = true }
    /* ExecutorMembership: the driver pushes what the new executor has missed. */
    d_step {
      registered = registered | bit(p);
#ifndef NEW_PE_NOT_TOLD
      if
      :: ended > 0 -> pe[p].ended = ended
      :: else -> skip
      fi;
#endif
    }
    run Reclaimer(p)
    fi;
end:
    do
    :: atomic { p == 0 && startedMaps == 0 -> startedMaps++; k = 1 }
      mapTask(p);
      atomic { k = 0; slab = 0; slot = 0 }
    :: atomic { p != 0 && reads < READS && has(committed, 1) && ended < 1 -> reads++; k = 1; o = owner[1] }
      reduceTask(p);
      atomic { k = 0; o = 0; slab = 0; slot = 0; word = 0; found = false }
#if TASKS > 1
    :: atomic { (p == 0 || p == 2 && dead[0]) && startedMaps == 1 && ended >= 1 -> startedMaps++; k = 2 }
      mapTask(p);
      atomic { k = 0; slab = 0; slot = 0 }
    :: atomic { p != 0 && reads < READS && has(committed, 2) && ended < 2 -> reads++; k = 2; o = owner[2] }
      reduceTask(p);
      atomic { k = 0; o = 0; slab = 0; slot = 0; word = 0; found = false }
#endif
    od
  } unless { atomic { dead[p] -> k = 0; o = 0; slot = 0; word = 0; slab = 0; found = false } }
}

#ifdef READING
/* A reduce task on PE 2 in fewer steps. */
proctype Reading() {
  bool found;
  {
    acquire(2);
    d_step { found = (state(window[0].word[0]) == PUBLISHED) }
    d_step { assert(!found || window[0].memory[0] == 1); found = false }
    release(2)
  } unless { atomic { dead[2] -> found = false } }
}
#endif

/* HostPeMonitor.liveness for one PE: the header is written under the lock, so a file with a header and without a lock is
   of a dead PE. The Java code reads the header first; in one step it is the same. */
inline probe(p) {
  d_step {
    if
    :: q == p -> living = living | bit(q)
    :: q != p && !has(pe[p].dead, q) && locked[q] -> living = living | bit(q)
    :: q != p && !has(pe[p].dead, q) && !locked[q] && listed[q] && created[q] -> pe[p].dead = pe[p].dead | bit(q)
    :: else -> skip
    fi;
    /* HostPeMonitor.leasedShuffles, ControlView.addLeasedShuffles */
#ifdef DEAD_ARE_LEASED
    leased = leased || (created[q] && window[q].leases > 0);
#else
    leased = leased || (has(living, q) && created[q] && window[q].leases > 0);
#endif
    q++ }
}

/* HostPeMonitor.leasedShuffles: leases that are acquired meanwhile may be missing. */
inline leasedShuffles(p) {
  atomic { living = 0; leased = false; q = 0 }
  do
  :: q < PES -> probe(p)
  :: q == PES -> break
  od
}

/* MapOutputStore.reclaim */
inline reclaim(p) {
#ifdef LEASES_READ_FIRST
  leasedShuffles(p);
  atomic { !pe[p].storeLocked -> hiding = pe[p].hiddenMaps }
#else
  atomic { !pe[p].storeLocked -> hiding = pe[p].hiddenMaps }
  if
  :: hiding != 0 -> leasedShuffles(p)
  :: else -> leased = true
  fi;
#endif
  if
  :: !leased ->
    atomic { !pe[p].storeLocked ->
      if
#ifdef HIDDEN_NOT_COMPARED
      :: true -> hiding = pe[p].hiddenMaps; pe[p].hiddenMaps = 0
#else
      :: pe[p].hiddenMaps == hiding -> pe[p].hiddenMaps = 0
      :: else -> hiding = 0
#endif
      fi }
    k = 1;
    do
    :: k <= TASKS && has(hiding, k) ->
      /* HeapStorage.free, SlabAllocator.free and release: the range cannot be allocated meanwhile. */
#ifdef RELEASE_AFTER_FREE
      d_step { pe[p].used = pe[p].used & ~bit(pe[p].slabOf[k]); slab = pe[p].slabOf[k] }
      d_step { window[p].memory[slab] = 0; k++ }
#else
      d_step { window[p].memory[pe[p].slabOf[k]] = 0 }
      d_step { pe[p].used = pe[p].used & ~bit(pe[p].slabOf[k]); k++ }
#endif
    :: k <= TASKS && !has(hiding, k) -> k++
    :: k > TASKS -> break
    od
  :: else -> skip
  fi;
  atomic { hiding = 0; leased = false; living = 0; q = 0; k = 0; slab = 0 }
}

/* The entries of a dead PE that are published, as a set: OrphanDirectory.publishedEntries. */
inline listPublished(q) {
  d_step {
    entries = 0;
    k = 0;
    do
    :: k < ENTRIES ->
      if
      :: state(window[q].word[k]) == PUBLISHED -> entries = entries | bit(k)
      :: else -> skip
      fi;
      k++
    :: k == ENTRIES -> break
    od;
    k = 0 }
}

/* OrphanHeapReaper.reap for one dead PE d. HostHeap.checkDead: it refuses to change the heap of a PE that is alive. */
inline reapDead(p) {
  d_step {
    if
    :: !has(pe[p].mapped, d) && listed[d] -> pe[p].mapped = pe[p].mapped | bit(d)
    :: else -> skip
    fi }
  /* OrphanDirectory.erase */
  slot = 0;
  do
  :: slot < ENTRIES ->
    d_step {
      if
      :: !locked[d] && state(window[d].word[slot]) == PUBLISHED && window[d].id[slot] <= pe[p].ended ->
        window[d].word[slot] = next(window[d].word[slot], ERASED)
      :: else -> skip
      fi;
      slot++ }
  :: slot == ENTRIES -> break
  od;
  listPublished(d);
  if
#ifdef REAPER_IS_DONE
  :: has(pe[p].reaped, d) -> skip
#else
  :: has(pe[p].reaped, d) && pe[p].kept[d] == entries -> skip
#endif
  :: else ->
#ifndef REAPER_IGNORES_LEASES
    leasedShuffles(p);
#endif
    if
    :: leased -> skip
    :: else ->
#ifdef LISTED_AFTER_LEASES
      listPublished(d);
#endif
      /* free: HostHeap.unlink, or releaseDead of all that no published map output uses */
      d_step {
        if
        :: locked[d] -> skip
        :: !locked[d] && entries == 0 ->
          listed[d] = false;
          window[d].word[0] = 0;
          window[d].word[1] = 0;
          window[d].id[0] = 0;
          window[d].id[1] = 0;
          window[d].slab[0] = 0;
          window[d].slab[1] = 0;
          window[d].leases = 0;
          window[d].memory[0] = 0;
          window[d].memory[1] = 0;
          pe[p].dead = pe[p].dead & ~bit(d)
        :: else ->
          slab = 0;
          do
          :: slab < SLABS ->
            if
            :: (has(entries, 0) && window[d].slab[0] == slab) || (has(entries, 1) && window[d].slab[1] == slab) -> skip
            :: else -> window[d].memory[slab] = 0
            fi;
            slab++
          :: slab == SLABS -> break
          od
        fi;
        pe[p].reaped = pe[p].reaped | bit(d);
        pe[p].kept[d] = entries;
        slab = 0 }
    fi
  fi;
  atomic { entries = 0; slot = 0; k = 0; leased = false; living = 0; q = 0 }
}

/* OrphanHeapReaper.reap */
inline reap(p) {
  /* In one step, since a PE that is dead stays dead. */
  atomic { leasedShuffles(p) }
  /* unmapUnlinked, in LeaseTable.runWhileNoLeases */
  atomic {
    d = 0;
    gone = 0;
    do
    :: d < PES ->
      if
      :: has(pe[p].mapped, d) && !listed[d] && !has(living, d) -> gone = gone | bit(d)
      :: else -> skip
      fi;
      d++
    :: d == PES -> break
    od;
    d = 0 }
  if
  :: gone != 0 ->
    atomic { !pe[p].leasesLocked ->
      if
#ifdef LEASE_STORED_LATE
      :: window[p].leases == 0 && !pe[p].unstored -> skip
#else
      :: window[p].leases == 0 -> skip
#endif
      :: else -> gone = 0
      fi;
      pe[p].leasesLocked = true
    }
    d_step { pe[p].mapped = pe[p].mapped & ~gone; gone = 0 }
    d_step { pe[p].leasesLocked = false }
  :: else -> skip
  fi;
  /* The living PE with the lowest number is responsible. */
  if
  :: pe[p].dead != 0 && (living & (bit(p) - 1)) == 0 ->
    d = 0;
    do
    :: d < PES && has(pe[p].dead, d) -> reapDead(p); d++
    :: d < PES && !has(pe[p].dead, d) -> d++
    :: d == PES -> break
    od
  :: else -> d_step { pe[p].reaped = 0; pe[p].kept[0] = 0; pe[p].kept[1] = 0; pe[p].kept[2] = 0 }
  fi;
  atomic { d = 0; living = 0; q = 0 }
}

/* Otherwise a round changes nothing. */
#define isDead(q) (created[q] && !locked[q])
#define needsReaping (isDead(0) || isDead(1) || isDead(2))
#ifdef LEASES_READ_FIRST
#define needsReclaiming(p) true
#else
#define needsReclaiming(p) (pe[p].hiddenMaps != 0)
#endif

/* The reclaimer thread of ShuffleRuntime: reclaim and reapOrphans, at any time. */
proctype Reclaimer(byte p) {
  byte hiding, living, q, k, slab, d, slot, entries, gone;
  bool leased;
  {
end:
    do
    :: atomic { rounds < ROUNDS && needsReclaiming(p) && !atRest -> rounds++ }
      reclaim(p)
    :: atomic { rounds < ROUNDS && needsReaping && !atRest -> rounds++ }
      reap(p)
    :: atomic { finalRounds[p] > 0 ->
        finalRounds[p]--;
        reclaim(p);
        reap(p) }
    od
  } unless { atomic { dead[p] ->
      hiding = 0; living = 0; q = 0; k = 0; slab = 0; d = 0; slot = 0; entries = 0; gone = 0; leased = false
    } }
}

#ifdef LEASE_STORED_LATE
/* The processor's store buffer. */
proctype StoreBuffer(byte p) {
end:
  do
  :: atomic { pe[p].unstored -> pe[p].unstored = false; window[p].leases++ }
  od
}
#endif

/* kill -9 at any step, of all but one. What the process alone knew is gone. */
proctype Killer() {
  byte p;
end:
  do
  :: atomic { deaths < DEATHS && !atRest ->
#ifdef ONLY_KILLED
      p = ONLY_KILLED;
#else
      if :: p = 0 :: p = 1 :: p = 2 fi;
#endif
      if
      :: listed[p] && !dead[p] ->
        d_step {
          deaths++;
          dead[p] = true;
          locked[p] = false;
          untold = untold & ~bit(p);
          registered = registered & ~bit(p);
          pe[p].storeLocked = false;
          pe[p].leasesLocked = false;
          pe[p].ended = 0;
          pe[p].writing = 0;
          pe[p].published = 0;
          pe[p].hiddenMaps = 0;
          pe[p].used = 0;
          pe[p].mapped = 0;
          pe[p].dead = 0;
          pe[p].reaped = 0;
          pe[p].kept[0] = 0;
          pe[p].kept[1] = 0;
          pe[p].kept[2] = 0;
          pe[p].slabOf[1] = 0;
#if TASKS > 1
          pe[p].slabOf[2] = 0;
#endif
          pe[p].cachedTask = 0;
          pe[p].cachedSlot = 0;
          pe[p].cachedWord = 0;
          pe[p].cachedSlab = 0;
#ifdef LEASE_STORED_LATE
          pe[p].unstored = false;
#endif
        }
      :: else -> deaths++
      fi;
      p = 0 }
  od
}

/* When all runs have ended and nothing else happens, two rounds of the reclaimers free everything. */
proctype Rest() {
  byte p, round;
  timeout -> atRest = true;
  do
  :: round < 2 ->
    p = 0;
    do
    :: p < PES ->
      atomic { finalRounds[p] = (dead[p] -> 0 : 1) }
      timeout;
      p++
    :: p == PES -> break
    od;
    round++
  :: round == 2 -> break
  od;
  atomic {
    p = 0;
    do
    :: p < PES ->
      assert(window[p].memory[0] == 0 && window[p].memory[1] == 0);
      assert(dead[p] || (pe[p].hiddenMaps == 0 && pe[p].used == 0 && pe[p].writing == 0 && window[p].leases == 0));
      assert(!dead[p] || !created[p] || !listed[p]);
      p++
    :: p == PES -> break
    od }
}

init {
  atomic {
    byte p;
    do
    :: p < PES && isLate(p) -> p++
    :: p < PES && !isLate(p) ->
      listed[p] = true;
      locked[p] = true;
      created[p] = true;
      registered = registered | bit(p);
      run Reclaimer(p);
      p++
    :: p == PES -> break
    od;
    p = 0;
#ifdef OWNER_DEAD
    /* PE 0 has published map output 1, has left the bytes of an unfinished task, and is dead. */
    dead[0] = true;
    locked[0] = false;
    registered = registered & ~bit(0);
    window[0].word[0] = next(0, PUBLISHED);
    window[0].id[0] = 1;
    window[0].memory[0] = 1;
    window[0].memory[1] = 2;
    startedMaps = 1;
    owner[1] = 0;
    committed = bit(1);
#endif
#ifdef READING
    pe[2].mapped = bit(0);
    run Reading();
#endif
    run Driver();
    run Messages();
    run Killer();
    run Rest();
    run Executor(0);
    run Executor(1);
    run Executor(2);
#ifdef LEASE_STORED_LATE
    run StoreBuffer(0);
    run StoreBuffer(1);
    run StoreBuffer(2);
#endif
  }
}
