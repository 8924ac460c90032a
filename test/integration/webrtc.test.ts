import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { FLV_TAG_TYPE } from 'sluice/sdk/media'
import { framemd5, publish } from '../peers/ffmpeg.ts'
import { ffprobeFrames } from '../peers/ffmpeg-rtsp.ts'
import { publishByWebrtcbin, WebrtcbinPlayer } from '../peers/gstreamer-webrtc.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { numberedPictures } from '../support/picture-clock.ts'
import type { RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { RtcPage } from '../support/webrtc/rtc-page.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

const PICTURES = 50
/** Of both kinds: Opus has twice as many. */
const PACKETS = 200
const LONG_SECONDS = 120
const LOOP_MS = 2000
/** Chromium encodes as many at once. */
const LANES = 2
const ADDRESSES = [
  ['RTMP', 'rtmp'],
  ['HTTP-FLV', 'flv'],
  ['HLS', 'hls'],
] as const

describe('WebRTC of a browser, and other protocols', () => {
  let server: RunningServer
  let page: RtcPage
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startWebRtcServer()
    page = await RtcPage.open()
  })

  const itBeside = sideBySide(LANES)

  itBeside('plays in a browser what comes by RTMP, with AAC made Opus', async () => {
    publish({ ...numberedPictures({ durationSeconds: LONG_SECONDS }), url: server.rtmp('live/rtmp') })
    const player = await waitFor(() => page.play(server.http('/webrtc/play/live/rtmp')), { what: 'the stream' })
    const played = await player.until(
      ({ framesDecoded, soundEnergy }) => framesDecoded >= PICTURES && soundEnergy > 0,
      'pictures and sound',
    )
    expect(played).to.include({ videoCodec: 'video/H264', audioCodec: 'audio/opus', size: '320x240', packetsLost: 0 })
    await player.stop()
  })

  itBeside('plays sound that begins when the session has begun without, made Opus too', async () => {
    const { tags } = await makeFlvFile(path.join(server.folder, 'late.flv'), { durationSeconds: LOOP_MS / 1000 })
    // The sound is declared by its header alone.
    const silent = tags.filter(({ type, body }) => type !== FLV_TAG_TYPE.audio || body[1] === 0)
    const source = await LiveSource.start({ url: server.rtmp('live/late'), tags: silent, loopMs: LOOP_MS })
    const isGivenUp = () => server.server.streams.get('live/late')?.publisher?.silentTracks.length === 1
    await waitFor(isGivenUp, { what: 'the sound to be given up' })
    const player = await page.play(server.http('/webrtc/play/live/late'))
    expect((await player.state()).soundPackets).to.equal(0)
    source.change(tags)
    await player.until(({ soundEnergy }) => soundEnergy > 0, 'the sound')
    await player.stop()
  })

  itBeside('plays sound that ffmpeg makes late, as on a busy machine, to who came meanwhile', async () => {
    const gate = path.join(server.folder, 'gate')
    const ffmpegpath = path.join(server.folder, 'held-ffmpeg')
    await writeFile(ffmpegpath, `#!/bin/sh\nuntil [ -e '${gate}' ]; do sleep 0.1; done\nexec ffmpeg "$@"\n`, {
      mode: 0o755,
    })
    const held = await startWebRtcServer(`audio: { ffmpegpath: ${ffmpegpath} }`)
    publish({ url: held.rtmp('live/held'), durationSeconds: LONG_SECONDS })
    const url = held.http('/webrtc/play/live/held')
    const first = await waitFor(() => page.play(url), { what: 'the stream' })
    const isGivenUp = () => held.server.streams.get('live/held~opus')?.publisher?.silentTracks.length === 1
    await waitFor(isGivenUp, { what: 'the sound to be given up' })
    const second = await page.play(url)
    await writeFile(gate, '')
    for (const player of [first, second]) {
      await player.until(({ soundEnergy }) => soundEnergy > 0, 'the sound')
      await player.stop()
    }
  })

  itBeside(
    'sends by RTMP, HTTP-FLV and HLS what a browser publishes, so that each picture can be decoded',
    async () => {
      const publisher = await page.publish(server.http('/webrtc/push/live/out'), { codec: 'H264', sound: false })
      await untilPublished(server, 'live/out')
      const urls = {
        rtmp: server.rtmp('live/out'),
        flv: server.http('/flv/live/out.flv'),
        hls: server.http('/hls/live/out/index.m3u8'),
      }
      const decodes = async ([name, address]: (typeof ADDRESSES)[number]) => {
        const frames = await waitFor(() => framemd5(urls[address], { videoFrames: PICTURES }), { what: 'the pictures' })
        expect(new Set(frames.map(({ md5 }) => md5)).size, name).to.be.at.least(PICTURES * 0.9)
        const steps = frames.slice(1).map(({ pts }, index) => pts - frames[index]!.pts)
        // ffmpeg rounds them to the ticks of a frame rate that it guesses.
        expect(Math.min(...steps), name).to.be.at.least(0)
      }
      await Promise.all(ADDRESSES.map(decodes))
      await publisher.stop()
    },
  )

  for (const [codec, name] of [
    ['VP8', 'vp8'],
    ['VP9', 'vp9'],
    ['AV1', 'av1'],
  ] as const) {
    itBeside(`sends by enhanced FLV the ${codec} and Opus of a browser, whole`, async () => {
      const publisher = await page.publish(server.http(`/webrtc/push/live/${name}`), { codec })
      await untilPublished(server, `live/${name}`)
      const viewer = new FlvViewer(server.http(`/flv/live/${name}.flv`))
      await viewer.received.wait(PACKETS)
      await publisher.stop()
      const frames = (kind: string) => viewer.received.frames.filter((frame) => frame.kind === kind)
      expect(viewer.received.tracks.map((track) => track.codec)).to.have.members([name, 'opus'])
      expect(frames('audio')).not.to.have.length(0)
      const times = frames('video').map(({ dtsMs }) => dtsMs)
      expect(times).to.have.lengthOf.at.least(PACKETS / 10)
      expect(times).to.eql(times.toSorted((one, other) => one - other))
    })
  }

  itBeside('sends by RTSP what a browser publishes, sound too', async () => {
    const publisher = await page.publish(server.http('/webrtc/push/live/rtsp'), { codec: 'VP8' })
    await untilPublished(server, 'live/rtsp')
    const frames = await ffprobeFrames(server.rtsp('live/rtsp'), { packets: PACKETS })
    expect(frames.filter(({ kind }) => kind === 'video')).to.have.lengthOf.at.least(PICTURES)
    expect(frames.filter(({ kind }) => kind === 'audio')).not.to.have.length(0)
    await publisher.stop()
  })
})

