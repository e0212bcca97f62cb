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
// not after them. src/lib/api/early-reads.ts takes them up; one that nobody takes up is forgotten. Those of a website
// ("$website") follow the list of websites; "hint:/…" is for an account that has not put this hint away.
(function () {
  var WEBSITES = '/api/platform/websites';
  var page = document.currentScript.dataset;
  if (!page.reads) return;
  function stored(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }
  function parsed(text) {
    try {
      return JSON.parse(text) || {};
    } catch {
      return {};
    }
  }
  var token = stored('authToken');
  if ('members' in page && !token) return;
  var owner = parsed(stored('user')).id;
  var names = page.path.split('/');
  var given = location.pathname.split('/');
  var reads = page.reads
    .split(' ')
    .map(function (read) {
      return { hint: read.slice(0, read.indexOf('/')).replace(':', ''), url: read.slice(read.indexOf('/')) };
    })
    .filter(function (read) {
      return !read.hint || !stored('dismissed:' + owner + ':' + read.hint);
    })
    .map(function (read) {
      return read.url;
    });
  function ofWebsite(read) {
    return read.includes('$website');
  }
  var early = (window.earlyReads = new Map());

  function begin(read, website, followed) {
    var url = read.replace(/\$\w+/g, function (name) {
      return name === '$website' ? encodeURIComponent(website) : given[names.indexOf(name)];
    });
    var authorization = token && 'Bearer ' + token;
    var answer = fetch(url, { headers: authorization ? { Authorization: authorization } : {} });
    var entry = { authorization: authorization, answer: answer, came: false };
    early.set(url, entry);
    answer
      .then(followed)
      .catch(function () {}) // the consumer requests it again
      .then(function () {
        entry.came = true;
      });
  }

  /** The website that the page will show; none where it shows all of them. */
  function chosen(websites) {
    var named = new URLSearchParams(location.search).get('website');
    if ('all' in page && !named && websites.length > 1) return null;
    var wanted = named || parsed(stored('scope:' + owner)).website || null;
    var found = websites.find(function (website) {
      return website.id === wanted;
    });
    return found || websites[0];
  }

  function follow(answer) {
    return answer
      .clone()
      .json()
      .then(function (websites) {
        var website = chosen(websites);
        if (!website || !early.has(WEBSITES)) return; // the app knows them already, and reads itself
        reads.filter(ofWebsite).forEach(function (read) {
          begin(read, website.id);
        });
      });
  }

  reads.forEach(function (read) {
    // The address may name more than the page's usual ones.
    if (ofWebsite(read) || (read.includes('?') && location.search)) return;
    begin(read, null, read === WEBSITES ? follow : undefined);
  });
})();
