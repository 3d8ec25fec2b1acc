// Streams, events and graphs. All work is done at once, in the order of the calls, so a stream is
// always empty; a stream that captures puts its work into a graph instead.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/cudart/call_error.h"

namespace hone::cudart {
struct State;
/// The work that a call asks of the device, to be done now or when a graph is launched.
using Work = std::function<void(State&)>;
}  // namespace hone::cudart

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  hone::cudart::Work work;
  std::vector<CUgraphNode_st*> dependencies;
  CUgraph_st* graph = nullptr;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st* node;  ///< that it was made of; it may be gone
    cudaGraphNodeType type;
    hone::cudart::Work work;
    bool is_enabled = true;
  };
  std::vector<Step> steps;
  unsigned long long flags = 0;
};

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  CUgraph_st* captures_to = nullptr;
  std::vector<CUgraphNode_st*> captured;  ///< the last nodes, on which the next depends
  bool began_capture = false;
};

struct CUevent_st {
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> time;
  CUgraph_st* captures_to = nullptr;  ///< where it was recorded in a capture
  std::vector<CUgraphNode_st*> captured;
};

namespace hone::cudart {

using Stream = CUstream_st;
using Event = CUevent_st;
using Graph = CUgraph_st;
using GraphNode = CUgraphNode_st;
using ExecutableGraph = CUgraphExec_st;

/// The objects of a kind that a program has made.
template <class Object>
class Handles {
 public:
  Object* make() { return objects_.emplace_back(std::make_unique<Object>()).get(); }
  /// Throws CallError where there is no such object.
  Object& find(const Object* handle) const { return **position(handle); }
  void destroy(const Object* handle) { objects_.erase(position(handle)); }
  void destroy_all() { objects_.clear(); }
  template <class Use>
  void for_each(const Use& use) const {
    for (const auto& object : objects_) use(*object);
  }

 private:
  auto position(const Object* handle) const {
    const auto found =
        std::ranges::find_if(objects_, [&](const auto& own) { return own.get() == handle; });
    if (found == objects_.end()) throw CallError(cudaErrorInvalidResourceHandle);
    return found;
  }

  std::vector<std::unique_ptr<Object>> objects_;
};

/// Adds a node; `dependencies` are nodes of the same graph.
GraphNode* add_node(Graph& graph, cudaGraphNodeType type, Work work,
                    std::vector<GraphNode*> dependencies);
/// The nodes, each behind those that it depends on. Throws CallError where they form a circle.
std::vector<const GraphNode*> in_order(const Graph& graph);
/// A copy, with dependencies among the copies.
void copy_nodes(const Graph& from, Graph& to);
std::vector<CUgraphExec_st::Step> steps_of(const Graph& graph);

}  // namespace hone::cudart
