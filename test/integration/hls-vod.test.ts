import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { addressesIn, ask } from '../support/hls-client.ts'
import { finishedFiles, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 24
const RULES = `
mp4: { onpub: { record: { 'live/.*': { filepath: '$0', fragment: 12s } } } }
flv: { onpub: { record: { 'live/.*': { filepath: '$0' } } } }
hls: { onpub: { record: { 'live/.*': { filepath: '$0' } } } }
`

const ofKind = (packets: readonly ProbedPacket[], kind: 'video' | 'audio') =>
  packets.filter((packet) => packet.kind === kind)
const hashes = (packets: readonly ProbedPacket[]) => packets.map(({ md5 }) => md5)
/** Units of H.264 are framed otherwise in MPEG-TS than in the source, so pictures are compared by their sizes in it. */
const sizes = (packets: readonly ProbedPacket[]) => packets.map(({ sizeBytes }) => sizeBytes)

describe('HLS of recordings', () => {
  let server: RunningServer
  let file: string
  /** The source as MPEG-TS has it. */
  let source: ProbedPacket[]
  const files = new Map<string, ListedFile[]>()

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: RULES })
    file = path.join(server.folder, 'source.mp4')
    await makeTestFile({ url: file, durationSeconds: SECONDS, video: { bFrames: 2, gopFrames: 50 } })
    source = await ffprobePackets(file)
    await publishFile(file, server.rtmp('live/cam')).succeed()
    for (const type of ['mp4', 'flv', 'hls']) files.set(type, await finishedFiles(server, type))
  })

  const url = (query: string, target = 'live/cam.m3u8') => server.http(`/hls/${target}?${query}`)
  const segmentsOf = async (address: string) => {
    const answer = await ask(address)
    expect(answer.status, answer.text).to.equal(200)
    return addressesIn(answer, /\.ts\?/u)
  }

  for (const type of ['mp4', 'flv', 'hls']) {
    it(`has each frame of ${type} files once, in segments of about ten seconds`, async () => {
      const answer = await ask(url(`start=1500000000&type=${type}`))
      console.log(answer.text)
      const addresses = addressesIn(answer, /\.ts\?/u)
      const packets: ProbedPacket[] = []
      for (const address of addresses) packets.push(...(await ffprobePackets(address)))
      const whole = await ffprobePackets(url(`start=1500000000&type=${type}`), { input: [] })
      for (const found of [packets, whole]) {
        console.log(ofKind(found, 'video').length, ofKind(source, 'video').length, ofKind(found, 'audio').length, ofKind(source, 'audio').length)
      }
      for (const kind of ['video', 'audio'] as const) {
        const p = ofKind(packets, kind)
        const steps = p.slice(1).map((x, i) => Math.round(((x.dtsMs ?? 0) - (p[i]!.dtsMs ?? 0)) * 10) / 10)
        console.log(kind, new Map([...new Set(steps)].map((s) => [s, steps.filter((x) => x === s).length])))
      }
      const frames = await framemd5(url(`start=1500000000&type=${type}`))
      const src = await framemd5(file)
      console.log(frames.length, src.length)
      void sizes, hashes, segmentsOf
    })
  }
})
