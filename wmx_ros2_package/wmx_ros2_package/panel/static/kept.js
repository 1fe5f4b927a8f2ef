// What is typed into a field with data-kept stays with the tab: a page that is loaded again moves
// nothing faster or further than what was typed before.

const place = (field) => `kept ${field.dataset.kept}`;

document.addEventListener("input", ({ target }) => {
  if (target.dataset?.kept) sessionStorage.setItem(place(target), target.value);
});

function restore(field) {
  const typed = sessionStorage.getItem(place(field));
  if (typed === null || typed === field.value) return;
  field.value = typed;
  field.dispatchEvent(new Event("input", { bubbles: true }));  // so that the panel has it, too
}

new MutationObserver((records) => {
  for (const { addedNodes } of records)
    for (const node of addedNodes) node.querySelectorAll?.("[data-kept]").forEach(restore);
}).observe(document.body, { childList: true, subtree: true });
document.querySelectorAll("[data-kept]").forEach(restore);
