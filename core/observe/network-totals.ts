import { readFile } from 'node:fs/promises'

/** The bytes that a network interface has received and sent since the machine started. */
export type NetworkTotals = { readonly name: string; readonly receivedBytes: number; readonly sentBytes: number }

/** The totals of an interface, and its recent speeds in bytes per second. */
export type NetworkUsage = NetworkTotals & {
  readonly receivedBytesPerSecond: number
  readonly sentBytesPerSecond: number
}

/** The most interfaces that are listed; a machine with many containers has one for each. */
export const MAX_INTERFACES = 256
/**
 * The positions of the totals in a line of `/proc/net/dev`, after the name: the first of eight fields for received, and of
 * eight for sent data.
 */
const RECEIVED_FIELD = 0
const SENT_FIELD = 8

/** Returns the totals of the machine's interfaces; none where there is no `/proc`, as on macOS and Windows. */
export async function readNetworkTotals(): Promise<NetworkTotals[]> {
  const text = await readFile('/proc/net/dev', 'latin1').catch(() => '')
  return parseNetworkTotals(text)
}

/** Parses `/proc/net/dev` (proc_net_dev(5)). Lines without an interface, such as the two of the head, are skipped. */
export function parseNetworkTotals(text: string): NetworkTotals[] {
  const totals: NetworkTotals[] = []
  for (const line of text.split('\n')) {
    const [, name, rest = ''] = /^\s*([^\s|]+):(.*)$/u.exec(line) ?? []
    if (name === undefined || totals.length === MAX_INTERFACES) continue
    const fields = rest.trim().split(/\s+/u).map(Number)
    const [receivedBytes = 0, sentBytes = 0] = [fields[RECEIVED_FIELD], fields[SENT_FIELD]]
    if (Number.isFinite(receivedBytes + sentBytes)) totals.push({ name, receivedBytes, sentBytes })
  }
  return totals
}

/** Returns the totals with their speeds, from those of `elapsedMs` earlier; zero for an interface that is new since then. */
export function networkUsage(
  totals: readonly NetworkTotals[],
  before: readonly NetworkTotals[],
  elapsedMs: number,
): NetworkUsage[] {
  // An interface that was removed and added again begins at zero.
  const speed = (bytes: number) => (elapsedMs > 0 ? Math.max(0, Math.round((bytes * 1000) / elapsedMs)) : 0)
  return totals.map((now) => {
    const then = before.find(({ name }) => name === now.name) ?? now
    return {
      ...now,
      receivedBytesPerSecond: speed(now.receivedBytes - then.receivedBytes),
      sentBytesPerSecond: speed(now.sentBytes - then.sentBytes),
    }
  })
}
