#include "experiments/launch/mpi/message_passing.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "experiments/launch/mpi/mpi_module.hpp"
#include "problems/core/error.hpp"

namespace alidade {

namespace {

constexpr const char* kModule = "alidade_mpi.so";

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  int out = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, code] = std::from_chars(text, end, out);
  if (code != std::errc() || stop != end) return std::nullopt;
  return out;
}

int tasks_of_srun() { return number_in("SLURM_STEP_NUM_TASKS").value_or(1); }

class Module {
 public:
  Module() {
    const std::optional<std::string> file = mpi_module();
    require<ConfigError>(file.has_value(),
                         "This alidade was built without MPI, but mpirun or srun --mpi=pmix started it. Install "
                         "libopenmpi-dev and build it again, or divide the runs with --shard.");
    // Global, because Open MPI loads components that look for its symbols.
    library_ = ::dlopen(file->c_str(), RTLD_NOW | RTLD_GLOBAL);
    require<ConfigError>(library_ != nullptr,
                         "The MPI module cannot be loaded: {}. Build alidade again, or divide the runs with --shard.",
                         library_ ? "" : ::dlerror());
    find("alidade_mpi_begin", begin);
    find("alidade_mpi_send", send);
    find("alidade_mpi_probe", probe);
    find("alidade_mpi_receive", receive);
    find("alidade_mpi_end", end);
  }
  decltype(&alidade_mpi_begin) begin = nullptr;
  decltype(&alidade_mpi_send) send = nullptr;
  decltype(&alidade_mpi_probe) probe = nullptr;
  decltype(&alidade_mpi_receive) receive = nullptr;
  decltype(&alidade_mpi_end) end = nullptr;

 private:
  template <class Function>
  void find(const char* name, Function& out) {
    void* symbol = ::dlsym(library_, name);
    require<ConfigError>(symbol != nullptr,
                         "The MPI module belongs to another version of alidade: it has no {}. Build alidade again.",
                         name);
    out = reinterpret_cast<Function>(symbol);
  }
  void* library_ = nullptr;  // never closed: Open MPI leaves threads behind
};

class OpenMpi final : public MessagePassing {
 public:
  OpenMpi() { module_.begin(&rank_, &size_); }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void send(int to, const Message& message) override {
    const std::string bytes = message.kind + message.text;
    module_.send(to, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::optional<Received> receive() override {
    int from = 0;
    std::size_t size = 0;
    if (!module_.probe(&from, &size)) return std::nullopt;
    std::string bytes(size, '\0');
    module_.receive(from, bytes.data(), size);
    if (bytes.empty()) return std::nullopt;
    return Received{from, {bytes[0], bytes.substr(1)}};
  }
  void end() override { module_.end(); }

 private:
  Module module_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::optional<int> rank_under_mpirun() {
  if (const auto rank = number_in("OMPI_COMM_WORLD_RANK")) return rank;
  // A single task does not need it, and may be one of many independent tasks.
  return tasks_of_srun() > 1 ? number_in("PMIX_RANK") : std::nullopt;
}

int size_under_mpirun() {
  return number_in("OMPI_COMM_WORLD_SIZE").value_or(rank_under_mpirun() ? tasks_of_srun() : 1);
}

std::optional<std::string> mpi_module() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return std::nullopt;
  for (const std::filesystem::path& folder : {program.parent_path(), program.parent_path() / ALIDADE_MODULE_FOLDER})
    if (std::filesystem::is_regular_file(folder / kModule, failed))
      return (folder / kModule).lexically_normal().string();
  return std::nullopt;
}

std::unique_ptr<MessagePassing> join_ranks() { return std::make_unique<OpenMpi>(); }

std::pair<MessageSocket, MessageSocket> MessageSocket::pair() {
  std::array<int, 2> ends{};
  const int made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  require<DataError>(made == 0, "Cannot make a pair of sockets: {}.", std::strerror(errno));
  return {MessageSocket(ends[0]), MessageSocket(ends[1])};
}

MessageSocket::MessageSocket(MessageSocket&& other) noexcept
    : file_(std::exchange(other.file_, -1)), ended_(other.ended_), received_(std::move(other.received_)) {}

void MessageSocket::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool MessageSocket::send(const Message& message) {
  const std::uint64_t size = message.text.size() + 1;
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += message.kind;
  bytes += message.text;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(file_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

std::optional<Message> MessageSocket::receive() {
  std::array<char, 65536> buffer;
  while (!ended_) {
    const ssize_t got = ::recv(file_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      ended_ = true;
    }
  }
  std::uint64_t size = 0;
  if (received_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, received_.data(), sizeof size);
  if (received_.size() < sizeof size + size) return std::nullopt;
  Message out{received_[sizeof size], received_.substr(sizeof size + 1, size - 1)};
  received_.erase(0, sizeof size + size);
  return out;
}

bool MessageSocket::wait(int milliseconds) const {
  pollfd polled{file_, POLLIN, 0};
  return ::poll(&polled, 1, milliseconds) > 0;
}

}  // namespace alidade
