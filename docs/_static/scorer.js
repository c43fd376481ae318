/* Names of covector itself come before those of the same name in the layers for other libraries, and pages that are read
   to use it before those that record how it came about. */
var Scorer = {
  score: ([docname, title, anchor, description, score, filename]) =>
    score - (docname === "torch_reference" ? 2 : /^(bibliography|clients|editions|design\/)/.test(docname) ? 12 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
