import { setTimeout as delay } from 'node:timers/promises'
import type { Net } from 'sluice/sdk'
import type { GbContext } from '../plugin-context.ts'
import type { SipEndpoint } from '../sip/flow.ts'
import { readMedia } from './media-connection.ts'
import type { MediaHandlers, MediaPort } from './media-port.ts'

/** Tries of a connection to a device, and the pause between them (GB/T 28181-2022 annex L). */
const CONNECT_TRIES = 3
const CONNECT_PAUSE_MS = 1000
/** The most connections to a port of one session: the device's, and strangers' until it is known. */
const MAX_CONNECTIONS = 4

type PortRange = GbContext['config']['mediaport']
type SessionNet = Pick<Net, 'udpPort' | 'tcpPort' | 'dialer'>

/** Opens a port of UDP for one session. @throws {StreamUnavailable} when none is free */
export async function openUdpPort(net: SessionNet, range: PortRange, handlers: MediaHandlers): Promise<MediaPort> {
  const listener = await net.udpPort(range, (packet, { remoteAddress, remotePort }) =>
    handlers.packet(packet, `${remoteAddress}:${remotePort}`),
  )
  return {
    port: listener.address.port,
    setup: undefined,
    answered: () => Promise.resolve(),
    close: () => void listener.close(),
  }
}

/** Opens a port to which the device of one session connects. @throws {StreamUnavailable} when none is free */
export async function openPassivePort(net: SessionNet, range: PortRange, handlers: MediaHandlers): Promise<MediaPort> {
  const connections = new Set<() => void>()
  const listener = await net.tcpPort(range, (socket) => {
    if (connections.size >= MAX_CONNECTIONS) return void socket.on('error', () => {}).destroy()
    const close = readMedia(socket, handlers)
    connections.add(close)
    socket.once('close', () => connections.delete(close))
  })
  return {
    port: listener.addresses[0]?.port ?? 0,
    setup: 'passive',
    answered: () => Promise.resolve(),
    close() {
      void listener.close()
      for (const close of connections) close()
    },
  }
}

/** Connects to the device, once it has told its address. */
export function activePort(net: SessionNet, handlers: MediaHandlers, signal: AbortSignal): MediaPort {
  const stop = new AbortController()
  let close = () => {}
  return {
    // Those who connect name a port all the same (RFC 4145 4.1).
    port: 9,
    setup: 'active',
    async answered(address) {
      const socket = await connect(net, address, AbortSignal.any([signal, stop.signal]))
      close = readMedia(socket, handlers)
      if (stop.signal.aborted) close()
    },
    close() {
      stop.abort()
      close()
    },
  }
}

async function connect(net: SessionNet, { host, port }: SipEndpoint, signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await net.dialer().connect({ host, port, signal })
    } catch (error) {
      if (signal.aborted || tries === CONNECT_TRIES) throw error
      await delay(CONNECT_PAUSE_MS, undefined, { signal })
    }
  }
}
