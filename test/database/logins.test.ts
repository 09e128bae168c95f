import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Client } from 'pg';
import { checkLogin } from '../../src/database/check-login';
import { openDatabase } from '../../src/database/database';
import { createEmptyDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';

const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';
const name = `test_${randomBytes(6).toString('hex')}`;

const refusal = (url: string, isOwner = true) =>
  checkLogin('DATABASE_URL', url, isOwner).then(
    () => null,
    (error: Error) => error.message,
  );

/** @returns an error message of PostgreSQL's protocol with these fields */
function errorAnswer(fields: Readonly<Record<string, string>>): Buffer {
  const body = `${Object.entries(fields)
    .map(([field, text]) => `${field}${text}\0`)
    .join('')}\0`;
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

async function answering(
  answer: Buffer,
  use: (url: string) => Promise<void>,
  andThen: (socket: Socket) => void = (socket) => socket.end(),
): Promise<void> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(answer);
      andThen(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`postgres://audit:geheim@127.0.0.1:${(server.address() as { port: number }).port}/audit`);
  } finally {
    server.close();
  }
}

/** A self-signed certificate of `db.example`, valid until 2126. It protects nothing. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfq1DqcPmjHEW1L7x
m4gLEwk5d+Ra3MxSGZme+Kl8KkmhRANCAARizpEHV0uc+Hoz1A8DhL8Z+F4GtBfr
/+jrJ/EwP+VlEqZye3cWpLsM90AnwChQ8TlTYMEYvpOX4l3/hcObzAjK
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUfmk5nkCCgZgHl36E10+BJfqFBSUwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKZGIuZXhhbXBsZTAgFw0yNjExMjIwMjE5MThaGA8yMTI2MTAy
OTAyMTkxOFowFTETMBEGA1UEAwwKZGIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABGLOkQdXS5z4ejPUDwOEvxn4Xga0F+v/6Osn8TA/5WUSpnJ7dxak
uwz3QCfAKFDxOVNgwRi+k5fiXf+Fw5vMCMqjUzBRMB0GA1UdDgQWBBQUi4i9ZFe8
zGnxF0gyf5T4H7FY/TAfBgNVHSMEGDAWgBQUi4i9ZFe8zGnxF0gyf5T4H7FY/TAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCZVCN26YKIcdhIAzhC
rLFhmrGpYWQOGuAUJwHjd78pIAIgP+2dJrUZIhK8CyoH7rWY84FbGoqUJVBipcDR
SQuSBKY=
-----END CERTIFICATE-----
`,
};

describe('a failed start says which setting to change, and how', () => {
  it('when no server answers', async () => {
    expect(await refusal('postgres://audit@127.0.0.1:1/audit')).toBe(
      'DATABASE_URL: No PostgreSQL can be reached at 127.0.0.1:1: ECONNREFUSED.',
    );
    expect(await refusal('postgres://audit@nowhere.invalid/audit')).toMatch(
      /^DATABASE_URL: No PostgreSQL can be reached at nowhere\.invalid:5432: E\w+\.$/,
    );
  });

  it('when the server demands TLS', async () => {
    const text = 'no pg_hba.conf entry for host "10.0.0.7", user "audit", database "audit", no encryption';
    await answering(errorAnswer({ S: 'FATAL', C: '28000', M: text }), async (url) => {
      expect(await refusal(url)).toBe(
        `DATABASE_URL: ${text}. If the server demands TLS, add sslmode=verify-full to the URL, with sslrootcert=FILE for a CA of your own; else pg_hba.conf there needs a line for this login.`,
      );
    });
  });

  it('when a pooler refuses the settings of a connection', async () => {
    const text = 'unsupported startup parameter: options';
    await answering(errorAnswer({ S: 'FATAL', C: '08P01', M: text }), async (url) => {
      expect(await refusal(url)).toMatch(
        /^DATABASE_URL: the settings of a connection do not reach PostgreSQL.* no pooler, such as PgBouncer/,
      );
    });
  });

  it('when the password is wrong, without repeating it', async () => {
    const text = 'password authentication failed for user "audit"';
    await answering(errorAnswer({ S: 'FATAL', C: '28P01', M: text }), async (url) => {
      const said = await refusal(url);
      expect(said).toBe(
        'DATABASE_URL: PostgreSQL does not know the login audit, or its password is another one.',
      );
    });
  });

  it('when the certificate is not trusted', async () => {
    const secure = (socket: Socket) => {
      new TLSSocket(socket, { isServer: true, ...SELF_SIGNED }).on('error', () => {});
    };
    await answering(
      Buffer.from('S'),
      async (url) => {
        const said = await refusal(`${url}?sslmode=verify-full`);
        expect(said).toMatch(
          /^DATABASE_URL: The certificate of 127\.0\.0\.1:\d+ is not trusted: self-signed/,
        );
        expect(said).toContain(
          'sslmode=require checks it as verify-full does: give its CA by sslrootcert=FILE',
        );
      },
      secure,
    );
  });

  it('when sslmode asks for TLS and the server has none', async () => {
    await answering(Buffer.from('N'), async (url) => {
      expect(await refusal(`${url}?sslmode=verify-full`)).toMatch(
        /^DATABASE_URL: sslmode asks for TLS, which the server at 127\.0\.0\.1:\d+ does not offer/,
      );
    });
  });
});

describeOnPostgres('a start on PostgreSQL', () => {
  let place: TestDatabase;
  const as = (login: string) => {
    const url = new URL(place.databaseUrl ?? '');
    url.username = login;
    url.password = name;
    return url.href;
  };
  async function administer(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: SERVER_URL });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
  beforeAll(async () => {
    place = await createEmptyDatabase('postgresql');
    await administer(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  });
  afterAll(async () => {
    await place.drop();
    await administer(`DROP ROLE ${name}`);
  });

  it('says that a login may not make tables, and which right it needs', async () => {
    expect(await refusal(as(name))).toBe(
      `DATABASE_URL: the login ${name} may not make tables in the schema public: make it the owner of the database, or GRANT CREATE, USAGE ON SCHEMA public TO ${name}.`,
    );
    expect(await refusal(as(name), false)).toBeNull();
  });

  it('says that the settings of its connections are lost, as behind a pooler or with options in the URL', async () => {
    expect(await refusal(`${place.databaseUrl}?options=-c%20search_path%3Dpublic`)).toMatch(
      /^DATABASE_URL: the settings of a connection do not reach PostgreSQL.* leave "options" out of the URL/,
    );
  });

  const LATIN = `${name}_latin`;
  const inLatin = () => {
    const url = new URL(place.databaseUrl ?? '');
    url.pathname = `/${LATIN}`;
    return url.href;
  };
  it('says that the database has an encoding which does not hold every character', async () => {
    await administer(
      `CREATE DATABASE ${LATIN} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    try {
      expect(await refusal(inLatin())).toBe(
        "DATABASE_URL: the database has the encoding LATIN1, which does not hold every character: make one with ENCODING 'UTF8' TEMPLATE template0, and restore a dump into that one.",
      );
    } finally {
      await administer(`DROP DATABASE ${LATIN}`);
    }
  });

  it('has times and bytes as they are, whatever forms of them the database is set to', async () => {
    const url = place.databaseUrl ?? '';
    const own = new URL(url).pathname.slice(1);
    const forms = ["datestyle TO 'SQL, DMY'", "timezone TO 'Australia/Lord_Howe'", 'bytea_output TO escape'];
    await administer(...forms.map((form) => `ALTER DATABASE ${own} SET ${form}`));
    // With a login for each, since nothing has made the service's role on a server of its own.
    const database = await openDatabase({ databaseUrl: url, migrationDatabaseUrl: url, dataDir: '' });
    try {
      const { owner, service, migrator } = database;
      const text = `SELECT timestamptz '2026-04-05 01:30:00.25+00' AS at, '\\x00ff'::bytea AS bytes, current_setting('timezone') AS zone`;
      const expected = [{ at: new Date('2026-04-05T01:30:00.250Z'), bytes: Buffer.of(0, 255), zone: 'UTC' }];
      for (const { models } of [owner, migrator]) {
        const rows = await models.$queryRawUnsafe<{ at: Date; bytes: Uint8Array; zone: string }[]>(text);
        expect(rows.map((row) => ({ ...row, bytes: Buffer.from(row.bytes) }))).toEqual(expected);
      }
      expect(await service.run(text, [], [])).toEqual(expected);
    } finally {
      await database.close();
    }
  });

  it('says that the database does not exist', async () => {
    const url = new URL(as(name));
    url.pathname = '/none_such';
    expect(await refusal(url.href)).toMatch(
      /^DATABASE_URL: There is no database none_such on .*: make it, with the login that owns the tables as its owner\.$/,
    );
  });
});
