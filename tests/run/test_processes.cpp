#include "core/base/system.h"
#include "core/run/child_process.h"
#include "core/run/work_queue.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <csignal>
#include <thread>

using namespace anneal;

namespace {

bool eventually(const std::function<bool()>& done) {
    for (int i = 0; i < 500 && !done(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return done();
}

} // namespace

class TestProcesses : public QObject {
    Q_OBJECT

private:
    QTemporaryDir directory_;
    fs::path file(const char* name) const { return fs::path(directory_.path().toStdString()) / name; }

private Q_SLOTS:
    void commandsAreSplitWithoutAShell() {
        using Words = std::vector<std::string>;
        QCOMPARE(*splitCommand("  say 'a  b' \"c \\\" d\" e\\ f $HOME ''"),
                 (Words{"say", "a  b", "c \" d", "e f", "$HOME", ""}));
        QVERIFY(!splitCommand("say 'open"));
        QVERIFY(!splitCommand("   "));
    }

    void endsAreTold() {
        ProcessSpec spec;
        spec.arguments = {"sh", "-c", "exit 3"};
        auto child = ChildProcess::start(spec);
        QVERIFY(child);
        QCOMPARE(child->wait().text(), std::string("exit code 3"));
        spec.arguments = {"sleep", "60"};
        child = ChildProcess::start(spec);
        QVERIFY(child->running());
        child->signal(SIGTERM);
        QCOMPARE(child->wait().text(), std::string("signal SIGTERM"));
        spec.arguments = {"/nowhere/program"};
        QVERIFY(ChildProcess::start(spec).error().message.find("/nowhere/program") != std::string::npos);
    }

    void environmentAndLogReachTheChild() {
        ProcessSpec spec;
        spec.arguments = {"sh", "-c", "echo out $RANK; echo err >&2; read line; echo got $line"};
        spec.environment = {{"RANK", "7"}};
        spec.log = file("log");
        auto child = ChildProcess::start(spec);
        QVERIFY(child && child->writeInput("hello\n"));
        QCOMPARE(child->wait().exitCode, 0);
        QCOMPARE(*readFile(spec.log), std::string("out 7\nerr\ngot hello\n"));
    }

    void anEndingOwnerKillsItsChild() {
        int pid = 0;
        {
            ProcessSpec spec;
            spec.arguments = {"sleep", "60"};
            auto child = ChildProcess::start(spec);
            pid = child->pid();
            QVERIFY(processStartTime(pid) != 0);
        }
        QCOMPARE(processStartTime(pid), std::uint64_t{0});
    }

    void detachedProcessesHaveASessionOfTheirOwn() {
        const auto pid =
            startDetached({"/bin/sh", "-c", "echo started; exec sleep 60"}, file("detached.log"));
        QVERIFY(pid);
        QVERIFY(eventually([&] { return *readFile(file("detached.log")) == "started\n"; }));
        QVERIFY(::getsid(*pid) != ::getsid(0));
        ::kill(*pid, SIGKILL);
        QVERIFY(!startDetached({"/nowhere/program"}, file("detached.log")));
    }

    void workIsDoneByThreads() {
        std::atomic<int> done{0};
        WorkQueue queue(2);
        for (int i = 0; i < 100; ++i)
            queue.add([&] { ++done; });
        QVERIFY(eventually([&] { return done == 100; }));
    }
};

QTEST_GUILESS_MAIN(TestProcesses)
#include "test_processes.moc"
