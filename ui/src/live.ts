// What happens on the server, as it happens: one stream for all tabs that are looked at. The tab
// that holds a lock has the stream and tells the others; a hidden tab neither holds nor listens.
import { signal } from "@preact/signals";
import { root } from "./api";
import type { Happening } from "./types";

export type Told =
  | { kind: "moves"; moves: Happening[] }
  | { kind: "changed"; queue: string }
  | { kind: "reset" };
type Listener = (told: Told) => void;

export const liveState = signal<"connecting" | "live" | "paused" | "offline">("connecting");

const listeners = new Set<Listener>();
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

type Message = Told | { kind: "state"; state: "live" | "offline" } | { kind: "who" };

const channel =
  "BroadcastChannel" in window ? new BroadcastChannel("longshore" + root.pathname) : null;
const flushEvery = 250;

let source: EventSource | null = null;
let waiting: Happening[] = [];
let release: (() => void) | null = null;
let asking: AbortController | null = null;

function tellHere(message: Message): void {
  if (message.kind === "state") liveState.value = message.state;
  else if (message.kind !== "who") for (const listener of listeners) listener(message);
}

function tellAll(message: Message): void {
  tellHere(message);
  channel?.postMessage(message);
}

if (channel) {
  channel.onmessage = (event: MessageEvent<Message>) => {
    if (document.hidden) return;
    if (event.data.kind === "who") {
      if (source?.readyState === EventSource.OPEN)
        channel.postMessage({ kind: "state", state: "live" });
    } else {
      tellHere(event.data);
    }
  };
}

setInterval(() => {
  if (waiting.length === 0) return;
  tellAll({ kind: "moves", moves: waiting });
  waiting = [];
}, flushEvery);

function open(): void {
  source?.close();
  source = new EventSource(new URL("events", root));
  source.onopen = () => {
    const wasAway = liveState.value === "offline";
    tellAll({ kind: "state", state: "live" });
    if (wasAway) tellAll({ kind: "reset" });
  };
  source.onerror = () => {
    tellAll({ kind: "state", state: "offline" });
    // A refusal ends a stream for good; a lost connection is taken up by the browser itself.
    if (source?.readyState === EventSource.CLOSED) setTimeout(() => source && open(), 3000);
  };
  source.addEventListener("transition", (event) =>
    waiting.push(JSON.parse((event as MessageEvent).data)),
  );
  source.addEventListener("changed", (event) =>
    tellAll({ kind: "changed", queue: String((event as MessageEvent).data) }),
  );
  source.addEventListener("reset", () => tellAll({ kind: "reset" }));
}

function close(): void {
  source?.close();
  source = null;
  waiting = [];
}

// Without locks (a page from another machine without TLS) each tab has its own stream.
function look(): void {
  liveState.value = "connecting";
  if (!navigator.locks || !channel) return open();
  asking = new AbortController();
  navigator.locks
    .request("longshore-stream" + root.pathname, { signal: asking.signal }, () => {
      open();
      return new Promise<void>((resolve) => (release = resolve));
    })
    .catch(() => {}); // aborted: the tab was hidden before its turn came
  channel.postMessage({ kind: "who" });
}

function lookAway(): void {
  asking?.abort();
  asking = null;
  close();
  release?.();
  release = null;
  liveState.value = "paused";
}

let started = false;
export function startLive(): void {
  if (started) return;
  started = true;
  if (!document.hidden) look();
}

document.addEventListener("visibilitychange", () => {
  if (!started) return;
  if (document.hidden) return lookAway();
  look();
  // What was missed meanwhile is asked for.
  tellHere({ kind: "reset" });
});

export function stopLive(): void {
  if (!started) return;
  lookAway();
  started = false;
}
