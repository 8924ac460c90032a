import {
  SluiceError,
  untilAborted,
  type PullRequest,
  type PortRange,
  type SessionClient,
  type UdpListener,
} from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import { MalformedError } from 'sluice/sdk/media'
import { closeKeys } from '../admission.ts'
import type { Connections } from '../connections.ts'
import { nowUs } from '../now.ts'
import type { SrtContext } from '../plugin-context.ts'
import { Connection, type ConnectionEnd } from '../wire/connection.ts'
import { offerKeys } from '../wire/crypto/connection-keys.ts'
import {
  CONTROL_TYPE,
  destinationOf,
  HEADER_BYTES,
  isControl,
  readControlHeader,
} from '../wire/packet/packet-header.ts'
import { Opening, Unreachable, type Opened } from './opening.ts'
import { resolveHost } from './resolve-host.ts'
import { parseTargetUrl, type SrtTarget } from './target-url.ts'

/** The local ports of connections to other servers (RFC 6335 6). */
const DYNAMIC_PORTS: PortRange = { first: 49_152, last: 65_535 }
/** The most payloads that are kept before `receive` is called: some seconds of a good picture. */
const MAX_EARLY_PAYLOADS = 4096

export type LinkInit = {
  readonly ctx: Pick<SrtContext, 'config' | 'net'>
  readonly connections: Connections
  readonly request: Pick<PullRequest, 'url' | 'dial' | 'step'>
  /** True to keep the payloads that the peer sends; else they are dropped. */
  readonly receives: boolean
  /** Aborts the opening; it has no effect on a link that is open. */
  readonly signal: AbortSignal
}

type Receive = (payload: Buffer, missing: number) => void

/** A connection to another server, which this end has called or met in a rendezvous. */
export class Link {
  readonly connection: Connection
  readonly opened: Opened
  readonly mode: SrtTarget['mode']
  readonly peer: Pick<SessionClient, 'ip' | 'port'>
  readonly #port: UdpListener
  readonly #arrived = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<string>()
  #early: Parameters<Receive>[] = []
  #receive: Receive | undefined
  #alive: (() => void) | undefined
  readonly #stopTicks: () => void

  /**
   * Opens the first address of a target that answers.
   * @throws {SourceError} with the reason, which contains no secret; {@link StreamUnavailable} when no port is free; any error when the
   * signal aborts
   */
  static async open(init: LinkInit): Promise<Link> {
    const { ctx, request, signal } = init
    const { dial } = request
    const target = targetOf(request.url)
    if (dial.proxied) {
      throw new SourceError('a proxy leads TCP on, and SRT goes by UDP: use no proxy, or another protocol')
    }
    request.step('connect')
    const addresses = await resolveHost(target.host, dial, signal)
    const port = await openPort(ctx, target)
    try {
      return await openFirst(init, target, port, addresses)
    } catch (error) {
      await port.close()
      throw error
    }
  }

