import { useState } from "preact/hooks";
import { Problem, signInProblem, signIn } from "./api";

export function Login() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      await signIn(token);
    } catch (error) {
      setProblem(error instanceof Problem ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <main class="login">
      <form onSubmit={submit}>
        <h1>Longshore</h1>
        <p class="muted">This server requires a token.</p>
        <label>
          <span>Token</span>
          <input
            type="password"
            autocomplete="current-password"
            value={token}
            autofocus
            required
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="problem" role="alert">
          {problem || signInProblem.value}
        </p>
        <button class="primary" disabled={busy || token.trim() === ""}>
          Sign in
        </button>
        <p class="muted small">
          A <code>viewer</code> token can read; an <code>operator</code> token can also change jobs
          and queues. Create one with <code>longshore token create --role viewer</code>.
        </p>
      </form>
    </main>
  );
}
