import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { configOf, optionsOf } from '../../plugins/recording/bucket/fixtures/s3-bucket.ts'
import { S3Client } from '../../plugins/recording/bucket/s3/client.ts'
import { S3Requests } from '../../plugins/recording/bucket/s3/requests.ts'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { SwiftServer } from '../peers/swift-server.ts'
import { waitFor } from '../peers/wait-for.ts'
import { finishedFiles, listedFiles, post } from '../support/recordings.ts'
import { startServer } from '../support/server.ts'

const SECONDS = 4

async function keysOf(client: S3Client): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of client.list()) keys.push(key)
  return keys
}

describe('recordings in a bucket', () => {
  let swift: SwiftServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'swift')
    swift = await SwiftServer.start()
  })

  it('go there when they are whole, are played and deleted there, and leave nothing here', async () => {
    const bucket = configOf(swift.port)
    const requests = new S3Requests(bucket, optionsOf())
    const client = new S3Client(bucket, optionsOf())
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const env = {
      SLUICE_GLOBAL_DATADIR: path.join(folder, 'data'),
      SLUICE_GLOBAL_STORAGE_LOCAL_PATH: path.join(folder, 'recordings'),
    }
    const sourceFile = path.join(folder, 'source.mp4')
    await makeTestFile({ url: sourceFile, durationSeconds: SECONDS, video: { bFrames: 2 } })
    const source = await ffprobePackets(sourceFile, { kind: 'video' })
    const config = `
global:
  storage:
    s3:
      endpoint: ${bucket.endpoint}
      region: ${bucket.region}
      usessl: false
      accesskeyid: '${bucket.accesskeyid}'
      secretaccesskey: '${bucket.secretaccesskey}'
      bucket: ${bucket.bucket}
mp4:
  onpub:
    record:
      ^live/: { filepath: '{stream}', fragment: 1s }
      ^named/: { filepath: named, filename: name }
`
    const first = await startServer({ config, env })
    await publishFile(sourceFile, first.rtmp('live/cam')).succeed()
    const files = await finishedFiles(first, 'mp4', SECONDS)
    const failures = () => first.records.filter(({ msg }) => msg === 'an upload failed and is tried again')
    await waitFor(() => failures().length > 0)
    expect(failures()[0]?.['reason']).to.include(bucket.bucket)
    await first.stop()

    await requests.send({ method: 'PUT' })
    const server = await startServer({ config, env })
    await waitFor(async () => (await keysOf(client)).length === files.length)
    expect((await keysOf(client)).toSorted()).to.eql(files.map(({ filePath }) => filePath).toSorted())
    const nothingIsHere = async () => {
      const names = await readdir(path.join(folder, 'recordings'))
      return names.every((name) => name === '.sluice-storage')
    }
    await waitFor(nothingIsHere)
    expect(await listedFiles(server, 'mp4')).to.eql(files)
    const played = await ffprobePackets(server.http('/flv/vod_mp4_1/live/cam.flv'), { kind: 'video' })
    expect(played.map(({ md5 }) => md5)).to.eql(source.map(({ md5 }) => md5))

    const removed = await post(server, '/mp4/api/delete/live/cam', { ids: files.slice(1).map(({ id }) => id) })
    expect(removed).to.have.length(files.length - 1)
    expect(await keysOf(client)).to.eql([files[0]?.filePath])

    // A name that is taken there gets a number, too.
    for (const key of ['named/name.mp4', 'named/name-2.mp4']) {
      await publishFile(sourceFile, server.rtmp('named/cam')).succeed()
      await waitFor(async () => (await keysOf(client)).includes(key) && (await nothingIsHere()))
    }
    expect(server.problems).to.eql([])
    await server.stop()
    await rm(folder, { recursive: true })
  })
})
