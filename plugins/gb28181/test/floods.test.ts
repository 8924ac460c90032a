import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { randomNumbers } from '../../../test/support/random-numbers.ts'
import { UdpClient } from '../../../test/support/udp-client.ts'
import { DeviceRig, statusesOf, type SippDevice } from '../fixtures/device-rig.ts'
import { rawRequest } from '../fixtures/raw-requests.ts'

const FLOOD = { rate: 2000, callsAtOnce: 400 }
/** What may be kept of requests when a flood is over: those of the device, not of the strangers. */
const MOST_TRANSACTIONS = 500
/** A flood of thousands makes no more lines than this. */
const MOST_LINES = 20

const WHOLE = rawRequest({ method: 'REGISTER', device: '34020000001320000099', callId: 'x', cseq: 1 })
const ANSWER = `SIP/2.0 200 OK\r\n${WHOLE.slice(WHOLE.indexOf('Via:'))}`
/** Messages that nothing can be done with, whatever they are about. */
const BROKEN: readonly (() => string)[] = [
  () => WHOLE.replace(/Via: .*\r\n/u, ''),
  () => WHOLE.replace(/Via: .*\r\n/u, 'Via: here\r\n'),
  () => WHOLE.replace(/CSeq: .*\r\n/u, ''),
  () => WHOLE.replace(/CSeq: .*\r\n/u, 'CSeq: 1 INVITE\r\n'),
  () => WHOLE.replace('Content-Length: 0', 'Content-Length: 99999999999'),
  () => WHOLE.replace('Content-Length: 0', 'Content-Length: 1'),
  () => ANSWER.replace(/Via: .*\r\n/u, ''),
  () => ANSWER.replace(/CSeq: .*\r\n/u, ''),
]

describe('GB28181: floods', () => {
  let rig: DeviceRig
  let device: SippDevice
  beforeEach(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start()
    device = await rig.device()
    await device.arrive()
  })

  /** The device goes on, and neither memory nor log have much of the flood. */
  async function expectCalm(linesBefore: number): Promise<void> {
    expect(statusesOf(await device.run('keepalive'))).to.eql([200])
    expect(await rig.metric('transactions')).to.be.below(MOST_TRANSACTIONS)
    expect(await rig.metric('devices')).to.equal(1)
    const lines = rig.server.log.slice(linesBefore).filter(({ plugin }) => plugin === 'gb28181')
    expect(lines.length).to.be.below(MOST_LINES)
  }

  for (const { name, scenario, calls } of [
    { name: '5,000 registrations without a password', scenario: 'register-unsigned', calls: 5000 },
    { name: '2,000 calls and messages of strangers', scenario: 'strangers', calls: 2000 },
  ]) {
    it(`of ${name} leave a device alone`, async () => {
      const lines = rig.server.log.length
      const stranger = await rig.device()
      const flood = stranger.begin(scenario, { calls, ...FLOOD })
      await flood.waitFor(/^SIP\/2\.0 40[13]/u)
      do expect(statusesOf(await device.run('keepalive'))).to.eql([200])
      while (flood.process.exited === undefined)
      await flood.succeed()
      await expectCalm(lines)
    })
  }

  it('of datagrams that are no messages leave a device alone', async () => {
    const lines = rig.server.log.length
    const random = randomNumbers(28_181)
    const client = await UdpClient.open(rig.server.port('udp'))
    const kinds = [...BROKEN, () => noise(random), () => WHOLE.slice(0, Math.floor(random() * WHOLE.length))]
    // A few at a time, as what has come is looked at before more is sent.
    for (let round = 0; round < 40; round++) {
      const count = await rig.metric('broken_messages_total')
      for (let index = 0; index < 10; index++) for (const kind of kinds) client.send(kind())
      await waitFor(async () => (await rig.metric('broken_messages_total')) >= count + 10 * BROKEN.length)
    }
    await expectCalm(lines)
    expect(client.answers).to.eql([])
  })

  it('of connections with half a message leave a device alone', async () => {
    const lines = rig.server.log.length
    const half = rawRequest({ method: 'REGISTER', transport: 'TCP', device: device.id, callId: 'x', cseq: 1 })
    for (let index = 0; index < 200; index++) {
      const socket = connect(rig.server.port(), '127.0.0.1').on('error', () => {})
      keep({ close: () => void socket.destroy() })
      await once(socket, 'connect')
      socket.write(half.slice(0, half.length - 1 - (index % 100)))
    }
    await rig.waitForMetric('connections', {}, 200)
    await expectCalm(lines)
  })
})

function noise(random: () => number): string {
  return Array.from({ length: 5 + Math.floor(random() * 1000) }, () =>
    String.fromCodePoint(Math.floor(random() * 256)),
  ).join('')
}
