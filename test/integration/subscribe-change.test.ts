import path from 'node:path'
import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import type { FlvFrames, ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const LOOP_MS = 2000
const SIZES = { a: '320x240', b: '160x120' } as const
type Camera = keyof typeof SIZES
/** Of each camera, before a viewer is led on. */
const PICTURES = 30

const pictures = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')

describe('POST /api/subscribe/change leads to another stream', () => {
  let server: RunningServer
  /** The camera of each picture, by what it holds. */
  const cameras = new Map<string, Camera>()

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer()
    for (const [name, size] of Object.entries(SIZES) as [Camera, string][]) {
      const { tags, frames } = await makeFlvFile(path.join(server.folder, `${name}.flv`), { video: { size } })
      for (const { md5 } of pictures(frames)) cameras.set(md5, name)
      await LiveSource.start({ url: server.rtmp(`live/${name}`), tags, loopMs: LOOP_MS })
    }
  })
  after(() => expect(server?.problems).to.eql([]))

  const cameraOf = ({ md5 }: ReceivedFrame) => cameras.get(md5) ?? 'none'
  const ids = () => server.server.streams.subscribers('live/a').map(({ id }) => id)

  async function change(id: number, camera: Camera): Promise<void> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const { body } = await server.api(`/api/subscribe/change/${id}/live/${camera}`, init)
    expect(body).to.include({ code: 0 })
  }

  /** Waits for as many more pictures of a camera. */
  async function shows({ frames }: FlvFrames, camera: Camera): Promise<void> {
    const from = frames.length
    const hasCome = () => pictures(frames.slice(from)).filter((frame) => cameraOf(frame) === camera).length >= PICTURES
    await waitFor(hasCome, { what: `${PICTURES} pictures of ${camera}` })
  }

  /** Opens a viewer, and gives what comes with the id of its subscriber. */
  async function open(watch: () => FlvFrames | Promise<FlvFrames>) {
    const known = new Set(ids())
    const received = await watch()
    return { received, id: await waitFor(() => ids().find((id) => !known.has(id)), { what: 'the viewer' }) }
  }

  it('viewers of RTMP, HTTP-FLV and WS-FLV, to and fro, each time at a keyframe, and nobody else', async () => {
    const witness = await open(() => new FlvViewer(server.http('/flv/live/a.flv')).received)
    const switched = [
      await open(async () => (await RtmpClient.play({ url: server.rtmp('live/a') })).received),
      await open(() => new FlvViewer(server.http('/flv/live/a.flv')).received),
      await open(() => new FlvViewer(server.ws('/flv/live/a.flv')).received),
    ]
    await Promise.all([witness, ...switched].map(({ received }) => shows(received, 'a')))
    for (const camera of ['b', 'a'] as const) {
      await Promise.all(switched.map(({ id }) => change(id, camera)))
      await Promise.all(switched.map(({ received }) => shows(received, camera)))
      const at = server.server.streams.subscribers(`live/${camera}`).map(({ id }) => id)
      expect(at).to.include.members(switched.map(({ id }) => id))
    }
    for (const { received } of switched) {
      const shown = pictures(received.frames)
      const firsts = shown.filter((frame, index) => index === 0 || cameraOf(frame) !== cameraOf(shown[index - 1]!))
      const seen = firsts.map((frame) => ({ camera: cameraOf(frame), keyframe: frame.keyframe }))
      expect(seen).to.eql(['a', 'b', 'a'].map((camera) => ({ camera, keyframe: true })))
      const times = shown.map(({ dtsMs }) => dtsMs)
      expect(times).to.eql(times.toSorted((a, b) => a - b))
    }
    expect(new Set(pictures(witness.received.frames).map(cameraOf))).to.eql(new Set(['a']))
  })
})
