import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pino } from 'pino'
import { findSocketCalls, type SocketCallsFound } from '../../../core/net/socket-calls.ts'
import { SocketBuffers } from '../../../core/net/socket-buffers.ts'
import { noDrops } from '../../../core/net/udp-drops.ts'
import { UdpSending } from '../../../core/net/udp-sending.ts'
import { UdpSocket } from '../../../core/net/udp-socket.ts'
import type { UnitBench } from './unit-bench.ts'

const PEERS = [50, 200]
/** What a viewer of 2 Mbit/s gets of a frame. */
const DATAGRAMS = 7
const DATAGRAM_BYTES = 1200
const ADDRESS = '127.0.0.1'
const SIZES = { readbuffer: 65_536, writebuffer: 4_194_304 }
/** Sockets that hear nothing: their buffers are full soon, and what is sent costs its sender alone. */
const DEAF = `
const sockets = Array.from({ length: ${Math.max(...PEERS)} }, () => require('node:dgram').createSocket('udp4').bind(0, '${ADDRESS}'))
Promise.all(sockets.map((socket) => new Promise((bound) => socket.once('listening', bound)))).then(() => {
  require('node:fs').writeSync(1, JSON.stringify(sockets.map((socket) => socket.address().port)))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

export type DatagramBenches = { readonly benches: readonly UnitBench[]; readonly close: () => void }

/** One frame to each peer within a turn of the event loop, from one socket, by each way this machine has. */
export async function datagramBenches(): Promise<DatagramBenches> {
  const receivers = spawn(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [told] = (await once(receivers.stdout, 'data')) as [Buffer]
  const ports = JSON.parse(told.toString()) as number[]
  const opened = await Promise.all(ways().map(async ([way, found]) => [way, await openSocket(found)] as const))
  return {
    benches: opened.flatMap(([way, socket]) =>
      PEERS.map((peers) => datagramBench(`datagrams to ${peers} by ${way}`, socket, ports.slice(0, peers))),
    ),
    close() {
      for (const [, socket] of opened) socket.close()
      receivers.kill('SIGKILL')
    },
  }
}

function ways(): [string, SocketCallsFound][] {
  const { calls } = findSocketCalls()
  const found: [string, SocketCallsFound][] = [['Node', { calls: undefined, why: 'a bench' }]]
  if (calls === undefined) return found
  found.push(['sendmmsg', { calls: { ...calls, canSegment: false }, why: '' }])
  if (calls.canSegment) found.push(['sendmmsg with GSO', { calls, why: '' }])
  return found
}

function openSocket(found: SocketCallsFound): Promise<UdpSocket> {
  const log = pino({ enabled: false })
  return UdpSocket.bind(
    { host: ADDRESS, port: 0 },
    {
      sending: new UdpSending(log, () => found),
      buffers: new SocketBuffers(log),
      sizes: SIZES,
      drops: noDrops(),
      onDatagram: () => {},
    },
  )
}

function datagramBench(name: string, socket: UdpSocket, ports: readonly number[]): UnitBench {
  const frame = Buffer.alloc(DATAGRAMS * DATAGRAM_BYTES, 1)
  const run = async () => {
    for (const port of ports) socket.sendRun(frame, DATAGRAM_BYTES, ADDRESS, port)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { name, units: ports.length * DATAGRAMS, run }
}
