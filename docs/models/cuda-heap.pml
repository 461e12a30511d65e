/*
 * Copyright 2026 SymShuffle developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * How executors (PEs) of one host share GPU memory in the CUDA heap: chunks, the descriptors that PEs pass on, map
 * outputs of packed tables, the GPU's queues, and executors that start, leave and die at any step. README.md explains
 * how to read and run it; shuffle.pml models the directory and the leases in more detail. Map task k is the only one of
 * shuffle k. PE 0 writes. One chunk of its window is modeled: whether the allocator keeps a chunk that no slab uses
 * depends on the other chunks, so here it may release it at any time. Each step models the Java method that its comment
 * names; what a comment does not name belongs to Spark, CUDA, Linux or the checks.
 *
 * With -D and one of the names below, a step is wrong, and SPIN must find the consequence:
 *
 *   MAPPED_UNCHECKED     PeerWindow.map               maps a descriptor that it got for memory destroyed since
 *   DETACHED_UNCHECKED   PeerWindow.detachIfDestroyed does not look again whether there is new memory
 *   NEVER_DETACHED       PeerWindow.refresh           keeps destroyed memory mapped
 *   PROXY_IGNORES_NUMBER PeerWindow.duplicate         hands out whatever it has of the chunk
 *   NUMBERS_REUSED       OwnWindow.create             gives all memory of a chunk one number
 *   FREE_WHILE_RELEASED  SlabAllocator.release        lets slabs be placed in chunks that it is releasing
 *   PUBLISHED_TOO_EARLY  TableWriter.toDevice         does not await its copies
 *   ABORTS_UNSETTLED     TableWriter.abort            frees a slab that queued copies write to
 *   LEASE_ENDS_EARLY     ReduceTaskReader.release     does not wait for endReads
 *   LATE_LEASE_ENDS      ReduceTaskReader.release     closes the lease although endReads is false
 *   LEASE_AFTER_LOOKUP   ReduceTaskReader.read        looks map outputs up, then acquires its lease
 *   FEED_NOT_FENCED      TaskBatches.assemble         does not use runBeforeEnd on another thread
 *   ASKS_THE_OWNER_ONLY  DescriptorClient.fetch       does not ask other PEs
 *   ONE_LOOK             CudaHeap.isHandedOver        waits for one look of the others
 *   LOOKS_COUNTED_ALWAYS CudaHeap.refresh             counts looks that did not map everything
 *   LEAVES_UNLOCKED      CudaHeap.tryLeave            does not look at the others again under the lock
 *   CLOSES_FIRST         RunningExecutor.stop         closes the heap, then leaves
 *   DROPS_AT_FIRST_LOOK  CudaHeap.refresh             does not wait for a second look
 *   DROPS_AT_THE_END     CudaHeap.refresh             does not look for its own heap file
 *   DROPS_KEPT           CudaHeap.refresh             does not ask isKept
 *   NEVER_DROPPED        CudaHeap.refresh             keeps the memory of dead PEs
 *   REAPER_IGNORES_LEASES OrphanHeapReaper.reap       removes the heap file of a dead PE at once
 */

#define PES 3

/* ENDS_LAST: shuffles end when all of that has happened. PUBLISHED: PE 0 has published map output 1 at the beginning.
   REMOVED: the application's folder is removed. WITHOUT_DRIVER: PEs that leave have lost the driver. FEED: map outputs
   are read by another thread than the task's. */

/* How much happens in one execution: map tasks, reduce tasks, PEs that are killed or leave, GPUs that are late. */
#ifndef TASKS
#define TASKS 1
#endif
#ifndef READS
#define READS 1
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef LATES
#define LATES 0
#endif
/* How many requests for descriptors their owner does not answer in time. */
#ifndef MISSES
#define MISSES 0
#endif
/* The PEs that may leave, as a set. */
#ifndef LEAVERS
#define LEAVERS (LEAVES > 0 -> 7 : 0)
#endif
/* The PEs that run reduce tasks, as a set. */
#ifndef READERS
#define READERS 6
#endif
/* PEs with this number or a higher one start at any time; the others are there from the beginning. */
#ifndef LATE
#define LATE 3
#endif
/* PEs with this number or a higher one never start. */
#ifndef PRESENT
#define PRESENT 3
#endif

