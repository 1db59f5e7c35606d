// Everything a program that uses Scree needs.
#pragma once

#include "scree/error.h"
#include "scree/scene.h"
#include "scree/solver.h"
#include "scree/world.h"
