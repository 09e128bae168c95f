import { setImmediate } from 'node:timers/promises';
import type { ServiceDoor } from '../../database/clients';
import { inQuotes } from '../../event/expression/value-text';
import { fold } from '../../event/search';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import type { COMPLIANCE_CONTROL, COMPLIANCE_CONTROL_ITEM, COMPLIANCE_FRAMEWORK } from './answers';
import type { DeclarationStore } from './declaration.store';
import { type ActionGroup, type Control, checksOf, type Framework, shippedFrameworks } from './frameworks';
import { healthOf } from './health';
import { databasesOf, evaluatedThrough, judge } from './judge';
import { type GroupState, type ScopeOf, timeOf, type Verdict } from './judge-groups';
import type { Lag, Questions } from './questions';
import { type Assessed, type InstanceTrail, periodBefore, readTrails, refuseTooMany } from './trail';

type ControlItem = Answer<typeof COMPLIANCE_CONTROL_ITEM>;
type FrameworkItem = Answer<typeof COMPLIANCE_FRAMEWORK>;
type ControlDetail = Answer<typeof COMPLIANCE_CONTROL>;

const RECORD_IDS_MAX = 100;
/** Judges the controls of the shipped frameworks from the events of tenants, as of a moment. */
export class Assessments {
  readonly #shipped = shippedFrameworks();

  constructor(
    private readonly service: ServiceDoor,
    private readonly ask: Questions,
    private readonly declarations: Pick<DeclarationStore, 'list'>,
    private readonly nowMs: () => number,
  ) {}

  get frameworks(): readonly Framework[] {
    return this.#shipped.frameworks;
  }

  /** @returns null: no framework has such a control */
  find(controlId: string): { readonly framework: Framework; readonly control: Control } | null {
    const wanted = fold(controlId);
    for (const framework of this.frameworks) {
      const control = framework.controls.find((one) => fold(one.controlId) === wanted);
      if (control) return { framework, control };
    }
    return null;
  }

  /** The server instances of the tenants, by tenant and name. */
  async trails(tenants: TenantSet, assessed: Assessed): Promise<readonly InstanceTrail[]> {
    const { service, ask } = this;
    const lags = new Map<string, Promise<readonly Lag[]>>();
    const parts = {
      service,
      ask,
      sources: await ask.sources(tenants, periodBefore(assessed.asOf)),
      lags: (fromMs: number, toMs: number) => {
        const key = `${fromMs} ${toMs}`;
        const asked = lags.get(key) ?? ask.lags(tenants, fromMs, toMs);
        lags.set(key, asked);
        return asked;
      },
      groups: this.#shipped.groups,
      nowMs: this.nowMs,
      declarations: (tenantId: number) => this.declarations.list(tenantId),
    };
    const trails: InstanceTrail[] = [];
    // One after the other: a call has the turn, and the connection, of one long statement.
    for (const tenant of [...tenants].sort((a, b) => a - b))
      refuseTooMany(trails.push(...(await readTrails(parts, tenant, assessed))));
    return trails;
  }

  /** Each control of some frameworks on each instance, in the order of the frameworks' files. */
  async items(
    frameworks: readonly Framework[],
    trails: readonly InstanceTrail[],
  ): Promise<readonly ControlItem[]> {
    const items: ControlItem[] = [];
    for (const { frameworkId, controls } of frameworks)
      for (const control of controls) {
        // Other callers are served between two controls.
        await setImmediate();
        const { controlId, title } = control;
        const about = { frameworkId, controlId, title };
        for (const trail of trails)
          for (const databaseName of this.#placesOf(control, trail)) {
            const verdict = await this.#judge(control, trail, databaseName);
            items.push({ ...about, ...standing(verdict, trail, databaseName) });
          }
      }
    return items;
  }

  /**
   * Each control of a framework on each instance of the tenants, as of a moment in ticks.
   * @param framework an id; null: all frameworks
   */
  async itemsOf(framework: string | null, tenants: TenantSet, asOf: bigint): Promise<readonly ControlItem[]> {
    const wanted = this.frameworks.filter(
      ({ frameworkId }) => framework === null || frameworkId === framework,
    );
    return this.items(wanted, await this.trails(tenants, { asOf, instance: null, checks: checksOf(wanted) }));
  }

