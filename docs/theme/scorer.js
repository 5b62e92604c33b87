/* What Sphinx gives a hit; more if the title has the words as they were typed, and more for pages
   that explain than for those of single methods and names. */
var typed = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
var Scorer = {
  score: ([page, title, , , score]) =>
    score +
    (typed && title.toLowerCase().includes(typed) ? 40 : 0) +
    (/^(methods|reference)\//.test(page) ? 0 : 20),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
