// Handlers in processes of their own: a crash, an exit() or a handler that never returns is then
// the end of that process and not of the worker.
#pragma once

namespace longshore {

// The first line of main, before any thread: the processes of isolated handlers (see
// HandlerOptions) begin as copies of the program at this point. What handlers need besides their
// arguments they open themselves, or it is there before this line.
//
//   int main(int argc, char** argv) {
//     longshore::isolate(argc, argv);
//
// Called too late, it does nothing, and Worker::start() says so.
void isolate(int argc, char** argv);

}  // namespace longshore
