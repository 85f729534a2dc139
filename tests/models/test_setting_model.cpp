#include "ui/models/setting_model.h"

#include <QTest>

using namespace anneal;

class TestSettingModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsEverySetting();
    void onlyChanged();
};

void TestSettingModel::showsEverySetting() {
    SettingModel model;
    model.setConfig({});
    QCOMPARE(model.rowCount(), static_cast<int>(fieldTable().size()));
    for (int row = 0; row < model.rowCount(); ++row)
        QVERIFY(!model.index(row, SettingModel::Value).data().toString().isEmpty());
}

void TestSettingModel::onlyChanged() {
    RunConfig config;
    config.lora.rank = 64;
    config.training.learning_rate = 1e-5;
    SettingModel model;
    model.setOnlyChanged(true);
    model.setConfig(config);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, SettingModel::Key).data().toString(), QString("lora.rank"));
    QCOMPARE(model.index(0, SettingModel::Value).data().toString(), QString("64"));
    QCOMPARE(model.index(0, SettingModel::Default).data().toString(), QString("16"));
    QCOMPARE(model.index(1, SettingModel::Value).data().toString(), QString("1e-5"));
}

QTEST_GUILESS_MAIN(TestSettingModel)
#include "test_setting_model.moc"
