import { readFile } from 'node:fs/promises';
import { errorText, type LineLog } from '../log';
import { type AgentConfig, parseConfig } from './parse-config';

/** The configuration file, read again whenever its text changes. Its problems are logged once per text. */
export class ConfigFile {
  private text: string | null = null;
  private unreadable: string | null = null;

  constructor(
    readonly path: string,
    private readonly log: LineLog,
  ) {}

  /** @returns the configuration if the file has a new and valid one, else null */
  async loadChanged(): Promise<AgentConfig | null> {
    const text = await this.read();
    if (text === null || text === this.text) return null;
    this.text = text;
    const parsed = parseConfig(text, this.path);
    for (const warning of parsed.warnings) this.log.warn(`${this.path}: ${warning}`);
    if (parsed.kind === 'invalid') {
      for (const problem of parsed.problems) this.log.error(`${this.path}: ${problem}`);
      return null;
    }
    this.log.hide(parsed.config.apiKey.reveal());
    return parsed.config;
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
