/** RFC 5424, 6.2.1. */function stryNS_9fa48() {
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
export const SYSLOG_SEVERITY = {
  critical: 2,
  error: 3,
  warning: 4,
  notice: 5,
  informational: 6
} as const;
export type SyslogSeverity = (typeof SYSLOG_SEVERITY)[keyof typeof SYSLOG_SEVERITY];

/** The fields of a message's header. */
interface SyslogHead {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly hostName: string | null;
  readonly appName: string;
  readonly messageId: string;
  readonly severity: SyslogSeverity;
}

/** "log audit" (RFC 5424, 6.2.1). */
const FACILITY = 13;
const HOST_CHARS = 255;
const MESSAGE_ID_CHARS = 32;
/** RFC 5424 allows six decimals of a second at most. */
const MICROSECONDS = stryMutAct_9fa48("700") ? /^(.{19}\.\d{6})\D*Z$/ : stryMutAct_9fa48("699") ? /^(.{19}\.\d{6})\dZ$/ : stryMutAct_9fa48("698") ? /^(.{19}\.\D{6})\d*Z$/ : stryMutAct_9fa48("697") ? /^(.{19}\.\d)\d*Z$/ : stryMutAct_9fa48("696") ? /^(.\.\d{6})\d*Z$/ : stryMutAct_9fa48("695") ? /^(.{19}\.\d{6})\d*Z/ : stryMutAct_9fa48("694") ? /(.{19}\.\d{6})\d*Z$/ : (stryCov_9fa48("694", "695", "696", "697", "698", "699", "700"), /^(.{19}\.\d{6})\d*Z$/);

/** A message in the form of RFC 5424, in UTF-8. Any text may follow the header. */
export function syslogMessage(head: SyslogHead, text: string): Buffer {
  if (stryMutAct_9fa48("701")) {
    {}
  } else {
    stryCov_9fa48("701");
    const priority = stryMutAct_9fa48("702") ? FACILITY * 8 - head.severity : (stryCov_9fa48("702"), (stryMutAct_9fa48("703") ? FACILITY / 8 : (stryCov_9fa48("703"), FACILITY * 8)) + head.severity);
    const time = head.time.replace(MICROSECONDS, '$1Z');
    const name = stryMutAct_9fa48("705") ? () => undefined : (stryCov_9fa48("705"), (() => {
      const name = (value: string | null, max: number) => stryMutAct_9fa48("708") ? (value ?? '').replace(/[^!-~]/g, '_').slice(0, max) && '-' : stryMutAct_9fa48("707") ? false : stryMutAct_9fa48("706") ? true : (stryCov_9fa48("706", "707", "708"), (stryMutAct_9fa48("709") ? (value ?? '').replace(/[^!-~]/g, '_') : (stryCov_9fa48("709"), (stryMutAct_9fa48("710") ? value && '' : (stryCov_9fa48("710"), value ?? '')).replace(stryMutAct_9fa48("712") ? /[!-~]/g : (stryCov_9fa48("712"), /[^!-~]/g), '_').slice(0, max))) || '-');
      return name;
    })());
    const fields = stryMutAct_9fa48("715") ? [] : (stryCov_9fa48("715"), [name(head.hostName, HOST_CHARS), head.appName, '-', name(head.messageId, MESSAGE_ID_CHARS)]);
    return Buffer.from(`<${priority}>1 ${time} ${fields.join(' ')} - ${text}`, 'utf8');
  }
}