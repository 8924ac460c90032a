import { expect } from 'chai'
import { DatagramBatch } from './datagram-batch.ts'
import { findSocketCalls } from './socket-calls.ts'
import type { BatchSocket } from './udp-batch.ts'

const { calls } = findSocketCalls()

describe('DatagramBatch', () => {
  it('queues behind what waits for room already, and sends by itself again when nothing waits', function () {
    if (calls === undefined) return this.skip()
    const queued: string[] = []
    let sent = 0
    let queuedBytes = 1
    const sendMessages = (_fd: number, _headers: bigint, count: number) => {
      sent += count
      return count
    }
    const socket: BatchSocket = {
      fd: -1,
      isIpv6: false,
      get queuedBytes() {
        return queuedBytes
      },
      queue: (text, size, address, port) => void queued.push(`${text.toString()} by ${size} to ${address}:${port}`),
      refuse: () => {},
    }
    const batch = new DatagramBatch({ ...calls, sendMessages }, true)
    const bytes = Buffer.from('aaabbbc')
    batch.add(socket, bytes, 3, '127.0.0.1', 9)
    batch.add(socket, Buffer.from('dd'), 2, '127.0.0.2', 9)
    bytes.fill('x')
    batch.flush()
    expect(queued).to.eql(['aaabbbc by 3 to 127.0.0.1:9', 'dd by 2 to 127.0.0.2:9'])
    expect(sent).to.equal(0)

    queuedBytes = 0
    batch.add(socket, bytes, 3, '127.0.0.1', 9)
    batch.flush()
    expect([queued.length, sent]).to.eql([2, 1])
  })
})
