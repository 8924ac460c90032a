import { chown, mkdir, stat } from 'node:fs/promises'
import { CommandError } from '../command-error.ts'
import type { Machine } from './machine.ts'
import { SERVICE_USER } from './unit-text.ts'

/** The numbers of the user and its group. */
export type ServiceUser = { readonly uid: number; readonly gid: number }

/**
 * Finds the user that the service runs as; systemd creates the user when there is none.
 * @throws {CommandError} when that fails
 */
export function serviceUser(machine: Machine): ServiceUser {
  const known = lookUp(machine)
  if (known !== undefined) return known
  const line = `u ${SERVICE_USER} - "Sluice media server" /var/lib/sluice`
  const { stderr } = machine.run('systemd-sysusers', ['--inline', line])
  const made = lookUp(machine)
  if (made !== undefined) return made
  const advice = `make it by hand: useradd --system --user-group --no-create-home ${SERVICE_USER}`
  throw new CommandError(`the user ${SERVICE_USER} could not be made (${stderr.trim()}); ${advice}`)
}

/**
 * Creates a folder of the user when it is missing.
 * @returns advice when the folder is another user's; undefined otherwise
 */
export async function provideFolder(folder: string, { uid, gid }: ServiceUser): Promise<string | undefined> {
  const made = await mkdir(folder, { recursive: true, mode: 0o755 })
  if (made !== undefined) await chown(folder, uid, gid)
  const owner = (await stat(folder)).uid
  return owner === uid ? undefined : `${folder} is another user's: chown -R ${SERVICE_USER}: '${folder}'`
}

function lookUp(machine: Machine): ServiceUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => machine.run('id', [option, SERVICE_USER]))
  if (uid?.isDone !== true || gid?.isDone !== true) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}
