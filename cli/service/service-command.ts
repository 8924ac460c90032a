import { chmod, chown, copyFile, mkdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { PACKAGE_ROOT } from '../../core/package-root.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { systemctl, thisMachine, type Machine } from './machine.ts'
import { checkProgram, checkSeen, servicePaths } from './service-paths.ts'
import { provideFolder, serviceUser, type ServiceUser } from './service-user.ts'
import { UnitFile } from './unit-file.ts'
import { isEdited, optionsOf, SERVICE_USER, unitText, type UnitOptions } from './unit-text.ts'

const UNIT = 'sluice.service'
/** The flags of the launcher, which would start another process without them. */
const FLAGS = ['--max-semi-space-size=1']

/** The action of `sluice service …`; `isOwn` is true for a service of the user's own, without root. */
export type ServiceAction =
  | {
      readonly verb: 'install'
      readonly isOwn: boolean
      /** True to only write the unit to standard output. */
      readonly print: boolean
      /** True to replace a unit that was edited. */
      readonly force: boolean
      /** The folder of the recordings; undefined for that of the config, or one in the state directory. */
      readonly recordings: string | undefined
    }
  | { readonly verb: 'show'; readonly isOwn: boolean }
  | { readonly verb: 'remove'; readonly isOwn: boolean; readonly force: boolean }

/** The program that a service runs. */
export type Program = {
  readonly node: string
  readonly script: string
}

/** The id by which `chown` keeps the owner. */
const KEPT = -1

type Install = Extract<ServiceAction, { readonly verb: 'install' }>

/** Runs `sluice service`, and reports a failure by a line and an exit code. */
export async function runServiceCommand(configFile: string | undefined, action: ServiceAction): Promise<void> {
  const script = path.join(PACKAGE_ROOT, 'bin', 'sluice.js')
  const program = { node: process.execPath, script }
  try {
    process.stdout.write(await serviceDone({ configFile, action, program, machine: thisMachine(process.env) }))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`sluice service: ${error.message}\n`)
    process.exitCode = error.exitCode
  }
}

type ServiceCall<Action = ServiceAction> = {
  readonly configFile: string | undefined
  readonly action: Action
  readonly program: Program
  readonly machine: Machine
}

/**
 * Performs the action.
 * @returns the text for the user
 * @throws {CommandError} when the action has failed
 */
export async function serviceDone(call: ServiceCall): Promise<string> {
  const { action, machine } = call
  const unit = new UnitFile(path.join(unitFolder(machine, action.isOwn), UNIT))
  switch (action.verb) {
    case 'install':
      return install({ ...call, action }, unit)
    case 'show': {
      const text = await textOf(unit)
      return `# ${unit.path}${isEdited(text) ? ' (edited)' : ''}\n${text}`
    }
    case 'remove': {
      await textOf(unit)
      checkRights(machine, unit, action.isOwn)
      await unit.check(action.force)
      systemctl(machine, action.isOwn, 'disable', '--now', UNIT)
      const kept = await unit.clear(action.force)
      await rm(unit.path, { force: true })
      systemctl(machine, action.isOwn, 'daemon-reload')
      return `Removed ${unit.path}${keptText(kept)}\nConfig, data and recordings are still there.\n`
    }
  }
}

