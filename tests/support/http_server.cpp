#include "tests/support/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace alidade::testing {
namespace {

constexpr int kTick = 10;  // milliseconds between looks at whether the server ends

/// Whether the socket has something to read, or is closed; false once `ending`.
bool wait_for(int socket, const std::atomic<bool>& ending) {
  while (!ending) {
    pollfd ready{socket, POLLIN, 0};
    if (::poll(&ready, 1, kTick) > 0) return true;
  }
  return false;
}

HttpRequest parse(std::string_view text) {
  HttpRequest out;
  const auto blank = text.find(' ');
  out.target = text.substr(blank + 1, text.find(' ', blank + 1) - blank - 1);
  text.remove_prefix(text.find("\r\n") + 2);
  while (!text.starts_with("\r\n")) {
    const std::string_view line = text.substr(0, text.find("\r\n"));
    const auto colon = line.find(": ");
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    out.headers[name] = line.substr(colon + 2);
    text.remove_prefix(line.size() + 2);
  }
  return out;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto entry = headers.find(name);
  return entry == headers.end() ? "" : entry->second;
}

std::optional<std::size_t> HttpRequest::range_begin() const {
  const std::string range = header("range");
  if (!range.starts_with("bytes=")) return std::nullopt;
  return std::stoul(range.substr(6));
}

HttpReply served(const HttpRequest& request, const std::string& body, const std::string& etag) {
  HttpReply out;
  if (!etag.empty()) out.headers.emplace_back("ETag", etag);
  out.headers.emplace_back("Accept-Ranges", "bytes");
  const std::string condition = request.header("if-range");
  const auto begin = request.range_begin();
  if (!begin || (!condition.empty() && condition != etag)) {
    out.body = body;
    return out;
  }
  if (*begin >= body.size()) {
    out.status = 416;
    out.headers.emplace_back("Content-Range", "bytes */" + std::to_string(body.size()));
    return out;
  }
  out.status = 206;
  out.headers.emplace_back("Content-Range", "bytes " + std::to_string(*begin) + "-" + std::to_string(body.size() - 1) +
                                                "/" + std::to_string(body.size()));
  out.body = body.substr(*begin);
  return out;
}

HttpServer::HttpServer(Handler handler, bool start_now) : handler_(std::move(handler)) {
  ::setenv("no_proxy", "*", 1);  // a proxy that this machine may have is for other servers
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("no server on the loopback interface");
  port_ = ntohs(address.sin_port);
  if (start_now) start();
}

void HttpServer::start() {
  acceptor_ = std::thread([this] {
    while (wait_for(listener_, ending_)) {
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      connections_.emplace_back([this, connection] {
        answer(connection);
        ::close(connection);
      });
    }
  });
}

HttpServer::~HttpServer() {
  ending_ = true;
  if (acceptor_.joinable()) acceptor_.join();
  for (std::thread& connection : connections_) connection.join();
  ::close(listener_);
}

std::string HttpServer::url(const std::string& target) const {
  return "http://127.0.0.1:" + std::to_string(port_) + target;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool HttpServer::send_all(int connection, const char* bytes, std::size_t size) const {
  while (size > 0 && !ending_) {
    pollfd ready{connection, POLLOUT, 0};
    if (::poll(&ready, 1, kTick) == 0) continue;
    const ssize_t sent = ::send(connection, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return size == 0;
}

void HttpServer::answer(int connection) {
  std::string text;
  while (text.find("\r\n\r\n") == std::string::npos) {
    char buffer[4096];
    if (!wait_for(connection, ending_)) return;
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  const HttpRequest request = parse(text);
  HttpReply reply;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    reply = handler_(request, ++counts_[request.target]);
  }
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " As told\r\nConnection: close\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  if (reply.with_length) head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  head += "\r\n";
  const std::size_t sent = std::min(reply.sent, reply.body.size());
  if (!send_all(connection, head.data(), head.size())) return;
  const std::size_t slice = reply.slice == 0 ? sent : reply.slice;
  for (std::size_t at = 0; at < sent; at += slice) {
    if (!send_all(connection, reply.body.data() + at, std::min(slice, sent - at))) return;
    if (reply.slice > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (reply.hang) wait_for(connection, ending_);
  ::shutdown(connection, SHUT_WR);
  // Until the client has read it all: closing at once might throw away what is still under way.
  for (char rest[256]; wait_for(connection, ending_) && ::recv(connection, rest, sizeof rest, 0) > 0;) {
  }
}

}  // namespace alidade::testing
