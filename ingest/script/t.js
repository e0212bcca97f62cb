// The tracking script: page views, single-page navigation, clicks on affiliate links, own events.
//
//   <script async src="https://TRACKING/t.js" data-site="pk_..."></script>
//
// data-site      the site key (needed)
// data-api       where events go (default: where this script came from)
// data-manual    no automatic page views
// data-hash      the fragment is a part of the page: routes such as #/pricing, and UTM parameters in it
// althing_config = { site: "pk_...", api: "...", manual: true, hash: true }   the same, where the tag cannot tell it
// <a href="https://www.awin1.com/...">             counts clicks on links of known networks; where the website has it
//                                                  switched on, with the click id, and how often they are seen
// data-network, data-subid                         the network of a link and its parameter, where its address tells neither
// data-placement                                   the name of a place, for the links in it
// <a data-event="signup" data-event-plan="pro">   sends an event when it is clicked
// althing("signup", { plan: "pro" })               sends an event; althing.click_id gives the visitor's click id
// althing("consent", { analytics: false, ads: true })   what the visitor agreed to: whether anything is stored in the
//                                                  browser, and whether the click ids of ads are sent
// althing_consent = { ads: false }                 the same, before the script is there
// localStorage.althing_ignore = 1                  sends nothing from this browser
//
// Rules for this file: ingest/script/minify.py. Networks and the address of ingest are filled in (ingest/script/__init__.py).
(function (w, d, n) {
  var script = d.currentScript, sites = w.althing_sites = w.althing_sites || {}, store = {}, options, site, ours, url;
  try {
    store = w.localStorage;
    store.getItem("x");
  } catch (e) { store = {}; }
  // Of the events in the queue, those in flight wait for their answer.
  var queue = [], flying = [];
  var timer, last, wait = 1000, at = 0;
  // The view of the page that is shown, as long as its title is not known.
  var held, holding, titled, first;
  // What the website has set, as the last answer told: ids for the next clicks, and that one page view of so many counts
  // how often its links are seen.
  var ids = [], idsAt, every = 0, dice = Math.random();
  var networks = {}, viewer, looking, timers = new Map();
  var KEY = "althing_q", AD = /([?&#;]\w*(c[lc]?k?id|braid|fat_id|epik)=)[^&#]+/gi;
  // The click ids of the ad that the visitor came from, which stay in this page's memory; the newest event of this page,
  // with which they are sent; and which were, with what consent.
  var ad, newest, told;

  // What goes wrong in here is no error of the page.
  function safe(f) {
    return function (e) {
      try { return f(e); } catch (x) { }
    };
  }

  // Browsers end such an address with a new one, also where pages have no HTTPS.
  function uuid() {
    return URL.createObjectURL(new Blob()).slice(-36);
  }

  function agreed() {
    return w.althing_consent = w.althing_consent || {};
  }

  // Nothing but true is an agreement. Who refuses analytics is counted without anything in this browser.
  function agree(given) {
    var now = agreed(), k;
    for (k in given) now[k] = given[k] === true;
    if (now.analytics === false) {
      delete store.althing_s;
      delete store[KEY];
    }
  }

  // The ids to send. Who agrees only on the page after the landing page brings its address as the referrer.
  function landed(ads) {
    var ids = ad || ads && !d.referrer.indexOf(w.location.origin) && idsIn(d.referrer);
    if (ids && ads !== false && told != ads + ids) return ids;
  }

  // The click ids of ads in an address; and the address without them, which shows that there were some.
  function idsIn(address) {
    return (address.match(AD) || []).join("");
  }

  function bare(address) {
    return address.replace(AD, "$1-");
  }

  // 30 minutes idle end a session; the id lives in this browser only. There is none where it cannot be kept: then every
  // page would be a visit.
  function session() {
    if (agreed().analytics === false) return;
    var now = Date.now(), s = (store.althing_s || "").split(".");
    if (!(now - s[1] < 18e5)) s = [uuid()];
    store.althing_s = s[0] + "." + now;
    return store.getItem && s[0];
  }

  function off() {
    return !site || n.webdriver || store.althing_ignore;
  }

  function without(events, gone) {
    var ids = gone.map(function (e) { return e.id; });
    return events.filter(function (e) { return ids.indexOf(e.id) < 0; });
  }

  function stored() {
    return safe(JSON.parse)(store[KEY]) || [];
  }

  // Other pages of the site keep their events in the same place.
  function save(gone) {
    var all = without(stored(), queue.concat(gone)).concat(queue);
    if (agreed().analytics !== false) try { store[KEY] = JSON.stringify(all.slice(-50)); } catch (e) { }
  }

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
    wait = wait < 6e4 ? wait * 2 : wait;
  }

  // What is queued goes in one request, as text/plain, so that no preflight is needed. An event leaves the queue only
  // when its answer has come: what a page that goes away does not hear of, the next one sends again, with the same id.
  function flush() {
    var sent = without(queue, flying).slice(0, 50), ads = agreed().ads, tells, body;
    sent.forEach(function (e) {
      e.sent_at = Date.now();
      e.consent = agreed();
      e.gpc = n.globalPrivacyControl;
      if (e == newest && !e.gpc) e.ad_params = tells = landed(ads);
    });
    body = JSON.stringify(sent);
    if (tells) delete newest.ad_params;
    if (off() || d.prerendering || !sent[0] || flying.length && !d.hidden) return;
    flying = flying.concat(sent);
    fetch(url, { method: "POST", body: body, keepalive: body.length < 6e4 }).then(function (r) {
      flying = without(flying, sent);
      if (r.status == 408 || r.status == 429 || r.status > 499) {
        later(r.headers.get("Retry-After") * 1000 || wait);
      } else {
        wait = 1000;
        queue = without(queue, sent);
        save(sent);
        if (tells && r.ok) told = ads + tells;
        flush();
        if (r.ok) return r.json().then(take);
      }
    }, function () {
      flying = without(flying, sent);
      later(wait);
    }).catch(safe);
  }

  function take(answer) {
    var links = answer.links || {};
    ids = links.click_ids || [];
    idsAt = Date.now();
    every = links.impressions_every || 0;
    look();
  }

  // The times of a page's events are in their order, also within a millisecond.
  function made(type, more) {
    if (off()) return;
    var l = w.location, now = Date.now();
    var e = { id: uuid(), type: type, site: site, url: bare(l.href), title: d.title };
    ad = idsIn(l.href) || ad;
    e.occurred_at = at = now > at || now < at - 1000 ? now : at + 1;
    e.session_id = safe(session)();
    if (isOn("hash")) e.hash = true;
    for (var k in more) e[k] = more[k];
    delete e.parameter;
    return e;
  }

  function add(e) {
    if (!e) return;
    newest = e;
    queue = queue.concat(e).slice(-200);
    save([]);
    flush();
  }

  function send(type, more) {
    add(made(type, more));
  }

  // The page's title is known: its view is sent.
  function settle() {
    var e = held;
    held = clearTimeout(holding);
    if (e) e.title = d.title;
    add(e);
  }

  function hold(ms) {
    clearTimeout(holding);
    holding = setTimeout(safe(settle), ms);
  }

  function isOn(name) {
    return options[name] || options[name] === "";
  }

  // The path of an address: without its query and that of its fragment.
  function pathOf(address) {
    return address.replace(/\?[^#]*/g, "");
  }

  // One page is one view: what replaces an address and keeps its path shows the same page, and what replaces the
  // address of a page without a title yet is a redirect, except where the visitor landed. Pages that scripts show get
  // their titles after their addresses: the view waits for another title, but not for longer than 5 seconds.
  function page(how) {
    var l = w.location, now = l.pathname + l.search, same;
    if (isOn("hash")) now += l.hash.replace(/\#!?\/?([^?&#]*=.*)?$/, "");
    if (now == last) return;
    same = last && pathOf(now) == pathOf(last);
    if (how == "replace" && (same || held && !first)) {
      if (!same) held.url = bare(l.href);
      last = now;
      return;
    }
    settle();
    first = !last;
    held = made("pageview", { referrer: bare(last ? l.origin + last : d.referrer) });
    titled = d.title;
    last = now;
    if (first ? !titled && d.readyState == "loading" : !d.hidden) hold(5000);
    else settle();
    dice = Math.random();
    timers.forEach(clearTimeout);
    timers.clear();
    if (viewer) viewer.disconnect();
    look();
  }

  function start() {
    queue = without(stored(), queue).concat(queue);
    if (!isOn("manual")) {
      if (w.navigation) {
        w.navigation.addEventListener("currententrychange", safe(function (e) { page(e.navigationType); }));
      } else {
        ["push", "replace"].forEach(function (how) {
          var name = how + "State", old = w.history[name];
          w.history[name] = function () {
            old.apply(this, arguments);
            safe(page)(how);
          };
        });
        w.addEventListener("popstate", safe(page));
      }
      new MutationObserver(safe(function () {
        if (!held || d.title == titled) return;
        titled = d.title;
        hold(100);
      })).observe(d.head || d, { childList: true, subtree: true, characterData: true });
      d.addEventListener("DOMContentLoaded", safe(settle));
      w.addEventListener("pageshow", safe(function (e) {
        if (e.persisted) {
          last = 0;
          flying = [];
          ids = [];
          page();
        }
      }));
      page();
    }
    flush();
  }

  // The network of a link: of its host, of what it is marked with, or of one of its parameters.
  function networkOf(a) {
    var labels = a.hostname.split("."), named = a.closest("[data-network]"), found;
    for (; labels.length > 1; labels.shift()) found = found || networks[labels.join(".")];
    if (!found && !a.pathname.indexOf("/go/")) return;
    a.search.slice(1).split("&").forEach(function (pair) {
      found = found || networks["?" + pair.split("=")[0]];
    });
    return named && networks["=" + named.dataset.network] || found;
  }

  // What an event tells of an affiliate link; nothing of other links, nor of our own, which are counted when followed.
  function about(a) {
    if ((a.protocol + "").indexOf("http") || a.host == w.location.host || a.origin == ours) return;
    var network = networkOf(a), partner = a.dataset.partner, more = { props: { url: (a.host + a.pathname).slice(0, 500) } };
    if (!network && (!partner || !a.pathname.indexOf("/go/"))) return;
    if (partner) more.partner = partner;
    if (network) more.props.network = network[0];
    more.parameter = a.dataset.subid || network && network[1];
    return more;
  }

  function title(e) {
    return e ? e.textContent.trim().replace(/\s+/g, " ").slice(0, 80) : "";
  }

  // The affiliate links of the page with their places: as named, else the heading before and the number under it.
  function places() {
    var found = new Map(), levels = "h1,h2,h3,h4,h5,h6", heading = "", number = 0;
    d.querySelectorAll(levels + ",a[href],area[href]").forEach(function (e) {
      if (e.localName[0] == "h") {
        heading = title(e);
        number = 0;
        return;
      }
      var more = about(e), named = e.closest("[data-placement]"), over = title(e.querySelector(levels)) || heading;
      if (!more) return;
      number++;
      more.placement = named ? named.dataset.placement : (over && over + " \u00b7 ") + number;
      found.set(e, more);
    });
    return found;
  }

  // The address with the click id: before a value that is an address of its own, which would swallow it; not in the
  // place of another sub-id. `name:` is a part of the path.
  function tagged(href, name, id) {
    var end = (href + "#").indexOf("#"), from = (href.slice(0, end) + "?").indexOf("?"), at, pairs;
    var path = href.slice(0, from), query = href.slice(from + 1, end);
    if (name.slice(-1) == ":") {
      at = (path + "/destination:").indexOf("/destination:");
      path = path.slice(0, at);
      return path.indexOf("/" + name) < 0 && path.replace(/\/+$/, "") + "/" + name + id + href.slice(at);
    }
    if (path.split("://").length > 2 || new URLSearchParams(query).get(name)) return;
    pairs = query.split("&").filter(function (pair) { return pair && pair != name && pair != name + "="; });
    for (at = 0; at < pairs.length && pairs[at].indexOf("://") < 0;) at++;
    pairs.splice(at, 0, name + "=" + id);
    return path + "?" + pairs.join("&") + href.slice(end);
  }

  // The link has the click id while the browser follows it; before and after, its address is the author's.
  function tag(a, more) {
    var own = a.getAttribute("href"), next, set;
    if (!more.parameter || !ids[0] || Date.now() - idsAt > 432e5) return;
    next = tagged(a.href, more.parameter, ids[0]);
    if (!next) return;
    more.click_id = ids.shift();
    a.setAttribute("href", next);
    set = a.href;
    setTimeout(function () {
      if (a.href == set) a.setAttribute("href", own);
    });
  }

  function follow(a) {
    var more = about(a);
    if (!more) return;
    more.placement = (places().get(a) || more).placement;
    tag(a, more);
    send("click", more);
  }

  // A link is seen when half of it is in view for a second: once in a page view.
  function seen(a) {
    var more = places().get(a);
    if (!more || !every || d.hidden) return;
    viewer.unobserve(a);
    more.value = every;
    more.view = "" + dice;
    send("link.impression", more);
  }

  function look() {
    looking = clearTimeout(looking);
    if (!every || every * dice >= 1 || !w.IntersectionObserver) return;
    if (!viewer) {
      viewer = new IntersectionObserver(safe(function (entries) {
        entries.forEach(function (e) {
          clearTimeout(timers.get(e.target));
          if (e.intersectionRatio >= .5) timers.set(e.target, setTimeout(safe(function () { seen(e.target); }), 1000));
        });
      }), { threshold: .5 });
      new MutationObserver(safe(function () {
        looking = looking || setTimeout(safe(look), 500);
      })).observe(d, { childList: true, subtree: true });
    }
    places().forEach(function (more, a) {
      if (timers.has(a)) return;
      timers.set(a, 0);
      viewer.observe(a);
    });
  }

  function clicked(e) {
    if (e.button > 1) return;
    var target = e.composedPath()[0], own = target.closest("[data-event]"), link = target.closest("a[href],area[href]");
    var props = {}, at, k;
    if (own) {
      at = own.dataset;
      for (k in at) if (/\bevent./.test(k)) props[k.slice(5).toLowerCase()] = at[k];
      if (at.event) send(at.event, { props: props });
    }
    if (link) follow(link);
  }

  function call(type, props) {
    safe(function () {
      if (type == "consent") agree(props);
      else send(type, { props: props || {} });
    })();
  }

  function begin(me) {
    options = me.dataset;
    site = options.site;
    sites[site] = 1;
    w.althing = call;
    [script || {}, me, { src: "ADDRESS" }].forEach(function (e) {
      if (!ours && /\/t\.js/.test(e.src)) ours = new URL(e.src).origin;
    });
    url = (options.api || ours) + "/track";
    "NETWORKS".split("|").forEach(function (line) {
      var words = line.split(" ");
      networks["=" + words[0]] = words;
      words.slice(2).forEach(function (word) { networks[word[0] == "." ? words[0] + word : word] = words; });
    });
    safe(function () { call.click_id = (d.cookie.split("aff_click_id=")[1] || "").split(";")[0]; })();
    d.addEventListener("click", safe(clicked), true);
    d.addEventListener("auxclick", safe(clicked), true);
    d.addEventListener("visibilitychange", safe(function () {
      if (d.hidden) settle();
      flush();
    }));
    agree(agreed());
    if (d.prerendering) d.addEventListener("prerenderingchange", safe(start));
    else start();
  }

  // In a module, in a combined or an evaluated file, and with some loaders the browser names no tag, or one without a
  // key: then the first tag of the page with a key that has no script yet counts, then the global.
  function find() {
    var tags = [script], known, me;
    if (!script || !script.dataset.site) {
      tags = [].slice.call(d.querySelectorAll("script[data-site^=pk_]")).concat({ dataset: w.althing_config || {} });
    }
    tags.forEach(function (e) {
      var key = e.dataset.site;
      known = known || key;
      if (key && !sites[key]) me = me || e;
    });
    if (me) begin(me);
    else if (!known && d.readyState == "loading") d.addEventListener("DOMContentLoaded", safe(find));
    else if (!known && !sites[""]) {
      sites[""] = 1;
      console.warn("althing: no data-site");
    }
  }

  w.althing = w.althing || call;
  safe(find)();
})(window, document, navigator);
