#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace anneal {

/// What a failure means for the caller; the command line turns it into an exit code.
enum class ErrorKind {
    Failure,      ///< anything else: exit code 1
    InvalidInput, ///< the user's configuration, data or model: exit code 2
    RunFailed,    ///< the engine started and could not finish: exit code 3
    Stopped,      ///< stopped on request: exit code 4
};

/// An expected failure: one sentence that names file, line or field, and one that says what to do.
struct Error {
    std::string message;
    std::string fix;
    ErrorKind kind = ErrorKind::Failure;

    /// Message and fix as one text for a person.
    std::string text() const { return fix.empty() ? message : message + " " + fix; }
};

inline Error invalidInput(std::string message, std::string fix = {}) {
    return {std::move(message), std::move(fix), ErrorKind::InvalidInput};
}
inline Error failure(std::string message, std::string fix = {}) {
    return {std::move(message), std::move(fix), ErrorKind::Failure};
}

/// A value or the Error that kept it from being. Never both, never neither.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    template <class U>
    requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::decay_t<U>, T> &&
             !std::is_same_v<std::decay_t<U>, Error> && !std::is_same_v<std::decay_t<U>, Result<T>>)
        Result(U&& value)
        : state_(std::in_place_index<0>, std::forward<U>(value)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Error& error() & { return std::get<1>(state_); }
    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    Error& error() & { return *error_; }
    const Error& error() const& { return *error_; }
    Error&& error() && { return *std::move(error_); }

private:
    std::optional<Error> error_;
};

using Status = Result<void>;

} // namespace anneal

#define ANNEAL_JOIN_(a, b) a##b
#define ANNEAL_JOIN(a, b) ANNEAL_JOIN_(a, b)

/// Returns the error of `expression` from the enclosing function, or goes on.
#define ANNEAL_CHECK(expression)                                                                             \
    do {                                                                                                     \
        auto annealStatus_ = (expression);                                                                   \
        if (!annealStatus_.ok())                                                                             \
            return std::move(annealStatus_).error();                                                         \
    } while (false)

/// `ANNEAL_TRY(auto text, readFile(path));` declares the value, or returns the error from the function.
#define ANNEAL_TRY(declaration, expression)                                                                  \
    ANNEAL_TRY_(declaration, expression, ANNEAL_JOIN(annealResult_, __LINE__))
#define ANNEAL_TRY_(declaration, expression, name)                                                           \
    auto name = (expression);                                                                                \
    if (!name.ok())                                                                                          \
        return std::move(name).error();                                                                      \
    declaration = *std::move(name)
