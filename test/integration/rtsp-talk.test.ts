import { expect } from 'chai'
import { AccessUnit, type AudioTrack, type Talk, type TrackInit } from 'sluice/sdk'
import { SCRIPTED_AUDIO } from 'sluice/sdk/testing'
import { g711Config } from 'sluice/sdk/media'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { PCMU_MEDIA, ScriptedSource, type Script } from '../support/rtsp/scripted-source.ts'

const PATH = 'live/camera'
const CLIENT = { ip: '', port: 0, userAgent: 'test' }
const LOUDSPEAKER = 'm=audio 0 RTP/AVP 0\r\na=control:loudspeaker\r\na=sendonly\r\n'
const LOUDSPEAKER_ALONE = `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n${LOUDSPEAKER}`
const BACK_CHANNEL = 'www.onvif.org/ver20/backchannel'
const PCMU: TrackInit = { kind: 'audio', codec: 'pcmu', timescale: 8000, config: g711Config('pcmu', 8000, 1) }

/** A server that pulls a source, and somebody who watches that. */
async function pulled(source: ScriptedSource): Promise<{ server: TestServer<unknown>; received: ReceivedUnits }> {
  const server = await createTestServer(rtsp, {
    beside: ['relay'],
    config: { transport: 'tcp', pull: { [PATH]: { url: source.url() } } },
  })
  keep({ close: () => server.stop() })
  const received = await ReceivedUnits.of(server.streams, PATH)
  await waitFor(() => received.units.length > 5)
  return { server, received }
}

/** What is said comes from the server itself, which may talk to all. */
const talk = (server: TestServer<unknown>, track: TrackInit): Promise<Talk> =>
  server.streams.talk({ streamPath: PATH, url: '', query: '', client: CLIENT, type: 'api' }, [track])

async function expectUndisturbed(received: ReceivedUnits): Promise<void> {
  const { length } = received.units
  await waitFor(() => received.units.length > length)
  const times = received.timesMs('audio')
  expect(new Set(times.slice(1).map((timeMs, index) => timeMs - times[index]!))).to.eql(new Set([20]))
  expect(received.events).to.eql([])
}

describe('the loudspeaker of a camera that is pulled by RTSP', () => {
  it('is sent what is said, while what is pulled goes on', async () => {
    const script: Script = ({ method, headers }) =>
      method === 'DESCRIBE' && headers.get('require') === BACK_CHANNEL
        ? { headers: {}, body: `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n${PCMU_MEDIA}${LOUDSPEAKER}` }
        : undefined
    const source = await ScriptedSource.start({ script })
    const { server, received } = await pulled(source)
    const spoken = await talk(server, PCMU)
    const track = spoken.addTrack(PCMU) as AudioTrack
    const units = [0, 1, 2].map((index) => Buffer.alloc(160, index))
    for (const [index, data] of units.entries()) {
      spoken.write(AccessUnit.fromData(track, index * 160, index * 160, true, data))
    }
    const loudspeaker = () => [...source.connections].at(-1)!
    const packets = () =>
      loudspeaker()
        .frames.filter(({ channel }) => channel === 0)
        .map(({ data }) => data)
    await waitFor(() => packets().length === units.length)
    expect(packets().map((packet) => packet.subarray(12))).to.eql(units)
    expect(packets().map((packet) => packet[1]! & 0x7f)).to.eql([0, 0, 0])
    const times = packets().map((packet) => packet.readUInt32BE(4))
    expect(times.slice(1).map((time, index) => (time - times[index]!) >>> 0)).to.eql([160, 160])
    const numbers = packets().map((packet) => packet.readUInt16BE(2))
    expect(numbers.slice(1).map((number, index) => (number - numbers[index]!) & 0xffff)).to.eql([1, 1])
    expect(source.requests.find(({ method, headers }) => method === 'SETUP' && headers.has('require'))?.uri).to.match(
      /\/camera\/loudspeaker$/u,
    )
    spoken.close()
    await waitFor(() => source.connections.size === 1)
    expect(source.methods.at(-1)).to.equal('TEARDOWN')
    await expectUndisturbed(received)
  })

  const refusals: readonly (readonly [what: string, script: Script, track: TrackInit, message: RegExp])[] = [
    ['the camera has none', () => undefined, PCMU, /^the camera has no back channel$/u],
    [
      'the camera does not know of any',
      ({ headers }) => (headers.has('require') ? { status: '551 Option not supported' } : undefined),
      PCMU,
      /^the camera has no back channel$/u,
    ],
    [
      'it takes no such sound',
      ({ method, headers }) =>
        method === 'DESCRIBE' && headers.has('require') ? { body: LOUDSPEAKER_ALONE } : undefined,
      SCRIPTED_AUDIO,
      /^the camera takes PCMU\/8000, and nothing else$/u,
    ],
  ]
  for (const [what, script, track, message] of refusals) {
    it(`is refused when ${what}`, async () => {
      const source = await ScriptedSource.start({ script })
      const { server, received } = await pulled(source)
      const error: unknown = await talk(server, track).catch((cause: unknown) => cause)
      expect(error).to.include({ name: 'Unsupported', statusCode: 501 })
      expect(error).to.have.property('message').that.matches(message)
      await waitFor(() => source.connections.size === 1)
      await expectUndisturbed(received)
    })
  }

  it('is let go when the camera leaves', async () => {
    const script: Script = ({ method, headers }) =>
      method === 'DESCRIBE' && headers.has('require') ? { body: LOUDSPEAKER_ALONE } : undefined
    const source = await ScriptedSource.start({ script })
    const { server } = await pulled(source)
    const spoken = await talk(server, PCMU)
    const ended = new Promise<void>((resolve) => spoken.onClose(resolve))
    ;[...source.connections].at(-1)!.kill()
    await ended
  })
})
