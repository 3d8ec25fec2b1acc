"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const rungs = all("section.rung");
  document.querySelector(".tools").hidden = false;

  // ---- Texts: what is folded, and the owner of each line ----------------------------------------

  const lines_of = (text) => all(text.matches("table") ? "tbody tr" : "i, ins", text);

  const copy_of_line = (line, number) => {
    const copy = document.createElement("i");
    copy.textContent = line.textContent;
    copy.className = number ? "" : "gap";
    return copy;
  };

  const text_of_lines = (lines, number) => {
    const text = document.createElement("pre");
    const code = text.appendChild(document.createElement("code"));
    code.append(...lines.map((line) => copy_of_line(line, number)));
    if (number) code.firstChild.style.counterSet = `n ${number}`;
    return text;
  };

  // Unchanged lines, and rows, are those of the text that theirs is compared with.
  const unfold = (text) => {
    const base = document.getElementById(text.dataset.of);
    for (const part of all("[data-at]", text)) {
      const [from, count, number] = part.dataset.at.split(" ").map(Number);
      delete part.dataset.at;
      unfold(base);
      const lines = lines_of(base).slice(from, from + count);
      if (part.matches("tr")) part.replaceWith(...lines.map((row) => row.cloneNode(true)));
      else part.lastElementChild.replaceWith(text_of_lines(lines, number));
    }
  };
  all("[data-of]").forEach(unfold);

  // "3/i": the step and the axis of a line, or of the first cell of a row; "=4": those before, four times.
  const owners = (words) => words.split(" ").reduce((list, word) => {
    const again = word[0] === "=" ? Number(word.slice(1)) : 0;
    return list.concat(again ? Array(again).fill(list[list.length - 1]) : word);
  }, []);
  for (const text of all("[data-o]")) {
    const lines = lines_of(text);
    owners(text.dataset.o).forEach((owner, n) => {
      const line = text.matches("table") ? lines[n].firstElementChild : lines[n];
      const [step, axis] = owner.split("/");
      if (step !== "-") line.dataset.s = step;
      if (axis) line.dataset.x = axis;
    });
  }

  // Texts can be scrolled by keys, and have names.
  for (const text of all(".listing")) {
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    const rung = text.closest("section").querySelector("h2 a").textContent;
    text.setAttribute("aria-label", `${text.parentElement.querySelector("h4").textContent} of ${rung}`);
  }

  // ---- Lines that belong together: of the same axis, or of the same step of the schedule --------

  let held = null;

  const let_go = (root) => all(".lit, .lit-axis", root).forEach((line) => line.classList.remove("lit", "lit-axis"));

  const light = (line) => {
    const rung = line.closest("section.rung");
    let_go(rung);
    const { s: step, x: axis } = line.dataset;
    for (const other of all("[data-s]", rung)) {
      if (axis && other.dataset.x === axis) other.classList.add("lit-axis");
      else if (other.dataset.s === step) other.classList.add("lit");
    }
  };

  // Brings the first line that is lit in each other text into sight, without moving the page.
  const show_lit = (line) => {
    for (const listing of all(".listing", line.closest("section.rung"))) {
      if (listing.contains(line)) continue;
      const lit = listing.querySelector(".lit-axis") || listing.querySelector(".lit");
      if (!lit) continue;
      const fold = lit.closest("details");
      if (fold) fold.open = true;
      const offset = lit.getBoundingClientRect().top - listing.getBoundingClientRect().top;
      listing.scrollTop += offset - listing.clientHeight / 3;
    }
  };

  const line_at = (target) => target.closest && target.closest("section.rung [data-s]");

  document.addEventListener("mouseover", (event) => {
    if (held) return;
    const line = line_at(event.target);
    if (line) light(line);
    else let_go(document);
  });

  const release = () => {
    held = null;
    let_go(document);
  };

  document.addEventListener("click", (event) => {
    const line = line_at(event.target);
    const is_selecting = String(window.getSelection()) !== "";
    if (!line || is_selecting || line === held) return release();
    release();
    held = line;
    light(line);
    show_lit(line);
  });

  // ---- Moving between rungs ----------------------------------------------------------------------

  const links = new Map(all("nav li a").map((link) => [link.hash.slice(1), link]));

  const current = () => {
    const top = window.innerHeight / 4;
    let number = -1;
    rungs.forEach((rung, n) => {
      if (rung.getBoundingClientRect().top <= top) number = n;
    });
    return number;
  };

  let marked = null;
  const mark_current = () => {
    const number = current();
    const link = number < 0 ? null : links.get(rungs[number].id);
    if (link === marked) return;
    if (marked) marked.removeAttribute("aria-current");
    marked = link;
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const list = link.closest("ol").scrollWidth > link.closest("ol").clientWidth ? link.closest("ol") : link.closest("nav");
    list.scrollTo({
      left: link.offsetLeft - list.clientWidth / 2,
      top: link.offsetTop - list.clientHeight / 2,
    });
  };

  let is_waiting = false;
  document.addEventListener("scroll", () => {
    if (is_waiting) return;
    is_waiting = true;
    requestAnimationFrame(() => {
      is_waiting = false;
      mark_current();
    });
  }, { passive: true });

  const go = (step) => {
    const number = Math.min(Math.max(current() + step, 0), rungs.length - 1);
    if (!rungs.length) return;
    rungs[number].scrollIntoView();
    rungs[number].querySelector("h2 a").focus({ preventScroll: true });
    history.replaceState(null, "", "#" + rungs[number].id);
  };

  // ---- Folding, colours, help --------------------------------------------------------------------

  const is_folded = (details) => !details.open;
  const toggle_all = () => {
    const details = all("main details");
    const open = details.some(is_folded);
    details.forEach((one) => (one.open = open));
  };

  const root = document.documentElement;
  const keep = (theme) => {
    try {
      localStorage.setItem("hone-theme", theme);
    } catch (error) {
      // A page without storage has the colours of the system each time.
    }
  };
  const kept = () => {
    try {
      return localStorage.getItem("hone-theme");
    } catch (error) {
      return null;
    }
  };
  if (kept()) root.dataset.theme = kept();
  const toggle_theme = () => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || dark) === "dark" ? "light" : "dark";
    keep(root.dataset.theme);
  };

  const help = document.getElementById("help");
  const toggle_help = () => (help.open ? help.close() : help.showModal());

  document.getElementById("open-all").addEventListener("click", toggle_all);
  document.getElementById("theme").addEventListener("click", toggle_theme);
  document.getElementById("help-button").addEventListener("click", toggle_help);

  const actions = {
    j: () => go(1), ArrowRight: () => go(1), k: () => go(-1), ArrowLeft: () => go(-1),
    o: toggle_all, t: toggle_theme, "?": toggle_help, Escape: release,
  };
  document.addEventListener("keydown", (event) => {
    const is_arrow = event.key.startsWith("Arrow");
    if (event.ctrlKey || event.metaKey || event.altKey || (help.open && event.key !== "?")) return;
    if (is_arrow && event.target.closest(".listing, .scroll, .drawing, nav")) return;
    const action = actions[event.key];
    if (!action) return;
    if (event.key !== "Escape") event.preventDefault();
    action();
  });

  // ---- Colours of syntax -------------------------------------------------------------------------
  // The browser paints ranges of plain text: no element surrounds a word.

  const words = (text) => new Set(text.split(" "));
  const keywords = words(
    "alignas alloc asm auto break case combine const constexpr continue copy default do else enum extern false fill " +
    "for func identity if in inline let namespace operator reduce reinterpret_cast return select sizeof static " +
    "static_assert static_cast struct switch template this true typedef typename union using volatile where while");
  const types = words(
    "bool boolean char double float half half2 index int long short signed size_t tf32 unsigned void __half __half2 " +
    "__nv_bfloat16 __nv_bfloat162");
  const sized_type = /^(?:b?f(?:8e\dm\d|16|32|64)|[iu](?:8|16|32|64)|u?int\d+_t|u?(?:char|short|int|long|longlong|float|double)[1-4])$/;
  const tokens = new RegExp([
    /(?<comment>\/\/.*|\/\*.*?(?:\*\/|$))/,
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)')/,
    /(?<mark>#\s*\w+|@[a-z]\w*(?:\.\w+)*)/,
    /(?<word>[a-z_][\w]*(?:\.\w+)*)/,
    /(?<number>0x[\da-f]+\w*|\d+(?:\.(?!\.)\d*)?(?:e[-+]?\d+)?\w*)/,
  ].map((one) => one.source).join("|"), "gi");

  const kind_of_word = (word) => {
    if (keywords.has(word) || /^__[a-z]+__$/.test(word)) return "keyword";
    return types.has(word) || sized_type.test(word) ? "type" : null;
  };

  const colours = new Map();
  const colour = (line) => {
    const text = line.firstChild;
    if (!text || text.nodeType !== Node.TEXT_NODE) return;
    for (const { 0: token, index, groups } of text.data.matchAll(tokens)) {
      const kind = groups.word ? kind_of_word(token) : Object.keys(groups).find((name) => groups[name]);
      if (!kind) continue;
      colours.get(kind).add(new StaticRange({
        startContainer: text, startOffset: index, endContainer: text, endOffset: index + token.length,
      }));
    }
  };

  // Texts are coloured when they come close to the window.
  const colour_listings = () => {
    for (const kind of ["comment", "string", "mark", "number", "keyword", "type"]) {
      colours.set(kind, new Highlight());
      CSS.highlights.set(kind, colours.get(kind));
    }
    const watch = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        all("pre code > *, td code", target).forEach(colour);
      }
    }, { rootMargin: "400px" });
    all(".listing, table.source").forEach((text) => watch.observe(text));
  };
  if (CSS.highlights) colour_listings();

  // ---- Copying, printing -------------------------------------------------------------------------

  for (const heading of all(".pane h4")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const lines = lines_of(heading.parentElement).map((line) => line.textContent);
      const done = (word) => {
        button.textContent = word;
        setTimeout(() => (button.textContent = "Copy"), 1500);
      };
      if (!navigator.clipboard) return done("Not allowed");
      navigator.clipboard.writeText(lines.join("")).then(() => done("Copied"), () => done("Not allowed"));
    });
    heading.append(button);
  }

  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = all("main details").filter(is_folded);
    opened.forEach((one) => (one.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));

  mark_current();
})();
