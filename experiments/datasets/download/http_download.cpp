#include "experiments/datasets/download/http_download.hpp"

#include <sentences/datasets.hpp>

#ifdef ALIDADE_HAS_CURL
#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>

#include "experiments/files/durable_file.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"
#endif

namespace alidade::datasets {
#ifndef ALIDADE_HAS_CURL

bool can_download() { return false; }

Downloaded download(const std::string& url, const std::filesystem::path&, const DownloadLimits&, const DownloadHooks&) {
  throw DataError(fmt::format(words::kNoCurl, url));
}

#else

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kLongestPause = 60;
constexpr int kMostAttempts = 1000;  // even if a server sends one byte at a time

/// Where a response with the header "Content-Range: bytes 10-99/100" begins.
std::optional<std::uintmax_t> range_begin(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  std::uintmax_t value = 0;
  if (!text.starts_with(kUnit)) return std::nullopt;
  text = trim(text.substr(kUnit.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != '-') return std::nullopt;
  return value;
}

/// A part file open for writing.
class PartFile {
 public:
  explicit PartFile(const std::filesystem::path& path)
      : path_(path), file_(open_regular_file(path, O_WRONLY | O_CREAT)) {
    const off_t end = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
    if (end < 0) refuse_writing(path_, errno);
    size_ = static_cast<std::uintmax_t>(end);
  }
  ~PartFile() { ::close(file_); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] std::uintmax_t size() const { return size_; }
  /// @throws DataError; earlier bytes stay
  void append(std::string_view bytes) {
    if (const int code = write_all(file_, bytes); code != 0) refuse_writing(path_, code);
    size_ += bytes.size();
  }
  void clear() {
    if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0) refuse_writing(path_, errno);
    size_ = 0;
  }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::uintmax_t size_ = 0;
};

bool is_transient(CURLcode code) {
  constexpr CURLcode kTransient[] = {
      CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
      CURLE_RECV_ERROR,      CURLE_SSL_CONNECT_ERROR,  CURLE_HTTP2,        CURLE_HTTP2_STREAM};
  return contains(kTransient, code);
}

bool is_transient(long status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501);
}

/// One request and its response. libcurl follows redirects, enforces time and size, and reads the headers. It calls our
/// members, which must not throw through it, so they keep what they would throw.
class Exchange {
 public:
  Exchange(const std::string& url, PartFile& part, const DownloadLimits& limits, const DownloadHooks& hooks)
      : url_(url), part_(part), limits_(limits), hooks_(hooks), offset_(part.size()) {}

