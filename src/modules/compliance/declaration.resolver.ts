import { createHash } from 'node:crypto';
import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { CallTenants } from '../../caller/call-tenants';
import { DomainError, refusal, refuseIf } from '../../errors';
import { msOfTime } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { problem } from '../../problem';
import type { DeclarationStore } from './declaration.store';
import {
  COMPLIANCE_DECLARATION,
  DECLARATIONS_OF,
  DECLARE,
  declarationProblems,
  declaredOf,
  END_DECLARATION,
  toAnswer,
  UPLOAD_SNAPSHOT,
} from './declarations';
import { readSnapshot } from './snapshot';

/** The clock of a server may be ahead. */
const CLOCK_MS = 5 * 60_000;
const tooMany = () =>
  new DomainError('invalid_parameter', {
    public: `A tenant has at most ${LIMITS.declarationsMax} declarations.`,
  });

const DeclarationType = objectType(COMPLIANCE_DECLARATION);

/** What operators declare about servers for assessments. Those who read assessments may read it. */
@Resolver()
export class DeclarationResolver {
  constructor(
    private readonly declarations: DeclarationStore,
    private readonly tenants: Pick<CallTenants, 'one'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [DeclarationType], { description: 'What is declared about servers, the oldest first.' })
  @Access({ principal: 'public', scope: 'read:compliance', via: 'session', operators: true })
  @Takes(DECLARATIONS_OF)
  async complianceDeclarations({ tenantId, asOf }: ParameterValues<typeof DECLARATIONS_OF>, call: Call) {
    const id = await this.tenants.one(call, tenantId);
    const all = await this.declarations.list(id);
    const at = asOf === undefined ? null : msOfTime(asOf);
    const holds = all.filter(
      ({ validFrom, validUntil }) =>
        at === null || (validFrom.getTime() <= at && (validUntil === null || validUntil.getTime() > at)),
    );
    return holds.map((one) => toAnswer(id, one));
  }

  @Mutation(() => DeclarationType, {
    description: 'Declares something about servers for assessments of compliance.',
  })
  @Access({ principal: 'operator' })
  @Takes(DECLARE)
  async declareCompliance(given: ParameterValues<typeof DECLARE>, call: Call) {
    refuseIf(declarationProblems(given));
    const id = await this.tenants.one(call, given.tenantId);
    const createdAt = new Date(this.nowMs());
    const declaration = {
      ...declaredOf(given),
      serverInstanceName: given.serverInstanceName ?? null,
      reason: given.reason,
      validFrom: given.validFrom === undefined ? createdAt : new Date(msOfTime(given.validFrom)),
      createdBy: call.principal.name,
      createdAt,
    };
    const made = await this.declarations.insert(id, declaration, attemptOf(call));
    if (!made) throw tooMany();
    return toAnswer(id, made);
  }

  @Mutation(() => DeclarationType, {
    description: "Keeps a snapshot of a server's audit specifications, with the hash of its text.",
  })
  @Access({ principal: 'operator' })
  @Takes(UPLOAD_SNAPSHOT)
  async uploadComplianceSnapshot(
    { tenantId, snapshot: text }: ParameterValues<typeof UPLOAD_SNAPSHOT>,
    call: Call,
  ) {
    const id = await this.tenants.one(call, tenantId);
    const read = readSnapshot(text);
    if ('problems' in read) throw refusal(read.problems);
    const createdAt = new Date(this.nowMs());
    const takenAt = new Date(msOfTime(read.takenAt));
    if (takenAt.getTime() > createdAt.getTime() + CLOCK_MS)
      throw refusal([problem('snapshot', 'out_of_range', 'was taken in the future')]);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const declaration = {
      kind: 'snapshot' as const,
      sha256,
      snapshot: read.snapshot,
      serverInstanceName: read.serverInstanceName,
      reason: `sha256:${sha256}`,
      validFrom: takenAt,
      createdBy: call.principal.name,
      createdAt,
    };
    const made = await this.declarations.insert(id, declaration, attemptOf(call), `sha256:${sha256}`);
    if (!made) throw tooMany();
    return toAnswer(id, made);
  }

  @Mutation(() => DeclarationType, {
    description:
      'Ends a declaration, or ends it earlier. Assessments of moments before its end still use it.',
  })
  @Access({ principal: 'operator' })
  @Takes(END_DECLARATION)
  async endComplianceDeclaration(given: ParameterValues<typeof END_DECLARATION>, call: Call) {
    const id = await this.tenants.one(call, given.tenantId);
    const validUntil = new Date(given.validUntil === undefined ? this.nowMs() : msOfTime(given.validUntil));
    const { declarationId } = given;
    const ended = await this.declarations.end(id, { declarationId, validUntil }, attemptOf(call));
    if (ended === 'before')
      refuseIf([problem('validUntil', 'out_of_range', 'is before the declaration begins')]);
    if (ended === 'after')
      refuseIf([
        problem('validUntil', 'out_of_range', 'is after the end that the declaration has: declare it anew'),
      ]);
    if (ended === null || typeof ended === 'string')
      throw new DomainError('not_found', { public: 'There is no such declaration.' });
    return toAnswer(id, ended);
  }
}
