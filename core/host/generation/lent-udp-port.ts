import type { DatagramHandler, UdpFlow, UdpListener, UdpPeer } from 'sluice/sdk'
import type { BoundUdpPort } from '../../net/bound-udp-port.ts'
import { PluginError } from '../plugin-error.ts'
import type { DatagramCalls } from './datagram-calls.ts'

export type LentUdpPortInit = {
  readonly port: BoundUdpPort
  readonly calls: DatagramCalls
  /** True for the port of a single session, which lasts as long as the port is open. */
  readonly isOfSession: boolean
  /** Gives the port up. */
  readonly close: () => void | Promise<void>
}

/** A UDP port of one generation, with the flows that it has claimed there. */
export class LentUdpPort implements UdpListener {
  readonly #init: LentUdpPortInit
  readonly #flows = new Set<UdpFlow>()
  #closed = false

  constructor(init: LentUdpPortInit) {
    this.#init = init
  }

  get address(): UdpListener['address'] {
    return this.#init.port.address
  }

  /** The number of sessions that need the port: its flows, or the one that it was bound for. */
  get sessionCount(): number {
    return this.#flows.size + (this.#init.isOfSession ? 1 : 0)
  }

  send(datagrams: readonly Buffer[], peer: UdpPeer): void {
    if (!this.#closed) this.#init.port.send(datagrams, peer)
  }

  sendRun(bytes: Buffer, datagramBytes: number, peer: UdpPeer): void {
    if (!this.#closed) this.#init.port.sendRun(bytes, datagramBytes, peer)
  }

  claim({ remoteAddress, remotePort }: UdpPeer, onDatagram: DatagramHandler): UdpFlow {
    if (this.#closed) throw new PluginError('its UDP address was given up')
    const { port, calls } = this.#init
    const peer: UdpPeer = { remoteAddress, remotePort }
    const claimed = port.claim(peer, (datagram) => calls.call(onDatagram, datagram, peer))
    let isOpen = true
    const flow: UdpFlow = {
      peer,
      send(datagrams) {
        if (isOpen) port.sendTo(claimed, datagrams)
      },
      sendRun(bytes, datagramBytes) {
        if (isOpen) port.sendRunTo(claimed, bytes, datagramBytes)
      },
      close: () => {
        isOpen = false
        if (this.#flows.delete(flow)) port.release(claimed)
      },
    }
    this.#flows.add(flow)
    return flow
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const flow of this.#flows) flow.close()
    await this.#init.close()
  }
}
