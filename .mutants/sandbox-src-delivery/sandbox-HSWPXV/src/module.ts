import type { Task } from './background';
import type { DeclareMetrics } from './observe/open-metrics';

/** The parts that a module brings to the service. */
export interface Module {
  /** Instances of its GraphQL resolvers. */
  readonly resolvers?: readonly object[];
  readonly tasks?: readonly Task[];
  readonly metrics?: DeclareMetrics;
  /** Parts whose failure degrades the service and does not stop it, see `healthCheck`. */
  readonly health?: readonly { readonly healthy: boolean }[];
  /** Ends what the module's tasks have begun. Called after the tasks have stopped and before the database is closed. */
  readonly stop?: () => Promise<void>;
}
