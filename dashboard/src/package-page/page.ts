import * as ed25519 from '@noble/ed25519';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { Inflate } from 'fflate';
import { visible } from '../../../src/event/visible-text';
import { type CheckedEvent, checkPackage, type PackageReport } from '../../../src/package-check/check';
import type { Crypto } from '../../../src/package-check/note';
import { openZip, type PackageFiles } from '../../../src/package-check/package-files';
import type { PackageStamp } from '../../../src/package-check/stamp-file';
import type { StampCrypto } from '../../../src/package-check/time-stamp';
import { isSignedByRsa } from './rsa';

/**
 * The page of an evidence package. It is opened from disk, asks for the package by a file input, and needs neither a
 * network nor WebCrypto.
 */
ed25519.hashes.sha512 = sha512;

const CRYPTO: Crypto = {
  sha256: () => sha256.create(),
  verify: (signature, message, publicKey) => {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false });
    } catch {
      return false;
    }
  },
};

const HASHES = { sha1, sha256, sha384, sha512 };
/** Signatures on curves would make the page larger by a third: the command checks them. */
const STAMP_CRYPTO: StampCrypto = {
  hash: (name, bytes) => HASHES[name](bytes),
  verify: async ({ scheme, hash, bytes }, message, publicKey) =>
    scheme === 'rsa-pkcs1' ? isSignedByRsa(bytes, HASHES[hash](message), hash, publicKey) : null,
};

const CHUNK_BYTES = 256 * 1024;
const ROWS_SHOWN = 100;
const PROGRESS_EVENTS = 2_000;

const at = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const HIDDEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** A text of the package, which may be anybody's: hidden characters show. */
const shownText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value).replace(HIDDEN, visible);

function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = shownText(text);
  if (className) made.className = className;
  return made;
}

async function bytesOf(file: Blob, from: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(from, from + length).arrayBuffer());
}

async function* inflated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => void out.push(chunk));
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      inflate.push(chunk, isLast);
    } catch (error) {
      throw new Error(`it cannot be decompressed: ${(error as Error).message}`);
    }
  };
  for await (const chunk of chunks) {
    push(chunk, false);
    yield* out;
    out = [];
  }
  push(new Uint8Array(0), true);
  yield* out;
}

function inFolder(files: readonly File[]): PackageFiles {
  const byName = new Map(files.map((file) => [file.name, file]));
  return {
    names: [...byName.keys()],
    problems: [],
    read: async function* (name) {
      const file = byName.get(name);
      if (!file) throw new Error('it is not there');
      for (let from = 0; from < file.size; from += CHUNK_BYTES) yield await bytesOf(file, from, CHUNK_BYTES);
    },
  };
}

async function filesIn(chosen: readonly File[]): Promise<PackageFiles> {
  const [only] = chosen;
  if (!only || chosen.length > 1 || /\.(ndjson|json|html|txt|note)$/i.test(only.name))
    return inFolder(chosen);
  return openZip({ size: only.size, bytes: (from, length) => bytesOf(only, from, length) }, inflated);
}

let events: CheckedEvent[] = [];
let [page, onlyFailures] = [0, false];

async function verify(chosen: readonly File[]): Promise<void> {
  events = [];
  page = 0;
  at('result').hidden = true;
  say('working', 'Verifying …');
  try {
    const key = at<HTMLInputElement>('key').value.trim();
    const report = await checkPackage(await filesIn(chosen), CRYPTO, {
      keys: key === '' ? [] : [key],
      stampCrypto: STAMP_CRYPTO,
      onEvent: (event) => {
        events.push(event);
        if (events.length % PROGRESS_EVENTS === 0) say('working', `Verifying … ${events.length} events`);
      },
    });
    events.sort((a, b) => a.line - b.line);
    show(report, key !== '', chosen);
  } catch (error) {
    say('bad', `Not verified: ${(error as Error).message}.`);
  }
}

const stampText = ({ time, number, size, isSignatureChecked }: PackageStamp): string =>
  `${time}: the token is of checkpoint ${number} (${size} entries), from which the log of this package goes on. ` +
  `This page did not check ${isSignatureChecked ? '' : 'the signature of the token, nor '}who the authority is: ` +
  'audit-activity verify --package FILE --timestamp-ca CA.pem does.';

