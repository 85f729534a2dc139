#pragma once
#include "core/base/json.h"
#include "ui/client/line_splitter.h"
#include "ui/client/serve_command.h"

#include <QList>
#include <QObject>
#include <QProcess>

#include <memory>

namespace anneal {

using JsonMessage = std::shared_ptr<const Json>;

/// The serving process and its pipes. Lives in a thread of its own, so that both pipes are drained and lines
/// are parsed while the window is busy.
class ServeLink : public QObject {
    Q_OBJECT

public:
    explicit ServeLink(QObject* parent = nullptr);

    void open(const ServeCommand& command);
    void write(const QByteArray& line);
    /// Closes the pipes and ends the process.
    void close();

Q_SIGNALS:
    void received(const QList<anneal::JsonMessage>& messages);
    /// A line of the process's standard error.
    void diagnosed(const QString& line);
    /// The process is gone; `reason` is a sentence. `missing`: it could not be started at all.
    void closed(const QString& reason, bool missing);

private:
    void readMessages();
    void readDiagnostics();
    void onFinished(int code, QProcess::ExitStatus status);
    void onError(QProcess::ProcessError error);
    void giveUp(const QString& reason);

    QProcess* process_ = nullptr;
    LineSplitter lines_;
    LineSplitter diagnostics_{64 << 10};
    QString giveUpReason_;
};

} // namespace anneal
