// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The structs that host and kernels share, defined once here and once in Java (KernelStruct of
// io.symshuffle.kernel). All numbers are little-endian and naturally aligned; an address is a u64 that the
// GPU running the kernel can dereference. The fatbin exports the sizes as `symshuffle_layout` (layout.cu) and
// the host compares them when it loads the module. When you change a struct, increment kLayoutVersion here
// and in KernelLayout.java.
namespace symshuffle {

inline constexpr uint32_t kLayoutMagic = 0x4c4d5953;  // "SYML"
inline constexpr uint32_t kLayoutVersion = 12;

/// The unit of work: one warp moves it with four 16-byte accesses per lane. See geometry.h.
inline constexpr uint32_t kUnitBytes = 2048;

/// The longest piece: 16 GiB, so that its granules can be counted in 32 bits.
inline constexpr uint64_t kMaxPieceBytes = 1ULL << 34;

/// Serialized tables, a format of RAPIDS; see check_tables.cu.
inline constexpr uint32_t kSerializedMagic = 0x4b554430;  // "KUD0", big-endian
inline constexpr uint32_t kSerializedHeaderBytes = 28;

/// How deep the columns of a serialized table are nested at most; 1 is a table without nested columns.
inline constexpr uint32_t kMaxSchemaDepth = 64;

/// The format of packed tables; see packed.h. A block is what a warp encodes at a time.
inline constexpr uint32_t kPackedMagic = 0x504d5953;  // "SYMP"
inline constexpr uint32_t kPackedVersion = 2;
inline constexpr uint32_t kPackedHeaderBytes = 32;
inline constexpr uint32_t kPackedEntryBytes = 8;
inline constexpr uint32_t kPackBlockBytes = 4096;

/// The longest table of pack, so that its packed form can be counted in 4-byte words of 32 bits.
inline constexpr uint64_t kMaxPackBytes = 1ULL << 33;

/// Why a kernel failed. Java: KernelStatus.Code.
enum class Code : uint32_t {
  kOk = 0,
  kInvalidPlan = 1,      ///< descriptor `address` does not contain unit `expected`; `seen` is its first unit
  kInvalidArgument = 2,  ///< argument `address` has the value `seen`; `expected` is its bound
  kMisaligned = 3,       ///< descriptor `address` needs 16-byte alignment; `seen` has the low bits
  kLatePe = 4,           ///< CTA `address` of PE `peer` did not reach `expected`, only `seen`, before the wait ended
};

/// The error code and its details, in device memory. The host zeroes it before a launch and reads it after;
/// the first thread that fails fills it in.
struct alignas(8) KernelStatus {
  uint32_t code;      // Code
  uint32_t pe;        // the PE that reports
  uint32_t peer;      // the owner of the piece
  uint32_t reserved;
  uint64_t expected;  // see Code
  uint64_t seen;      // see Code
  uint64_t address;   // see Code: an address, or the index of a descriptor or argument
};

/// One piece to copy. Pieces of one list must not overlap in their destinations. `first_unit` is the
/// sum of the units (geometry.h) of the descriptors before it; a piece of 0 bytes has no unit.
///
///      0                       8                       16                      24          28
///     +-----------------------+-----------------------+-----------------------+-----------+------+
///     | source                | destination           | bytes                 | first_unit| pe   |
///     +-----------------------+-----------------------+-----------------------+-----------+------+
struct alignas(16) PullDescriptor {
  uint64_t source;
  uint64_t destination;
  uint64_t bytes;
  uint32_t first_unit;
  uint32_t pe;  // the owner of the source, for messages
};

/// Arguments of `symshuffle_pull`.
struct alignas(8) PullArguments {
  uint64_t descriptors;  // PullDescriptor[descriptor_count], 16-byte aligned
  uint64_t status;       // KernelStatus
  uint32_t descriptor_count;
  uint32_t unit_count;  // sum of the units of all descriptors
  uint32_t tile_units;  // units that a warp takes at a time
  uint32_t spans;       // parts of the list that are read at the same time, 1 or more
  uint32_t pe;
  uint32_t reserved;
};

/// One piece to compute a checksum of. `first_unit` as in PullDescriptor, of a piece copied onto itself.
///
///      0                       8                       16          20
///     +-----------------------+-----------------------+-----------+---------+
///     | address               | bytes                 | first_unit| pe      |
///     +-----------------------+-----------------------+-----------+---------+
struct alignas(8) CrcDescriptor {
  uint64_t address;
  uint64_t bytes;
  uint32_t first_unit;
  uint32_t pe;
};

/// Arguments of `symshuffle_crc32c`.
struct alignas(8) CrcArguments {
  uint64_t descriptors;  // CrcDescriptor[descriptor_count]
  uint64_t results;      // u32[descriptor_count], zeroed by the host; the CRC of an empty piece is 0
  uint64_t status;       // KernelStatus
  uint32_t descriptor_count;
  uint32_t unit_count;
  uint32_t tile_units;
  uint32_t pe;
};

/// A table to pack. `first_block` is the sum of the blocks of the tables before it; an empty table counts as
/// one block.
struct alignas(8) PackDescriptor {
  uint64_t plain;
  uint64_t bytes;  // up to kMaxPackBytes
  uint32_t first_block;
  uint32_t reserved;
};

/// Where a packed table is: written by the kernels of pack.
struct alignas(8) PackResult {
  uint64_t offset;  // from `to`, a multiple of 16
  uint64_t bytes;   // a multiple of 16
};

/// Arguments of the kernels of pack: one struct for all steps (pack.cu).
struct alignas(8) PackArguments {
  uint64_t tables;    // PackDescriptor[table_count]
  uint64_t results;   // PackResult[table_count]
  uint64_t to;        // the packed tables one after the other, 16-byte aligned
  uint64_t to_bytes;  // their bound
  uint64_t entries;   // u64[block_count], temporary
  uint64_t status;    // KernelStatus
  uint32_t table_count;
  uint32_t block_count;
  uint32_t pe;
  uint32_t reserved;
};

/// A table to unpack; `first_block` as in PackDescriptor, by `plain_bytes`. The packed form is not trusted.
struct alignas(8) UnpackDescriptor {
  uint64_t packed;  // 16-byte aligned
  uint64_t packed_bytes;
  uint64_t plain;
  uint64_t plain_bytes;
  uint32_t first_block;
  uint32_t reserved;
};

/// Arguments of `symshuffle_unpack`.
struct alignas(8) UnpackArguments {
  uint64_t tables;   // UnpackDescriptor[table_count]
  uint64_t results;  // u32[table_count], zeroed by the host: 1 + a damaged block of a table that has any
  uint64_t status;   // KernelStatus
  uint32_t table_count;
  uint32_t block_count;
  uint32_t pe;
  uint32_t reserved;
};

/// How a column of a serialized table is stored. Java: TableSchema.Kind.
enum class SerializedKind : uint32_t {
  kFixed = 0,   ///< values of `width` bytes
  kString = 1,  ///< offsets and characters
  kList = 2,    ///< offsets; one child
  kStruct = 3,  ///< only children, which have the same rows
};

/// What is wrong with a serialized table. Java: TableProblem.
enum class TableProblem : uint32_t {
  kNone = 0,
  kMisaligned = 1,     ///< its address is not a multiple of 4
  kShort = 2,          ///< it ends in the header
  kMagic = 3,
  kRows = 4,           ///< rows that were not expected, or a row_index that is too large
  kColumns = 5,        ///< not the number of columns of the schema
  kSections = 6,       ///< lengths of sections that contradict each other or the length of the table
  kValidityBytes = 7,  ///< a length of the validity that is not that of the columns; the next two likewise
  kOffsetBytes = 8,
  kDataBytes = 9,
  kOffsets = 10,       ///< offsets that descend or are negative
  kBatch = 11,         ///< rows for which RAPIDS' assembly leaves the validity
};

/// A serialized table to check. The table is not trusted.
struct alignas(8) CheckDescriptor {
  uint64_t address;
  uint64_t bytes;
  uint32_t rows;  // as expected
  uint32_t reserved;
};

/// A column of the schema of serialized tables; depth-first, parents before children.
struct alignas(8) CheckColumn {
  uint32_t kind;   // SerializedKind
  uint32_t width;  // of a value of kFixed
  uint32_t level;  // the number of lists above it, less than kMaxSchemaDepth; of a list less by 1
  uint32_t reserved;
};

/// Arguments of `symshuffle_check_tables`.
struct alignas(8) CheckArguments {
  uint64_t tables;   // CheckDescriptor[table_count]
  uint64_t columns;  // CheckColumn[column_count]
  uint64_t results;  // u32[table_count], zeroed by the host: a TableProblem of a table that has any
  uint64_t status;   // KernelStatus
  uint32_t table_count;
  uint32_t column_count;
  uint32_t parts;  // warps that share a table, 1 or more; times table_count less than 1 << 32
  uint32_t pe;
};

/// The first bytes of each PE's memory for an all-reduce: a flag of each CTA, in a line of its own.
inline constexpr uint32_t kMaxReduceCtas = 64;
inline constexpr uint32_t kFlagBytes = 128;

/// Java: ReducedType, and its Operation.
enum class ReducedType : uint32_t { kFloat = 0, kDouble = 1, kInt = 2, kLong = 3 };
enum class ReductionKind : uint32_t { kSum = 0, kMin = 1, kMax = 2 };

/// Arguments of `symshuffle_all_reduce`.
struct alignas(8) AllReduceArguments {
  uint64_t memories;    // u64[pe_count]: the address of each PE's memory
  uint64_t status;      // KernelStatus
  uint64_t stop;        // a u64 of the host: all waits end once it is not 0
  uint64_t offset;      // of the first element from the beginning of each PE's memory, a multiple of its length
  uint64_t count;       // elements
  uint64_t generation;  // greater than that of the launch before, by more than its CTAs meet
  uint64_t limit_nanoseconds;
  uint32_t type;       // ReducedType
  uint32_t reduction;  // ReductionKind
  uint32_t shots;      // 1 or 2, see all_reduce.cu
  uint32_t pe_count;
  uint32_t pe;
  uint32_t reserved;
};

/// The sizes of the structs above, in this order, as the fatbin exports them.
inline constexpr uint32_t kStructSizes[] = {
    sizeof(KernelStatus), sizeof(PullDescriptor), sizeof(PullArguments),
    sizeof(CrcDescriptor), sizeof(CrcArguments), sizeof(PackDescriptor), sizeof(PackResult),
    sizeof(PackArguments), sizeof(UnpackDescriptor), sizeof(UnpackArguments), sizeof(CheckDescriptor),
    sizeof(CheckColumn), sizeof(CheckArguments), sizeof(AllReduceArguments),
};

/// The content of a fatbin's variable `symshuffle_layout`: this header, and the sizes of the structs. Java:
/// KernelLayout.
template <uint32_t Words>
struct LayoutTable {
  uint32_t magic;        // kLayoutMagic
  uint32_t version;      // kLayoutVersion
  uint32_t unit_bytes;   // kUnitBytes
  uint32_t cta_threads;  // threads per CTA, unless a kernel specifies its own
  uint32_t struct_count;
  uint32_t words[Words];
};

/// The table of a fatbin whose CTAs have `cta_threads` threads.
template <uint32_t Words>
constexpr LayoutTable<Words> make_layout_table(uint32_t cta_threads, const uint32_t (&words)[Words]) {
  LayoutTable<Words> table{};
  table.magic = kLayoutMagic;
  table.version = kLayoutVersion;
  table.unit_bytes = kUnitBytes;
  table.cta_threads = cta_threads;
  table.struct_count = Words;
  for (uint32_t i = 0; i < Words; ++i) {
    table.words[i] = words[i];
  }
  return table;
}

static_assert(sizeof(KernelStatus) == 40);
static_assert(sizeof(PullDescriptor) == 32 && alignof(PullDescriptor) == 16);
static_assert(sizeof(PullArguments) == 40);
static_assert(sizeof(CrcDescriptor) == 24);
static_assert(sizeof(CrcArguments) == 40);
static_assert(sizeof(PackDescriptor) == 24);
static_assert(sizeof(PackResult) == 16);
static_assert(sizeof(PackArguments) == 64);
static_assert(sizeof(UnpackDescriptor) == 40);
static_assert(sizeof(UnpackArguments) == 40);
static_assert(sizeof(CheckDescriptor) == 24);
static_assert(sizeof(CheckColumn) == 16);
static_assert(sizeof(CheckArguments) == 48);
static_assert(sizeof(AllReduceArguments) == 80);

}  // namespace symshuffle
