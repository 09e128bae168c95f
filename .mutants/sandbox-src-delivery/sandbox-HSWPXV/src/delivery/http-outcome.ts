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
import type { HttpAnswer } from './guarded-http';
import type { Outcome } from './outcome';
import { parseRetryAfter } from './retry';
const GONE = 410;
/** 400 Bad Request, 413 Content Too Large and 422 Unprocessable Content mean that the content is at fault. */
const TOO_LARGE = 413;
const OF_CONTENT = stryMutAct_9fa48("186") ? [] : (stryCov_9fa48("186"), [400, TOO_LARGE, 422]);
export const isSuccess = stryMutAct_9fa48("187") ? () => undefined : (stryCov_9fa48("187"), (() => {
  const isSuccess = (status: number): boolean => stryMutAct_9fa48("190") ? status >= 200 || status < 300 : stryMutAct_9fa48("189") ? false : stryMutAct_9fa48("188") ? true : (stryCov_9fa48("188", "189", "190"), (stryMutAct_9fa48("193") ? status < 200 : stryMutAct_9fa48("192") ? status > 200 : stryMutAct_9fa48("191") ? true : (stryCov_9fa48("191", "192", "193"), status >= 200)) && (stryMutAct_9fa48("196") ? status >= 300 : stryMutAct_9fa48("195") ? status <= 300 : stryMutAct_9fa48("194") ? true : (stryCov_9fa48("194", "195", "196"), status < 300)));
  return isSuccess;
})());
export const isTooLarge = stryMutAct_9fa48("197") ? () => undefined : (stryCov_9fa48("197"), (() => {
  const isTooLarge = (status: number): boolean => stryMutAct_9fa48("200") ? status !== TOO_LARGE : stryMutAct_9fa48("199") ? false : stryMutAct_9fa48("198") ? true : (stryCov_9fa48("198", "199", "200"), status === TOO_LARGE);
  return isTooLarge;
})());
export const isOfContent = stryMutAct_9fa48("201") ? () => undefined : (stryCov_9fa48("201"), (() => {
  const isOfContent = (status: number): boolean => OF_CONTENT.includes(status);
  return isOfContent;
})());
const SHOWN_CHARS = 300;

/**
 * The meaning of a status where the receiver has no other agreement: only 2xx is success, and redirects are not
 * followed.
 */
export function outcomeOf(answer: HttpAnswer, nowMs: number): Outcome {
  if (stryMutAct_9fa48("202")) {
    {}
  } else {
    stryCov_9fa48("202");
    const {
      status
    } = answer;
    if (stryMutAct_9fa48("204") ? false : stryMutAct_9fa48("203") ? true : (stryCov_9fa48("203", "204"), isSuccess(status))) return stryMutAct_9fa48("205") ? {} : (stryCov_9fa48("205"), {
      kind: 'accepted'
    });
    const message = `HTTP ${status}${shown(answer.body)}`;
    if (stryMutAct_9fa48("210") ? status !== GONE : stryMutAct_9fa48("209") ? false : stryMutAct_9fa48("208") ? true : (stryCov_9fa48("208", "209", "210"), status === GONE)) return stryMutAct_9fa48("211") ? {} : (stryCov_9fa48("211"), {
      kind: 'gone',
      message
    });
    if (stryMutAct_9fa48("214") ? false : stryMutAct_9fa48("213") ? true : (stryCov_9fa48("213", "214"), isOfContent(status))) return stryMutAct_9fa48("215") ? {} : (stryCov_9fa48("215"), {
      kind: 'refused',
      message
    });
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], nowMs);
    if (stryMutAct_9fa48("220") ? status >= 300 || status < 400 : stryMutAct_9fa48("219") ? false : stryMutAct_9fa48("218") ? true : (stryCov_9fa48("218", "219", "220"), (stryMutAct_9fa48("223") ? status < 300 : stryMutAct_9fa48("222") ? status > 300 : stryMutAct_9fa48("221") ? true : (stryCov_9fa48("221", "222", "223"), status >= 300)) && (stryMutAct_9fa48("226") ? status >= 400 : stryMutAct_9fa48("225") ? status <= 400 : stryMutAct_9fa48("224") ? true : (stryCov_9fa48("224", "225", "226"), status < 400)))) return stryMutAct_9fa48("227") ? {} : (stryCov_9fa48("227"), {
      kind: 'failed',
      message: `HTTP ${status}: redirects are not followed`
    });
    return stryMutAct_9fa48("230") ? {} : (stryCov_9fa48("230"), {
      kind: 'failed',
      message,
      ...(stryMutAct_9fa48("234") ? retryAfterMs !== undefined || {
        retryAfterMs
      } : stryMutAct_9fa48("233") ? false : stryMutAct_9fa48("232") ? true : (stryCov_9fa48("232", "233", "234"), (stryMutAct_9fa48("236") ? retryAfterMs === undefined : stryMutAct_9fa48("235") ? true : (stryCov_9fa48("235", "236"), retryAfterMs !== undefined)) && (stryMutAct_9fa48("237") ? {} : (stryCov_9fa48("237"), {
        retryAfterMs
      }))))
    });
  }
}

/** The beginning of an answer's text, without characters that a log or a database refuses. */
function shown(body: Buffer): string {
  if (stryMutAct_9fa48("238")) {
    {}
  } else {
    stryCov_9fa48("238");
    const text = stryMutAct_9fa48("239") ? body.toString('utf8').replace(/[\p{Cc}\p{Cs}\uFFFD]+/gu, ' ') : (stryCov_9fa48("239"), body.toString('utf8').replace(stryMutAct_9fa48("244") ? /[\p{Cc}\P{Cs}\uFFFD]+/gu : stryMutAct_9fa48("243") ? /[\P{Cc}\p{Cs}\uFFFD]+/gu : stryMutAct_9fa48("242") ? /[^\p{Cc}\p{Cs}\uFFFD]+/gu : stryMutAct_9fa48("241") ? /[\p{Cc}\p{Cs}\uFFFD]/gu : (stryCov_9fa48("241", "242", "243", "244"), /[\p{Cc}\p{Cs}\uFFFD]+/gu), ' ').trim());
    return (stryMutAct_9fa48("248") ? text !== '' : stryMutAct_9fa48("247") ? false : stryMutAct_9fa48("246") ? true : (stryCov_9fa48("246", "247", "248"), text === '')) ? '' : `: ${stryMutAct_9fa48("252") ? text : (stryCov_9fa48("252"), text.slice(0, SHOWN_CHARS))}`;
  }
}