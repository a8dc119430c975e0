#include "experiments/datasets/download/http_download.hpp"

#include <system_error>

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
#include <sstream>
#include <string_view>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"
#endif

namespace alidade::datasets {
namespace {

std::filesystem::path memory_of(std::filesystem::path part) {
  part += ".from";
  return part;
}

}  // namespace

void forget_download(const std::filesystem::path& part) {
  std::error_code ignored;
  std::filesystem::remove(memory_of(part), ignored);
  std::filesystem::remove(part, ignored);
}

#ifndef ALIDADE_HAS_CURL

bool can_download() { return false; }

Downloaded download(const std::string& url, const std::filesystem::path&, const DownloadLimits&, const DownloadHooks&) {
  throw DataError(
      fmt::format("This alidade was built without libcurl and cannot download {}. Install "
                  "libcurl4-openssl-dev and build it again, or give --from FOLDER.",
                  url));
}

#else

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kLongestPause = 60;
constexpr int kMostAttempts = 1000;  // even if a server sends one byte at a time

/// The record of the file that a part belongs to.
struct Memory {
  std::string url, validator;
  std::optional<std::uintmax_t> all;
};

std::optional<std::uintmax_t> number_in(std::string_view text) {
  std::uintmax_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Memory remembered(const std::filesystem::path& part) {
  Memory out;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(memory_of(part), ignored)) return out;
  std::istringstream lines(read_bytes(memory_of(part)));
  std::string all;
  std::getline(std::getline(std::getline(lines, out.url), out.validator), all);
  out.all = number_in(all);
  return out;
}

/// "bytes 10-99/100": where the response begins, and the whole length if known.
struct ContentRange {
  std::optional<std::uintmax_t> first, all;
};
ContentRange range_in(std::string_view text) {
  ContentRange out;
  if (!text.starts_with("bytes ")) return out;
  text = trim(text.substr(6));
  const auto dash = text.find('-'), slash = text.find('/');
  if (slash == text.npos) return out;
  if (dash < slash) out.first = number_in(text.substr(0, dash));
  out.all = number_in(text.substr(slash + 1));
  return out;
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
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
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
  return std::ranges::find(kTransient, code) != std::end(kTransient);
}

bool is_transient(long status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501);
}

/// One request and its response. libcurl follows redirects, enforces time and size, and reads the headers. It calls our
/// members, which must not throw through it, so they keep what they would throw.
class Exchange {
 public:
  Exchange(PartFile& part, Memory& memory, const DownloadLimits& limits, const DownloadHooks& hooks)
      : part_(part), memory_(memory), limits_(limits), hooks_(hooks), offset_(part.size()) {}

