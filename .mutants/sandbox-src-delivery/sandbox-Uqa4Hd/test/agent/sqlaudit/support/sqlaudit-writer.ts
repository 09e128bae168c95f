import { decodeBlock } from '../../../../agent/sqlaudit/block';
import type { EventDescriptor, PackageRecord } from '../../../../agent/sqlaudit/package-record';
import { Schema } from '../../../../agent/sqlaudit/schema';
import { FILETIME_UNIX_EPOCH, parseTicks } from '../../../../src/event/event-time';
import { blockOffsets, eventBlock, fileHeader, guidBytes, SECTOR } from './blocks';
import { type Description, describeIn, u32, u64 } from './metadata';

/** Values by column name. Text also stands for GUIDs, times and codes (`SL`); what is left out is 0 or empty. */
export type Row = Readonly<Record<string, string | number | bigint | boolean | Buffer>>;
export interface EventOptions {
  /** Name of the event in the metadata; the first one by default. */
  readonly event?: string;
  /** Time of the event itself, ISO; by default that of `event_time`, else an hour after the clock's start. */
  readonly time?: string;
  /** Bits 6 to 30, which servers leave uninitialised. */
  readonly flagGarbage?: number;
  readonly actions?: readonly (readonly [name: string, value: Row[string]])[];
}

const HOUR = 36_000_000_000n;

/** Writes audit files: the metadata of a fixture or of a description, and blocks of any rows with valid checksums. */
export class AuditFileWriter {
  private readonly packages: readonly PackageRecord[];

  private constructor(
    /** The metadata blocks, which follow the file header. */
    readonly metadata: Buffer,
  ) {
    this.packages = packagesOf(metadata);
  }

  /** @param file a whole audit file whose metadata blocks are used */
  static from(file: Buffer): AuditFileWriter {
    const offsets = blockOffsets(file);
    const firstEvents = offsets.find((at) => at >= file.length || file.readUInt16LE(at + 14) === 0);
    return new AuditFileWriter(file.subarray(SECTOR, firstEvents));
  }

  static describing(...packages: readonly Description[]): AuditFileWriter {
    return new AuditFileWriter(Buffer.concat(packages.map(describeIn)));
  }

  /** The file header and the metadata, which stand before the first block of events. */
  prologue(fileGuid: string): Buffer {
    return Buffer.concat([fileHeader(fileGuid), this.metadata]);
  }

  /** A file with one block for each list of rows, counted from 1. */
  file(fileGuid: string, blocks: readonly (readonly Row[])[]): Buffer {
    return Buffer.concat([
      this.prologue(fileGuid),
      ...blocks.map((rows, i) => this.block(rows, { sequence: i + 1 })),
    ]);
  }

  block(rows: readonly Row[], options: { readonly sequence?: number } & EventOptions = {}): Buffer {
    return eventBlock(Buffer.concat(rows.map((row) => this.event(row, options))), options.sequence);
  }

  /** One event as it stands in a block's data. */
  event(row: Row, { event, time, flagGarbage = 0, actions = [] }: EventOptions = {}): Buffer {
    const { descriptor, clock } = this.find(event);
    const payload = this.payload(descriptor, row);
    const text = time ?? row.event_time;
    const at = typeof text === 'string' ? filetime(text) : clock.base + HOUR;
    const flags = ((actions.length > 0 ? 0x80000000 : 0) | (flagGarbage & 0x7fffffc0) | 10) >>> 0;
    return Buffer.concat([
      u32(descriptor.ref),
      u32(flags),
      u32(0),
      u64(((at - clock.base) * clock.ticksPerSecond) / 10_000_000n),
      u32(payload.length),
      payload,
      ...(actions.length > 0 ? this.actions(actions) : []),
    ]);
  }

  private payload(descriptor: EventDescriptor, row: Row): Buffer {
    const slots: Buffer[] = [];
    const values: Buffer[] = [];
    const sizes = descriptor.columns.map(({ typeRef }) => this.type(typeRef).size || 8);
    let end = sizes.reduce((sum, size) => sum + size, 0);
    for (const { name, typeRef } of descriptor.columns) {
      const type = this.type(typeRef);
      const value = encode(row[name], type);
      if (type.size === 0) {
        slots.push(u32(end), u32(value.length));
        values.push(value);
        end += value.length;
      } else slots.push(value);
    }
    return Buffer.concat([...slots, ...values]);
  }

  private actions(actions: NonNullable<EventOptions['actions']>): Buffer[] {
    const descriptors = this.packages.flatMap((p) => p.actions);
    const parts = actions.flatMap(([name, value]) => {
      const action = descriptors.find((d) => d.name === name);
      if (!action) throw new Error(`no action ${name}`);
      const bytes = encode(value, this.type(action.typeRef));
      return [u32(action.ref), u32(bytes.length), bytes];
    });
    return [...parts, u32(0x60000000), u32(0)];
  }

  private find(event: string | undefined) {
    for (const { events, clock } of this.packages) {
      const descriptor = events.find(({ name }) => event === undefined || name === event);
      if (descriptor) return { descriptor, clock };
    }
    throw new Error(`no event ${event ?? ''}`);
  }

  private type(ref: number): { name: string; size: number } {
    const described = this.packages.flatMap((p) => [...p.types, ...p.maps]).find((t) => t.ref === ref);
    if (!described) throw new Error(`no type ${ref}`);
    return described;
  }
}

function packagesOf(metadata: Buffer): PackageRecord[] {
  const schema = new Schema();
  const packages: PackageRecord[] = [];
  for (let at = 0; at < metadata.length; ) {
    const block = decodeBlock(metadata.subarray(at), SECTOR + at, schema);
    if (block.kind !== 'metadata') throw new Error(`not a metadata block: ${JSON.stringify(block)}`);
    schema.add(block.packages);
    packages.push(...block.packages);
    at += block.size;
  }
  return packages;
}

export function filetime(iso: string): bigint {
  const ticks = parseTicks(iso);
  if (ticks === null) throw new Error(`no time: ${iso}`);
  return ticks + FILETIME_UNIX_EPOCH;
}

function encode(value: Row[string] | undefined, type: { name: string; size: number }): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value === undefined || value === '') return Buffer.alloc(type.size);
  if (type.size === 0) return type.name === 'guid' ? guidBytes(String(value)) : wide(String(value));
  const bytes = Buffer.alloc(8);
  if (typeof value !== 'string') bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)));
  else if (type.name === 'filetime') bytes.writeBigUInt64LE(filetime(value));
  else bytes.fill(0x20).write(value, 'latin1');
  return bytes.subarray(0, type.size);
}

/** Writes UTF-16 unit by unit, since a string may hold half of a surrogate pair. */
export function wide(text: string): Buffer {
  const bytes = Buffer.alloc(text.length * 2);
  for (let i = 0; i < text.length; i++) bytes.writeUInt16LE(text.charCodeAt(i), i * 2);
  return bytes;
}