describe('WebRTC of other programs', () => {
  for (const codec of ['VP8', 'H264'] as const) {
    it(`takes ${codec} from GStreamer and gives it to GStreamer`, async function () {
      requirePeer(this, 'webrtcbin')
      const server = await startWebRtcServer()
      const publisher = publishByWebrtcbin(server.http('/webrtc/push/live/gst'), codec)
      await publisher.waitForStderr('connected\n')
      const player = new WebrtcbinPlayer(server.http('/webrtc/play/live/gst'))
      const came = () => (['video', 'audio'] as const).map((kind) => player.frames(kind).length)
      await waitFor(() => came().every((count) => count >= PICTURES)).catch((cause: unknown) => {
        const said = [publisher, player.process].map(({ stderr }) => stderr)
        throw new Error(`${came().join()} frames came; ${JSON.stringify(said)}`, { cause })
      })
      expect(player.process.stderr).to.include(`video ${codec}\n`).and.include('audio OPUS\n')
      expect(publisher.stderr + player.process.stderr).not.to.include('failed')
    })
  }

  it('refuses an offer that is none, and says why', async () => {
    const server = await startWebRtcServer()
    const headers = { 'content-type': 'application/sdp' }
    const answer = await fetch(server.http('/webrtc/play/live/none'), { method: 'POST', headers, body: 'v=0\r\n' })
    expect(answer.status).to.equal(400)
    expect(await answer.text()).not.to.equal('')
  })
})
