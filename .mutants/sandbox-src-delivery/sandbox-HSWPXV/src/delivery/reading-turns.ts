/** Lets a limited number of functions run at once. The others wait in the order in which they came. */function stryNS_9fa48() {
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
export class ReadingTurns {
  readonly #waiting: (() => void)[] = stryMutAct_9fa48("356") ? ["Stryker was here"] : (stryCov_9fa48("356"), []);
  #free: number;
  constructor(atOnce: number) {
    if (stryMutAct_9fa48("357")) {
      {}
    } else {
      stryCov_9fa48("357");
      this.#free = atOnce;
    }
  }
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (stryMutAct_9fa48("358")) {
      {}
    } else {
      stryCov_9fa48("358");
      if (stryMutAct_9fa48("362") ? this.#free <= 0 : stryMutAct_9fa48("361") ? this.#free >= 0 : stryMutAct_9fa48("360") ? false : stryMutAct_9fa48("359") ? true : (stryCov_9fa48("359", "360", "361", "362"), this.#free > 0)) stryMutAct_9fa48("363") ? this.#free++ : (stryCov_9fa48("363"), this.#free--);else await new Promise<void>(stryMutAct_9fa48("364") ? () => undefined : (stryCov_9fa48("364"), resolve => this.#waiting.push(resolve)));
      try {
        if (stryMutAct_9fa48("365")) {
          {}
        } else {
          stryCov_9fa48("365");
          return await work();
        }
      } finally {
        if (stryMutAct_9fa48("366")) {
          {}
        } else {
          stryCov_9fa48("366");
          const next = this.#waiting.shift();
          if (stryMutAct_9fa48("368") ? false : stryMutAct_9fa48("367") ? true : (stryCov_9fa48("367", "368"), next)) next();else stryMutAct_9fa48("369") ? this.#free-- : (stryCov_9fa48("369"), this.#free++);
        }
      }
    }
  }
}