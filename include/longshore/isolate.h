// Isolated handlers run in separate processes, so that a crash, an exit() or a handler that never
// returns ends that process and not the worker.
#pragma once

namespace longshore {

// Call it first in main, before starting threads: the processes of isolated handlers (see
// HandlerOptions) are forked from the program at this point. Handlers must open other resources
// themselves, unless they exist before this call.
//
//   int main(int argc, char** argv) {
//     longshore::isolate(argc, argv);
//
// If called too late it does nothing, and Worker::start() returns an error.
void isolate(int argc, char** argv);

}  // namespace longshore
