// The frame around every view: navigation, connection status, the signed-in caller.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { about, loadAbout, reachable, signOut } from "./api";
import { forgetAll } from "./data";
import { useKeys } from "./keys";
import { liveState, startLive, stopLive } from "./live";
import { Login } from "./login";
import { Dialog, Notices, Questions, sayProblem } from "./notice";
import { Skeleton } from "./pieces";
import { go, href, route } from "./route";
import { theme, themes } from "./theme";
import { AboutView } from "./views/about";
import { Errors } from "./views/errors";
import { JobView } from "./views/job";
import { DeadLetters, Jobs } from "./views/jobs";
import { Overview } from "./views/overview";
import { Queues } from "./views/queues";
import { Workers } from "./views/workers";

const views: Record<string, string> = {
  overview: "Overview",
  jobs: "Jobs",
  errors: "Errors",
  queues: "Queues",
  workers: "Workers",
  dead: "Dead letters",
  about: "About",
};

export function App() {
  useEffect(begin, []);
  if (about.value === undefined) return <Opening />;
  if (about.value === null) return <Login />;
  return <Frame />;
}

// Retries until the server responds.
function begin(): void {
  loadAbout().catch(() => setTimeout(begin, 2000));
}

function Opening() {
  return (
    <main class="opening">
      {reachable.value ? (
        <Skeleton lines={6} />
      ) : (
        <p role="alert">The server is not responding. Retrying…</p>
      )}
    </main>
  );
}

function Frame() {
  const [help, setHelp] = useState(false);
  useEffect(() => {
    startLive();
    return stopLive;
  }, []);
  useEffect(() => {
    document.title = `${route.value.id ? "Job" : (views[route.value.view] ?? "")} · Longshore`;
  });
  useKeys({
    "?": () => setHelp(true),
    "/": focusFilter,
    ...Object.fromEntries(Object.keys(views).map((view, i) => [String(i + 1), () => go(view)])),
  });
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Sidebar help={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        {!reachable.value && (
          <p class="banner" role="alert">
            The server is not responding. Showing the last known data. Reconnecting…
          </p>
        )}
        <Guard key={route.value.view + route.value.id}>
          <View />
        </Guard>
      </main>
      <Questions />
      <Notices />
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function focusFilter(): void {
  const first = () => document.querySelector<HTMLElement>(".filter input");
  if (first()) return first()?.focus();
  go("jobs");
  queueMicrotask(() => first()?.focus()); // the view is rendered in the microtask before
}

function View() {
  const { view, id } = route.value;
  if (view === "jobs" && id !== "") return <JobView key={id} id={id} />;
  if (view === "overview") return <Overview />;
  if (view === "jobs") return <Jobs />;
  if (view === "errors") return <Errors />;
  if (view === "queues") return <Queues />;
  if (view === "workers") return <Workers />;
  if (view === "dead") return <DeadLetters />;
  if (view === "about") return <AboutView />;
  return (
    <p class="pad">
      Page not found. <a href={href("overview")}>Go to the overview</a>
    </p>
  );
}

// Shows an exception in place of the view that threw it; other views still work.
class Guard extends Component<{ children: ComponentChildren }, { broken: string }> {
  state = { broken: "" };
  componentDidCatch(error: Error) {
    this.setState({ broken: error.message });
  }
  render() {
    if (this.state.broken === "") return this.props.children;
    return (
      <p class="trouble" role="alert">
        Could not show this view: {this.state.broken}
      </p>
    );
  }
}

const liveWords = { connecting: "Connecting", live: "Live", paused: "Paused", offline: "Offline" };

function Sidebar({ help }: { help: () => void }) {
  const { view } = route.value;
  const caller = about.value?.caller;
  // In the horizontal layout the current link may be scrolled out of view.
  useEffect(() => {
    const current = document.querySelector(".side nav [aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view]);
  return (
    <header class="side">
      <a class="brand" href={href("overview")}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M16 5v18M8 15c0 6.500 3.500 9.500 8 9.500s8-3 8-9.500M12 9h8" />
        </svg>
        Longshore
      </a>
      <nav aria-label="Views">
        {Object.entries(views).map(([name, label]) => (
          <a key={name} href={href(name)} aria-current={view === name ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class="end">
        <span class={"stream " + liveState.value} role="status">
          <i aria-hidden="true" /> {liveWords[liveState.value]}
        </span>
        {caller?.hasToken && (
          <span class="who">
            {caller.name} <span class="muted">{caller.role}</span>
          </span>
        )}
        <div class="row">
          <label>
            <span class="unseen">Theme</span>
            <select
              title="Theme"
              value={theme.value}
              onChange={(event) => (theme.value = themes[event.currentTarget.selectedIndex])}
            >
              {themes.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <button class="quiet" aria-label="Keyboard shortcuts" onClick={help}>
            ?
          </button>
          {caller?.hasToken && (
            <button class="quiet" onClick={leave}>
              Sign out
            </button>
          )}
        </div>
      </div>
    </header>
  );
}

function leave(): void {
  forgetAll();
  signOut().catch(sayProblem);
}

const shortcuts = [
  ["/", "Focus the filter"],
  ["j, k", "Next and previous job"],
  ["x", "Select the job"],
  ["enter", "Open the job"],
  ["r", "Refresh the list"],
  ["1 – 7", "Open a view"],
  ["esc", "Leave a field, clear the selection"],
  ["?", "Show this help"],
];

function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="keys">
        {shortcuts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button class="primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
