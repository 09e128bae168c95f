import { SCOPE_NAMES } from '../../src/caller/scopes';
import { ERRORS } from '../../src/errors';
import { HEALTH_STATUS } from '../../src/http/health';
import { API_BASE_PATH, API_VERSION } from '../../src/version';
import { sourcesOf } from '../support/imports';
import { describeLiteral, literalsOf, not, outside } from '../support/literals';

const FACADE = sourcesOf('rest-facade').flatMap(literalsOf);
const SERVER = [...sourcesOf('src').flatMap(literalsOf), ...FACADE];
const CODES = Object.keys(ERRORS);
const STATUSES = [...Object.values(ERRORS).map((error) => error.status), ...Object.values(HEALTH_STATUS)].map(
  String,
);

describe('each fact has one home', () => {
  it('error codes: src/errors.ts; other files only throw or compare them, checked by the type ErrorCode', () => {
    const copies = SERVER.filter(({ kind, value }) => kind !== 'number' && CODES.includes(value))
      .filter(outside('src/errors.ts'))
      .filter(
        not(
          { file: '', context: /^new DomainError\(/, reason: 'the use of a code' },
          {
            file: '',
            context: /^new CommandError\(/,
            reason: 'what the command line finds itself, by the same code',
          },
          { file: '', context: /^ERRORS\.\w+$/, reason: 'its status' },
          { file: 'src/http/refusal.ts', context: /=== 'internal_error'$/, reason: 'what is logged; typed' },
          {
            file: 'rest-facade/openapi.ts',
            context:
              /^\[ '\w+', |^\[\.\.\.ROUTE_ERRORS, |^(rate_limited|service_unavailable|method_not_allowed|upgrade_required): |\['not_found'\]/,
            reason: 'which codes a route can have; typed',
          },
          {
            file: 'src/graphql/server.ts',
            context: /^code: 'invalid_parameter'$|=== 'internal_error'$/,
            reason: "GraphQL's own errors",
          },
          {
            file: 'src/assistants/',
            context: /code [=!]== '\w+'$/,
            reason: 'said in the form of the protocol; typed',
          },
          {
            file: 'src/cli/service-client.ts',
            context: /code === 'unauthorized'$/,
            reason: 'said in words of the command line; typed',
          },
          {
            file: 'src/cli/verify-client.ts',
            context: /^CHANGED: ErrorCode = /,
            reason: 'what an answer says of changed hashes; typed',
          },
        ),
      );
    expect(copies.map(describeLiteral)).toEqual([]);
  });

  it('HTTP statuses: src/errors.ts and src/http/health.ts', () => {
    const copies = SERVER.filter(({ kind, value }) => kind === 'number' && STATUSES.includes(value))
      .filter(({ file }) => !['src/errors.ts', 'src/http/health.ts'].includes(file))
      .filter(
        not(
          { file: '', context: /(status|\.status) (>=|<) 500$/, reason: 'whose fault an error is' },
          { file: 'rest-facade/openapi.ts', context: /^200: \{/, reason: 'the answer of every route' },
          {
            file: 'src/event/fields.ts',
            context: /^charsMax: 200$/,
            reason: 'the length of a preview',
          },
          {
            file: 'src/limits.ts',
            context: /^destinationBatchEvents: 500$/,
            reason: 'events of a batch',
          },
          { file: 'src/assistants/router.ts', context: /^ANSWERED = 200$/, reason: 'errors of the protocol' },
          { file: 'src/delivery/http-outcome.ts', context: /./, reason: 'what receivers answer' },
          {
            file: 'src/store/log/evidence/witness-protocol.ts',
            context: /./,
            reason: 'what witnesses answer',
          },
          {
            file: 'src/modules/destinations/senders/elasticsearch.ts',
            context: /^THERE_ALREADY = 409$/,
            reason: 'what a receiver answers',
          },
          { file: 'src/limits.ts', context: /^nameCharsMax: 200$/, reason: 'the length of a name' },
          { file: 'src/config.ts', context: /\.default\(400\)$/, reason: 'days of the access log' },
          {
            file: 'src/event/source-report.ts',
            context: /^fileName: 500$/,
            reason: 'the length of a name',
          },
          {
            file: 'src/caller/rate-limit/limiter.ts',
            context: /COMMAND_TIMEOUT_MS = 500$/,
            reason: 'milliseconds',
          },
          {
            file: 'src/database/limited.ts',
            context: /databaseStatementMs \+ 200$/,
            reason: 'milliseconds',
          },
        ),
      );
    expect(copies.map(describeLiteral)).toEqual([]);
  });

  it('scopes: src/caller/scopes.ts; a root field names the scope it needs, checked by the type Scope', () => {
    const copies = SERVER.filter(
      ({ kind, value }) => kind === 'text' && SCOPE_NAMES.some((s) => value.includes(s)),
    )
      .filter(outside('src/caller/scopes.ts'))
      .filter(
        not(
          { file: 'src/modules/', context: /^scope: '(read|work):/, reason: 'the access rule' },
          { file: 'src/', context: /unmask/i, reason: 'a word of texts and names too; the scope is typed' },
        ),
      );
    expect(copies.map(describeLiteral)).toEqual([]);
  });

  it('the base path and the version of the API: src/version.ts', () => {
    const copies = SERVER.filter(
      ({ kind, value }) => kind === 'text' && (value.includes(API_BASE_PATH) || value === API_VERSION),
    );
    expect(copies.filter(outside('src/version.ts')).map(describeLiteral)).toEqual([]);
  });
});

it('the check finds copies of statuses, codes and limits', () => {
  const found = literalsOf({
    file: 'rest-facade/bad.ts',
    text: 'response.status(404).json({ code: `not_found`, n: 20 });',
  });
  expect(found.map(({ kind, value }) => [kind, value])).toEqual(
    expect.arrayContaining([
      ['number', '404'],
      ['text', 'not_found'],
      ['number', '20'],
    ]),
  );
});

describe('a bridge to a build before', () => {
  it('names the release with which it goes', () => {
    const sources = sourcesOf('src', 'rest-facade', 'agent', 'dashboard/src');
    const bridges = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^ *\/\/[^\n]*\n)+/gm)]
        .map(([comment]) => comment.replace(/\s*(?:\*|\/\/)\s*/g, ' '))
        .filter(
          (comment) =>
            /(?:the (?:release|build) before|a build without)\b/.test(comment) &&
            !/goes? with \d+\.\d+\.\d+/.test(comment),
        )
        .map((comment) => `${file}: ${comment}`),
    );
    expect(bridges).toEqual([]);
  });
});
