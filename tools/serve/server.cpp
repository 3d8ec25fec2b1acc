#include "tools/serve/server.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <signal.h>

#include <random>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

constexpr std::chrono::seconds most_time(30);
constexpr ev_ssize_t most_bytes = 4 << 20;

std::string secret() {
  std::random_device source;
  std::string text;
  for (int n = 0; n < 4; ++n) text += fmt::format("{:08x}", source());
  return text;
}

/// The page fetches nothing but from its own server.
constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; frame-ancestors 'none'";

void reply(evhttp_request* request, int status, const char* type, const std::string& text) {
  evkeyvalq* const headers = evhttp_request_get_output_headers(request);
  evhttp_add_header(headers, "Content-Type", type);
  evhttp_add_header(headers, "Cache-Control", "no-store");
  evhttp_add_header(headers, "Content-Security-Policy", policy);
  evbuffer_add(evhttp_request_get_output_buffer(request), text.data(), text.size());
  evhttp_send_reply(request, status, nullptr, nullptr);
}

void reply_json(evhttp_request* request, int status, const llvm::json::Value& value) {
  reply(request, status, "application/json; charset=utf-8", llvm::formatv("{0}", value).str());
}

void reply_error(evhttp_request* request, int status, const std::string& error) {
  reply_json(request, status, llvm::json::Object{{"error", error}});
}

std::string body_of(evhttp_request* request) {
  evbuffer* const input = evhttp_request_get_input_buffer(request);
  std::string text(evbuffer_get_length(input), '\0');
  evbuffer_remove(input, text.data(), text.size());
  return text;
}

void end_loop(evutil_socket_t, short, void* base) {
  event_base_loopexit(static_cast<event_base*>(base), nullptr);
}

}  // namespace

void Server::Free::operator()(event_base* base) const { event_base_free(base); }
void Server::Free::operator()(evhttp* http) const { evhttp_free(http); }
void Server::Free::operator()(event* one) const { event_free(one); }

Server::Server(Texts texts, int port) : texts_(std::move(texts)), root_("/" + secret() + "/") {
  base_.reset(event_base_new());
  http_.reset(evhttp_new(base_.get()));
  evhttp_bound_socket* const socket =
      evhttp_bind_socket_with_handle(http_.get(), "127.0.0.1", static_cast<ev_uint16_t>(port));
  if (!socket)
    throw RuntimeError("cannot listen on port {} of 127.0.0.1: {}", port, error_text(errno));
  sockaddr_in name = {};
  socklen_t size = sizeof name;
  getsockname(evhttp_bound_socket_get_fd(socket), reinterpret_cast<sockaddr*>(&name), &size);
  address_ = fmt::format("http://127.0.0.1:{}{}", ntohs(name.sin_port), root_);
  evhttp_set_max_body_size(http_.get(), most_bytes);
  evhttp_set_allowed_methods(http_.get(), EVHTTP_REQ_GET | EVHTTP_REQ_POST);
  evhttp_set_gencb(
      http_.get(),
      [](evhttp_request* request, void* self) { static_cast<Server*>(self)->answer(request); },
      this);
  const auto sweep = [](evutil_socket_t, short, void* self) {
    static_cast<Server*>(self)->look_after_jobs();
  };
  child_.reset(evsignal_new(base_.get(), SIGCHLD, sweep, this));
  clock_.reset(event_new(base_.get(), -1, EV_PERSIST, sweep, this));
  interrupt_.reset(evsignal_new(base_.get(), SIGINT, end_loop, base_.get()));
  end_.reset(evsignal_new(base_.get(), SIGTERM, end_loop, base_.get()));
}

Server::~Server() = default;

void Server::run() {
  constexpr timeval second = {1, 0};
  for (const auto* one : {&child_, &interrupt_, &end_}) event_add(one->get(), nullptr);
  event_add(clock_.get(), &second);
  event_base_dispatch(base_.get());
}

/// A page of another origin that knows the port knows no secret.
bool Server::is_for_us(evhttp_request* request) const {
  return llvm::StringRef(evhttp_request_get_uri(request)).startswith(root_);
}

void Server::answer(evhttp_request* request) {
  if (!is_for_us(request)) return reply_error(request, HTTP_NOTFOUND, "there is no such page");
  const std::string path =
      llvm::StringRef(evhttp_request_get_uri(request)).drop_front(root_.size()).str();
  const bool is_job = path == "job";
  if (is_job != (evhttp_request_get_command(request) == EVHTTP_REQ_POST))
    return reply_error(request, HTTP_BADMETHOD, "jobs are posted, and pages are not");
  if (path.empty()) return reply(request, HTTP_OK, "text/html; charset=utf-8", texts_.page);
  if (path == "catalog.json")
    return reply(request, HTTP_OK, "application/json; charset=utf-8", texts_.catalog);
  if (!is_job) return reply_error(request, HTTP_NOTFOUND, "there is no such page");
  try {
    start(request);
  } catch (const std::exception& error) {
    reply_error(request, HTTP_BADREQUEST, error.what());
  }
}

/// Earlier jobs of the same slot end: the page no longer waits for them.
void Server::start(evhttp_request* request) {
  const Job job = parse_job(body_of(request));
  for (Running& running : jobs_)
    if (running.slot == job.slot) stop(running);
  jobs_.push_back({job.slot, request, std::make_unique<Child>(job),
                   std::chrono::steady_clock::now() + most_time});
}

void Server::stop(Running& running) {
  running.child->kill();
  if (running.request) reply_error(running.request, HTTP_BADREQUEST, "another job took its place");
  running.request = nullptr;
}

void Server::look_after_jobs() {
  const auto now = std::chrono::steady_clock::now();
  for (auto running = jobs_.begin(); running != jobs_.end();) {
    if (running->child->has_ended()) {
      if (running->request) reply_json(running->request, HTTP_OK, running->child->answer());
      running = jobs_.erase(running);
      continue;
    }
    if (now > running->deadline && running->request) {
      running->child->kill();
      reply_error(running->request, HTTP_BADREQUEST,
                  fmt::format("it took more than {} seconds", most_time.count()));
      running->request = nullptr;
    }
    ++running;
  }
}

}  // namespace hone
