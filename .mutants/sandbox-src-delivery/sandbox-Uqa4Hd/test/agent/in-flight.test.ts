import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { respond, type SentEvent } from './support/fake-ingest-service';
import { until } from './support/until';

/** How many batches of 20 the 150 events make. */
const IN_FLIGHT = 3;

describe('batches in flight', () => {
  let world: AgentWorld;
  let held: { readonly events: readonly SentEvent[]; answer(): void; refuse(): void }[];
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.copy(FILES_2022);
    world.configure({}, { BatchMaxEvents: 20 });
    held = [];
    let isFirst = true;
    world.service.fault = ({ events }, response) => {
      // The service has taken one batch: more may follow before the next answer.
      if (isFirst || events.length === 0) {
        isFirst = false;
        return false;
      }
      held.push({
        events,
        answer: () => {
          for (const event of events) world.service.stored.set(JSON.stringify(event), event);
          const receipt = { accepted: events.length, duplicates: 0, rejected: [] };
          respond(response, 200, { data: { ingestAuditEvents: receipt } });
        },
        refuse: () => response.destroy(),
      });
      return true;
    };
  });
  afterEach(() => world.close());

  /** The statements of the requests in the order of the files, since requests overtake each other on their way. */
  const inOrder = () =>
    [...held].sort((a, b) => {
      const [one, other] = [a.events[0], b.events[0]] as [SentEvent, SentEvent];
      const byFile = one.file < other.file ? -1 : one.file > other.file ? 1 : 0;
      return byFile || one.blockOffset - other.blockOffset || one.index - other.index;
    });
  const bookmarks = () => {
    const folder = join(world.dataDir, 'checkpoints/7');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.map((name) => readFileSync(join(folder, name), 'utf8')).join();
  };

  it('are bounded in number, and no bookmark moves before every earlier batch is acknowledged', async () => {
    const agent = world.once();
    await until('three requests at once', () => held.length === IN_FLIGHT);
    const before = bookmarks();
    const [first, second, third] = inOrder();
    third?.answer();
    second?.answer();
    // Both answers have come by then: agent and service share the event loop.
    for (let n = 0; n < 10; n++) await (await fetch(`${world.service.url}/health`)).text();
    expect(held).toHaveLength(IN_FLIGHT);
    expect(bookmarks()).toBe(before);
    first?.answer();
    await until('further requests', () => held.length > IN_FLIGHT);
    expect(bookmarks()).not.toBe(before);
    for (let n = IN_FLIGHT; world.service.stored.size < 150; n++) {
      await until('a request', () => held.length > n);
      held[n]?.answer();
    }
    expect(await agent).toBe(0);
    expect(world.summary.at(-1)).toContain('150 published (0 duplicates, 0 rejected)');
  });

  it('are sent again from the first one that was not acknowledged, even if later ones were', async () => {
    const agent = world.once({ onceBudgetMs: 500 });
    await until('three requests at once', () => held.length === IN_FLIGHT);
    const [first, second, third] = inOrder();
    second?.answer();
    third?.answer();
    world.service.fault = (_, response) => {
      response.destroy();
      return true;
    };
    first?.refuse();
    expect(await agent).toBe(1);
    world.service.fault = () => false;
    const sentBefore = world.service.sentCount;
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount - sentBefore).toBe(130);
    const distinct = new Set(
      world.service.events.map(({ blockOffset, fileGuid, index }) => `${fileGuid} ${blockOffset} ${index}`),
    );
    expect(distinct.size).toBe(150);
  });
});
