// Runs before the first paint, and before the app itself is here.

// The theme, so that a dark page never flashes white. Same rule as src/stores/ui.ts.
(function () {
  var choice = 'system';
  try {
    choice = localStorage.getItem('theme') || 'system';
  } catch {
    choice = 'system';
  }
  var dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
})();

// What the page will read first (scripts/documents.mjs names it), so that the answers come beside the app's own files and
// not after them. src/lib/api/early-reads.ts takes them up; one that nobody takes up is forgotten.
(function () {
  var page = document.currentScript.dataset;
  if (!page.reads) return;
  var token = null;
  try {
    token = localStorage.getItem('authToken');
  } catch {
    token = null;
  }
  if ('members' in page && !token) return;
  var names = page.path.split('/');
  var given = location.pathname.split('/');
  window.earlyReads = new Map();
  page.reads.split(' ').forEach(function (read) {
    if (read.includes('?') && location.search) return;
    var url = read.replace(/\$\w+/g, function (name) {
      return given[names.indexOf(name)];
    });
    var authorization = token && 'Bearer ' + token;
    var answer = fetch(url, { headers: authorization ? { Authorization: authorization } : {} });
    answer.catch(function () {}); // the consumer requests it again
    window.earlyReads.set(url, { authorization: authorization, answer: answer });
  });
})();
