"use strict";
(() => {
  const NUMBER = /^[-−+]?(\d[\d,]*\.?\d*(e[-+]?\d+)?|inf)/i;

  const read = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const found = text.match(NUMBER);
    if (!text || text.startsWith("nan")) return { blank: true, text };
    const value = found && Number(found[0].replace(/,/g, "").replace("−", "-").replace(/inf/i, "Infinity"));
    return { text, value: found && !Number.isNaN(value) ? value : null };
  };

  const compared = (a, b) => {
    if (a.value !== null && b.value !== null && a.value !== b.value) return a.value - b.value;
    if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
    return a.text.localeCompare(b.text, "en", { numeric: true });
  };

  const sort = (table, head, column) => {
    const direction = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: read(row, column) }));
    rows.sort((a, b) => {
      if (a.key.blank || b.key.blank) return Boolean(a.key.blank) - Boolean(b.key.blank);
      return sign * compared(a.key, b.key);
    });
    body.append(...rows.map((one) => one.row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
  };

  for (const table of document.querySelectorAll("table")) {
    if (table.tBodies[0].rows.length < 2) continue;
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const name = head.querySelector("span");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = name.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      name.replaceWith(button);
    });
  }

  addEventListener("beforeprint", () => {
    for (const open of document.querySelectorAll("[popover]:popover-open")) open.hidePopover();
  });
})();
