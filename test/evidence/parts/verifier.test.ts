import fc from 'fast-check';
import { textOf } from '../../../src/cli/verify-report';
import { FIELD_NAMES } from '../../../src/event/fields';
import { idBytes } from '../../../src/event/record-id';
import { signedNote } from '../../../src/modules/evidence/checkpoint';
import { Verifier } from '../../../src/modules/evidence/verify/verifier';
import type { LoggedEvent } from '../../../src/store/log/evidence/entry';
import { erasureLeaf, erasureText } from '../../../src/store/log/evidence/erasure-entry';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { ERASED_ID } from '../../../src/store/log/evidence/own-entry';
import { anEventInFull, firstOf, KEY, logOf, logs, verify } from './log-copies';
import { plainRoot } from './support';

type Values = Record<string, unknown>;

/** The event with one character or one value changed. */
function changed(event: LoggedEvent, field: string, at: number): LoggedEvent {
  const value = (event as unknown as Values)[field];
  const other =
    typeof value === 'boolean'
      ? !value
      : typeof value === 'string'
        ? `${value.slice(0, at % value.length)}\u0001${value.slice((at % value.length) + 1)}`
        : 'something';
  return { ...event, [field]: other } as LoggedEvent;
}
const someOf = (events: readonly LoggedEvent[]) =>
  fc.shuffledSubarray([...events], { minLength: 1, maxLength: Math.min(4, events.length) });
const CHANGEABLE = FIELD_NAMES.filter((name) => name !== 'recordId' && name !== 'tenantId');
const byRecordId = (a: { recordId: string }, b: { recordId: string }) => (a.recordId < b.recordId ? -1 : 1);
const kindsOf = ({ findings }: ReturnType<typeof verify>) => [...new Set(findings.map(({ kind }) => kind))];

