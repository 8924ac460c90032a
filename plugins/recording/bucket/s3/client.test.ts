import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { SWIFT_DOMAIN, SwiftServer } from '../../../../test/peers/swift-server.ts'
import { waitFor } from '../../../../test/peers/wait-for.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { openDialer } from '../../../../test/support/open-dialer.ts'
import { FaultyFront } from '../fixtures/faulty-front.ts'
import { configOf, makeBucket, openBucket, optionsOf } from '../fixtures/s3-bucket.ts'
import { StorageError } from '../storage-error.ts'
import { S3Client } from './client.ts'
import { S3Requests } from './requests.ts'
import { S3Error } from './s3-error.ts'

/** Keys with characters that servers and shells split at unless they are encoded. */
const KEYS = [
  'plain.mp4',
  'live/cam 1/2026-11-26 01.30.00.mp4',
  'live/plus+percent%25&amp;=#?;,.mp4',
  "live/'(quoted)'*!~$@:[]{}|\\^`\".mp4",
  'live/küche/カメラ/🎥.mp4',
  'a//b/',
]

const contents = async (client: S3Client, key: string) => {
  const object = await client.open(key)
  return object.read(0, object.sizeBytes)
}

async function keysOf(client: S3Client, prefix?: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of client.list(prefix)) keys.push(key)
  return keys
}

