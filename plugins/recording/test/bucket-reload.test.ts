import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { SwiftServer } from '../../../test/peers/swift-server.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { finishedFiles, listedFiles } from '../../../test/support/recordings.ts'
import { configOf, openBucket } from '../bucket/fixtures/s3-bucket.ts'
import { RecordingRig } from '../fixtures/recording-rig.ts'

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
    const source = await rig.publish('live/a', { unitBytes: 20_000 })
    for (let reload = 0; reload < 10; reload++) {
      const frames = source.frames
      await rig.restart()
      await waitFor(() => source.frames > frames + 40)
    }
    source.end()
    const files = await finishedFiles(rig.server, 'mp4')
    const nothingIsHere = async () => {
      const names = await readdir(path.join(rig.server.folder, 'recordings'))
      return names.every((name) => name === '.sluice-storage')
    }
    await waitFor(nothingIsHere, { what: 'the files to be sent' })
    const keys: string[] = []
    for await (const { key } of client.list()) keys.push(key)
    expect(keys.toSorted()).to.eql(files.map(({ filePath }) => filePath).toSorted())
    expect(files.length).to.be.greaterThan(10)
    expect(await listedFiles(rig.server, 'mp4')).to.eql(files)
    expect(rig.server.problems).to.eql([])
  })
})
