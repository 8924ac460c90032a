import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { FakeMetrics } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { SwiftServer } from '../../../test/peers/swift-server.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { FaultyFront } from './fixtures/faulty-front.ts'
import { configOf, openBucket, optionsOf } from './fixtures/s3-bucket.ts'
import { S3Client } from './s3/client.ts'
import { S3Requests } from './s3/requests.ts'
import { StorageError } from './storage-error.ts'
import { UploadMeters } from './upload-meters.ts'
import {
  MAX_WAITING_FILES,
  PARALLEL_UPLOADS,
  UploadQueue,
  type PendingUpload,
  type UploadFile,
  type UploadTarget,
} from './upload-queue.ts'

const MB = 1024 * 1024
const AWAY = new StorageError('away', { passes: true })
const REFUSED = new StorageError('access is denied', { passes: false })

/** The files of a queue, by the end of their upload. */
class Outcomes {
  readonly done: string[] = []
  readonly failed: string[] = []
  readonly reasons: string[] = []
  readonly lines: string[] = []
  readonly queue: UploadQueue

  constructor(target: UploadTarget, { meters } = seenMeters()) {
    const log = pino({ level: 'debug' }, { write: (line: string) => void this.lines.push(line) })
    this.queue = new UploadQueue({
      log,
      target,
      meters,
      done: ({ key }) => this.done.push(key),
      failed: ({ key }, { message }) => {
        this.failed.push(key)
        this.reasons.push(message)
      },
    })
    keep({ close: () => this.queue.close(0) })
  }
}

/** A target with uploads that a test ends: each run waits for the next outcome of its key. */
class FakeTarget implements UploadTarget {
  readonly running = new Map<string, PromiseWithResolvers<void>>()
  readonly runs: string[] = []
  readonly abandoned: string[] = []

  prepareUpload(key: string): PendingUpload {
    return {
      run: ({ signal }) => {
        const outcome = Promise.withResolvers<void>()
        this.runs.push(key)
        this.running.set(key, outcome)
        signal.addEventListener('abort', () => outcome.reject(signal.reason))
        return outcome.promise.finally(() => this.running.delete(key))
      },
      abandon: () => {
        this.abandoned.push(key)
        return Promise.resolve()
      },
    }
  }

  async end(key: string, error?: Error): Promise<void> {
    const outcome = await waitFor(() => this.running.get(key), { what: `${key} to run` })
    if (error === undefined) outcome.resolve()
    else outcome.reject(error)
  }
}

/** Meters, with a function that reads their values as `/metrics` has them. */
function seenMeters() {
  const metrics = new FakeMetrics('recording', pino({ level: 'silent' }), ['sluice_upload_'])
  const meters = new UploadMeters(metrics.lend(() => {}).registry)
  return { meters, value: (...series: Parameters<FakeMetrics['value']>) => metrics.value(...series) }
}

async function makeFiles(...sizes: readonly number[]): Promise<UploadFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-queue-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  const files = sizes.map((_, at) => ({ key: `live/${at}.mp4`, filePath: join(folder, `${at}.mp4`) }))
  for (const [at, { filePath }] of files.entries()) await writeFile(filePath, Buffer.alloc(sizes[at] ?? 0, at))
  return files
}

