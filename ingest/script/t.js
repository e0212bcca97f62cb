// The tracking script: page views, single-page navigation, outbound clicks on partner links, own events.
//
//   <script async src="https://TRACKING/t.js" data-site="pk_..."></script>
//
// data-site      the site key (needed)
// data-api       where events go (default: where this script came from)
// data-manual    no automatic page views
// <a data-event="signup" data-event-plan="pro">   sends an event when it is clicked
// althing("signup", { plan: "pro" })               sends an event; althing.click_id gives the visitor's click id
// localStorage.althing_ignore = 1                  sends nothing from this browser
//
// Rules for this file (ingest/script/__init__.py makes it small): see `small` there.
(function (w, d, n, h) {
  var me = d.currentScript;
  var site = me && me.getAttribute("data-site");
  var url = me && (me.getAttribute("data-api") || new URL(me.src).origin) + "/track";
  var store = {};
  try { store = w.localStorage; store.getItem("x"); } catch (e) { store = {}; }
  // Of the events in the queue, those in flight wait for their answer.
  var queue = [], flying = [];
  var timer, last, wait = 1000;
  var KEY = "althing_q";

  function uuid() {
    var b = w.crypto.getRandomValues(new Uint8Array(16)), s = "";
    b[6] = b[6] & 15 | 64;
    b[8] = b[8] & 63 | 128;
    for (var i = 0; i < 16; i++) s += (i > 3 && i < 11 && i % 2 < 1 ? "-" : "") + (b[i] + 256).toString(16).slice(1);
    return s;
  }

  // 30 minutes idle end a session; the id lives in this browser only.
  function session() {
    var now = Date.now(), s = (store.althing_s || "").split(".");
    if (!(now - s[1] < 18e5)) s = [uuid()];
    store.althing_s = s[0] + "." + now;
    return s[0];
  }

  function off() {
    return !site || n.webdriver || store.althing_ignore;
  }

  function without(events, gone) {
    var ids = gone.map(function (e) { return e.id; });
    return events.filter(function (e) { return ids.indexOf(e.id) < 0; });
  }

  function stored() {
    try { return JSON.parse(store[KEY] || "[]"); } catch (e) { return []; }
  }

  // Other pages of the site keep their events in the same place.
  function save(gone) {
    var all = without(stored(), queue.concat(gone)).concat(queue);
    try { store[KEY] = JSON.stringify(all.slice(-50)); } catch (e) { }
  }

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
    wait = Math.min(wait * 2, 6e4);
  }

  // What is queued goes in one request, as text/plain, so that no preflight is needed. An event leaves the queue only
  // when its answer has come: what a page that goes away does not hear of, the next one sends again, with the same id.
  function flush() {
    var sent = without(queue, flying).slice(0, 50), body = JSON.stringify(sent), hidden = d.visibilityState == "hidden";
    if (off() || d.prerendering || !sent.length || (flying.length && !hidden)) return;
    if (hidden && n.sendBeacon && !("keepalive" in Request.prototype)) {
      n.sendBeacon(url, body);
      return;
    }
    flying = flying.concat(sent);
    fetch(url, { method: "POST", body: body, keepalive: body.length < 6e4, credentials: "omit" }).then(function (r) {
      flying = without(flying, sent);
      if (r.status == 408 || r.status == 429 || r.status > 499) {
        later((r.headers.get("Retry-After") || 0) * 1000 || wait);
      } else {
        wait = 1000;
        queue = without(queue, sent);
        save(sent);
        flush();
      }
    }, function () {
      flying = without(flying, sent);
      later(wait);
    });
  }

  function send(type, more) {
    if (off()) return;
    var e = { id: uuid(), type: type, site: site, occurred_at: Date.now(), url: w.location.href, title: d.title };
    e.session_id = session();
    for (var k in more) e[k] = more[k];
    queue = queue.concat(e).slice(-200);
    save([]);
    flush();
  }

  function page() {
    var now = w.location.pathname + w.location.search;
    if (now == last) return;
    send("pageview", { referrer: last ? w.location.origin + last : d.referrer });
    last = now;
  }

  function start() {
    queue = without(stored(), queue).concat(queue);
    if (me.getAttribute("data-manual") == null) {
      ["pushState", "replaceState"].forEach(function (name) {
        var old = h[name];
        h[name] = function () {
          old.apply(h, arguments);
          page();
        };
      });
      w.addEventListener("popstate", page);
      w.addEventListener("pageshow", function (e) {
        if (e.persisted) {
          last = 0;
          flying = [];
          page();
        }
      });
      page();
    }
    flush();
  }

  function clicked(e) {
    if (e.type == "auxclick" && e.button != 1) return;
    var a = e.target && e.target.closest && e.target.closest("a[href],[data-event]"), at, props = {}, k;
    if (!a) return;
    at = a.dataset;
    for (k in at) if (k != "event" && k.indexOf("event") == 0) props[k.slice(5).toLowerCase()] = at[k];
    if (at.event) send(at.event, { props: props });
    if (at.partner && a.host != w.location.host) send("click", { partner: at.partner, props: { url: a.host + a.pathname } });
  }

  w.althing = function (type, props) {
    send(type, { props: props || {} });
  };
  if (!me) return;
  w.althing.click_id = (d.cookie.split("aff_click_id=")[1] || "").split(";")[0];
  d.addEventListener("click", clicked, true);
  d.addEventListener("auxclick", clicked, true);
  d.addEventListener("visibilitychange", flush);
  if (d.prerendering) d.addEventListener("prerenderingchange", start);
  else start();
})(window, document, navigator, history);
