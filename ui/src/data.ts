// Data for one panel: loaded when the panel appears, refreshed on events and on a timer, kept when
// a call fails. A failed call affects only its own panel.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "./api";
import { type LiveEvent, listen } from "./live";

export interface Data<T> {
  value: T | undefined; // the last answer, also while a refresh is in flight
  problem: Problem | undefined; // why the last call failed
  again: () => void;
}

interface Options {
  every?: number; // refresh interval in milliseconds while the page is visible
  settled?: (value: unknown) => boolean; // true if this answer can no longer change
  on?: (event: LiveEvent) => boolean; // true if this event makes the answer stale
  atMost?: number; // minimum milliseconds between two refreshes caused by events
}

// A cache of the last answers, so that returning to a view shows data at once.
const known = new Map<string, unknown>();
const cacheSize = 60;

function remember(key: string, value: unknown): void {
  known.delete(key);
  known.set(key, value);
  if (known.size > cacheSize) known.delete(known.keys().next().value as string);
}

export const forgetAll = () => known.clear();

// The current time; ticks once a second while the page is visible.
export const now: Signal<number> = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

export function useData<T>(key: string, load: () => Promise<T>, options: Options = {}): Data<T> {
  const [shown, show] = useState<{ key: string; value?: T; problem?: Problem }>(() => ({
    key,
    value: known.get(key) as T | undefined,
  }));
  const [round, setRound] = useState(0);

  useEffect(() => {
    let gone = false;
    let asking = false;
    let askedAt = 0;
    let planned: ReturnType<typeof setTimeout> | undefined;

    const ask = async () => {
      if (gone || asking || document.hidden) return;
      asking = true;
      askedAt = Date.now();
      try {
        const value = await load();
        remember(key, value);
        if (!gone) show({ key, value });
      } catch (error) {
        const problem =
          error instanceof Problem ? error : new Problem(0, "INTERNAL", String(error));
        if (!gone) show({ key, value: known.get(key) as T | undefined, problem });
      }
      asking = false;
    };
    const askSoon = () => {
      if (planned !== undefined) return;
      const wait = Math.max(0, askedAt + (options.atMost ?? 1000) - Date.now());
      planned = setTimeout(() => {
        planned = undefined;
        void ask();
      }, wait);
    };
    const timer = setInterval(() => {
      if (!known.has(key) || !options.settled?.(known.get(key))) void ask();
    }, options.every ?? 10_000);
    const stopListening = listen((event) => {
      if (event.kind === "reset" || options.on?.(event)) askSoon();
    });
    void ask();
    return () => {
      gone = true;
      clearInterval(timer);
      clearTimeout(planned);
      stopListening();
    };
  }, [key, round]);

  const mine = shown.key === key ? shown : { key, value: known.get(key) as T | undefined };
  return { value: mine.value, problem: mine.problem, again: () => setRound(round + 1) };
}
