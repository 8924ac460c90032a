import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createFakeHost, ScriptedPublisher, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { g711Config, MalformedError, TS_FORMAT } from 'sluice/sdk/media'
import { StreamDenied, type PluginConfig } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { SrtConfig } from '../config.ts'
import { TestCaller } from '../fixtures/test-caller.ts'
import srt from '../index.ts'
import { MAX_WAITING_OF_ADDRESS } from '../listener.ts'
import { parseControlPacket } from '../wire/packet/control-packet.ts'

type Host = FakeHost<PluginConfig<typeof SrtConfig>>
const PASSPHRASE = 'correct horse battery'

describe('the listener of SRT', () => {
  let host: Host
  const callers: TestCaller[] = []
  const hosts: Host[] = []

  beforeEach(async () => {
    host = await start()
  })

  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.close()
    for (const started of hosts.splice(0)) await started.dispose()
  })

  async function start(options: Parameters<typeof createFakeHost<typeof SrtConfig>>[1] = {}): Promise<Host> {
    const started = await createFakeHost(srt, options)
    hosts.push(started)
    return started
  }

  async function call(streamId: string, more: { passphrase?: string; socket?: TestCaller['socket'] } = {}) {
    const caller = await TestCaller.call({ port: host.net.port('udp'), streamId, ...more })
    callers.push(caller)
    return caller
  }

  /** MPEG-TS of so many pictures. */
  function transportStream(pictures: number): Buffer {
    const chunks: Buffer[] = []
    const muxer = TS_FORMAT.createMuxer()
    const tracks = new Map<number, Parameters<typeof muxer.start>[0]['tracks'][number]>()
    const script = new ScriptedPublisher({
      addTrack: (init) => {
        const track = { ...init, id: tracks.size }
        tracks.set(track.id, track)
        return track
      },
      configureTrack: (track) => track,
      removeTrack: () => {},
      lost: () => {},
      write: (unit) => {
        if (chunks.length === 0) chunks.push(muxer.start({ tracks: [...tracks.values()], metadata: {} }))
        const bytes = muxer.mux(unit)
        if (bytes !== null) chunks.push(bytes)
      },
    })
    script.writeFrames(pictures)
    return Buffer.concat(chunks)
  }

  it('lets a publisher in, whose media becomes units, and ends with it', async () => {
    const caller = await call('publish:/live/a?secret=1&expire=2')
    await caller.answer
    const [request] = host.streams.requests
    expect(request).to.include({ streamPath: 'live/a', query: 'secret=1&expire=2', action: 'publish', protocol: 'srt' })
    expect(request?.url).to.match(/^srt:\/\/127\.0\.0\.1:\d+\?streamid=publish:\/live\/a\?secret=1&expire=2$/u)
    const [publisher] = host.streams.publishers
    caller.connection.send(transportStream(50))
    await waitFor(() => (publisher?.units.length ?? 0) > 40)
    caller.connection.close()
    await waitFor(() => host.streams.get('live/a') === undefined)
    expect(host.log.records.map(({ msg }) => msg)).to.include.members(['publish', 'publish ended'])
  })

  it('lets a player in, and tells it when the stream has ended', async () => {
    const publisher = await host.streams.publish(sessionInit('live/a'))
    const script = new ScriptedPublisher(publisher)
    script.writeFrames(5)
    const caller = await call('#!::r=live/a,m=request')
    await caller.answer
    await waitFor(() => {
      script.writeFrames(50)
      return caller.payloads.length > 10
    })
    for (const payload of caller.payloads) expect([payload[0], payload.length % 188]).to.deep.equal([0x47, 0])
    host.streams.allSubscribers[0]?.close('over')
    expect(await caller.ended).to.deep.equal({ by: 'peer' })
  })

  it('names in the log what a player does not get, and refuses one that would get nothing with 1415', async () => {
    const publisher = await host.streams.publish(sessionInit('live/a'))
    publisher.addTrack({ kind: 'audio', codec: 'pcma', timescale: 16_000, config: g711Config('pcma', 16_000, 1) })
    expect(await (await call('subscribe:/live/a')).refusal).to.equal(1415)
    new ScriptedPublisher(publisher, { audio: false }).writeFrames(5)
    await (
      await call('subscribe:/live/a')
    ).answer
    const named = host.log.records.filter(({ msg }) => msg.startsWith('tracks are left out'))
    expect(named.map(({ codecs }) => codecs)).to.deep.equal([['pcma']])
  })

  for (const [streamId, reason] of [
    ['', 1400],
    ['live/a', 1400],
    ['publish:', 1400],
    ['publish:/live/../a', 1400],
    ['#!::r=live/a,m=bidirectional', 1405],
  ] as const) {
    it(`refuses ${streamId === '' ? 'a caller without stream id' : streamId} with ${reason}`, async () => {
      expect(await (await call(streamId)).refusal).to.equal(reason)
      expect(host.streams.publishers).to.have.length(0)
    })
  }

  it('refuses whom the gates deny with 1401, and nobody is told why', async () => {
    host.streams.denyAll('a secret')
    expect(await (await call('publish:/live/a')).refusal).to.equal(1401)
    expect(await (await call('subscribe:/live/a')).refusal).to.equal(1401)
  })

  it('refuses a second publisher with 1409', async () => {
    await (
      await call('publish:/live/a')
    ).answer
    expect(await (await call('publish:/live/a')).refusal).to.equal(1409)
  })

  it('refuses a player of what nobody publishes with 1404', async () => {
    host.configure({ subscribe: { waittimeout: '100ms' } })
    expect(await (await call('subscribe:/live/a')).refusal).to.equal(1404)
  })

  it('wants the passphrase that the stream has, before the gates are asked', async () => {
    host.configure({ passphrase: PASSPHRASE, passphrases: { '^open/': '', '^other/': 'another passphrase' } })
    expect(await (await call('publish:/live/a')).refusal).to.equal(11)
    expect(await (await call('publish:/open/a', { passphrase: PASSPHRASE })).refusal).to.equal(11)
    expect(await (await call('publish:/live/a', { passphrase: 'another passphrase' })).refusal).to.equal(10)
    expect(await (await call('publish:/other/a?live', { passphrase: PASSPHRASE })).refusal).to.equal(10)
    expect(host.streams.requests).to.have.length(0)
    await (
      await call('publish:/live/a', { passphrase: PASSPHRASE })
    ).answer
    await (
      await call('publish:/other/a', { passphrase: 'another passphrase' })
    ).answer
    await (
      await call('publish:/open/a')
    ).answer
  })

  it('keeps nobody waiting for a gate that hangs, asks it once, and answers repeats alike', async () => {
    const hanging = Promise.withResolvers<void>()
    host.streams.gate = (request) => (request.streamPath === 'live/slow' ? hanging.promise : undefined)
    const slow = await call('publish:/live/slow')
    await waitFor(() => host.streams.requests.length === 1)
    await (
      await call('publish:/live/a')
    ).answer
    await (
      await call('publish:/live/b', { socket: slow.socket })
    ).answer
    // It has repeated its conclusion by then.
    await delay(600)
    hanging.reject(new StreamDenied('late'))
    expect(await slow.refusal).to.equal(1401)
    expect(host.streams.requests.map(({ streamPath }) => streamPath)).to.have.members(['live/slow', 'live/a', 'live/b'])
    const before = slow.datagrams.length
    slow.sendRaw(slow.sent.at(-1)!)
    await waitFor(() => slow.datagrams.length > before)
    expect(slow.datagrams.at(-1)!.subarray(16)).to.deep.equal(slow.datagrams.at(-2)!.subarray(16))
  })

  it('gives its answer again to one who has not heard it', async () => {
    host.streams.gate = () => delay(100)
    const caller = await call('publish:/live/a')
    await waitFor(() => host.streams.requests.length === 1)
    caller.isDeaf = true
    await delay(200)
    caller.isDeaf = false
    await caller.answer
    expect(host.streams.publishers).to.have.length(1)
  })

  it('begins nothing by a conclusion that comes after the end', async () => {
    const caller = await call('publish:/live/a')
    await caller.answer
    const conclusion = caller.sent.at(-1)!
    caller.connection.close()
    await waitFor(() => host.streams.get('live/a') === undefined)
    caller.sendRaw(conclusion)
    await (
      await call('publish:/live/b', { socket: caller.socket })
    ).answer
    expect(host.streams.requests.map(({ streamPath }) => streamPath)).to.deep.equal(['live/a', 'live/b'])
  })

  it('gives up on callers that have given up', async () => {
    const caller = await call('subscribe:/live/a')
    await waitFor(() => host.streams.requests.length === 1)
    caller.vanish()
    await waitFor(() => host.streams.allSubscribers[0]?.closeReason !== undefined)
    await waitFor(() => host.log.records.some(({ msg, stream }) => msg === 'play given up' && stream === 'live/a'))
    await (
      await call('publish:/live/a')
    ).answer
  })

  it('bounds those who wait', async () => {
    const hanging = Promise.withResolvers<void>()
    host.streams.gate = () => hanging.promise
    const waiting = await Promise.all(Array.from({ length: MAX_WAITING_OF_ADDRESS }, () => call('publish:/live/a')))
    await waitFor(() => host.streams.requests.length === waiting.length)
    expect(await (await call('publish:/live/b')).refusal).to.equal(5)
    expect(host.streams.requests).to.have.length(waiting.length)
    hanging.reject(new StreamDenied('all'))
    expect(await Promise.all(waiting.map(({ refusal }) => refusal))).to.satisfy((reasons: (number | undefined)[]) =>
      reasons.every((reason) => reason === 1401),
    )
    // They are kept for a while for those who have not heard.
    host.streams.gate = undefined
    await waitFor(async () => (await (await call('publish:/live/b')).refusal) === undefined)
  })

  it('serves several sockets of one peer', async () => {
    const first = await call('publish:/live/a')
    await first.answer
    const second = await call('publish:/live/b', { socket: first.socket })
    await second.answer
    first.connection.send(transportStream(50))
    second.connection.send(transportStream(50))
    await waitFor(() => host.streams.publishers.every(({ units }) => units.length > 40))
    first.connection.close()
    await waitFor(() => host.streams.get('live/a') === undefined)
    expect(host.streams.get('live/b')).not.to.equal(undefined)
  })

  it('leaves new callers to the next generation, and goes on with those that it has', async () => {
    const publisher = await call('publish:/live/a')
    await publisher.answer
    const hanging = Promise.withResolvers<void>()
    host.streams.gate = () => hanging.promise
    const waiting = await call('publish:/live/b')
    await waitFor(() => host.streams.requests.length === 2)
    host.drain()
    const late = await call('publish:/live/c')
    hanging.resolve()
    await waiting.answer
    publisher.connection.send(transportStream(50))
    await waitFor(() => (host.streams.publishers[0]?.units.length ?? 0) > 40)
    expect(late.datagrams).to.have.length(0)
  })

  it('takes a cookie of the generation before', async () => {
    const other = await start({ kept: host.kept })
    const caller = await call('publish:/live/a')
    await caller.answer
    const invitation = caller.datagrams[0]!
    const answer = parseControlPacket(invitation)
    if (answer?.kind !== 'handshake') throw new MalformedError('no handshake')
    // The same socket, and so the same cookie.
    const conclusion = caller.sent.at(-1)!
    caller.socket.send(conclusion, other.net.port('udp'), '127.0.0.1')
    await waitFor(() => other.streams.publishers.length === 1)
  })

  it('closes a publisher that sends no MPEG-TS', async () => {
    const caller = await call('publish:/live/a')
    await caller.answer
    const isOver = caller.ended.then(() => true)
    await waitFor(() => {
      caller.connection.send(Buffer.alloc(1316 * 10, 'not a transport stream'))
      return Promise.race([isOver, delay(10, false)])
    })
    const [ended] = host.log.records.filter(({ msg }) => msg === 'publish ended')
    expect(String(ended?.['reason'])).to.include('no MPEG-TS')
  })

  it('lists its connections', async () => {
    const caller = await call('publish:/live/a')
    await caller.answer
    const answer = await fetch(`${host.http.origin}/srt/api/sessions`)
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] }
    expect(data).to.have.length(1)
    expect(data[0]).to.include({ streamPath: 'live/a', direction: 'publish', mode: 'listener', encrypted: false })
    expect(data[0]?.['statistics']).to.have.property('msRTT')
    caller.connection.close()
    await waitFor(() => host.streams.get('live/a') === undefined)
    expect(await (await fetch(`${host.http.origin}/srt/api/sessions`)).json()).to.deep.include({ data: [] })
  })
})