  constructor(init: LinkInit, target: SrtTarget, port: UdpListener, { opened, flow, ip }: Reached) {
    const { negotiated, keys } = opened
    const { maxbw } = init.ctx.config
    const maxBytesPerSecond = target.maxBytesPerSecond ?? (maxbw > 0 ? maxbw : undefined)
    this.#port = port
    this.opened = opened
    this.mode = target.mode
    this.peer = { ip, port: target.port }
    this.connection = new Connection({
      negotiated,
      nowUs,
      sink: flow,
      ...(keys && { keys }),
      ...(maxBytesPerSecond !== undefined && { maxBytesPerSecond }),
      ...(init.receives && { received: (payload: Buffer, missing: number) => this.#take(payload, missing) }),
      alive: () => this.#alive?.(),
      closed: (end) => this.#ended(end),
    })
    this.#stopTicks = init.connections.ticker.add(
      () => this.connection.tick(),
      (error) => this.#failed(error),
    )
  }

  /** Resolves when the first payload has come. */
  get arrived(): Promise<void> {
    return this.#arrived.promise
  }

  /** Resolves with the reason when the link has ended. */
  get closed(): Promise<string> {
    return this.#closed.promise
  }

  /** Passes all payloads to `receive`, first those that came before, and calls `alive` from time to time while the peer sends. */
  deliver(receive: Receive, alive: () => void): void {
    this.#receive = receive
    this.#alive = alive
    for (const early of this.#early.splice(0)) receive(...early)
  }

  /** Closes the link when the peer has played everything sent, or the signal aborts. */
  async end(signal: AbortSignal): Promise<void> {
    this.connection.end()
    await Promise.race([this.closed, untilAborted(signal)]).catch(() => undefined)
    await this.close()
  }

  /** Ends the link at both ends. Idempotent. */
  async close(): Promise<void> {
    this.connection.close()
    this.#stopTicks()
    // Datagrams that were sent in this turn leave at its end, the shutdown among them.
    await new Promise((resolve) => void setImmediate(resolve))
    await this.#port.close()
  }

  #take(payload: Buffer, missing: number): void {
    this.#arrived.resolve()
    if (this.#receive !== undefined) this.#receive(payload, missing)
    else if (this.#early.length < MAX_EARLY_PAYLOADS) this.#early.push([payload, missing])
  }

  #failed(error: unknown): void {
    this.#closed.resolve(error instanceof Error ? error.message : 'it has failed')
    this.connection.close()
  }

  #ended(end: ConnectionEnd): void {
    this.#stopTicks()
    this.#closed.resolve(textOf(end))
  }
}

type Reached = { readonly opened: Opened; readonly flow: ReturnType<UdpListener['claim']>; readonly ip: string }

async function openFirst(
  init: LinkInit,
  target: SrtTarget,
  port: UdpListener,
  addresses: readonly string[],
): Promise<Link> {
  const { ctx, connections, request, signal } = init
  const { passphrase, keyBytes } = target
  const offered = passphrase === '' ? undefined : await offerKeys({ passphrase, keyBytes })
  let failure: unknown
  for (const ip of addresses) {
    let link: Link | undefined
    let opening: Opening | undefined
    const early: Buffer[] = []
    const flow = port.claim({ remoteAddress: ip, remotePort: target.port }, (datagram) => {
      if (datagram.length < HEADER_BYTES || opening === undefined) return
      const isHandshake = isHandshakePacket(datagram)
      if (link === undefined || isHandshake) opening.receive(datagram)
      if (isHandshake || destinationOf(datagram) !== opening.socketId) return
      if (link !== undefined) link.connection.receive(datagram)
      else if (early.length < MAX_EARLY_PAYLOADS) early.push(datagram)
    })
    const defaultLatencyMs = ctx.config.latency
    opening = new Opening({ target, defaultLatencyMs, offered, ticker: connections.ticker }, flow)
    try {
      request.step('handshake')
      const opened = await opening.run(signal)
      if (opened.keys !== offered) closeKeys(offered)
      link = new Link(init, target, port, { opened, flow, ip })
      for (const datagram of early.splice(0)) link.connection.receive(datagram)
      return link
    } catch (error) {
      flow.close()
      failure = error
      if (!(error instanceof Unreachable)) break
    }
  }
  closeKeys(offered)
  throw failure
}

function isHandshakePacket(datagram: Buffer): boolean {
  return isControl(datagram) && readControlHeader(datagram).type === CONTROL_TYPE.handshake
}

function targetOf(url: string): SrtTarget {
  try {
    return parseTargetUrl(url)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new SourceError(error.message, { cause: error })
  }
}

async function openPort({ net }: LinkInit['ctx'], { localPort }: SrtTarget): Promise<UdpListener> {
  const range = localPort === undefined ? DYNAMIC_PORTS : { first: localPort, last: localPort }
  try {
    // Datagrams from other addresses are dropped.
    return await net.udpPort(range, () => false)
  } catch (error) {
    if (localPort === undefined || !(error instanceof SluiceError)) throw error
    throw new SourceError(`port ${localPort} is not free here: give another one by localport=`, { cause: error })
  }
}

function textOf(end: ConnectionEnd): string {
  switch (end.by) {
    case 'here':
      return 'it was closed here'
    case 'peer':
      return 'the other end has closed it'
    case 'silence':
      return 'nothing comes from the other end any more'
  }
}
