// A few functions of the SDK as SWIG wraps them, which made the vendor's own modules: what such a module
// takes and refuses, of the types on which releases and machines differ. What C gets is remembered.
%module stub
%include "carrays.i"
%array_class(double, doubleArray);
%array_class(unsigned int, uintArray);

%inline %{
#if EDITION == 1
typedef unsigned int Time;
#else
typedef double Time;
#endif

struct Motion_PosCommand {
    int axis = 0;
    double target = 0;
    bool flag = false;
};

class Config {
   public:
    int byte = 0;
    long SetAxisPolarity(int, char polarity) {
        byte = static_cast<unsigned char>(polarity);
        return 0;
    }
};

class AdvMotion {
   public:
    double last = 0;
    long StartCSplinePos_PointTime(unsigned int count, Time *times) {
        last = times[count - 1];
        return 0;
    }
};
%}
