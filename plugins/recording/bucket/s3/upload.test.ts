import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { pino } from 'pino'
import type { Dialer } from 'sluice/sdk'
import { FakeNet } from 'sluice/sdk/testing'
import { keep } from '../../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { SwiftServer } from '../../../../test/peers/swift-server.ts'
import { waitFor } from '../../../../test/peers/wait-for.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { isSoak } from '../../../../test/support/soak.ts'
import { FaultyFront } from '../fixtures/faulty-front.ts'
import { configOf, openBucket, optionsOf } from '../fixtures/s3-bucket.ts'
import type { S3Client } from './client.ts'
import { abortMultipart } from './multipart.ts'
import { S3Requests } from './requests.ts'
import { PART_BYTES } from './upload.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const MB = 1024 * 1024
const PART = /partNumber=(\d+)/u

/** Creates a file of random bytes; returns its path and the bytes. */
async function makeFile(sizeBytes: number): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 's3-upload-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  const path = join(folder, 'file.mp4')
  const bytes = randomBytes(sizeBytes)
  await writeFile(path, bytes)
  return { path, bytes }
}

async function contents(client: S3Client, key: string): Promise<Buffer> {
  const object = await client.open(key)
  const parts: Buffer[] = []
  for (let at = 0; at < object.sizeBytes; at += 4 * MB) parts.push(await object.read(at, 4 * MB))
  return Buffer.concat(parts)
}

/** Returns the number of uploads in the bucket that are neither complete nor given up. */
async function openUploads(config: ReturnType<typeof configOf>): Promise<number> {
  const { body } = await new S3Requests(config, optionsOf()).send({ method: 'GET', query: { uploads: '' } })
  return body.toString().split('<UploadId>').length - 1
}

