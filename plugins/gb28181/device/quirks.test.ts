import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { makeTestClip } from './fixtures/made-clip.ts'
import { MediaReceiver } from './fixtures/media-receiver.ts'
import { CHANNEL_ID, DEVICE_ID, invite, offerOf, rigOf, started } from './fixtures/rig.ts'
import { headerIn, responseTo, type PlatformOptions } from './fixtures/test-platform.ts'
import { parseQuirks, Quirks, QUIRKS, type Quirk } from './quirks.ts'

const SOURCE = makeTestClip()
const SSRC = 100_000_001

/** A device with a quirk, and what a platform receives of it. */
async function playing(...quirks: readonly Quirk[]) {
  const rig = await started({ source: SOURCE, quirks })
  const receiver = await MediaReceiver.udp()
  const call = await invite(rig.platform, receiver)
  const packets = async (count = 1) => {
    await waitFor(() => receiver.packets.length >= count, { what: 'packets' })
    return receiver.packets
  }
  return { ...rig, receiver, call, packets, body: call.answer.body }
}

describe('the quirks of a device', () => {
  it('are read from a list', () => {
    expect(parseQuirks('no-y, lose=50')).to.eql(['no-y', 'lose=50'])
    for (const text of ['none', 'no-y=3', 'lose=x', '', 'toString'])
      expect(() => parseQuirks(text)).to.throw(RangeError)
    const quirks = new Quirks(['refuse', 'lose=7'])
    expect([quirks.numberOf('refuse'), quirks.numberOf('lose'), quirks.numberOf('bye-after')]).to.eql([
      486,
      7,
      undefined,
    ])
    expect(Object.values(QUIRKS).every((text) => text.length > 10)).to.equal(true)
  })

  it('own-ssrc, zero-ssrc and no-y: another SSRC than the one in y=, or none in the answer', async () => {
    const ssrcOf = async (...quirks: readonly Quirk[]) => {
      const { packets, body } = await playing(...quirks)
      return [(await packets())[0]!.ssrc, /^y=(\d+)/mu.exec(body)?.[1]]
    }
    const [own, stated] = await ssrcOf('own-ssrc')
    expect(own).not.to.be.oneOf([0, SSRC])
    expect(stated).to.equal('0100000001')
    expect(await ssrcOf('zero-ssrc')).to.eql([0, '0100000001'])
    expect(await ssrcOf('no-y')).to.eql([SSRC, undefined])
  })

  it('bare-audio: sound beside the program stream', async () => {
    const { receiver } = await playing('bare-audio')
    await waitFor(() => receiver.packets.filter(({ payloadType }) => payloadType === 8).length > 2)
    const [first, second] = receiver.packets.filter(({ payloadType }) => payloadType === 8)
    expect([first!.payload.length, second!.timestamp - first!.timestamp, first!.ssrc]).to.eql([320, 320, SSRC])
    expect(receiver.sound).to.eql([])
    await waitFor(() => receiver.pictures.length > 0)
  })

  it('silent and bye-after: an end without media, or after a while', async () => {
    const silent = await playing('silent')
    expect([silent.call.answer.status, silent.device.sessions[0]!.isSending]).to.eql([200, false])
    const { platform, packets } = await playing('bye-after=0.05')
    await packets()
    await platform.wait('BYE')
    expect(silent.receiver.packets).to.eql([])
  })

  it('other-media-address: media from another address than SIP', async () => {
    const { packets, receiver, body } = await playing('other-media-address')
    await packets()
    expect([...receiver.sources]).to.eql(['127.0.0.2'])
    expect(body).to.include('c=IN IP4 127.0.0.2')
  })

  it('bad-ports, no-ports and private-contact: what Contact and SDP state', async () => {
    const stated = async (quirk: Quirk) => {
      const { body, call, packets } = await playing(quirk)
      await packets()
      return [headerIn(call.answer, 'Contact'), /^m=.*/mu.exec(body)?.[0].trim()]
    }
    expect(await stated('bad-ports')).to.eql([`<sip:${DEVICE_ID}@127.0.0.1:-1>`, 'm=video -1 RTP/AVP 96'])
    expect(await stated('no-ports')).to.eql([`<sip:${DEVICE_ID}@127.0.0.1>`, 'm=video RTP/AVP 96'])
    expect((await stated('private-contact'))[0]).to.equal(`<sip:${DEVICE_ID}@192.168.1.108:5060>`)
  })

  it('no-to-tag: no tag of its own', async () => {
    const { call, platform } = await playing('no-to-tag')
    expect([call.answer.status, call.toTag]).to.eql([200, ''])
    expect(headerIn(await platform.request('OPTIONS', DEVICE_ID), 'To')).not.to.include('tag')
  })

  it('refuse and trying-only: no session', async () => {
    const receiver = await MediaReceiver.udp()
    for (const [quirk, status] of [
      ['refuse', 486],
      ['refuse=488', 488],
      ['refuse=404', 404],
    ] as const) {
      const { platform } = await started({ source: SOURCE, quirks: [quirk] })
      expect((await invite(platform, receiver)).answer.status).to.equal(status)
    }
    const { platform } = await started({ source: SOURCE, quirks: ['trying-only'] })
    const init = { callId: 'hanging', branch: 'z9hG4bK-hanging', number: 1, type: 'APPLICATION/SDP' }
    const answer = platform.request('INVITE', CHANNEL_ID, { ...init, body: offerOf(receiver) })
    await waitFor(() => platform.messages.some(({ status }) => status === 100))
    expect((await platform.request('CANCEL', CHANNEL_ID, init)).status).to.equal(200)
    expect((await answer).status).to.equal(487)
  })

  it('resets-other-uri: the connection ends where an INVITE is for the device', async () => {
    const { platform, device, events } = await started({
      source: SOURCE,
      transport: 'tcp',
      retryMs: 10,
      quirks: ['resets-other-uri'],
    })
    const receiver = await MediaReceiver.udp()
    const init = { body: offerOf(receiver), type: 'APPLICATION/SDP', isAnswered: false }
    await platform.request('INVITE', DEVICE_ID, init)
    await waitFor(() => events.some(({ kind }) => kind === 'disconnected'))
    await waitFor(() => device.isRegistered && platform.requests('REGISTER').length === 2)
    expect((await invite(platform, receiver)).answer.status).to.equal(200)
  })

  it('breaks-on-date: an answer with a Date is none', async () => {
    const answerTo: PlatformOptions['answerTo'] = (message) =>
      message.method === 'REGISTER' ? responseTo(message, '200 OK', ['Date: 2024-05-01T10:00:00.000']) : undefined
    const { device, platform } = await rigOf({ quirks: ['breaks-on-date'] }, { answerTo })
    const start = device.start().catch(() => undefined)
    // It sends its request again, as if there was no answer.
    await platform.wait('REGISTER', /^/u, 2)
    expect(device.isRegistered).to.equal(false)
    device.kill()
    await start
  })

  it('never-registers-again: no REGISTER after an error to a keepalive', async () => {
    const answerTo: PlatformOptions['answerTo'] = (message) =>
      message.body.includes('Keepalive') ? responseTo(message, '403 Forbidden') : undefined
    const { platform } = await started({ keepaliveMs: 5, quirks: ['never-registers-again'] }, { answerTo })
    await platform.wait('MESSAGE', /Keepalive/u, 5)
    expect(platform.requests('REGISTER')).to.have.length(1)
  })

  it('wrong-declaration: bodies in another charset than they say', async () => {
    const channels = [{ id: CHANNEL_ID, name: '前门' }]
    const { platform } = await started({ channels, quirks: ['wrong-declaration'] })
    await platform.ask(DEVICE_ID, 'Query', 'Catalog')
    const { bytes } = platform.requests('MESSAGE', /<Response>/u)[0]!
    expect([bytes.includes('encoding="UTF-8"'), bytes.includes(Buffer.from('c7b0c3c5', 'hex'))]).to.eql([true, true])
  })

  it('no-answers: queries get 200 alone', async () => {
    const { platform } = await started({ quirks: ['no-answers'] })
    expect(await platform.tell(DEVICE_ID, 'Query', 'Catalog')).to.equal(200)
    await platform.ask(DEVICE_ID, 'Control', 'DeviceControl', '<RecordCmd>Record</RecordCmd>')
    expect(platform.requests('MESSAGE', /<CmdType>Catalog</u)).to.eql([])
  })

  it('bad-keepalive-parameters and other-config-names: settings that are none', async () => {
    const fields = '<ConfigType>BasicParam</ConfigType>'
    const answerOf = async (quirk: Quirk) => {
      const { platform } = await started({ quirks: [quirk] })
      return (await platform.ask(DEVICE_ID, 'Query', 'ConfigDownload', fields))[0]
    }
    expect(await answerOf('bad-keepalive-parameters'))
      .to.include('<HeartBeatCount>-1<')
      .and.include('<Expiration>never<')
    expect(await answerOf('other-config-names'))
      .to.include('<BasicParamCfg>')
      .and.not.include('<BasicParam>')
  })
})
