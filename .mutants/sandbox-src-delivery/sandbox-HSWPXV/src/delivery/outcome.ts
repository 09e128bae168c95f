/** The result of sending something. */function stryNS_9fa48() {
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
export type Outcome = /** `refused`: items that the receiver found bad, while it accepted the others that were sent with them. */
{
  readonly kind: 'accepted';
  readonly refused?: readonly RefusedItem[];
}
/** The receiver says that the content is at fault. It would refuse the same content again. */ | {
  readonly kind: 'refused';
  readonly message: string;
}
/** The receiver wants no more deliveries. */ | {
  readonly kind: 'gone';
  readonly message: string;
}
/** Any other failure. The content is sent again. */ | {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
};
export interface RefusedItem {
  /** The item's index among those sent together. */
  readonly index: number;
  readonly message: string;
}
export const failed = stryMutAct_9fa48("353") ? () => undefined : (stryCov_9fa48("353"), (() => {
  const failed = (message: string): Outcome => stryMutAct_9fa48("354") ? {} : (stryCov_9fa48("354"), {
    kind: 'failed',
    message
  });
  return failed;
})());