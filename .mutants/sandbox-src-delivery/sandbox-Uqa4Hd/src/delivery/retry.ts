function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
const FIRST_MS = 1_000;
const MAX_MS = 300_000;
/** A wait is longer by up to this share at random, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** A receiver may ask for a longer wait, but it is called again after this one. */
const RETRY_AFTER_MAX_MS = 3_600_000;
const DOUBLINGS_MAX = 20;

/**
 * Milliseconds until the next attempt. The first wait is 1 s. Each further one is twice as long, up to 5 minutes. A
 * random part adds up to a fifth.
 * @param attempts number of failed attempts so far, at least 1
 * @param random from 0 to 1
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | undefined, random: number): number {
  if (stryMutAct_9fa48("499")) {
    {}
  } else {
    stryCov_9fa48("499");
    const plain = stryMutAct_9fa48("500") ? Math.max(FIRST_MS * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX), MAX_MS) : (stryCov_9fa48("500"), Math.min(stryMutAct_9fa48("501") ? FIRST_MS / 2 ** Math.min(attempts - 1, DOUBLINGS_MAX) : (stryCov_9fa48("501"), FIRST_MS * 2 ** (stryMutAct_9fa48("502") ? Math.max(attempts - 1, DOUBLINGS_MAX) : (stryCov_9fa48("502"), Math.min(stryMutAct_9fa48("503") ? attempts + 1 : (stryCov_9fa48("503"), attempts - 1), DOUBLINGS_MAX)))), MAX_MS));
    return Math.round(stryMutAct_9fa48("504") ? Math.min(plain * (1 + JITTER * random), Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)) : (stryCov_9fa48("504"), Math.max(stryMutAct_9fa48("505") ? plain / (1 + JITTER * random) : (stryCov_9fa48("505"), plain * (stryMutAct_9fa48("506") ? 1 - JITTER * random : (stryCov_9fa48("506"), 1 + (stryMutAct_9fa48("507") ? JITTER / random : (stryCov_9fa48("507"), JITTER * random))))), stryMutAct_9fa48("508") ? Math.max(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS) : (stryCov_9fa48("508"), Math.min(stryMutAct_9fa48("509") ? retryAfterMs && 0 : (stryCov_9fa48("509"), retryAfterMs ?? 0), RETRY_AFTER_MAX_MS)))));
  }
}

/** The milliseconds that a header Retry-After asks for. The header has seconds or an HTTP date. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (stryMutAct_9fa48("510")) {
    {}
  } else {
    stryCov_9fa48("510");
    if (stryMutAct_9fa48("513") ? header !== undefined : stryMutAct_9fa48("512") ? false : stryMutAct_9fa48("511") ? true : (stryCov_9fa48("511", "512", "513"), header === undefined)) return undefined;
    if (stryMutAct_9fa48("515") ? false : stryMutAct_9fa48("514") ? true : (stryCov_9fa48("514", "515"), (stryMutAct_9fa48("519") ? /^\D{1,9}$/ : stryMutAct_9fa48("518") ? /^\d$/ : stryMutAct_9fa48("517") ? /^\d{1,9}/ : stryMutAct_9fa48("516") ? /\d{1,9}$/ : (stryCov_9fa48("516", "517", "518", "519"), /^\d{1,9}$/)).test(stryMutAct_9fa48("520") ? header : (stryCov_9fa48("520"), header.trim())))) return stryMutAct_9fa48("521") ? Number(header) / 1000 : (stryCov_9fa48("521"), Number(header) * 1000);
    const at = Date.parse(header);
    return Number.isNaN(at) ? undefined : stryMutAct_9fa48("522") ? Math.min(0, at - nowMs) : (stryCov_9fa48("522"), Math.max(0, stryMutAct_9fa48("523") ? at + nowMs : (stryCov_9fa48("523"), at - nowMs)));
  }
}