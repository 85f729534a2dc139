#include "core/run/metrics_server.h"
#include "core/run/webhook.h"
#include "core/runfolder/registry.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

using namespace anneal;

class TestNetwork : public QObject {
    Q_OBJECT

private:
    QTemporaryDir directory_;

    RunFolder newRun(const char* id) {
        const auto folder = createRunFolder(directory_.path().toStdString(), id, "");
        Q_ASSERT(folder);
        RunState state;
        state.status = RunStatus::Finished;
        state.step = 7;
        (void)writeState(*folder, state);
        return *folder;
    }

    static QByteArray talk(int port, const QByteArray& request) {
        QTcpSocket socket;
        socket.connectToHost("127.0.0.1", static_cast<quint16>(port));
        if (!socket.waitForConnected(5000))
            return {};
        socket.write(request);
        while (socket.waitForReadyRead(5000)) {
        }
        return socket.readAll();
    }

private Q_SLOTS:
    void prometheusIsAnswered() {
        const auto server = MetricsServer::start("0", newRun("metrics")); // any free port of this machine
        QVERIFY2(server, server ? "" : server.error().message.c_str());
        const auto answer = talk((*server)->port(), "GET /metrics HTTP/1.0\r\n\r\n");
        QVERIFY2(answer.startsWith("HTTP/1.0 200 OK\r\n"), answer.constData());
        QVERIFY(answer.contains("text/plain; version=0.0.4"));
        QVERIFY2(answer.contains("anneal_") && answer.contains("run=\"metrics\""), answer.constData());
        QVERIFY(talk((*server)->port(), "POST / HTTP/1.0\r\n\r\n").startsWith("HTTP/1.0 405"));
    }

    void badAddressesAreErrors() {
        const auto folder = newRun("addresses");
        for (const char* address : {"", "here", "127.0.0.1:", "127.0.0.1:99999"})
            QVERIFY2(!MetricsServer::start(address, folder), address);
        QTcpServer taken;
        QVERIFY(taken.listen(QHostAddress::LocalHost));
        const auto refused = MetricsServer::start(std::to_string(taken.serverPort()), folder);
        QVERIFY(!refused && !refused.error().fix.empty());
    }

    void aWebhookIsPosted() {
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost));
        QByteArray got;
        connect(&server, &QTcpServer::newConnection, this, [&] {
            auto* socket = server.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [&got, socket] {
                got += socket->readAll();
                if (got.endsWith("}"))
                    socket->write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
            });
        });
        const auto url = "http://127.0.0.1:" + std::to_string(server.serverPort()) + "/hook";
        QVERIFY(postJson(url, {{"id", "a"}}));
        QVERIFY2(got.startsWith("POST /hook HTTP/1.1\r\n") && got.endsWith("{\"id\":\"a\"}"),
                 got.constData());
        QVERIFY(got.contains("application/json"));
        server.close();
        QVERIFY(!postJson(url, {{"id", "a"}}));
        QVERIFY(!postJson("file:///etc/passwd", {{"id", "a"}}));
    }
};

QTEST_GUILESS_MAIN(TestNetwork)
#include "test_network.moc"