describe('the verifier', () => {
  it('finds nothing if nothing was changed, in whatever order the events come', () => {
    fc.assert(
      fc.property(
        logs.chain(({ events, log }) =>
          fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.constant(log)),
        ),
        ([events, log]) => {
          const report = verify(log, events);
          expect(report).toMatchObject({ isSound: true, findings: [], problems: [], removed: 0, newer: 0 });
          expect([report.events, report.entries]).toEqual([events.length, events.length]);
        },
      ),
    );
  });

  it('names the first record in which any character of any field was changed', () => {
    fc.assert(
      fc.property(
        logs.chain(({ events, log }) =>
          fc.tuple(fc.constant({ events, log }), someOf(events), fc.constantFrom(...CHANGEABLE), fc.nat(100)),
        ),
        ([{ events, log }, some, field, at]) => {
          const report = verify(
            log,
            events.map((event) => (some.includes(event) ? changed(event, field, at) : event)),
          );
          expect(report.isSound).toBe(false);
          expect(report.findings[0]).toMatchObject({ kind: 'altered', recordId: firstOf(some) });
          expect(report.findings).toHaveLength(some.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a value', { sessionId: 0, file: 'a.sqlaudit', isTop: true }],
    ['the type of a value', { sessionId: '0', file: 'a.sqlaudit', isTop: false }],
    ['a name', { sessionid: 0, file: 'a.sqlaudit', isTop: false }],
    ['one value less', { sessionId: 0, file: 'a.sqlaudit' }],
    ['one value more', { sessionId: 0, file: 'a.sqlaudit', isTop: false, more: null }],
  ])('finds a change in the additional values: %s', (_, additional) => {
    const events = [anEventInFull(0), anEventInFull(1)];
    const report = verify(logOf(events, [2]), [anEventInFull(0, { additional }), anEventInFull(1)]);
    expect(report.findings).toMatchObject([{ kind: 'altered', recordId: events[0]?.recordId }]);
  });

  it('takes an event that was erased after it was fetched for what was accepted, and no other one for it', () => {
    const events = [0, 1, 2].map((n) => anEventInFull(n));
    const [first, erased, last] = events as [LoggedEvent, LoggedEvent, LoggedEvent];
    const erasureId = '01a216ea-69a9-7c2f-bec2-660a612ce7ae';
    const text = erasureText({
      ...{ erasureId, tenantId: '7', at: '2026-01-06T00:00:00.000Z', erasedBy: 'x', reason: 'case 7' },
      ...{ events: 1, entries: [[1, 2]] },
    });
    const before = logOf(events, [3]);
    const leafHashes = Buffer.concat([before.leafHashes, erasureLeaf(text)]);
    const leaves = Array.from({ length: 4 }, (_, i) => leafHashes.subarray(i * 32, (i + 1) * 32));
    const about = { tenantId: 7, size: 4, number: 2, time: '2026-01-06T00:01:00.000Z' };
    const log = {
      ...{ ...before, leafHashes, erasures: [text] },
      checkpoints: [...before.checkpoints, signedNote({ ...about, root: plainRoot(leaves) }, KEY)],
      recordIds: Buffer.concat(
        [first.recordId, null, last.recordId, erasureId].map((id) => (id ? idBytes(id) : ERASED_ID)),
      ),
    };
    expect(verify(log, [first, last])).toMatchObject({ isSound: true, erased: 1 });
    expect(verify(log, events)).toMatchObject({ isSound: true, findings: [], problems: [], erased: 1 });
    const { recordId } = erased;
    expect(verify(log, [...events, erased]).findings).toMatchObject([{ kind: 'inserted', recordId }]);
    const other = { ...erased, statement: 'other' };
    expect(verify(log, [first, other, last]).findings).toMatchObject([{ kind: 'inserted', recordId }]);
    // What the erasure does not name is changed as before.
    const ids = Buffer.from(log.recordIds);
    ERASED_ID.copy(ids);
    expect(verify({ ...log, recordIds: ids }, events).findings).toMatchObject([
      { kind: 'log changed', recordId: first.recordId },
    ]);
  });

  it('names the first missing record, and the first inserted record', () => {
    const cases = logs.chain(({ events, log }) =>
      fc.tuple(
        fc.constant({ events, log }),
        someOf(events),
        fc.uniqueArray(fc.integer({ min: 1_000, max: 1_100 }), { minLength: 1, maxLength: 4 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([{ events, log }, some, others]) => {
        const less = verify(
          log,
          events.filter((event) => !some.includes(event)),
        );
        expect(less.findings[0]).toMatchObject({ kind: 'missing', recordId: firstOf(some) });
        expect(less.findings).toHaveLength(some.length);
        const strangers = others.map((n) => anEventInFull(n));
        const more = verify(log, [...events, ...strangers]);
        expect(more.findings[0]).toMatchObject({ kind: 'inserted', recordId: firstOf(strangers) });
        expect(more.findings).toHaveLength(strangers.length);
        const twice = verify(log, [...events, ...some]);
        expect(twice.findings[0]).toMatchObject({ kind: 'inserted', recordId: firstOf(some) });
        const swapped = verify(log, [...events.filter((event) => !some.includes(event)), ...strangers]);
        expect(swapped.findings[0]?.recordId).toBe(firstOf([...some, ...strangers]));
        expect(kindsOf(swapped).sort()).toEqual(['inserted', 'missing']);
      }),
    );
  });

  it('finds any changed bit of the log and any change of order, and names the record if its event is unchanged', () => {
    const cases = logs.chain(({ events, log }) =>
      fc.tuple(
        fc.constant({ events, log }),
        fc.nat(events.length * 32 - 1),
        fc.integer({ min: 1, max: 255 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([{ events, log }, at, bits]) => {
        const leafHashes = Buffer.from(log.leafHashes);
        leafHashes[at] = (leafHashes[at] ?? 0) ^ bits;
        const report = verify({ ...log, leafHashes }, events);
        expect(report.findings).toMatchObject([
          { kind: 'log changed', recordId: events[Math.floor(at / 32)]?.recordId },
        ]);
        expect(report.problems[0]).toMatch(/^entries \d+ to \d+ of the log/);
        // Here the event and its entry are both changed, so that they fit each other.
        const index = Math.floor(at / 32);
        const forged = events.map((event, i) => (i === index ? changed(event, 'statement', 3) : event));
        const both = verify(
          { ...logOf(forged, []), before: log.before, checkpoints: log.checkpoints },
          forged,
        );
        expect(both.isSound).toBe(false);
        expect(both.problems[0]).toMatch(/^entries \d+ to \d+ of the log/);
      }),
    );
    const [a, b, c] = [anEventInFull(1), anEventInFull(2), anEventInFull(3)];
    const swapped = { ...logOf([b, a, c], []), checkpoints: logOf([a, b, c], [3]).checkpoints };
    expect(verify(swapped, [a, b, c]).problems).toEqual([expect.stringContaining('entries 0 to 2')]);
  });

  it('finds checkpoints that were changed, removed, inserted, or signed by somebody else', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const log = logOf(events, [3, 6, 9, 12]);
    const other = logOf(events, [3, 6, 9, 12], CheckpointKey.ofPem(newCheckpointKeyPem()));
    const problemsWith = (checkpoints: readonly string[]) => verify({ ...log, checkpoints }, events).problems;
    const [one = '', two = '', three = '', four = ''] = log.checkpoints;
    expect(problemsWith([one, two, three, four])).toEqual([]);
    expect(problemsWith([one, three, four])).toContain('checkpoint 2 was taken away');
    expect(problemsWith([three, four])).toContain('checkpoints 1 to 2 were taken away');
    expect(problemsWith([one, two, three])).toContainEqual(expect.stringContaining('its end was taken away'));
    expect(problemsWith([one, one, two, three, four])).toContain('checkpoint 1 does not follow checkpoint 1');
    expect(problemsWith([one, two.replace('\n6\n', '\n7\n'), three, four])).toContain(
      'checkpoint 2 is not signed by the trusted key',
    );
    expect(problemsWith([one, other.checkpoints[1] ?? '', three, four])).toContain(
      'checkpoint 2 is not signed by the trusted key',
    );
    expect(problemsWith(other.checkpoints)).toContainEqual(expect.stringContaining('its end was taken away'));
    expect(problemsWith([one, 'two', three, four])).toContain('checkpoint 2 is no checkpoint');
    expect(problemsWith([])).toContain('there is no checkpoint');
  });

  it('says that it cannot judge records if it trusts no checkpoint, and calls none of them inserted', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const other = logOf(events, [3, 12], CheckpointKey.ofPem(newCheckpointKeyPem()));
    for (const [log, why] of [
      [other, 'no verdict on 12 events'],
      [{ ...other, checkpoints: [], before: null }, '12 events are not signed yet'],
    ] as const) {
      const report = verify(log, events);
      expect(report).toMatchObject({ isSound: false, isChanged: false, findings: [], unjudged: 12 });
      expect([report.checkpoint, report.problems]).toEqual([
        null,
        expect.arrayContaining([expect.stringContaining(why)]),
      ]);
    }
  });

  it('says of entries that no checkpoint covers yet that they are not signed yet, and calls none inserted', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const log = logOf(events, [3, 9]);
    const report = verify(log, events);
    expect(report).toMatchObject({
      isSound: false,
      isChanged: false,
      findings: [],
      unjudged: 3,
      unsigned: 3,
    });
    expect(report.problems).toEqual([expect.stringContaining('3 events are not signed yet')]);
    const [lines] = textOf(report, { keys: [KEY.verifierKey], isPinned: true }).split('\n');
    expect(lines).toContain('NO VERDICT on 3 of 12 events. 3 events are not signed yet');
    const other = anEventInFull(10, { statement: 'SELECT 1' });
    expect(verify(log, events.with(10, other))).toMatchObject({
      findings: [],
      unjudged: 3,
      unsigned: 2,
      isChanged: false,
      problems: expect.arrayContaining([expect.stringContaining(`record ${other.recordId} is not as`)]),
    });
    // What the signed entries say is judged nevertheless, and a record of no entry at all was never accepted.
    expect(verify(log, events.slice(1)).findings).toMatchObject([{ kind: 'missing' }]);
    expect(verify(log, [...events, anEventInFull(99)]).findings).toMatchObject([{ kind: 'inserted' }]);
    expect(verify(log, [...events, events[11] ?? other]).findings).toMatchObject([{ kind: 'inserted' }]);
  });

  it('gives no verdict on as many records as wait for the log, and calls more than these never accepted', () => {
    const events = Array.from({ length: 8 }, (_, n) => anEventInFull(n));
    const log = { ...logOf(events.slice(0, 6), [6]), waitingEvents: 2 };
    expect(verify(log, events)).toMatchObject({
      isSound: false,
      isChanged: false,
      findings: [],
      unjudged: 2,
      unsigned: 0,
      problems: expect.arrayContaining(['2 accepted events are not in the log yet']),
    });
    expect(verify(log, [...events, anEventInFull(99)])).toMatchObject({
      isChanged: true,
      findings: [],
      unjudged: 3,
      problems: expect.arrayContaining([
        '3 events are not in the log, and only 2 accepted ones wait for it: the others were never accepted',
      ]),
    });
  });

  describe('with the new one of two keys of a log alone', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const successor = CheckpointKey.ofPem(newCheckpointKeyPem());
    const [old, next] = [logOf(events, [3, 6, 9, 12]), logOf(events, [3, 6, 9, 12], successor)];
    /** The checkpoints of the two keys, the old one's first. */
    const changed = (ofOld: number, end = 4) => ({
      ...next,
      checkpoints: [...old.checkpoints.slice(0, ofOld), ...next.checkpoints.slice(ofOld, end)],
      before: (ofOld < end ? next : old).checkpoints[end - 1] ?? null,
    });
    const checked = (log: typeof next, of = events, key = successor) => {
      const verifier = new Verifier(log, [key.verifierKey]);
      for (const event of of) verifier.add(event);
      return verifier.report();
    };

    it('judges all that the new key covers, and notes which checkpoints are of another key', () => {
      expect(checked(changed(3))).toMatchObject({
        isSound: true,
        problems: [],
        unjudged: 0,
        entries: 12,
        notes: [
          expect.stringMatching(/^checkpoints 1 to 3 are of another key \([0-9a-f]{8}\): .*--public-key/),
        ],
      });
      expect(checked(changed(3), events.slice(1)).findings).toMatchObject([{ kind: 'missing' }]);
    });

    it('gives no verdict on what only the other key covers, and does not say that it was changed', () => {
      for (const [log, key, unjudged] of [
        [changed(4), successor, 12],
        [changed(2), KEY, 6],
      ] as const) {
        const report = checked(log, events, key);
        expect(report).toMatchObject({
          isSound: false,
          isChanged: false,
          findings: [],
          unjudged,
          unsigned: 0,
        });
        expect(report.problems).toContainEqual(expect.stringContaining('of another key'));
        expect(textOf(report, { keys: [], isPinned: true })).not.toMatch(/NOT as accepted|inserted/);
      }
    });

    it('takes nothing between checkpoints of one key for a checkpoint of another, nor one that is not of the log', () => {
      const [, two = ''] = old.checkpoints;
      const between = { ...next, checkpoints: next.checkpoints.with(1, two) };
      expect(checked(between).problems).toEqual([
        'checkpoint 2 is not signed by the trusted key',
        'checkpoint 2 was taken away',
      ]);
      const [, , three = ''] = logOf(events.with(0, anEventInFull(77)), [3, 6, 9, 12]).checkpoints;
      const forged = { ...changed(3), checkpoints: changed(3).checkpoints.with(2, three) };
      expect(checked(forged).problems).toEqual(['checkpoint 3, of another key, is not one of these entries']);
      const back = { ...changed(3), checkpoints: changed(3).checkpoints.with(2, two) };
      expect(checked(back).problems).toContain('checkpoint 2 does not follow checkpoint 2');
      expect(checked({ ...changed(3), before: changed(4).before }).problems).toEqual([
        'the checkpoint that was the newest at first is not among those of the log any more',
      ]);
    });

    it('takes the same entries that the new key signs again for sound, and those that the same key does not', () => {
      const again = logOf(events, [3, 6, 6, 12], successor).checkpoints;
      const log = { ...next, checkpoints: [...old.checkpoints.slice(0, 2), ...again.slice(2)] };
      for (const keys of [[successor], [KEY], [KEY, successor]]) {
        const verifier = new Verifier(
          log,
          keys.map(({ verifierKey }) => verifierKey),
        );
        expect(verifier.report().problems.filter((text) => text.includes('follow'))).toEqual([]);
      }
      expect(checked(log)).toMatchObject({ isSound: true, problems: [] });
      const twice = { ...next, checkpoints: again };
      expect(checked(twice).problems).toContain('checkpoint 3 does not follow checkpoint 2');
      const forged = logOf(events.with(0, anEventInFull(77)), [3, 6, 6, 12], successor).checkpoints;
      const changedRoot = { ...log, checkpoints: log.checkpoints.with(2, forged[2] ?? '') };
      expect(checked(changedRoot).isChanged).toBe(true);
    });

    it('looks for the events of every entry that was signed before, whoever signed it', () => {
      const log = { ...changed(3), before: old.checkpoints[2] ?? null };
      expect(checked(log, events.slice(1))).toMatchObject({ newer: 0, findings: [{ kind: 'missing' }] });
      expect(checked(log, events.slice(0, 11))).toMatchObject({ newer: 1, findings: [] });
    });

    it('names the key of a kept checkpoint that it cannot verify', () => {
      const of = (kept: string) => () => new Verifier(changed(3), [successor.verifierKey], [kept]);
      expect(of(old.checkpoints[0] ?? '')).toThrow(`it is of key ${KEY.keyId}; give that public key too`);
    });
  });

  it('takes checkpoints for sound whose time goes back, and counts removals from the earliest of their times', () => {
    const events = Array.from({ length: 4 }, (_, n) => anEventInFull(n));
    const log = logOf(events, [2, 4]);
    const noted = [
      ['2026-01-09T00:00:00.000Z', 2],
      ['2026-01-06T00:00:00.000Z', 4],
    ].map(([time, size], i) =>
      signedNote(
        {
          tenantId: 7,
          number: i + 1,
          time: String(time),
          size: Number(size),
          root: rootOfSome(Number(size)),
        },
        KEY,
      ),
    );
    function rootOfSome(size: number) {
      const all = Array.from({ length: size }, (_, i) => log.leafHashes.subarray(i * 32, (i + 1) * 32));
      return plainRoot(all);
    }
    const ahead = { ...log, checkpoints: noted, before: noted[1] ?? null };
    expect(verify(ahead, events)).toMatchObject({ isSound: true });
    const [first] = events.map(({ eventTime }) => eventTime).sort();
    const removal = {
      from: first ?? '',
      to: '2030-01-01T00:00:00.000Z',
      before: '2030-01-01T00:00:00.000Z',
      events: 4,
      lastRunAt: '2026-01-06T01:00:00.000Z',
    };
    expect(verify({ ...ahead, removals: [removal] }, [])).toMatchObject({ isSound: true, removed: 4 });
  });

  it('judges by a kept checkpoint if those of the service are gone', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const log = logOf(events, [3, 12]);
    const [, kept = ''] = log.checkpoints;
    const bare = { ...log, checkpoints: [], before: null };
    const changedOne = events.with(5, anEventInFull(5, { statement: 'SELECT 1' }));
    expect(verify(bare, changedOne, [kept])).toMatchObject({
      isSound: false,
      unjudged: 0,
      entries: 12,
      findings: [{ kind: 'altered', recordId: events[5]?.recordId }],
    });
  });

  it('trusts several successive keys, and with only one of them judges what that key signed', () => {
    const events = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
    const successor = CheckpointKey.ofPem(newCheckpointKeyPem());
    const [first = ''] = logOf(events, [6]).checkpoints;
    const second = logOf(events, [6, 12], successor);
    const log = { ...second, checkpoints: [first, second.checkpoints[1] ?? ''] };
    const verifier = new Verifier(log, [KEY.verifierKey, successor.verifierKey]);
    for (const event of events) verifier.add(event);
    expect(verifier.report()).toMatchObject({ isSound: true, entries: 12 });
    const stranger = anEventInFull(99);
    const report = verify({ ...log, before: null }, [...events, stranger]);
    expect(report).toMatchObject({ entries: 6, unjudged: 6 });
    expect(report.findings).toMatchObject([{ kind: 'inserted', recordId: stranger.recordId }]);
    expect(report.problems).toContainEqual(
      expect.stringMatching(/^checkpoint 2 is of another key \([0-9a-f]{8}\): .*give its public key too/),
    );
  });

  it('names the entries that are missing from the log, judges the records of all others, and calls none inserted', () => {
    const cases = logs.chain(({ events, log }) =>
      fc.tuple(
        fc.constant({ events, log }),
        fc.nat(events.length - 1),
        fc.nat(events.length),
        fc.nat(events.length - 1),
      ),
    );
    fc.assert(
      fc.property(cases, ([{ events, log }, from, length, at]) => {
        const to = Math.min(events.length, from + length + 1);
        const holes = [{ from, to }];
        const [recordIds, leafHashes] = [Buffer.from(log.recordIds), Buffer.from(log.leafHashes)];
        recordIds.fill(0, from * 16, to * 16);
        leafHashes.fill(0, from * 32, to * 32);
        const cut = { ...log, holes, recordIds, leafHashes };
        const report = verify(cut, events);
        expect(report).toMatchObject({ isSound: false, findings: [], unjudged: to - from });
        expect(report.problems[0]).toBe(
          `${to - from} entries of the log are not there any more: ${from} to ${to - 1}`,
        );
        const forged = events.map((event, i) => (i === at ? changed(event, 'statement', 3) : event));
        const isJudged = at < from || at >= to;
        expect(verify(cut, forged).findings).toMatchObject(
          isJudged ? [{ kind: 'altered', recordId: events[at]?.recordId }] : [],
        );
        const gone = events.filter((_, i) => i !== at);
        expect(verify(cut, gone).findings).toMatchObject(
          isJudged ? [{ kind: 'missing', recordId: events[at]?.recordId }] : [],
        );
      }),
    );
  });

  it('finds only by a kept checkpoint that the end of the log was removed or rewritten', () => {
    const events = Array.from({ length: 8 }, (_, n) => anEventInFull(n));
    const kept = logOf(events, [3, 8]).checkpoints.at(-1) ?? '';
    const cut = logOf(events.slice(0, 3), [3]);
    expect(verify(cut, events.slice(0, 3)).isSound).toBe(true);
    expect(verify(cut, events.slice(0, 3), [kept]).problems).toEqual([
      'the kept checkpoint 2 has 8 entries, the last one of the log 3: its end was taken away',
    ]);
    const others = events.with(5, anEventInFull(5, { statement: 'SELECT 1' }));
    const anew = logOf(others, [3, 8]);
    expect(verify(anew, others).isSound).toBe(true);
    expect(verify(anew, others, [kept]).problems).toEqual([
      expect.stringContaining('are not those of checkpoint 2'),
    ]);
    expect(verify(logOf(events, [3, 8]), events, [kept]).isSound).toBe(true);
  });

  it('refuses a kept checkpoint that does not belong to the log, as a mistake and not a finding', () => {
    const log = logOf([anEventInFull(1)], [1]);
    const root = plainRoot([]);
    const noteOf = (tenantId: number, key = KEY) =>
      signedNote({ tenantId, size: 1, root, number: 1, time: '2026-01-01T00:00:00.000Z' }, key);
    expect(() => verify(log, [], ['x'])).toThrow('is no checkpoint');
    expect(() => verify(log, [], [noteOf(8)])).toThrow('is of tenant 8');
    expect(() => verify(log, [], [noteOf(7, CheckpointKey.ofPem(newCheckpointKeyPem()))])).toThrow(
      'not signed',
    );
  });

  it('accepts that records are missing if retention recorded their removal, and no others', () => {
    // Five hours with two events each.
    const events = Array.from({ length: 10 }, (_, n) => anEventInFull(n));
    const [first, second, ...later] = [...new Set(events.map(({ eventTime }) => eventTime))].sort();
    const old = events.filter(({ eventTime }) => eventTime === first || eventTime === second);
    const rest = events.filter((event) => !old.includes(event));
    const removal = {
      from: first ?? '',
      to: later[0] ?? '',
      before: later[0] ?? '',
      events: 4,
      lastRunAt: '2026-01-06T01:00:00.000Z',
    };
    const log = { ...logOf(events, [10]), removals: [removal] };
    expect(verify(log, rest)).toMatchObject({ isSound: true, removed: 4 });
    // An event at either border was not removed, whatever number of events is recorded.
    const atBorder = rest.filter(({ eventTime }) => eventTime === later[0]);
    const beyondBorder = rest.filter((event) => !atBorder.includes(event));
    for (const change of [{ to: later[1] ?? '' }, { before: later[1] ?? '' }, {}]) {
      const removals = [{ ...removal, events: 6, ...change }];
      const report = verify({ ...log, removals }, beyondBorder);
      expect([report.removed, report.findings.map(({ kind, recordId }) => ({ kind, recordId }))]).toEqual([
        4,
        atBorder.map(({ recordId }) => ({ kind: 'missing', recordId })).toSorted(byRecordId),
      ]);
    }
    // Events before the removed stretch were not removed either.
    const laterFrom = { ...log, removals: [{ ...removal, from: second ?? '' }] };
    expect(verify(laterFrom, rest)).toMatchObject({ removed: 2 });
    expect(verify(laterFrom, rest).findings).toHaveLength(2);
    expect(verify({ ...log, removals: [] }, rest).findings).toHaveLength(4);
    expect(verify(log, rest.slice(1)).findings).toMatchObject([
      { kind: 'missing', recordId: rest[0]?.recordId },
    ]);
    expect(verify({ ...log, removals: [{ ...removal, events: 3 }] }, rest).problems).toEqual([
      '4 events of times that retention removed are not there, and it removed only 3',
    ]);
    const earlier = { ...removal, lastRunAt: '2026-01-05T23:00:00.000Z' };
    expect(verify({ ...log, removals: [earlier] }, rest).findings).toHaveLength(4);
    // An event that was removed and then sent once more is in the log twice.
    const again = { ...logOf([...events, ...old.slice(0, 1)], [10, 11]), removals: [removal] };
    expect(verify(again, [...rest, ...old.slice(0, 1)])).toMatchObject({ isSound: true, removed: 4 });
    expect(verify({ ...again, removals: [] }, events).findings).toMatchObject([{ kind: 'missing' }]);
  });

  it('compares a record that is in the log twice with the entry that it is, and misses the other one', () => {
    const [first, again] = [anEventInFull(1), anEventInFull(1, { statement: 'DELETE' })];
    for (const event of [first, again]) {
      const report = verify(logOf([first, again], [2]), [event]);
      expect(report.findings.map(({ kind }) => kind)).toEqual(['missing']);
    }
  });

  it('takes a kept checkpoint of a higher number for a sign that the end of the log was taken away', () => {
    const events = [anEventInFull(1), anEventInFull(2)];
    const log = logOf(events, [2]);
    const root = plainRoot([log.leafHashes.subarray(0, 32), log.leafHashes.subarray(32)]);
    const note = { tenantId: 7, size: 2, root, number: 2, time: '2026-01-06T00:00:00.000Z' };
    expect(verify(log, events, [signedNote(note, KEY)]).problems).toEqual([
      'the kept checkpoint 2 has 2 entries, the last one of the log 2: its end was taken away',
    ]);
  });

  it('names the first records that are wrong in its text, and the number of the others', () => {
    const events = Array.from({ length: 25 }, (_, n) => anEventInFull(n));
    const lines = textOf(verify(logOf(events, [25]), []), { keys: [], isPinned: true }).split('\n');
    expect(lines.filter((line) => line.includes('missing: '))).toHaveLength(20);
    expect(lines).toContain('  and 5 more');
  });

  it('does not judge events that arrived during the download, and judges all earlier ones', () => {
    const events = Array.from({ length: 6 }, (_, n) => anEventInFull(n));
    const log = logOf(events, [4, 6]);
    const [before = null] = log.checkpoints;
    expect(verify({ ...log, before }, events.slice(0, 5))).toMatchObject({ isSound: true, newer: 1 });
    expect(verify({ ...log, before }, events.slice(1, 5)).findings).toHaveLength(1);
    expect(verify({ ...log, before: null }, [])).toMatchObject({ isSound: true, newer: 6 });
    expect(verify({ ...log, before: before?.replace('\n4\n', '\n0\n') ?? null }, events).problems).toEqual([
      'the checkpoint that was the newest at first is not signed by the trusted key',
    ]);
  });

  it.each([
    [{ waitingEvents: 3 }, '3 accepted events are not in the log yet'],
    [{ refusedEvents: 2 }, 'what waited for the log was changed, of 2 events'],
    [{ problem: 'it was cut' }, 'the service does not append to the log: it was cut'],
  ])('does not call a log sound while %o', (change, problem) => {
    const events = [anEventInFull(1)];
    expect(verify({ ...logOf(events, [1]), ...change }, events)).toMatchObject({
      isSound: false,
      problems: [problem],
    });
  });
});
