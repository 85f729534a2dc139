#include "core/base/text.h"
#include "core/schema/field_table.h"

#include <QTest>
#include <regex>

using namespace anneal;

namespace {

bool isSource(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".h"; }

/// All sources that could act on a setting: not the schema, which handles every row alike.
std::string readers() {
    std::string text;
    for (const auto* root : {"core", "app"}) {
        const auto folder = fs::path(ANNEAL_SOURCE_DIR) / root;
        if (!fs::is_directory(folder))
            continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (isSource(entry.path()) && entry.path().string().find("/core/schema/") == std::string::npos)
                text += readFile(entry.path()).value();
    }
    return text;
}

/// The name of the struct's member; `template` is a word of the language.
std::string memberOf(const Field& field) {
    const auto name = std::string(split(field.key, '.').back());
    return name == "template" ? "template_source" : name;
}

} // namespace

class TestKeysRead : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A setting that nothing reads would be a promise nobody keeps.
    void everySettingIsReadSomewhere() {
        const auto text = readers();
        for (const auto& field : fieldTable()) {
            if (field.closed && field.choices.size() == 1)
                continue; // only one value is allowed so far: validation is its reader
            const std::regex access("(\\.|->)" + memberOf(field) + "\\b");
            QVERIFY2(std::regex_search(text, access), std::string(field.key).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestKeysRead)
#include "test_keys_read.moc"
