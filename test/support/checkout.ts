import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { keep } from '../peers/lifetime.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = [
  '.npmrc',
  'bin',
  'cli',
  'config',
  'core',
  'package-lock.json',
  'package.json',
  'plugins',
  'scripts',
  'sdk',
  'tsconfig.json',
]
/** Folders that the product has no need of. */
const LEFT_OUT = new Set(['test', 'fixtures', 'node_modules'])

/** Parts of a checkout besides its sources. */
type CheckoutInit = {
  /** The packages of this one, unless false. */
  readonly packages?: boolean
  /** The builds of this one. */
  readonly build?: boolean
}

/** Makes a checkout of the project for a test to change. It goes with the test. */
export function copyCheckout({ packages = true, build = false }: CheckoutInit = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-checkout-'))
  keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
  copySources(folder)
  if (packages) symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  if (build) cpSync(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true })
  return folder
}

/** Makes a folder in which the package is installed, without what only development needs. It goes with the test. */
export function installPackage(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-installed-'))
  keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const installed = path.join(folder, 'node_modules', 'sluice')
  mkdirSync(installed, { recursive: true })
  copySources(installed)
  cpSync(path.join(ROOT, 'dist'), path.join(installed, 'dist'), { recursive: true })
  rmSync(path.join(installed, 'scripts'), { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'))
  return folder
}

function copySources(folder: string): void {
  const filter = (place: string) => !LEFT_OUT.has(path.basename(place)) && !place.endsWith('.test.ts')
  for (const name of COPIED) {
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true, preserveTimestamps: true, filter })
  }
}
