// The web server of the playground: for one user, on this machine.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "tools/serve/child.h"

struct event;
struct event_base;
struct evhttp;
struct evhttp_request;

namespace hone {

/// Serves a page, a catalogue of what it can schedule, and jobs, each in a process of its own.
/// Paths begin with a secret, so that other users and other pages of a browser get nothing.
class Server {
 public:
  struct Texts {
    std::string page, catalog;  ///< HTML, JSON
  };

  /// Listens on 127.0.0.1, on any port where `port` is 0. Throws RuntimeError.
  Server(Texts texts, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:4000/5f3a.../"
  const std::string& address() const { return address_; }
  /// Answers until the process is told to end: SIGINT or SIGTERM.
  void run();

 private:
  struct Running {
    std::string slot;
    evhttp_request* request;  ///< null: nobody waits any more
    std::unique_ptr<Child> child;
    std::chrono::steady_clock::time_point deadline;
  };

  void answer(evhttp_request* request);
  void start(evhttp_request* request);
  void stop(Running& running);
  /// Answers those that have ended, and ends those that take too long.
  void look_after_jobs();
  bool is_for_us(evhttp_request* request) const;

  struct Free {
    void operator()(event_base* base) const;
    void operator()(evhttp* http) const;
    void operator()(event* one) const;
  };
  const Texts texts_;
  std::string root_, address_;  ///< "/5f3a.../"
  std::unique_ptr<event_base, Free> base_;
  std::unique_ptr<evhttp, Free> http_;
  std::unique_ptr<event, Free> child_, clock_, interrupt_, end_;
  std::list<Running> jobs_;
};

}  // namespace hone
