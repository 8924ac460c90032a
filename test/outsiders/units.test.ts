import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { PluginFolder } from '../../core/host/testing/plugin-folder.ts'
import { PLUGINS_FOLDER } from '../../core/package-root.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import type { ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { ask } from '../support/hls-client.ts'
import { Mp4Viewer } from '../support/mp4-viewer.ts'
import { startServer } from '../support/server.ts'

const GOP_FRAMES = 10
const PICTURES = 100
/** Within the second group of pictures; what follows of it can't be decoded. */
const MISSING = [14, 15]
const LEFT_OUT = 2 * GOP_FRAMES - MISSING[0]!

const pictures = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')
/** What a picture is, and how much later it is shown than decoded. */
const shown = ({ md5, ptsMs, dtsMs, keyframe }: ReceivedFrame) => ({ md5, keyframe, ctsMs: ptsMs - dtsMs })

describe('docs/plugins/units.md', () => {
  it('has a camera whose viewers get exactly its pictures, with decoding times, and whose data only who asks', async function () {
    requirePeer(this, 'ffmpeg')
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-camera-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const files = [path.join(folder, 'small.flv'), path.join(folder, 'large.flv')]
    const sources = await Promise.all(
      files.map((file, index) =>
        makeFlvFile(file, { video: { size: index === 0 ? '160x120' : '320x240', bFrames: 2, gopFrames: GOP_FRAMES } }),
      ),
    )
    const sent = sources.flatMap(({ frames }) => pictures(frames))
    expect(sent).to.have.length(PICTURES)
    const plugins = await PluginFolder.create()
    keep({ close: () => plugins.remove() })
    await plugins.write('camera.ts', (await blocksOf('docs/plugins/units.md', 'ts'))("name: 'camera'"))
    const config = JSON.stringify({ camera: { files, missing: MISSING }, hls: { fragment: '500ms' } })
    const server = await startServer({ config, pluginFolders: [PLUGINS_FOLDER, plugins.path] })

    const flv = new FlvViewer(server.http('/flv/camera/1.flv'))
    const mp4 = new Mp4Viewer(server.http('/mp4/camera/1.mp4'))
    const multivariant = ask(server.http('/hls/camera/1/index.m3u8'))
    const expected = [...sent.slice(0, MISSING[0]), ...sent.slice(2 * GOP_FRAMES)]
    const { frames } = flv.received
    await waitFor(() => pictures(frames).length >= expected.length, { what: 'the pictures by FLV' })
    await waitFor(() => mp4.pictures().length >= expected.length, { what: 'the pictures by fMP4' })
    expect(pictures(frames).map(shown)).to.eql(expected.map(shown))
    expect(mp4.pictures().map(({ keyframe }) => keyframe)).to.eql(expected.map(({ keyframe }) => keyframe))
    // Both sizes, each announced before its first picture; of two languages the first.
    expect(flv.received.sequenceHeaders.filter(({ type }) => type === 9)).to.have.length(2)
    expect(mp4.order.replace(/f+/gu, 'f')).to.match(/^i(?:i?f)?if$/u)
    const sounds = sources.flatMap((source) => source.frames).filter(({ kind }) => kind === 'audio')
    expect(frames.filter(({ kind }) => kind === 'audio').length).to.be.within(1, sounds.length)

    const positions = JSON.parse((await ask(server.http('/camera/positions'))).text) as { picture: number }[]
    expect(positions.map(({ picture }) => picture)).to.eql(
      Array.from({ length: PICTURES / GOP_FRAMES }, (_, index) => index * GOP_FRAMES),
    )
    const metrics = (await ask(server.http('/metrics'))).text
    expect(metrics).to.match(new RegExp(`^sluice_track_lost_units_total\\{.*codec="h264".*\\} ${LEFT_OUT}$`, 'mu'))
    expect(metrics).to.match(/^sluice_track_received_units_total\{.*codec="json".*\} 10$/mu)
    expect((await multivariant).text).to.match(/LANGUAGE="en".*\n.*LANGUAGE="de"/u)
  })
})
