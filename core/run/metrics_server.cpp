#include "core/run/metrics_server.h"

#include "core/base/text.h"
#include "core/telemetry/prometheus.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace anneal {

namespace {

constexpr int pollMilliseconds = 200;
constexpr std::uint64_t telemetryTailBytes = 64u << 10;

struct Address {
    std::string host = "127.0.0.1", port;
};

Result<Address> parseAddress(const std::string& text) {
    const auto colon = text.rfind(':');
    Address address;
    address.port = colon == text.npos ? text : text.substr(colon + 1);
    if (colon != text.npos && colon > 0)
        address.host = text.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']')) // [::1]:9400
        address.host = address.host.substr(1, address.host.size() - 2);
    const auto port = parseInteger(address.port);
    if (!port || *port < 0 || *port > 65535)
        return invalidInput("monitoring.prometheus '" + text + "' names no port.",
                            "Write host:port, such as 127.0.0.1:9400.");
    return address;
}

Result<int> listenOn(const Address& address) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int code = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found))
        return failure("Cannot resolve " + address.host + ": " + ::gai_strerror(code) + ".",
                       "Correct monitoring.prometheus.");
    const int descriptor = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool listens = descriptor >= 0 && ::bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 &&
                         ::listen(descriptor, 8) == 0;
    const int error = errno;
    ::freeaddrinfo(found);
    if (listens)
        return descriptor;
    if (descriptor >= 0)
        ::close(descriptor);
    return failure("Cannot listen on " + address.host + ":" + address.port + ": " + std::strerror(error) +
                       ".",
                   "Choose another monitoring.prometheus.");
}

int portOf(int listener) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
        return 0;
    return address.ss_family == AF_INET6 ? ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port)
                                         : ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

std::string httpAnswer(const std::string& status, const std::string& body) {
    return "HTTP/1.0 " + status + "\r\nContent-Type: " + prometheusContentType +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

} // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address,
                                                            const RunFolder& folder) {
    ANNEAL_TRY(const auto parsed, parseAddress(address));
    ANNEAL_TRY(const int listener, listenOn(parsed));
    return std::unique_ptr<MetricsServer>(new MetricsServer(listener, portOf(listener), folder));
}

MetricsServer::MetricsServer(int listener, int port, const RunFolder& folder)
    : listener_(listener), port_(port), run_(folder),
      telemetry_(LineFollower::fromTail(folder.telemetry(), telemetryTailBytes)),
      thread_([this] { serve(); }) {}

MetricsServer::~MetricsServer() {
    ending_ = true;
    thread_.join();
    ::close(listener_);
}

void MetricsServer::serve() {
    while (!ending_) {
        pollfd waiting{listener_, POLLIN, 0};
        if (::poll(&waiting, 1, pollMilliseconds) <= 0)
            continue;
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0)
            continue;
        answer(connection);
        ::close(connection);
    }
}

void MetricsServer::answer(int connection) {
    pollfd readable{connection, POLLIN, 0};
    std::array<char, 4096> request; // the request line is all that counts
    if (::poll(&readable, 1, pollMilliseconds) <= 0)
        return;
    const auto got = ::recv(connection, request.data(), request.size(), 0);
    const bool isGet = got >= 4 && std::string_view(request.data(), 4) == "GET ";
    const auto text = isGet ? httpAnswer("200 OK", metrics()) : httpAnswer("405 Method Not Allowed", "");
    (void)!::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

std::string MetricsServer::metrics() {
    run_.poll();
    for (auto samples = telemetry_.poll(); !samples.empty(); samples = telemetry_.poll())
        if (TelemetrySample sample; fromJson(samples.back(), sample))
            sample_ = std::move(sample);
    return prometheusText(run_.summary(), sample_ ? &*sample_ : nullptr);
}

} // namespace anneal