  enum class End { complete, stopped, again };
  /// How the request ended, with the reason if it should be retried. @throws DownloadError, DataError
  End run() {
    require<DataError>(curl_ != nullptr, "libcurl cannot be started: there is no memory left.");
    char text[CURL_ERROR_SIZE] = "";
    set_options(text);
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code == CURLE_OK && !began_ && status() == 200) static_cast<void>(begin());  // an empty body
    return judge(code, text);
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] double wanted_pause() const { return wanted_pause_; }
  /// Whether the part may hold other bytes than one whole response: an earlier attempt was resumed, or was all there
  /// is; or there was no length, so that nobody would notice if it were cut.
  [[nodiscard]] bool pieced() const { return (offset_ > 0 && status() != 200) || !all_; }

 private:
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self) {
    return static_cast<Exchange*>(self)->take_body({data, one * size}) ? one * size : 0;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Exchange*>(self)->go_on() ? 0 : 1;
  }

  void set_options(char* error_text) {
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl_.get(), option, value); };
    const long stall = std::max(1L, static_cast<long>(std::ceil(limits_.stall_seconds)));
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_USERAGENT, "alidade");
    set(CURLOPT_ERRORBUFFER, error_text);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, url_.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, static_cast<long>(limits_.redirects));
    set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits_.bytes));
    set(CURLOPT_CONNECTTIMEOUT, stall);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes per second
    set(CURLOPT_LOW_SPEED_TIME, stall);
    // Not RESUME_FROM: it treats a whole file as an error.
    if (offset_ > 0) set(CURLOPT_RANGE, (std::to_string(offset_) + "-").c_str());
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Exchange::on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }

  bool take_body(std::string_view bytes) {
    try {
      if (!began_ && !begin()) return false;
      // Stored bytes count too; a response may have no length.
      too_large_ = part_.size() + bytes.size() > limits_.bytes;
      if (!too_large_) part_.append(bytes);
    } catch (const DataError&) {
      failure_ = std::current_exception();
    }
    return !too_large_ && !failure_;
  }

  bool go_on() {
    const auto now = Clock::now();
    if (hooks_.progress && began_ && Seconds(now - last_shown_).count() > 0.1) {
      last_shown_ = now;
      hooks_.progress(part_.size(), all_);
    }
    return !hooks_.stop.stop_requested();
  }

  /// At the response's first byte: does it resume the part or replace it?
  bool begin() {
    began_ = true;
    const auto length = info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);  // -1: unknown
    if (status() == 206) {
      other_part_ = offset_ == 0 || range_begin(header("Content-Range")) != offset_;
      if (other_part_) part_.clear();
      if (length >= 0) all_ = offset_ + static_cast<std::uintmax_t>(length);
      return !other_part_;
    }
    if (status() != 200) return false;
    if (length >= 0) all_ = static_cast<std::uintmax_t>(length);
    part_.clear();
    return true;
  }

  [[nodiscard]] End judge(CURLcode code, const char* text) {
    if (failure_) std::rethrow_exception(failure_);
    if (too_large_ || code == CURLE_FILESIZE_EXCEEDED)
      fail(fmt::format("It is larger than the limit of {} bytes.", limits_.bytes));
    if (hooks_.stop.stop_requested()) return End::stopped;
    if (code == CURLE_OPERATION_TIMEDOUT) {
      reason_ = fmt::format("no byte for {:g} s", limits_.stall_seconds);
      return End::again;
    }
    if (code == CURLE_TOO_MANY_REDIRECTS) fail(fmt::format("It redirects more than {} times.", limits_.redirects));
    if (code == CURLE_UNSUPPORTED_PROTOCOL)
      fail(fmt::format(words::kRedirectedElsewhere, info<const char*>(CURLINFO_EFFECTIVE_URL),
                       url_.starts_with("https:") ? "https" : "http or https"));
    if (status() == 416 && offset_ > 0) return End::complete;  // everything may be here already
    if (other_part_) {
      reason_ = "the server sent another part than was asked for";
      return End::again;
    }
    const bool answered = code == CURLE_OK || code == CURLE_WRITE_ERROR;
    if (answered && status() != 200 && status() != 206) {
      wanted_pause_ = static_cast<double>(info<curl_off_t>(CURLINFO_RETRY_AFTER));
      reason_ = fmt::format("the server answered {}", status());
      if (!is_transient(status())) fail(fmt::format("The server answered {}.", status()));
      return End::again;
    }
    if (code == CURLE_OK) return End::complete;
    reason_ = text != nullptr && *text != '\0' ? text : curl_easy_strerror(code);
    if (!is_transient(code)) fail(reason_ + ".");
    return End::again;
  }

  template <class T>
  [[nodiscard]] T info(CURLINFO which) const {
    T out{};
    curl_easy_getinfo(curl_.get(), which, &out);
    return out;
  }
  [[nodiscard]] long status() const { return info<long>(CURLINFO_RESPONSE_CODE); }

  /// Of the last response; "" if missing.
  [[nodiscard]] std::string header(const char* name) const {
    curl_header* header = nullptr;
    const bool there = curl_easy_header(curl_.get(), name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    return there ? header->value : "";
  }

  [[noreturn]] void fail(const std::string& why) const { throw DownloadError(fmt::format("{}: {}", url_, why)); }

  const std::string& url_;
  PartFile& part_;
  const DownloadLimits& limits_;
  const DownloadHooks& hooks_;
  const std::uintmax_t offset_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_{curl_easy_init(), curl_easy_cleanup};
  bool began_ = false, other_part_ = false, too_large_ = false;
  std::optional<std::uintmax_t> all_{};  // the size of the whole file, if the server says it
  std::exception_ptr failure_{};
  std::string reason_;
  double wanted_pause_ = 0;
  Clock::time_point last_shown_{};
};

/// False if a stop was requested meanwhile.
bool pause_for(double seconds, const DownloadHooks& hooks) {
  if (hooks.pause) {
    hooks.pause(seconds);
  } else {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, hooks.stop, Seconds(seconds), [] { return false; });
  }
  return !hooks.stop.stop_requested();
}

}  // namespace

bool can_download() { return true; }

Downloaded download(const std::string& url, const std::filesystem::path& part, const DownloadLimits& limits,
                    const DownloadHooks& hooks) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  require<DataError>(started == CURLE_OK, "libcurl cannot be started: {}.", curl_easy_strerror(started));
  require<DownloadError>(url.starts_with("https://") || url.starts_with("http://"),
                         "'{}' is not an http or https address.", url);

  PartFile file(part);
  Downloaded out;
  std::uintmax_t farthest = file.size();
  int fruitless = 0;
  for (int attempt = 1;; ++attempt) {
    Exchange request(url, file, limits, hooks);
    const Exchange::End end = request.run();
    if (end == Exchange::End::stopped) return out;
    if (end == Exchange::End::complete) {
      out.complete = true;
      out.pieced = request.pieced();
      if (hooks.progress) hooks.progress(file.size(), file.size());
      return out;
    }
    if (file.size() > farthest) {
      farthest = file.size();
      fruitless = 0;
    }
    ++fruitless;
    require<DownloadError>(fruitless <= limits.retries && attempt < kMostAttempts, "{}: Failed after {} attempts: {}.",
                           url, attempt, request.reason());
    const double pause =
        std::min(kLongestPause, std::max(limits.pause_seconds * std::exp2(fruitless - 1), request.wanted_pause()));
    if (hooks.retrying) hooks.retrying(fmt::format("{}; next attempt in {:.2g} s", request.reason(), pause));
    if (!pause_for(pause, hooks)) return out;
  }
}

#endif

}  // namespace alidade::datasets
