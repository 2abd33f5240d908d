// Notices after an action, and confirmation dialogs before one.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem } from "./api";

interface Notice {
  number: number;
  text: string;
  bad: boolean;
}
const notices = signal<Notice[]>([]);
let numbered = 0;

export function say(text: string, bad = false): void {
  const number = ++numbered;
  notices.value = [...notices.value.slice(-3), { number, text, bad }];
  setTimeout(
    () => (notices.value = notices.value.filter((notice) => notice.number !== number)),
    bad ? 8000 : 4000,
  );
}

export function sayProblem(error: unknown): void {
  say(error instanceof Problem ? error.message : String(error), true);
}

export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    // A remote page without TLS has no Clipboard API; execCommand still works there.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    say(document.execCommand("copy") ? done : "The browser blocked the copy", false);
    area.remove();
  }
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <p key={notice.number} class={notice.bad ? "bad" : ""}>
          {notice.text}
        </p>
      ))}
    </div>
  );
}

interface Question {
  title: string;
  body?: ComponentChildren;
  yes: string;
  danger?: boolean;
  wide?: boolean;
  act: () => Promise<void>;
}
const question = signal<Question | null>(null);

export function ask(asked: Question): void {
  question.value = asked;
}

export function Questions() {
  return question.value && <QuestionDialog asked={question.value} />;
}

function QuestionDialog({ asked }: { asked: Question }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const act = async () => {
    setBusy(true);
    setProblem("");
    try {
      await asked.act();
      question.value = null;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={asked.title} wide={asked.wide} close={() => (question.value = null)}>
      <form
        method="dialog"
        onInput={() => setProblem("")}
        onSubmit={(event) => {
          event.preventDefault();
          void act();
        }}
      >
        {asked.body}
        {problem !== "" && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={() => (question.value = null)}>
            Close
          </button>
          <button class={asked.danger ? "danger" : "primary"} disabled={busy}>
            {asked.yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface DialogProps {
  title: string;
  wide?: boolean;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, wide, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect, so that the next key already belongs to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
