import {
  compareVersions,
  PACKAGE_CHARS_MAX,
  type PackageState,
  type ReportedPackage,
} from '../../src/event/agent-package';
import type { Clock } from '../clock';
import type { AgentConfig } from '../config/parse-config';
import { errorText, type Log } from '../log';
import type { AgentTimes } from '../times';
import { AGENT_BUILD, AGENT_VERSION } from '../version';
import { downloadParts } from './download';
import type { Launcher } from './launcher-port';
import { isSigned, type Offer } from './offer';
import { PackageFolder } from './package-folder';
import { isInWindow } from './window';

interface OfferedOptions {
  readonly dataDir: string;
  /** Null: none has started this agent, so nothing can be installed. */
  readonly launcher: Launcher | null;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
}

interface Told {
  readonly state: PackageState;
  readonly reason: string | null;
}

/**
 * The package that the service offers: it is checked, fetched, and given to the launcher in its window. The answer to a
 * report brings it, so an agent whom the service does not answer begins with none.
 */
export class OfferedPackage {
  private offer: Offer | null = null;
  private told: Told | null = null;
  private retryAtMs = 0;
  /** Whether its file was seen to be here and whole. The launcher looks at it again. */
  private isHere = false;
  private isTrial: boolean;
  /** Of files that are not what was signed. */
  private readonly spoiled = new Set<string>();
  private readonly folder: PackageFolder;

  constructor(private readonly options: OfferedOptions) {
    const { dataDir, launcher } = options;
    this.folder = new PackageFolder(dataDir);
    this.isTrial = launcher?.running?.isTrial ?? false;
    launcher?.onProved(() => {
      this.isTrial = false;
      this.tell('INSTALLED');
    });
  }

  /** @param offer null: none; undefined: the service does not say */
  wants(offer: Offer | null | undefined): void {
    if (offer === undefined || JSON.stringify(offer) === JSON.stringify(this.offer)) return;
    this.offer = offer;
    this.told = null;
    this.isHere = false;
    this.retryAtMs = 0;
  }

  /** The service has acknowledged what this agent sent. */
  acknowledged(): void {
    this.options.launcher?.acknowledged();
  }

  /** For a report; null: no package is offered. */
  reported(): ReportedPackage | null {
    if (this.offer === null) return null;
    const { sha256, version } = this.offer;
    const { state, reason } = this.told ?? { state: 'OFFERED', reason: null };
    return { sha256, version, state, reason: reason?.slice(0, PACKAGE_CHARS_MAX.reason) ?? null };
  }

  /** Looks after the package that is offered, until it is stopped. */
  async follow(config: AgentConfig, stop: AbortSignal): Promise<void> {
    const { clock, times } = this.options;
    while (!stop.aborted) {
      const { offer } = this;
      if (offer !== null) await this.look(offer, config, stop);
      await clock.wait(times.packagePollMs, stop);
    }
  }

  private async look(offer: Offer, config: AgentConfig, stop: AbortSignal): Promise<void> {
    const { clock, launcher } = this.options;
    const end = this.endOf(offer, config);
    if (end !== null) return this.tell(end.state, end.reason, offer);
    if (clock.elapsed() < this.retryAtMs) return;
    const isHere = this.isHere || (await this.folder.has(offer)) || (await this.fetch(offer, config, stop));
    if (offer !== this.offer || !isHere) return;
    this.isHere = true;
    const window = config.updates.window ?? offer.window;
    if (!isInWindow(window, clock.now())) return this.tell('WAITING', `its window is ${window}`, offer);
    this.tell('DOWNLOADED', null, offer);
    launcher?.install(offer);
  }

  /** What there is to say of a package that this agent does not fetch; null: it does. */
  private endOf(offer: Offer, { updates }: AgentConfig): Told | null {
    const refused = (reason: string): Told => ({ state: 'REFUSED', reason });
    const { launcher } = this.options;
    if (updates.publicKey === null) return refused("the agent's file has no Updates.PublicKey");
    if (!isSigned(offer, updates.publicKey))
      return refused('it is not signed by the key of Updates.PublicKey');
    if (launcher?.running?.sha256 === offer.sha256)
      return { state: this.isTrial ? 'TRIAL' : 'INSTALLED', reason: null };
    const ended = launcher?.ended.find(({ sha256 }) => sha256 === offer.sha256);
    if (ended) return { state: 'TAKEN_BACK', reason: ended.reason };
    const own = { version: AGENT_VERSION, build: AGENT_BUILD };
    const isOwn = offer.version === own.version && offer.build === own.build;
    if (isOwn) return { state: 'INSTALLED', reason: null };
    if (compareVersions(offer, own) < 0 && !offer.allowsOlder)
      return refused(`${own.version} runs, which is newer`);
    if (this.spoiled.has(offer.sha256)) return refused('its file is not what was signed');
    return launcher === null ? refused('the agent has no launcher: start it anew, without --once') : null;
  }

  /** @returns whether the file is there now */
  private async fetch(offer: Offer, config: AgentConfig, stop: AbortSignal): Promise<boolean> {
    const { clock, log, times } = this.options;
    const isGone = () => offer !== this.offer;
    this.tell('OFFERED', null, offer);
    try {
      const parts = downloadParts(config, offer, times.requestTimeoutMs, stop);
      const isWhole = await this.folder.write(offer, unlessGone(parts, isGone));
      if (isGone()) return false;
      if (!isWhole) this.spoiled.add(offer.sha256);
      else log.info(`the agent ${offer.version} is downloaded`);
      return isWhole;
    } catch (error) {
      if (stop.aborted || isGone()) return false;
      this.retryAtMs = clock.elapsed() + times.packageRetryMs;
      this.tell('OFFERED', `it cannot be downloaded: ${errorText(error)}`, offer);
      return false;
    }
  }

  private tell(state: PackageState, reason: string | null = null, offer = this.offer): void {
    if (offer === null || offer !== this.offer) return;
    if (this.told?.state === state && this.told.reason === reason) return;
    this.told = { state, reason };
    const text = `the agent ${offer.version} that the service offers: ${SAID[state]}`;
    if (reason === null) this.options.log.info(text);
    else this.options.log.warn(`${text}: ${reason}`);
  }
}

const SAID: Record<PackageState, string> = {
  OFFERED: 'it is fetched',
  DOWNLOADED: 'it is started',
  WAITING: 'it waits',
  TRIAL: 'it runs on trial',
  INSTALLED: 'it runs',
  TAKEN_BACK: 'it was taken back',
  REFUSED: 'it is refused',
};

/** Ends a download that nobody wants any more. */
async function* unlessGone(
  parts: AsyncIterable<Uint8Array>,
  isGone: () => boolean,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    if (isGone()) return;
    yield part;
  }
}
