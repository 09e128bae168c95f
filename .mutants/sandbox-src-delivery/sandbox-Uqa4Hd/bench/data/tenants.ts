import { Random, Weighted } from './random';
import { Statements } from './statements';

export const TENANTS = 20;
const BUSIEST_SHARE = 0.25;
const DATABASES = 20;
const PRINCIPALS = 200;

/** A login with the values that always come with it. */
interface Login {
  readonly name: string;
  readonly database: number;
  /** The fields of the event, as JSON. */
  readonly json: string;
}

/** The values that all events of a tenant share, made only from the tenant's number. */
export interface TenantProfile {
  readonly index: number;
  readonly databases: readonly string[];
  readonly databaseFrequency: Weighted;
  readonly logins: readonly Login[];
  readonly loginFrequency: Weighted;
  readonly statements: Statements;
}

/** The number of events of each tenant, of `rows` in all, the busiest tenant first. */
export function sharesOf(rows: number): number[] {
  const weights = Array.from({ length: TENANTS - 1 }, (_, k) => 1 / (k + 1) ** 0.8);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const others = weights.map((weight) => Math.floor((rows * (1 - BUSIEST_SHARE) * weight) / total));
  return [rows - others.reduce((sum, n) => sum + n, 0), ...others];
}

export function tenantProfile(index: number): TenantProfile {
  const random = new Random(77, index);
  const databases = Array.from(
    { length: DATABASES },
    (_, n) => `${DATABASE_NAMES[n]}${index % 3 === 0 ? '' : `_${index}`}`,
  );
  return {
    index,
    databases,
    databaseFrequency: Weighted.skewed(DATABASES, 1),
    logins: Array.from({ length: PRINCIPALS }, (_, n) => loginOf(random, index, n)),
    loginFrequency: Weighted.skewed(PRINCIPALS, 1.05),
    statements: new Statements(random),
  };
}

const DATABASE_NAMES =
  'Sales Payroll Finance Warehouse Crm Billing Portal Reporting HumanResources Tickets Logistics Archive Catalog Identity Messaging Planning Quality Staging Training master'.split(
    ' ',
  );

function loginOf(random: Random, tenant: number, n: number): Login {
  // The busiest logins are services; people come after them.
  const isService = n < 12 || n % 9 === 0;
  const name = isService
    ? `svc_${DATABASE_NAMES[n % DATABASES]?.toLowerCase()}_${n}`
    : `CORP${tenant}\\user${n}`;
  const fields = {
    serverPrincipalName: name,
    databasePrincipalName: isService ? name : 'dbo',
    applicationName: isService ? '.Net SqlClient Data Provider' : 'Microsoft SQL Server Management Studio',
    hostName: `${isService ? 'APP' : 'WKS'}-${tenant}-${n % 40}`,
    clientIp: `10.${tenant}.${random.below(16)}.${random.below(250) + 1}`,
  };
  return { name, database: random.below(DATABASES), json: JSON.stringify(fields).slice(1, -1) };
}
