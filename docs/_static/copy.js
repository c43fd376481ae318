/* A button on each block of code: copies the code alone, without prompts and answers. */

/* Python's prompt ends a block at an empty line, and needs one behind each block: lines within one get their indent. */
function forPrompt(lines) {
  const code = [];
  lines.forEach((line, k) => {
    const next = lines.slice(k).find((other) => other.trim()) || "";
    const indent = next.match(/^ */)[0];
    const starts = !indent && !/^([)\]}]|else\b|elif\b|except\b|finally\b)/.test(next);
    if (line.trim() && starts && /^ +\S/.test(code[code.length - 1] || "")) code.push("");
    code.push(line.trim() ? line : indent);
  });
  return code.join("\n").trimEnd() + "\n" + (/^ /.test(code[code.length - 1]) ? "\n" : "");
}

document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return; // a page that came without encryption
  for (const block of document.querySelectorAll("div.highlight")) {
    const pre = block.querySelector("pre");
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.title = "Copy the code, without prompts and answers";
    button.addEventListener("click", async () => {
      const lines = pre.textContent.trimEnd().split("\n");
      const code = lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
      const python = code.length || block.parentElement.className.includes("highlight-ipython");
      await navigator.clipboard.writeText(python ? forPrompt(code.length ? code : lines) : pre.textContent);
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
});
