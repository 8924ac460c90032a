import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { FlvViewer } from '../../../test/support/flv-viewer.ts'
import { UdpClient } from '../../../test/support/udp-client.ts'
import { CHANNELS, DeviceRig, headerOf, type SippDevice } from '../fixtures/device-rig.ts'
import { offerOf, PsSender } from '../fixtures/ps-sender.ts'
import { rawNotice, rawRequest } from '../fixtures/raw-requests.ts'

const [CHANNEL] = CHANNELS
const INVITE = /^INVITE /u
const INFO = /^INFO /u
const NOWHERE = { port: '9' }
const FROM = 1_767_225_600
const TO = 1_767_229_200

describe('GB28181: recordings of devices of SIPp', () => {
  let rig: DeviceRig
  let device: SippDevice
  before(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start({ publish: { delayclosetimeout: '100ms' }, subscribe: { waittimeout: '60s' } })
    device = await rig.device()
    await device.arrive()
  })
  after(() => rig.waitForMetric('used_ssrcs', {}, 0))

  function watch(number: number) {
    const path = `gb_${number}/${device.id}/${CHANNEL}`
    return { path, viewer: new FlvViewer(`${rig.server.origin}/flv/${path}.flv?start=${FROM}&end=${TO}`) }
  }

  async function play(number: number) {
    const call = device.begin('play', { keys: NOWHERE })
    const { path, viewer } = watch(number)
    const invite = await call.waitFor(INVITE)
    await PsSender.start(offerOf(invite))
    await viewer.received.wait(10)
    return { path, call, viewer, invite }
  }

  it('are asked for by their time', async () => {
    const { call, viewer, invite } = await play(1)
    expect(invite).to.match(new RegExp(`^INVITE sip:${CHANNEL}@`, 'u'))
    const lines = [`s=Playback`, `u=${CHANNEL}:0`, `t=${FROM} ${TO}`]
    for (const line of lines) expect(invite).to.include(`\r\n${line}\r\n`)
    const ssrc = /^y=(1\d{9})\r$/mu.exec(invite)?.[1]
    expect(headerOf(invite, 'Subject')).to.equal(`${CHANNEL}:${ssrc},34020000002000000001:0`)
    viewer.close()
    await call.succeed()
  })

  it('pause, go on, run faster and elsewhere as they are told to', async () => {
    const { path, call, viewer, invite } = await play(2)
    const commands = [
      { operation: 'pause', body: undefined, text: /^PAUSE RTSP\/1\.0\r\nCSeq: \d+\r\nPauseTime: now\r\n/u },
      { operation: 'resume', body: undefined, text: /^PLAY RTSP\/1\.0\r\nCSeq: \d+\r\nRange: npt=now-\r\n/u },
      { operation: 'speed', body: { speed: 2 }, text: /^PLAY RTSP\/1\.0\r\nCSeq: \d+\r\nScale: 2(?:\.0)?\r\n/u },
      {
        operation: 'seek',
        body: { timeStamp: FROM + 600 },
        text: /^PLAY RTSP\/1\.0\r\nCSeq: \d+\r\nRange: npt=600-\r\n/u,
      },
    ]
    for (const [index, { operation, body, text }] of commands.entries()) {
      const answer = await fetch(`${rig.server.origin}/api/stream/${operation}/${path}`, {
        method: 'POST',
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      })
      expect(await answer.json(), operation).to.include({ code: 0 })
      const info = await call.waitFor(INFO, index + 1)
      expect(headerOf(info, 'Content-Type')).to.equal('Application/MANSRTSP')
      expect(headerOf(info, 'Call-ID')).to.equal(headerOf(invite, 'Call-ID'))
      expect(info.slice(info.indexOf('\r\n\r\n') + 4)).to.match(text)
    }
    const numbers = call.received(INFO).map((info) => Number(headerOf(info, 'CSeq')?.split(' ')[0]))
    expect(numbers).to.eql([...numbers].toSorted((one, other) => one - other))
    viewer.close()
    await call.succeed()
  })

  for (const { name, inCall, number } of [
    { name: 'outside of the call', inCall: false, number: 3 },
    { name: 'within the call', inCall: true, number: 4 },
  ]) {
    it(`are over when they say so ${name}, which is nothing to who watches the channel live`, async () => {
      const calls = device.begin('play', { keys: NOWHERE, calls: 2 })
      const live = new FlvViewer(`${rig.server.origin}/flv/${device.id}/${CHANNEL}.flv`)
      await PsSender.start(offerOf(await calls.waitFor(INVITE)))
      await live.received.wait(10)
      const { path, viewer } = watch(number)
      const invite = await calls.waitFor(INVITE, 2)
      const sender = await PsSender.start(offerOf(invite))
      await viewer.received.wait(10)
      const callId = headerOf(invite, 'Call-ID')!
      await tell(inCall ? callId : `other-${number}`, '<NotifyType>120</NotifyType>')
      await viewer.received.wait(viewer.received.frames.length + 10)
      await tell(inCall ? callId : `over-${number}`, '<NotifyType>121</NotifyType>')
      sender.close()
      expect(headerOf(await calls.waitFor(/^BYE /u), 'Call-ID')).to.equal(callId)
      await waitFor(() => rig.server.streams.get(path) === undefined)
      await live.received.wait(live.received.frames.length + 10)
      expect(calls.received(/^BYE /u)).to.have.length(1)
      viewer.close()
      live.close()
      await calls.succeed()
    })
  }

  async function tell(callId: string, fields: string): Promise<void> {
    const client = await UdpClient.open(rig.server.port('udp'))
    const body = rawNotice(CHANNEL, 'MediaStatus', 9, fields)
    const answer = await client.ask(rawRequest({ method: 'MESSAGE', device: device.id, callId, cseq: 9, body }))
    expect(answer).to.match(/^SIP\/2\.0 200 /u)
  }
})
