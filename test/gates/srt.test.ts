import { expect } from 'chai'
import { playSrtByFfmpeg } from '../peers/ffmpeg-srt.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { playSrt, publishSrt, SRT_PROGRAMS } from '../peers/srt-programs.ts'
import { waitFor } from '../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { ALLOW, ControlServer } from './control-server.ts'
import { policyQuery, signatureQuery } from './signing.ts'

/** What libsrt 1.5 says of each reason from 1000 on; GStreamer, as it publishes, now and then looks for it too late. */
const REFUSED = /Application-defined rejection reason|Failed to write to SRT socket: Connection does not exist/u
const SECRETS = /s3cret|r3ason/u
/** What a control server is waited for. */
const HANG_MS = 6000

/** All three gates, each with what it needs. */
function configOf(control: ControlServer): string {
  return `
global:
  enable_auth: true
  publish: { key: s3cret-publish }
  subscribe: { key: s3cret-subscribe }
  signed_policy: { enable: true, secret: s3cret-policy, expire_query: until }
  admission_webhook: { enable: true, url: ${control.url}, secret: s3cret-webhook, notify_closing: true }
`
}

function query(action: 'publish' | 'play', streamPath: string, wrong?: 'signature' | 'policy'): string {
  const key = action === 'publish' ? 's3cret-publish' : 's3cret-subscribe'
  const pathOf = (gate: typeof wrong) => (gate === wrong ? 'live/other' : streamPath)
  const policy = policyQuery('s3cret-policy', { protocol: 'srt', action, streamPath: pathOf('policy') })
  return `${signatureQuery(key, pathOf('signature'))}&${policy}`
}

describe('gates before programs of SRT', () => {
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' })
  })

  async function refusal(attempt: Promise<unknown>): Promise<string> {
    const error: unknown = await attempt.catch((cause: unknown) => cause)
    if (!(error instanceof Error)) throw new Error('it was let in')
    return error.message
  }

  const itBeside = sideBySide()

  for (const program of SRT_PROGRAMS) {
    itBeside(`let ${program} publish and play when all agree, and tell the end of both`, async () => {
      const control = await ControlServer.start()
      const server = await startServer({ config: configOf(control) })
      const { streams } = server.server
      const idOf = (mode: string, action: 'publish' | 'play') => `${mode}:/live/test?${query(action, 'live/test')}`
      const port = server.srtPort
      const playing = playSrt(program, { port, streamId: idOf('subscribe', 'play') })
      playing.catch(() => undefined)
      await waitFor(() => streams.subscribers('live/test').length === 1, { what: 'the player to wait' })
      await publishSrt(program, source.file, { port, streamId: idOf('publish', 'publish') })
      for (const subscriber of streams.subscribers('live/test')) subscriber.close('the stream is over')
      expect((await playing).length).to.be.above(50)
      const closings = await control.waitForClosings(2)
      const told = ({ fields }: (typeof closings)[number]) => [fields.action, fields.protocol, fields.stream_path]
      expect(control.openings.map(told)).to.eql([
        ['play', 'srt', 'live/test'],
        ['publish', 'srt', 'live/test'],
      ])
      expect(closings.map(told)).to.have.deep.members(control.openings.map(told))
      for (const { fields } of control.openings) {
        expect(fields.url).to.match(/^srt:\/\/[\d.]+:\d+\?streamid=(?:publish|subscribe):\/live\/test\?secret=/u)
        expect(fields.client.ip).to.equal('127.0.0.1')
        expect(Object.keys(fields.query)).to.have.members(['secret', 'expire', 'policy', 'until'])
      }
      expect(server.problems).to.eql([])
    })

    for (const wrong of ['signature', 'policy', 'webhook'] as const) {
      itBeside(`turn ${program} away at the ${wrong}`, async () => {
        const control = await ControlServer.start(() => ({ body: { allowed: wrong !== 'webhook', reason: 'r3ason' } }))
        const server = await startServer({ config: configOf(control) })
        const gate = wrong === 'webhook' ? undefined : wrong
        const port = server.srtPort
        const idOf = (mode: string, action: 'publish' | 'play') => `${mode}:/live/a?${query(action, 'live/a', gate)}`
        const told = await Promise.all([
          refusal(publishSrt(program, source.file, { port, streamId: idOf('publish', 'publish') })),
          refusal(playSrt(program, { port, streamId: idOf('subscribe', 'play') })),
        ])
        for (const text of told) {
          expect(text).to.match(REFUSED)
          // It shows the address that it was given, but none of what the server knows.
          expect(text).not.to.match(SECRETS)
        }
        const denied = server.records.filter(({ msg }) => msg === 'denied')
        expect(denied).to.have.length(2)
        expect(JSON.stringify(server.records)).not.to.match(/s3cret/u)
        expect([...server.server.streams.list(), ...server.server.streams.subscribers()]).to.eql([])
        expect(control.closings).to.eql([])
      })
    }
  }

  itBeside(`delay nobody else while a control server hangs for ${HANG_MS} ms`, async () => {
    const control = await ControlServer.start(({ fields }) => (fields.query['slow'] === '1' ? 'never' : ALLOW))
    const server: RunningServer = await startServer({
      config: `
global:
  admission_webhook: { enable: true, url: ${control.url}, secret: s3cret-webhook, timeout_ms: ${HANG_MS} }
`,
    })
    const port = server.srtPort
    const { streams } = server.server
    const playing = playSrtByFfmpeg({ port, streamId: 'subscribe:/live/quick' })
    playing.catch(() => undefined)
    await waitFor(() => streams.subscribers('live/quick').length === 1, { what: 'the player to wait' })
    const publishing = publishSrt('ffmpeg', source.file, { port, streamId: 'publish:/live/quick' })
    let answered = 0
    const waiting = SRT_PROGRAMS.map(async (program) => {
      const streamId = `publish:/live/slow-${program}?slow=1`
      const text = await refusal(publishSrt(program, source.file, { port, streamId }))
      answered++
      return text
    })
    const isAsked = () =>
      control.openings.filter(({ fields }) => fields.query['slow'] === '1').length === waiting.length
    await waitFor(isAsked, { what: 'the control server to be asked' })
    const late = playSrtByFfmpeg({ port, streamId: 'subscribe:/live/quick' })
    late.catch(() => undefined)
    await waitFor(() => streams.subscribers('live/quick').length === 2, { what: 'another player to be let in' })
    expect(answered).to.equal(0)
    for (const text of await Promise.all(waiting)) expect(text).to.match(REFUSED)
    await publishing
    await waitFor(() => streams.get('live/quick')?.publisher === undefined, { what: 'the publisher to end' })
    streams.get('live/quick')?.flush()
    for (const subscriber of streams.subscribers('live/quick')) subscriber.close('the stream is over')
    compareFrames(source, await playing, { audioShiftMs: 1 })
    compareFrames(source, await late, { late: true, audioShiftMs: 1 })
  })
})
