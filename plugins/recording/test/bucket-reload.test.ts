import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { SwiftServer } from '../../../test/peers/swift-server.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { listedFiles } from '../../../test/support/recordings.ts'
import { configOf, openBucket } from '../bucket/fixtures/s3-bucket.ts'
import { RecordingRig } from '../fixtures/recording-rig.ts'

const RELOADS = 10
const GOP_FRAMES = 10
const FRAME_MS = 10
const RULES = { '^live/': { filepath: '{stream}', fragment: '300ms' } }

describe('recordings for a bucket while their plugin is reloaded', () => {
  it('all come there once, and leave nothing here', async function () {
    requirePeer(this, 'swift')
    const swift = await SwiftServer.start()
    const bucket = configOf(swift.port)
    const client = await openBucket(bucket)
    const rig = await RecordingRig.start({
      global: { storage: { s3: { ...bucket, timeout: '30s' } } },
      mp4: { onpub: { record: RULES } },
    })
    const source = await rig.publish('live/a', { unitBytes: 20_000, gopFrames: GOP_FRAMES })
    for (let reload = 0; reload < RELOADS; reload++) {
      const frames = source.frames
      await rig.restart()
      await waitFor(() => source.frames > frames + 40)
    }
    source.end()
    /** All but the pictures before the first keyframe. */
    const leastMs = (source.frames - 2 * GOP_FRAMES) * FRAME_MS
    const areAllThere = async () => {
      const listed = await listedFiles(rig.server, 'mp4')
      const recordedMs = listed.reduce((sum, file) => sum + Date.parse(file.endTime) - Date.parse(file.startTime), 0)
      const kept = await readdir(path.join(rig.server.folder, 'recordings'))
      const sent: string[] = []
      for await (const { key } of client.list()) sent.push(key)
      expect(listed.filter(({ isActive }) => isActive)).to.eql([])
      expect(kept.filter((name) => name !== '.sluice-storage')).to.eql([])
      expect(sent.toSorted()).to.eql(listed.map(({ filePath }) => filePath).toSorted())
      expect(recordedMs).to.be.at.least(leastMs)
      expect(listed.length).to.be.greaterThan(RELOADS)
      return true
    }
    await waitFor(areAllThere, { what: 'the files to be sent' })
    expect(rig.server.problems).to.eql([])
  })
})
