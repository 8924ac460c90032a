import { expect } from 'chai'
import { freeUdpPort } from '../peers/free-port.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { playSrt, publishSrt, SRT_PROGRAMS } from '../peers/srt-programs.ts'
import type { SrtAddress } from '../peers/srt.ts'
import { waitFor } from '../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sessionsOf } from '../support/srt/srt-sessions.ts'

const PASSPHRASE = 's3cret-passphrase'
const SECONDS = 8
const RELOADS = 2

describe('programs of SRT, when its plugin is loaded anew', () => {
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' }, SECONDS)
  })

  /** @param round what makes each config another one */
  function configOf(round: number): string {
    return `
srt:
  auth_timeout: ${10 + round}s
  publish: { publishtimeout: 20s }
  subscribe: { waittimeout: 60s }
  passphrases: { ^secret/: ${PASSPHRASE} }
`
  }

  const generationOf = ({ server }: RunningServer) => server.host.list().find(({ name }) => name === 'srt')?.generation

  for (const streamPath of ['live/a', 'secret/a']) {
    it(`go on, and miss no frame: ${streamPath}`, async () => {
      const port = await freeUdpPort()
      const server = await startServer({ config: configOf(0), env: { SLUICE_SRT_LISTENADDR: `:${port}` } })
      const { streams } = server.server
      const encryption = streamPath.startsWith('secret') ? { passphrase: PASSPHRASE, keyBytes: 16 as const } : {}
      const address: SrtAddress = { port, ...encryption }
      const playing = SRT_PROGRAMS.map((program) =>
        playSrt(program, { ...address, streamId: `subscribe:/${streamPath}` }),
      )
      for (const one of playing) one.catch(() => undefined)
      const isWaited = () => streams.subscribers(streamPath).length === playing.length
      await waitFor(isWaited, { what: 'the players to wait' })
      const publishing = publishSrt('ffmpeg', source.file, { ...address, streamId: `publish:/${streamPath}` })
      const generations: (number | undefined)[] = []
      let received = 0
      for (let round = 1; round <= RELOADS; round++) {
        const isReceived = async () => {
          const publisher = (await sessionsOf(server)).find(({ direction }) => direction === 'publish')
          const count = publisher?.statistics.pktRecvTotal ?? 0
          if (count < received + 100) return false
          received = count
          return true
        }
        await waitFor(isReceived, { what: 'media to be published' })
        await server.writeConfig(configOf(round))
        await waitFor(() => generationOf(server) === round + 1, { what: 'the newer generation' })
        generations.push(generationOf(server))
      }
      expect(await sessionsOf(server)).to.have.length(1 + playing.length)
      await publishing
      await waitFor(() => streams.get(streamPath)?.publisher === undefined, { what: 'the publisher to end' })
      streams.get(streamPath)?.flush()
      for (const subscriber of streams.subscribers(streamPath)) subscriber.close('the stream is over')
      for (const [index, program] of SRT_PROGRAMS.entries()) {
        const late = program === 'GStreamer'
        const { video, audio } = compareFrames(source, await playing[index]!, { late, audioShiftMs: 1 })
        // Of a stream that begins with sound, GStreamer leaves out the first packet.
        expect([video.missing.before, Math.max(0, audio.missing.before - 1)], program).to.eql([0, 0])
      }
      expect(generations).to.eql([2, 3])
      const ended = () => server.records.filter(({ msg }) => /^generation [12] has ended/u.test(msg)).length === RELOADS
      await waitFor(ended, { what: 'the older generations to end' })
      expect(server.problems).to.eql([])
    })
  }
})
