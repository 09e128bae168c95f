import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { REPORT_CHOICE, REPORT_PAGE, REPORT_RUN } from './answers';
import { REPORT_FORMAT_NAMES } from './files';
import { REPORTS_PARAMETERS, RUN_PARAMETERS } from './parameters';
import { REPORT_RULE } from './report-rule';
import type { Reports } from './reports';

const ReportPage = objectType(REPORT_PAGE);
const ChoiceType = objectType(REPORT_CHOICE);
const RunType = objectType(REPORT_RUN);

@Resolver()
export class ReportResolver {
  constructor(private readonly all: Reports) {}

  @Query(() => ReportPage, { description: 'The catalogue of reports, each with its newest runs.' })
  @Access(REPORT_RULE)
  @Takes(REPORTS_PARAMETERS)
  async reports({ page, pageSize }: ParameterValues<typeof REPORTS_PARAMETERS>, context: Call) {
    const items = await this.all.catalogue(tenantSetOf(context));
    return {
      items: items.slice((page - 1) * pageSize, page * pageSize),
      totalCount: items.length,
      page,
      pageSize,
    };
  }

  @Query(() => [ChoiceType], { description: 'The catalogue of reports, from which a schedule is made.' })
  @Access({ principal: 'public', scope: 'read:reports', via: 'session', operators: true })
  reportChoices() {
    return this.all.choices().map((choice) => ({ ...choice, formats: REPORT_FORMAT_NAMES }));
  }

  @Query(() => RunType, { nullable: true, description: 'A run of a report; null when there is no such run.' })
  @Access(REPORT_RULE)
  @Takes(RUN_PARAMETERS)
  reportRun({ runId }: ParameterValues<typeof RUN_PARAMETERS>, context: Call) {
    return this.all.run(tenantSetOf(context), runId);
  }
}
