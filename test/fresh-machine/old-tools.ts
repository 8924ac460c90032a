import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The versions of npm that come with Debian 12 and 13 and Ubuntu 24.04, with Node 22, the last before links were made, and today's. */
export const NPM_VERSIONS = ['9.2.0', '10.9.4', '11.0.0', 'latest'] as const
/** The Node of Debian 12, nearly. */
const OLD_NODE = '18.20.8'
/** Packages stay until those of the project are installed anew: unpacking them costs more than most tests. */
const KEPT = path.resolve('node_modules', '.cache', 'old-tools')
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** The folder of the package of Node 18, as older systems have it. */
export function oldNodePackage(): Promise<string> {
  return packageFolder(`node-linux-${process.arch}`, OLD_NODE)
}

/** The program of Node 18. */
export async function oldNode(): Promise<string> {
  return path.join(await oldNodePackage(), 'bin', 'node')
}

/** The script of a version of npm. */
export async function npmScript(version: (typeof NPM_VERSIONS)[number]): Promise<string> {
  const exact = version === 'latest' ? await (latest ??= latestNpm()) : version
  return path.join(await packageFolder('npm', exact), 'bin', 'npm-cli.js')
}

let latest: Promise<string> | undefined

async function latestNpm(): Promise<string> {
  const { stdout } = await run('npm', ['view', 'npm@latest', 'version', '--loglevel=error'])
  return stdout.trim()
}

/** Installs the package from the registry of npm, unless it is there. */
async function packageFolder(name: string, version: string): Promise<string> {
  const folder = path.join(KEPT, `${name}-${version}`)
  if (!existsSync(folder)) await install(name, version, folder)
  return realpath(folder)
}

async function install(name: string, version: string, folder: string): Promise<void> {
  await mkdir(KEPT, { recursive: true })
  const draft = await mkdtemp(`${folder}.`)
  try {
    await run('npm', ['install', '--prefix', draft, ...QUIET, `${name}@${version}`])
    await rename(path.join(draft, 'node_modules', name), folder)
  } catch (error) {
    // Tests in another process may have been quicker.
    if (!existsSync(folder)) throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
