import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorText } from '../log';
import { type CheckResult, note, problem } from './check-result';

const execute = promisify(execFile);

/**
 * Switches this process to the user that the service runs as, for good. Root may read files that this user may not, so a
 * check as root would miss them.
 * @param user null: unknown
 */
export async function becomeServiceUser(user: string | null, configPath: string): Promise<CheckResult[]> {
  const own = process.getuid?.();
  if (own === undefined || (user === null && own !== 0)) return [];
  if (user === null) {
    return [
      note('the checks run as root, who may read every file: --user NAME runs them as the user of the agent'),
    ];
  }
  try {
    const uid = await idOf('-u', user);
    if (own === uid) return [];
    if (own !== 0) return [note(`the service runs as ${user}, and only root can run the checks as ${user}`)];
    const [gid, groups] = [await idOf('-g', user), await idsOf('-G', user)];
    process.setgroups?.(groups);
    process.setgid?.(gid);
    process.setuid?.(uid);
  } catch (error) {
    return [problem(`the checks could not run as the user ${user}: ${errorText(error).trim()}`)];
  }
  const said = note(`the following checks run as ${user}, the user of the service`);
  const reason = await access(configPath, constants.R_OK).then(() => null, errorText);
  return reason === null ? [said] : [said, problem(`${configPath}: ${user} cannot read it: ${reason}`)];
}

/** The ids that `id` prints for a user. */
async function idsOf(option: string, user: string): Promise<number[]> {
  const { stdout } = await execute('id', [option, '--', user]);
  return stdout.trim().split(' ').map(Number);
}

async function idOf(option: string, user: string): Promise<number> {
  const [id] = await idsOf(option, user);
  if (id === undefined) throw new Error(`id ${option} says nothing`);
  return id;
}
