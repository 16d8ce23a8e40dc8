#include "postgres.h"
#include "engine/engine.h"
void engine_init(void) {}
