// Filters the table of all indices; without this script the whole table is shown.
const box = document.querySelector(".catalogue-filter");
if (box) {
  const rows = [...document.querySelectorAll(".catalogue-table tbody tr")];
  const count = document.querySelector(".catalogue-count");
  const search = box.querySelector("input");
  const selects = [...box.querySelectorAll("select")];

  const isWanted = (row) =>
    search.value.toLowerCase().split(/\s+/).every((word) => row.dataset.words.includes(word)) &&
    selects.every((s) => !s.value || row.dataset[s.dataset.filter].split(" ").includes(s.value));

  const show = () => {
    for (const row of rows) row.hidden = !isWanted(row);
    const curves = rows.filter((row) => row.dataset.family === "curves");
    const shown = (of) => of.filter((row) => !row.hidden).length;
    const indices = rows.filter((row) => !curves.includes(row));
    count.textContent =
      `${shown(indices)} of ${indices.length} indices, ${shown(curves)} of ${curves.length} curves`;
  };

  box.hidden = false;
  box.addEventListener("input", show);
  box.addEventListener("change", show);
  show();
}