#define bit(n) (1 << (n))
#define has(set, n) (((set) & bit(n)) != 0)

/* The number of memory in the table of its owner. Memory itself is numbered from 1. */
#ifdef NUMBERS_REUSED
#define numberOf(memory) ((memory) == 0 -> 0 : 1)
#else
#define numberOf(memory) (memory)
#endif

typedef Process {
  /* Its heap file exists; its ChunkDirectory exists, is locked, says that it has left, or is kept. */
  bool heapFile;
  bool table;
  bool locked;
  bool left;
  bool kept;
  byte group;
  bool dead;
  /* RunningExecutor.stop has begun, and how many tasks are running. */
  bool stopping;
  byte tasks;
  /* LeaseTable: the number of leases on each shuffle. */
  byte leases[TASKS + 1];
  /* CudaHeap.peers has PE 0's window. */
  bool peer;
  /* PeerWindow: the memory that is mapped, and its number according to numbers. */
  byte mapped;
  byte named;
  /* Descriptors that its threads have received, and not used yet. */
  byte received;
  /* CudaHeap: PE 0 is in unneeded; the watcher is looking; closed; DescriptorServer answers. */
  bool unneeded;
  bool looking;
  bool closed;
  bool serving;
  /* CudaHeap.leave: whose looks are counted, and how many each has completed since, up to two. */
  byte seen;
  byte looks[PES];
  /* The GPU: the map output that queued work of the task's thread reads, and that of its other thread. */
  byte queue;
  byte feedQueue;
  /* InPlaceAccess: its monitor; the task has ended. */
  bool accessLocked;
  bool accessEnded
}

Process pe[PES];

/* PE 0. OwnWindow: the memory of the chunk; ChunkDirectory.memory; lastNumber. */
byte own;
byte number0;
byte lastNumber;
/* SlabAllocator: for whom a slab is allocated; whether the chunk is backed, or being released. */
byte used;
bool backed;
bool releasing;
/* MapOutputStore: sets of map tasks. */
byte writing;
byte published;
byte hiddenMaps;
/* Whose bytes are in memory. */
byte content[TASKS + 1];
/* The GPU of PE 0: the map output that queued copies write. */
byte writeQueue;

/* The lock of gpu.lock: one more than the number of the PE that has it. */
byte gpuLock;

/* The driver: how many shuffles have ended, and whether PE 0 knows it; which map outputs it knows. */
byte ended;
bool untold;
byte committed;
byte startedMaps;
byte reads;
byte deaths;
byte leaves;
byte lates;
byte misses;
/* No PE was killed, and none has left before the others had everything. */
bool promised = true;
/* The memory that PE 0 had when it began to leave. */
byte handedOver;
/* FolderRemoval: the folder is being removed; which PEs have begun a look meanwhile. */
bool removing;
byte lookedMeanwhile;

#define isMember(q) (pe[q].table && pe[q].locked && !pe[q].left)

/* The process has ended, and with it its work on the GPU. Others keep what they have mapped. */
inline die(p) {
  d_step {
    pe[p].dead = true;
    pe[p].locked = false;
    pe[p].serving = false;
    pe[p].tasks = 0;
    pe[p].peer = false;
    pe[p].mapped = 0;
    pe[p].named = 0;
    pe[p].received = 0;
    pe[p].unneeded = false;
    pe[p].looking = false;
    pe[p].seen = 0;
    pe[p].looks[0] = 0;
    pe[p].looks[1] = 0;
    pe[p].looks[2] = 0;
    pe[p].queue = 0;
    pe[p].feedQueue = 0;
    pe[p].accessLocked = false;
    pe[p].leases[1] = 0;
#if TASKS > 1
    pe[p].leases[2] = 0;
#endif
    if
    :: gpuLock == p + 1 -> gpuLock = 0
    :: else -> skip
    fi;
    if
    :: p == 0 ->
      own = 0;
      used = 0;
      backed = false;
      releasing = false;
      writeQueue = 0;
      writing = 0;
      hiddenMaps = 0;
      untold = false
    :: else -> skip
    fi }
}

