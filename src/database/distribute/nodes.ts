import type { Logger } from 'pino';
import type { OwnerDoor } from '../clients';

/**
 * Checks whether the nodes of a distributed database can be reached. While a node is away, tenants on the other nodes
 * are served as usual, and operators must learn of it all the same.
 */
export class Nodes {
  #away: readonly string[] = [];

  constructor(
    private readonly owner: OwnerDoor,
    private readonly log: Logger,
  ) {}

  get healthy(): boolean {
    return this.#away.length === 0;
  }

  async look(): Promise<void> {
    const nodes = await this.owner.models.$queryRaw<{ node: string; there: boolean }[]>`
      SELECT nodename || ':' || nodeport AS node, coalesce(citus_check_connection_to_node(nodename, nodeport), false) AS there
      FROM pg_dist_node WHERE isactive AND noderole = 'primary' ORDER BY 1`;
    const away = nodes.filter(({ there }) => !there).map(({ node }) => node);
    if (away.join() === this.#away.join()) return;
    this.#away = away;
    if (away.length > 0) this.log.error({ away }, 'nodes of the distributed database do not answer');
    else this.log.info('all nodes of the distributed database can be reached again');
  }
}
