#include "core/base/text.h"
#include "core/schema/field_table.h"

#include <QTest>
#include <cctype>

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

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Whether ".member" or "->member" stands anywhere in `text`.
bool accesses(std::string_view text, const std::string& member) {
    for (auto at = text.find(member); at != std::string_view::npos; at = text.find(member, at + 1)) {
        const auto before = text.substr(0, at);
        const auto after = at + member.size();
        if ((before.ends_with('.') || before.ends_with("->")) &&
            (after == text.size() || !isWordCharacter(text[after])))
            return true;
    }
    return false;
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
            QVERIFY2(accesses(text, memberOf(field)), std::string(field.key).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestKeysRead)
#include "test_keys_read.moc"
