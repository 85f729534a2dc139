#include "core/run/webhook.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <memory>

namespace anneal {

namespace {

constexpr int timeoutMilliseconds = 20000;

/// Qt's network needs an application object; a program of ours that has none gets one for the call.
std::unique_ptr<QCoreApplication> applicationIfMissing() {
    static int argc = 1;
    static char name[] = "anneal";
    static char* argv[] = {name, nullptr};
    return QCoreApplication::instance() ? nullptr : std::make_unique<QCoreApplication>(argc, argv);
}

} // namespace

Status postJson(const std::string& url, const Json& body) {
    const QUrl address(QString::fromStdString(url), QUrl::StrictMode);
    if (!address.isValid() ||
        (address.scheme() != QStringLiteral("https") && address.scheme() != QStringLiteral("http")))
        return invalidInput("The webhook '" + url + "' is no http or https address.",
                            "Correct notify.webhook.");
    const auto application = applicationIfMissing();
    QNetworkAccessManager network;
    QNetworkRequest request(address);
    request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArrayLiteral("application/json"));
    request.setTransferTimeout(timeoutMilliseconds);
    const std::unique_ptr<QNetworkReply> reply(
        network.post(request, QByteArray::fromStdString(dumpJson(body))));
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    loop.exec();
    if (reply->error() != QNetworkReply::NoError)
        return failure("The webhook " + address.host().toStdString() +
                       " did not take the message: " + reply->errorString().toStdString() + ".");
    return {};
}

} // namespace anneal
