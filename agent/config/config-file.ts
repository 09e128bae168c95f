import { readFile } from 'node:fs/promises';
import { errorText, type LineLog } from '../log';
import { tellWanted, withSettings } from '../settings/apply-settings';
import type { KeptSettings } from '../settings/kept-settings';
import type { OwnKey } from './own-key';
import { type AgentConfig, parseConfig, secretsOf, withOwnKey } from './parse-config';

/** The configuration file, read again whenever its text changes. Its problems are logged once per text. */
export class ConfigFile {
  private text: string | null = null;
  private keyText: string | null = null;
  private settingsText: string | null = null;
  private unreadable: string | null = null;

  constructor(
    readonly path: string,
    private readonly log: LineLog,
    private readonly ownKey: OwnKey,
    private readonly kept: KeptSettings,
  ) {}

  /**
   * @returns the configuration if the file has a new and valid one, the agent renewed its key, or the service wants other
   * settings; else null
   */
  async loadChanged(): Promise<AgentConfig | null> {
    const text = await this.read();
    if (text === null) return null;
    const keyText = await this.ownKey.text().catch(() => this.keyText);
    const settingsText = await this.kept.text().catch(() => this.settingsText);
    if (text === this.text && keyText === this.keyText && settingsText === this.settingsText) return null;
    this.text = text;
    this.settingsText = settingsText;
    this.keyText = keyText;
    const parsed = parseConfig(text, this.path);
    for (const warning of parsed.warnings) this.log.warn(`${this.path}: ${warning}`);
    if (parsed.kind === 'invalid') {
      for (const problem of parsed.problems) this.log.error(`${this.path}: ${problem}`);
      return null;
    }
    const config = withSettings(withOwnKey(parsed.config, keyText), settingsText);
    for (const secret of secretsOf(config)) this.log.hide(secret.reveal());
    tellWanted(config, this.log);
    this.log.least = config.logLevel;
    return config;
  }

  private async read(): Promise<string | null> {
    try {
      const text = await readFile(this.path, 'utf8');
      this.unreadable = null;
      return text;
    } catch (error) {
      const reason = errorText(error);
      if (reason !== this.unreadable) this.log.error(`${this.path}: cannot be read: ${reason}`);
      this.unreadable = reason;
      return null;
    }
  }
}
