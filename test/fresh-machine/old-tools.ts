import { execFile } from 'node:child_process'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The versions of npm that come with Debian 12 and 13 and Ubuntu 24.04, with Node 22, the last before links were made, and today's. */
export const NPM_VERSIONS = ['9.2.0', '10.9.4', '11.0.0', 'latest'] as const
/** The Node of Debian 12, nearly. */
const OLD_NODE = '18.20.8'

/** Programs as older systems have them, in a folder of their own. */
export type OldTools = {
  readonly folder: string
  /** Node 18. */
  readonly node: string
  /** The script of a version of npm. */
  readonly npm: (version: (typeof NPM_VERSIONS)[number]) => string
}

let installed: Promise<OldTools> | undefined

/** Installs them from the registry of npm, once a process. They stay for the system to clear away. */
export function oldTools(): Promise<OldTools> {
  installed ??= install()
  return installed
}

async function install(): Promise<OldTools> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-old-tools-')))
  const npms = NPM_VERSIONS.map((version) => `${aliasOf(version)}@npm:npm@${version}`)
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', [...args, `old-node@npm:node-linux-${process.arch}@${OLD_NODE}`, ...npms])
  const modules = path.join(folder, 'node_modules')
  return {
    folder,
    node: path.join(modules, 'old-node', 'bin', 'node'),
    npm: (version) => path.join(modules, aliasOf(version), 'bin', 'npm-cli.js'),
  }
}

function aliasOf(version: string): string {
  return `npm-${version.replaceAll('.', '-')}`
}
