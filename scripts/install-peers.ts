/**
 * Installs the missing programs that tests talk to, as root on Debian; elsewhere it prints their names, since their tests are
 * skipped. With CI set, a missing peer is a failure.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { missingPeers, packagesOf, type PeerName } from '../test/peers/peers.ts'

/** The time for which apt waits for another apt, as of a second test run on the machine. */
const LOCK_TIMEOUT_S = 900
/** The largest output of apt. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version')
}

/** Runs apt. Its long output is shown only when it fails. */
function apt(...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stdout, stderr } = spawnSync(
    'apt-get',
    ['-qq', '-o', `DPkg::Lock::Timeout=${LOCK_TIMEOUT_S}`, ...args],
    {
      encoding: 'utf8',
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    },
  )
  if (status !== 0) console.error(stdout + stderr)
  return status === 0
}

function install(peers: readonly PeerName[]): void {
  const packages = packagesOf(peers)
  console.log(`installing ${packages.join(' ')}: this takes a few minutes`)
  if (!apt('update')) console.error('apt-get update failed; trying with the package lists there are')
  apt('install', '-y', '--no-install-recommends', ...packages)
}

let missing = missingPeers()
if (missing.length > 0 && canInstall()) {
  install(missing)
  missing = missingPeers()
}
if (missing.length > 0) {
  console.error(`not installed: ${missing.join(', ')} (Debian: apt-get install ${packagesOf(missing).join(' ')})`)
  if (process.env['CI']) process.exitCode = 1
  else console.error('tests that need them will be skipped')
}
