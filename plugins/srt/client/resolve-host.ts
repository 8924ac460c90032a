import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { untilAborted, type Dialer } from 'sluice/sdk'
import { networkReason, SourceError } from 'sluice/sdk/http'

/** The most addresses of a name that are tried, one after the other. */
const MAX_ADDRESSES = 4

/**
 * Returns the addresses of a host that datagrams may go to.
 * @throws {SourceError} when it has none; {@link Dialer.checkAddress}'s error when all are denied; any error when the signal aborts
 */
export async function resolveHost(host: string, dial: Dialer, signal: AbortSignal): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await lookUp(host, signal) : [host]
  let denial: unknown
  const allowed = addresses.filter((address) => {
    try {
      dial.checkAddress(address)
      return true
    } catch (error) {
      denial = error
      return false
    }
  })
  if (allowed.length === 0) throw denial
  return allowed.slice(0, MAX_ADDRESSES)
}

async function lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted()
  try {
    const found = await Promise.race([lookup(host, { all: true }), untilAborted(signal)])
    return found.map(({ address }) => address)
  } catch (error) {
    if (signal.aborted) throw error
    throw new SourceError(`can't find ${host}: ${networkReason(error)}`, { cause: error })
  }
}