#ifdef ENDS_LAST
#define mayEnd ((reads == READS || DEATHS > 0) && deaths == DEATHS && leaves == LEAVES)
#else
#define mayEnd true
#endif

/* Each shuffle ends at some time, also while tasks of it run: a job may be canceled. */
proctype Driver() {
  do
  :: d_step { ended < TASKS && mayEnd -> ended++; untold = !pe[0].dead }
  :: ended == TASKS -> break
  od
}

/* MapOutputStore.end, for PE 0; the entries of a dead PE are erased by reap. */
proctype Messages() {
end:
  do
  :: d_step { untold ->
      untold = false;
      hiddenMaps = hiddenMaps | (published & (bit(ended + 1) - 1));
      published = published & ~(bit(ended + 1) - 1);
      writing = writing & ~(bit(ended + 1) - 1) }
  od
}

/* The queues of the GPUs, which are independent. A GPU reads what its process has mapped at the address. */
#define memoryOf(p) ((p) == 0 -> own : pe[p].mapped)
inline gpuReads(p, k) {
  assert(memoryOf(p) != 0);
  assert(content[memoryOf(p)] == k);
  k = 0
}

proctype Gpus() {
end:
  do
  :: d_step { writeQueue != 0 ->
      assert(own != 0);
      assert(used == writeQueue);
      content[own] = writeQueue;
      writeQueue = 0 }
  :: d_step { pe[0].queue != 0 -> gpuReads(0, pe[0].queue) }
  :: d_step { pe[1].queue != 0 -> gpuReads(1, pe[1].queue) }
  :: d_step { pe[2].queue != 0 -> gpuReads(2, pe[2].queue) }
  :: d_step { pe[1].feedQueue != 0 -> gpuReads(1, pe[1].feedQueue) }
  od
}

