// A web server of a test's own on a free port of the loopback interface: it answers as badly as it is told to.
// HTTP/1.1, GET, one request a connection; every connection has a thread.
// The handler is called under a lock; the server ends, with whatever hangs, at the end of the scope.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace alidade::testing {

struct HttpRequest {
  std::string target;                          // "/zoo/zoo.data"
  std::map<std::string, std::string> headers;  // names in lower case

  /// N of "Range: bytes=N-".
  [[nodiscard]] std::optional<std::size_t> range_begin() const;
  [[nodiscard]] std::string header(const std::string& name) const;
};

struct HttpReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  bool with_length = true;               // says how long the body is
  std::size_t sent = std::string::npos;  // the connection is closed after so many bytes of the body ...
  bool hang = false;                     // ... or kept open without another byte
  std::size_t slice = 0;                 // bytes at a time, a millisecond apart; 0: all at once
};

/// As a good server answers: the whole, or from the range on if it still has what If-Range asks for.
[[nodiscard]] HttpReply served(const HttpRequest& request, const std::string& body,
                               const std::string& etag = "\"one\"");

class HttpServer {
 public:
  /// `nth`: how many requests there were for this target, with this one.
  using Handler = std::function<HttpReply(const HttpRequest& request, int nth)>;
  /// Listens from now on; connections wait until `start`, if that is not at once.
  explicit HttpServer(Handler handler, bool start_now = true);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  void start();

  /// "http://127.0.0.1:PORT" and the target.
  [[nodiscard]] std::string url(const std::string& target = "") const;
  [[nodiscard]] std::vector<HttpRequest> requests() const;

 private:
  void answer(int connection);
  [[nodiscard]] bool send_all(int connection, const char* bytes, std::size_t size) const;

  Handler handler_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::map<std::string, int> counts_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace alidade::testing
