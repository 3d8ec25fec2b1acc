"use strict";
const $ = (id) => document.getElementById(id);

const VIEWS = {
  schedule: {
    loops: { name: "Loops", command: "try", more: ["--emit=loops"] },
    cuda: { name: "CUDA", command: "try", more: ["--emit=cuda"] },
    trace: { name: "C++", command: "try", more: ["--emit=schedule"] },
    findings: { name: "Findings", command: "check", more: [] },
    counters: { name: "Counters", command: "counters", more: [] },
    changes: { name: "What changed", command: "explain", more: ["--blocks=16"] },
    drawings: { name: "Drawings", command: "draw", more: ["--svg=drawing.svg"] },
  },
  exercise: {
    judgement: { name: "Judgement", command: "exercise", more: [] },
    loops: { name: "Loops", command: "try", more: ["--emit=loops"] },
    cuda: { name: "CUDA", command: "try", more: ["--emit=cuda"] },
    findings: { name: "Findings", command: "check", more: [] },
    counters: { name: "Counters", command: "counters", more: [] },
  },
  kernel: {
    findings: { name: "Findings", command: "check", more: [] },
    counters: { name: "Counters", command: "counters", more: [] },
    explanation: { name: "Explanation", command: "explain", more: [] },
  },
};

const KERNEL = `__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
`;
const LAUNCH = '-D N=1000 --grid="cdiv(N, 256)" --block=256 --arg=f32:random:N --arg=f32:unset:N --arg=i32:N';

let catalog = { ladders: [], primitives: [], exercises: [] };
let state = { mode: "schedule", start: "", program: "", steps: "", sizes: "", tab: "cuda",
              exercise: "1.1", answers: {}, kernel: KERNEL, launch: LAUNCH };

// ---- What is asked for ---------------------------------------------------------------------------

const rungOf = (path) => {
  const [ladder, rung] = path.split("/");
  const known = catalog.ladders.find((one) => one.name === ladder);
  return { ladder: known, rung: known && known.rungs.find((one) => one.name === rung) };
};

const exerciseHere = () => catalog.exercises.find((one) => one.number === state.exercise);

/** The steps of the schedule, or of the answer to the exercise. */
const stepsHere = () => state.mode === "exercise"
  ? state.answers[state.exercise] ?? exerciseHere()?.steps ?? "" : state.steps;
const programHere = () => state.mode === "exercise" ? exerciseHere()?.program ?? ""
                                                    : state.program;

/** The rung that was started from, or the text of a program that has been changed since. */
const subject = () => {
  if (state.mode === "exercise") return programHere();
  const { ladder } = rungOf(state.start);
  return ladder && state.program.trim() === ladder.program.trim() ? state.start : state.program;
};

