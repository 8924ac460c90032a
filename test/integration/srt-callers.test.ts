import { expect } from 'chai'
import { freeUdpPort } from '../peers/free-port.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { SrtLiveTransmit } from '../peers/srt-live-transmit.ts'
import { playSrt, publishSrt, SRT_PROGRAMS, type SrtProgram } from '../peers/srt-programs.ts'
import type { SrtAddress } from '../peers/srt.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { Scrape } from '../support/scrape.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sessionsOf } from '../support/srt/srt-sessions.ts'

const PASSPHRASE = 's3cret-passphrase'
const OTHER_PASSPHRASE = 's3cret-but-another'
const CONFIG = `
srt:
  passphrases: { ^secret/: ${PASSPHRASE} }
  subscribe: { waittimeout: 100ms }
`
const NAME = 'numbered'
/** What libsrt makes of reasons. */
const TOLD = { badSecret: 'Incorrect passphrase', unsecure: 'Password required or unexpected' } as const

/** What a stream id asks for, as gates would see it. */
type Wanted = { readonly streamPath: string; readonly query?: string }

const PUBLISHED: readonly (readonly [streamId: string, wanted: Wanted])[] = [
  ['publish:/live/a', { streamPath: 'live/a' }],
  ['publish:live/b', { streamPath: 'live/b' }],
  ['publish:/live/c?secret=1&expire=2', { streamPath: 'live/c', query: 'secret=1&expire=2' }],
  ['#!::r=live/d,m=publish', { streamPath: 'live/d' }],
  ['#!::m=publish,u=tom,r=/live/e,s=word', { streamPath: 'live/e', query: 'u=tom&s=word' }],
  ['#!::r=live/f?a=1,m=publish,secret=1,expire=2', { streamPath: 'live/f', query: 'a=1&secret=1&expire=2' }],
]
const PLAYED = ['subscribe:/', 'read:/', 'request:/', 'play:/', '#!::r=', '#!::m=request,r=']
const WRONG = [
  undefined,
  'live/a',
  'publish:',
  'publish:/',
  'publish:/live/../a',
  'steal:/live/a',
  '#!::m=publish',
  '#!::r=live/a,m=bidirectional',
  '#!::r=live/a,m=publish,t=file',
  '#!::r=live/a,r=live/b,m=publish',
  '#!{r=live/a}',
]

