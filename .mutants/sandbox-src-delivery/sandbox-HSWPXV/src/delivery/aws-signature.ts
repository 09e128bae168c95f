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
import { createHash, createHmac } from 'node:crypto';

/** The signer and the scope of AWS Signature Version 4, as object stores with the interface of S3 accept it. */
interface AwsSigner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
  readonly service: string;
}
const ALGORITHM = 'AWS4-HMAC-SHA256';
const sha256 = stryMutAct_9fa48("1") ? () => undefined : (stryCov_9fa48("1"), (() => {
  const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
  return sha256;
})());
const hmac = stryMutAct_9fa48("4") ? () => undefined : (stryCov_9fa48("4"), (() => {
  const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
  return hmac;
})());
const strict = stryMutAct_9fa48("6") ? () => undefined : (stryCov_9fa48("6"), (() => {
  const strict = (text: string) => awsEncode(text).replaceAll('/', '%2F');
  return strict;
})());

/** Encodes a path or a name for the signature: RFC 3986, except that `/` stays. */
export const awsEncode = stryMutAct_9fa48("9") ? () => undefined : (stryCov_9fa48("9"), (() => {
  const awsEncode = (text: string): string => encodeURIComponent(text).replace(stryMutAct_9fa48("10") ? /[^!'()*]/g : (stryCov_9fa48("10"), /[!'()*]/g), stryMutAct_9fa48("11") ? () => undefined : (stryCov_9fa48("11"), c => `%${stryMutAct_9fa48("13") ? c.charCodeAt(0).toString(16).toLowerCase() : (stryCov_9fa48("13"), c.charCodeAt(0).toString(16).toUpperCase())}`)).replaceAll('%2F', '/');
  return awsEncode;
})());

/**
 * The headers that sign a request.
 * @param request its URL has a path encoded by `awsEncode`
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function awsHeaders(signer: AwsSigner, request: {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
}, at: Date): Record<string, string> {
  if (stryMutAct_9fa48("16")) {
    {}
  } else {
    stryCov_9fa48("16");
    const {
      method,
      url,
      body
    } = request;
    const time = at.toISOString().replace(stryMutAct_9fa48("19") ? /[-:]|\.\D{3}/g : stryMutAct_9fa48("18") ? /[-:]|\.\d/g : stryMutAct_9fa48("17") ? /[^-:]|\.\d{3}/g : (stryCov_9fa48("17", "18", "19"), /[-:]|\.\d{3}/g), '');
    const day = stryMutAct_9fa48("21") ? time : (stryCov_9fa48("21"), time.slice(0, 8));
    const signed: Record<string, string> = stryMutAct_9fa48("22") ? {} : (stryCov_9fa48("22"), {
      host: url.host,
      'x-amz-content-sha256': sha256(body),
      'x-amz-date': time,
      ...(stryMutAct_9fa48("25") ? signer.sessionToken !== undefined || {
        'x-amz-security-token': signer.sessionToken
      } : stryMutAct_9fa48("24") ? false : stryMutAct_9fa48("23") ? true : (stryCov_9fa48("23", "24", "25"), (stryMutAct_9fa48("27") ? signer.sessionToken === undefined : stryMutAct_9fa48("26") ? true : (stryCov_9fa48("26", "27"), signer.sessionToken !== undefined)) && (stryMutAct_9fa48("28") ? {} : (stryCov_9fa48("28"), {
        'x-amz-security-token': signer.sessionToken
      }))))
    });
    const names = stryMutAct_9fa48("29") ? Object.keys(signed) : (stryCov_9fa48("29"), Object.keys(signed).sort());
    const headerLines = names.map(stryMutAct_9fa48("30") ? () => undefined : (stryCov_9fa48("30"), name => `${name}:${signed[name]}\n`)).join('');
    const query = stryMutAct_9fa48("33") ? [...url.searchParams].map(([name, value]) => `${strict(name)}=${strict(value)}`) : (stryCov_9fa48("33"), (stryMutAct_9fa48("34") ? [] : (stryCov_9fa48("34"), [...url.searchParams])).map(stryMutAct_9fa48("35") ? () => undefined : (stryCov_9fa48("35"), ([name, value]) => `${strict(name)}=${strict(value)}`)).sort());
    const canonical = (stryMutAct_9fa48("37") ? [] : (stryCov_9fa48("37"), [method, url.pathname, query.join('&'), headerLines, names.join(';'), sha256(body)])).join('\n');
    const scope = `${day}/${signer.region}/${signer.service}/aws4_request`;
    const key = (stryMutAct_9fa48("42") ? [] : (stryCov_9fa48("42"), [signer.region, signer.service, 'aws4_request'])).reduce(hmac, hmac(`AWS4${signer.secretAccessKey}`, day));
    const signature = hmac(key, (stryMutAct_9fa48("45") ? [] : (stryCov_9fa48("45"), [ALGORITHM, time, scope, sha256(canonical)])).join('\n')).toString('hex');
    const {
      host: _,
      ...headers
    } = signed;
    return stryMutAct_9fa48("48") ? {} : (stryCov_9fa48("48"), {
      ...headers,
      Authorization: `${ALGORITHM} Credential=${signer.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    });
  }
}