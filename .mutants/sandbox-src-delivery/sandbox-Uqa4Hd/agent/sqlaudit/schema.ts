import { type ActionType, compileAction, compileEvent, type EventType } from './event-type';
import { LIMITS } from './limits';
import { packageOf } from './object-ref';
import type {
  ActionDescriptor,
  Clock,
  EventDescriptor,
  MapDescriptor,
  PackageRecord,
  TypeDescriptor,
} from './package-record';

/**
 * What the metadata blocks of a file have described so far. Ids tell packages apart, names do not (`sqlserver` names
 * several). A package that comes again adds objects and sets its clock anew.
 */
export class Schema {
  private readonly clocks = new Map<number, Clock>();
  private readonly events = new Map<number, EventDescriptor>();
  private readonly actions = new Map<number, ActionDescriptor>();
  private readonly types = new Map<number, TypeDescriptor>();
  private readonly maps = new Map<number, MapDescriptor>();
  /** Compiled on first use, since a type may be described later than the event that uses it. */
  private readonly eventTypes = new Map<number, EventType>();
  private readonly actionTypes = new Map<number, ActionType>();

  /** @returns false if the file describes more than any server can; nothing is added then */
  add(packages: readonly PackageRecord[]): boolean {
    const added = packages.reduce(
      (sum, p) => sum + p.events.length + p.actions.length + p.types.length + p.maps.length,
      0,
    );
    if (this.size + added > LIMITS.describedObjectsMax) return false;
    for (const described of packages) {
      this.clocks.set(described.id, described.clock);
      for (const event of described.events) this.events.set(event.ref, event);
      for (const action of described.actions) this.actions.set(action.ref, action);
      for (const map of described.maps) this.maps.set(map.ref, map);
      for (const type of described.types) this.types.set(type.ref, type);
    }
    this.eventTypes.clear();
    this.actionTypes.clear();
    return true;
  }

  get isEmpty(): boolean {
    return this.events.size === 0;
  }

  readonly typeName = (ref: number): string | undefined => this.types.get(ref)?.name;

  describes(eventName: string): boolean {
    for (const event of this.events.values()) if (event.name === eventName) return true;
    return false;
  }

  type(ref: number): TypeDescriptor | undefined {
    return this.types.get(ref);
  }

  map(ref: number): MapDescriptor | undefined {
    return this.maps.get(ref);
  }

  /** @returns a text that says why, if the file does not describe the event completely */
  eventType(ref: number): EventType | string {
    const known = this.eventTypes.get(ref);
    if (known) return known;
    const event = this.events.get(ref);
    if (!event) return `event ${hex(ref)} is not described`;
    const clock = this.clocks.get(packageOf(ref));
    if (!clock) return `event ${hex(ref)} belongs to a package that is not described`;
    const compiled = compileEvent(event, clock, this);
    if (typeof compiled !== 'string') this.eventTypes.set(ref, compiled);
    return compiled;
  }

  /** @returns a text that says why, if the file does not describe the action */
  actionType(ref: number): ActionType | string {
    const known = this.actionTypes.get(ref);
    if (known) return known;
    const action = this.actions.get(ref);
    if (!action) return `action ${hex(ref)} is not described`;
    const compiled = compileAction(action, this);
    if (typeof compiled !== 'string') this.actionTypes.set(ref, compiled);
    return compiled;
  }

  private get size(): number {
    return this.events.size + this.actions.size + this.types.size + this.maps.size;
  }
}

const hex = (ref: number) => `0x${ref.toString(16).padStart(8, '0')}`;