describe('a bucket of S3', function () {
  let swift: SwiftServer
  before(async function () {
    requirePeer(this, 'swift')
    swift = await SwiftServer.start()
  })

  it('has what was put there, under keys of any characters', async () => {
    const client = await openBucket(configOf(swift.port))
    for (const key of KEYS) {
      await client.put(key, Buffer.from(key))
      expect((await contents(client, key)).toString(), key).to.equal(key)
    }
    expect(await keysOf(client)).to.have.members(KEYS)
  })

  it('has all keys below its prefix, and is listed without it', async () => {
    const config = configOf(swift.port)
    const all = await openBucket(config)
    const below = new S3Client({ ...config, pathprefix: '/records/cam +1/' }, optionsOf())
    await all.put('other', Buffer.alloc(1))
    await below.put('a.mp4', Buffer.alloc(3))
    await below.put('b.mp4', Buffer.alloc(4))
    expect(await keysOf(all)).to.eql(['other', 'records/cam +1/a.mp4', 'records/cam +1/b.mp4'])
    expect(await keysOf(below)).to.eql(['a.mp4', 'b.mp4'])
    expect(await keysOf(below, 'b')).to.eql(['b.mp4'])
    const [first] = await Array.fromAsync(below.list())
    expect(first?.sizeBytes).to.equal(3)
    expect(Math.abs(Date.now() - (first?.modified.getTime() ?? 0))).to.be.lessThan(600_000)
  })

  it('is listed page by page', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const client = await openBucket(configOf(front.port))
    const keys = Array.from({ length: 23 }, (_, at) => `k${at + 10}`)
    for (const key of keys) await client.put(key, Buffer.alloc(0))
    expect(await keysOf(client)).to.eql(keys)
    expect(front.count('GET', /list-type=2/u)).to.equal(3)
  })

  it('says whether an object is there, how large it is, and lets go of it', async () => {
    const client = await openBucket(configOf(swift.port))
    await client.put('a', Buffer.alloc(7))
    expect(await client.head('a')).to.include({ sizeBytes: 7 })
    await client.delete('a')
    expect(await client.head('a')).to.equal(undefined)
    await client.delete('a')
  })

  it('is read in ranges, which are those of what was put', async () => {
    const client = await openBucket(configOf(swift.port))
    const bytes = randomBytes(300_000)
    await client.put('a', bytes)
    const object = await client.open('a')
    expect(object.sizeBytes).to.equal(bytes.length)
    const ranges = [
      [0, 1],
      [1000, 99_999],
      [0, 300_000],
      [299_999, 1],
      [299_000, 5000],
      [300_000, 10],
    ] as const
    const read = await Promise.all(ranges.map(([offset, size]) => object.read(offset, size)))
    for (const [at, [offset, size]] of ranges.entries()) {
      expect(read[at]?.equals(bytes.subarray(offset, offset + size)), `${size} from ${offset} on`).to.equal(true)
    }
    await object.close()
    expect((await rejectionOf(object.read(0, 1))).message).to.contain('no longer read')
  })

  it('is not read on where the object was replaced', async () => {
    const client = await openBucket(configOf(swift.port))
    await client.put('a', Buffer.from('first'))
    const object = await client.open('a')
    await client.put('a', Buffer.from('other'))
    expect((await rejectionOf(object.read(0, 5))).message).to.equal('the object was replaced meanwhile')
  })

  it('is read on after an answer that was cut', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const client = await openBucket(configOf(front.port))
    const bytes = randomBytes(200_000)
    await client.put('a', bytes)
    const object = await client.open('a')
    let left = 2
    front.fault = ({ method }) => (method === 'GET' && left-- > 0 ? 'cut-answer' : undefined)
    expect((await object.read(0, bytes.length)).equals(bytes)).to.equal(true)
    expect(front.count('GET', /\/a$/u)).to.equal(3)
  })

  it('gives addresses that curl reads without credentials, until they expire', async () => {
    const config = configOf(swift.port)
    let ageMs = 0
    const client = await openBucket(config, { now: () => Date.now() - ageMs })
    for (const key of KEYS) {
      await client.put(key, Buffer.from(key))
      const url = client.signedUrl(key, 60)
      expect((await runPeer('curl', ['-sS', '--fail', '--globoff', url])).toString(), key).to.equal(key)
    }
    ageMs = 59_000
    const url = client.signedUrl('plain.mp4', 60)
    const status = async (url: string) =>
      (await runPeer('curl', ['-sS', '-o', '/dev/null', '-w', '%{http_code}', url])).toString()
    await waitFor(async () => (await status(url)) === '403', { what: 'the address to expire' })
    expect(await status(url.replace(/\?.*/u, ''))).to.match(/^40[03]$/u)
    expect(await status(client.signedUrl('plain.mp4', 3600).replace('plain', 'other'))).to.equal('403')
    expect(() => client.signedUrl('a', 0)).to.throw(RangeError)
    expect(() => client.signedUrl('a', 604_801)).to.throw(RangeError)
  })

  it('tells browsers what an object is', async () => {
    const client = await openBucket(configOf(swift.port))
    for (const [key, expected] of [
      ['a.b/c.MP4', 'video/mp4'],
      ['live.mp4/index.m3u8', 'application/vnd.apple.mpegurl'],
      ['live.mp4/notes', 'application/octet-stream'],
    ] as const) {
      await client.put(key, Buffer.from('a'))
      const { headers } = await fetch(client.signedUrl(key, 60))
      expect(headers.get('content-type'), key).to.equal(expected)
    }
  })

  it('is found by its own name below that of the server', async () => {
    const dialer = openDialer({ lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) })
    const config = configOf(swift.port, { endpoint: `${SWIFT_DOMAIN}:${swift.port}` })
    await makeBucket({ ...config, endpoint: `127.0.0.1:${swift.port}` })
    const client = new S3Client(config, optionsOf({ dialer }))
    for (const key of KEYS) {
      await client.put(key, Buffer.from(key))
      expect((await contents(client, key)).toString(), key).to.equal(key)
    }
    expect(await keysOf(client)).to.have.members(KEYS)
    const url = new URL(client.signedUrl('plain.mp4', 60))
    expect(url.host).to.equal(`${config.bucket}.${SWIFT_DOMAIN}:${swift.port}`)
    const resolve = ['--resolve', `${url.host}:127.0.0.1`]
    expect((await runPeer('curl', ['-sS', '--fail', ...resolve, url.href])).toString()).to.equal('plain.mp4')
  })
})

