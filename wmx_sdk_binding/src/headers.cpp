// Whether the SDK's headers compile at all, by themselves.
#include "WMX3Api.h"
#include "CoreMotionApi.h"
