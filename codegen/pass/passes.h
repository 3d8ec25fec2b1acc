// The passes, in the order in which they run. Each rewrites the body of one kernel.
#pragma once

#include "codegen/lower.h"

namespace hone {

/// Reduction loops over threads and blocks become code that combines their results: trees,
/// shuffles, atomic updates. First of all: what it makes are loops like others.
void combine_reductions(KernelFunction& kernel);

/// Nests of loops that instructions compute become these. While registers are those of the block,
/// of which the lanes have parts.
void issue_instructions(KernelFunction& kernel);

/// Register tensors that are allocated outside of thread loops become what each thread has of them.
/// Before copies become loops: those that fill them are dealt out here.
void deal_registers(KernelFunction& kernel);

/// Copies say by which threads they are made. Before the allocs move, which say that a tile is for
/// the whole block.
void share_copies(KernelFunction& kernel);

/// Copies that promise no width move the widest vectors that are proved for the threads that make
/// them.
void widen_copies(KernelFunction& kernel);

/// Statements that fill a shared tensor for the whole block run on one thread of each dimension
/// that no loop deals them out to. Before the allocs move, which say which statements those are.
void complete_collectives(KernelFunction& kernel);

/// Shared tensors get their addresses, and their allocs go to the top. Throws ScheduleError where a
/// size is not constant. Before waits are placed: tensors that share bytes need them.
void plan_shared_memory(KernelFunction& kernel);

/// Threads wait for one another where an edge leads from what one does to what another does.
/// While copies are leaves, which a wait is for as a whole.
void place_waits(KernelFunction& kernel);

/// Copies are made when they are come to, as on a CPU, where nobody else makes them.
void make_copies_at_once(KernelFunction& kernel);

/// Asynchronous copies, and other work that goes on behind its statement, are committed in groups,
/// and waits say how many of these may be pending. Behind place_waits, while copies are leaves.
void commit_groups(KernelFunction& kernel);

/// Thread 0 asks the copy engine for bulk stores. Behind place_waits, while copies are leaves.
void start_stores(KernelFunction& kernel);

/// The first iterations of loops are written out. Behind place_waits, which sees the loop as one.
void peel_loops(KernelFunction& kernel);

/// Copies become loops over their region, clipped at the ends of the tensors, and over the threads
/// that make them. Before threads are mapped, so that one mechanism says who runs what, and what is
/// known about loops can drop the clipping.
void expand_copies(KernelFunction& kernel);

/// Loops bound to blocks and threads become lets over indices. Sets `grid` and `block`.
void map_threads(KernelFunction& kernel);

/// Lets no extent of a loop divide by 0 where the loop stands.
void keep_divisors_positive(KernelFunction& kernel);

/// Guards that hold in all iterations of a loop or in none go around it. Before indices get names,
/// which the guards would stand under.
void hoist_guards(KernelFunction& kernel);

/// Guards around all that loops of the host do become ends of these loops. Compilers for CPUs make
/// vectors of the iterations of a loop where no guard is inside.
void clip_loops(KernelFunction& kernel);

/// Sums of thread indices that stand for one axis get its name: i = block.y*32 + thread.y. Before
/// flattening, while dimensions are apart.
void name_indices(KernelFunction& kernel);

/// Loops bound to vectorize become accesses of whole vectors, beside loops over their elements in
/// registers. Before flattening: what lies side by side shows while dimensions are apart.
void vectorize_accesses(KernelFunction& kernel);

/// Global tensors get one flat index, in the order of their layout.
void flatten_accesses(KernelFunction& kernel);

/// Chooses between 32- and 64-bit indices where the options leave it open.
void choose_index_width(KernelFunction& kernel);

/// Updates that prefer the smaller of two integers do not compare them where these grow from one
/// iteration to the next. Behind the choice of a width: an integer of 32 bits that is made of a
/// wider index does not grow with it.
void trust_order(KernelFunction& kernel);

/// Index arithmetic that needs more than an int where its operands are ints gets a wide operand.
/// Last of all: simpler forms would be lost behind it.
void widen_indices(KernelFunction& kernel);

}  // namespace hone