describe('the upload of a file to S3', function () {
  let swift: SwiftServer
  let front: FaultyFront
  before(async function () {
    requirePeer(this, 'swift')
    swift = await SwiftServer.start()
  })
  beforeEach(async () => {
    front = await FaultyFront.start({ target: swift.port })
  })

  it('goes in one request where the file is small, empty ones included', async () => {
    const client = await openBucket(configOf(front.port))
    for (const sizeBytes of [0, 1, PART_BYTES]) {
      const { path, bytes } = await makeFile(sizeBytes)
      const key = `${sizeBytes} bytes.mp4`
      const progress: number[] = []
      await client.upload(key, path, { onProgress: (uploadedBytes) => progress.push(uploadedBytes) })
      expect((await contents(client, key)).equals(bytes), key).to.equal(true)
      expect(progress).to.eql([sizeBytes])
    }
    expect(front.count('POST', /uploads/u)).to.equal(0)
  })

  it('goes in parts, of which one that fails twice is sent again', async () => {
    const client = await openBucket(configOf(front.port))
    const { path, bytes } = await makeFile(30 * MB + 123)
    const faults = ['cut', 'slow-down'] as const
    let failures = 0
    front.fault = ({ url }) => (PART.exec(url)?.[1] === '3' ? faults[failures++] : undefined)
    const progress: number[] = []
    await client.upload('live/cam +1%.mp4', path, { onProgress: (uploadedBytes) => progress.push(uploadedBytes) })
    expect((await contents(client, 'live/cam +1%.mp4')).equals(bytes)).to.equal(true)
    const parts = front.seen.flatMap(({ url }) => PART.exec(url)?.[1] ?? [])
    expect(parts.toSorted()).to.eql(['1', '2', '3', '3', '3', '4'])
    expect(progress).to.have.length(4)
    expect(progress.at(-1)).to.equal(bytes.length)
    expect(progress).to.eql(progress.toSorted((a, b) => a - b))
  })

  it('goes on where it was, in a further run', async () => {
    const config = configOf(front.port)
    const client = await openBucket(config)
    const { path, bytes } = await makeFile(20 * MB)
    const upload = client.prepareUpload('a', path)
    const stopping = new AbortController()
    front.fault = ({ url }) => (PART.exec(url)?.[1] === '3' ? 'stall' : undefined)
    const running = upload.run({ signal: stopping.signal })
    await waitFor(() => front.count('PUT', /partNumber=3/u) === 1)
    stopping.abort(new Error('later'))
    expect((await rejectionOf(running)).message).to.equal('later')
    front.fault = () => undefined
    const sent = front.count('PUT', PART)
    await upload.run()
    expect((await contents(client, 'a')).equals(bytes)).to.equal(true)
    // The second part may have come whole or not.
    expect(front.count('PUT', PART) - sent).to.be.within(1, 2)
    expect(front.count('POST', /\?uploads=$/u)).to.equal(1)
  })

  it('begins anew where the server has thrown away what had come', async () => {
    const config = configOf(front.port)
    const client = await openBucket(config)
    const { path, bytes } = await makeFile(9 * MB)
    const upload = client.prepareUpload('a', path)
    const stopping = new AbortController()
    front.fault = ({ url }) => (PART.test(url) ? 'stall' : undefined)
    const running = upload.run({ signal: stopping.signal })
    await waitFor(() => front.count('PUT', PART) === 2)
    stopping.abort(new Error('later'))
    await rejectionOf(running)
    front.fault = () => undefined
    const { searchParams } = new URL(front.seen.find(({ url }) => PART.test(url))?.url ?? '', 'http://any')
    const multipart = { key: 'a', uploadId: searchParams.get('uploadId') ?? '' }
    await abortMultipart(new S3Requests(config, optionsOf()), multipart)
    expect(await rejectionOf(upload.run())).to.include({ passes: true })
    await upload.run()
    expect((await contents(client, 'a')).equals(bytes)).to.equal(true)
  })

  it('is done where only the answer to its end was lost', async () => {
    const config = configOf(front.port)
    const client = await openBucket(config)
    const { path, bytes } = await makeFile(9 * MB)
    // Some servers know the upload after that, such as Swift; others don't.
    const faults = ['lose-answer', 'no-upload'] as const
    let asked = 0
    front.fault = ({ method, url }) => (method === 'POST' && url.includes('uploadId') ? faults[asked++] : undefined)
    await client.upload('a', path)
    expect((await contents(client, 'a')).equals(bytes)).to.equal(true)
    expect(front.count('PUT', PART)).to.equal(2)
    expect(asked).to.equal(2)
    expect(await openUploads(config)).to.equal(0)
  })

  it('has failed where the server has something else in the end', async () => {
    const client = await openBucket(configOf(front.port))
    front.fault = ({ method }) => (method === 'HEAD' ? 'other-etag' : undefined)
    for (const sizeBytes of [1 * MB, 9 * MB]) {
      const { path } = await makeFile(sizeBytes)
      const error = await rejectionOf(client.upload('a', path))
      expect(error).to.include({ passes: true, message: 'the server does not have what was sent, by its size or ETag' })
    }
  })

  it('leaves nothing behind where it is aborted', async () => {
    const config = configOf(front.port)
    const client = await openBucket(config)
    const { path } = await makeFile(30 * MB)
    const stopping = new AbortController()
    front.fault = ({ url }) => (PART.exec(url)?.[1] === '3' ? 'stall' : undefined)
    const uploading = client.upload('a', path, { signal: stopping.signal })
    await waitFor(() => front.count('PUT', /partNumber=3/u) === 1)
    expect(await openUploads(config)).to.equal(1)
    const reason = new Error('enough')
    stopping.abort(reason)
    expect(await rejectionOf(uploading)).to.equal(reason)
    expect(await openUploads(config)).to.equal(0)
    expect(await client.head('a')).to.equal(undefined)
  })

  it('goes in larger parts where there would be too many of them', async () => {
    const config = configOf(front.port)
    const client = await openBucket(config)
    const { path } = await makeFile(0)
    // A file takes no room for bytes that were not written.
    await truncate(path, 200_000 * MB)
    front.fault = ({ url }) => (PART.test(url) ? 'stall' : undefined)
    const stopping = new AbortController()
    const uploading = client.upload('a', path, { signal: stopping.signal })
    await waitFor(() => front.count('PUT', PART) === 2)
    stopping.abort(new Error('enough'))
    await rejectionOf(uploading)
    const sizes = front.seen.filter(({ url }) => PART.test(url)).map(({ sizeBytes }) => sizeBytes)
    expect(sizes).to.eql([20 * MB, 20 * MB])
  })

  it('fails for good where the file is gone, or was changed meanwhile', async () => {
    const client = await openBucket(configOf(front.port))
    const gone = await rejectionOf(client.upload('a', '/nowhere/file.mp4'))
    expect(gone).to.include({ passes: false, message: "the file can't be read: ENOENT" })
    const { path } = await makeFile(20 * MB)
    front.fault = ({ url }) => (PART.exec(url)?.[1] === '2' ? 'stall' : undefined)
    const upload = client.prepareUpload('a', path)
    const stopping = new AbortController()
    const running = upload.run({ signal: stopping.signal })
    await waitFor(() => front.count('PUT', /partNumber=2/u) === 1)
    await truncate(path, 18 * MB)
    stopping.abort(new Error('later'))
    await rejectionOf(running)
    expect(await rejectionOf(upload.run())).to.include({ passes: false })
    await upload.abandon()
  })

  it('fails for good where the file becomes shorter as it is sent', async () => {
    const client = await openBucket(configOf(front.port))
    const { path } = await makeFile(20 * MB)
    front.fault = ({ url }) => {
      if (url.endsWith('?uploads=')) void truncate(path, 1 * MB)
      return undefined
    }
    const error = await rejectionOf(client.upload('a', path))
    expect(error).to.include({ passes: false, message: 'the file became shorter while it was read' })
  })

  it('has little of the file in memory at any time', async () => {
    const client = await openBucket(configOf(swift.port))
    const sizeBytes = (isSoak ? 200 : 80) * MB
    const { path } = await makeFile(sizeBytes)
    // Garbage does not count: when it is collected depends on the machine.
    const used = () => {
      collectGarbage()
      const { external, heapUsed } = process.memoryUsage()
      return external + heapUsed
    }
    const before = used()
    const growths: number[] = []
    const timer = setInterval(() => growths.push(used() - before), 20)
    try {
      await client.upload('large.mp4', path)
    } finally {
      clearInterval(timer)
    }
    expect(await client.head('large.mp4')).to.include({ sizeBytes })
    expect(growths).to.not.eql([])
    expect(Math.max(...growths)).to.be.below(16 * MB)
  })
})

