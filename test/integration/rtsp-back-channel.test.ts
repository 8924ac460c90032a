import { expect } from 'chai'
import type { SourceControl } from 'sluice/sdk'
import { serializeRtpPacket } from 'sluice/sdk/media'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { RtspProbe } from '../support/rtsp/rtsp-probe.ts'

const PATH = 'live/camera'
const REQUIRE = { Require: 'www.onvif.org/ver20/backchannel' }
const PCMA = 8
/** Of each packet, 20 ms. */
const SAMPLES = 160

type Server = Pick<TestServer<unknown>, 'streams' | 'port' | 'problems'>

async function start(config = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { config })
  keep({ close: () => server.stop() })
  return server
}

async function publish({ streams }: Server, talk?: SourceControl['talk']): Promise<void> {
  const publisher = await streams.publish(sessionInit(PATH), talk && { control: { talk } })
  new ScriptedPublisher(publisher).write(5)
}

/** The sound number `index`, as a player sends it. */
function packet(index: number): Buffer {
  return serializeRtpPacket({
    payloadType: PCMA,
    marker: index === 0,
    sequenceNumber: 100 + index,
    timestamp: 4000 + index * SAMPLES,
    ssrc: 7,
    csrcs: [],
    payload: Buffer.alloc(SAMPLES, index),
  })
}

/** Plays the pictures, and the way back on the channels 4 and 5. */
async function play(server: Server): Promise<RtspProbe> {
  const url = `rtsp://127.0.0.1:${server.port()}/${PATH}`
  const probe = await RtspProbe.connect({ port: server.port() })
  const { body } = await probe.request('DESCRIBE', url, { headers: REQUIRE })
  const controls = [...body.toString().matchAll(/^a=control:(.*trackID.*?)\r?$/gmu)].map(([, control = '']) => control)
  expect(controls).to.have.length(3)
  const setup = (control: string, channels: string) =>
    probe.request('SETUP', control, {
      headers: { ...REQUIRE, Transport: `RTP/AVP/TCP;unicast;interleaved=${channels}` },
    })
  expect((await setup(controls[0]!, '0-1')).status).to.equal(200)
  expect((await setup(controls[2]!, '4-5')).headers.get('transport')).to.contain('interleaved=4-5')
  expect((await probe.request('PLAY', url, { headers: REQUIRE })).status).to.equal(200)
  return probe
}

describe('what a player of RTSP says', () => {
  it('goes to the source that listens, one packet a unit', async () => {
    const heard: Buffer[] = []
    const opened: string[] = []
    let hasEnded = false
    const server = await start()
    await publish(server, async ([track]) => {
      opened.push(track?.codec ?? 'none')
      return {
        addTrack: (init) => ({ ...init, id: 0 }),
        configureTrack: (same) => same,
        removeTrack: () => {},
        write: ({ data }) => void heard.push(data),
        lost: () => {},
        onClose: () => {},
        close: () => void (hasEnded = true),
      }
    })
    const probe = await play(server)
    // What is said until the source listens is left out.
    let said = 0
    await waitFor(
      () => {
        probe.writeFrame(4, packet(said++))
        return heard.length >= 3
      },
      { what: 'the source to hear something' },
    )
    expect(opened).to.eql(['pcma'])
    const first = heard[0]![0]!
    for (const [index, data] of heard.entries()) expect(data).to.eql(Buffer.alloc(SAMPLES, first + index))
    probe.close()
    await waitFor(() => hasEnded, { what: 'the talk to end' })
    expect(server.problems).to.eql([])
  })

  it('is a stream of its own where the source does not listen', async () => {
    const server = await start()
    await publish(server)
    const probe = await play(server)
    let said = 0
    const back = await waitFor(
      () => {
        probe.writeFrame(4, packet(said++))
        return server.streams.get(`${PATH}/backchannel`)?.tracks[0]
      },
      { what: 'the stream of what is said' },
    )
    expect(back).to.include({ kind: 'audio', codec: 'pcma' })
    probe.close()
    await waitFor(() => server.streams.get(`${PATH}/backchannel`) === undefined, { what: 'the stream to end' })
    expect(server.streams.get(PATH)).to.not.equal(undefined)
  })

  it('is not asked for where the operator has closed the way back', async () => {
    const server = await start({ backchannel: false })
    await publish(server)
    const probe = await RtspProbe.connect({ port: server.port() })
    const answer = await probe.request('DESCRIBE', `rtsp://127.0.0.1:${server.port()}/${PATH}`, { headers: REQUIRE })
    expect(answer.status).to.equal(551)
    expect(answer.headers.get('unsupported')).to.equal(REQUIRE.Require)
  })
})
