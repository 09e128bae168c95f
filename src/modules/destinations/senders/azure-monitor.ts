import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { secretBlanker } from '../../../delivery/blank-secrets';
import type { GuardedHttp } from '../../../delivery/guarded-http';
import { isSuccess, isTooLarge, isUnauthorized, outcomeOf } from '../../../delivery/http-outcome';
import type { Outcome, RefusedItem } from '../../../delivery/outcome';
import type { Item } from '../batch';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { overHttp } from './over-http';

const compress = promisify(gzip);
const API_VERSION = '2023-01-01';
/** A call takes 1 MB, compressed and not. Gzip makes a body that cannot be compressed a little longer. */
const CALL_BYTES_MAX = 1024 * 1024 - 4 * 1024;
/** A token is fetched anew so long before it ends. */
const TOKEN_LEFT_MS = 300_000;
/** Between rows, and around them. */
const [SEPARATOR_BYTES, BRACKET_BYTES] = [1, 2];

interface Row {
  readonly index: number;
  readonly json: string;
  readonly bytes: number;
}
interface Token {
  readonly text: string;
  readonly endMs: number;
}

/**
 * The Logs Ingestion API of Azure Monitor. A call is taken whole or not at all. A batch needs several calls where its
 * rows are more than a call takes; when one of them fails, all are sent again, and `RecordId` tells rows that came before.
 */
export function azureMonitorSender(
  http: GuardedHttp,
  settings: SettingsOf<'azure-monitor'>,
  secrets: SecretsOf<'azure-monitor'>,
  nowMs: () => number,
): Sender {
  const { dcr, stream } = settings;
  const base = settings.url.replace(/\/+$/, '');
  const url = `${base}/dataCollectionRules/${dcr}/streams/${stream}?api-version=${API_VERSION}`;
  const tokens = new Tokens(http, settings, secrets, nowMs);

  const post = async (rows: readonly Row[], signal: AbortSignal) => {
    const body = await compress(Buffer.from(`[${rows.map(({ json }) => json).join(',')}]`, 'utf8'));
    const send = async (token: string) =>
      http.send(
        {
          method: 'POST',
          url,
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            'Content-Encoding': 'gzip',
            'x-ms-client-request-id': randomUUID(),
          },
          body,
        },
        signal,
      );
    const token = await tokens.get(signal);
    const answer = await send(token);
    if (!isUnauthorized(answer.status)) return { answer, token };
    // The token may have been revoked before its end.
    tokens.drop(token);
    const next = await tokens.get(signal);
    return { answer: await send(next), token: next };
  };

  const sendRows = async (rows: readonly Row[], signal: AbortSignal): Promise<Outcome> => {
    const { answer, token } = await post(rows, signal);
    const outcome = outcomeOf(answer, nowMs());
    if (outcome.kind === 'accepted') return outcome;
    const shown = { ...outcome, message: secretBlanker([token])(outcome.message) };
    if (!isTooLarge(answer.status)) return shown;
    if (rows.length === 1) return { kind: 'accepted', refused: refusalsOf(rows, shown.message) };
    const half = Math.ceil(rows.length / 2);
    const first = await sendRows(rows.slice(0, half), signal);
    if (first.kind !== 'accepted') return first;
    const second = await sendRows(rows.slice(half), signal);
    if (second.kind !== 'accepted') return second;
    return { kind: 'accepted', refused: [...(first.refused ?? []), ...(second.refused ?? [])] };
  };

  return overHttp(http, async ({ items }, signal) => {
    const rows = items.map(rowOf);
    const refused: RefusedItem[] = refusalsOf(
      rows.filter(isTooLong),
      `the event is longer than the ${CALL_BYTES_MAX} bytes that Azure Monitor takes in one call`,
    );
    for (const call of callsOf(rows.filter((row) => !isTooLong(row)))) {
      const outcome = await sendRows(call, signal);
      if (outcome.kind !== 'accepted') return outcome;
      refused.push(...(outcome.refused ?? []));
    }
    const [first] = refused;
    if (!first) return { kind: 'accepted' };
    return refused.length < items.length
      ? { kind: 'accepted', refused }
      : { kind: 'refused', message: first.message };
  });
}

