import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client, Connection, Submittable } from 'pg';

const CHUNK_BYTES = 256 * 1024;

/** The parts of pg's connection that COPY needs; its own types leave them out. */
interface CopyConnection {
  readonly stream: Writable;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

const copying = (connection: Connection) => connection as unknown as CopyConnection;

/** The callbacks of pg during one COPY, by the simple protocol. This needs no further package. */
abstract class Copy implements Submittable {
  readonly done: Promise<void>;
  #settle: { resolve(): void; reject(error: Error): void } | undefined;
  #error: Error | undefined;

  constructor(protected readonly text: string) {
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  submit(connection: Connection): void {
    copying(connection).query(this.text);
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#settle?.reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#error) this.#settle?.resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleCopyInResponse(_connection: Connection): void {}
  handleCopyData(_message: { readonly chunk: Buffer }): void {}
}

class CopyIn extends Copy {
  constructor(
    text: string,
    private readonly file: string,
  ) {
    super(text);
  }

  override handleCopyInResponse(connection: Connection): void {
    const copy = copying(connection);
    this.#feed(copy).catch((error: Error) => copy.sendCopyFail(error.message));
  }

  async #feed(connection: CopyConnection): Promise<void> {
    for await (const chunk of createReadStream(this.file, { highWaterMark: CHUNK_BYTES })) {
      connection.sendCopyFromChunk(chunk as Buffer);
      if (connection.stream.writableNeedDrain)
        await new Promise((resolve) => connection.stream.once('drain', resolve));
    }
    connection.endCopyFrom();
  }
}

class CopyOut extends Copy {
  readonly rows = new Readable({ read: () => {} });

  override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.rows.push(Buffer.from(chunk));
  }

  override handleCommandComplete(): void {
    this.rows.push(null);
  }
}

/** Runs `COPY … FROM STDIN` with a file's bytes. */
export async function copyFromFile(client: Client, text: string, file: string): Promise<void> {
  await client.query(new CopyIn(text, file)).done;
}

/** Runs `COPY … TO STDOUT` into a file. */
export async function copyToFile(client: Client, text: string, file: string): Promise<void> {
  const copy = client.query(new CopyOut(text));
  await Promise.all([copy.done, pipeline(copy.rows, createWriteStream(file))]);
}