describe('a bucket of S3 that can not be had', function () {
  let swift: SwiftServer
  before(async function () {
    requirePeer(this, 'swift')
    swift = await SwiftServer.start()
  })

  const failureOf = async (changes: Parameters<typeof configOf>[1], now?: () => number): Promise<StorageError> => {
    const config = configOf(swift.port)
    await makeBucket(config)
    const client = new S3Client({ ...config, ...changes }, optionsOf(now && { now }))
    const error = await rejectionOf(client.put('a', Buffer.from('a')))
    expect(error).to.be.instanceOf(StorageError)
    return error as StorageError
  }

  it('is told apart by what is wrong, in words that say what to do', async () => {
    const secret = 'a-wrong-secret'
    const cases = [
      [{ secretaccesskey: secret }, 'SignatureDoesNotMatch', 'secretaccesskey'],
      [{ accesskeyid: 'test:nobody' }, 'SignatureDoesNotMatch', 'accesskeyid'],
      [{ bucket: 'is-not-there' }, 'NoSuchBucket', 'there is no bucket is-not-there'],
      [{ region: 'us-east-1' }, 'AuthorizationHeaderMalformed', 'is in the region eu-test-1: set region'],
    ] as const
    for (const [changes, code, text] of cases) {
      const error = await failureOf(changes)
      expect(error).to.be.instanceOf(S3Error)
      expect(error).to.include({ code, passes: false })
      expect(error.message).to.contain(text)
      expect(JSON.stringify([error.message, error.stack, error])).not.to.contain(secret)
    }
  })

  it('is refused where the clock is wrong, which the error says, and by how much', async () => {
    const error = await failureOf({}, () => Date.now() - 3_600_000)
    expect(error).to.include({ code: 'RequestTimeTooSkewed', passes: false })
    expect(error.message).to.match(/^the clock of this machine is 3[56]\d\d s behind the server's: set it right/u)
  })

  it('is not there where the object is to be opened', async () => {
    const client = await openBucket(configOf(swift.port))
    expect(await rejectionOf(client.open('none'))).to.include({ code: 'NoSuchKey', passes: false })
  })

  it('is away where nobody listens, or no answer comes', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const requests = new S3Requests(configOf(front.port, { timeout: 200 }), optionsOf())
    front.fault = () => 'stall'
    const silent = await rejectionOf(requests.send({ method: 'GET', key: 'a' }))
    expect(silent).to.include({ passes: true })
    expect(silent.message).to.match(/^no answer by the S3 server 127\.0\.0\.1:\d+: nothing came for 0\.2 s$/u)
    front.close()
    const away = await rejectionOf(requests.send({ method: 'HEAD', key: 'a' }))
    expect(away).to.include({ passes: true })
    expect(away.message).to.contain('nobody listens there')
  })

  it('is asked again while the server says that it has too much to do', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const client = await openBucket(configOf(front.port))
    let left = 2
    front.fault = ({ method }) => (method === 'PUT' && left-- > 0 ? 'slow-down' : undefined)
    await client.put('a', Buffer.from('a'))
    expect((await contents(client, 'a')).toString()).to.equal('a')
  })

  it('is asked once where it refuses for good', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const client = new S3Client(configOf(front.port), optionsOf())
    await rejectionOf(client.put('a', Buffer.from('a')))
    expect(front.seen).to.have.length(1)
  })

  it('is asked no more once the signal aborts, and its reason is told', async () => {
    const front = await FaultyFront.start({ target: swift.port })
    const client = await openBucket(configOf(front.port))
    front.fault = () => 'stall'
    const stopping = new AbortController()
    const asked = client.put('a', Buffer.alloc(10), stopping.signal)
    await waitFor(() => front.count('PUT', /\/a$/u) === 1)
    const reason = new Error('enough')
    stopping.abort(reason)
    expect(await rejectionOf(asked)).to.equal(reason)
  })
})