/** The words of a text, as a shell has them. */
const wordsOf = (text) =>
  [...text.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map((word) => word[0].replace(/["']/g, ""));

const sizes = (view) => (view.command === "try" && !state.sizes ? [] : wordsOf(state.sizes))
  .map((size) => `-D${size}`);

const jobOf = (view, slot) => {
  if (state.mode === "kernel")
    return { slot, words: [view.command, "kernel.cu", ...wordsOf(state.launch), ...sizes(view)],
             files: { "kernel.cu": state.kernel } };
  const files = { steps: `${stepsHere()}\n//` };
  if (view.command === "exercise") return { slot, words: ["exercise", state.exercise, "steps"], files };
  const more = state.mode === "exercise" ? [] : sizes(view);
  return { slot, words: [view.command, subject(), "--steps=steps", ...view.more, ...more], files };
};

const ask = async (job) => {
  const answer = await fetch("job", { method: "POST", body: JSON.stringify(job) });
  return answer.json();
};

// ---- What is shown -------------------------------------------------------------------------------

/** The line of a message, "steps:3: error: ...": 3. */
const lineOf = (message) => {
  const found = /(?:^|\s)steps:(\d+)/.exec(message);
  return found ? Number(found[1]) : 0;
};

const showError = (message) => {
  $("error").textContent = message.trim();
  $("error").classList.toggle("wrong", message.trim() !== "");
  const wrong = lineOf(message);
  $("lines").replaceChildren(...stepsHere().split("\n").flatMap((_, n) => {
    const number = document.createElement(n + 1 === wrong ? "b" : "span");
    number.textContent = n + 1;
    return [number, "\n"];
  }));
  $("lines").scrollTop = $("steps").scrollTop;
};

const WORDS_OF_CODE = "auto|Axis|alloc|const|copy|else|extern|float|for|func|if|in|int|let|reduce|" +
                      "return|s|void|__global__|__launch_bounds__|__shared__|__restrict__|__syncthreads";
const KINDS = [
  ["comment", String.raw`//[^\n]*`],
  ["string", String.raw`"[^"\n]*"`],
  ["place", String.raw`@[\w.]+|#\w+|\b(?:blockIdx|blockDim|threadIdx)\.[xyz]\b`],
  ["word", String.raw`\b(?:${WORDS_OF_CODE})\b`],
  ["number", String.raw`\b\d[\w.]*`],
];
const CODE = new RegExp(KINDS.map(([kind, text]) => `(?<${kind}>${text})`).join("|"), "g");

/** Code with its comments, words, places and numbers in colour. */
const coloured = (code) => {
  const parts = [];
  let end = 0;
  for (const found of code.matchAll(CODE)) {
    const span = document.createElement("span");
    span.className = Object.keys(found.groups).find((kind) => found.groups[kind] !== undefined);
    span.textContent = found[0];
    parts.push(code.slice(end, found.index), span);
    end = found.index + found[0].length;
  }
  return [...parts, code.slice(end)];
};

/** The code by lines; those that the text before did not have are marked. */
const linesOf = (code, before) => {
  const known = new Set(before.split("\n"));
  return code.split("\n").flatMap((line) => {
    const row = document.createElement("span");
    row.append(...coloured(line));
    if (before && !known.has(line)) row.className = "new";
    return [row, "\n"];
  });
};

let shown = {};  // the last code of each view, of what was started from
const showView = (answer) => {
  const drawings = (answer.drawings || []).map((svg) => {
    const image = new Image();
    image.alt = (/<title>([^<]*)/.exec(svg) || ["", "a drawing"])[1];
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    return image;
  });
  const text = document.createElement("pre");
  text.id = "text";
  const isCode = viewsHere()[state.tab].command === "try";
  const before = shown[state.tab] ?? "";
  text.replaceChildren(...(isCode ? linesOf(answer.printed, before) : [answer.printed]));
  shown[state.tab] = answer.printed;
  $("view").replaceChildren(...drawings, ...(drawings.length > 0 ? [] : [text]));
};

let turn = 0;
const update = async () => {
  const mine = ++turn;
  keep();
  showTabs();
  const view = viewsHere()[state.tab];
  $("view").classList.add("stale");
  const started = performance.now();
  try {
    const answer = await ask(jobOf(view, "view"));
    if (mine !== turn || answer.error === "another job took its place") return;
    const wrong = answer.error || (answer.status !== 0 ? answer.complained : "");
    showError(wrong);
    if (answer.status === 0 || answer.printed) showView(answer);
    $("view").classList.toggle("stale", wrong !== "" && !answer.printed);
    $("time").textContent = `${Math.round(performance.now() - started)} ms`;
  } catch (error) {
    if (mine === turn) showError("the server has ended; run `hone serve` again");
  }
};

let timer = 0;
const soon = () => {
  clearTimeout(timer);
  timer = setTimeout(update, 60);
};

/** An exercise whose program is no text has a judgement alone. */
const viewsHere = () => {
  const { judgement, ...others } = VIEWS[state.mode];
  return judgement ? { judgement, ...(programHere() ? others : {}) } : others;
};

const showTabs = () => {
  const views = viewsHere();
  if (!views[state.tab]) state.tab = Object.keys(views)[0];
  $("tabs").replaceChildren(...Object.entries(views).map(([key, view]) => {
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", textContent: view.name, id: `tab-${key}` });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", key === state.tab);
    tab.tabIndex = key === state.tab ? 0 : -1;
    tab.onclick = () => { state.tab = key; update(); };
    return tab;
  }));
};

$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const keys = Object.keys(viewsHere());
  state.tab = keys[(keys.indexOf(state.tab) + step + keys.length) % keys.length];
  update();
  $(`tab-${state.tab}`).focus();
});

// ---- The state, and its address ------------------------------------------------------------------

const FIELDS = ["program", "steps", "sizes", "kernel", "launch"];

const keep = () => history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(state))}`);

const showState = () => {
  for (const field of FIELDS) $(field).value = state[field];
  $("steps").value = stepsHere();
  $("exercise").value = state.exercise;
  $("task").textContent = exerciseHere()?.task ?? "";
  $("start").value = state.start;
  showIdea();
  for (const part of document.querySelectorAll("[data-mode]"))
    part.hidden = !part.dataset.mode.split(" ").includes(state.mode);
  for (const mode of Object.keys(VIEWS))
    $(`mode-${mode}`).setAttribute("aria-pressed", mode === state.mode);
  showError("");
};

/** Of the rung that was started from, as long as its program is there. */
const showIdea = () => {
  const { rung } = rungOf(state.start);
  const isOwn = subject() !== state.start;
  $("question").textContent = isOwn ? "" : rung?.question ?? "";
  $("idea").textContent = isOwn ? "The program is your own: no rung is compared with it."
                                : rung?.idea ?? "";
};

const startFrom = (path) => {
  const { ladder, rung } = rungOf(path);
  Object.assign(state, { start: path, program: ladder.program, steps: rung.steps, sizes: "" });
  shown = {};
  showState();
  update();
};

for (const field of FIELDS)
  $(field).addEventListener("input", () => {
    if (field === "steps" && state.mode === "exercise") state.answers[state.exercise] = $(field).value;
    else state[field] = $(field).value;
    showIdea();
    showNames();
    soon();
  });
$("exercise").addEventListener("change", () => {
  Object.assign(state, { exercise: $("exercise").value, tab: "judgement" });
  shown = {};
  showState();
  update();
});
$("start").addEventListener("change", () => startFrom($("start").value));
$("steps").addEventListener("scroll", () => { $("lines").scrollTop = $("steps").scrollTop; });
for (const mode of Object.keys(VIEWS))
  $(`mode-${mode}`).addEventListener("click", () => {
    state.mode = mode;
    shown = {};
    if (mode === "exercise") state.tab = "judgement";
    $("view").replaceChildren();
    showState();
    update();
  });
$("link").addEventListener("click", () => navigator.clipboard.writeText(location.href));
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark"
                                    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});

// ---- Names as one types --------------------------------------------------------------------------

const WORDS = ["block.x", "block.y", "block.z", "thread.x", "thread.y", "thread.z", "lane", "warp",
               "warpgroup", "parallel", "tail", "name", "names", "vectorize", "layout", "Layout",
               "Combine::shuffle", "Combine::sequential", "Combine::two_level"];

/** Names of the program and of the steps before, then the words of the language. */
const knownNames = () => {
  const own = [...`${programHere()}\n${stepsHere()}`.matchAll(/[A-Za-z_]\w*/g)].map((one) => one[0]);
  return [...new Set([...own, ...catalog.primitives, ...WORDS])];
};

/** The word before the cursor. */
const wordHere = () => {
  const text = $("steps").value.slice(0, $("steps").selectionStart);
  return /[A-Za-z_][\w.:]*$/.exec(text)?.[0] ?? "";
};

let chosen = 0;
const showNames = () => {
  const word = wordHere();
  const found = document.activeElement === $("steps") && word.length > 1
    ? knownNames().filter((name) => name.startsWith(word) && name !== word).slice(0, 12) : [];
  chosen = 0;
  $("names").hidden = found.length === 0;
  $("names").replaceChildren(...found.map((name, n) => {
    const item = document.createElement("li");
    item.textContent = name;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", n === chosen);
    item.onmousedown = (event) => { event.preventDefault(); complete(name); };
    return item;
  }));
  const lines = $("steps").value.slice(0, $("steps").selectionStart).split("\n");
  const row = parseFloat(getComputedStyle($("steps")).lineHeight);
  $("names").style.top = `${lines.length * row + 10 - $("steps").scrollTop}px`;
  $("names").style.left = `calc(2.6rem + ${Math.min(lines.at(-1).length, 40)}ch)`;
};

const complete = (name) => {
  const end = $("steps").selectionStart;
  $("steps").setRangeText(name, end - wordHere().length, end, "end");
  $("names").hidden = true;
  $("steps").dispatchEvent(new Event("input", { bubbles: true }));
};

const choose = (step) => {
  const items = [...$("names").children];
  chosen = (chosen + step + items.length) % items.length;
  items.forEach((item, n) => item.setAttribute("aria-selected", n === chosen));
};

$("steps").addEventListener("keydown", (event) => {
  if ($("names").hidden) return;
  const actions = {
    ArrowDown: () => choose(1),
    ArrowUp: () => choose(-1),
    Enter: () => complete($("names").children[chosen].textContent),
    Tab: () => complete($("names").children[chosen].textContent),
    Escape: () => { $("names").hidden = true; },
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});
$("steps").addEventListener("blur", () => { $("names").hidden = true; });

// ---- The start -----------------------------------------------------------------------------------

const begin = async () => {
  catalog = await (await fetch("catalog.json")).json();
  $("start").replaceChildren(...catalog.ladders.map((ladder) => {
    const group = document.createElement("optgroup");
    group.label = `${ladder.name}: ${ladder.title}`;
    for (const rung of ladder.rungs.filter((one) => one.is_schedule))
      group.append(new Option(`${ladder.name}/${rung.name}`, `${ladder.name}/${rung.name}`));
    return group;
  }));
  $("exercise").replaceChildren(...catalog.exercises.map(
    (one) => new Option(`${one.number} ${one.title}`, one.number)));
  try {
    Object.assign(state, JSON.parse(decodeURIComponent(location.hash.slice(1))));
    showState();
    update();
  } catch {
    const usual = rungOf("matmul/shared-32").rung ? "matmul/shared-32" : $("start").value;
    startFrom(usual);
  }
};
begin();