describe('the upload of a file to S3 over TLS', function () {
  it('is taken without a hash of the file, which is read once', async function () {
    requirePeer(this, 'swift')
    const swift = await SwiftServer.start()
    const tls = await new FakeNet(pino({ level: 'silent' })).certificate()
    const front = await FaultyFront.start({ target: swift.port, tls })
    const dialer: Dialer = {
      proxied: false,
      async connect({ host, port }) {
        const socket = connect({ host, port, ca: tls.cert, checkServerIdentity: () => undefined })
        await once(socket, 'secureConnect')
        return socket
      },
      checkAddress() {},
    }
    const config = configOf(front.port, { usessl: true })
    const client = await openBucket(config, { dialer })
    expect((await rejectionOf(new S3Requests(config, optionsOf()).send({ method: 'GET' }))).message).to.contain(
      'its certificate is not trusted',
    )
    const { path, bytes } = await makeFile(9 * MB)
    await client.upload('a b', path)
    expect((await contents(client, 'a b')).equals(bytes)).to.equal(true)
    const sent = front.seen.filter(({ url }) => PART.test(url))
    expect(sent.map(({ payloadHash }) => payloadHash)).to.eql(['UNSIGNED-PAYLOAD', 'UNSIGNED-PAYLOAD'])
  })
})