describe('the queue of uploads', () => {
  it('gives up what it is told to, whether it is under way or waits', async () => {
    const target = new FakeTarget()
    const { queue, done, failed } = new Outcomes(target)
    for (const file of await makeFiles(100, 200, 300)) queue.add(file)
    await waitFor(() => target.running.size === PARALLEL_UPLOADS && queue.waitingBytes === 600)
    expect(await queue.remove('live/2.mp4')).to.equal(true)
    expect(await queue.remove('live/0.mp4')).to.equal(true)
    expect(await queue.remove('live/0.mp4')).to.equal(false)
    expect(queue).to.include({ waitingFiles: 1, waitingBytes: 200 })
    await target.end('live/1.mp4')
    await waitFor(() => done.length === 1)
    expect({ done, failed }).to.eql({ done: ['live/1.mp4'], failed: [] })
    expect(target.abandoned.toSorted()).to.eql(['live/0.mp4', 'live/2.mp4'])
    expect(target.runs).not.to.include('live/2.mp4')
  })

  it('uploads some files at a time, in order, and says what waits', async () => {
    const target = new FakeTarget()
    const { queue, done } = new Outcomes(target)
    const files = await makeFiles(100, 200, 300)
    for (const file of files) expect(queue.add(file)).to.equal(true)
    await waitFor(() => target.running.size === PARALLEL_UPLOADS && queue.waitingBytes === 600)
    expect(queue.waitingFiles).to.equal(3)
    // Uploads that run together begin when their sizes are known.
    expect(target.runs.toSorted()).to.eql(['live/0.mp4', 'live/1.mp4'])
    await target.end('live/1.mp4')
    await waitFor(() => target.running.has('live/2.mp4'))
    expect(queue).to.include({ waitingFiles: 2, waitingBytes: 400 })
    await target.end('live/0.mp4')
    await target.end('live/2.mp4')
    await waitFor(() => done.length === 3)
    expect(queue).to.include({ waitingFiles: 0, waitingBytes: 0 })
    expect(target.abandoned).to.eql([])
  })

  it('tries again what may pass, behind the others, and tells nobody', async () => {
    const target = new FakeTarget()
    const { queue, done, failed, lines } = new Outcomes(target)
    const [first, second] = await makeFiles(10, 20)
    queue.add(first!)
    await target.end('live/0.mp4', AWAY)
    await waitFor(() => lines.length === 1)
    queue.add(second!)
    await target.end('live/0.mp4', AWAY)
    await target.end('live/1.mp4')
    await target.end('live/0.mp4')
    await waitFor(() => done.length === 2)
    expect(done).to.eql(['live/1.mp4', 'live/0.mp4'])
    expect(failed).to.eql([])
    expect(lines.map((line) => JSON.parse(line) as object)).to.have.length(1)
    expect(JSON.parse(lines[0] ?? '')).to.include({ key: 'live/0.mp4', reason: 'away', waitingFiles: 1 })
  })

  it('tells of what will not pass, and has the storage throw away what came', async () => {
    const target = new FakeTarget()
    const { queue, done, failed, reasons } = new Outcomes(target)
    const [file] = await makeFiles(10)
    queue.add(file!)
    await target.end('live/0.mp4', REFUSED)
    await waitFor(() => failed.length === 1)
    expect(reasons).to.eql(['access is denied'])
    expect(done).to.eql([])
    await waitFor(() => target.abandoned.length === 1)
    expect(queue).to.include({ waitingFiles: 0, waitingBytes: 0 })
    expect(queue.add(file!)).to.equal(true)
    await target.end('live/0.mp4')
    await waitFor(() => done.length === 1)
  })

  it('goes on where those throw who are told', async () => {
    const target = new FakeTarget()
    const log = pino({ level: 'silent' })
    const queue = new UploadQueue({
      log,
      target,
      meters: seenMeters().meters,
      done() {
        throw new Error('a mistake')
      },
      failed() {
        throw new Error('a mistake')
      },
    })
    keep({ close: () => queue.close(0) })
    for (const file of await makeFiles(1, 2, 3, 4, 5, 6)) queue.add(file)
    await target.end('live/0.mp4', REFUSED)
    await target.end('live/1.mp4', new TypeError('a mistake of ours'))
    for (const at of [2, 3, 4, 5]) await target.end(`live/${at}.mp4`)
    await waitFor(() => queue.waitingFiles === 0)
  })

  it('takes a file once, and no more than may wait', () => {
    const target = new FakeTarget()
    const seen = seenMeters()
    const { queue } = new Outcomes(target, seen)
    const fileOf = (at: number) => ({ key: `${at}`, filePath: `/nowhere/${at}` })
    for (let at = 0; at < MAX_WAITING_FILES; at++) expect(queue.add(fileOf(at))).to.equal(true)
    expect(queue.add(fileOf(MAX_WAITING_FILES))).to.equal(false)
    expect(queue.add(fileOf(0))).to.equal(true)
    expect(queue.waitingFiles).to.equal(MAX_WAITING_FILES)
    expect(seen.value('sluice_upload_files_total', { outcome: 'refused' })).to.equal(1)
    expect(seen.value('sluice_upload_waiting_files')).to.equal(MAX_WAITING_FILES)
  })

  it('ends after the uploads that are under way, where these are done in time', async () => {
    const target = new FakeTarget()
    const { queue, done } = new Outcomes(target)
    const files = await makeFiles(1, 2, 3)
    for (const file of files) queue.add(file)
    await waitFor(() => target.running.size === 2)
    const closing = queue.close(60_000)
    expect(queue.add({ key: 'late', filePath: '/nowhere' })).to.equal(false)
    await target.end('live/0.mp4')
    await target.end('live/1.mp4')
    await closing
    expect(done).to.eql(['live/0.mp4', 'live/1.mp4'])
    expect(target.runs).to.have.length(2)
  })

  it('gives up what is not done in time when it ends, and pauses no longer', async () => {
    const target = new FakeTarget()
    const { queue, done, failed, lines } = new Outcomes(target)
    const [first, second] = await makeFiles(1, 2)
    queue.add(first!)
    await target.end('live/0.mp4', AWAY)
    await waitFor(() => lines.length === 1)
    queue.add(second!)
    await waitFor(() => target.running.size > 0)
    await queue.close(10)
    expect(target.running.size).to.equal(0)
    expect(target.abandoned).to.have.members(['live/0.mp4', 'live/1.mp4'])
    expect([...done, ...failed]).to.eql([])
  })
})