describe('SRT: who calls', () => {
  let server: RunningServer
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' })
    server = await startServer({ config: CONFIG })
    const { client } = await NumberedPublisher.start({ port: server.rtmpPort, name: NAME, fps: 25, sizeBytes: 2000 })
    client.socket.on('error', () => {})
  })

  // Programs that are killed say nothing.
  beforeEach(() => waitFor(async () => (await sessionsOf(server)).length === 0, { what: 'those before to be gone' }))

  /** Calls without a word, as a publisher: it is up, or has ended. */
  async function call(address: Partial<SrtAddress>): Promise<SrtLiveTransmit> {
    const relay = new SrtLiveTransmit({ udpPort: await freeUdpPort() }, { ...address, port: server.srtPort })
    await relay.connected()
    return relay
  }

  async function refusal(attempt: Promise<unknown>): Promise<string> {
    const error: unknown = await attempt.catch((cause: unknown) => cause)
    if (!(error instanceof Error)) throw new Error('it was let in')
    return error.message
  }

  /** How many callers were refused so far; of one reason, where it is named. */
  async function refused(reason?: string): Promise<number> {
    const scrape = await Scrape.of(server.http('/metrics'))
    return scrape.value('sluice_srt_refused_handshakes_total', reason === undefined ? {} : { reason }) ?? 0
  }

  it('publishes what its stream id says', async () => {
    for (const [streamId, { streamPath, query = '' }] of PUBLISHED) {
      const relay = await call({ streamId })
      const { publisher } = server.server.streams.get(streamPath) ?? {}
      expect(publisher?.request, streamId).to.include({ streamPath, query, protocol: 'srt' })
      await relay.process.close()
      await waitFor(() => server.server.streams.get(streamPath)?.publisher === undefined, { what: 'it to be gone' })
    }
  })

  for (const program of SRT_PROGRAMS) {
    it(`publishes and plays with a query, by ${program}`, async () => {
      const streamPath = `live/query-${program}`
      const query = 'secret=0a&expire=1b'
      const port = server.srtPort
      const publishing = publishSrt(program, source.file, { port, streamId: `publish:/${streamPath}?${query}` })
      publishing.catch(() => undefined)
      const { streams } = server.server
      const stream = await waitFor(() => streams.get(streamPath), { what: 'the stream' })
      expect(stream.publisher?.request).to.include({ streamPath, query })
      const playing = playSrt(program, { port, streamId: `subscribe:/${streamPath}?${query}` })
      playing.catch(() => undefined)
      const [player] = await waitFor(
        () => {
          const subscribers = streams.subscribers(streamPath)
          return subscribers.length > 0 && subscribers
        },
        { what: 'the player' },
      )
      expect(player?.request).to.include({ streamPath, query })
    })
  }

  it('plays what its stream id says', async () => {
    for (const prefix of PLAYED) {
      const address = { streamId: `${prefix}live/${NAME}`, port: server.srtPort }
      const { process } = new SrtLiveTransmit(address, 'console')
      await waitFor(() => process.stdout.length > 10_000, { what: `media by ${prefix}` })
      expect(process.stdout.readUInt8(0)).to.equal(0x47)
      await process.close()
    }
  })

  it('is refused where its stream id is none, and nothing comes of it', async () => {
    const before = await refused()
    for (const streamId of WRONG) {
      const text = await refusal(call(streamId === undefined ? {} : { streamId }))
      expect(text, streamId).to.include('Application-defined rejection reason')
    }
    expect(await refused()).to.equal(before + WRONG.length)
    expect(server.server.streams.get('live/a')).to.equal(undefined)
  })

  it('is refused where the path is taken, or nobody is there', async () => {
    const streamId = 'publish:/live/taken'
    const first = await call({ streamId })
    expect(await refusal(call({ streamId }))).to.include('Application-defined rejection reason')
    expect(await sessionsOf(server)).to.have.length(1)
    expect(first.process.exited).to.equal(undefined)
    await first.process.close()
    const nobody = playSrt('srt-live-transmit', { port: server.srtPort, streamId: 'subscribe:/live/nobody' })
    expect(await refusal(nobody)).to.include('Application-defined rejection reason')
  })

  const wrong = [
    ['another passphrase', 'secret/a', OTHER_PASSPHRASE, 'badSecret'],
    ['no passphrase where one is needed', 'secret/a', undefined, 'unsecure'],
    ['a passphrase where none is', 'live/a', OTHER_PASSPHRASE, 'unsecure'],
  ] as const
  for (const [what, streamPath, passphrase, reason] of wrong) {
    for (const program of SRT_PROGRAMS) {
      it(`is refused with ${what}: ${program}`, async () => {
        const before = await refused(reason)
        const address = { port: server.srtPort, ...(passphrase !== undefined && { passphrase, keyBytes: 32 as const }) }
        const texts = await Promise.all([
          refusal(publishSrt(program, source.file, { ...address, streamId: `publish:/${streamPath}` })),
          refusal(playSrt(program, { ...address, streamId: `subscribe:/${streamPath}` })),
        ])
        for (const text of texts) expectTold(program, text, TOLD[reason])
        expect(await refused(reason)).to.equal(before + 2)
        const lines = server.records.filter(({ msg }) => msg === 'publish refused')
        expect(lines.some((line) => /passphrase/u.test(String(line['reason'])))).to.equal(true)
        expect(await sessionsOf(server)).to.eql([])
      })
    }
  }

  /** As it publishes, GStreamer now and then looks too late for why. */
  function expectTold(program: SrtProgram, text: string, told: string): void {
    if (program === 'GStreamer' && text.includes('Connection does not exist')) return
    expect(text).to.include(told)
  }

  it('lets out nothing of passphrases and words', async () => {
    const shown = JSON.stringify(server.records) + (await (await fetch(server.http('/srt/api/sessions'))).text())
    for (const secret of [PASSPHRASE, OTHER_PASSPHRASE, 's=word', '0a&expire']) expect(shown).not.to.include(secret)
    expect(server.problems).to.eql([])
  })
})