function say(verdict: 'working' | 'good' | 'bad', text: string): void {
  const banner = at('verdict');
  banner.className = verdict;
  banner.dataset.verdict = verdict;
  banner.textContent = shownText(text);
}

function show(report: PackageReport, isPinned: boolean, chosen: readonly File[]): void {
  const { manifest, checkpoint, timeStamp, isSound, proven, problems, notes, keys } = report;
  const bad = report.events - proven;
  say(
    isSound ? 'good' : 'bad',
    isSound
      ? `All ${report.events} events are as they were accepted, and every file is as it was signed.`
      : `NOT as signed: ${bad} of ${report.events} events have no proof, and ${problems.length} things are wrong with files.`,
  );
  const facts: [string, unknown][] = [
    ['File', chosen.map(({ name }) => name).join(', ')],
    ['Tenant', manifest?.tenantId],
    ['Asked by', manifest?.createdBy],
    ['Asked at', manifest?.createdAt],
    ...Object.entries(manifest?.question ?? {}).map(([name, value]): [string, unknown] => [
      `Question: ${name}`,
      value,
    ]),
    [
      'Checkpoint',
      checkpoint ? `${checkpoint.number} of ${checkpoint.time}, ${checkpoint.size} entries` : 'none',
    ],
    ...(timeStamp ? [['Time stamp', stampText(timeStamp)] satisfies [string, unknown]] : []),
    [
      'Key',
      `${keys.join(', ')}${isPinned ? '' : ' (as the package states it: compare it with one that you trust)'}`,
    ],
  ];
  at('facts').replaceChildren(
    ...facts.flatMap(([name, value]) => [element('dt', name), element('dd', shownText(value))]),
  );
  at('problems').replaceChildren(
    ...problems.map((text) => element('li', `✘ ${text}`, 'bad')),
    ...notes.map((text) => element('li', text)),
  );
  onlyFailures = bad > 0;
  at<HTMLInputElement>('only').checked = onlyFailures;
  at('result').hidden = false;
  showRows();
}

function showRows(): void {
  const all = onlyFailures ? events.filter(({ problem }) => problem !== null) : events;
  const pages = Math.max(1, Math.ceil(all.length / ROWS_SHOWN));
  page = Math.min(Math.max(0, page), pages - 1);
  const shown = all.slice(page * ROWS_SHOWN, (page + 1) * ROWS_SHOWN);
  at('rows').replaceChildren(...shown.map(rowOf));
  at('where').textContent = all.length === 0 ? 'none' : `page ${page + 1} of ${pages}, ${all.length} events`;
  at<HTMLButtonElement>('before').disabled = page === 0;
  at<HTMLButtonElement>('next').disabled = page >= pages - 1;
}

function rowOf({ line, recordId, shown, index, problem }: CheckedEvent): HTMLElement {
  const row = element('tr', '', problem === null ? 'good' : 'bad');
  row.dataset.record = recordId;
  row.dataset.verdict = problem === null ? 'good' : 'bad';
  const cells = [
    problem === null ? '✔ as accepted' : `✘ ${problem}`,
    line,
    recordId,
    shown?.eventTime,
    shown?.actionId,
    shown?.serverPrincipalName,
    shown?.databaseName,
    shown?.objectName,
    index,
  ];
  row.append(...cells.map((cell) => element('td', shownText(cell))));
  return row;
}

function listen(): void {
  for (const id of ['zip', 'folder']) {
    const input = at<HTMLInputElement>(id);
    input.addEventListener('change', () => {
      const chosen = [...(input.files ?? [])];
      // The same file may be chosen again, after it was changed.
      input.value = '';
      if (chosen.length > 0) void verify(chosen);
    });
  }
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) void verify(files);
  });
  at('only').addEventListener('change', () => {
    onlyFailures = at<HTMLInputElement>('only').checked;
    page = 0;
    showRows();
  });
  for (const [id, by] of [
    ['before', -1],
    ['next', 1],
  ] as const)
    at(id).addEventListener('click', () => {
      page += by;
      showRows();
    });
}

listen();