  enum class End { complete, stopped, again, from_the_start };
  /// How the request ended, with the reason if it should be retried. @throws DownloadError, DataError
  End run() {
    require<DataError>(curl_ != nullptr, "libcurl cannot be started: there is no memory left.");
    curl_slist* headers = nullptr;
    if (offset_ > 0 && !memory_.validator.empty())
      headers = curl_slist_append(headers, ("If-Range: " + memory_.validator).c_str());
    const std::unique_ptr<curl_slist, void (*)(curl_slist*)> kept(headers, curl_slist_free_all);
    char text[CURL_ERROR_SIZE] = "";
    set_options(headers, text);
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code == CURLE_OK && !began_ && status() == 200) static_cast<void>(begin());  // an empty body
    return judge(code, text);
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] double wanted_pause() const { return wanted_pause_; }
  /// Whether it resumed an earlier attempt.
  [[nodiscard]] bool went_on() const { return offset_ > 0 && status() == 206; }

 private:
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self) {
    return static_cast<Exchange*>(self)->take_body({data, one * size}) ? one * size : 0;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Exchange*>(self)->go_on() ? 0 : 1;
  }

  void set_options(const curl_slist* headers, char* error_text) {
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl_.get(), option, value); };
    const long stall = std::max(1L, static_cast<long>(std::ceil(limits_.stall_seconds)));
    set(CURLOPT_URL, memory_.url.c_str());
    set(CURLOPT_USERAGENT, "alidade");
    set(CURLOPT_ERRORBUFFER, error_text);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, memory_.url.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, static_cast<long>(limits_.redirects));
    set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits_.bytes));
    set(CURLOPT_CONNECTTIMEOUT, stall);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes per second
    set(CURLOPT_LOW_SPEED_TIME, stall);
    // Not RESUME_FROM: it treats a whole file, the response to If-Range after a change, as an error.
    if (offset_ > 0) set(CURLOPT_RANGE, (std::to_string(offset_) + "-").c_str());
    if (headers != nullptr) set(CURLOPT_HTTPHEADER, headers);
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
      hooks_.progress(part_.size(), memory_.all);
    }
    return !hooks_.stop.stop_requested();
  }

  /// At the response's first byte: does it resume the part or replace it?
  bool begin() {
    began_ = true;
    if (status() == 206) {
      const ContentRange range = range_in(header("Content-Range"));
      const std::string now = validator();
      const bool same = offset_ > 0 && range.first == offset_ &&
                        (!range.all || !memory_.all || *range.all == *memory_.all) &&
                        (now.empty() || now == memory_.validator);
      other_file_ = !same;
      return same;
    }
    if (status() != 200) return false;
    curl_off_t length = -1;
    curl_easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    memory_.validator = validator();
    memory_.all.reset();
    if (length >= 0) memory_.all = static_cast<std::uintmax_t>(length);
    // Empty the part first, then write the new record: so a part is never mistaken for another file's.
    part_.clear();
    write_whole_file(memory_of(part_.path()), fmt::format("{}\n{}\n{}\n", memory_.url, memory_.validator,
                                                          memory_.all ? std::to_string(*memory_.all) : ""));
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
      fail(fmt::format("It redirects to '{}', which is not {}. Nothing was downloaded from there.", effective_url(),
                       memory_.url.starts_with("https:") ? "https" : "http or https"));
    if (other_file_ || (status() == 416 && offset_ > 0)) {
      // Everything may be here already: then the missing range is empty.
      if (status() == 416 && range_in(header("Content-Range")).all == offset_) return End::complete;
      reason_ = "the file on the server has changed";
      return End::from_the_start;
    }
    const bool answered = code == CURLE_OK || code == CURLE_WRITE_ERROR;
    if (answered && status() != 200 && status() != 206) {
      curl_off_t wait = 0;
      curl_easy_getinfo(curl_.get(), CURLINFO_RETRY_AFTER, &wait);
      wanted_pause_ = static_cast<double>(wait);
      reason_ = fmt::format("the server answered {}", status());
      if (!is_transient(status())) fail(fmt::format("The server answered {}.", status()));
      return End::again;
    }
    if (code == CURLE_OK) return End::complete;
    reason_ = text != nullptr && *text != '\0' ? text : curl_easy_strerror(code);
    if (!is_transient(code)) fail(reason_ + ".");
    return End::again;
  }

  [[nodiscard]] long status() const {
    long out = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &out);
    return out;
  }

  /// Of the last response; "" if missing.
  [[nodiscard]] std::string header(const char* name) const {
    curl_header* header = nullptr;
    const bool there = curl_easy_header(curl_.get(), name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    return there ? header->value : "";
  }

  /// The address after redirects.
  [[nodiscard]] std::string effective_url() const {
    const char* out = nullptr;
    curl_easy_getinfo(curl_.get(), CURLINFO_EFFECTIVE_URL, &out);
    return out != nullptr ? out : "";
  }

  [[nodiscard]] std::string validator() const {
    const std::string etag = header("ETag");
    return !etag.empty() && !etag.starts_with("W/") ? etag : header("Last-Modified");
  }

  [[noreturn]] void fail(const std::string& why) const { throw DownloadError(fmt::format("{}: {}", memory_.url, why)); }

  PartFile& part_;
  Memory& memory_;
  const DownloadLimits& limits_;
  const DownloadHooks& hooks_;
  const std::uintmax_t offset_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_{curl_easy_init(), curl_easy_cleanup};
  bool began_ = false, other_file_ = false, too_large_ = false;
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
  Memory memory = remembered(part);
  const auto start_over = [&] {
    memory = {.url = url, .validator = "", .all = std::nullopt};
    file.clear();
  };
  const bool usable =
      memory.url == url && (memory.all || !memory.validator.empty()) && (!memory.all || file.size() <= *memory.all);
  if (!usable) start_over();
  Downloaded out;
  if (memory.all && *memory.all == file.size() && file.size() > 0) {
    out.complete = out.pieced = true;  // it may be old: less certain than one response
    return out;
  }
  std::uintmax_t farthest = file.size();
  int fruitless = 0, restarts = 0;
  for (int attempt = 1;; ++attempt) {
    Exchange request(file, memory, limits, hooks);
    const Exchange::End end = request.run();
    out.pieced = out.pieced || request.went_on();
    if (end == Exchange::End::stopped) return out;
    if (end == Exchange::End::complete) {
      out.complete = true;
      out.pieced = out.pieced || !memory.all;  // without a length, truncation cannot be noticed
      if (hooks.progress) hooks.progress(file.size(), file.size());
      return out;
    }
    if (end == Exchange::End::from_the_start) {
      require<DownloadError>(++restarts <= limits.retries + 1,
                             "{}: The file on the server changes all the time. Try again later, "
                             "or name a mirror with --from.",
                             url);
      if (hooks.retrying) hooks.retrying(request.reason() + "; downloading from the start");
      start_over();
      out.pieced = false;
      continue;
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
