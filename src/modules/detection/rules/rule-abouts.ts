import { LRUCache } from 'lru-cache';
import { type About, LocalReader, type ReadFile, type RuleReader } from '../../../rules/rule-reader';
import { digestOf, tuningOf } from './rule-digest';

/** The most characters of the files whose content is kept. */
const CHARS_MAX = 8 * 1024 * 1024;

type FilterAbout = ReadFile['filters'][number];

/** What rule and filter files say. Each file is read once, but for rules that are tuned. */
export class RuleAbouts {
  readonly #rules = new LRUCache<string, { readonly about: About | null }>({ maxSize: CHARS_MAX });
  readonly #filters = new LRUCache<string, { readonly filter: FilterAbout | null }>({ maxSize: CHARS_MAX });
  /** The digests of lists of filters. A tenant's rules are asked for with the same list. */
  readonly #lists = new WeakMap<readonly string[], string>();

  constructor(readonly reader: RuleReader = new LocalReader()) {}

  /** @param filters files of filters that may narrow it @returns null if this release cannot read the rule */
  async of(
    {
      ruleId,
      source,
      tuning,
    }: { readonly ruleId: string; readonly source: string; readonly tuning: string | null },
    filters: readonly string[],
  ): Promise<About | null> {
    const ending = `${digestOf(source, tuning)}/${this.#digestOf(filters)}`;
    const keyOf = (id: string) => `${id}/${ending}`;
    const key = keyOf(ruleId);
    const known = this.#rules.get(key);
    if (known) return known.about;
    const { rules } = await this.reader.read(source, {
      tuned: { ruleId, tuning: tuningOf(tuning) },
      filters,
    });
    const share = Math.ceil(source.length / Math.max(1, rules.length));
    const keep = (of: string, about: About | null) =>
      this.#rules.set(of, { about }, { size: of.length + share });
    // The others of its file say the same for whoever asks next, where this one is not tuned.
    if (tuning === null) for (const one of rules) keep(keyOf(one.ruleId), withoutSource(one));
    const found = rules.find((one) => one.ruleId === ruleId);
    const about = found ? withoutSource(found) : null;
    keep(key, about);
    return about;
  }

  /** @returns null if this release cannot read the filter */
  async filter(source: string): Promise<FilterAbout | null> {
    const key = digestOf(source, null);
    const known = this.#filters.get(key);
    if (known) return known.filter;
    const [filter = null] = (await this.reader.read(source)).filters;
    this.#filters.set(key, { filter }, { size: key.length + source.length });
    return filter;
  }

  #digestOf(filters: readonly string[]): string {
    const known = this.#lists.get(filters) ?? digestOf('', null, filters);
    this.#lists.set(filters, known);
    return known;
  }
}

function withoutSource({ source: _, ...about }: ReadFile['rules'][number]): About {
  return about;
}
