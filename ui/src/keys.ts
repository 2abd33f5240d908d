// Keyboard shortcuts. Each view registers its own while it is mounted.
import { useLayoutEffect, useRef } from "preact/hooks";

type Act = () => void;
export type Keys = Record<string, Act>;

const layers: { current: Keys }[] = [];

// The focused element. A dialog that has just closed keeps the focus until the browser draws the
// next frame; what is in it no longer counts.
const focusOf = (event: KeyboardEvent) =>
  event.target instanceof HTMLElement && !event.target.closest("dialog") ? event.target : null;

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
    return;
  const focus = focusOf(event);
  if (focus?.matches("input, textarea, select, [contenteditable]")) {
    if (event.key === "Escape") focus.blur();
    return;
  }
  // Enter activates the focused link or button.
  if (event.key === "Enter" && focus?.matches("a, button, summary")) return;
  for (const layer of [...layers].reverse()) {
    const act = layer.current[event.key];
    if (!act) continue;
    event.preventDefault();
    act();
    return;
  }
});

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // A layout effect, so that the next key finds the view that the last one opened.
  useLayoutEffect(() => {
    layers.push(latest);
    return () => {
      layers.splice(layers.indexOf(latest), 1);
    };
  }, []);
}
