(() => {
  "use strict";
  const said = document.getElementById("said");
  const root = document.documentElement;

  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); });
  system.addEventListener("change", label);
  theme.hidden = false;
  label();

  const write = async (text) => {
    try { await navigator.clipboard.writeText(text); return; } catch { /* the older way below */ }
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  for (const button of document.querySelectorAll("button.copy")) {
    const words = button.firstChild;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await write(document.getElementById(button.dataset.copy).textContent);
      words.textContent = "Copied";
      said.textContent = "Copied.";
      setTimeout(() => { words.textContent = "Copy"; said.textContent = ""; }, 1500);
    });
  }

  const key = (row, column) => {
    const cell = row.cells[column];
    return "v" in cell.dataset ? (cell.dataset.v === "" ? NaN : Number(cell.dataset.v)) : cell.textContent;
  };
  const order = (a, b) => {
    if (typeof a === "string") return a.localeCompare(b);
    return Number.isNaN(a) - Number.isNaN(b) || a - b;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("glyph")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const turn = down ? -1 : 1;
        const rows = [...body.rows].map((row) => [key(row, column), row]);
        const absent = ([value]) => Number.isNaN(value);
        rows.sort((a, b) => absent(a) || absent(b) ? absent(a) - absent(b) : turn * order(a[0], b[0]));
        body.append(...rows.map(([, row]) => row));
        said.textContent = `Sorted by ${button.textContent}, ${down ? "descending" : "ascending"}.`;
      });
    });
  }

  for (const field of document.querySelectorAll("input[data-filter]")) {
    const rows = [...document.getElementById(field.dataset.filter).tBodies[0].rows];
    field.parentElement.hidden = false;
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words);
      said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} items.`;
    });
  }

  addEventListener("beforeprint", () => {
    for (const box of document.querySelectorAll("details:not([open])")) { box.open = true; box.dataset.shut = ""; }
  });
  addEventListener("afterprint", () => {
    for (const box of document.querySelectorAll("details[data-shut]")) { box.open = false; delete box.dataset.shut; }
  });
})();
