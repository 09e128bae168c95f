import { ChildService } from '../../support/child-service';
import { createTestDatabase, type TestDatabase } from '../../support/engines';
import { freePort } from '../../support/free-port';

/** A service at a fixed address that is killed and started again on the same database. */
export class ServiceHost {
  private starting: Promise<ChildService>;
  kills = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly port: number,
  ) {
    this.starting = this.start();
  }

  static async open(): Promise<ServiceHost> {
    const host = new ServiceHost(await createTestDatabase('postgresql'), await freePort());
    await host.starting;
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    await (await this.starting).stop('SIGKILL');
    await this.database.drop();
  }

  /** Kills the service unless it is already down. The service is starting again when this resolves. */
  async kill(): Promise<void> {
    const { starting } = this;
    const service = await starting;
    if (this.starting !== starting) return;
    this.kills++;
    this.starting = service.stop('SIGKILL').then(() => this.start());
  }

  /** The result of calls to the service. They are repeated if the service was killed meanwhile. */
  async ask<T>(calls: (service: ChildService) => Promise<T>): Promise<T> {
    for (;;) {
      const { starting } = this;
      try {
        return await calls(await starting);
      } catch (error) {
        if (this.starting === starting) throw error;
      }
    }
  }

  private start(): Promise<ChildService> {
    return ChildService.start({
      DATABASE_URL: this.database.databaseUrl ?? '',
      DATA_DIR: this.database.dataDir,
      PORT: String(this.port),
      RATE_LIMIT_PER_MINUTE: '100000',
    });
  }
}
