/* A button on each block of code: copies the code alone, without prompts and answers. */
document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return; // a page that came without encryption
  for (const block of document.querySelectorAll("div.highlight")) {
    const pre = block.querySelector("pre");
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.title = "Copy the code, without prompts and answers";
    button.addEventListener("click", async () => {
      const lines = pre.textContent.split("\n");
      const code = lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
      await navigator.clipboard.writeText(code.length ? code.join("\n") + "\n" : pre.textContent);
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
});
