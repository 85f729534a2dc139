#include "ui/client/serve_link.h"

#include "ui/client/text.h"

namespace anneal {

ServeLink::ServeLink(QObject* parent) : QObject(parent) {}

void ServeLink::open(const ServeCommand& command) {
    close();
    giveUpReason_.clear();
    process_ = new QProcess(this);
    if (!command.runsFolder.isEmpty()) {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("ANNEAL_RUNS_DIR", command.runsFolder);
        process_->setProcessEnvironment(environment);
    }
    connect(process_, &QProcess::readyReadStandardOutput, this, &ServeLink::readMessages);
    connect(process_, &QProcess::readyReadStandardError, this, &ServeLink::readDiagnostics);
    connect(process_, &QProcess::finished, this, &ServeLink::onFinished);
    connect(process_, &QProcess::errorOccurred, this, &ServeLink::onError);
    process_->start(command.program, command.arguments);
}

void ServeLink::write(const QByteArray& line) {
    if (process_ && process_->state() != QProcess::NotRunning)
        process_->write(line);
}

void ServeLink::close() {
    if (!process_)
        return;
    process_->disconnect(this);
    process_->closeWriteChannel();
    if (process_->state() != QProcess::NotRunning && !process_->waitForFinished(500)) {
        process_->kill();
        process_->waitForFinished(2000);
    }
    process_->deleteLater();
    process_ = nullptr;
    lines_.clear();
    diagnostics_.clear();
}

void ServeLink::readMessages() {
    lines_.append(process_->readAllStandardOutput());
    QList<JsonMessage> messages;
    while (const auto line = lines_.next()) {
        if (line->trimmed().isEmpty())
            continue;
        auto parsed = parseJson(std::string_view(line->constData(), static_cast<std::size_t>(line->size())),
                                "the answer of anneal serve");
        if (!parsed || !parsed->is_object()) {
            giveUp("anneal serve sent a line that is not a JSON object: " +
                   QString::fromUtf8(line->left(80)).simplified());
            break;
        }
        messages.append(std::make_shared<const Json>(*std::move(parsed)));
    }
    if (!messages.isEmpty())
        Q_EMIT received(messages);
    if (lines_.overflown())
        giveUp("anneal serve sent a line longer than " + QString::number(maxServeLine >> 20) + " MiB.");
}

/// A peer that breaks the protocol is ended; what follows such a line cannot be trusted.
void ServeLink::giveUp(const QString& reason) {
    if (!giveUpReason_.isEmpty())
        return;
    giveUpReason_ = reason;
    disconnect(process_, &QProcess::readyReadStandardOutput, this, nullptr);
    process_->kill();
}

void ServeLink::readDiagnostics() {
    diagnostics_.append(process_->readAllStandardError());
    while (const auto line = diagnostics_.next())
        Q_EMIT diagnosed(QString::fromUtf8(line->left(2000)));
    if (diagnostics_.overflown())
        diagnostics_.clear();
}

void ServeLink::onFinished(int code, QProcess::ExitStatus status) {
    readDiagnostics();
    if (giveUpReason_.isEmpty())
        readMessages();
    const auto how = status == QProcess::CrashExit ? QString("was killed or crashed")
                                                   : "ended with exit code " + QString::number(code);
    const auto reason = giveUpReason_.isEmpty() ? "anneal serve " + how + "." : giveUpReason_;
    lines_.clear();
    diagnostics_.clear();
    Q_EMIT closed(reason, false);
}

void ServeLink::onError(QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
        Q_EMIT closed("Cannot start " + process_->program() + ": " + process_->errorString() + ".", true);
}

} // namespace anneal