describe('the queue of uploads to S3', function () {
  let swift: SwiftServer
  let front: FaultyFront
  before(async function () {
    requirePeer(this, 'swift')
    swift = await SwiftServer.start()
  })
  beforeEach(async () => {
    front = await FaultyFront.start({ target: swift.port })
  })

  it('waits while the server is away, and goes on where it was', async () => {
    const seen = seenMeters()
    const config = configOf(front.port)
    const client = await openBucket(config)
    const outcomes = new Outcomes(client, seen)
    const files = await makeFiles(20 * MB, 1000, 2000)
    front.fault = ({ url }) => {
      // Two parts of the first file have come by then.
      if (/partNumber=3/u.test(url)) front.close()
      return undefined
    }
    outcomes.queue.add(files[0]!)
    await waitFor(() => outcomes.lines.length > 0)
    for (const file of files) outcomes.queue.add(file)
    await waitFor(() => seen.value('sluice_upload_waiting_bytes') === 20 * MB + 3000)
    expect(seen.value('sluice_upload_waiting_files')).to.equal(3)
    front.fault = () => undefined
    await front.listen()
    await waitFor(() => outcomes.done.length === 3)
    for (const [at, size] of [20 * MB, 1000, 2000].entries()) {
      const object = await client.open(`live/${at}.mp4`)
      expect(object.sizeBytes).to.equal(size)
      expect([...(await object.read(size - 2, 2))]).to.eql([at, at])
    }
    expect(front.count('POST', /\?uploads=$/u)).to.equal(1)
    expect(outcomes.failed).to.eql([])
    expect(seen.value('sluice_upload_files_total', { outcome: 'done' })).to.equal(3)
    expect(seen.value('sluice_upload_bytes_total')).to.equal(20 * MB + 3000)
    expect(seen.value('sluice_upload_waiting_files')).to.equal(0)
    expect(seen.value('sluice_upload_waiting_bytes')).to.equal(0)
    expect(seen.value('sluice_upload_retries_total')).to.be.greaterThan(0)
    expect(outcomes.lines.join('')).not.to.contain(config.secretaccesskey)
  })

  it('tells what is wrong where the bucket is not there, and goes on when it is', async () => {
    const config = configOf(front.port)
    const { queue, done, failed, lines } = new Outcomes(new S3Client(config, optionsOf()))
    const [file] = await makeFiles(10)
    queue.add(file!)
    await waitFor(() => lines.length > 0)
    expect(lines.join('')).to.match(/there is no bucket bucket-\w+: make it, or change bucket of S3/u)
    expect(queue.waitingFiles).to.equal(1)
    await new S3Requests(config, optionsOf()).send({ method: 'PUT' })
    await waitFor(() => done.length === 1)
    expect(failed).to.eql([])
  })
})