  /** Each framework with the numbers of its controls by status, on whole instances. */
  async counts(trails: readonly InstanceTrail[]): Promise<readonly FrameworkItem[]> {
    return this.countsOf(await this.items(this.frameworks, trails));
  }

  /** The same, of the items of all frameworks. */
  countsOf(all: readonly ControlItem[]): readonly FrameworkItem[] {
    return this.frameworks.map(({ frameworkId, title, controls }) => {
      const items = all.filter((item) => item.frameworkId === frameworkId && item.databaseName === null);
      const of = (wanted: ControlItem['status']) => items.filter(({ status }) => status === wanted).length;
      return {
        frameworkId,
        title,
        controlCount: controls.length,
        pass: of('pass'),
        fail: of('fail'),
        unknown: of('unknown'),
        notApplicable: of('not_applicable'),
      };
    });
  }

  /** Whether the trail of each instance comes. */
  async health(trails: readonly InstanceTrail[]) {
    const states = [];
    for (const trail of trails) {
      const { tenantId, serverInstanceName, lastEventMs } = trail;
      states.push({
        ...{ tenantId: String(tenantId), serverInstanceName },
        ...(await healthOf(trail)),
        lastEventTime: timeOf(lastEventMs),
      });
    }
    return states;
  }

  /** How far sources were behind over a period, the worst first. */
  async lags(tenants: TenantSet, fromMs: number, toMs: number): Promise<readonly Lag[]> {
    const all = await this.ask.lags(tenants, fromMs, toMs);
    const sorted = [...all].sort((a, b) => (b.worstSeconds ?? -1) - (a.worstSeconds ?? -1));
    return sorted.slice(0, LIMITS.complianceLagsMax);
  }

  /** A control with its standing on each instance, and the groups that it asks for. */
  async detail(
    { framework, control }: { readonly framework: Framework; readonly control: Control },
    trails: readonly InstanceTrail[],
  ): Promise<ControlDetail> {
    const instances: ControlDetail['instances'][number][] = [];
    for (const trail of trails)
      for (const databaseName of this.#placesOf(control, trail)) {
        const verdict = await this.#judge(control, trail, databaseName);
        const groups = verdict.groups.map((state) => this.#groupOn(state, trail, databaseName));
        instances.push({ ...standing(verdict, trail, databaseName), groups });
      }
    const { controlId, title, pass, fail, unknown } = control;
    const maps = this.#shipped.mapped.get(controlId) ?? [];
    const { frameworkId } = framework;
    return { frameworkId, controlId, title, pass, fail, unknown, maps, instances };
  }

  /** Where a control is judged: on the whole instance (null), and in databases. */
  #placesOf(control: Control, trail: InstanceTrail): readonly (string | null)[] {
    return [null, ...databasesOf(control, trail, this.#scopeOf)];
  }

  #judge(control: Control, trail: InstanceTrail, databaseName: string | null): Promise<Verdict> {
    return judge(control, trail, this.#scopeOf, databaseName);
  }

  readonly #scopeOf: ScopeOf = (group) => this.#shipped.groups.get(group)?.scope ?? 'both';

  #groupOn(
    { group, state, since, by, recordId }: GroupState,
    { serverInstanceName }: InstanceTrail,
    databaseName: string | null,
  ) {
    const database = databaseName === null ? '' : ` AND databaseName:${inQuotes(databaseName)}`;
    const filter = `serverInstanceName:${inQuotes(serverInstanceName)}${database} AND (${filterOf(this.#shipped.groups.get(group))})`;
    return { group, state, since, by, recordId, filter };
  }
}

function standing(
  { status, since, reason, recordIds }: Verdict,
  trail: InstanceTrail,
  databaseName: string | null,
) {
  return {
    tenantId: String(trail.tenantId),
    serverInstanceName: trail.serverInstanceName,
    databaseName,
    status,
    since,
    evaluatedThrough: evaluatedThrough(trail),
    reason,
    recordIds: recordIds.slice(0, RECORD_IDS_MAX),
  };
}

/** The filter that finds the events of a group. */
const filterOf = (group: ActionGroup | undefined): string =>
  (group?.writes ?? [])
    .map(({ actions, classes }) => {
      const action = `actionId:(${actions.join(' OR ')})`;
      return classes ? `(${action} AND classType:(${classes.join(' OR ')}))` : action;
    })
    .join(' OR ');
