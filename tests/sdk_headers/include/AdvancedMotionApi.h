// See WMX3Api.h.
#pragma once

#include "CoreMotionApi.h"

namespace wmx3Api {

namespace constants {
#if SDK_EDITION == 1
static const int maxSplineDimensions = 6;
typedef unsigned int SplineTime;
#else
static const int maxSplineDimensions = 8;
typedef double SplineTime;
#endif
static const int maxSplineChannel = 128;
static const int maxPvtAppendPoints = 4096;
}  // namespace constants

class AdvancedMotionErrorCode : public CoreMotionErrorCode {
   public:
    enum { MEMBERS_AdvancedMotionErrorCode };
};

class AdvancedMotion;

class AdvMotion {
   public:
    explicit AdvMotion(AdvancedMotion *owner) : amApi(owner) {}
    AdvancedMotion *amApi;
    class SplinePoint {
       public:
        double pos[constants::maxSplineDimensions] = {};
    };
    class PointTimeSplineCommand {
       public:
        unsigned int dimensionCount = 0;
        int axis[constants::maxSplineDimensions] = {};
    };
    class PVTPoint {
       public:
        double pos = 0, velocity = 0, timeMilliseconds = 0;
    };
    class PVTCommand {
       public:
        int axis = 0;
        unsigned int pointCount = 0;
        PVTPoint points[constants::maxPvtAppendPoints];
    };
    WMX3APIFUNC CreateSplineBuffer(int channel, unsigned int points);
    WMX3APIFUNC FreeSplineBuffer(int channel);
    WMX3APIFUNC GetSplineBufferPoints(int channel, unsigned int *points);
    WMX3APIFUNC GetSplineBytesPerPoint(unsigned int *bytes);
    WMX3APIFUNC StartCSplinePos(int channel, PointTimeSplineCommand *command, unsigned int count,
                                SplinePoint *points, constants::SplineTime *milliseconds);
    WMX3APIFUNC CreatePVTBuffer(int axis, unsigned int points);
    WMX3APIFUNC FreePVTBuffer(int axis);
    WMX3APIFUNC StartPVT(PVTCommand *command);
};

class AdvancedMotion {
   public:
    SDK_PART(AdvancedMotion)
    AdvMotion *advMotion;
};

}  // namespace wmx3Api
