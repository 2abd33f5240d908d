// All of Longshore that a program needs: open a store, enqueue with a Client, run with a Worker.
#pragma once

#include "longshore/args.h"
#include "longshore/client.h"
#include "longshore/context.h"
#include "longshore/isolate.h"
#include "longshore/leases.h"
#include "longshore/open.h"
#include "longshore/worker.h"