/* The writer of map output k: TableWriter, and MapOutputStore.buildTables to MapOutputBuilder.commit. */
proctype Mapper() {
  byte k;
  {
end:
    do
    /* MapOutputStore.begin */
    :: atomic { startedMaps < TASKS && !pe[0].stopping ->
        startedMaps++;
        if
        :: startedMaps <= ended && !untold -> skip
        :: else -> k = startedMaps; writing = writing | bit(k); pe[0].tasks++
        fi }
      if
      :: k == 0 -> skip
      :: else ->
        /* SlabAllocator.place; without memory the task uses the HOST tier, which is not modeled. */
        atomic { used != 0 || !releasing ->
          if
          :: used != 0 -> writing = writing & ~bit(k); k = 0
          :: else -> used = k
          fi };
        if
        :: k == 0 -> skip
        :: else ->
          /* SlabAllocator.reserve, OwnWindow.create: in one step, since others see memory that the table names. */
          d_step {
            if
            :: !backed && own == 0 -> lastNumber++; own = lastNumber; number0 = numberOf(own)
            :: else -> skip
            fi;
            backed = true }
          /* TableWriter.toDevice */
          d_step { writeQueue = k }
          /* The task ends, or is killed: MapOutputStore.publish or TableWriter.abort */
          if
#ifdef PUBLISHED_TOO_EARLY
          :: atomic { has(writing, k) -> skip;
#else
          :: atomic { writeQueue == 0 && has(writing, k) ->
#endif
              writing = writing & ~bit(k);
              published = published | bit(k);
              committed = committed | bit(k) }
#ifdef ABORTS_UNSETTLED
          :: atomic { true ->
#else
          :: atomic { writeQueue == 0 ->
#endif
              writing = writing & ~bit(k);
              used = 0 }
          :: atomic { writeQueue != 0 && lates < LATES ->
              lates++;
              writing = writing & ~bit(k) }
          fi
        fi;
        atomic { k = 0; pe[0].tasks-- }
      fi
    od
  } unless { atomic { pe[0].dead -> k = 0 } }
}

/* HostPeMonitor.leasedShuffles: leases of living PEs, one PE after the other. */
inline leasedShuffles() {
  do
  :: p < PRESENT ->
    d_step {
      leased = leased | (pe[p].locked && pe[p].leases[1] > 0 -> bit(1) : 0);
#if TASKS > 1
      leased = leased | (pe[p].locked && pe[p].leases[2] > 0 -> bit(2) : 0);
#endif
      p++ }
  :: p == PRESENT -> break
  od
}

/* The reclaimer thread of ShuffleRuntime on PE 0. */
proctype Reclaimer() {
  byte hiding, leased, p;
  {
end:
    do
    /* MapOutputStore.reclaim */
    :: atomic { hiddenMaps != 0 -> hiding = hiddenMaps }
      leasedShuffles();
      atomic {
        hiding = hiding & ~leased & hiddenMaps;
        hiddenMaps = hiddenMaps & ~hiding;
        if
        :: hiding != 0 -> used = 0
        :: else -> skip
        fi;
        hiding = 0;
        leased = 0;
        p = 0 }
    /* SlabAllocator.release, which IdleTrimmer and other threads call: the chunk cannot be used meanwhile. */
    :: atomic { backed && used == 0 && !pe[0].closed ->
        backed = false;
#ifndef FREE_WHILE_RELEASED
        releasing = true
#endif
      }
      /* OwnWindow.destroy: in one step, since others only learn that there is no memory. */
      d_step { number0 = 0; own = 0; releasing = false }
    od
  } unless { atomic { pe[0].dead -> hiding = 0; leased = 0; p = 0 } }
}

/* OrphanHeapReaper.reap of PE 0, by the living PE with the lowest number; see shuffle.pml. */
proctype Reaper() {
  byte leased, p;
  bool unused;
end:
  do
  :: atomic { pe[0].dead && pe[0].heapFile && !removing && (pe[1].locked || pe[2].locked) &&
        (published == 0 || (published & (bit(ended + 1) - 1)) != 0) ->
      published = published & ~(bit(ended + 1) - 1);
      unused = (published == 0) }
#ifndef REAPER_IGNORES_LEASES
    leasedShuffles();
#endif
    atomic {
      if
      :: unused && leased == 0 -> pe[0].heapFile = false
      :: else -> skip
      fi;
      leased = 0;
      p = 0;
      unused = false }
  od
}

/* DescriptorServer.serve of PE p: CudaHeap.duplicate, OwnWindow.duplicate and PeerWindow.duplicate. */
inline ask(q, p) {
  if
  :: p == q || !pe[p].serving -> skip
  :: p != q && p == 0 && pe[0].serving && own != 0 && numberOf(own) == number -> fd = own
#ifdef PROXY_IGNORES_NUMBER
  :: p != q && p != 0 && pe[p].serving && pe[p].peer -> fd = pe[p].mapped
#else
  :: p != q && p != 0 && pe[p].serving && pe[p].peer && pe[p].named == number -> fd = pe[p].mapped
#endif
  :: else -> skip
  fi;
  pe[q].received = pe[q].received + (fd != 0 -> 1 : 0)
}

/* PeerWindow.attach: maps the current memory of the chunk. A descriptor keeps its memory meanwhile. */
#define readNumber(q) number = number0; attached = (number != 0 && pe[q].peer && pe[q].named == number)

inline attach(q) {
  if
  :: attached || number == 0 -> skip
  :: else ->
    /* DescriptorClient.fetch: the owner, then the others */
    if
    :: d_step { ask(q, 0) }
    :: atomic { misses < MISSES -> misses++ }
    fi;
#ifndef ASKS_THE_OWNER_ONLY
#if PRESENT > 2
    if
    :: fd == 0 && q == 1 -> d_step { ask(q, 2) }
    :: fd == 0 && q == 2 -> d_step { ask(q, 1) }
    :: else -> skip
    fi;
#endif
#endif
    /* PeerWindow.map */
    d_step {
      if
      :: fd == 0 || !pe[q].peer -> skip
#ifdef MAPPED_UNCHECKED
      :: fd != 0 && pe[q].peer && pe[q].named == number -> attached = true
#else
      :: fd != 0 && pe[q].peer && (pe[q].named == number || number0 != number) ->
        attached = (pe[q].named == number)
#endif
      :: else ->
        pe[q].mapped = fd;
        pe[q].named = number;
        attached = true
      fi;
      pe[q].received = pe[q].received - (fd != 0 -> 1 : 0);
      fd = 0 }
  fi
}

/* Somebody can hand out the memory of the chunk, or is about to map it. */
#define hasIt(p) (pe[p].serving && pe[p].peer && pe[p].named == number0)
#ifdef ASKS_THE_OWNER_ONLY
#define somebodyHasIt (number0 != 0 && pe[0].serving)
#else
#define somebodyHasIt (number0 != 0 && \
  (pe[0].serving && numberOf(own) == number0 || hasIt(1) || hasIt(2) || pe[1].received > 0 || pe[2].received > 0))
#endif

/* CudaHeap.range for the place of map output k, while its lease is held. */
inline range(q) {
  /* PeerWindow.awaitAttached: its limit is longer than it takes to get what somebody has. */
  gaveUp = false;
  do
  :: q == 0 -> d_step { attached = (own != 0) } break
  :: q != 0 && gaveUp -> break
  :: q != 0 && !gaveUp ->
    d_step { readNumber(q) }
    attach(q);
    atomic {
      if
      :: attached -> break
      :: else -> gaveUp = !somebodyHasIt
      fi }
  od
}

/* A reduce task that reads a map output in place: ReduceTaskReader.read, InPlaceTables.tryAdd, BatchAssembler.assemble. */
proctype Reader(byte q) {
  byte k, number, fd;
  bool attached, gaveUp, settled;
  {
end:
    do
    :: atomic { pe[q].serving && !pe[q].stopping && reads < READS && (committed & ~(bit(ended + 1) - 1)) != 0 ->
        reads++;
        pe[q].tasks++;
        k = (has(committed, ended + 1) -> ended + 1 : ended + 2) }
#ifndef LEASE_AFTER_LOOKUP
      d_step { pe[q].leases[k]++ }
#endif
      /* MapOutputs.find: Spark keeps map outputs of PEs that are gone for executors of their group. */
      d_step { attached = has(published, k) && pe[0].heapFile && (!pe[0].dead || pe[q].group == pe[0].group) }
#ifdef LEASE_AFTER_LOOKUP
      d_step { pe[q].leases[k]++ }
#endif
      if
      :: !attached -> skip
      :: else ->
        range(q);
        atomic {
          if
          :: attached ->
#ifdef FEED
            run Feed(q, k)
#else
            pe[q].queue = k
#endif
          :: else ->
            /* What has been handed over is found. */
            assert(!promised || number0 != handedOver || ended >= k)
          fi }
      fi;
#ifdef FEED
      /* InPlaceAccess.end */
      atomic { !pe[q].accessLocked -> pe[q].accessEnded = true }
#endif
      /* TaskBatches.settle: the task ends at any time, and the GPU may not be done within a minute. */
      atomic {
        if
#ifdef LEASE_ENDS_EARLY
        :: true -> settled = true
#else
        :: pe[q].queue == 0 -> settled = true
        :: pe[q].queue != 0 && lates < LATES -> lates++
#endif
        fi;
        if
#ifndef LATE_LEASE_ENDS
        :: !settled -> skip
#endif
        :: else -> pe[q].leases[k]--
        fi;
        pe[q].tasks--;
        k = 0; number = 0; fd = 0; attached = false; gaveUp = false; settled = false }
    od
  } unless { atomic { pe[q].dead -> k = 0; number = 0; fd = 0; attached = false; gaveUp = false; settled = false } }
}

#ifdef FEED
/* A thread of the task that the task's end does not wait for: TaskBatches.assembleAndWait. */
proctype Feed(byte q; byte k) {
  {
#ifndef FEED_NOT_FENCED
    /* InPlaceAccess.runBeforeEnd */
    atomic { !pe[q].accessLocked ->
      if
      :: pe[q].accessEnded -> k = 0
      :: else -> pe[q].accessLocked = true
      fi }
#endif
    if
    :: k == 0 -> skip
    :: else ->
      d_step { pe[q].feedQueue = k }
      atomic { pe[q].feedQueue == 0 -> pe[q].accessLocked = false }
    fi
  } unless { pe[q].dead }
}
#endif

/* ChunkDirectory.refreshed, as PEs that leave count it. */
inline counts(leaver, q) {
  if
  :: has(pe[leaver].seen, q) && pe[leaver].looks[q] < 2 -> pe[leaver].looks[q]++
  :: else -> skip
  fi
}

#ifdef DROPS_KEPT
#define isUnneeded (!pe[0].heapFile && !pe[0].locked)
#else
#define isUnneeded (!pe[0].heapFile && !pe[0].locked && !pe[0].kept)
#endif
#ifdef NEVER_DROPPED
#define mayDrop(q) false
#elif defined(DROPS_AT_THE_END)
#define mayDrop(q) true
#else
#define mayDrop(q) (pe[q].heapFile)
#endif

/* CudaHeap.refresh, PeerWindow.refresh */
inline look(q) {
  attach(q);
  d_step {
    if
    /* detachIfDestroyed */
#ifdef NEVER_DETACHED
#elif defined(DETACHED_UNCHECKED)
    :: !pe[q].unneeded && number == 0 -> pe[q].mapped = 0; pe[q].named = 0
#else
    :: !pe[q].unneeded && number == 0 && pe[q].named != number0 -> pe[q].mapped = 0; pe[q].named = 0
#endif
    :: else -> skip
    fi;
    if
#ifndef LOOKS_COUNTED_ALWAYS
    :: number != 0 && !attached && somebodyHasIt -> skip
#endif
    :: else -> counts(0, q); counts(1, q); counts(2, q)
    fi;
    if
    /* drop */
#ifdef DROPS_AT_FIRST_LOOK
    :: pe[q].unneeded && mayDrop(q) ->
#else
    :: before && pe[q].unneeded && mayDrop(q) ->
#endif
      pe[0].table = false;
      pe[q].peer = false;
      pe[q].mapped = 0;
      pe[q].named = 0;
      pe[q].unneeded = false
    :: else -> skip
    fi;
    before = false;
    attached = false;
    number = 0;
    pe[q].looking = false }
}

/* Otherwise a look changes nothing. */
#define waits(p, q) (has(pe[p].seen, q) && pe[p].looks[q] < 2)
#define waitedFor(q) (waits(0, q) || waits(1, q) || waits(2, q))
#ifdef NEVER_DETACHED
#define isBehind(q) (pe[q].named != number0 && somebodyHasIt)
#else
#define isBehind(q) (pe[q].named != number0 && (number0 == 0 || somebodyHasIt))
#endif
#define needsLook(q) (pe[q].peer && (isUnneeded -> mayDrop(q) : isBehind(q)) || waitedFor(q))

/* The thread of CudaHeap, which looks for changes all the time. */
proctype Watcher(byte q) {
  byte number, fd;
  bool attached, before;
  {
end:
    do
    /* A folder is removed faster than two looks follow each other. */
    :: atomic { pe[q].serving && !pe[q].closed && needsLook(q) && !(removing && has(lookedMeanwhile, q)) ->
        pe[q].looking = true;
        lookedMeanwhile = (removing -> lookedMeanwhile | bit(q) : 0);
        before = pe[q].unneeded;
        pe[q].unneeded = (pe[q].peer && isUnneeded);
        if
        :: pe[q].peer && !pe[q].unneeded -> readNumber(q)
        :: else -> skip
        fi }
      look(q)
    od
  } unless { atomic { pe[q].dead -> number = 0; fd = 0; attached = false; before = false } }
}

/* An executor that starts: HostHeap.create, then CudaHeap.open. */
proctype Start(byte q) {
  {
end:
    /* CudaHeap.join */
    do
    :: atomic { gpuLock == 0 && !removing -> pe[q].heapFile = true; pe[q].locked = true; gpuLock = q + 1 } break
    od;
    atomic {
      if
      :: isMember(0) -> pe[q].group = pe[0].group
      :: !isMember(0) && q != 1 && isMember(1) -> pe[q].group = pe[1].group
      :: !isMember(0) && !(q != 1 && isMember(1)) && q != 2 && isMember(2) -> pe[q].group = pe[2].group
      :: else -> pe[q].group = q
      fi }
    d_step { pe[q].table = true; gpuLock = 0; pe[q].serving = true; pe[q].peer = pe[0].table }
  } unless { pe[q].dead }
}

/* CudaHeap.isHandedOver, except that leave notes whose looks it counts. */
#ifdef ONE_LOOK
#define LOOKS 1
#else
#define LOOKS 2
#endif
#define hasLooked(p, q) ((q) == (p) || !isMember(q) || has(pe[p].seen, q) && ((q) == 0 || pe[p].looks[q] >= LOOKS))
#define isAlone(p) (!((p) != 0 && isMember(0)) && !((p) != 1 && isMember(1)) && !((p) != 2 && isMember(2)))
#define hasPeers(p) ((p) != 0 && pe[0].table || (p) != 1 && pe[1].table || (p) != 2 && pe[2].table)
#define isHandedOver(p) \
  (isAlone(p) -> !hasPeers(p) && used == 0 : hasLooked(p, 0) && hasLooked(p, 1) && hasLooked(p, 2))
#define isNew(p, q) ((q) != (p) && isMember(q) && !has(pe[p].seen, q))

/* What PE p could hand out when it began to leave, and is still there, is mapped by all members. */
#define hasMapped(q) (!isMember(q) || pe[q].named == number0)
#define nothingLost(p) \
  (handed == 0 || handed != number0 || ((p) == 1 || hasMapped(1)) && ((p) == 2 || hasMapped(2)))

/* CudaHeap.leave */
inline leave(p) {
  atomic {
    handed = (p == 0 -> number0 : pe[p].named);
    handedOver = (p == 0 -> handed : handedOver) }
  do
  :: atomic { isNew(p, 0) || isNew(p, 1) || isNew(p, 2) ->
      pe[p].seen = pe[p].seen | isNew(p, 0) | isNew(p, 1) << 1 | isNew(p, 2) << 2 }
  /* tryLeave */
#ifdef LEAVES_UNLOCKED
  :: isHandedOver(p) -> atomic { gpuLock == 0 -> pe[p].left = true; assert(!promised || nothingLost(p)) } break
#else
  :: atomic { gpuLock == 0 && isHandedOver(p) -> pe[p].left = true; assert(!promised || nothingLost(p)) } break
#endif
  /* The time is up. */
  :: atomic { !isHandedOver(p) && gpuLock == 0 -> pe[p].left = true; promised = false } break
  od;
  atomic { handed = 0; pe[p].seen = 0 }
}

/* CudaHeap.close, when no task is running; the process ends afterwards. */
inline close(p) {
  atomic { !pe[p].looking -> pe[p].closed = true }
  d_step { pe[p].serving = false; pe[p].peer = false; pe[p].mapped = 0; pe[p].named = 0 }
}

/* RunningExecutor.stop: an executor that is decommissioned or not needed anymore, while tasks may be running. */
proctype Leave(byte p) {
  byte handed;
  bool idle;
  {
end:
    do
    :: atomic { pe[p].serving && leaves < LEAVES -> leaves++; pe[p].stopping = true; idle = (pe[p].tasks == 0) } break
    od;
#ifdef CLOSES_FIRST
    if
    :: idle -> close(p)
    :: else -> skip
    fi;
#endif
    leave(p);
#ifndef CLOSES_FIRST
    if
    :: idle -> close(p)
    :: else -> skip
    fi;
#endif
#ifdef WITHOUT_DRIVER
    /* leaveWithoutDriver */
    if
    :: idle -> skip
    :: else ->
      d_step { pe[p].kept = true }
      d_step { pe[p].heapFile = false }
    fi;
#endif
    die(p)
  } unless { pe[p].dead }
}

/* kill -9 at any step. */
proctype Killer() {
end:
  do
  :: atomic { deaths < DEATHS ->
      deaths++;
      promised = false;
      if
      :: pe[0].locked -> die(0)
      :: pe[1].locked -> die(1)
      :: pe[2].locked -> die(2)
      :: else -> skip
      fi }
  od
}

#ifdef REMOVED
/* FolderRemoval, while executors that are about to end still read: the heap files are removed one after the other. */
proctype Removal() {
end:
  do
  :: d_step { pe[0].dead -> removing = true } break
  od;
  atomic { pe[0].heapFile = false }
  d_step { pe[1].heapFile = false }
  d_step { pe[2].heapFile = false }
  d_step { removing = false; lookedMeanwhile = 0 }
}
#endif

/* When nothing else can happen, all memory is free, unless a GPU or an executor that has left may still use it. */
#define isFree(q) (pe[q].dead || pe[q].mapped == 0 || pe[0].kept)

proctype Rest() {
  timeout;
  atomic {
    assert(ended == TASKS);
#ifndef REMOVED
    if
    :: lates > 0 -> skip
    :: else ->
      assert(isFree(1) && isFree(2));
      assert(pe[0].dead || own == 0 && used == 0)
    fi;
#endif
    assert(pe[1].dead || pe[1].tasks == 0);
    assert(gpuLock == 0)
  }
}

init {
  atomic {
    byte p;
    do
    :: p < LATE && p < PRESENT ->
      pe[p].heapFile = true;
      pe[p].table = true;
      pe[p].locked = true;
      pe[p].serving = true;
      pe[p].peer = (p != 0);
      p++
    :: p >= LATE && p < PRESENT -> run Start(p); p++
    :: p == PRESENT -> break
    od;
    p = 0;
#ifdef PUBLISHED
    /* PE 0 has published map output 1. */
    lastNumber = 1;
    own = 1;
    number0 = 1;
    content[1] = 1;
    used = 1;
    backed = true;
    startedMaps = 1;
    published = bit(1);
    committed = bit(1);
#endif
    run Driver();
    run Messages();
    run Gpus();
    run Mapper();
    run Reclaimer();
    run Reaper();
    run Killer();
    run Rest();
    do
    :: p < PRESENT ->
      if
      :: has(READERS, p) -> run Reader(p)
      :: else -> skip
      fi;
      if
      :: p != 0 -> run Watcher(p)
      :: else -> skip
      fi;
      if
      :: has(LEAVERS, p) -> run Leave(p)
      :: else -> skip
      fi;
      p++
    :: p == PRESENT -> break
    od;
    p = 0;
#ifdef REMOVED
    run Removal();
#endif
  }
}