async function install(
  { configFile, action, program, machine }: ServiceCall<Install>,
  unit: UnitFile,
): Promise<string> {
  const { isOwn, print, force } = action
  const { config: named, recordings } = await optionsFor(configFile, action, unit)
  const config = named ?? defaultConfig(machine, isOwn)
  const paths = await servicePaths(existsSync(config) ? config : undefined, recordings)
  const environment = { NODE_ENV: 'production', ...paths.environment }
  const command = [program.node, ...FLAGS, program.script, '-c', config]
  if ([...command, ...paths.writable].some((word) => /\p{Cc}/u.test(word))) {
    throw new CommandError('a unit takes no path with a line break or another control character')
  }
  const options = { config: named, recordings }
  const text = unitText({ options, command, isOwn, environment, writable: paths.writable })
  if (print) return text

  checkRights(machine, unit, isOwn)
  for (const file of [program.node, program.script]) await checkProgram(file, isOwn, machine.root)
  if (!isOwn) {
    checkSeen('the config', config, machine.root)
    for (const folder of paths.writable) checkSeen('a folder to write to', folder, machine.root)
  }
  const user = isOwn ? undefined : serviceUser(machine)
  const { isNew, kept } = await unit.write(text, force)
  const remarks = [
    `${isNew ? 'Wrote' : 'Nothing to change in'} ${unit.path}${keptText(kept)}`,
    ...(await provideConfig(config, user)),
    ...(await provideFolders(paths.writable, user)),
  ]
  systemctl(machine, isOwn, 'daemon-reload')
  const own = isOwn ? '--user ' : ''
  return `${remarks.join('\n')}
Start it, now and ${isOwn ? 'when you log in' : 'with the machine'}:  systemctl ${own}enable --now sluice
Have one that runs begin anew:   systemctl ${own}restart sluice
See what it says:                journalctl ${own}-u sluice -f -o cat
`
}

/**
 * Returns the options of the command, or those of the installed unit where the command has none.
 * @throws {CommandError} there is no such config, or the folder is no absolute path
 */
async function optionsFor(
  configFile: string | undefined,
  { print, recordings }: Pick<Install, 'print' | 'recordings'>,
  unit: UnitFile,
): Promise<UnitOptions> {
  const before = print ? {} : optionsOf((await unit.read()) ?? '')
  const config = configFile === undefined ? before.config : path.resolve(configFile)
  if (config !== undefined && !existsSync(config)) throw new CommandError(`there is no ${config}`)
  // An empty folder removes the former option.
  const folder = recordings === '' ? undefined : (recordings ?? before.recordings)
  if (folder !== undefined && !path.isAbsolute(folder)) {
    throw new UsageError(`--recordings takes a path from the root, as /srv/recordings, and not "${folder}"`)
  }
  return { config, recordings: folder }
}

/** Copies the shipped config when there is none, for the administrator to change and the service to read. */
async function provideConfig(config: string, user: ServiceUser | undefined): Promise<readonly string[]> {
  if (existsSync(config)) return []
  await mkdir(path.dirname(config), { recursive: true })
  await copyFile(path.join(PACKAGE_ROOT, 'config', 'config.yaml'), config)
  // The config may contain passwords later.
  await chmod(config, user === undefined ? 0o600 : 0o640)
  if (user !== undefined) await chown(config, KEPT, user.gid)
  return [`Wrote ${config}, which is yours to change`]
}

async function provideFolders(folders: readonly string[], user: ServiceUser | undefined): Promise<readonly string[]> {
  const remarks: string[] = []
  for (const folder of folders) {
    if (user === undefined) await mkdir(folder, { recursive: true })
    else remarks.push(...[await provideFolder(folder, user)].filter((remark) => remark !== undefined))
  }
  return remarks
}

/** @throws {CommandError} there is no systemd, or the user may not write the unit */
function checkRights({ isBooted, isRoot }: Machine, unit: UnitFile, isOwn: boolean): void {
  if (!isBooted) {
    throw new CommandError(
      'systemd does not run this machine; "sluice service install --print" writes the unit for another one',
    )
  }
  if (isOwn || isRoot) return
  throw new CommandError(`only root writes ${unit.path}: use sudo, or --user for a service of your own`)
}

/** Returns the text of a unit. @throws {CommandError} there is no unit */
async function textOf(unit: UnitFile): Promise<string> {
  const text = await unit.read()
  if (text === undefined) throw new CommandError(`there is no ${unit.path}; "sluice service install" writes it`)
  return text
}

function unitFolder({ root, configHome }: Machine, isOwn: boolean): string {
  return isOwn ? path.join(configHome, 'systemd', 'user') : path.join(root, 'etc', 'systemd', 'system')
}

function defaultConfig({ root, configHome }: Machine, isOwn: boolean): string {
  return path.join(isOwn ? configHome : path.join(root, 'etc'), SERVICE_USER, 'config.yaml')
}

function keptText(kept: string | undefined): string {
  return kept === undefined ? '' : `; the one that was edited is ${kept}`
}
