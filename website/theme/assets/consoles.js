// The copy button of a console copies the commands, without prompts and output.
function commandsOf(text) {
  const typed = [];
  let end = null; // the last line of the open here-document, if any
  for (const line of text.split("\n")) {
    if (end !== null) {
      typed.push(line);
      if (line === end) end = null;
    } else if (line.startsWith("$ ")) {
      typed.push(line.slice(2));
      const here = line.match(/<<'(\w+)'/);
      end = here ? here[1] : null;
    }
  }
  return typed.join("\n") + "\n";
}

// Runs before the theme's own listener, which prefers this attribute to the text of the block.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest("[data-clipboard-target]");
    const block = button && button.closest(".language-console");
    if (block) button.setAttribute("data-clipboard-text", commandsOf(block.querySelector("code").textContent));
  },
  true,
);
