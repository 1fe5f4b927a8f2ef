// A few functions of the SDK as SWIG wraps them, which made the vendor's own modules: what such a module
// takes and refuses, of the types on which releases and machines differ. What C gets is remembered.
%module stub
%include "carrays.i"
%array_class(double, doubleArray);
%array_class(unsigned int, uintArray);

%inline %{
#if EDITION == 1
enum { DIMENSIONS = 6 };
typedef unsigned int Time;
#else
enum { DIMENSIONS = 8 };
typedef double Time;
#endif

struct Motion_PosCommand {
    int axis = 0;
    double target = 0;
    bool flag = false;
};

struct AdvMotion_SplinePoint {
    double pos[DIMENSIONS] = {};
    double behind = 0;
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

class Io {
   public:
    int set = 0;
    long SetOutByte(int, unsigned char data) {
        set = data;
        return 0;
    }
    long SetOutBits(int *, int *, unsigned char *, int count) {
        set = count;
        return 0;
    }
};
%}

// As the vendor's own: no index is checked against the length of the array.
%extend AdvMotion_SplinePoint {
    void SetPos(int index, double value) { $self->pos[index] = value; }
}
