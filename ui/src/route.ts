// The URL holds the state of the page: #/jobs?state=DEAD. It uses the hash, so it works under any
// path prefix.
import { signal } from "@preact/signals";

export interface Route {
  view: string; // "jobs"
  id: string; // of #/jobs/<id>
  query: Record<string, string>;
}

function parse(hash: string): Route {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view, id = ""] = path.split("/", 2);
  return {
    view: view === "" ? "overview" : view,
    id: safeDecode(id),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let shown = location.hash;
export const route = signal<Route>(parse(shown));

function follow(): void {
  if (location.hash === shown) return;
  shown = location.hash;
  const before = route.value.view + "/" + route.value.id;
  route.value = parse(shown);
  if (before !== route.value.view + "/" + route.value.id) scrollTo(0, 0);
}
addEventListener("hashchange", follow);

// Follows at once: hashchange fires later, and a second change before it would undo the first.
function navigate(target: string): void {
  location.hash = target;
  follow();
}

type Query = Record<string, string | undefined>;

export function href(view: string, query: Query = {}, id = ""): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const search = new URLSearchParams(kept).toString();
  const path = id === "" ? view : `${view}/${encodeURIComponent(id)}`;
  return `#/${path}${search === "" ? "" : "?" + search}`;
}

export const go = (view: string, query: Query = {}, id = "") => navigate(href(view, query, id));

// Changes some query parameters.
export const requery = (changes: Query) =>
  navigate(href(route.value.view, { ...route.value.query, ...changes }, route.value.id));
