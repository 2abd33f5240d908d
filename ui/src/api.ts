// Calls to the server that served this page. Every URL is relative to the page, so it works
// behind a proxy that adds a path prefix.
import { signal } from "@preact/signals";
import type { About } from "./types";

export const root = new URL("../", document.baseURI);

export class Problem extends Error {
  constructor(
    readonly status: number, // 0: no response
    readonly code: string,
    detail: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

// The caller; undefined until loaded, null if the server requires a token.
export const about = signal<About | null | undefined>(undefined);
// Whether the last call reached the server.
export const reachable = signal(true);

export const mayAct = () => {
  const role = about.value?.caller.role;
  return role === "operator" || role === "admin";
};

const timeoutMillis = 15_000;

async function ask(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(new URL(path, root), {
      ...options,
      credentials: "same-origin",
      signal: AbortSignal.timeout(timeoutMillis),
    });
  } catch {
    reachable.value = false;
    throw new Problem(0, "OFFLINE", "The server is not responding.");
  }
  reachable.value = true;
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.status === 401) about.value = null;
  throw new Problem(
    response.status,
    String(body.code ?? "HTTP_" + response.status),
    sentence(String(body.detail ?? response.statusText)),
    body,
  );
}

const sentence = (text: string) =>
  text === "" ? "The server gave no reason." : text[0].toUpperCase() + text.slice(1);

export const get = async <T>(path: string): Promise<T> =>
  (await (await ask(path, { method: "GET" })).json()) as T;

export const getText = async (path: string): Promise<string> =>
  (await ask(path, { method: "GET" })).text();

// A string body is sent unchanged.
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "Content-Type": "application/json" };
  return (await (await ask(path, { method: "POST", headers, body: text })).json()) as T;
}

export async function signIn(token: string): Promise<void> {
  await post("ui/session", { token: token.trim() });
  await loadAbout();
}

export async function signOut(): Promise<void> {
  await ask("ui/session", { method: "DELETE" });
  about.value = null;
}

// Why the sign-in page is shown again: the token lacks the viewer role.
export const signInProblem = signal("");

export async function loadAbout(): Promise<void> {
  try {
    about.value = await get<About>("about");
    signInProblem.value = "";
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 403) {
      signInProblem.value = "Forbidden: the dashboard needs the viewer role.";
      about.value = null;
    } else if (!(problem instanceof Problem && problem.status === 401)) {
      throw problem;
    }
  }
}

export const query = (parameters: Record<string, string | number | undefined>): string => {
  const pairs = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : "?" + text;
};
