import type { Context } from 'mocha'
import { missingPeers, type PeerName } from './peers.ts'

let missing: PeerName[] | undefined

/**
 * Skips the test or, in a `before`, the suite when a peer is not installed, and says so.
 * @throws {Error} in CI, where every peer must be there
 */
export function requirePeer(context: Context, name: PeerName): void {
  missing ??= missingPeers()
  if (!missing.includes(name)) return
  if (process.env['CI']) throw new Error(`${name} is not installed`)
  process.stdout.write(`  ${name} is not installed; skipping ${context.test?.fullTitle() ?? ''}\n`)
  context.skip()
}
