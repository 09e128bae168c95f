import type { Task } from './background';
import type { DeclareMetrics } from './observe/open-metrics';

/** What a module brings to the service that composes it. */
export interface Module {
  /** Instances of its GraphQL resolvers. */
  readonly resolvers?: readonly object[];
  readonly tasks?: readonly Task[];
  readonly metrics?: DeclareMetrics;
  /** Parts without which the service answers, at a price: see `healthCheck`. */
  readonly health?: readonly { readonly healthy: boolean }[];
  /** Ends what its tasks have begun; after them, before the database is closed. */
  readonly stop?: () => Promise<void>;
}