const refusalsOf = (rows: readonly Row[], message: string): RefusedItem[] =>
  rows.map(({ index }) => ({ index, message }));
const isTooLong = ({ bytes }: Row) => bytes + BRACKET_BYTES > CALL_BYTES_MAX;

function* callsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let [call, bytes]: [Row[], number] = [[], BRACKET_BYTES];
  for (const row of rows) {
    if (call.length > 0 && bytes + row.bytes + SEPARATOR_BYTES > CALL_BYTES_MAX) {
      yield call;
      [call, bytes] = [[], BRACKET_BYTES];
    }
    call.push(row);
    bytes += row.bytes + SEPARATOR_BYTES;
  }
  if (call.length > 0) yield call;
}

/** Columns that Azure Monitor has in every table: an event's field of such a name has another one. */
const RENAMED: Readonly<Record<string, string>> = { tenantId: 'AuditTenantId' };

/**
 * The row of an item in the service's own format. `TimeGenerated` is the time of the event too; Azure Monitor replaces it
 * where it is older than two days, so that the row has `EventTime` of its own.
 */
function rowOf({ time, hostName, instanceName, recordId, actionId, json }: Item, index: number): Row {
  const content = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const isEvent = typeof content.recordId === 'string';
  const fields = isEvent ? content : { recordId, actionId, statement: json };
  const row: Record<string, unknown> = { TimeGenerated: time, EventTime: time };
  for (const [name, value] of Object.entries(fields))
    if (value !== null && name !== 'eventTime')
      row[RENAMED[name] ?? name.charAt(0).toUpperCase() + name.slice(1)] = value;
  if (hostName !== null) row.Computer = hostName;
  if (instanceName) row.InstanceName = instanceName;
  const text = JSON.stringify(row);
  return { index, json: text, bytes: Buffer.byteLength(text, 'utf8') };
}

/** Client credentials of Microsoft Entra: one token for all calls, until shortly before it ends. */
class Tokens {
  #token: Promise<Token> | null = null;
  /** A token that was refused before its end. */
  #dropped: string | null = null;

  constructor(
    private readonly http: GuardedHttp,
    private readonly settings: SettingsOf<'azure-monitor'>,
    private readonly secrets: SecretsOf<'azure-monitor'>,
    private readonly nowMs: () => number,
  ) {}

  async get(signal: AbortSignal): Promise<string> {
    const known = await this.#token?.catch(() => null);
    if (known && known.text !== this.#dropped && known.endMs - TOKEN_LEFT_MS > this.nowMs())
      return known.text;
    const asked = this.#ask(signal);
    this.#token = asked;
    return (await asked).text;
  }

  drop(text: string): void {
    this.#dropped = text;
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { azureTenant, clientId, loginUrl, tokenScope } = this.settings;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: this.secrets.clientSecret,
      scope: tokenScope,
    });
    const answer = await this.http.send(
      {
        method: 'POST',
        url: `${loginUrl.replace(/\/+$/, '')}/${azureTenant}/oauth2/v2.0/token`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(body.toString(), 'utf8'),
      },
      signal,
    );
    const outcome = outcomeOf(answer, this.nowMs());
    if (!isSuccess(answer.status))
      throw new Error(`no token: ${'message' in outcome ? outcome.message : ''}`);
    const { access_token: text, expires_in: seconds } = parsed(answer.body);
    if (typeof text !== 'string' || !/^[!-~]+$/.test(text) || !(Number(seconds) > 0))
      throw new Error('no token: the answer is not that of the token endpoint');
    return { text, endMs: this.nowMs() + Number(seconds) * 1_000 };
  }
}

function parsed(body: Buffer): { readonly access_token?: unknown; readonly expires_in?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
