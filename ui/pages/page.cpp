#include "ui/pages/page.h"
